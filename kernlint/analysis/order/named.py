"""Named barriers (``bar.sync 1, 96``) that wait for another number of threads than come to them.

Both sides of a condition may meet at one, each for itself or both together, but all that come have to name the same
number of threads (PTX ISA, ``bar``).  Where the blocks of all launches are known, so are the threads that come: by
whole warps, as the barrier counts them.  A place to which more come than it waits for lets some go on too early; one
that fewer come to, counting all places that name it, waits for good.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from kernlint.analysis.trace.events import BarrierEvent, GuardKind, Trace
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import BLOCK_DIM, THREAD, Symbol, SymbolKind, Term, Uniformity, negate, symbols
from kernlint.symbolic.uniformity import WARP, uniformity

Block = tuple[int, int, int]

PLACES = 64
"""Named barriers of a kernel that are held against each other."""


@dataclass(frozen=True, slots=True, eq=False)
class Miscounted:
    """A named barrier that waits for ``count`` threads, where ``coming`` come to it; ``other``: where the rest of them
    wait, for as many as come there (None: of the block's threads so many come)."""

    one: BarrierEvent
    count: int
    coming: int
    other: BarrierEvent | None = None


def miscounted(of: Trace, blocks: Sequence[Block], differs: Callable[[Term], bool]) -> Iterator[Miscounted]:
    """The named barriers with numbers that do not fit: with each other, or with each of ``blocks``, where there are
    some.  ``differs``: whether the threads of a block disagree on a truth."""
    named = [barrier for barrier in of.barriers if barrier.named and counted(barrier) is not None]
    told: set[Span] = set()
    for one, other in _uneven(named[:PLACES], differs):
        told.add(one.span)
        yield Miscounted(one, counted(one) or 0, counted(other) or 0, other)
    if told or not blocks or len(named) > PLACES:
        return
    arrivals = [arrival for arrival in of.arrivals if arrival.named]
    numbers = [_value(one.number) for one in (*named, *arrivals)]
    if None in numbers or any(barrier.named and counted(barrier) is None for barrier in (*of.barriers, *arrivals)):
        return  # which of them meet is not known
    for one in named:
        meeting = [other for other in (*named, *arrivals) if _value(other.number) == _value(one.number)]
        found = [_misses(one, meeting, block) for block in blocks]
        coming = found[0]
        if coming is not None and None not in found and one.span not in told:
            told.add(one.span)
            yield Miscounted(one, counted(one) or 0, coming)


def counted(barrier: BarrierEvent) -> int | None:
    """The number of threads that a named barrier waits for."""
    return _value(barrier.count)


def _value(term: Term | None) -> int | None:
    return term.value if term is not None else None


def _misses(one: BarrierEvent, meeting: Sequence[BarrierEvent], block: Block) -> int | None:
    """How many threads come, where that is not the number that the barrier waits for; None where it is, or may be."""
    all_, count = _coming(one, block), counted(one)
    if all_ is None or count is None or not all_:
        return None
    if len(all_) > count:
        return len(all_)
    for other in meeting:
        more = _coming(other, block)
        if more is None:
            return None
        all_ |= more
    return len(all_) if len(all_) < count else None


def _coming(barrier: BarrierEvent, block: Block) -> set[int] | None:
    """The threads of a block that come to a barrier, with the others of their warps; None where that is not known."""
    tests: list[Term] = []
    for guard in barrier.guards:
        found = symbols(guard.term)
        if guard.kind is GuardKind.AFTER_LOOP or uniformity(guard.term) <= Uniformity.BLOCK:
            continue
        if not all(symbol.kind in (SymbolKind.THREAD, SymbolKind.BLOCK_DIM) for symbol in found):
            return None
        tests.append(guard.term)
    x, y, z = block
    env: dict[Symbol, int] = dict(zip(BLOCK_DIM, block, strict=True))
    coming: set[int] = set()
    for n in range(x * y * z):
        env.update({THREAD[0]: n % x, THREAD[1]: n // x % y, THREAD[2]: n // (x * y)})
        truths = [evaluate(test, env) for test in tests]
        if None in truths:
            return None
        if all(truths):
            coming.update(range(n // WARP * WARP, n // WARP * WARP + WARP))
    return coming


def _uneven(
    named: Sequence[BarrierEvent], differs: Callable[[Term], bool]
) -> Iterator[tuple[BarrierEvent, BarrierEvent]]:
    """Named barriers where the two sides of a condition on which the threads of a block disagree are to meet, but wait
    for different numbers of threads."""
    told: set[tuple[Span, ...]] = set()
    for at, one in enumerate(named):
        for other in named[at + 1 :]:
            number, places = _value(one.number), (one.span, other.span, *one.stack, *other.stack)
            apart = next((g.term for g in one.guards if any(negate(g.term) == h.term for h in other.guards)), None)
            if apart is None or one.loops != other.loops or number is None or number != _value(other.number):
                continue
            if not differs(apart) or places in told:
                continue
            sides = [
                {counted(b) for b in named if _value(b.number) == number and any(g.term == term for g in b.guards)}
                for term in (apart, negate(apart))
            ]
            if sides[0].isdisjoint(sides[1]):
                told.add(places)
                yield one, other
