"""Arrays of a constant length at places that a test against a number lets reach past their end.

``if (i >= 9 * 9 * 9) return; map->cell[i]`` of a map with ``8 * 8 * 8`` cells: the test says how many threads get
there, and the array that it has no room for them.  ``if (r < 64) gain[r] * gain[r + shift]`` of 64 gains lets the last
one through, and any ``shift`` but 0 leaves the array there: an argument that may be nothing else would be none.
What is told is about places that grow with the grid; those that a block alone makes are asked with its threads.  Of
other places: what data choose, what is clamped to a number (``k < min(n, 64) + 1``: who clamps knows of more), and the
rest of what a loop goes through in tiles as large as the array (``i + j < n`` with i += 64).
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.bounds import grows
from kernlint.analysis.extent.extents import inner_array, numbers_made_up
from kernlint.analysis.extent.told import Told
from kernlint.analysis.extent.truths import Truth, slack_of, truths
from kernlint.analysis.launching.launch_context import LaunchContext, launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, GuardKind, RootKind
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, cast, symbols
from kernlint.tree.types import I64

_MOVING = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.COUNTER})


@dataclass(frozen=True, slots=True, eq=False)
class NumberedEnd:
    """An access to an array of ``room`` elements at a place that ``guard`` lets be ``most``, plus ``more``.  ``left``:
    it is only kept below what is left of a whole that a loop takes ``room`` of in each round."""

    access: Access
    guard: Guard
    most: int
    room: int
    more: Polynomial | None
    left: Polynomial | None = None

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        name, how = self.access.root.name, f"the test before it lets the place be {self.most}"
        if self.left is not None:
            how = f"the loop goes through tiles of {self.room}, and the test before it is of all that is left"
        if self.more is not None:
            how = f"the test lets the last of {self.room} through, and {words(term_of(self.more))} is added to that"
        return Told(
            f"{element(self.access)} is {verb(self.access)} past the end of its array of {self.room} in {name}: {how}"
            if self.access.root.kind is RootKind.PARAM
            else f"{element(self.access)} is {verb(self.access)} past the end of {name}, which has {self.room} "
            f"elements: {how}",
            [Related(self.guard.span, "the test")],
            "as many threads get here as the test lets through" if self.left is None else "there is more than one tile",
            "test the index that is used" if self.more is not None else "test against the length of the array",
        )


def _room(access: Access) -> tuple[Term, int] | None:
    """The place within an array of constant length, in elements, and that length."""
    count = inner_array(access)
    if count is not None and access.index is not None:
        return (cast(access.index, I64), count) if count > 1 else None
    extent, size = access.root.extent, access.size
    if access.root.kind is not RootKind.VARIABLE or access.index is None or not extent or not size:
        return None
    same = polynomial(access.offset) == polynomial(cast(access.index, I64)).scaled(size)
    return (cast(access.index, I64), extent // size) if same and extent % size == 0 else None


def _ends(access: Access, context: LaunchContext) -> NumberedEnd | None:
    found = _room(access)
    if found is None:
        return None
    axes = [axis for axis in range(3) if grows(found[0], axis)]
    place, room = polynomial(found[0]), found[1]
    data = not axes and any(s.kind is SymbolKind.LOAD for s in _in(place))
    moving = {s for s in _in(place) if s.kind in _MOVING or (data and s.kind is SymbolKind.LOAD)}
    ends: list[_End] = []
    for truth in truths(access.guards):
        if truth.guard.kind is GuardKind.AFTER_LOOP or moving.isdisjoint(_in(truth.left)):
            continue
        most = place + truth.left
        if not moving.isdisjoint(_in(most)):
            if moving.isdisjoint(_in(place - truth.left)):
                continue  # about the lower end
            return None  # another test has a say in it
        top = most.coefficients.get((), 0)
        ends.append((top, truth, most - number(top)))
    if not ends or any(_else(guard, moving) for guard in access.guards):
        return None
    if not axes:
        return _off_grid(access, found[0], room, ends)
    top, truth, more = min(ends, key=lambda end: end[0])
    if _launched_short(context, axes, top):
        return None
    if not more.coefficients:
        return NumberedEnd(access, truth.guard, top, room, None) if top >= room else None
    own = set(_in(more))
    given = {s.kind for s in own} == {SymbolKind.PARAM} and all(value > 0 for value in more.coefficients.values())
    if top != room - 1 or not given or any(own & set(symbols(other.term)) for other in access.guards):
        return None
    return NumberedEnd(access, truth.guard, top, room, more)


_End = tuple[int, Truth, Polynomial]
"""(largest place, truth that says so, what of it is no number)"""


def _off_grid(access: Access, place: Term, room: int, ends: list[_End]) -> NumberedEnd | None:
    """A place that data choose, that is clamped, or that is only kept within what is left behind a tile."""
    clamped = [end for end in ends if end[1].part not in conjuncts(end[1].guard.term)]
    plainly = [end for end in ends if end not in clamped]
    if any(more.coefficients for _, _, more in plainly):
        rest = plainly[0][2] + number(plainly[0][0])
        alone = len(ends) == 1 and all(s.kind is SymbolKind.COUNTER for s in _in(polynomial(place)))
        return (
            NumberedEnd(access, ends[0][1].guard, 0, room, None, rest) if alone and _tiles(access, rest, room) else None
        )
    known = [end for end in ends if not end[2].coefficients]
    top, truth, _ = min(known, key=lambda end: end[0]) if known else ends[0]
    many = interval(place)[1]
    data = any(s.kind is SymbolKind.LOAD for s in symbols(place)) and (many is None or many >= room)
    own = {s for _, _, more in clamped for s in _in(more)}
    asked = any(guard is not truth.guard and own & set(symbols(guard.term)) for guard in access.guards)
    itself = polynomial(truth.part.args[0]) == polynomial(place)  # a neighbour may be there by steps of two
    told = itself and bool(known) and top >= room and (data or (not asked and any(truth is end[1] for end in clamped)))
    return NumberedEnd(access, truth.guard, top, room, None) if told else None


def _tiles(access: Access, most: Polynomial, room: int) -> bool:
    """Whether a place is only kept below what is left of what a loop goes through in tiles of ``room``: all but the
    last tile are followed by more."""
    if room == 1:
        return False  # what is left of a triangle, of which one row is all
    steps = {(loop.counter.term,) for loop in access.loops}
    return any(
        truth.guard.kind is GuardKind.LOOP and truth.left == most and -room in map(most.coefficients.get, steps)
        for truth in truths(access.guards)
    )


def _launched_short(context: LaunchContext, axes: list[int], top: int) -> bool:
    """Whether each launch in sight has a constant grid whose threads are no more than fit before ``top``."""
    few = [False]
    for view in context.launches:
        counts = [view.block[axis] for axis in axes]
        grid = [view.fact.grid[axis].value if view.fact.grid is not None else None for axis in axes]
        few.append(any(n is not None and m is not None and n * m <= top for n, m in zip(counts, grid, strict=True)))
    return len(few) > 1 and all(few[1:])


def _in(form: Polynomial) -> list[Symbol]:
    return [s for atom in form.atoms for s in symbols(atom)]


def _else(guard: Guard, moving: set[Symbol]) -> bool:
    """Whether a test that says nothing in sums has a say in a place."""
    if guard.kind is GuardKind.AFTER_LOOP or moving.isdisjoint(symbols(guard.term)):
        return False
    return any(not moving.isdisjoint(symbols(part)) and slack_of(part) is None for part in conjuncts(guard.term))


def _compute(facts: Facts) -> tuple[NumberedEnd, ...]:
    return tuple(_every(facts)) if not numbers_made_up(facts) else ()


def _every(facts: Facts) -> Iterator[NumberedEnd]:
    context = facts[launch_context]
    done: set[object] = set()
    for access in facts[trace].accesses:
        one = _ends(access, context) if access.guards and access.span not in done else None
        if one is None or context.stated:
            continue
        done.add(access.span)
        yield one


numbered_ends = KernelAnalysis("numbered_ends", _compute, needs=(trace, launch_context))
"""Each :class:`NumberedEnd` of a kernel variant, a place in the text once."""
