"""C-like arithmetic on 32-bit terms, to write queries shortly.  Not a test."""

from __future__ import annotations

from kernlint.prove.query import Axes, Bounds, Launch, LoopRange, Overlap, Scope, Side
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    GRID_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    cast,
    const,
)
from kernlint.tree.types import BOOL, I32, I64, IntType


class E:
    """An expression of machine type ``type`` (int unless said otherwise)."""

    def __init__(self, term: Term) -> None:
        self.term = term

    def _binary(self, op: str, other: E | int, flip: bool = False) -> E:
        kind = self.term.type
        assert isinstance(kind, IntType)
        right = other.term if isinstance(other, E) else const(other, kind)
        left, right = (right, self.term) if flip else (self.term, right)
        return E(binary(op, left, right, BOOL if op in ("lt", "le", "eq", "ne") else kind))

    def __add__(self, other: E | int) -> E:
        return self._binary("add", other)

    def __radd__(self, other: int) -> E:
        return self._binary("add", other, True)

    def __sub__(self, other: E | int) -> E:
        return self._binary("sub", other)

    def __rsub__(self, other: int) -> E:
        return self._binary("sub", other, True)

    def __mul__(self, other: E | int) -> E:
        return self._binary("mul", other)

    def __rmul__(self, other: int) -> E:
        return self._binary("mul", other, True)

    def __floordiv__(self, other: E | int) -> E:
        return self._binary("div", other)

    def __mod__(self, other: E | int) -> E:
        return self._binary("mod", other)

    def __and__(self, other: E | int) -> E:
        return self._binary("and", other)

    def __or__(self, other: E | int) -> E:
        return self._binary("or", other)

    def __xor__(self, other: E | int) -> E:
        return self._binary("xor", other)

    def __rshift__(self, other: E | int) -> E:
        return self._binary("shr", other)

    def __lshift__(self, other: E | int) -> E:
        return self._binary("shl", other)

    def __lt__(self, other: E | int) -> E:
        return self._binary("lt", other)

    def __le__(self, other: E | int) -> E:
        return self._binary("le", other)

    def __gt__(self, other: E | int) -> E:
        return self._binary("lt", other, True)

    def __ge__(self, other: E | int) -> E:
        return self._binary("le", other, True)

    def eq(self, other: E | int) -> E:
        return self._binary("eq", other)

    def ne(self, other: E | int) -> E:
        return self._binary("ne", other)


def _int(symbol: Symbol) -> E:
    return E(cast(symbol.term, I32))


TX, TY, TZ = (_int(symbol) for symbol in THREAD)
BX, BY, BZ = (_int(symbol) for symbol in BLOCK)
BDX, BDY, BDZ = (_int(symbol) for symbol in BLOCK_DIM)
GDX, GDY, GDZ = (_int(symbol) for symbol in GRID_DIM)
GX = BX * BDX + TX
GY = BY * BDY + TY


def param(name: str, low: int | None = None, high: int | None = None, kind: IntType = I32) -> E:
    """A scalar argument."""
    return E(Symbol(SymbolKind.PARAM, name, kind, low=low, high=high, uniformity=Uniformity.GRID).term)


def loaded(name: str, low: int | None = None, high: int | None = None) -> E:
    """What some thread reads from memory."""
    return E(Symbol(SymbolKind.LOAD, name, I32, low=low, high=high).term)


def counter(name: str) -> E:
    """The iteration number of a loop, as an int."""
    origin = object()
    return E(cast(Symbol(SymbolKind.COUNTER, name, I64, low=0, uniformity=Uniformity.GRID, origin=origin).term, I32))


def symbol_of(e: E) -> Symbol:
    term = e.term
    while term.op == "cast":
        term = term.args[0]
    assert term.op == "sym"
    symbol = term.args[0]
    assert isinstance(symbol, Symbol)
    return symbol


def side(index: E, *guards: E, size: int = 4, loops: tuple[tuple[E, E | int], ...] = (), bytes_: bool = False) -> Side:
    """An access to element ``index`` of ``size`` bytes; ``loops``: (counter, bound or condition)."""
    ranges = []
    for at, bound in loops:
        if isinstance(bound, int):
            ranges.append(LoopRange(symbol_of(at), (at < bound).term, bound))
        else:
            ranges.append(LoopRange(symbol_of(at), bound.term))
    offset = cast(index.term, I64)
    if not bytes_:
        offset = binary("mul", offset, const(size, I64), I64)
    return Side(offset, size, tuple(guard.term for guard in guards), tuple(ranges))


ONE: Axes = (1, 1, 1)
LINE: Axes = (None, 1, 1)
PLANE: Axes = (None, None, 1)


def launch(
    block: Axes = LINE, grid: Axes = LINE, max_threads: int = 1024, values: tuple[tuple[E, int], ...] = ()
) -> Launch:
    return Launch(block, grid, max_threads, tuple((symbol_of(e), value) for e, value in values))


def race(
    a: Side,
    b: Side,
    within: Scope = "block",
    block: Axes = LINE,
    grid: Axes = LINE,
    premises: tuple[E, ...] = (),
    tied: tuple[tuple[E, E, int], ...] = (),
    exclude_same_warp: bool = False,
    require_same_warp: bool = False,
    values: tuple[tuple[E, int], ...] = (),
) -> Overlap:
    return Overlap(
        a,
        b,
        within,
        tuple((symbol_of(x), symbol_of(y), shift) for x, y, shift in tied),
        exclude_same_warp,
        require_same_warp,
        tuple(p.term for p in premises),
        launch=launch(block, grid, values=values),
    )


def bounds(
    access: Side,
    extent: E | int,
    block: Axes = LINE,
    grid: Axes = LINE,
    premises: tuple[E, ...] = (),
    size: int = 4,
    values: tuple[tuple[E, int], ...] = (),
) -> Bounds:
    """Can ``access`` leave an array of ``extent`` elements of ``size`` bytes?"""
    if isinstance(extent, int):
        limit = const(extent * size, I64)
    else:
        limit = binary("mul", cast(extent.term, I64), const(size, I64), I64)
    return Bounds(access, limit, tuple(p.term for p in premises), launch=launch(block, grid, values=values))
