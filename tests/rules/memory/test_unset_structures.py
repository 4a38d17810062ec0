"""Elements of arrays of structures, and values that one of several modes alone sets."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_private import UninitialisedPrivate

from tests.rules.marked import assert_marked, assert_pair

SUMS = """
struct Sum {{ float x, y; {more} }};
__global__ void sums(const float2 *p, Sum *out, int n) {{
    Sum s[3];
    {first}
    for (int i = threadIdx.x; i < n; i += blockDim.x) {{
        for (int k = 0; k < 3; ++k) {{
            s[k].x += p[i * 3 + k].x;{mark}
            s[k].y += p[i * 3 + k].y;
        }}
    }}
    for (int k = 0; k < 3; ++k) out[threadIdx.x * 3 + k] = s[k];
}}
"""


@pytest.mark.parametrize(
    ("more", "first", "mark"),
    [
        ("", "", " // bad"),
        ("", "for (int k = 0; k < 3; ++k) s[k] = Sum{0.0f, 0.0f};", ""),
        ("", "for (int k = 0; k < 3; ++k) s[k].x = s[k].y = 0.0f;", ""),
        ("__device__ Sum() : x(0), y(0) {}", "", ""),
        ("float w = 0.0f;", "", ""),
    ],
)
def test_sums_of_structures(more: str, first: str, mark: str) -> None:
    assert_marked(UninitialisedPrivate, SUMS.format(more=more, first=first, mark=mark))


def test_a_field_that_nobody_looks_at_is_copied_with_the_others() -> None:
    assert_marked(
        UninitialisedPrivate,
        """
typedef struct { int tag; float x; } Item;
__kernel void items(__global const float *in, __global Item *out) {
    Item own[4];
    for (int k = 0; k < 4; ++k) own[k].x = in[k];
    for (int k = 0; k < 4; ++k) out[get_global_id(0) * 4 + k] = own[k];
}
__kernel void last(__global const float *in, __global float *out) {
    Item own[4];
    for (int k = 0; k < 3; ++k) own[k].x = in[k];
    for (int k = 0; k < 4; ++k) out[get_global_id(0) * 4 + k] = own[k].x; // bad
}
""",
        "opencl",
    )


MODES = """
__global__ void window(const float *in, float *out, int n, int radius, int mode) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum;
    {set}
    for (int d = 1; d <= radius; ++d) sum += in[min(i + d, n - 1)];
    out[i] = sum;{mark}
}}
"""


@pytest.mark.parametrize(
    ("set_", "mark"),
    [
        ("if (mode == 1) sum = in[i];", " // bad"),
        ("if (mode == 1) sum = in[i]; else sum = 0.0f;", ""),
        ("if (mode == 1) sum = in[i]; else if (mode == 2) sum = -in[i];", ""),
        ("if (mode == 1) sum = in[i];\n    if (mode == 2) sum = -in[i];", ""),
        ("if (radius > 0) sum = in[i];", ""),
    ],
)
def test_one_mode_alone_sets_the_value(set_: str, mark: str) -> None:
    assert_marked(UninitialisedPrivate, MODES.format(set=set_, mark=mark))


def test_an_update_in_the_other_branch_sets_nothing() -> None:
    assert_pair(
        UninitialisedPrivate,
        """
__global__ void either(const float *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v;  // only bad
    float v = 0.0f;  // only good
    if (x[i] > 0.0f) v = x[i];
    else v += 1.0f;
    out[i] = v;  // bad
}
""",
    )
