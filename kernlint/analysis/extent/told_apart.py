"""States that a kernel's own tests tell apart, in which an access that is made all the same leaves its array.

``if (top > SIZE - 2) ++lost; stack[top] = ...; stack[top + 1] = ...;`` knows of a full stack, and stores behind it:
where the test holds, the place is past the end, and no condition of the access fails then.  So it is with a place for
which the kernel has a mark of its own: ``cell = inside ? y : -1`` is asked for nowhere before ``map[cell * width]``,
and with the ends of a run that ``if (begin == end) ++empty;`` finds to have none.

What is compared are sums: the place, or the last one of a loop, less the size, is what the test says to be positive, or
more.  Silent where another condition speaks of the same numbers in a way that is not plain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.before_start import moved, shifted
from kernlint.analysis.extent.bounds import mentions
from kernlint.analysis.extent.extents import numbers_made_up
from kernlint.analysis.extent.full_counts import place_in_row
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.pushed import last_of_run
from kernlint.analysis.extent.told import Told
from kernlint.analysis.extent.truths import slack_of, truths
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, ConditionEvent, LoopContext, Root, RootKind, Trace
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, const, negate, plain, subterms, symbols, with_parts
from kernlint.tree.types import BOOL

_FROM_DATA = frozenset({SymbolKind.LOAD, SymbolKind.PHI, SymbolKind.UNKNOWN})
_CHANGING = frozenset({*_FROM_DATA, SymbolKind.PARAM})
_ROUNDS = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.COUNTER})

TESTS = 64
"""Conditions of a kernel that are looked at."""

LOWEST = -(1 << 16)
"""The least number that is taken for a mark."""


@dataclass(frozen=True, slots=True, eq=False)
class ToldApart:
    """An access that is outside (``below`` the start, or past the last of ``room`` elements) in a state that a test
    tells apart (None: its place is not known).  ``mark``: the number that the index is made of then.
    ``empty``: it is an element of a run that has none.
    ``clamped``: the number that the loop at ``test`` goes as far as, and another one does not.
    ``between``: the mark is left of a search for the interval that a number lies in, which it does between the ends."""

    access: Access
    below: bool
    room: int | None
    test: Span | None
    mark: int | None = None
    empty: bool = False
    clamped: str = ""
    between: bool = False

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        what = f"{element(self.access)} is {verb(self.access)}"
        end = "before the start" if self.below else f"past the last of {self.room} elements"
        related = [Related(self.test, "the test")] if self.test is not None else []
        if self.mark is not None:
            return Told(
                f"{what} {end} of {self.access.root.name} where a coordinate in the index is {self.mark}, which the "
                "kernel itself makes it where a test of data says so, and nothing asks here",
                related,
                "the data make the test hold",
                f"test that the coordinate is not {self.mark}",
                habit="own marks",
                soft=self.between,
            )
        if self.empty:
            return Told(
                f"{what} where the run that it is the {'last' if self.below else 'first'} element of has none: a test "
                "tells such runs apart, and does not keep them from here",
                related,
                "there are empty runs, as the test says, and one of them is the first or the last",
                "leave the access out where the run is empty",
            )
        if self.clamped:
            return Told(
                f"{what} as far as {self.clamped} says, past the {self.room} elements of {self.access.root.name}: "
                "another loop holds the same number down to that, and this one does not",
                related,
                f"{self.clamped} is as large as the other loop allows for",
                f"hold {self.clamped} down to {self.room} here too",
            )
        return Told(
            f"{what} {end} of {self.access.root.name} where a test before it holds, which does not keep threads from "
            "here",
            related,
            "the state is reached that the kernel looks for",
            "leave the access out where the test says so",
        )


def _positive(part: Term) -> Polynomial | None:
    """What a comparison says is not negative, where it is about numbers that data or arguments change, and those
    alone."""
    slack = slack_of(part)
    if slack is None:
        return None
    kinds = {symbol.kind for atom in slack[0].atoms for symbol in symbols(atom)}
    return slack[0] - number(slack[1]) if kinds and kinds <= _CHANGING else None


def _least(form: Polynomial) -> int | None:
    """The least value of a sum of a number and of rounds and threads."""
    for mono, value in form.coefficients.items():
        if mono and (value < 0 or any(a.symbol is None or a.symbol.kind not in _ROUNDS for a in mono)):
            return None
    return form.coefficients.get((), 0)


def _outside(place: Polynomial, room: int, known: Polynomial) -> bool | None:
    """Whether a place is before the start wherever ``known`` is not negative (True), or past the end (False)."""
    past = _least(place - number(room) - known)
    if past is not None and past >= 0:
        return False
    before = (number(-1) - place - known).constant
    return True if before is not None and before >= 0 else None


def _kept_out(access: Access, known: Polynomial) -> bool:
    """Whether a condition of an access fails where ``known`` is not negative, or may: it limits the same numbers."""
    mine = {symbol for atom in known.atoms for symbol in symbols(atom)}
    said = [truth for truth in truths(access.guards) if mine & _of(truth.left)]
    plainly = {truth.part for truth in said}
    for truth in said:
        total = (truth.left + known).constant
        if total is not None and total < 0:
            return True
        if total is None and any(
            value * known.coefficients.get(mono, 0) < 0 for mono, value in truth.left.coefficients.items() if mono
        ):
            return True
        if any(mine & set(symbols(atom)) and atom not in known.atoms for atom in truth.left.atoms):
            return True
    parts = (part for guard in access.guards for part in conjuncts(guard.term) if part not in plainly)
    return any(mine & set(symbols(part)) and not _apart(part, known) for part in parts)


def _apart(part: Term, known: Polynomial) -> bool:
    """Whether a truth that two numbers differ follows: one is the larger wherever ``known`` is not negative."""
    if part.op != "ne":
        return False
    apart = polynomial(part.args[0]) - polynomial(part.args[1])
    return any((least := (one - known).constant) is not None and least > 0 for one in (apart, number(0) - apart))


def _of(form: Polynomial) -> set[Symbol]:
    return {symbol for atom in form.atoms for symbol in symbols(atom)}


def _always_before(test: ConditionEvent, access: Access) -> bool:
    """Whether a condition is tested in the same round before an access, whenever that is made."""
    if test.order >= access.order or test.loops != access.loops[: len(test.loops)]:
        return False
    mine = {guard.term for guard in access.guards}
    return all(guard.term in mine for guard in test.guards)


def _places(access: Access) -> Iterator[tuple[Polynomial, int]]:
    """The place of an access in an array, or row, of a constant number of elements, and the last one of its loop."""
    found = place_in_row(access)
    if found is None or found[1] < 2:
        return
    yield found
    moves = bool(access.loops) and access.loops[-1].counter in _of(found[0])
    last = last_of_run(access, found[0]) if moves else None
    if last is not None:
        yield last, found[1]


def _tested(access: Access, states: Sequence[tuple[ConditionEvent, Polynomial]]) -> ToldApart | None:
    for place, room in _places(access):
        mine = _of(place)
        for test, known in states:
            if not mine & _of(known):
                continue
            below = _outside(place, room, known)
            if below is not None and _always_before(test, access) and not _kept_out(access, known):
                return ToldApart(access, below, room, test.span)
    return None


def _states(of: Trace) -> list[tuple[ConditionEvent, Polynomial]]:
    found = []
    for test in of.conditions[:TESTS]:
        for truth in (test.term, negate(test.term)):
            for part in conjuncts(truth):
                known = _positive(part)
                if known is not None:
                    found.append((test, known))
    return found


def _clamps(of: Trace) -> dict[Symbol, int]:
    """The numbers from memory, and arguments, that conditions of loops hold down to a constant, each with the least."""
    found: dict[Symbol, int] = {}
    for loop in of.loops:
        for part in subterms(loop.condition) if loop.condition is not None else ():
            for one, limit in (part.args, part.args[::-1]) if part.op == "min" and len(part.args) == 2 else ():
                symbol = plain(one).symbol
                if symbol is not None and symbol.kind in (SymbolKind.LOAD, SymbolKind.PARAM) and (limit.value or 0) > 1:
                    found[symbol] = min(limit.value, found.get(symbol, limit.value))
    return found


def _unclamped(access: Access, clamps: dict[Symbol, int]) -> ToldApart | None:
    """An access as far as a number says that another loop holds down to the room."""
    for place, room in _places(access) if access.loops else ():
        for symbol in _of(place) & clamps.keys():
            if clamps[symbol] != room:
                continue
            known = polynomial(symbol.term) - number(room + 1)
            if _outside(place, room, known) is False and not _kept_out(access, known):
                at = next(loop for loop in access.loops if loop.condition_span is not None)
                return ToldApart(access, False, room, at.condition_span, clamped=symbol.name)
    return None


def _ends_of(test: ConditionEvent) -> tuple[Symbol, Symbol] | None:
    """(begin, end) of a run that a test asks to be empty: two numbers that stand beside each other in memory."""
    for truth in (test.term, negate(test.term)):
        for part in conjuncts(truth) if truth.op in ("eq", "land") else ():
            ends = [plain(side).symbol for side in part.args] if part.op == "eq" else []
            for begin, end in (ends, ends[::-1]) if len(ends) == 2 else ():
                if begin is None or end is None or not begin.kind is end.kind is SymbolKind.LOAD:
                    continue
                if not isinstance(begin.origin, tuple) or not isinstance(end.origin, tuple):
                    continue
                root, size = begin.origin[0], begin.origin[0].element.size
                apart = polynomial(end.origin[1]) - polynomial(begin.origin[1])
                if root is end.origin[0] and size and apart.constant == size:
                    return begin, end
    return None


def _of_empty(access: Access, empty: Sequence[tuple[ConditionEvent, Symbol, Symbol]]) -> ToldApart | None:
    """The first or the last element of a run that a test before has found to be empty, and has left it at that."""
    found = elements(access) if empty and access.root.kind is RootKind.PARAM else None
    for test, begin, end in empty if found is not None and not found[1] else ():
        first, last = polynomial(begin.term), polynomial(end.term) - number(1)
        if found is None or found[0] not in (first, last) or not _always_before(test, access):
            continue
        if not any(symbol in (begin, end) for guard in access.guards for symbol in symbols(guard.term)):
            return ToldApart(access, found[0] == last, None, test.span, empty=True)
    return None


def _marked(term: Term, picks: dict[Term, bool], marks: set[int]) -> None:
    """The choices in an index that data make, one way of which is a negative number: that way."""
    if term.op == "select":
        cond, then, other = term.args
        for arm, way in ((then, True), (other, False)):
            value = plain(arm).value
            if isinstance(value, int) and LOWEST < value < 0 and mentions(cond, SymbolKind.LOAD):
                picks[cond] = way
                marks.add(value)
                return
    for part in term.terms:
        _marked(part, picks, marks)


def _as_picked(term: Term, picks: dict[Term, bool]) -> Term:
    """A term with choices made."""
    way = picks.get(term)
    if way is not None:
        return const(int(way), BOOL)
    if term.op == "select" and term.args[0] in picks:
        return _as_picked(term.args[1] if picks[term.args[0]] else term.args[2], picks)
    return with_parts(term, [_as_picked(part, picks) for part in term.terms])


def _negative(form: Polynomial) -> bool:
    """Whether a place is before the start for the first threads at least."""
    back = False
    for mono, value in form.coefficients.items():
        kinds = {symbol.kind for atom in mono for symbol in symbols(atom)}
        if value < 0 and kinds <= {SymbolKind.PARAM, SymbolKind.TEMPLATE}:
            back = True
        elif value < 0 or (mono and not kinds & _ROUNDS) or not mono:
            return False
    return back


def _at_mark(access: Access, tests: dict[Term, Span]) -> ToldApart | None:
    if not any(part.op == "select" for part in subterms(access.offset)):
        return None
    picks: dict[Term, bool] = {}
    marks: set[int] = set()
    found = elements(access)
    for atom in found[0].atoms if found is not None else ():
        _marked(atom, picks, marks)
    if found is None or len(marks) != 1:
        return None
    every = picks | {negate(cond): not way for cond, way in picks.items()}
    if len(every) != 2 * len(picks):
        return None
    total = number(0)
    for mono, value in found[0].coefficients.items():
        part = number(value)
        for atom in mono:
            part = part * polynomial(_as_picked(atom, every))
        total = total + part
    if not _negative(total):
        return None
    asked = {symbol for cond in picks for symbol in symbols(cond) if symbol.kind in _FROM_DATA}
    for guard in access.guards:
        for said in conjuncts(guard.term):
            if asked & set(symbols(said)):
                return None
    test = next((tests[cond] for cond in every if cond in tests), None)
    return ToldApart(access, True, None, test, next(iter(marks)), between=any(map(_interval, picks)))


def _interval(cond: Term) -> bool:
    """Whether a choice rests on a search that is over where ``start[m] <= x && x < start[m + 1]``: of numbers in order
    that begin with the least and end with the largest, there is such a one, while none need be equal."""
    for symbol in symbols(cond):
        loop = symbol.origin
        for goal, _ in loop.returns if symbol.kind is SymbolKind.PHI and isinstance(loop, LoopContext) else ():
            compared = [part for part in subterms(goal) if part.op in ("eq", "ne", "lt", "le")]
            from_data = [part.op for part in compared if mentions(part, SymbolKind.LOAD)]
            if len(from_data) > 1 and set(from_data) <= {"lt", "le"}:
                return True
    return False


def _compute(facts: Facts) -> tuple[ToldApart, ...]:
    of = facts[trace]
    if numbers_made_up(facts):
        return ()
    context = facts[launch_context]
    found: dict[Root, ToldApart] = {}
    states = [] if of.calls else _states(of)
    held = _clamps(of)
    tests = {test.term: test.span for test in of.conditions}
    runs = [(test, *ends) for test in of.conditions[:TESTS] if not of.calls and (ends := _ends_of(test)) is not None]
    for access in of.accesses:
        root = access.root
        if root in found or root.kind in (RootKind.UNKNOWN, RootKind.IMAGE) or access.doubted:
            continue
        one = _tested(access, states) if states and root.kind is RootKind.VARIABLE else None
        if one is None and not shifted(context, access) and not any(moved(context, axis) for axis in range(3)):
            one = _at_mark(access, tests)
        one = one or _of_empty(access, runs)
        if one is None and held and root.kind is RootKind.VARIABLE:
            one = _unclamped(access, held)
        if one is not None:
            found[root] = one
    return tuple(found.values())


told_apart = KernelAnalysis("told_apart", _compute, needs=(trace, launch_context))
"""The first :class:`ToldApart` access to each array of a kernel variant that has one, in order of the walk."""
