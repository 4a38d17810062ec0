"""Accesses at an index that another access of the kernel is kept below a size at, and that nothing keeps below it.

The other access is of the same array (at the same place, or at one before it: a neighbour, the next step of an unrolled
loop), or of one that is laid out alike, where what is written says that the size is meant for all.  Loops that count in
the same way count as one.  A size that the block reads from memory, the end of its segment, is one too where nothing
that the kernel writes goes beyond it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.coverage import Cover, conjuncts
from kernlint.analysis.extent.bounds import bounds_above, grows, mentions, vacuous
from kernlint.analysis.extent.limits import Limit
from kernlint.analysis.extent.places import Place, chosen, moves
from kernlint.analysis.extent.truths import truths
from kernlint.analysis.launching.launch_context import LaunchContext
from kernlint.analysis.trace.events import Access, AccessKind, Guard, GuardKind
from kernlint.analysis.trace.values import PointerValue
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, negate, plain, substitute, symbols
from kernlint.tree.nodes import Kernel
from kernlint.tree.types import I64, OpaqueType

_COUNTERS = tuple(Symbol(SymbolKind.COUNTER, f"c{at}", I64, low=0) for at in range(4))
"""Stand for the counters of loops around an access, the outermost first."""

_LAUNCH = frozenset({SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM})
_MOVING = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.COUNTER})
_IN_BLOCK = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK_DIM, SymbolKind.TEMPLATE})
_OPAQUE = frozenset({SymbolKind.LOAD, SymbolKind.PHI, SymbolKind.UNKNOWN, SymbolKind.EXIT})

Key = tuple[Polynomial, tuple[Term, ...]]


def of_arguments(size: Polynomial) -> bool:
    """Whether a size is made of arguments, and of nothing that the kernel alone knows."""
    found = [symbol for atom in size.atoms for symbol in symbols(atom)]
    return bool(found) and all(chosen(atom) for atom in size.atoms)


def computed(access: Access, kernel: Kernel, context: LaunchContext) -> bool:
    """Whether what is indexed may be of any class that can be, an iterator that reads no memory: a parameter whose type
    the template leaves open, for which no launch in sight passes a pointer."""
    name = access.root.name
    type_ = next((one.type for one in kernel.function.params if one.name == name), None)
    if not isinstance(type_, OpaqueType) or not context.launches:
        return False
    given = (value for view in context.launches for to, value in view.fact.arguments if to == name)
    return not any(isinstance(value, PointerValue) for value in given)


def key_of(place: Place) -> Key:
    """The index of a place, and the conditions of the loops that count in it, whatever loops those are."""
    loops = [loop for loop in place.access.loops if any(loop.counter in symbols(a) for a in place.index.atoms)]
    if not loops or len(loops) > len(_COUNTERS):
        return place.index, ()
    names = {loop.counter: name.term for loop, name in zip(loops, _COUNTERS, strict=False)}
    conditions = tuple(substitute(loop.condition, names) for loop in loops if loop.condition is not None)
    return polynomial(substitute(term_of(place.index), names)), conditions


def _segment(place: Place) -> Limit | None:
    """The truth that keeps an index strictly below a size that the block reads from memory."""
    for truth in truths(place.access.guards):
        most = place.index + truth.left
        if most.coefficients.get(()) != -1 or len(most.coefficients) != 2:
            continue
        data = [s for atom in most.atoms for s in symbols(atom)]
        if data and all(s.kind is SymbolKind.LOAD and s.uniformity <= Uniformity.BLOCK for s in data):
            return Limit(most, truth.guard, truth.part)
    return None


def _below_number(place: Place) -> tuple[Polynomial, Limit] | None:
    """The number that an index is kept below, and the test that does it."""
    for truth in truths(place.access.guards):
        most = (place.index + truth.left).constant
        if most is not None and most > 0 and truth.left.constant is None and truth.unit == 1 and not place.extra:
            return number(most + 1), Limit(number(most), truth.guard, truth.part)
    return None


class Siblings:
    """The places of a kernel by what they have in common."""

    def __init__(self, every: Sequence[Place], context: LaunchContext) -> None:
        self.context = context
        self.by_key: dict[Key, list[Place]] = {}
        self.kept: dict[tuple[int, Polynomial], list[tuple[Polynomial, Place]]] = {}
        """Those that are kept below an argument, with that, by array and pitch."""
        self.keys: dict[Place, Key] = {}
        for place in every:
            key = self.keys[place] = key_of(place)
            self.by_key.setdefault(key, []).append(place)
            bound = place.bound
            if bound is not None and of_arguments(bound):
                self.kept.setdefault((id(place.access.root), place.pitch), []).append((bound, place))

    def of(self, place: Place) -> Iterator[tuple[Polynomial, Place, Limit]]:
        """(size, access that is kept below it, its test) of siblings of a place that is not."""
        if place.limits:
            return
        for bound, other in self.kept.get((id(place.access.root), place.pitch), ()):
            if not (_ahead(place, other) or _goes_on(place, other)):
                continue
            if same_way(place.access, other.access, other.limits[0]) and self._open(place, other.limits[0].guard):
                yield bound, other, other.limits[0]
                return
        if not self._open(place):
            return
        group = self.by_key[self.keys[place]]
        for other in group:
            if other.access is place.access:
                continue
            limit = other.limits[0] if other.bound is not None else None
            if limit is not None and of_arguments(limit.size) and self._alike(place, other, group, limit):
                yield limit.size, other, limit
                return
        yield from self._numbers(place, group)
        yield from self._segments(place, group)

    def _numbers(self, place: Place, group: Sequence[Place]) -> Iterator[tuple[Polynomial, Place, Limit]]:
        """A number that an index which grows with the grid is kept below elsewhere."""
        if not any(grows(term_of(place.index), axis) for axis in range(3)):
            return
        for other in group:
            found = _below_number(other) if other.access is not place.access else None
            if found is not None and self._alike(place, other, group, found[1], found[0]):
                yield found[0], other, found[1]
                return

    def _alike(
        self, place: Place, other: Place, group: Sequence[Place], limit: Limit, below: Polynomial | None = None
    ) -> bool:
        """``below``: the size, where that is a number."""
        if not same_way(place.access, other.access, limit):
            return False
        size = limit.size if below is None else below
        if other.access.root is place.access.root:
            return other.pitch == place.pitch
        # The array has so many elements for each row of the other; rows with a pitch of their own may be padded too.
        first = place.row is None and other.row is None
        if first and other.pitch != place.pitch and _of_one_size(other.pitch, place.pitch):
            return bool(self._launched(size))
        rows = first and place.pitch.constant is not None
        return (rows or other.pitch == place.pitch) and self._implied(place, other, group, size)

    def _segments(self, place: Place, group: Sequence[Place]) -> Iterator[tuple[Polynomial, Place, Limit]]:
        """A value that is read beyond the end of the block's segment, and of no use there: all that is written at the
        index is kept inside."""
        writes = [one for one in group if one.access.writes]
        if place.access.writes or not writes or _segment(place) is not None:
            return
        found = [_segment(one) for one in writes]
        limit = found[0]
        if limit is None or any(one is None or one.size != limit.size for one in found):
            return
        if all(same_way(place.access, one.access) for one in writes):
            yield limit.size, writes[0], limit

    def _open(self, place: Place, known: Guard | None = None) -> bool:
        """Whether nothing that stands before an access, but for a test that is ``known``, may keep its index from
        growing with the grid or, where it does not grow with that, from getting as large as the threads of the block
        make it."""
        index = term_of(place.index)
        axes = [axis for axis in range(3) if grows(index, axis)]
        ours = {s for atom in place.index.atoms if moves(atom) for s in symbols(atom)}
        if not axes and not any(s.kind is SymbolKind.THREAD for s in ours):
            return False
        data = {s for s in ours if s.kind in _OPAQUE}
        own = {s for s in ours if s.kind in _MOVING and not axes}
        for guard in place.access.guards:
            if guard == known:
                continue
            found = set(symbols(guard.term))
            if any(bounds_above(guard.term, axis) for axis in axes) and not _of_first(guard, place.index, axes):
                return False
            if data & found and guard.kind is not GuardKind.AFTER_LOOP:
                return False
            if own & found and guard.kind not in (GuardKind.LOOP, GuardKind.AFTER_LOOP) and not vacuous(guard.term):
                return False
        return True

    def _implied(self, place: Place, other: Place, group: Sequence[Place], size: Polynomial) -> bool:
        """Whether a test of another array says how long this one is."""
        if place.row is not None and place.row != size:
            return False  # rows with a length of their own may have room at their end
        if not place.access.writes:
            writes = [one for one in group if one.access.writes]
            return other.access.writes and all(one.bound is not None or _below_number(one) for one in writes)
        if self.context.launches:
            rounded = self._launched(size)
            if rounded is not None:
                return rounded
        # What fills an array up to whole blocks writes what it has read, or a neutral value: that one is longer.
        return place.access.kind is AccessKind.ATOMIC or not _carried(place.access.value)

    def _launched(self, size: Polynomial) -> bool | None:
        """Whether a launch in sight rounds its grid up from the size; None where the launches in sight leave it open:
        the size is given as what no grid is compared with (a value of a template of the host), or nothing is known of
        the grid, which somebody else passes."""
        open_ = True
        for view in self.context.launches:
            if {one.kind for one in view.covers} in ({Cover.UNKNOWN}, {Cover.UNKNOWN, Cover.CONSTANT}):
                continue
            images = dict(view.images)
            given = polynomial(substitute(term_of(size), images))
            rounded = [
                polynomial(one.count) for one in view.covers if one.kind is Cover.ROUNDED_UP and one.count is not None
            ]
            if given in rounded:
                return True
            open_ = open_ and bool(rounded) and not any(s in images for atom in size.atoms for s in symbols(atom))
        return None if open_ else False


def _of_first(guard: Guard, index: Polynomial, axes: Sequence[int]) -> bool:
    """Whether a test bounds nothing but the first of the places that the threads of a block have in a round: the others
    lie behind it (``first < n``, where the place is ``first + threadIdx.x / 32``)."""
    for part in conjuncts(guard.term):
        if not any(bounds_above(part, axis) for axis in axes):
            continue
        if part.op not in ("lt", "le"):
            return False
        behind = index - polynomial(part.args[0])
        found = {symbol.kind for atom in behind.atoms for symbol in symbols(atom)}
        if SymbolKind.THREAD not in found or not found <= _IN_BLOCK or min(behind.coefficients.values()) < 0:
            return False
    return True


def _of_one_size(one: Polynomial, other: Polynomial) -> bool:
    """Whether both pitches are made of the same arguments: rows of one matrix, packed in different ways."""
    mine, theirs = ({s for atom in pitch.atoms for s in symbols(atom)} for pitch in (one, other))
    return bool(mine) and mine == theirs


def _ahead(place: Place, other: Place) -> bool:
    """Whether an index is that of another access and something more, a number or as much as the launch has threads."""
    more = place.index - other.index
    return bool(more.coefficients) and all(
        value > 0 and all(atom.symbol is not None and atom.symbol.kind in _LAUNCH for atom in mono)
        for mono, value in more.coefficients.items()
    )


def _goes_on(place: Place, other: Place) -> bool:
    """Whether a loop in steps of all threads takes what follows an index, from one step on (``v = p[i]`` in front of
    ``for (j = i + threads; j < n; j += threads)``): of the first round nothing is asked."""
    more = (other.index - place.index).coefficients
    for loop in other.access.loops if place.access.order < other.access.order else ():
        counter = loop.counter.term
        if loop in place.access.loops:
            continue
        rounds = {tuple(a for a in mono if a is not counter): v for mono, v in more.items() if counter in mono}
        first = {mono: value for mono, value in more.items() if counter not in mono}
        threads = all(atom.symbol is not None and atom.symbol.kind in _LAUNCH for mono in first for atom in mono)
        if first and first == rounds and threads and () not in first and min(first.values()) > 0:
            return True
    return False


def same_way(access: Access, other: Access, limit: Limit | None = None) -> bool:
    """Whether an access is made whenever the other one is, as far as arguments and data decide it: no condition on
    them stands before it that does not stand before the other.  ``limit``: a test that surplus threads fail; what they
    come to by just that is no condition (the other branch of ``if (i < n && live[i])``)."""
    theirs = {guard.term for guard in other.guards}
    for guard in access.guards:
        if limit is not None and _by_failing(guard.term, limit.part):
            continue
        if guard.term in theirs or guard.kind in (GuardKind.LOOP, GuardKind.AFTER_LOOP) or vacuous(guard.term):
            continue
        if any(mentions(guard.term, kind) for kind in (SymbolKind.PARAM, SymbolKind.LOAD, SymbolKind.TEMPLATE)):
            return False
    return True


def _by_failing(guard: Term, part: Term) -> bool:
    """Whether a condition holds wherever a test fails, and lets others through by what data say: nobody has meant it
    for the surplus threads.  (Who asks for just the threads that fail the test does.)"""
    if guard.op == "land":
        return all(_by_failing(arg, part) for arg in guard.terms)
    if guard.op != "lor":
        return False
    failing = negate(part)
    parts = [one for arg in guard.terms for one in (arg.terms if arg.op == "lor" else (arg,))]
    return failing in parts and any(s.kind is SymbolKind.LOAD for one in parts for s in symbols(one))


def _carried(value: Term | None) -> bool:
    """Whether a value that is stored is one that was read or a constant, at most converted: a copy, with a neutral
    value where there is nothing to copy."""
    if value is None:
        return True
    value = plain(value)
    if value.op == "select":
        return all(_carried(arg) for arg in value.args[1:])
    if value.op == "call" and value.args[0] == "struct":
        return all(_carried(arg) for arg in value.terms)
    return value.op == "const" or (value.op == "sym" and value.args[0].kind in (SymbolKind.LOAD, SymbolKind.UNKNOWN))
