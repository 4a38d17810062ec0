"""What a launch's hints say about single symbols."""

from __future__ import annotations

from kernlint.prove.query import Launch
from kernlint.symbolic.intervals import Bounds
from kernlint.symbolic.terms import Symbol, SymbolKind


def launch_bounds(launch: Launch) -> Bounds:
    """Bounds of every symbol under ``launch``."""
    known = launch.known()
    most = launch.max_threads

    def bounds(symbol: Symbol) -> tuple[int | None, int | None]:
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
    """Whether ``symbol`` is a scalar that the host chooses."""
    return symbol.kind in (SymbolKind.PARAM, SymbolKind.TEMPLATE, SymbolKind.SIZEOF)
