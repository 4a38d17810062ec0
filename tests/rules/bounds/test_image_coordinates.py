"""Pixels that are written outside of their image: by surplus work items, past a test that is about another place."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.image_coordinate_out_of_range import ImageCoordinateOutOfRange

from tests.rules.marked import findings

QUADS = """
SAID
__kernel void quads(__read_only image2d_t coarse, __write_only image2d_t fine, const int dx) {
    const int u = 2 * get_global_id(0), v = get_global_id(1);
    const float4 c = read_imagef(coarse, (int2)(u / 2, v));
    for (int i = 0; i < 2; ++i) {
        const int2 at = (int2)(PLACE);
        TEST write_imagef(fine, at, c);
    }
}
"""
UP = "// Global size: as many work items as the coarse image has pixels, rounded up to multiples of the group"


@pytest.mark.parametrize(
    ("said", "place", "test", "bad"),
    [
        (UP, "u + i, v", "", True),
        ("// ND range: as many as the coarse image has pixels", "u + i, v", "", False),
        (UP, "u + i, v", "if (u + i < get_image_width(fine) && v < get_image_height(fine))", False),
        (UP, "u + i, v", "if (all(at < get_image_dim(fine)))", False),
        (UP, "u + i, v", "if (u + i < dx && v < 2 * dx)", False),
        (UP, "min(u + i, dx), min(v, dx)", "", False),
        (UP, "(u + i) % 256, v & 255", "", False),
        ("", "u + i, v", "if (u < get_image_width(fine) && v < get_image_height(fine))", False),  # an even width
        ("", "u + i, v + 1", "if (u < get_image_width(fine) && v < get_image_height(fine))", True),
        ("", "u + i, v + 1", "if (u < get_image_width(fine) && v < get_image_height(fine) - 1)", False),
        ("", "u + i, v + 1", "if (v < get_image_height(coarse))", False),
        ("", "u + i, v + dx", "if (v < get_image_height(fine))", False),
    ],
)
def test_pixels_of_two_work_items(said: str, place: str, test: str, bad: bool) -> None:
    code = QUADS.replace("SAID", said).replace("PLACE", place).replace("TEST", test)
    assert bool(findings(ImageCoordinateOutOfRange, code, "opencl")) is bad
