"""Lengths of rows that a kernel covers by whole tiles.

``block % ((n + 127) / 128)`` says which tile of a row of ``n`` a block has.  Where no condition compares anything with
``n``, the kernel has no last tile that is shorter, so its rows are whole tiles: with any other length it would write
beyond its rows, whoever else is there.  That is a matter of sizes, and no race.

``thread / size * size`` is the first thread of the tile of ``size`` ones that a thread is in.  Where no condition
compares the size with that of the block, the kernel has no last tile that is shorter, and blocks are whole tiles.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from math import lcm

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.scenarios.numbers import Numbers, scalar
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import BLOCK_DIM, THREAD, Symbol, SymbolKind, Term, binary, const, plain, symbols
from kernlint.tree.types import BOOL

LARGEST = 4096
"""Elements in a tile, at most."""


def in_tiles(pair: Pair) -> dict[Symbol, int]:
    """The arguments that are lengths of rows of whole tiles in the places of ``pair``, with the length of a tile."""
    found: dict[Symbol, int] = {}
    for at in (pair.a, pair.b):
        for symbol, tile in _tiles(at.offset):
            found[symbol] = lcm(found.get(symbol, 1), tile)
    if not found:
        return found
    tested = {symbol for at in (pair.a, pair.b) for fact in at.facts for symbol in symbols(fact)}
    return {symbol: tile for symbol, tile in found.items() if symbol not in tested and tile <= LARGEST}


def whole(tiles: dict[Symbol, int]) -> list[Term]:
    """That each of these lengths is a whole number of its tiles."""
    return [
        binary("eq", binary("mod", symbol.term, const(tile, symbol.type), symbol.type), const(0, symbol.type), BOOL)
        for symbol, tile in tiles.items()
    ]


def rounded(numbers: Iterable[tuple[Symbol, int]], tiles: dict[Symbol, int]) -> Numbers:
    """``numbers`` with those of ``tiles`` rounded up to whole ones."""
    return tuple((symbol, -(-value // (tile := tiles.get(symbol, 1))) * tile) for symbol, value in numbers)


def blocks_in_tiles(pair: Pair) -> list[Term]:
    """That each block is a whole number of the tiles, along its axis, into which ``pair`` takes its threads
    apart, where arguments say how many threads a tile has."""
    found = dict.fromkeys(
        one for at in (pair.a, pair.b) for term in (at.offset, *at.guards) for one in _threads_apart(term)
    )
    return [
        binary("eq", binary("mod", size.term, tile.term, size.type), const(0, size.type), BOOL)
        for size, tile in found
        if not any(size in fact.symbols and tile in fact.symbols for at in (pair.a, pair.b) for fact in at.facts)
    ]


@functools.lru_cache(maxsize=1 << 12)
def _threads_apart(term: Term) -> tuple[tuple[Symbol, Symbol], ...]:
    """The arguments by which ``term`` divides the number of a thread, or takes its remainder, each behind the size of
    the block along the thread's axis."""
    found: dict[tuple[Symbol, Symbol], None] = {}
    if term.op in ("div", "mod"):
        thread, tile = (plain(arg).symbol for arg in term.args)
        if thread in THREAD and tile is not None and tile.kind is SymbolKind.PARAM and scalar(tile):
            found[BLOCK_DIM[THREAD.index(thread)], tile] = None
    for arg in term.terms:
        found.update(dict.fromkeys(_threads_apart(arg)))
    return tuple(found)


@functools.lru_cache(maxsize=1 << 12)
def _tiles(term: Term) -> tuple[tuple[Symbol, int], ...]:
    """The arguments that ``term`` divides by a number to count tiles, with that number."""
    found: dict[tuple[Symbol, int], None] = {}
    tile = term.args[1].value if term.op in ("div", "shr") else None
    if tile is not None and term.op == "shr":
        tile = 1 << tile if 0 <= tile < LARGEST.bit_length() else None
    if tile is not None and 1 < tile <= LARGEST:
        form = polynomial(term.args[0]).coefficients
        names = [mono for mono in form if mono]
        symbol = names[0][0].symbol if len(names) == 1 and len(names[0]) == 1 else None
        if symbol is not None and scalar(symbol) and form[names[0]] == 1 and 0 <= form.get((), 0) < tile:
            found[symbol, tile] = None
    for arg in term.terms:
        found.update(dict.fromkeys(_tiles(arg)))
    return tuple(found)
