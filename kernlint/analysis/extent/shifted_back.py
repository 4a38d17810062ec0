"""Coordinates that an argument moves back, tested at their upper end alone: ``sx = x - dx; if (sx < w) a[y * w + sx]``.

A shift that is taken away makes the coordinate of the first threads negative where it is positive, and the test at the
upper end is of use for negative ones: whichever sign it has, one end is open, or the shift is none.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.before_start import shifted
from kernlint.analysis.extent.places import Place, Places, places
from kernlint.analysis.launching.launch_context import LaunchContext, launch_context
from kernlint.analysis.trace.events import Access, Guard
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, symbols
from kernlint.tree.types import IntType

_OWN = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM})


@dataclass(frozen=True, slots=True, eq=False)
class ShiftedBack:
    """An access at a coordinate that ``shift`` is taken from, and that ``tested`` keeps below its end only."""

    access: Access
    shift: Symbol
    tested: Guard


def _shift(index: Polynomial) -> Symbol | None:
    """The whole argument that is taken from the number of a thread, where an index is just that."""
    back = [mono for mono, value in index.coefficients.items() if value < 0 and mono]
    if len(back) != 1 or len(back[0]) != 1 or index.coefficients[back[0]] != -1 or index.coefficients.get((), 0) > 0:
        return None
    symbol = back[0][0].symbol
    if symbol is None or symbol.kind is not SymbolKind.PARAM or not isinstance(symbol.type, IntType):
        return None
    rest = {s for mono in index.coefficients if mono and mono != back[0] for atom in mono for s in symbols(atom)}
    kinds = {s.kind for s in rest}
    return symbol if kinds <= _OWN and SymbolKind.THREAD in kinds else None


def _tested(place: Place, shift: Symbol) -> Guard | None:
    """The test that keeps a coordinate below an argument, where no other test speaks of the shift and the thread."""
    found: Guard | None = None
    mine = {s for atom in place.index.atoms for s in symbols(atom) if s.kind in (SymbolKind.THREAD, SymbolKind.BLOCK)}
    for guard in place.access.guards:
        for part in conjuncts(guard.term):
            about = set(symbols(part))
            if shift not in about:
                continue
            left = part.args[0] if part.op in ("lt", "le") else None
            if left is not None and isinstance(left.type, IntType) and left.type.signed:
                size = {s.kind for s in symbols(part.args[1])}
                if polynomial(left) == place.index and size == {SymbolKind.PARAM}:
                    found = guard
                    continue
            if mine & about or not about - {shift}:
                return None
    return found


def _of(found: Places, context: LaunchContext) -> Iterator[ShiftedBack]:
    for access, mine in found.items():
        for place in mine:
            shift = _shift(place.index)
            tested = _tested(place, shift) if shift is not None else None
            if shift is None or tested is None:
                continue
            known = context.admission.range_of(shift)
            if (known is None or known[1] > 0) and not shifted(context, access):
                yield ShiftedBack(access, shift, tested)
                break


def _compute(facts: Facts) -> tuple[ShiftedBack, ...]:
    found: dict[tuple[object, object], ShiftedBack] = {}
    for one in _of(facts[places], facts[launch_context]):
        found.setdefault((one.access.root, one.tested.span), one)
    return tuple(found.values())


shifted_back = KernelAnalysis("shifted_back", _compute, needs=(places, launch_context))
"""A :class:`ShiftedBack` for each array and test of a kernel variant, in order of the walk."""
