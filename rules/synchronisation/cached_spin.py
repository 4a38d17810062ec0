r"""The rule ``cached-spin``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.extent.counter_clamps import held_in
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Event, LoopContext, Trace
from kernlint.analysis.warps.lanes import Lanes, Undecided, lanes
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import Span
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols
from kernlint.tree.nodes import Asm, Assign, Atomic
from kernlint.tree.types import Space
from kernlint.tree.walk import functions_of, walk

VOLTA = 70
"""From compute capability 7.0 on every thread of a warp makes progress (CUDA Programming Guide)."""


class CachedSpin(Rule):
    r"""A loop that waits for a word which the compiler may read once, or which its own warp cannot set.

    A loop that only reads a plain global or shared word until it changes has no reason to read it again: nothing in
    it writes, so the compiler may keep the first value in a register and spin forever. Read the word through
    `volatile`, an atomic operation, or with a fence in the loop.

    The other kind: every lane of a warp tries to take one lock and gives it back only after the loop. Where the lanes
    of a warp move in lockstep (AMD, many OpenCL devices, NVIDIA below `sm_70`), the winner waits for the losers, who
    wait for the lock. For CUDA this is reported only when a target below `sm_70` is named.

    ```cuda bad
    __global__ void consumer(const int *flag, const float *in, float *out) {
        if (threadIdx.x == 0) {
            while (flag[0] == 0) {  // expect: KL704
            }
        }
        __syncthreads();
        out[threadIdx.x] = in[threadIdx.x];
    }
    ```

    ```opencl bad
    __kernel void consumer(__global int *ready, __global const float *in, __global float *out) {
        for (;;) {
            if (ready[get_group_id(0)] == 1) break;  // expect: KL704
        }
        out[get_global_id(0)] = in[get_global_id(0)];
    }
    ```

    ```opencl bad
    __kernel void add(__global int *lock, __global int *sum) {
        while (atomic_cmpxchg(lock, 0, 1) != 0) {  // expect: KL704
        }
        *sum += 1;
        atomic_xchg(lock, 0);
    }
    ```

    ```cuda good
    __global__ void consumer(int *flag, const float *in, float *out) {
        if (threadIdx.x == 0) {
            while (atomicAdd(flag, 0) == 0) {
            }
            __threadfence();
        }
        __syncthreads();
        out[threadIdx.x] = in[threadIdx.x];
    }
    ```

    ```cuda good
    __global__ void lengths(const int *column, int *used, int pitch) {
        const int *row = column + blockIdx.x * pitch;
        int n = 0;
        while (row[n] >= 0) ++n;
        used[blockIdx.x] = n;
    }
    ```

    ```opencl good
    __kernel void consumer(volatile __global int *ready, __global const float *in, __global float *out) {
        for (;;) {
            if (ready[get_group_id(0)] == 1) break;
        }
        out[get_global_id(0)] = in[get_global_id(0)];
    }
    ```

    ```opencl good
    __kernel void add(__global int *lock, __global int *sum) {
        bool done = false;
        while (!done) {
            if (atomic_cmpxchg(lock, 0, 1) == 0) {
                *sum += 1;
                atomic_xchg(lock, 0);
                done = true;
            }
        }
    }
    ```
    """

    meta = Meta("KL704", "cached-spin", Severity.ERROR, tags=("CUDA PG volatile", "forward progress"))
    needs = (trace, lanes)
    requires_whole = True

    def check(self, facts: Facts) -> Iterator[Finding]:
        of = facts[trace]
        inside: dict[int, list[Event]] = {}
        for event in of.events:
            for loop in event.loops:
                inside.setdefault(id(loop), []).append(event)
        for loop in of.loops:
            conditions = _ways_out(loop)
            if not conditions:
                continue
            events = inside.get(id(loop), [])
            word = _polled(loop, conditions, events)
            if word is not None:
                if not _assembly(facts, loop, word):
                    yield self._spin(word)
                continue
            if _lockstep(facts):
                lock = _lock(loop, conditions, events, of, facts[lanes])
                if lock is not None:
                    yield self._locked(*lock)

    def _spin(self, word: Access) -> Finding:
        space = "shared" if word.root.space is Space.SHARED else "global"
        return self.finding(
            word.span,
            f"the loop waits for {word.root.name} in {space} memory, which nothing in it writes and which is read as "
            "plain data: the compiler may read it once and spin forever",
            related=[Related(span, "called from here") for span in reversed(word.stack)],
            fix="read it through volatile or an atomic operation",
        )

    def _locked(self, taken: Access, given: Access) -> Finding:
        return self.finding(
            taken.span,
            f"all lanes of a warp take the lock {taken.root.name} here and give it back after the loop: in lockstep "
            "the winner waits for the losers",
            Severity.WARNING,
            related=[Related(given.span, "the lock is given back here")],
            fix="do the work and give the lock back inside the loop, or let one lane take it",
        )


def _ways_out(loop: LoopContext) -> list[Term]:
    found = [term for term, _ in (*loop.exits, *loop.leaves)]
    return found if loop.condition is None else [loop.condition, *found]


def _polled(loop: LoopContext, conditions: list[Term], events: list[Event]) -> Access | None:
    """The plain read on whose value alone the loop can end, when nothing in the loop can change it."""
    if not all(_reads_only(event) for event in events):
        return None
    words: list[Symbol] = []
    for term in conditions:
        for symbol in symbols(term):
            if held_in(symbol.term) is not None:
                words.append(symbol)
                if not all(_still(inner, loop) for inner in symbols(symbol.origin[1])):
                    return None  # a search: it looks somewhere else each time
            elif symbol.serial >= loop.serial or symbol is loop.counter:
                return None
    for event in events:
        if isinstance(event, Access) and event.root.space in (Space.GLOBAL, Space.SHARED):
            place = (event.root, event.offset)
            if any(_place(symbol) == place for symbol in words):
                return event
    return None


def _still(symbol: Symbol, loop: LoopContext) -> bool:
    """Whether a symbol keeps its value in a loop."""
    return symbol.serial < loop.serial and symbol is not loop.counter


def _assembly(facts: Facts, loop: LoopContext, word: Access) -> bool:
    """Whether inline assembly reads the word, or stands in the loop or the helper: it keeps the compiler from caching
    (``asm volatile("" ::: "memory")``)."""
    for function in functions_of(facts.kernel):
        home = _within(word.span, function.span)
        for node in walk(function):
            if isinstance(node, Asm) and (_within(node.span, loop.span) or (home and bool(word.stack))):
                return True
            # What an instruction reads stands in the tree as an assignment made of the one statement.
            if isinstance(node, Assign) and node.span == word.span:
                return True
    return False


def _within(inner: Span, outer: Span) -> bool:
    return inner.file == outer.file and outer.start <= inner.start and inner.end <= outer.end


def _place(symbol: Symbol) -> tuple[object, Term]:
    root, offset = symbol.origin
    return root, offset


def _reads_only(event: Event) -> bool:
    """Whether an event neither changes memory nor makes the compiler read it again."""
    if isinstance(event, Access):
        return event.kind is AccessKind.READ and not event.volatile and not event.asynchronous
    return type(event).__name__ == "ConditionEvent"


# ------------------------------------------------------------------------------------------------------- locks


def _lockstep(facts: Facts) -> bool:
    if facts.module.language != "cuda":
        return True
    return any(_below_volta(target.name) for target in facts.options.targets)


def _below_volta(name: str) -> bool:
    digits = name.removeprefix("sm_").rstrip("af")
    return name.startswith("sm_") and digits.isdigit() and int(digits) < VOLTA


def _lock(
    loop: LoopContext, conditions: list[Term], events: list[Event], of: Trace, within: Lanes
) -> tuple[Access, Access] | None:
    """The operation that takes a lock in the loop and the one after it that gives it back, when two lanes of one warp
    contend for it."""
    atomics = [event for event in events if isinstance(event, Access) and event.kind is AccessKind.ATOMIC]
    if len(atomics) != 1 or atomics[0].atomic_op not in ("cas", "exchange"):
        return None
    taken = atomics[0]
    rest = [event for event in events if event is not taken]
    others = [s.kind for term in conditions for s in symbols(term) if s.origin is not taken.node]
    if taken.atomic_op == "cas" and any(kind in (SymbolKind.PHI, SymbolKind.LOAD) for kind in others):
        return None  # compared with what was there before: an update that is tried again
    tested = [s.origin for term in conditions for s in symbols(term) if isinstance(s.origin, Atomic)]
    if not any(origin is taken.node for origin in tested) or not all(_reads_only(event) for event in rest):
        return None
    last = max(event.order for event in events)
    given = next((a for a in of.accesses if a.root is taken.root and a.order > last and a.writes), None)
    if given is None or within.varies(taken.offset):
        return None
    for block in within.blocks:
        for warp in within.warps(block):
            try:
                if len(warp.arriving(taken)) > 1:
                    return taken, given
            except Undecided:
                return None
    return None
