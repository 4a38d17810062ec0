"""Conditions on which all threads agree in every launch in sight, whatever the kernel by itself would let them do.

A launch with numbers for grid and block gives ranges to the indices of its threads, and to the sizes that it passes
their values: ``i < n`` is no condition where 64 threads are launched for 64 elements.
"""

from __future__ import annotations

from kernlint.analysis.coverage import in_whole_blocks
from kernlint.analysis.launching.launch_context import LaunchContext, LaunchView
from kernlint.symbolic.intervals import Bound, declared, interval
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, THREAD, Symbol, Term, const, plain, substitute, symbols
from kernlint.tree.types import U32


def same_in_launches(term: Term, context: LaunchContext) -> bool:
    """Whether there are launches in sight, and in each of them ``term`` has one value for all threads."""
    if not context.launches or context.stated:
        return False
    return all(_same(term, view) for view in context.launches)


def same_in_blocks(term: Term, context: LaunchContext) -> bool:
    """Whether there are launches in sight, and in each of them ``term`` asks whether the number of a thread is below a
    count of whole blocks: those of one block agree, also where each goes on by whole blocks."""
    if not context.launches or context.stated or term.op not in ("lt", "le"):
        return False
    place, limit = term.args if term.op == "lt" else term.args[::-1]
    first = polynomial(place) - polynomial(THREAD[0].term)
    if any(symbol in THREAD for part in (limit, *first.atoms) for symbol in symbols(part)):
        return False
    if not all(BLOCK_DIM[0].term in mono for mono in first.coefficients):
        return False
    return all(
        view.fact.block is not None
        and in_whole_blocks(substitute(limit, dict(view.images)), view.fact.block[0], view.checks)
        for view in context.launches
    )


def _same(term: Term, view: LaunchView) -> bool:
    if _of_one_block(term, view):
        return True
    bounds: dict[Symbol, Bound] = {}
    for places, sizes in ((THREAD, view.fact.block), (BLOCK, view.fact.grid)):
        for place, size in zip(places, sizes or (), strict=False):
            if size.value is not None and size.value > 0:
                bounds[place] = 0, size.value - 1
    moving = [symbol for symbol in symbols(term) if symbol in (*THREAD, *BLOCK)]
    if not moving or not all(symbol in bounds for symbol in moving):
        return False
    low, high = interval(substitute(term, dict(view.images)), lambda symbol: bounds.get(symbol) or declared(symbol))
    return low is not None and low == high


def _symbol(atom: Term) -> Symbol | None:
    return plain(atom).symbol


def _of_one_block(term: Term, view: LaunchView) -> bool:
    """Whether a test asks that the number of a thread is below what the launch has made the only block of
    (``<<<1, n>>>`` and ``i < n``): all threads are."""
    if term.op in ("land", "lor"):
        return all(_of_one_block(part, view) for part in term.terms)
    if term.op not in ("lt", "le") or view.fact.grid is None or view.fact.block is None:
        return False
    place, limit = term.args if term.op == "lt" else term.args[::-1]
    first = {block: const(0, U32) for block, size in zip(BLOCK, view.fact.grid, strict=False) if size.value == 1}
    index = polynomial(substitute(place, first))
    for thread, size in zip(THREAD, view.fact.block, strict=False):
        if index == polynomial(thread.term):
            room = polynomial(plain(substitute(limit, dict(view.images)))) - polynomial(plain(size))
            return room.constant is not None and room.constant >= 0
    return False
