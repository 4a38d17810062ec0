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
    beyond: int = 0

    @property
    def told(self) -> Told:
        """What to say."""
        count = words(term_of(self.count))
        if self.beyond:
            end = words(term_of(self.count + number(self.beyond)))
            return Told(
                f"{element(self.access)} is {verb(self.access)} beside the place where a search has ended, which is "
                f"{end}, one beyond the end, if nothing has stopped it: {self.why}",
                [Related(self.search.condition_span or self.search.span, "the search ends here")],
                "the search may go through all elements, as its test against the end says",
                f"use the place only where it is below {count}",
            )
        return Told(
            f"{element(self.access)} is {verb(self.access)} where a search has ended, which is {count}, one element "
            f"beyond the end, if nothing was found: {self.why}",
            [Related(self.search.condition_span or self.search.span, "the search ends here")],
            "the search may find nothing, as its test against the end says",
            f"use the place only where it is below {count}",
        )


def _search(symbol: Symbol) -> tuple[LoopContext, Polynomial, Polynomial, bool] | None:
    """(the loop, where it looks in its last round, how many elements it looks through, whether for an equal element) of
    a search for what memory holds; the place is in terms of the number of rounds."""
    loop = symbol.origin
    if not isinstance(loop, LoopContext) or symbol is not loop.trips or loop.condition is None or loop.post_tested:
        return None
    if loop.leaves or loop.returns or loop.doubtful:
        return None
    parts = conjuncts(loop.condition)
    ends = [(part, slack) for part in parts if (slack := slack_of(part)) is not None and _bounds(part, loop.counter)]
    goals = [negate(part) for part in parts if not _bounds(part, loop.counter)] + [term for term, _ in loop.exits]
    if len(ends) != 1 or not goals or not all(any(s.kind is SymbolKind.LOAD for s in symbols(goal)) for goal in goals):
        return None
    part, (_, strict) = ends[0]
    count = polynomial(part.args[1]) + number(1 - strict)
    place = polynomial(substitute(part.args[0], {loop.counter: symbol.term}))
    return loop, place, count, len(goals) == 1 and _equals(goals[0])


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
        over = (guard.kind is GuardKind.AFTER_LOOP and guard.loop is loop) or guard.kind is GuardKind.LOOP
        if not over and any(s.kind in _AFTER for s in symbols(guard.term)):
            return True
    return False


def _asked_before(access: Access, loop: LoopContext) -> bool:
    """Whether something is asked beforehand of what the search goes through."""
    parts = conjuncts(loop.condition) if loop.condition is not None else ()
    goals = [*loop.left_by, *(part for part in parts if not _bounds(part, loop.counter))]
    roots = {s.origin[0] for term in goals for s in symbols(term) if isinstance(s.origin, tuple)}
    held = (s.origin for guard in access.guards if guard.kind is not GuardKind.AFTER_LOOP for s in symbols(guard.term))
    return any(isinstance(origin, tuple) and origin[0] in roots for origin in held)


def _ended(access: Access, index: Polynomial) -> Polynomial:
    """An index in the last round of a loop that goes on to where an earlier one has ended."""
    for loop in access.loops:
        slack = slack_of(loop.condition) if loop.condition is not None and not loop.ends[:-1] else None
        if slack is None or (loop.counter.term,) not in index.coefficients:
            continue
        last = slack[0] - number(slack[1]) + polynomial(loop.counter.term)
        if loop.counter.term not in last.atoms and any(
            s.kind is SymbolKind.TRIPS for a in last.atoms for s in symbols(a)
        ):
            index = index + (last - polynomial(loop.counter.term)).scaled(index.coefficients[loop.counter.term,])
    return index


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
        for place in mine:
            last = _ended(access, place.index)
            ended = [s for atom in last.atoms for s in symbols(atom) if s.kind is SymbolKind.TRIPS]
            search = _search(ended[0]) if len(ended) == 1 else None
            if search is None or _asked(access, search[0]):
                continue
            loop, at, count, equal = search
            every = every or [place for one in found.values() for place in one]
            beyond = (last - at).constant
            if beyond is None or beyond < 0 or (not equal and (not beyond or _asked_before(access, loop))):
                continue
            why = _why(place, beyond, loop, count, facts, every)
            if why:
                yield Unfound(access, loop, count, why, 0 if equal else beyond)
                break


def _compute(facts: Facts) -> tuple[Unfound, ...]:
    told: dict[tuple[object, int], Unfound] = {}
    for one in _of(facts):
        told.setdefault((one.access.root, id(one.search)), one)
    return tuple(told.values())


unfound = KernelAnalysis("unfound", _compute, needs=(places, launch_context))
"""An :class:`Unfound` for each array and search of a kernel variant, in order of the walk."""
