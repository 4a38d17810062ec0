"""Flags and values that branches set, and that the kernel goes on with as if these were always taken."""

from __future__ import annotations

import pytest
from kernlint_rules.memory.uninitialised_private import UninitialisedPrivate

from tests.rules.marked import assert_pair, findings

FLAG = """
__global__ void step(const float *a, float *b, float *sum, int n, int round, int every) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool report;  // only bad
    bool report = false;  // only good
    if (round % every == every - 1) report = true;
    if (i >= n) return;
    b[i] = 0.5f * a[i];
    if (report) atomicAdd(sum, b[i]);  // bad
}
"""

WITHIN = """
__global__ void blend(const float4 *points, const int *order, const int2 *spans, float *image) {
    const int2 span = spans[blockIdx.x];
    float sum = 0.0f;
    for (int k = span.x; k < span.y; ++k) {
        const float4 p = points[order[k]];
        float weight;  // only bad
        float weight = 0.0f;  // only good
        if (p.x > 0.0f) {
            const float far = p.y * threadIdx.x;
            if (far < 4.0f) weight = __expf(-far);
        }
        if (weight < 0.01f) continue;  // bad
        sum += weight * p.z;
    }
    image[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
"""


@pytest.mark.parametrize("code", [FLAG, WITHIN], ids=["flag", "branch in a branch"])
def test_set_in_branches(code: str) -> None:
    assert_pair(UninitialisedPrivate, code)


SILENT = [
    # The use is guarded by what was asked before.
    """
    __global__ void step(const float *a, float *sum, int round, int every) {
        bool report;
        if (round % every == 0) report = a[0] > 0.0f;
        if (round % every == 0 && report) atomicAdd(sum, a[threadIdx.x]);
    }
    """,
    # The same data have sent other points away before.
    """
    __global__ void blend(const float4 *points, float *image) {
        float sum = 0.0f;
        for (int k = 0; k < 8; ++k) {
            if (!(points[k].x > 0.0f)) continue;
            float weight;
            if (points[k].x > 0.0f) weight = points[k].y;
            if (weight > 1.0f) sum += weight;
        }
        image[threadIdx.x] = sum;
    }
    """,
    # Two modes set the flag differently; callers pass one of them.
    """
    __global__ void pick(const float *a, float *out, int mode) {
        int kind;
        if (mode == 1) kind = 0;
        if (mode == 2) kind = 7;
        out[threadIdx.x] = kind == 7 ? a[threadIdx.x] : 0.0f;
    }
    """,
]


@pytest.mark.parametrize("code", SILENT)
def test_set_wherever_it_is_used(code: str) -> None:
    assert not findings(UninitialisedPrivate, code)
