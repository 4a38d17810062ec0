"""Codes for *none of them* that data choose, used as a place in an array of as many elements."""

from __future__ import annotations

import pytest

from tests.rules.bounds.test_past_end import findings

TALLY = """
constexpr int CLASSES = 10;
__device__ int class_of(float value, float least, const float *ends) {
    if (value < least) return CODE;
    int c = 0;
    while (c < CLASSES - 1 && value >= ends[c]) ++c;
    return c;
}
__global__ void tally(const float *x, const float *ends, int *out, int n, float least) {
    __shared__ int count[ROOM];
    for (int c = threadIdx.x; c < ROOM; c += blockDim.x) count[c] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        ADD
    }
    __syncthreads();
    for (int c = threadIdx.x; c < ROOM; c += blockDim.x) atomicAdd(&out[c], count[c]);
}
"""
PLAINLY = "const int c = class_of(x[i], least, ends); atomicAdd(&count[c], 1);"


@pytest.mark.parametrize(
    ("code", "room", "add", "bad"),
    [
        ("CLASSES", "CLASSES", PLAINLY, True),
        ("CLASSES", "CLASSES + 1", PLAINLY, False),
        ("0", "CLASSES", PLAINLY, False),
        ("1000", "CLASSES", PLAINLY, False),  # far beyond: what it is for is not plain
        ("CLASSES", "CLASSES", PLAINLY.replace("atomicAdd", "if (c != CLASSES) atomicAdd"), False),
        ("CLASSES", "CLASSES", PLAINLY.replace("atomicAdd", "if (c < CLASSES) atomicAdd"), False),
        ("CLASSES", "CLASSES", "if (x[i] >= least) {" + PLAINLY + "}", False),
        ("0", "CLASSES", "const int k = (int)x[i] % 8; atomicAdd(&count[x[i] < least ? CLASSES : k], 1);", True),
    ],
)
def test_a_code_that_is_no_place(code: str, room: str, add: str, bad: bool) -> None:
    found = findings(TALLY.replace("CODE", code).replace("ROOM", room).replace("ADD", add))
    assert [one.rule for one in found if one.code == "KL104"] == (["array-index-out-of-range"] if bad else [])


ROWS = """
__global__ void spread(const int *kind, int *out, int n) {
    __shared__ int mine[64][4];
    for (int c = 0; c < 4; ++c) mine[threadIdx.x][c] = 0;
    for (int i = threadIdx.x; i < n; i += 64) {
        const int c = kind[i] < 0 ? 4 : kind[i];
        ADD
    }
    for (int c = 0; c < 4; ++c) atomicAdd(&out[c], mine[threadIdx.x][c]);
}
"""


@pytest.mark.parametrize(
    ("add", "bad"), [("mine[threadIdx.x][c]++;", True), ("if (c != 4) mine[threadIdx.x][c]++;", False)]
)
def test_a_code_behind_a_row(add: str, bad: bool) -> None:
    assert bool([one for one in findings(ROWS.replace("ADD", add)) if one.code == "KL104"]) is bad
