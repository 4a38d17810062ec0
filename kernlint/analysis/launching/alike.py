"""Conditions on which all threads agree in every launch in sight, whatever the kernel by itself would let them do.

A launch with numbers for grid and block gives ranges to the indices of its threads, and to the sizes that it passes
their values: ``i < n`` is no condition where 64 threads are launched for 64 elements.
"""

from __future__ import annotations

from kernlint.analysis.launching.launch_context import LaunchContext, LaunchView
from kernlint.symbolic.intervals import Bound, declared, interval
from kernlint.symbolic.terms import BLOCK, THREAD, Symbol, Term, substitute, symbols


def same_in_launches(term: Term, context: LaunchContext) -> bool:
    """Whether there are launches in sight, and in each of them ``term`` has one value for all threads."""
    if not context.launches or context.stated:
        return False
    return all(_same(term, view) for view in context.launches)


def _same(term: Term, view: LaunchView) -> bool:
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
