"""Sizes that are made up: of blocks and grids that nothing speaks of, and of arguments that nobody states."""

from __future__ import annotations

Block = tuple[int, int, int]

USUAL = (1024, 768, 512, 384, 256, 192, 128, 96, 64, 48, 32, 16, 8, 4, 2)
"""Sizes along the only axis of a block, largest first."""

PLANES = (
    (32, 32),
    (32, 16),
    (16, 32),
    (64, 8),
    (8, 64),
    (16, 16),
    (32, 8),
    (8, 32),
    (64, 4),
    (32, 4),
    (16, 8),
    (8, 16),
    (8, 8),
    (16, 4),
    (4, 16),
    (4, 4),
    (32, 2),
    (32, 1),
    (2, 2),
)
"""Sizes along two axes, largest first."""

CUBES = ((8, 8, 8), (16, 8, 4), (8, 8, 4), (8, 8, 2), (4, 4, 4), (32, 4, 2), (2, 2, 2))
"""Sizes along three axes."""

DEFAULTS: dict[int, Block] = {0: (1, 1, 1), 1: (128, 1, 1), 2: (16, 16, 1), 3: (8, 8, 2)}
"""The block of a kernel of which nothing is known, by the number of axes whose thread index it reads."""

LINES: tuple[Block, ...] = ((256, 1, 1), (128, 1, 1), (64, 1, 1), (512, 1, 1), (1024, 1, 1))
"""Blocks along x that kernels are usually written for, the most usual first."""

SQUARES: tuple[Block, ...] = ((16, 16, 1), (32, 8, 1), (32, 32, 1), (8, 8, 1))
"""The same along two axes."""

BRICKS: tuple[Block, ...] = ((8, 8, 8), (8, 8, 4), (16, 4, 4))
"""The same along three."""

COMPUTED = (1024, 768, 512, 384, 256, 192, 128, 96, 64, 32, 16, 8)
"""Sizes of blocks along one axis that are tried where the launches in sight compute theirs."""

POWERS: tuple[Block, ...] = tuple((size, 1, 1) for size in (64, 128, 256, 512, 1024))
"""Blocks of whole warps, small ones first: what holds for all of them holds for a block."""

GRIDS: tuple[Block, ...] = tuple((size, size, size) for size in (2, 7, 16))
"""Grids that are tried when none is in sight."""

OTHERS = 1000
"""The value of block indices, grid sizes and arguments where only the thread's index is tried out."""


def usual(axes: frozenset[int] | set[int]) -> tuple[Block, ...]:
    """The blocks that kernels which read the thread index along ``axes`` are usually written for."""
    return BRICKS if 2 in axes else SQUARES if 1 in axes else LINES
