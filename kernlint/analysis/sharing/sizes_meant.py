"""Races that need a particular relation of two sizes of which nobody in sight says how they go together.

A fine grid and the modes on it, the number of columns and the length of a row: which of two members that other code
fills is the larger one is not known, and a race that there is for one of the two orders alone rests on a guess.  So
does one for which a length that is a number in the kernel has to differ from the size of the grid that the kernel has
for it elsewhere, where the host is given that size.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.scenarios.scenario import Scenario
from kernlint.analysis.sharing.finder import Finder
from kernlint.prove.admission import Admission
from kernlint.prove.query import Refuted, Scope
from kernlint.record import replace
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import (
    BLOCK,
    GRID_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    binary,
    cast,
    plain,
)
from kernlint.tree.types import BOOL, I64, IntType

LARGEST = 1024
"""Elements of a row whose length is a number in the kernel, at most, that a size of the grid is taken for."""


def rests_on_a_guess(finder: Finder, pair: Pair, within: Scope, met: Refuted) -> bool:
    """Whether the race ``met`` is none where sizes of which nothing is known are the other way round."""
    admission = finder.shapes.admission
    if not admission.ways:
        return False
    values = dict(met.values)
    among = dict.fromkeys((*pair.a.offset.symbols, *pair.b.offset.symbols))
    hidden = [symbol for symbol in among if symbol in values and _out_of_sight(symbol, admission)]
    turned = tuple(
        binary("le", cast(more.term, I64), cast(less.term, I64), BOOL)
        for less in hidden
        for more in hidden
        if values[less] < values[more]
    )
    if turned:
        other = replace(pair, a=replace(pair.a, guards=(*pair.a.guards, *turned)))
        if finder.meet(other, within) is None:
            return True
    return any(
        replace(finder, shapes=replace(finder.shapes, plausible=alike)).meet(pair, within) is None
        for alike in _with_rows_of_grid(finder, pair)
    )


def _out_of_sight(symbol: Symbol, admission: Admission) -> bool:
    """Whether all that launches say of a scalar is which member of an object of their callers it is."""
    if symbol.kind is not SymbolKind.PARAM or not isinstance(symbol.type, IntType):
        return False
    images = [image for way in admission.ways for of, image in way.images if of is symbol]
    return len(images) == len(admission.ways) and all(map(_member, images))


def _member(image: Term) -> bool:
    host = plain(image).symbol
    return host is not None and host.kind is SymbolKind.LOAD


def _with_rows_of_grid(finder: Finder, pair: Pair) -> Iterator[tuple[Scenario, ...]]:
    """The scenarios with a grid as large as rows are long, where both stand for one length."""
    lengths = [length for length in (_row(pair.a.offset), _row(pair.b.offset)) if 1 < length <= LARGEST]
    sizes = {
        atom.symbol
        for at in (pair.a, pair.b)
        for mono in polynomial(at.offset).coefficients
        for atom in mono
        if len(mono) > 1 and atom.symbol in GRID_DIM
    }
    for size in GRID_DIM if lengths else ():
        if size in sizes and _given(size, finder.shapes.admission):
            axis = GRID_DIM.index(size)
            yield tuple(replace(one, grid=_at(one, axis, lengths[0])) for one in finder.shapes.plausible)


def _at(one: Scenario, axis: int, length: int) -> tuple[int | None, int | None, int | None]:
    x, y, z = (length if at == axis else size for at, size in enumerate(one.grid))
    return x, y, z


def _given(size: Symbol, admission: Admission) -> bool:
    """Whether the functions that launch are given a size of the grid."""
    images = [image for way in admission.ways for of, image in way.images if of is size]
    hosts = [plain(image).symbol for image in images]
    return bool(hosts) and all(host is not None and host.kind is SymbolKind.PARAM for host in hosts)


def _row(offset: Term) -> int:
    """How many times further apart neighbours along one axis are than along another; 0: that is no number."""
    steps: dict[int, int] = {}
    for mono, step in polynomial(offset).coefficients.items():
        if len(mono) == 1 and mono[0].symbol in (*THREAD, *BLOCK) and step > 0:
            # A block's number along an axis is one of its own, as is a thread's.
            steps[(mono[0].symbol in BLOCK) * 3 + mono[0].symbol.axis] = step
    narrow, wide = min(steps.values(), default=0), max(steps.values(), default=0)
    return wide // narrow if len(steps) > 1 and wide % narrow == 0 else 0
