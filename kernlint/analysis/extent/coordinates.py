"""Numbers of rows that a test keeps below a size where results are stored, and that inputs are read at without it.

``out[(first + r) * out_stride + c]`` is stored under ``first + r < rows``, and ``in[(first + r) * in_stride + c]`` is
read by everybody: each array has a pitch of its own, and what they have in common is the number of the row.  Here the
test says what that is: a sum that grows with the grid and occurs as a whole, times some pitch, in both places.  Loops
that count in the same way count as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.bounds import bounds_above, grows
from kernlint.analysis.extent.limits import Limit
from kernlint.analysis.extent.places import Place, moves
from kernlint.analysis.extent.siblings import of_arguments, same_way
from kernlint.analysis.extent.truths import truths
from kernlint.analysis.trace.events import Access, Guard, GuardKind, RootKind
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Monomial, Polynomial, divided, number, polynomial, term_of
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, plain, substitute, symbols
from kernlint.tree.types import I64, Space

ROWS = 8
"""Tests of rows of one kernel that are looked at."""

_LOOPS = (GuardKind.LOOP, GuardKind.AFTER_LOOP)

_COUNTERS = tuple(Symbol(SymbolKind.COUNTER, f"r{at}", I64, low=0) for at in range(2))
"""Stand for the counters of loops in the number of a row, the outermost first."""


@dataclass(frozen=True, slots=True, eq=False)
class _Row:
    """``form``: the number of a row that ``guard`` keeps below ``size`` before ``access``, with loops' counters by
    their order; ``counters``: how many."""

    form: Polynomial
    counters: int
    size: Polynomial
    access: Access
    limit: Limit


def _tested(access: Access) -> Iterator[_Row]:
    """The numbers of rows that grow with the grid and are tested before an access."""
    for truth in truths(access.guards):
        moving = {mono: -value for mono, value in truth.left.coefficients.items() if any(map(moves, mono))}
        size = truth.left + Polynomial(moving) + number(1)
        row = Polynomial(moving)
        if truth.unit != 1 or not moving or min(moving.values()) <= 0 or not of_arguments(size):
            continue
        if not any(grows(term_of(row), axis) for axis in range(3)):
            continue
        inside = [loop.counter for loop in access.loops if any(loop.counter in symbols(atom) for atom in row.atoms)]
        if len(inside) <= len(_COUNTERS):
            names = {counter: name.term for counter, name in zip(inside, _COUNTERS, strict=False)}
            form = polynomial(substitute(term_of(row), names))
            most = size - number(1)
            yield _Row(form, len(inside), size, access, Limit(most, truth.guard, truth.part))


def _pitch(index: Polynomial, row: Polynomial) -> tuple[Monomial, int] | None:
    """The pitch (its symbols, and a number of bytes) with which all of a row's number occurs in an offset."""
    first, times = next(iter(row.coefficients.items()))
    for mono, value in index.coefficients.items():
        rest = divided(mono, first)
        if rest is None or value % times or value // times <= 0 or any(map(moves, rest)):
            continue
        unit = value // times
        if not 0 <= index.coefficients.get(rest, 0) < unit:
            continue  # a neighbour of the row
        if all(
            index.coefficients.get(tuple(sorted((*m, *rest), key=_order)), 0) == unit * v
            for m, v in row.coefficients.items()
        ):
            return rest, unit
    return None


def _whole(index: Polynomial) -> Polynomial:
    """An offset in which a pitch in bytes, counted in elements, is itself: ``pitch / 8 * 8``."""
    out = number(0)
    for mono, value in index.coefficients.items():
        part = number(1)
        for atom in mono:
            inner = plain(atom)
            by = inner.args[1].value if inner.op == "div" else None
            if by and by > 0 and value % by == 0 and not moves(inner):
                value //= by
                inner = plain(inner.args[0])
            part = part * Polynomial({(inner if not moves(inner) else atom,): 1})
        out += part.scaled(value)
    return out


def _order(term: Term) -> tuple[str, int]:
    return (term.args[0].name if term.op == "sym" else f"~{term.op}", hash(term))


class Rows:
    """The rows that a kernel tests the number of."""

    def __init__(self, accesses: Sequence[Access]) -> None:
        self._memory = [
            access
            for access in accesses
            if access.root.kind in (RootKind.PARAM, RootKind.LOADED) and access.root.space is Space.GLOBAL
        ]
        self._rows: dict[tuple[Polynomial, Polynomial], _Row] = {}
        for access in self._memory:
            if access.writes and len(self._rows) < ROWS:
                for row in _tested(access):
                    if _found(access, row) is not None:
                        self._rows.setdefault((row.form, row.size), row)

    def missed(self) -> Iterator[tuple[Place, Polynomial, Access, Limit]]:
        """(place, size, store that is kept below it, its test) of reads of rows that no test speaks of."""
        for row in self._rows.values():
            writes = [(one, found) for one in self._memory if one.writes and (found := _found(one, row)) is not None]
            if not all(_kept(one, found, row.size) for one, (found, _) in writes):
                continue
            for access in self._memory:
                if access.writes or any(access.root is one.root for one, _ in writes):
                    continue
                at = _found(access, row)
                if at is not None and _open(access, at[0]) and _as_often(access, row.access):
                    yield Place(access, at[0], at[1], None, (), 0), row.size, row.access, row.limit


def _found(access: Access, row: _Row) -> tuple[Polynomial, Polynomial] | None:
    """The number of a row in the offset of an access, by its own loops' counters, and its pitch in elements."""
    loops = [loop.counter for loop in access.loops if loop.counter in symbols(access.offset)]
    unit = access.root.element.size or 1
    if any(map(_drawn, symbols(access.offset))):
        return None  # data choose a part of a pool: how long that is nobody says
    for mine in combinations(loops, row.counters):
        names = dict(zip(_COUNTERS, (one.term for one in mine), strict=False))
        form = polynomial(substitute(term_of(row.form), names)) if names else row.form
        found = _pitch(_whole(polynomial(access.offset)), form)
        if found is not None:
            return form, Polynomial({found[0]: max(found[1] // unit, 1)})
    return None


def _drawn(symbol: Symbol) -> bool:
    """Whether data choose a value, and not a field of an argument that is the same for all."""
    if symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple):
        return bool(symbols(symbol.origin[1])) or symbol.uniformity is not Uniformity.GRID
    return symbol.kind in (SymbolKind.LOAD, SymbolKind.UNKNOWN)


def _kept(access: Access, row: Polynomial, size: Polynomial) -> bool:
    """Whether a test before an access keeps a number below a size."""
    return any(truth.left + row == size - number(1) for truth in truths(access.guards))


def _open(access: Access, row: Polynomial) -> bool:
    """Whether nothing that stands before an access may keep the number of a row from growing with the grid."""
    index = term_of(row)
    axes = [axis for axis in range(3) if grows(index, axis)]
    return not any(_holds(guard, axes) for guard in access.guards)


def _as_often(access: Access, other: Access) -> bool:
    """Whether an access is made whenever the other one is, as far as arguments and data decide it: an optional array
    may be as long as whoever passes it likes."""
    theirs = {guard.term for guard in other.guards}
    own = (guard for guard in access.guards if guard.kind not in _LOOPS and guard.term not in theirs)
    given = any(s.kind is SymbolKind.UNKNOWN for guard in own for s in symbols(guard.term))
    return not given and same_way(access, other)


def _holds(guard: Guard, axes: Sequence[int]) -> bool:
    for part in conjuncts(guard.term):
        if part.op == "ne" and any(side.value is not None for side in part.args):
            continue  # one number is kept away, and all behind it are not
        if any(bounds_above(part, axis) for axis in axes):
            return True
    return False
