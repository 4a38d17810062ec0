"""Pixels of images that two work-items write."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import assert_marked, findings

OPENCL = {
    "a row for all": """
__kernel void k(write_only image2d_t to, read_only image2d_t from) {
    const sampler_t near = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, (int2)(at.x, 0), read_imagef(from, near, at)); // bad
}
""",
    "a pixel for each": """
__kernel void k(write_only image2d_t to, read_only image2d_t from, const int w, const int h) {
    const sampler_t near = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    if (at.x < w && at.y < h) write_imagef(to, (int2)(w - 1 - at.x, at.y), read_imagef(from, near, at));
}
""",
    "halved": """
__kernel void k(write_only image2d_t to, __global const float *from, const int w) {
    const int x = get_global_id(0), y = get_global_id(1);
    write_imagef(to, (int2)(x / 2, y / 2), (float4)(from[y * w + x])); // bad
}
""",
    "through a helper": """
void put(write_only image1d_t line, int at, float v) { write_imagef(line, at, (float4)(v)); } // bad
__kernel void k(write_only image1d_t line, __global const float *v) {
    const int i = get_global_id(0);
    put(line, i % 16, v[i]);
}
""",
    "one colour for all": """
__kernel void k(write_only image2d_t to, const float4 colour) {
    write_imagef(to, (int2)(get_global_id(0), 0), colour);
    write_imagef(to, (int2)(0, 1), colour);
}
""",
    "neighbours in the image that is written": """
__kernel void k(read_write image2d_t both) {
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const float4 next = read_imagef(both, at + (int2)(1, 0));
    write_imagef(both, at, next); // bad
}
""",
    "slices and layers": """
__kernel void k(write_only image3d_t solid, write_only image2d_array_t layers, __global const float *v) {
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const float4 c = (float4)(v[x] + y + z);
    write_imagef(solid, (int4)(x, y, z, 0), c);
    write_imagef(layers, (int4)(x, y, 3, 0), c); // bad
}
""",
    "a coordinate from memory": """
__kernel void k(write_only image1d_t line, __global const int *where) {
    write_imagei(line, where[get_global_id(0)], (int4)(get_global_id(0)));
}
""",
    "two images": """
__kernel void k(write_only image1d_t a, write_only image1d_t b) {
    const int i = get_global_id(0);
    write_imagei(a, i, (int4)(i));
    write_imagei(b, i + 1, (int4)(i));
}
""",
}


@pytest.mark.parametrize("name", OPENCL)
def test_opencl(name: str) -> None:
    assert_marked(GlobalMemoryRace, OPENCL[name], "opencl")


def test_pixels_are_named_by_their_coordinates() -> None:
    code = OPENCL["a row for all"].replace("(at.x, 0)", "(3, at.x)").replace(" // bad", "")
    (found,) = findings(GlobalMemoryRace, code, "opencl", block="4,4,1", grid="1,1,1")
    assert "pixel (3, 0) of to" in found.message
