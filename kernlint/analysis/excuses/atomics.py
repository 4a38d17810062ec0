"""Excuses by what atomic operations and flags that are looked at again and again see to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.excuses.excuse import excuse
from kernlint.analysis.excuses.places import of_accesses, of_pair
from kernlint.analysis.search.inputs import PLAIN
from kernlint.analysis.trace.events import Access, AccessKind
from kernlint.prove.query import Refuted
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols
from kernlint.tree.types import Space

_CHECKED = frozenset({"cas", "max", "min", "and", "or"})
"""Atomic operations to which an old value does no harm: they compare with what is there, or let the extreme win."""


@excuse("races", of_accesses)
def first_look(pair: tuple[Access, Access], witness: None) -> bool:
    """A thread only takes a first look at what its own atomic operation on the cell will find anyhow.

    That is the old value that a compare-and-swap loop begins with, or a look whether a maximum would change at all.
    No barrier helps there, and none is needed: where another thread was quicker the update sees to it.

    ```cuda excused
    __global__ void largest(const int *keys, int *out, int n) {
        __shared__ int best;
        if (threadIdx.x == 0) best = 0;
        __syncthreads();
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        int key = i < n ? keys[i] : 0;
        if (key > best) atomicMax(&best, key);
        __syncthreads();
        if (threadIdx.x == 0) out[blockIdx.x] = best;
    }
    ```

    ```cuda still-bad
    __global__ void largest(const int *keys, int *out, int *first, int n) {
        __shared__ int best;
        if (threadIdx.x == 0) best = 0;
        __syncthreads();
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        int key = i < n ? keys[i] : 0;
        atomicMax(&best, key);
        if (i < n) first[i] = best;
        __syncthreads();
        if (threadIdx.x == 0) out[blockIdx.x] = best;
    }
    ```
    """
    read, update = pair
    if read.kind is not AccessKind.READ or update.kind is not AccessKind.ATOMIC or update.atomic_op not in _CHECKED:
        return False
    if read.root is not update.root or read.offset != update.offset or read.order > update.order:
        return False
    terms = [guard.term for guard in update.guards]
    if update.atomic_op == "cas" and update.value is not None:
        terms.append(update.value)
    return any(
        symbol.kind is SymbolKind.LOAD and symbol.origin == (read.root, read.offset) for symbol in _sources(terms)
    )


def _sources(terms: Iterable[Term]) -> Iterator[Symbol]:
    """The symbols of ``terms``, and of what the loop variables among them begin with."""
    seen: set[Symbol] = set()
    left = list(terms)
    while left:
        for symbol in symbols(left.pop()):
            if symbol not in seen:
                seen.add(symbol)
                yield symbol
                if symbol.init is not None:
                    left.append(symbol.init)


@excuse("races", of_pair)
def told_by_ticket(pair: Pair, witness: Refuted) -> bool:
    """What an atomic operation on the cell has returned may well keep the two threads apart.

    ```cuda excused
    __global__ void count(const int *keys, int *out, int n) {
        __shared__ int arrived;
        if (threadIdx.x == 0) arrived = 0;
        __syncthreads();
        int i = threadIdx.x;
        if (i >= n) return;
        int before = atomicAdd(&arrived, keys[i]);
        if (before == n - 1) out[0] = arrived;
    }
    ```

    ```cuda still-bad
    __global__ void count(const int *keys, int *out, int n) {
        __shared__ int arrived;
        if (threadIdx.x == 0) arrived = 0;
        __syncthreads();
        int i = threadIdx.x;
        if (i >= n) return;
        atomicAdd(&arrived, keys[i]);
        out[i] = arrived;
    }
    ```
    """
    if not (witness.depends_on_data and _atomic(pair)):
        return False
    made = (pair.first.node, pair.second.node)
    return any(symbol.origin in made for at in (pair.a, pair.b) for symbol in at.symbols if symbol.origin)


@excuse("races", of_pair)
def watched_word(pair: Pair, witness: Refuted) -> bool:
    """Both accesses are volatile and data decide about one of them: a word that threads watch.

    Not where what is written is made from what was read there: that counts, and two threads lose one of their counts.

    ```cuda excused
    __global__ void search(const int *keys, int key, int *seen, int n) {
        __shared__ volatile int found;
        if (threadIdx.x == 0) found = 0;
        __syncthreads();
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        if (found == 0) seen[i] = 1;
        if (keys[i] == key) found = 1;
    }
    ```

    ```cuda still-bad
    __global__ void search(const int *keys, int key, int *seen, int n) {
        __shared__ int found;
        if (threadIdx.x == 0) found = 0;
        __syncthreads();
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        if (found == 0) seen[i] = 1;
        if (keys[i] == key) found = 1;
    }
    ```

    ```cuda still-bad
    __global__ void search(const int *keys, int key, volatile int *count, int *where, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && keys[i] == key) {
            int slot = count[0]++;
            if (slot < 8) where[slot] = i;
        }
    }
    ```

    Nor does it keep what one thread has said of its data from another that clears the word, whatever data say: which of
    the two comes last is open.

    ```cuda still-bad
    __global__ void search(const int *keys, volatile int *found, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i == 0) *found = 0;
        __syncthreads();
        if (i < n && keys[i] < 0) *found = 1;
    }
    ```

    Nor are the cells of threads, or of warps, through which lanes pass numbers on, such words.

    ```cuda still-bad
    __global__ void largest(const float *x, float *out) {
        __shared__ volatile float s[64];
        const int t = threadIdx.x, lane = t % 32;
        s[t] = x[blockIdx.x * 64 + t];
        if (x[blockIdx.x] > 0.0f)
            for (int half = 16; half > 0; half /= 2)
                if (lane < half) s[t] = fmaxf(s[t], s[t + half]);
        if (lane == 0) out[blockIdx.x * 2 + t / 32] = s[t];
    }
    ```

    Nor does it order what a barrier hands over in each round of a loop with what the next round puts there.

    ```cuda still-bad
    __global__ void starts(const int *sizes, int *first, int n) {
        __shared__ volatile int total;
        int start = 0;
        for (int base = 0; base < n; base += blockDim.x) {
            if (sizes[base + threadIdx.x] < 0) total = base + threadIdx.x;
            __syncthreads();
            first[base + threadIdx.x] = start;
            start += total;
        }
    }
    ```
    """
    if not witness.depends_on_data or not (pair.first.volatile and pair.second.volatile) or _atomic(pair):
        return False
    if _handed_over(pair) or _cleared(pair) or all(map(_of_threads, (pair.first, pair.second))):
        return False
    return AccessKind.READ not in (pair.first.kind, pair.second.kind) or not any(
        map(_counts, (pair.first, pair.second))
    )


def _of_threads(access: Access) -> bool:
    """Whether a thread has a cell of its own in shared memory, or shares it with others of its warp, and no data say
    which."""
    kinds = {symbol.kind for symbol in access.offset.symbols}
    return access.root.space is Space.SHARED and SymbolKind.THREAD in kinds and SymbolKind.LOAD not in kinds


def _cleared(pair: Pair) -> bool:
    """Whether one thread puts a number into a word as it begins, whatever data say, and another puts another number
    there because of its data."""
    writes = pair.first, pair.second
    if any(one.kind is not AccessKind.WRITE or one.value is None or one.value.value is None for one in writes):
        return False
    told = [any(s.kind not in PLAIN for g in one.guards for s in symbols(g.term)) for one in writes]
    return told == [False, True] and pair.first.value is not pair.second.value and not pair.first.loops


def _handed_over(pair: Pair) -> bool:
    """Whether a number other than a constant is put into shared memory and read behind a barrier, in each round of a
    loop: not to be watched, and the next round must not put its own there too early."""
    if pair.carried is None or pair.barrier is None or pair.first.root.space is not Space.SHARED:
        return False
    written = [access for access in (pair.first, pair.second) if access.kind is AccessKind.WRITE]
    between = pair.first.order < pair.barrier.order < pair.second.order
    return len(written) == 1 and between and written[0].value is not None and written[0].value.value is None


def _counts(write: Access) -> bool:
    """Whether a write adds something to what its thread has read at the same place."""
    if write.kind is not AccessKind.WRITE or write.value is None or write.value.op not in ("add", "sub"):
        return False
    made = (symbol.origin for symbol in symbols(write.value) if symbol.kind is SymbolKind.LOAD)
    return (write.root, write.offset) in made


@excuse("races", of_accesses)
def ticket_reset(pair: tuple[Access, Access], witness: None) -> bool:
    """A counter that blocks draw tickets from is written by the block that its ticket has told it is the last.

    ```cuda excused
    __global__ void total(const float *x, float *parts, int *arrived, float *out) {
        __shared__ bool last;
        if (threadIdx.x == 0) {
            parts[blockIdx.x] = x[blockIdx.x];
            __threadfence();
            last = atomicAdd(arrived, 1) == gridDim.x - 1;
            if (last) *arrived = 0;
        }
    }
    ```

    ```cuda still-bad
    __global__ void total(const float *x, float *parts, int *arrived, float *out) {
        if (threadIdx.x == 0) {
            parts[blockIdx.x] = x[blockIdx.x];
            atomicAdd(arrived, 1);
            if (blockIdx.x == gridDim.x - 1) *arrived = 0;
        }
    }
    ```
    """
    counter, write = pair
    if counter.kind is not AccessKind.ATOMIC or write.kind is not AccessKind.WRITE or counter.offset != write.offset:
        return False
    return any(
        symbol.origin is counter.node or (symbol.kind is SymbolKind.LOAD and symbol.origin[0].space is Space.SHARED)
        for guard in write.guards
        for symbol in symbols(guard.term)
    )


def _atomic(pair: Pair) -> bool:
    return AccessKind.ATOMIC in (pair.first.kind, pair.second.kind)
