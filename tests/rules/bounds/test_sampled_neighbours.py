"""The places around a position: each neighbour is tested along its own axis, at the end that it lies at."""

from __future__ import annotations

import pytest

from tests.rules.bounds.test_wrong_axes import codes

WARP = """
__global__ void unroll_lens(const float *photo, int stride, int cols, int rows, float *flat, const float2 *map, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float u = map[i].x, v = map[i].y, sum = 0.0f;
  if (%(around)s) {
    int a = (int)floorf(u), b = (int)floorf(v);
    if (%(nw)s) sum += photo[b * stride + a];
    if (%(ne)s) sum += photo[b * stride + a + 1];
    if (%(sw)s) sum += photo[(b + 1) * stride + a];
    if (%(se)s) sum += photo[(b + 1) * stride + a + 1];
  }
  flat[i] = sum;
}
"""

RIGHT = {
    "around": "u > -1.0f && u < cols && v > -1.0f && v < rows",
    "nw": "a >= 0 && b >= 0",
    "ne": "a + 1 < cols && b >= 0",
    "sw": "a >= 0 && b + 1 < rows",
    "se": "a + 1 <= cols - 1 && b + 1 <= rows - 1",
}


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({}, []),
        ({"sw": "a >= 0"}, ["KL102"]),
        ({"sw": "a >= 0 && b + 1 >= 0"}, ["KL102"]),
        ({"se": "b + 1 < rows"}, ["KL102"]),
        ({"nw": "b >= 0"}, ["KL105"]),
        ({"around": "u >= 0 && u < cols - 1 && v >= 0 && v < rows - 1", "se": "true", "sw": "true"}, []),
        # threads that are outside leave
        ({"around": "!(u <= -1 || u >= cols || v <= -1 || v >= rows)", "sw": "a >= 0"}, ["KL102"]),
        ({"around": "!(u <= -1 || u >= cols || v <= -1 || v >= rows)"}, []),
        # nothing along either axis: there may be a margin
        ({"ne": "b >= 0", "sw": "a >= 0", "se": "true"}, []),
    ],
)
def test_four_places(change: dict[str, str], wrong: list[str]) -> None:
    assert codes(WARP % (RIGHT | change)) == wrong


@pytest.mark.parametrize(("test", "wrong"), [("", ["KL102"]), ("if (r + 1 < rows) ", [])])
def test_places_from_memory(test: str, wrong: list[str]) -> None:
    code = f"""
__kernel void around(__global const float *grid, __global const int2 *at, int cols, int rows, int n,
                     __global float *out) {{
  int i = get_global_id(0);
  if (i >= n) return;
  int c = at[i].x, r = at[i].y;
  float sum = 0;
  if (c >= 0 && c < cols && r >= 0 && r < rows) {{
    sum += grid[r * cols + c];
    if (c + 1 < cols) sum += grid[r * cols + c + 1];
    {test}sum += grid[(r + 1) * cols + c];
  }}
  out[i] = sum;
}}
"""
    assert codes(code, "k.cl") == wrong


@pytest.mark.parametrize(
    ("test", "wrong"), [("", ["KL102"]), ("if (at < cols * rows) ", []), ("if (at >= 0) ", ["KL102"])]
)
def test_the_whole_index_is_tested_by_a_helper(test: str, wrong: list[str]) -> None:
    code = f"""
__device__ void light(float *film, int cols, int rows, int at, float by) {{ {test}atomicAdd(&film[at], by); }}
__global__ void sparks(const float2 *where, float *film, int cols, int rows, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int u = (int)where[i].x, v = (int)where[i].y;
  if (u >= 0 && u < cols && v >= 0 && v < rows) {{
    light(film, cols, rows, v * cols + u, 0.5f);
    if (u + 1 < cols) light(film, cols, rows, v * cols + u + 1, 0.25f);
    light(film, cols, rows, (v + 1) * cols + u, 0.25f);
  }}
}}
"""
    assert codes(code) == wrong
