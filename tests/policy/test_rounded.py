"""What comments say of grids that are rounded up."""

from __future__ import annotations

import pytest

from kernlint.policy.rounded import along


@pytest.mark.parametrize(
    ("text", "axes"),
    [
        ("the global size is n rounded up to a multiple of 64", "xyz"),
        ("Global size: width x height, rounded up to 16 x 16 groups", "xyz"),
        ("The host rounds both global sizes up to the group", "xyz"),
        ("global size {round_up(heads, 64), windows, batch}", "x"),
        ("global size = (MAX, width rounded up to a multiple of PATHS)", "y"),
        ("the global size is rounded up to it in x and is the height in y", "x"),
        ("the global size is (width, height) rounded up to the local size", "xyz"),
        ("the host rounds the number of cells up to the next multiple of the group size", "xyz"),
        ("Enqueued over (ceil(width / BLK) * BLK, ceil(height / BLK) * BLK)", "xy"),
        ("Launched with (width, ceil(height / 8) * 8) items", "y"),
        ("Enqueued over (width, height)", ""),
        ("Allocated for (ceil(width / 8) * 8, height)", ""),
        ("the number of atoms is rounded up to a multiple of the block size", ""),
        ("the host allocates n, rounded up to a multiple of the block size", ""),
        ("global x = columns rounded up to the group, global y = number of bands", "x"),
        ("global x is the width, global y is the height rounded up to 8", "y"),
        ("global x = columns, global y = rows", ""),
        ("the global x coordinate of a pixel, rounded up to a whole one", ""),
        ("the global size is n", ""),
        ("the global size may be rounded up", ""),
        ("the global size is rounded up, and so are the padded buffers", ""),
        ("n is rounded up to the next power of two; the global size is n / 2", ""),
        ("the length rounded up to the next power of two is the global size", ""),
        ("sums are rounded up", ""),
    ],
)
def test_axes(text: str, axes: str) -> None:
    assert along(text) == frozenset("xyz".index(name) for name in axes)
