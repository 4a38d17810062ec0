"""What a launch's hints say about single symbols."""

from __future__ import annotations

from kernlint.prove.query import Axes, Launch
from kernlint.symbolic.intervals import Bounds
from kernlint.symbolic.terms import Symbol, SymbolKind

Coarse = tuple[Axes, Axes, int, tuple[tuple[Symbol, int], ...]]
"""What :func:`coarse` makes of a launch."""

SMALL = 4095
"""Values up to this are alike in coarse bounds: what is computed from them seldom wraps."""


def coarse(launch: Launch) -> Coarse:
    """``launch`` without the difference between small values: bounds for one hold for many."""
    values = tuple([(symbol, -1 if 0 <= value <= SMALL else value) for symbol, value in launch.values])
    return launch.block, launch.grid, launch.max_threads, values


def launch_bounds(launch: Launch, *, exact: bool = True) -> Bounds:
    """Bounds of every symbol under ``launch``; unless ``exact``, the same ones for each launch that is the same under
    :func:`coarse`."""
    known = launch.known()
    most = launch.max_threads
    small = frozenset() if exact else frozenset(s for s, value in launch.values if 0 <= value <= SMALL)

    def bounds(symbol: Symbol) -> tuple[int | None, int | None]:
        if symbol in small:
            return 0, SMALL
        value = known.get(symbol)
        if value is not None:
            return value, value
        kind = symbol.kind
        if kind is SymbolKind.THREAD:
            dim = launch.block[symbol.axis]
            return 0, (min(most, (symbol.high or 0) + 1) if dim is None else dim) - 1
        if kind is SymbolKind.BLOCK_DIM:
            return 1, min(most, symbol.high or most)
        if kind is SymbolKind.BLOCK:
            dim = launch.grid[symbol.axis]
            return 0, symbol.high if dim is None else dim - 1
        return symbol.low, symbol.high

    return bounds


def is_scalar(symbol: Symbol) -> bool:
    """Whether ``symbol`` is a scalar that the host passes: what it leaves in memory may be a flag or a datum."""
    if isinstance(symbol.origin, tuple):
        return False
    return symbol.kind in (SymbolKind.PARAM, SymbolKind.TEMPLATE, SymbolKind.SIZEOF)
