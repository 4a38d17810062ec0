"""Windows with margins that are arguments, in local memory of whatever size the host gives."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import findings

STENCIL = """
float sharpened(__local const float *at, float by) { return at[0] + by * (at[-1] - 2.0f * at[0] + at[1]); }
__kernel void sharpen(const int n, const int before, const int after, __global const float *x,
                      __global float *y, const float by, __local float *window) {
    const int t = get_local_id(0), threads = get_local_size(0);
    for (int i = t; i < threads + before + after; i += threads)
        window[i] = x[get_group_id(0) * threads + i];
    BARRIER
    if (get_global_id(0) < n)
        y[get_global_id(0)] = sharpened(window + t + before, by);
}
"""
TILES = """
__global__ void smooth(const float *x, float *y, int radius, int n) {
    extern __shared__ float tile[];
    const int first = blockIdx.x * blockDim.x - radius, t = threadIdx.x;
    for (int i = t; i < blockDim.x + 2 * radius; i += blockDim.x)
        tile[i] = x[min(max(first + i, 0), n - 1)];
    BARRIER
    float sum = 0.f;
    for (int d = -radius; d <= radius; d++) sum += tile[t + radius + d];
    if (first + radius + t < n) y[first + radius + t] = sum / (2 * radius + 1);
}
"""
ROUNDS = """
__kernel void edges(const int rounds, const int margin, __global const float *x, __global float *y,
                    __local float *line) {
    const int t = get_local_id(0), threads = get_local_size(0);
    for (int r = 0; r < rounds; r++) {
        for (int i = t; i < threads + margin; i += threads)
            line[i] = x[r * (threads + margin) + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        y[r * threads + t] = line[t + margin] - line[t];
        BARRIER
    }
}
"""
IN_PLACE = """
__kernel void own(const int gap, __global const float *x, __global float *y, __local float *line) {
    const int t = get_local_id(0), threads = get_local_size(0);
    line[t] = x[t];
    line[t + threads + gap] = x[t + threads];
    y[t] = line[t] + line[t + threads + gap];
}
"""


@pytest.mark.parametrize(
    ("code", "language"), [(STENCIL, "opencl"), (TILES, "cuda"), (ROUNDS, "opencl")], ids=["once", "cuda", "rounds"]
)
def test_neighbours_are_awaited(code: str, language: str) -> None:
    barrier = "barrier(CLK_LOCAL_MEM_FENCE);" if language == "opencl" else "__syncthreads();"
    assert findings(SharedMemoryRace, code.replace("BARRIER", ""), language)
    assert not findings(SharedMemoryRace, code.replace("BARRIER", barrier), language)


def test_own_elements_of_two_parts() -> None:
    assert not findings(SharedMemoryRace, IN_PLACE, "opencl")
