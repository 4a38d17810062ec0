"""What says that an array has no room on the side of a neighbour that a kernel looks at.

A test that lets the neighbour of the last element through is wrong only where there is nothing behind that: the kernel
looks to the other side too, or its own tests speak of the end for a nearer neighbour, or along another axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from kernlint.analysis.extent.limits import Dimension, Indexed
from kernlint.analysis.extent.wrong_guards.faults import kind_of
from kernlint.analysis.trace.events import Access, Root, Trace
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import SymbolKind, plain


class Surroundings:
    """What the accesses of a kernel say of the room on a side of a neighbour, by array, number of dimensions and axis:
    those with the same dimensions are looked at once."""

    def __init__(self, indexed: Sequence[Indexed]) -> None:
        self._before: set[tuple[Root, int, int]] = set()
        self._ending: dict[tuple[Root, int, int, Polynomial], list[Dimension]] = {}
        self._in_rows: dict[tuple[Root, int], list[Indexed]] = {}
        seen: set[tuple[Root, int]] = set()
        for one in indexed:
            root, count = one.access.root, len(one.dimensions)
            if (root, id(one.dimensions)) in seen:
                continue
            seen.add((root, id(one.dimensions)))
            if count > 1:
                self._in_rows.setdefault((root, count), []).append(one)
            for at, mine in enumerate(one.dimensions):
                if mine.least is not None and mine.least < 0:
                    self._before.add((root, count, at))
                if mine.limits and mine.limits[0].slack == -1:
                    self._ending.setdefault((root, count, at, mine.limits[0].most), []).append(mine)

    def seen(self, one: Indexed, dimension: Dimension) -> bool:
        """Whether something says that the array has no more room on this side of the neighbour."""
        at = one.dimensions.index(dimension)
        centred = (one.access.root, len(one.dimensions), at) in self._before  # the kernel looks to the other side too
        return centred or self._a_step_further(one, at) or self._kept_along_rows(one, at)

    def _a_step_further(self, one: Indexed, at: int) -> bool:
        """Whether the same test keeps a nearer neighbour, on the same side, at the last place of all, and the kernel
        uses that place: the test was made for a stencil that looks less far.

        Excused: ``if (i < n - 1) y[i] = x[i + 2] - x[i + 1];`` in a kernel that leaves it open whether ``x`` has more
        than ``n`` elements.  Still bad: with ``else y[i] = x[i];`` for ``i < n``.
        """
        dimension = one.dimensions[at]
        best = dimension.limits[0]
        nearer = last = False
        for mine in self._ending.get((one.access.root, len(one.dimensions), at, best.size - number(1)), ()):
            apart = (dimension.index - mine.index).constant
            if apart is not None and apart > 0:
                same = mine.limits[0].part == best.part
                nearer = nearer or (same and mine.index != polynomial(best.part.args[0]))
                last = last or not same
            if nearer and last:
                return True
        return False

    def _kept_along_rows(self, one: Indexed, at: int) -> bool:
        """Whether the kernel keeps a neighbour as far away along another axis of the array inside by a test of its own.

        Excused: ``y[j * w + i] = x[(j + 1) * w + i] - x[j * w + i]`` alone: the array may have a row more.  Still bad:
        with ``if (i < w - 1) d = x[j * w + i + 1] - x[j * w + i];``.  A range of rows that the host begins at a number
        of its own (``j = first + id; if (j < end)``) it ends where the rows have neighbours too.
        """
        dimension = one.dimensions[at]
        if any(len(m) == 1 and kind_of(m[0]) is SymbolKind.PARAM for m in dimension.index.coefficients):
            return False
        step = dimension.index.coefficients.get((), 0)
        for other in self._in_rows.get((one.access.root, len(one.dimensions)), ()) if step >= 1 else ():
            for along, mine in enumerate(other.dimensions):
                here = one.dimensions[along].index
                ends = [limit for limit in mine.limits if limit.part.op in ("lt", "le")] if along != at else []
                if not ends or ends[0].slack != -1 or (mine.index - here).constant != step:
                    continue
                if (dimension.index - other.dimensions[at].index).constant == step:  # along the same axis
                    return True
        return False


def exchanged(kernel: Trace, access: Access, index: Polynomial) -> bool:
    """Whether two elements change places: as many as there were there are afterwards.  Elements in pairs may be an even
    number.

    Still bad: ``if (i < n && x[i] > x[i + 1]) swap(x[i], x[i + 1]);``.  Excused: ``x[i + 1] = x[i] + y[i];``
    """
    if gcd(*(value for mono, value in index.coefficients.items() if mono)) > 1:
        return False
    return any(
        other.writes and other.root is access.root and _held(access, other) and _held(other, access)
        for other in kernel.accesses
    )


def _held(access: Access, other: Access) -> bool:
    """Whether an access stores what has been read at the place of another."""
    symbol = plain(access.value).symbol if access.value is not None else None
    held = symbol is not None and symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple)
    return held and symbol is not None and symbol.origin[:2] == (other.root, other.offset)
