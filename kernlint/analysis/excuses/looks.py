"""Excuses by what a thread makes of what it has seen: nothing that another order of the two would change."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.accesses.needed import Tainted, events_of
from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.excuses.excuse import excuse
from kernlint.analysis.excuses.places import of_pair
from kernlint.analysis.excuses.values import Env, environments, pinned
from kernlint.analysis.trace.events import Access, AccessKind, Event, ExitEvent, Trace
from kernlint.prove.cases import conjuncts
from kernlint.prove.query import Refuted
from kernlint.symbolic.terms import Term, negate


@excuse("races", of_pair)
def same_either_way(pair: Pair, found: tuple[Refuted, Trace]) -> bool:
    """Who has read the cell stores there what the other stores, or leaves it as it is, and does nothing else with what
    it has seen: the cell holds the same, whoever comes first.

    ```cuda excused
    __global__ void strike(const int *rank, int *valid, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && rank[i / 4] == 0 && valid[i / 4] != 0) valid[i / 4] = 0;
    }
    ```

    ```cuda excused
    __global__ void settle(const int *rank, int *small, int *total, int all, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x, op = i / 16;
        if (op >= n) return;
        int held = small[op];
        if (rank[op] == 0) {
            small[op] = all;
            return;
        }
        total[i] = held + i;
    }
    ```

    ```cuda still-bad
    __global__ void strike(const int *rank, int *valid, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && rank[i / 4] == 0 && valid[i / 4] != 0) valid[i / 4] = i;
    }
    ```

    ```cuda still-bad
    __global__ void strike(const int *rank, int *valid, int *struck, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && rank[i / 4] == 0 && valid[i / 4] != 0) {
            valid[i / 4] = 0;
            struck[i] = 1;
        }
    }
    ```

    ```cuda still-bad
    __global__ void settle(const int *rank, int *small, int *total, int all, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x, op = i / 16;
        if (op >= n) return;
        int held = small[op];
        if (rank[i] == 0) {
            small[op] = all;
            return;
        }
        total[i] = held + i;
    }
    ```
    """
    witness, of = found
    for at, (read, write) in enumerate(((pair.first, pair.second), (pair.second, pair.first))):
        if read.kind is AccessKind.READ and write.kind is AccessKind.WRITE and write.value is not None:
            envs = environments(witness)
            return _settled(read, envs[at], write, envs[1 - at], of)
    return False


def _settled(read: Access, own: Env, write: Access, other: Env, of: Trace) -> bool:
    if not of.complete or read.asynchronous or read.volatile or write.value is None:
        return False
    tainted = Tainted(read, of)
    if not tainted.found or tainted.open:
        return False
    put = pinned(write.value, other, write.root)
    taken = {part for guard in write.guards for part in conjuncts(guard.term)}
    for event in _later(read, of):
        if isinstance(event, ExitEvent) or not tainted.uses(event):
            continue  # what is left out by a return has its condition
        if any(_same(negate(part), taken, own, other, read) for part in _asked(event)):
            continue  # the reader does not come there
        if not isinstance(event, Access) or event.kind is not AccessKind.WRITE or event.root is not read.root:
            return False
        if event.offset != read.offset or event.size != read.size or event.value is None:
            return False
        if put is None or pinned(event.value, own, read.root) != put:
            return False
    return True


def _later(read: Access, of: Trace) -> Iterator[Event]:
    """What may come after a read."""
    return (one for one in events_of(of) if one.order > read.order or any(loop in read.loops for loop in one.loops))


def _asked(event: Event) -> Iterator[Term]:
    return (part for guard in event.guards for part in conjuncts(guard.term))


def _same(part: Term, taken: set[Term], own: Env, other: Env, read: Access) -> bool:
    """Whether a condition that the writer meets is met by the reader too: it is made in the same way from the same
    places."""
    if part not in taken:
        return False
    mine = pinned(part, own, read.root)
    return mine is not None and mine == pinned(part, other, read.root)
