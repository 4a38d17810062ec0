"""Excuses by what is done again until nothing changes."""

from __future__ import annotations

from kernlint.analysis.accesses.needed import Tainted, events_of
from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.excuses.excuse import excuse
from kernlint.analysis.excuses.places import of_pair
from kernlint.analysis.trace.events import Access, AccessKind, Event, Trace
from kernlint.analysis.trace.joined import parts_of_choice
from kernlint.symbolic.terms import CUT_SHORT, SymbolKind, Term, Uniformity
from kernlint.symbolic.uniformity import uniformity
from kernlint.tree.types import Space


@excuse("races", of_pair)
def seen_next_time(pair: Pair, of: Trace) -> bool:
    """Each thread makes a cell of its own less (or greater) by what it has read from others, and raises a flag when it
    does, for which all is done once more: who has read the old value reads the new one the next time.

    ```cuda excused
    __global__ void relax(float *way, const float *cost, int *again, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < 1 || i >= n - 1) return;
        float best = fminf(way[i - 1] + cost[i], way[i + 1] + cost[i]);
        if (best < way[i]) {
            way[i] = best;
            *again = 1;
        }
    }
    ```

    ```cuda still-bad
    __global__ void relax(float *way, const float *cost, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < 1 || i >= n - 1) return;
        float best = fminf(way[i - 1] + cost[i], way[i + 1] + cost[i]);
        if (best < way[i]) way[i] = best;
    }
    ```

    ```cuda still-bad
    __global__ void relax(float *way, float *seen, const float *cost, int *again, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < 1 || i >= n - 1) return;
        float best = fminf(way[i - 1] + cost[i], way[i + 1] + cost[i]);
        if (best < way[i]) {
            way[i] = best;
            *again = 1;
        }
        seen[i] = best;
    }
    ```

    ```cuda still-bad
    __global__ void even(float *x, int *again, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < 1 || i >= n - 1) return;
        float mean = 0.5f * (x[i - 1] - x[i + 1]);
        if (mean < x[i]) {
            x[i] = mean;
            *again = 1;
        }
    }
    ```
    """
    for read, write in ((pair.first, pair.second), (pair.second, pair.first)):
        if read.kind is AccessKind.READ and write.kind is AccessKind.WRITE:
            return of.complete and not read.asynchronous and _improves(write, of) and _only_relaxed(read, write, of)
    return False


def _improves(write: Access, of: Trace) -> bool:
    """Whether a store is made because its value is less (or greater) than another, and a flag is raised with it."""
    value = write.value
    if value is None or not any(g.term.op == "lt" and value in g.term.args for g in write.guards):
        return False
    return any(_flag(one, write, of) for one in of.accesses)


def _flag(one: Access, write: Access, of: Trace) -> bool:
    """Whether an access raises a flag whenever the store is made, for which the block or the grid does it again."""
    if not one.writes or one.root is write.root or one.value is None or one.value.value is None:
        return False
    if {guard.term for guard in one.guards} != {guard.term for guard in write.guards}:
        return False
    if one.root.space is not Space.SHARED:
        return uniformity(one.offset) is Uniformity.GRID
    return any(
        symbol.kind is SymbolKind.LOAD and symbol.origin[0] is one.root
        for loop in write.loops
        for end in loop.ends
        for symbol in end.symbols
    )


def _only_relaxed(read: Access, write: Access, of: Trace) -> bool:
    """Whether nothing hangs on what is read but such stores, to which it gives more the more it is."""
    tainted = Tainted(read, of)
    used = [event for event in events_of(of) if tainted.uses(event)] if not tainted.open else []
    return bool(used) and all(_harmless(event, read, tainted, of) for event in used)


def _harmless(event: Event, read: Access, tainted: Tainted, of: Trace) -> bool:
    if not isinstance(event, Access):
        return False
    if not event.writes:
        return event.root is read.root and not tainted.of(event.offset)
    if event.root is not read.root:
        return any(_flag(event, one, of) for one in of.accesses if one.root is read.root and one.writes)
    return event.kind is AccessKind.WRITE and _improves(event, of) and _grows(event.value, tainted)


def _grows(term: Term | None, tainted: Tainted) -> bool:
    """Whether a value gets no less when what has been read gets more."""
    if term is None:
        return False
    if not tainted.of(term):
        return True
    if term.op == "sym":
        return term.args[0].kind is SymbolKind.LOAD or term.args[0].reason == CUT_SHORT
    if term.op == "sub":
        return _grows(term.args[0], tainted) and not tainted.of(term.args[1])
    parts = parts_of_choice(term) or (term.terms if term.op in ("add", "cast") else ())
    return bool(parts) and all(_grows(part, tainted) for part in parts)
