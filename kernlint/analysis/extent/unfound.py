"""Places where a search of a table has ended, which is behind the table where nothing was found.

``while (k < count && key[k] != wanted) ++k; hits[k]++;`` ends at ``count`` if no element is the one that is looked for.
That the array has no more than ``count`` elements is said by its allocation, by another access that is kept below that,
or by the search, which has gone through it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.places import Place, Places, chosen, places
from kernlint.analysis.extent.told import Told
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.launching.launch_context import LaunchContext, launch_context
from kernlint.analysis.trace.events import Access, GuardKind, LoopContext
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, negate, substitute, symbols

_AFTER = frozenset({SymbolKind.TRIPS, SymbolKind.PHI, SymbolKind.EXIT, SymbolKind.UNKNOWN})


@dataclass(frozen=True, slots=True, eq=False)
class Unfound:
    """An ``access`` at the place where a ``search`` of ``count`` elements has ended; ``why``: what says that there are
    no more."""

    access: Access
    search: LoopContext
    count: Polynomial
    why: str

    @property
    def told(self) -> Told:
        """What to say."""
        count = words(term_of(self.count))
        return Told(
            f"{element(self.access)} is {verb(self.access)} where a search has ended, which is {count}, one element "
            f"beyond the end, if nothing was found: {self.why}",
            [Related(self.search.condition_span or self.search.span, "the search ends here")],
            "the search may find nothing, as its test against the end says",
            f"use the place only where it is below {count}",
        )


def _search(symbol: Symbol) -> tuple[LoopContext, Polynomial, Polynomial] | None:
    """(the loop, where it looks in its last round, how many elements it looks through) of a search for an equal
    element; the place is in terms of the number of rounds."""
    loop = symbol.origin
    if not isinstance(loop, LoopContext) or symbol is not loop.trips or loop.condition is None or loop.post_tested:
        return None
    if loop.leaves or loop.returns or loop.doubtful:
        return None
    parts = conjuncts(loop.condition)
    ends = [(part, slack) for part in parts if (slack := slack_of(part)) is not None and _bounds(part, loop.counter)]
    goals = [negate(part) for part in parts if not _bounds(part, loop.counter)] + [term for term, _ in loop.exits]
    if len(ends) != 1 or len(goals) != 1 or not _equals(goals[0]):
        return None
    part, (_, strict) = ends[0]
    count = polynomial(part.args[1]) + number(1 - strict)
    place = polynomial(substitute(part.args[0], {loop.counter: symbol.term}))
    return loop, place, count


def _bounds(part: Term, counter: Symbol) -> bool:
    """Whether a condition compares what counts in a loop with an argument."""
    return part.op in ("lt", "le") and counter in symbols(part.args[0]) and chosen(part.args[1])


def _equals(goal: Term) -> bool:
    """Whether a condition is that what memory holds equals something."""
    if goal.op in ("land", "lor"):
        return all(map(_equals, goal.terms))
    return goal.op == "eq" and any(symbol.kind is SymbolKind.LOAD for symbol in symbols(goal))


def _asked(access: Access, loop: LoopContext) -> bool:
    """Whether a test behind the search speaks of what has come of it."""
    for guard in access.guards:
        over = guard.kind is GuardKind.AFTER_LOOP and guard.loop is loop
        if not over and any(s.kind in _AFTER for s in symbols(guard.term)):
            return True
    return False


def _why(
    place: Place, beyond: int, search: LoopContext, count: Polynomial, facts: Facts, every: Iterable[Place]
) -> str:
    """What says that an array has ``count`` elements; empty where nothing does."""
    if beyond == 0:
        for other in every:
            if other.access.root is not place.access.root or other.pitch != place.pitch:
                continue
            if search in other.access.loops and other.bound == count:
                return "the search goes through this array"
            if other.bound == count and other.access is not place.access:
                return "another access is kept below that"
    context: LaunchContext = facts[launch_context]
    for view in context.launches:
        extent, images = dict(view.fact.extents).get(place.access.root.name), dict(view.images)
        size = place.access.root.element.size
        if extent is None or not size:
            continue
        rows = (count + number(beyond)) * place.pitch * number(size)
        if polynomial(substitute(term_of(rows), images)) == polynomial(extent):
            return "so many are allocated"
    return ""


def _of(facts: Facts) -> Iterator[Unfound]:
    found: Places = facts[places]
    every: list[Place] = []
    for access, mine in found.items():
        ended = [s for s in symbols(access.offset) if s.kind is SymbolKind.TRIPS]
        search = _search(ended[0]) if len(ended) == 1 else None
        if search is None or _asked(access, search[0]):
            continue
        loop, last, count = search
        every = every or [place for one in found.values() for place in one]
        for place in mine:
            beyond = (place.index - last).constant
            why = _why(place, beyond, loop, count, facts, every) if beyond is not None and beyond >= 0 else ""
            if why:
                yield Unfound(access, loop, count, why)
                break


def _compute(facts: Facts) -> tuple[Unfound, ...]:
    told: dict[tuple[object, int], Unfound] = {}
    for one in _of(facts):
        told.setdefault((one.access.root, id(one.search)), one)
    return tuple(told.values())


unfound = KernelAnalysis("unfound", _compute, needs=(places, launch_context))
"""An :class:`Unfound` for each array and search of a kernel variant, in order of the walk."""
