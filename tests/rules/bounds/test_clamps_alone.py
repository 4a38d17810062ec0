"""A clamp to a number that is no place of the array, however far behind its end: nobody who knows that the number stays
below clamps it."""

from __future__ import annotations

import pytest

from tests.rules.bounds.test_past_end import findings

KERNEL = """
__device__ int cell_of(float value, float width, int last) {
    const int cell = (int)(value / width);
    return cell < 0 ? 0 : cell > last ? last : cell;
}
__global__ void tally(const float *x, const int *k, int *out, int n) {
    __shared__ int cell[ROOM];
    for (int c = threadIdx.x; c < ROOM; c += blockDim.x) cell[c] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        ADD
    }
    __syncthreads();
    for (int c = threadIdx.x; c < ROOM; c += blockDim.x) atomicAdd(&out[c], cell[c]);
}
"""

ADDED = {
    "a helper of floats": "atomicAdd(&cell[cell_of(x[i], 2.0f, 71)], 1);",
    "functions": "atomicAdd(&cell[max(0, min(k[i], 71))], 1);",
    "choices": "const int v = k[i]; atomicAdd(&cell[v < 0 ? 0 : v > 71 ? 71 : v], 1);",
}

SILENT = {
    "a test of the number": "if (k[i] < 40) atomicAdd(&cell[max(0, min(k[i], 71))], 1);",
    "a mask": "atomicAdd(&cell[min(k[i] & 31, 71)], 1);",
    "a mark": "atomicAdd(&cell[max(0, min(k[i], 1023))], 1);",
}


@pytest.mark.parametrize("added", ADDED)
@pytest.mark.parametrize(("room", "bad"), [("40", True), ("72", False)])
def test_a_clamp_beyond_the_array(added: str, room: str, bad: bool) -> None:
    found = findings(KERNEL.replace("ROOM", room).replace("ADD", ADDED[added]))
    assert [one.rule for one in found] == (["array-index-out-of-range"] if bad else [])


@pytest.mark.parametrize("added", SILENT)
def test_what_else_is_said_of_the_number(added: str) -> None:
    assert not findings(KERNEL.replace("ROOM", "40").replace("ADD", SILENT[added]))
