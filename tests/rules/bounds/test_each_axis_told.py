"""Images under a comment that says of each axis by itself whether the launch is rounded up along it."""

import pytest
from kernlint_rules.bounds.image_coordinate_out_of_range import ImageCoordinateOutOfRange

from tests.rules.marked import assert_marked

FILL = """
/* Host: local = (16, 1); %s. */
__kernel void fill(__write_only image2d_t out, uint left, uint columns, uint bands, uint high) {
    const uint x = get_global_id(0), y = get_global_id(1);
    for (uint i = 0; i < high; i++)
        if (%s) write_imagef(out, (int2)((int)(x + left), (int)(y * high + i)), (float4)(1.0f));%s
}
"""


@pytest.mark.parametrize(
    ("said", "test", "bad"),
    [
        ("global x = columns rounded up to the local size, global y = number of bands", "high > 2", True),
        ("global x = columns rounded up to the local size, global y = number of bands", "x < columns", False),
        ("global x = columns, global y = number of bands", "high > 2", False),
        ("global x = columns, global y = bands rounded up to 4", "x < columns", True),
        ("global x = columns, global y = bands rounded up to 4", "y < bands", False),
    ],
)
def test_axes(said: str, test: str, bad: bool) -> None:
    assert_marked(ImageCoordinateOutOfRange, FILL % (said, test, "  // bad" if bad else ""), "opencl")
