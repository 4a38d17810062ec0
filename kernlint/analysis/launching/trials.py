"""Trying out whether the threads of a block, or the blocks of a grid, find one value for a term."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, THREAD, Symbol, SymbolKind, Term

Block = tuple[int, int, int]

ROUNDS = 40
"""Iterations of a loop over which agreement is tried out."""

POINTS = 20_000
"""Evaluations spent on one condition; beyond them the threads are taken to disagree as far as is known."""

NONE: Mapping[Symbol, int] = {}


def threads_agree(term: Term, found: list[Symbol], block: Block, others: Mapping[Symbol, int] = NONE) -> bool:
    counters = [symbol for symbol in found if symbol.kind is SymbolKind.COUNTER]
    axes = sorted({symbol.axis for symbol in found if symbol.kind is SymbolKind.THREAD})
    threads = 1
    for axis in axes:
        threads *= block[axis]
    if len(counters) > 2 or threads * ROUNDS ** len(counters) > POINTS * 4:
        counters_range: Iterable[tuple[int, ...]] = product(range(6), repeat=len(counters))
    else:
        counters_range = product(range(ROUNDS), repeat=len(counters))
    spent = 0
    env: dict[Symbol, int] = {**others, **{BLOCK_DIM[axis]: block[axis] for axis in range(3)}}
    for values in counters_range:
        env.update(zip(counters, values, strict=True))
        first: int | None = None
        for thread in _threads(axes, block):
            env.update(thread)
            value = evaluate(term, env)
            spent += 1
            if value is None or spent > POINTS:
                return False
            if first is None:
                first = value
            elif value != first:
                return False
    return True


def blocks_agree(term: Term, found: list[Symbol], grid: Block) -> bool:
    """Whether all blocks of ``grid`` give ``term`` one value, in each of the first iterations of its loops."""
    axes = sorted({symbol.axis for symbol in found if symbol.kind is SymbolKind.BLOCK})
    counters = [symbol for symbol in found if symbol.kind is SymbolKind.COUNTER]
    env: dict[Symbol, int] = {GRID_DIM[axis]: grid[axis] for axis in range(3)}
    spent = 0
    for values in product(range(6), repeat=len(counters)):
        env.update(zip(counters, values, strict=True))
        seen: set[int] = set()
        for place in product(*(range(grid[axis]) for axis in axes)):
            env.update({BLOCK[axis]: value for axis, value in zip(axes, place, strict=True)})
            value = evaluate(term, env)
            spent += 1
            if value is None or spent > POINTS:
                return False
            seen.add(value)
            if len(seen) > 1:
                return False
    return True


def _threads(axes: list[int], block: Block) -> Iterator[dict[Symbol, int]]:
    for place in product(*(range(block[axis]) for axis in axes)):
        yield {THREAD[axis]: value for axis, value in zip(axes, place, strict=True)}
