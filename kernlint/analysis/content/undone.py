"""Results that a thread writes for its whole block behind a barrier, though it may have returned before.

From compute capability 7.0 on a barrier waits for nobody who has returned; who was to write what the others have made
together is missed all the same: ``if (i >= n) return; ...; if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = s;``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.order.words import sources
from kernlint.analysis.scenarios.scenario import Scenario
from kernlint.analysis.trace.events import Access, Event, GuardKind, Root, Trace
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import (
    BLOCK_DIM,
    FALSE,
    THREAD,
    TRUE,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    const,
    negate,
    replaced,
    substitute,
    subterms,
    symbols,
)
from kernlint.symbolic.uniformity import uniformity
from kernlint.tree.types import Space

Thread = tuple[int, int, int]


def undone(walked: Trace, meeting: Event, left: Term, shapes: Sequence[Scenario]) -> Access | None:
    """A write to global memory behind the barrier ``meeting`` of what the block has put into shared memory, by threads
    that are chosen by their place in the block alone and of which some may have returned: ``left`` holds for those that
    have not.

    Not where data that are the same for the whole block decide who returns: then nobody has made anything.
    """
    if any(_all_stay(one) for one in _by_block(left)):
        return None
    for access in walked.accesses:
        if not access.writes or access.root.space is not Space.GLOBAL or access.order < meeting.order:
            continue
        if access.value is None or not any(g.kind is GuardKind.EXIT and g.term == left for g in access.guards):
            continue
        shared = _shared(access.value)
        if shared and shapes and all(_may_be_gone(access, left, one, _by_data(walked, shared)) for one in shapes):
            return access
    return None


def _by_block(left: Term) -> Iterator[Term]:
    """What threads stay by, for each outcome of the conditions in it that only data of the whole block decide."""
    asked = {
        part: None
        for part in subterms(left)
        if part.op in ("lt", "le", "eq", "ne")
        and any(symbol.kind is SymbolKind.LOAD for symbol in part.symbols)
        and uniformity(part) <= Uniformity.BLOCK
    }
    for outcome in (TRUE, FALSE) if asked else ():
        yield replaced(left, dict.fromkeys(asked, outcome))


def _all_stay(left: Term) -> bool:
    """Whether a condition holds for all threads."""
    if left.op == "lor":
        return any(map(_all_stay, left.terms)) or any(negate(part) in left.terms for part in left.terms)
    return left.value == 1


def _shared(value: Term) -> list[Root]:
    """The objects in shared memory that a value is made from."""
    origins = (s.origin for s in sources([value]) if s.kind is SymbolKind.LOAD and isinstance(s.origin, tuple))
    return [root for root, *_ in origins if root.space is Space.SHARED]


def _by_data(walked: Trace, roots: Sequence[Root]) -> bool:
    """Whether data choose where threads write in one of ``roots``: each place may hold what any of them has put in."""
    return any(
        one.writes
        and any(one.root is root for root in roots)
        and SymbolKind.LOAD in {s.kind for s in one.offset.symbols}
        for one in walked.accesses
    )


def _may_be_gone(access: Access, left: Term, shape: Scenario, by_data: bool) -> bool:
    chosen = list(_chosen(access, shape))
    if not chosen or len(chosen) == shape.threads or (len(chosen) > 1 and not by_data):
        return False
    data = any(symbol.kind is SymbolKind.LOAD for symbol in symbols(left))
    return any((any(thread) or data) and _may_fail(left, thread, shape) for thread in chosen)


def _chosen(access: Access, shape: Scenario) -> Iterator[Thread]:
    """The threads of a block that make an access, where nothing but their place in it chooses them."""
    parts = [part for guard in access.guards if guard.kind is not GuardKind.EXIT for part in conjuncts(guard.term)]
    tests = [part for part in parts if any(symbol in THREAD for symbol in symbols(part))]
    sizes = dict(zip(BLOCK_DIM, shape.block, strict=True))
    if not tests or any(s not in THREAD and s not in sizes for part in tests for s in symbols(part)):
        return
    x, y, _ = shape.block
    for number in range(shape.threads):
        thread = (number % x, number // x % y, number // (x * y))
        env: dict[Symbol, int] = {**sizes, **dict(zip(THREAD, thread, strict=True))}
        if all(evaluate(part, env) == 1 for part in tests):
            yield thread


def _may_fail(left: Term, thread: Thread, shape: Scenario) -> bool:
    """Whether a thread may have returned, as far as its place in the block tells."""
    images = {symbol: const(value, symbol.type) for symbol, value in zip(THREAD, thread, strict=True)}
    images |= {symbol: const(value, symbol.type) for symbol, value in zip(BLOCK_DIM, shape.block, strict=True)}
    return bool(substitute(left, images).value != 1)
