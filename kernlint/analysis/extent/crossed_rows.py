"""Rows and columns of an array that one kernel of a file exchanges, and the others do not.

``image[y * pitch + x]`` with ``x < width`` and ``y < height`` is how all kernels of a file go to rows that are
``pitch`` apart, and one has ``image[x * pitch + y]`` under the same two tests: the tests say which of the two is the
column, and the other kernels how it is used.  Of two kernels that differ, the one is right whose threads along x go
along the row.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.extent.bounds import grows
from kernlint.analysis.extent.places import Place, Places, places, places_of
from kernlint.analysis.trace.events import Access, Guard, RootKind
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, term_of
from kernlint.symbolic.terms import SymbolKind
from kernlint.tree.types import Space

Layout = tuple[str, str, str]
"""The names of the distance of rows, and of what the row and the column are kept below."""


@dataclass(frozen=True, slots=True)
class Right:
    """A ``kernel`` that goes to rows in one way, at ``access``; ``along``: neighbours along x lie side by side."""

    kernel: str
    access: Access
    along: bool


@dataclass(frozen=True, slots=True, eq=False)
class CrossedRows:
    """An access at column times ``pitch`` plus row, by tests of both: ``guard`` is that of what is taken for the row;
    ``other`` goes to such rows the right way."""

    access: Access
    guard: Guard
    layout: Layout
    other: Right


def _name(size: Polynomial | None) -> str | None:
    """The last part of the name of an argument that a size is as it stands."""
    atoms = list(size.atoms) if size is not None else []
    symbol = atoms[0].symbol if len(atoms) == 1 else None
    if symbol is None or size is None or symbol.kind is not SymbolKind.PARAM or list(size.coefficients.values()) != [1]:
        return None
    return symbol.name.replace("->", ".").rpartition(".")[2] if all(len(m) == 1 for m in size.coefficients) else None


def _layout(mine: tuple[Place, ...]) -> Layout | None:
    """How an access goes to rows of which neither tested size is the distance."""
    if len(mine) != 2 or mine[1].pitch.constant != 1:
        return None
    pitch, rows, columns = _name(mine[0].pitch), _name(mine[0].bound), _name(mine[1].bound)
    if pitch is None or rows is None or columns is None or len({pitch, rows, columns}) != 3:
        return None
    return pitch, rows, columns


def _along(mine: tuple[Place, ...]) -> bool:
    return grows(term_of(mine[1].index), 0)


def _compute(facts: ModuleFacts) -> dict[Layout, list[Right]]:
    found: dict[Layout, list[Right]] = {}
    for kernel, of in facts[kernel_traces].compared():
        for access in of.accesses:
            if access.root.kind is RootKind.PARAM and access.root.space is Space.GLOBAL:
                mine = places_of(access)
                layout = _layout(mine)
                if layout is not None:
                    found.setdefault(layout, []).append(Right(kernel.function.name, access, _along(mine)))
    return found


layouts_of_file = ModuleAnalysis("layouts_of_file", _compute, needs=(kernel_traces,))
"""How the kernels of a file go to rows, by the names of what they test."""


def _crossed(facts: Facts) -> Iterator[CrossedRows]:
    found: Places = facts[places]
    mine = [(access, own, layout) for access, own in found.items() if (layout := _layout(own)) is not None]
    here = {layout for _, _, layout in mine}
    told: set[tuple[int, Layout]] = set()
    for access, own, (pitch, rows, columns) in mine:
        right = (pitch, columns, rows)
        key = (id(access.root), right)
        if right in here or key in told:
            continue  # it takes both ways itself: one of the arrays is turned
        known: dict[Layout, list[Right]] = facts[layouts_of_file]  # walks kernels
        name = facts.kernel.function.name
        others = [one for one in known.get(right, ()) if one.kernel != name]
        alike = [one for one in known.get((pitch, rows, columns), ()) if one.kernel != name]
        right_way = next((one for one in others if one.along), None) if not _along(own) else None
        if right_way is None and len({one.kernel for one in others}) > 1:
            right_way = others[0]
        if right_way is not None and not alike:
            told.add(key)
            yield CrossedRows(access, own[0].limits[0].guard, (pitch, rows, columns), right_way)


crossed_rows = KernelAnalysis("crossed_rows", lambda facts: tuple(_crossed(facts)), needs=(places, layouts_of_file))
"""A :class:`CrossedRows` for each array of a kernel variant that has one."""
