"""Elements behind the last one of a list in shared memory, by the count that is left there for the block.

``list[next++] = x`` leaves ``next`` one past the last element, and so does ``list[atomicAdd(&count, 1)] = x``.  Threads
that go as far as ``k <= count`` read an element that nobody has set and which, where the list is full, is not there.
Silent where anything else stores to the list behind its first elements, or to the count but numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.extent.counts import is_slot
from kernlint.analysis.extent.pushed import element_of, limits, most
from kernlint.analysis.extent.told import Told
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Guard, Root, RootKind
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import SymbolKind, Term, plain, symbols
from kernlint.tree.types import Space


@dataclass(frozen=True, slots=True, eq=False)
class BehindCount:
    """A read of the element behind those that ``fill`` has stored, as ``guard`` lets it; ``count``: what leaves their
    number in memory."""

    access: Access
    fill: Access
    count: Access
    guard: Guard

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        return Told(
            f"{element(self.access)} is {verb(self.access)} up to one element beyond those that are filled: the test "
            "lets the count itself through",
            [
                Related(self.fill.span, "here the elements are filled"),
                Related(self.count.span, "here the count goes one beyond the last of them"),
            ],
            "nothing sets the element at the count",
            "go on while the index is less than the count",
        )


Lists = dict[Root, list[Access]]


def _lists(facts: Facts) -> Lists:
    found: Lists = {}
    of = facts[trace]
    for access in () if of.calls else of.accesses:
        root = access.root
        if root.kind is RootKind.VARIABLE and root.space is Space.SHARED and not root.path:
            found.setdefault(root, []).append(access)
    return found


def _fill(group: Sequence[Access]) -> tuple[Access, Polynomial] | None:
    """The one store to a list but to its first elements, and its place."""
    found: list[tuple[Access, Polynomial]] = []
    first = 0
    for one in group:
        place = element_of(one) if one.writes else None
        if one.writes and (place is None or one.kind is not AccessKind.WRITE):
            return None
        if place is not None and place.constant is not None:
            first = max(first, place.constant + 1)
        elif place is not None:
            found.append((one, place))
    if len(found) != 1 or found[0][1].coefficients.get((), 0) < first:
        return None
    return found[0]


def _count(fill: Access, place: Polynomial, lists: Lists) -> Access | None:
    """What leaves in a cell of shared memory the number of the place behind the last one that ``fill`` stores at."""
    begin = place.coefficients.get((), 0)
    ((mono, times), *more) = (place - number(begin)).coefficients.items()
    symbol = mono[0].symbol if len(mono) == 1 and times == 1 and not more else None
    if symbol is None:
        return None
    if is_slot(symbol):
        counters = (one for group in lists.values() for one in group if one.node is symbol.origin)
        counter = next(counters, None)
        return counter if begin == 0 and counter is not None and _alone(counter, lists) else None
    loop = fill.loops[-1] if fill.loops else None
    if loop is None or loop.counter is not symbol or loop.post_tested or loop.left_by or loop.parent is not None:
        return None
    behind = polynomial(loop.trips.term) + number(begin)
    for group in lists.values():
        for one in group:
            if one.kind is AccessKind.WRITE and one.value is not None and polynomial(one.value) == behind:
                return one if _alone(one, lists) else None
    return None


def _alone(count: Access, lists: Lists) -> bool:
    """Whether nothing else changes what is counted but stores of 0."""
    changed = (one for one in lists[count.root] if one.writes and one is not count)
    return count.offset.value is not None and all(one.value is not None and one.value.value == 0 for one in changed)


def _reads(group: Sequence[Access], count: Access) -> Iterator[tuple[Access, Guard]]:
    for access in group:
        place = element_of(access) if access.kind is AccessKind.READ else None
        mine = {s for atom in place.atoms for s in symbols(atom)} if place is not None else set()
        ends: list[tuple[int, Guard]] = []
        for left, guard in limits(access) if place is not None else ():
            if place is None or not mine & {s for atom in left.atoms for s in symbols(atom)}:
                continue
            last = most(place + left, access.loops)
            beyond = _beyond(last, count) if last is not None else None
            if beyond is None:
                break  # something else may keep it inside
            ends.append((beyond, guard))
        else:
            guards = [guard for _, guard in ends]
            asked = any(mine & set(symbols(guard.term)) and guard not in guards for guard in access.guards)
            if ends and not asked and min(beyond for beyond, _ in ends) == 0:
                yield access, min(ends, key=lambda one: one[0])[1]


def _beyond(last: Polynomial, count: Access) -> int | None:
    """How far the last place is behind the count."""
    beyond = last.coefficients.get((), 0)
    form = (last - number(beyond)).coefficients
    (mono, times) = next(iter(form.items()), ((), 0))
    atom: Term | None = plain(mono[0]) if len(form) == 1 and len(mono) == 1 and times == 1 else None
    symbol = atom.symbol if atom is not None else None
    if symbol is None or symbol.kind is not SymbolKind.LOAD or not isinstance(symbol.origin, tuple):
        return None
    return beyond if symbol.origin[0] is count.root and symbol.origin[1] == count.offset else None


def _compute(facts: Facts) -> tuple[BehindCount, ...]:
    lists, out = _lists(facts), []
    for group in lists.values():
        fill = _fill(group)
        count = _count(*fill, lists) if fill is not None else None
        if fill is None or count is None or count.root is fill[0].root:
            continue
        found = next(_reads(group, count), None)
        if found is not None:
            out.append(BehindCount(found[0], fill[0], count, found[1]))
    return tuple(out)


left_counts = KernelAnalysis("left_counts", _compute, needs=(trace,))
"""A :class:`BehindCount` for each list of a kernel variant that has one."""
