"""Neighbours of positions in floating point that are tested against the size, and not against the last place.

``if (x >= 0 && x < w && y >= 0 && y < h) sample(p, w, x, y)`` where ``sample`` reads ``p[y0 * w + x0]`` and
``p[(y0 + 1) * w + x0 + 1]`` with ``x0 = (int)x``: in the last column, and in the last row, there is no neighbour.  That
the array has rows of ``w`` is said by the place itself, that there are ``h`` of them by the test which stands beside.
So it is with the place that a position is rounded up to, or to the nearest one: at ``w - 0.25`` that is ``w``.

Still right: ``x < w - 1``; a test of the neighbour itself, ``x0 + 1 < w``; ``min(x0 + 1, w - 1)``; rows of another
length than the test speaks of, as those of an image with a margin are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.sampled_neighbours import behind_size, whole_part
from kernlint.analysis.extent.told import Told
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, Root, RootKind
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import SymbolKind, Term, subterms, symbols
from kernlint.text.patterns import pattern
from kernlint.tree.types import FloatType, IntType

FAR = 2
"""Places, at the most, that a neighbour lies from the one that is tested."""


@dataclass(frozen=True, slots=True, eq=False)
class Interpolated:
    """An ``access`` at a neighbour of a position of which ``around`` tests whether it is below the size; ``other`` is
    at the position itself (None: the position is rounded)."""

    access: Access
    around: Guard
    other: Access | None
    below: bool = False

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        related = [Related(self.around.span, "this test lets the position into the last place")]
        if self.other is not None:
            related.append(Related(self.other.span, f"the position itself, for {element(self.other)}"))
        return Told(
            f"{element(self.access)} is {verb(self.access)} at a neighbour that may be one behind the last: the "
            "position that it lies beside is tested against the size, and not against the last place",
            related,
            "the position is in the last place along one axis",
            "let the test end one place earlier, or test the neighbour",
        )


@dataclass(frozen=True, slots=True)
class _Coordinate:
    """A coordinate in a place: a position made whole, how far beside it, and elements of a step."""

    atom: Term
    position: Term
    beyond: int
    pitch: Polynomial


def _coordinates(access: Access) -> tuple[_Coordinate, ...]:
    found = elements(access)
    if found is None:
        return ()
    form = found[0].coefficients
    parts = [(mono, atom) for mono in form for atom in mono if _of_position(atom)]
    if not 2 <= len(parts) <= 3 or len({atom for _, atom in parts}) < len(parts):
        return ()
    made = []
    for mono, atom in parts:
        rest = list(mono)
        rest.remove(atom)
        beyond, left = divmod(form.get(tuple(rest), 0), form[mono])
        whole = _whole(atom)
        if left or form[mono] <= 0 or whole is None:
            return ()
        made.append(_Coordinate(atom, whole[0], beyond + whole[1], Polynomial({tuple(rest): form[mono]})))
    return tuple(made)


def _of_position(atom: Term) -> bool:
    """Whether a number is one in floating point made whole that data or arguments put somewhere."""
    found = _whole(atom)
    if found is None or any(_kept(part) for part in subterms(found[0])):
        return False
    return any(s.kind is SymbolKind.LOAD or _real(s.type) for s in symbols(found[0]))


def _kept(part: Term) -> bool:
    """Whether a part of a position is chosen between, or kept in a range."""
    return part.op in ("min", "select") or (part.op == "call" and _CLAMPS(part.args[0]) is not None)


_CLAMPS = pattern(r"min|clamp|saturate|mod|fract|remainder").search


_UP = frozenset({"ceil", "ceilf", "round", "roundf", "rint", "rintf", "lround", "lroundf", "__float2int_rn"})


def _whole(atom: Term) -> tuple[Term, int] | None:
    """(position, places by which it may be raised) of a whole number that is made of one in floating point."""
    inner = atom
    while inner.op == "cast" and isinstance(inner.type, IntType):
        inner = inner.args[0]
    if inner.op == "call" and inner.args[0] in _UP:
        return _narrow(inner.args[1]), 1
    found = whole_part(atom)
    return None if found is None else (_narrow(found[0]), 0)


def _real(type_: object) -> bool:
    return isinstance(type_, FloatType)


def _narrow(term: Term) -> Term:
    """A number in floating point without conversions from another such type."""
    while term.op == "cast" and _real(term.type) and _real(term.args[0].type):
        term = term.args[0]
    return term


def _tested(access: Access, one: _Coordinate, positions: Sequence[Term]) -> tuple[Guard, Polynomial, int] | None:
    """The only test of a position from above: (it, the size, by how many places the position stays before it); None
    where another test may keep it, or its neighbour, further inside."""
    atom, position = one.atom, one.position
    data = {symbol for symbol in symbols(atom) if symbol.kind is SymbolKind.LOAD}
    found: tuple[Guard, Polynomial, int] | None = None
    for guard in access.guards:
        for part in conjuncts(guard.term):
            if part.op in ("lt", "le"):
                left, right = (_narrow(side) for side in part.args)
                more = behind_size(right) if left == position and part.op == "lt" else None
                if more is not None and more <= 0 and found is None:
                    found = guard, polynomial(right.args[0]) - number(more), -more
                    continue
                if (right == position and position not in subterms(left)) or {left, right} & {*positions} - {position}:
                    continue
            if data & set(symbols(part)) or position in subterms(part) or atom in subterms(part):
                return None
    return found


Coordinates = tuple[_Coordinate, ...]


def _open(access: Access, every: Coordinates) -> Guard | None:
    """The test that lets a neighbour pass the end of a row, or of the last one, where rows are as long as it says."""
    positions = [one.position for one in every]
    tested = [(one, _tested(access, one, positions)) for one in every]
    if not tested or any(found is None for _, found in tested):
        return None
    for one, known in tested:
        for other, _ in tested:
            if other is not one and known is not None and other.pitch == one.pitch * known[1]:
                ends = (found[0] for each, found in tested if found is not None and found[2] < each.beyond <= FAR)
                return next(ends, None)
    return None


def _beside(every: Coordinates, group: Mapping[Access, Coordinates]) -> Access | None:
    """The access at the position itself."""
    mine = {one.position for one in every}
    for other, theirs in group.items():
        if {one.position for one in theirs} == mine and not any(one.beyond for one in theirs):
            return other
    return None


def _rounded(every: Coordinates) -> bool:
    """Whether it is rounding alone that a place is beside its position by."""
    whole = [(_whole(one.atom), one.beyond) for one in every]
    return all(found is not None and found[1] == beyond for found, beyond in whole)


def _compute(facts: Facts) -> tuple[Interpolated, ...]:
    groups: dict[Root, dict[Access, Coordinates]] = {}
    for access in facts[trace].accesses:
        if access.root.kind is RootKind.PARAM and access.guards and (found := _coordinates(access)):
            groups.setdefault(access.root, {})[access] = found
    return tuple(each for group in groups.values() for each in _of(group))


def _of(group: Mapping[Access, Coordinates]) -> Iterator[Interpolated]:
    said: set[Guard] = set()
    for access, every in group.items():
        guard = _open(access, every) if any(1 <= one.beyond <= FAR for one in every) else None
        if guard is None or guard in said:
            continue
        other = _beside(every, group)
        if other is not None or _rounded(every):
            said.add(guard)
            yield Interpolated(access, guard, other)


interpolated = KernelAnalysis("interpolated", _compute, needs=(trace,))
"""An :class:`Interpolated` access for each array of a kernel variant and test of a position."""
