"""Which small launches and values enumeration tries, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from kernlint.prove.admission import FREE_LAUNCH, Admission
from kernlint.prove.query import Bounds, Launch, Query, Triple
from kernlint.symbolic.terms import BLOCK_DIM, GRID_DIM, Symbol, SymbolKind, Term, symbols
from kernlint.tree.types import IntType

_ONE = (64, 8, 96, 256, 33, 128, 40)
_TWO = ((16, 16), (32, 8), (8, 8), (64, 2), (7, 5), (32, 32), (16, 4))
_THREE = ((8, 8, 4), (16, 4, 2), (4, 4, 4), (3, 5, 7), (64, 2, 2))


def blocks(launch: Launch) -> list[Triple]:
    """Block shapes to try: more than one warp first, odd ones later."""
    free = [axis for axis in range(3) if launch.block[axis] is None]
    fixed = 1
    for dim in launch.block:
        fixed *= dim or 1
    shapes: Sequence[tuple[int, ...]]
    shapes = ((), tuple((n,) for n in _ONE), _TWO, _THREE)[len(free)] if free else ((),)
    out: list[Triple] = []
    for shape in shapes:
        total = fixed
        for dim in shape:
            total *= dim
        if total <= launch.max_threads:
            out.append(_filled(launch.block, shape))
    if not out:  # room for less than the shapes above
        room = max(1, launch.max_threads // fixed)
        out.append(_filled(launch.block, (room, 1, 1)[: len(free)]))
    return out


def grids(launch: Launch, query: Query) -> list[Triple]:
    """Grid sizes to try; for a question about one block the smallest is last."""
    free = [axis for axis in range(3) if launch.grid[axis] is None]
    if isinstance(query, Bounds) or query.within == "block":
        shapes: Sequence[tuple[int, ...]] = ((2, 2, 2), (3, 1, 2), (1, 1, 1))
    else:
        shapes = ((2, 1, 1), (2, 2, 1), (1, 2, 1), (3, 2, 2), (1, 1, 2))
    out: list[Triple] = []
    for shape in shapes:
        grid = _filled(launch.grid, shape[: len(free)])
        if grid not in out:
            out.append(grid)
    return out


def _filled(dims: tuple[int | None, int | None, int | None], shape: tuple[int, ...]) -> Triple:
    values = iter(shape)
    x, y, z = (next(values) if dim is None else dim for dim in dims)
    return x, y, z


MAX_WALKED, PART = 288, 96
"""Threads of a block that are walked, and of larger blocks the first, and as many in the middle."""


Chosen = tuple[Triple, int, int, int]
"""Which threads are walked: see :func:`threads`."""


@lru_cache(maxsize=64)
def threads(chosen: Chosen) -> list[Triple]:
    """Threads of a block, in the order of their linear index, for ``(block, most, part, step)``: all of them when there
    are at most ``most``, else the first ``part`` of them, as many around the middle, and two thirds as many at the end;
    of those each ``step``-th."""
    block, most, part, step = chosen
    bx, by, bz = block
    total = bx * by * bz
    walked: Sequence[int] = range(total)
    if total > most:
        middle = total // 2
        third = part // 3
        walked = [*range(part), *range(middle - third, middle + 2 * third), *range(total - 2 * third, total)]
        walked = sorted(set(walked))
    return [(i % bx, i // bx % by, i // (bx * by)) for i in walked[::step]]


def some_blocks(grid: Triple) -> list[Triple]:
    """Blocks of a grid that are walked: the first two and the last along each axis."""
    axes = [range(n) if n <= 3 else (0, 1, n - 1) for n in grid]
    return [(x, y, z) for z in axes[2] for y in axes[1] for x in axes[0]]


class Values:
    """Values of shared symbols for a launch: trial 0, 1, ..."""

    def __init__(
        self,
        wanted: Sequence[Symbol],
        known: dict[Symbol, int],
        constants: set[int],
        premises: Sequence[Term],
        admission: Admission = FREE_LAUNCH,
    ) -> None:
        self.admission = admission
        self.known = known
        self._pools: dict[tuple[Symbol, Triple, Triple], list[int]] = {}
        self.definitions: dict[Symbol, Term] = {}
        for premise in premises:
            self._define(premise, wanted)
        launch = (SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM)
        self.free = [s for s in wanted if s not in known and s not in self.definitions and s.kind not in launch]
        self.constants = sorted(c for c in constants if 1 < c <= 4096)

    def _define(self, premise: Term, wanted: Sequence[Symbol]) -> None:
        """``symbol == term`` defines the symbol."""
        if premise.op != "eq":
            return
        for target, value in (premise.args, premise.args[::-1]):
            while target.op == "cast" and isinstance(target.args[0].type, IntType):
                target = target.args[0]
            symbol = target.symbol
            if symbol is None or symbol in self.known or symbol in self.definitions or symbol not in wanted:
                continue
            inside = set(symbols(value))
            if symbol not in inside and not inside & set(self.definitions):
                self.definitions[symbol] = value
                return

    def pool(self, symbol: Symbol, block: Triple, grid: Triple) -> list[int]:
        """Values worth trying for ``symbol``, the plausible ones first."""
        key = (symbol, block, grid)
        done = self._pools.get(key)
        if done is None:
            done = self._pools[key] = self._pool(symbol, block, grid)
        return done

    def _pool(self, symbol: Symbol, block: Triple, grid: Triple) -> list[int]:
        kind = symbol.kind
        width = block[0]
        total = block[0] * block[1] * block[2]
        across = width * grid[0]
        if kind is SymbolKind.SIZEOF:
            candidates = [4, 8, 2, 1, 16]
        elif kind is SymbolKind.WARP_SIZE:
            candidates = [32, 64]
        elif kind is SymbolKind.OFFSET:
            candidates = [0, width]
        elif kind in (SymbolKind.PARAM, SymbolKind.TEMPLATE, SymbolKind.LOAD):
            near = [v for c in self.constants for v in (c, c + 1, c - 1)]
            candidates = [across, width, width // 2, 4, 1, across - 1, total, 3, 2, 2 * width, width - 1, 7, *near]
            candidates += [across + 1, width + 1, 16, 5, 100, total * grid[0], 8, 32]
        else:
            candidates = [1, 0, 2, 3, width // 2, 4]
        low = symbol.low
        if kind in (SymbolKind.PARAM, SymbolKind.TEMPLATE, SymbolKind.SIZEOF) and (
            symbol.high is None or symbol.high > 0
        ):
            low = max(low or 1, 1)
        if low is not None and symbol.high is not None and symbol.high - low < 16:
            candidates += range(low, symbol.high + 1)
        elif low is not None:
            candidates += [low, low + 1]
        bottom, top = _limits(low, symbol)
        out = [v for v in dict.fromkeys(candidates) if bottom <= v <= top]
        ranges = self.admission.range_of(symbol, block) if self.admission.ways else None
        if ranges is not None:
            least, most = max(ranges[0], bottom), min(ranges[1], top)
            ends = [v for v in (most, least, (least + most) // 2) if v < _HUGE]
            out = list(dict.fromkeys((*(v for v in out if least <= v <= most), *ends)))
        if not out:
            out = [v for v in (low, symbol.high, 0) if v is not None][:1]
        return out

    def trials(self, block: Triple, grid: Triple) -> Iterator[dict[Symbol, int]]:
        """Assignments of the free symbols: all alike, then one apart, then mixed."""
        free = self.free
        pools = [self.pool(symbol, block, grid) for symbol in free]
        seen: set[tuple[int, ...]] = set()

        def fresh(values: tuple[int, ...]) -> Iterator[dict[Symbol, int]]:
            if values not in seen:
                seen.add(values)
                yield dict(zip(free, values, strict=True))

        longest = max((len(pool) for pool in pools), default=1)
        for index in range(min(longest, 4 if len(free) > 1 else longest)):
            yield from fresh(tuple(pool[min(index, len(pool) - 1)] for pool in pools))
        for index in range(1, min(longest, 6)):
            for at in range(len(free)):
                yield from fresh(tuple(pool[index % len(pool) if i == at else 0] for i, pool in enumerate(pools)))
        state = 12345
        for _ in range(64 if len(free) > 1 else 0):
            values = []
            for pool in pools:
                state = (state * 1103515245 + 12345) & 0x7FFFFFFF  # the C standard's example generator
                values.append(pool[(state >> 16) % len(pool)])
            yield from fresh(tuple(values))


def _limits(low: int | None, symbol: Symbol) -> tuple[int, int]:
    """Least and greatest value for ``symbol``, which is ``low`` at least."""
    kind = symbol.type
    bottom, top = (kind.low, kind.high) if isinstance(kind, IntType) else (-_ENDLESS, _ENDLESS)
    return (
        bottom if low is None else max(bottom, low),
        top if symbol.high is None else min(top, symbol.high),
    )


_HUGE = 1 << 24
"""Ends of ranges beyond are not worth trying."""

_ENDLESS = 1 << 200
"""More than any value."""


def dims_of(block: Triple, grid: Triple) -> dict[Symbol, int]:
    """The launch's dimensions as values of their symbols."""
    return {**dict(zip(BLOCK_DIM, block, strict=True)), **dict(zip(GRID_DIM, grid, strict=True))}
