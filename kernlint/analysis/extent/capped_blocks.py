"""Blocks whose sides the host holds down each by itself, and whose threads are too many together.

``block.x = divisor(nx, 512); block.y = divisor(ny, 4); block.z = divisor(nz, 2)`` has 4096 threads for a large domain,
whether the caps stand in a minimum, a loop that doubles, a selection or a helper: the sides are worked out for sizes
that are large, and for larger ones.  Where they are the same, the caps are the host's own.
"""

from __future__ import annotations

from kernlint.analysis.extent.tried import launch_with, settings_of
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.symbolic.terms import symbols

LARGE = ((1 << 12,) * 16, (1 << 14,) * 16)
"""Values for the sizes that a launch is made of: powers of two, which whatever is asked to divide them does."""


def capped_block(view: LaunchView, most: int) -> tuple[int, int, int] | None:
    """The sides of a block of more than ``most`` threads that a launch has for all large sizes; None where there is
    none, or fewer than two of its sides follow sizes."""
    block = view.fact.block
    if block is None or sum(bool(symbols(side)) for side in block) < 2:
        return None
    found: set[tuple[int, int, int]] = set()
    for values in LARGE:
        env = next(settings_of(view, tried=(values,)), None)
        launch = launch_with(view, env) if env is not None else None
        if launch is None:
            return None
        x, y, z = (side or 1 for side in launch.block)
        found.add((x, y, z))
    if len(found) != 1:
        return None
    x, y, z = found.pop()
    return (x, y, z) if most < x * y * z <= most * most else None
