"""Launches with a thread for each block of the launch before: they take what those blocks have left, one thing each."""

from __future__ import annotations

from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.trace.values import PointerValue
from kernlint.symbolic.polynomial import number, polynomial


def one_for_each_block(view: LaunchView) -> bool:
    """Whether a launch has as many threads as one before it has blocks, and goes through memory that it was given too:
    ``sums<<<blocks, 256>>>(x, part, n); total<<<1, blocks>>>(part, n, out);``.  What the second one tests its threads
    against, be it the number of elements or that of blocks, is passed by all of them."""
    fact = view.fact
    if fact.walk is None or fact.event is None or fact.grid is None or fact.block is None:
        return False
    threads = number(1)
    for size in (*fact.grid, *fact.block):
        threads = threads * polynomial(size)
    given = {id(arg.root) for arg in fact.event.args if isinstance(arg, PointerValue)}
    for one in fact.walk.launches:
        if one.order >= fact.event.order or one.grid is None:
            continue
        blocks = number(1)
        for size in one.grid:
            blocks = blocks * polynomial(size)
        shared = any(id(arg.root) in given for arg in one.args if isinstance(arg, PointerValue))
        if shared and blocks == threads and blocks != number(1):
            return True
    return False
