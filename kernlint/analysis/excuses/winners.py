"""Excuses where data choose which threads come by: mostly one, which nothing in sight can tell."""

from __future__ import annotations

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.excuses.excuse import excuse
from kernlint.analysis.excuses.places import of_access, of_pair
from kernlint.analysis.search.supposed import on_data
from kernlint.analysis.trace.events import Access, AccessKind, Trace
from kernlint.prove.cases import conjuncts
from kernlint.prove.query import Refuted, Side
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, negate, plain, substitute, symbols
from kernlint.symbolic.uniformity import uniformity
from kernlint.tree.nodes import Atomic, Scope
from kernlint.tree.types import Space


@excuse("races", of_pair)
def single_winner(pair: Pair, witness: Refuted) -> bool:
    """One write, under a condition on data that differs between threads: mostly one of them comes by.

    Not where data only have to be beyond a value, as those of many threads are, unless what is written says which
    thread it was: any of them will do then.

    ```cuda excused
    __global__ void find(const int *keys, int key, int *out, int n) {
        __shared__ int where;
        if (threadIdx.x == 0) where = -1;
        __syncthreads();
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && keys[i] == key) where = i;
        __syncthreads();
        if (threadIdx.x == 0) out[blockIdx.x] = where;
    }
    ```

    ```cuda excused
    __global__ void find(const int *keys, int key, int *out, const int *count) {
        __shared__ int where;
        if (threadIdx.x == 0) where = -1;
        __syncthreads();
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < count[0] && keys[i] == key) where = keys[i];
        __syncthreads();
        if (threadIdx.x == 0) out[blockIdx.x] = where;
    }
    ```

    ```cuda still-bad
    __global__ void find(const int *keys, int key, int *out, int n) {
        __shared__ int where;
        if (threadIdx.x == 0) where = -1;
        __syncthreads();
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) where = i;
        __syncthreads();
        if (threadIdx.x == 0) out[blockIdx.x] = where;
    }
    ```

    ```cuda still-bad
    __global__ void find(const int *keys, int key, int *out, int n) {
        __shared__ int where;
        if (threadIdx.x == 0) where = -1;
        __syncthreads();
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && keys[i] > key) where = keys[i];
        __syncthreads();
        if (threadIdx.x == 0) out[blockIdx.x] = where;
    }
    ```
    """
    several = any(map(_record, pair.a.guards)) or (_threshold(pair.a) and not _names_itself(pair.first))
    return witness.depends_on_data and pair.first is pair.second and bool(_choosing(pair, pair.a)) and not several


def _choosing(pair: Pair, at: Side) -> list[Term]:
    """The conditions of an access that rest on data which is not the same for all threads of a block.  Not those under
    which the last barrier of the block stands: all threads meet them, or it would not have let any of them by."""
    met = pair.barrier is not None and pair.barrier.scope is Scope.BLOCK
    of_all = {guard.term for guard in pair.barrier.guards} if met and pair.barrier is not None else set()
    return [fact for fact in at.facts if uniformity(fact) > Uniformity.BLOCK and on_data(fact) and fact not in of_all]


def _names_itself(write: Access) -> bool:
    """Whether what is written is made from the thread's index, and no data."""
    if write.value is None or any(s.kind in (SymbolKind.LOAD, SymbolKind.UNKNOWN) for s in write.value.symbols):
        return False
    return any(symbol.kind is SymbolKind.THREAD for symbol in write.value.symbols)


def _threshold(at: Side) -> bool:
    """Whether data of the threads only have to be beyond some value, which those of many are: no key is looked for, and
    no two neighbours between which something lies.  How far an index goes may be read from memory, too."""
    rounds = {loop.condition for loop in at.counters}
    varying = [guard for guard in at.guards if guard not in rounds and uniformity(guard) > Uniformity.BLOCK]
    read = [guard for guard in varying if any(s.kind is SymbolKind.LOAD for s in guard.symbols)]
    own = [g for g in read if any(s.kind is SymbolKind.LOAD and s.uniformity > Uniformity.BLOCK for s in g.symbols)]
    drawn = any(g.op == "eq" and any(isinstance(s.origin, Atomic) for s in g.symbols) for g in varying)
    data = own or ([] if drawn else read)  # who draws a number has it alone
    orders = [guard for guard in data if guard.op in ("lt", "le")]
    return len(orders) == 1 and all(g.op == "ne" and g.args[1].value == 0 for g in data if g is not orders[0])


def _record(guard: Term) -> bool:
    """Whether threads come by whose value is greater, or less, than what an atomic maximum, or minimum, has found: each
    that breaks the record does, one after the other."""
    if guard.op not in ("lt", "le"):
        return False
    made = (symbol.origin for symbol in guard.symbols if symbol.kind is SymbolKind.UNKNOWN)
    return any(isinstance(node, Atomic) and node.op in ("max", "min") for node in made)


@excuse("races", of_pair)
def winner_looks_back(pair: Pair, witness: Refuted) -> bool:
    """A read and a write under one condition on data that differs between threads: the winner's own.

    What is written must not be made from what was read: that is an update, and two winners would lose one.  Nor is it
    one winner's where the place is that of a thread: several are there then.

    ```cuda excused
    __global__ void find(const int *keys, int key, int *before, int *out, int n) {
        __shared__ int where;
        if (threadIdx.x == 0) where = -1;
        __syncthreads();
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && keys[i] == key) {
            before[i] = where;
            where = i;
        }
        __syncthreads();
        if (threadIdx.x == 0) out[blockIdx.x] = where;
    }
    ```

    ```cuda still-bad
    __global__ void find(const int *keys, int key, int *before, int *out, int n) {
        __shared__ int where;
        if (threadIdx.x == 0) where = -1;
        __syncthreads();
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) before[i] = where;
        if (i < n && keys[i] == key) where = i;
        __syncthreads();
        if (threadIdx.x == 0) out[blockIdx.x] = where;
    }
    ```

    ```cuda still-bad
    __global__ void refill(const int *keys, int *out, int n) {
        __shared__ int bins[32];
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        bins[threadIdx.x & 31] = 0;
        __syncthreads();
        if (i < n) atomicAdd(&bins[keys[i] & 31], 1);
        __syncthreads();
        if (i < n && keys[i] > 0) {
            out[i] = bins[keys[i] & 31];
            bins[threadIdx.x & 31] = 0;
        }
    }
    ```
    """
    if not witness.depends_on_data:
        return False
    both = set(_choosing(pair, pair.a)) & set(pair.a.guards) & set(pair.b.guards)
    by_thread = any(symbol.kind is SymbolKind.THREAD for at in (pair.a, pair.b) for symbol in at.offset.symbols)
    if not both or (by_thread and not any(map(_lost, both))):
        return False
    for read, write in ((pair.first, pair.second), (pair.second, pair.first)):
        if read.kind is AccessKind.READ and write.kind is AccessKind.WRITE and write.value is not None:
            made = (symbol.origin for symbol in symbols(write.value) if symbol.kind is SymbolKind.LOAD)
            return (read.root, read.offset) not in made
    return False


def _lost(fact: Term) -> bool:
    """Whether a condition was not understood: nobody knows how many threads come by."""
    return any(symbol.kind is SymbolKind.UNKNOWN and symbol.origin is None for symbol in fact.symbols)


@excuse("races", of_pair)
def two_ways_to_win(pair: Pair, witness: Refuted) -> bool:
    """Two writes of one place, each under a condition on data that differs between threads: one winner, found in two
    ways.

    Not where the one condition is the other's opposite: then some thread comes by for sure.

    ```cuda excused
    __global__ void find(const int *keys, int key, int *out, int n) {
        __shared__ int where;
        if (threadIdx.x == 0) where = -1;
        __syncthreads();
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && threadIdx.x == 0 && keys[i] > key) where = i;
        if (i < n && threadIdx.x > 0 && keys[i] > key && keys[i - 1] <= key) where = i;
        __syncthreads();
        if (threadIdx.x == 0) out[blockIdx.x] = where;
    }
    ```

    ```cuda still-bad
    __global__ void find(const int *keys, int key, int *out, int n) {
        __shared__ int where;
        if (threadIdx.x == 0) where = -1;
        __syncthreads();
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && keys[i] > key) where = i;
        if (i < n && keys[i] <= key) where = -i;
        __syncthreads();
        if (threadIdx.x == 0) out[blockIdx.x] = where;
    }
    ```
    """
    first, second = pair.first, pair.second
    if not witness.depends_on_data or first is second:
        return False
    if first.kind is not AccessKind.WRITE or second.kind is not AccessKind.WRITE or first.offset != second.offset:
        return False
    ours, theirs = set(pair.a.facts), set(pair.b.facts)
    apart = not any(on_data(fact) and negate(fact) in theirs for fact in ours)
    return apart and bool(_choosing(pair, pair.a)) and bool(_choosing(pair, pair.b))


@excuse("races", of_access)
def claimed(access: Access, of: Trace) -> bool:
    """An element that an atomic operation has given to one thread: it found what only the first one finds, in an array
    with the same index; or the one element that one word of the whole grid stands for.

    What only the first one finds is what the word does not hold once the operation is done; where nothing says what it
    holds then, a number that it is compared with for equality.  Not where what the operation gave back is only compared
    with something smaller or greater: several come by then.

    ```cuda excused
    __global__ void visit(const int *edges, int *seen, int *parent, int n, int from) {
        int e = blockIdx.x * blockDim.x + threadIdx.x;
        if (e < n && atomicCAS(seen + edges[e], 0, 1) == 0) parent[edges[e]] = from + threadIdx.x;
    }
    ```

    ```cuda excused
    __global__ void visit(const int *edges, int *seen, int *parent, int n, int round) {
        int e = blockIdx.x * blockDim.x + threadIdx.x;
        if (e < n && atomicExch(seen + edges[e], round) != round) parent[edges[e]] = e;
    }
    ```

    ```cuda excused
    __global__ void report(const float *x, int *seen, int *hits, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && x[i] > 0.5f && atomicAdd(seen, 1) == 0) *hits += 1;
    }
    ```

    ```cuda excused
    __global__ void first(const float *x, int *seen, int *hit, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && atomicAdd(seen, 0) == 0 && x[i] > 0.5f && atomicCAS(seen, 0, 1) == 0) *hit += i;
    }
    ```

    ```cuda still-bad
    __global__ void first(const float *x, int *seen, int *hit, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && x[i] > 0.5f && atomicExch(seen, 1) == 1) *hit += i;
    }
    ```

    ```cuda still-bad
    __global__ void report(const float *x, int *seen, int *hits, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && x[i] > 0.5f && atomicMax(seen, 1) == 0) *hits += i;
        if (i < n && x[i] > 0.5f && atomicAdd(seen + 1, 1) > 0) *hits += 1;
    }
    ```

    ```cuda still-bad
    __global__ void visit(const int *edges, int *seen, int *parent, int n, int from) {
        int e = blockIdx.x * blockDim.x + threadIdx.x;
        if (e < n && atomicAdd(seen + edges[e], 1) < 4) parent[edges[e]] = from + threadIdx.x;
    }
    ```

    ```cuda still-bad
    __global__ void visit(const int *edges, int *seen, int *parent, int n, int from) {
        int e = blockIdx.x * blockDim.x + threadIdx.x;
        if (e < n && atomicExch(seen + edges[e], 1) == 1) parent[edges[e]] = from + threadIdx.x;
    }
    ```
    """
    asked = [part for guard in access.guards for part in conjuncts(guard.term)]
    picked = _picked(access)
    if not picked and uniformity(access.offset) > Uniformity.GRID:
        return False
    for other in of.accesses:
        alike = _picked(other) == picked if picked else _of_the_grid(other, of)
        if other.kind is AccessKind.ATOMIC and alike:
            about = [(part, s) for part in asked for s in part.symbols if s.origin is other.node]
            if any(_only_first(part, symbol, other) for part, symbol in about if symbol.kind is SymbolKind.UNKNOWN):
                return True
    return False


COUNTING = frozenset({"add", "sub", "inc"})


def _of_the_grid(atomic: Access, of: Trace) -> bool:
    """Whether an atomic operation is on one word for all blocks, and makes it another number each time, or marks it for
    good: what is put back there as well is a lock."""
    once = atomic.atomic_op in COUNTING and atomic.value is not None and atomic.value.value not in (None, 0)
    if atomic.atomic_op in ("exchange", "cas"):
        others = (a for a in of.accesses if a.writes and a.root is atomic.root and a.node is not atomic.node)
        once = all(other.offset != atomic.offset or _adds_nothing(other) for other in others)
    return once and atomic.root.space is Space.GLOBAL and uniformity(atomic.offset) is Uniformity.GRID


def _adds_nothing(access: Access) -> bool:
    """Whether an atomic operation is a read in disguise: ``atomicAdd(word, 0)``."""
    return access.atomic_op in COUNTING and access.value is not None and access.value.value == 0


def _only_first(part: Term, found: Symbol, atomic: Access) -> bool:
    """Whether a condition on what an atomic operation has ``found`` is false for what it leaves behind."""
    left = {"exchange": atomic.value, "cas": atomic.new}.get(atomic.atomic_op)
    if left is not None:
        low, high = interval(substitute(part, {found: left}))
        if low == high == 0 or (part.op == "lt" and part.args[1].value == 0 and _counts(left, part, found)):
            return True
        if low is not None and low > 0:
            return False
    return part.op == "eq"


def _counts(left: Term, part: Term, found: Symbol) -> bool:
    """Whether what is asked to be negative is what was found, and what is left there is a sum of what never is."""
    form = polynomial(left).coefficients
    below = any(number < 0 for number in form.values())
    return plain(part.args[0]).symbol is found and not below and all(_no_less(f) for monomial in form for f in monomial)


def _no_less(factor: Term) -> bool:
    low = interval(factor)[0]
    return low is not None and low >= 0


def _picked(access: Access) -> frozenset[object]:
    """What of memory an element's index is made of."""
    return frozenset(symbol for symbol in symbols(access.offset) if symbol.kind is SymbolKind.LOAD)


@excuse("races", of_access)
def ends_of_runs(access: Access, of: Trace) -> bool:
    """An element that an entry picks which differs from its neighbour in the array: of a run of equal entries only the
    first, or the last, comes by, and whoever asks for runs has equal entries side by side.

    ```cuda excused
    __global__ void sums(const int *row, const float *x, float *y, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n || (i > 0 && row[i - 1] == row[i])) return;
        float sum = 0.0f;
        for (int k = i; k < n && row[k] == row[i]; ++k) sum += x[k];
        y[row[i] % 1024] += sum;
    }
    ```

    ```cuda still-bad
    __global__ void sums(const int *row, const float *x, float *y, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n || (i > 0 && row[i - 1] == 0)) return;
        float sum = 0.0f;
        for (int k = i; k < n && row[k] == row[i]; ++k) sum += x[k];
        y[row[i] % 1024] += sum;
    }
    ```
    """
    return _at_end(access)


@excuse("races", of_pair)
def ends_of_two_runs(pair: Pair, witness: Refuted) -> bool:
    """Both elements are picked by entries that differ from their neighbours in one array: in a row that is sorted, two
    such are of two runs.

    ```cuda excused
    __global__ void lengths(const int *keys, int *counts) {
        __shared__ int key[256], begin[64];
        const int t = threadIdx.x;
        key[t] = keys[blockIdx.x * 256 + t];
        key[t + 128] = keys[blockIdx.x * 256 + t + 128];
        if (t < 64) begin[t] = 0;
        __syncthreads();
        if (t > 0 && key[t] != key[t - 1]) begin[key[t - 1]] = t;
        if (key[t + 128] != key[t + 127]) begin[key[t + 127]] = t + 128 - begin[key[t + 127]];
        __syncthreads();
        if (t < 64) counts[blockIdx.x * 64 + t] = begin[t];
    }
    void run(const int *keys, int *counts, int n) { lengths<<<n, 128>>>(keys, counts); }
    ```

    ```cuda still-bad
    __global__ void lengths(const int *keys, int *counts) {
        __shared__ int key[256], begin[64];
        const int t = threadIdx.x;
        key[t] = keys[blockIdx.x * 256 + t];
        key[t + 128] = keys[blockIdx.x * 256 + t + 128];
        if (t < 64) begin[t] = 0;
        __syncthreads();
        if (t > 0 && key[t] != key[t - 1]) begin[key[t - 1]] = t;
        if (key[t + 128] != 63) begin[key[t + 127]] = t + 128 - begin[key[t + 127]];
        __syncthreads();
        if (t < 64) counts[blockIdx.x * 64 + t] = begin[t];
    }
    void run(const int *keys, int *counts, int n) { lengths<<<n, 128>>>(keys, counts); }
    ```
    """
    return _at_end(pair.first) and _at_end(pair.second)


def _at_end(access: Access) -> bool:
    """Whether an element is picked by an entry which has to differ from its neighbour."""
    entries = _picked(access)
    parts = (part for guard in access.guards for part in conjuncts(guard.term)) if entries else ()
    return any(_beside(part, entries) for part in parts)


def _beside(part: Term, entries: frozenset[object]) -> bool:
    """Whether an entry has to differ from the one next to it, where there is one."""
    if part.op == "lor":
        sides = [_beside(arg, entries) for arg in part.args]
        return any(sides) and all(told or not on_data(arg) for told, arg in zip(sides, part.args, strict=True))
    if part.op != "ne":
        return False
    one, other = (plain(arg).symbol for arg in part.args)
    if one is None or other is None or not (one in entries or other in entries):
        return False
    if one.kind is not SymbolKind.LOAD or other.kind is not SymbolKind.LOAD or one.origin[0] is not other.origin[0]:
        return False
    apart = polynomial(one.origin[1]) - polynomial(other.origin[1])
    return {abs(value) for value in apart.coefficients.values()} == {
        one.origin[0].element.size
    } and () in apart.coefficients
