"""Accesses whose index gets past an extent that another use in sight implies.

An extent is believed on the word of at least one *other* use: another access that is kept below it, the rows that it
makes of the array, the launch.  How the access came to miss it (no test, a test that comes later, a test of the loop's
variable or of another array's size) is a way to say so.  Each is put to the prover: there has to be a thread.

``SIBLING``  the same index is kept below the size elsewhere: in the same array, or for all that the kernel writes
``TAIL``     a loop in whole steps tests its variable; the index made of it, or the number of the item within the round,
             is tested elsewhere, and not here
``FOREIGN``  the index is tested against the rows of an array that it does not index, not against its own
``SHAPE``    the array carries its extents (numba's do), and the test against one of them lets more through than it
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from enum import Enum

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.accessors import extent_along, missed_extent
from kernlint.analysis.extent.asking import Past, asked
from kernlint.analysis.extent.bounds import grows
from kernlint.analysis.extent.coordinates import Rows
from kernlint.analysis.extent.drawn import drawn
from kernlint.analysis.extent.limits import Limit, counter_ranges
from kernlint.analysis.extent.places import Place, Places, chosen, moves, places
from kernlint.analysis.extent.rounds import IN_ROUND, Rounds, rounds_of
from kernlint.analysis.extent.siblings import Siblings, computed, of_arguments
from kernlint.analysis.extent.truths import Truth, truths
from kernlint.analysis.launching.launch_context import LaunchContext, launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, GuardKind, LoopContext
from kernlint.prove.query import Refuted
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, cast, symbols
from kernlint.tree.nodes import ParamDecl
from kernlint.tree.types import I64

FEW = 3
"""Launches in sight that are looked at."""


class How(Enum):
    """How an access comes to miss the extent."""

    SIBLING = "sibling"
    TAIL = "tail"
    FOREIGN = "foreign"
    SHAPE = "shape"


@dataclass(frozen=True, slots=True, eq=False)
class Overrun:
    """An access with an index (``place``) that reaches ``size``.

    ``support``: the access that implies the size; ``guard``: its test (FOREIGN, SHAPE: the wrong one); ``late``: that
    comes after the access.  ``witness``: a thread for which it is so, with the index in place of the offset.
    """

    how: How
    place: Place
    size: Polynomial
    support: Access
    guard: Guard
    late: bool
    past: Past
    witness: Refuted

    @property
    def access(self) -> Access:
        """The access itself."""
        return self.place.access


class _Kernel:
    """The places of a kernel, and what is asked of each."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.found: Places = facts[places]
        self.all = [place for found in self.found.values() for place in found]
        self.context: LaunchContext = facts[launch_context]
        self.siblings = Siblings(self.all, self.context)

    def run(self) -> Iterator[Overrun]:
        done: set[Access] = set()
        for place in self.all:
            if place.access in done or computed(place.access, self.facts.kernel, self.context):
                continue
            for how, size, other, limit in self._reasons(place):
                at = other if other.access is place.access else place
                data = not of_arguments(size) or (how is How.SIBLING and at is not place)
                found = self._reached(at, size, data, patient=data and how is How.TAIL)
                if found is not None:
                    late = limit.guard.kind is not GuardKind.LOOP and self._after(limit.guard, place.access)
                    done.add(place.access)
                    yield Overrun(how, at, size, other.access, limit.guard, late, *found)
                    break
        for place, size, support, limit in () if self.context.all_exact else Rows(self.facts[trace].accesses).missed():
            void = place.access in done or inside_own(place.access, size, place)
            found = None if void else self._reached(place, size, False, patient=True)
            if found is not None:
                done.add(place.access)
                late = limit.guard.kind is not GuardKind.LOOP and self._after(limit.guard, place.access)
                yield Overrun(How.SIBLING, place, size, support, limit.guard, late, *found)

    def _reasons(self, place: Place) -> Iterator[tuple[How, Polynomial, Place, Limit]]:
        yield from shaped(place, len(self.found[place.access]) == 1)
        if not self.context.all_exact:
            for size, other, limit in self.siblings.of(place):
                if not inside_own(place.access, size, place):
                    yield How.SIBLING, size, other, limit
            yield from self._tail(place)
            yield from self._foreign(place)
        for size, slot, limit in self._drawn(place.access):
            yield How.SIBLING, size, slot, limit

    def _reached(
        self, place: Place, size: Polynomial, data: bool, patient: bool = False
    ) -> tuple[Past, Refuted] | None:
        """A thread whose index reaches the size; under one of the launches in sight where there are several.  ``data``:
        for some contents of memory, which the size is read from; ``patient``: as of
        :func:`~kernlint.analysis.extent.asking.asked`."""
        several = len(self.context.launches) > 1 and not self.context.stated
        for view in self.context.launches[:FEW] if several else (None,):
            past = Past(place.access, cast(term_of(place.index), I64), term_of(size), view)
            answer = asked(past, self.facts, data, patient)
            if isinstance(answer, Refuted):
                return past, answer
        return None

    def _drawn(self, access: Access) -> Iterator[tuple[Polynomial, Place, Limit]]:
        of = self.facts[trace]
        return drawn(access, of.conditions, of.accesses)

    def _after(self, guard: Guard, access: Access) -> bool:
        """Whether a test is made for the first time when an access has been made."""
        orders = [test.order for test in self.facts[trace].conditions if test.span == guard.span]
        return bool(orders) and min(orders) > access.order

    # ---------------------------------------------------------------------------------------------------- tails

    def _tail(self, place: Place) -> Iterator[tuple[How, Polynomial, Place, Limit]]:
        if place.limits:
            return
        yield from self._grouped(place)
        # Tests that keep another dimension of the access below its size say nothing of this one.
        others = [one for one in self.found[place.access] if one is not place]
        apart = {limit.part for one in others for limit in one.limits}
        for loop in place.access.loops:
            found = rounds_of(place, loop)
            if found is None:
                continue
            size = number(found.times) * found.count
            if not of_arguments(size) or not _only_loop(place, loop, apart):
                continue
            for other in self.all:
                if other.access is place.access or loop not in other.access.loops or other.bound != size:
                    continue
                if found.of(other.index):
                    yield How.TAIL, size, other, other.limits[0]
                    return
            support = None if self._allocated(place.access) else self._part_tested(place.access, loop, found)
            if support is not None:
                access, guard, part = support
                yield How.TAIL, size, Place(access, place.index, place.pitch, None, (), 0), Limit(size, guard, part)
                return

    def _grouped(self, place: Place) -> Iterator[tuple[How, Polynomial, Place, Limit]]:
        """The end of a range that memory says, where the first of a group of elements is tested against it, and another
        access goes through the same range one by one: nothing says that it is whole groups."""
        own, inner = place.access, place.access.loops[-1] if place.access.loops else None
        last = counter_ranges(own).get(inner.counter, (0, 0))[1] if inner is not None else 0
        if inner is None or not 0 < last <= GROUP or own.size != own.root.element.size:
            return
        lane = Polynomial({(inner.counter.term,): 1})
        first = place.index - lane
        if inner.counter.term in first.atoms or any(
            inner.counter.term in one.left.atoms for one in _tests(own) if one.guard.loop is not inner
        ):
            return
        for truth in _tests(own):
            size = truth.left + first + number(1)
            kinds = {s.kind for atom in size.atoms for s in symbols(atom) if moves(atom)}
            if place.pitch != number(1) or kinds != {SymbolKind.LOAD} or not _whole_steps(first, last + 1):
                continue
            for access in self.facts[trace].accesses:
                shared = [loop for loop in own.loops if loop in access.loops]
                rest = _without_items(truth.left, shared)
                for test in truths(access.guards) if truth.guard not in access.guards else ():
                    if _without_items(test.left, shared) == rest and _by_one(test.left):
                        at = Place(access, place.index, place.pitch, None, (), 0)
                        yield How.TAIL, size, at, Limit(size, test.guard, test.part)
                        return

    def _part_tested(self, own: Access, loop: LoopContext, rounds: Rounds) -> tuple[Access, Guard, Term] | None:
        """(access, its guard, the truth) by which the same round asks of each of its items if it is one of the count:
        the last round may have fewer."""
        count, times = rounds.count, rounds.times
        first = Polynomial({mono: value // times for mono, value in rounds.head.coefficients.items()})
        for access in self.facts[trace].accesses:
            for truth in truths(access.guards) if loop in access.loops and access is not own else ():
                rest = count - number(1) - truth.left - first
                mine = {mono[0].symbol if len(mono) == 1 else None for mono in rest.coefficients if mono}
                inside = all(s is not None and s is not loop.counter and s.kind in IN_ROUND for s in mine)
                if mine and inside and min(rest.coefficients.values()) >= 0:
                    return access, truth.guard, truth.part
        return None

    def _allocated(self, access: Access) -> bool:
        """Whether an allocation in sight says how long an array is."""
        return any(name == access.root.name for view in self.context.launches for name, _ in view.fact.extents)

    # -------------------------------------------------------------------------------------------------- foreign

    def _foreign(self, place: Place) -> Iterator[tuple[How, Polynomial, Place, Limit]]:
        row, tested = place.row, place.bound
        if row is None or tested is None or row == tested or not _single(row) or not _single(tested):
            return
        if not any(grows(term_of(place.index), axis) for axis in range(3)) or self._known(row, place.index):
            return
        if any(limit.size != tested for limit in place.limits):
            return  # it is kept below something else too
        owners = [one for one in self.all if one.row == tested and one.access.root is not place.access.root]
        if not owners or any(one.access.root is place.access.root and one.row == tested for one in self.all):
            return
        if any(one.index == place.index and one.row != row for one in self.all):
            return  # that is what the test is for
        if any(_runs_with(one.index, place.index) for one in owners):
            return  # a neighbourhood of the same place: both arrays are taken to be as large
        yield How.FOREIGN, row, owners[0], place.limits[0]

    def _known(self, row: Polynomial, index: Polynomial) -> bool:
        """Whether some test speaks of the rows' length."""
        names = {symbol for atom in row.atoms for symbol in symbols(atom)}
        of = self.facts[trace]
        return any(
            names & set(symbols(part)) and any(moves(side) for side in part.terms)
            for test in of.conditions
            for part in _comparisons(test.term)
        )


def shaped(place: Place, alone: bool) -> Iterator[tuple[How, Polynomial, Place, Limit]]:
    """The extent that an array carries along one of its axes, where all tests of the index are against it and let more
    through; ``alone``: the index has no other dimension."""
    decl = place.access.root.decl
    extent = extent_along(place.access.root, place.pitch) if place.limits else ""
    size = missed_extent(place, extent) if extent else None
    if size is not None:
        yield How.SHAPE, size, place, place.limits[0]
    if not isinstance(decl, ParamDecl) or not decl.shape or not place.limits:
        return
    if any(symbol.origin in decl.shape for atom in place.index.atoms for symbol in symbols(atom)):
        return  # counted from the end, or in a row that is named by a number: the size is not the test's
    own: list[object] = []
    axis = own_axis(place)
    if axis is not None:
        own.append(_ids(decl.shape[axis : axis + 1]))
    if alone and not _origins(place.pitch):
        own.append(_ids(decl.shape))
    if all(limit.slack >= 0 and _origins(limit.size) in own for limit in place.limits):
        yield How.SHAPE, place.limits[0].size, place, place.limits[0]


def own_axis(place: Place) -> int | None:
    """Along which of the extents that an array carries a place moves."""
    decl = place.access.root.decl
    shape = decl.shape if isinstance(decl, ParamDecl) else ()
    behind = _origins(place.pitch)
    axis = len(shape) - 1 - len(behind)
    return axis if axis >= 0 and behind == _ids(shape[axis + 1 :]) else None


def inside_own(access: Access, size: Polynomial, place: Place | None = None) -> bool:
    """Whether a size is less than the extent that the array of an access carries, by a number; along the axis of
    ``place``, or any.  Tests against it keep threads off the rim of what is there.

    Silent: ``tile[t] = a[i]`` before ``if 0 < i < a.size - 1``.  Still told: before ``if i < a.size``.
    """
    decl = access.root.decl
    shape = decl.shape if isinstance(decl, ParamDecl) else ()
    axis = None if place is None else own_axis(place)
    own = shape if place is None else () if axis is None else shape[axis : axis + 1]
    rest = {mono: factor for mono, factor in size.coefficients.items() if mono}
    less = size.coefficients.get((), 0)
    return less < 0 and list(rest.values()) == [1] and _origins(Polynomial(rest)) in [_ids([one]) for one in own]


def _runs_with(index: Polynomial, other: Polynomial) -> bool:
    """Whether one index is the other one moved by what does not depend on the thread: a neighbour, on a torus maybe."""
    threads = {SymbolKind.THREAD, SymbolKind.BLOCK}
    return any(
        not any(symbol.kind in threads for atom in (polynomial(part) - other).atoms for symbol in symbols(atom))
        for part in _moved(term_of(index))
    )


_MOVING = frozenset({"add", "sub", "mod", "select", "cast", "min", "max"})
"""Operations on an index that leave its step from thread to thread what it is, here and there."""


def _moved(term: Term) -> Iterator[Term]:
    yield term
    if term.op in _MOVING:
        for arg in term.terms:
            yield from _moved(arg)


def _ids(decls: Sequence[object]) -> list[int]:
    return sorted(map(id, decls))


def _origins(size: Polynomial) -> list[int]:
    """The declarations that a product is made of; one that stands for none where it is anything else."""
    if size.constant is not None:
        return [] if size.constant == 1 else [0]
    if len(size.coefficients) != 1 or list(size.coefficients.values()) != [1]:
        return [0]
    (mono,) = size.coefficients
    return sorted(id(atom.symbol.origin) if atom.symbol is not None else 0 for atom in mono)


def _comparisons(term: Term) -> Iterator[Term]:
    if term.op in ("land", "lor", "lnot"):
        for arg in term.terms:
            yield from _comparisons(arg)
    elif term.op in ("lt", "le"):
        yield term


def _single(size: Polynomial) -> bool:
    """Whether a size is one argument as it stands."""
    atoms = size.atoms
    return len(atoms) == 1 and size.coefficients == {tuple(atoms): 1} and chosen(next(iter(atoms)))


def _only_loop(place: Place, loop: LoopContext, apart: Collection[Term]) -> bool:
    """Whether nothing but loops, tests of what is no part of the index, and those ``apart`` stands before an access."""
    rest: set[Symbol] = {s for atom in place.index.atoms for s in symbols(atom)}
    rest -= {one.counter for one in place.access.loops}
    for guard in place.access.guards:
        found = set(symbols(guard.term))
        if guard.loop is not None or (loop.counter not in found and not rest & found):
            continue
        if not all(
            part in apart or (loop.counter not in found and _about_thread(part)) for part in conjuncts(guard.term)
        ):
            return False
    return True


GROUP = 15
"""The last of the most elements that a thread takes as one group."""


def _tests(access: Access) -> list[Truth]:
    """What tests and loops say before an access."""
    return [one for one in truths(access.guards) if one.guard.kind is not GuardKind.AFTER_LOOP]


def _without_items(left: Polynomial, loops: Collection[LoopContext]) -> Polynomial:
    """A sum without what tells the items of one round of some loops apart."""
    counters = {loop.counter for loop in loops}
    inside = {SymbolKind.THREAD, SymbolKind.BLOCK_DIM}
    return Polynomial(
        {
            mono: value
            for mono, value in left.coefficients.items()
            if not any(
                symbol.kind in inside or (symbol.kind is SymbolKind.COUNTER and symbol not in counters)
                for atom in mono
                for symbol in symbols(atom)
            )
        }
    )


def _by_one(left: Polynomial) -> bool:
    """Whether a truth is about items of which neighbouring threads have one each."""
    return any(
        value == -1 and mono[0].symbol is not None and mono[0].symbol.kind is SymbolKind.THREAD
        for mono, value in left.coefficients.items()
        if len(mono) == 1
    )


def _whole_steps(form: Polynomial, group: int) -> bool:
    """Whether threads are whole groups apart."""
    steps = [
        value
        for mono, value in form.coefficients.items()
        if any(symbol.kind is SymbolKind.THREAD for atom in mono for symbol in symbols(atom))
    ]
    return bool(steps) and all(value % group == 0 for value in steps)


def _about_thread(term: Term) -> bool:
    """Whether a test speaks of a thread's place in its block alone."""
    kinds = {symbol.kind for symbol in symbols(term)}
    return kinds <= {SymbolKind.THREAD, SymbolKind.BLOCK_DIM, SymbolKind.TEMPLATE}


def _compute(facts: Facts) -> tuple[Overrun, ...]:
    if not facts[trace].accesses:
        return ()
    return tuple(_Kernel(facts).run())


overruns = KernelAnalysis("overruns", _compute, needs=(trace, places, launch_context))
"""Each :class:`Overrun` of a kernel variant, in order of the walk, an access once."""
