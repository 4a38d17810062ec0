"""Blocks that get a share of the work each, of a size that host code computes."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import assert_marked

CASES = {
    "rows of a block are a quotient": """
__global__ void soften(float *rows, int length, int width) {
    int per_block = (blockDim.x / 32) / (width / 32);
    int row = blockIdx.x * per_block + (threadIdx.x / 32) / (width / 32);
    for (int i = threadIdx.x % width; i < length; i += width) rows[row * length + i] *= 0.5f;
}
""",
    "two blocks on the same rows": """
__global__ void soften(float *rows, int length, int width) {
    int per_block = (blockDim.x / 32) / (width / 32);
    int row = blockIdx.x / 2 * per_block + (threadIdx.x / 32) / (width / 32);
    for (int i = threadIdx.x % width; i < length; i += width) rows[row * length + i] *= 0.5f; // bad
}
""",
    "heads in several blocks": """
__global__ void turn(float *out, const float *in, int dims, int heads, int parts) {
    int head = threadIdx.y + blockIdx.z % parts * (heads / parts);
    int which = blockIdx.z / parts;
    int at = (which * heads + head) * dims + threadIdx.x;
    if (threadIdx.x < dims) out[at] = in[at];
}
""",
    "places of groups and batches": """
__device__ void soften(float *x, int n, int stride) {
    for (int i = 0; i < n; ++i) x[i * stride] *= 0.5f;
}
__global__ void all(float *x, int n, int batches, int batch_step, int groups, int group_step, int stride) {
    int id = (blockIdx.x + blockIdx.y * gridDim.x) * blockDim.x + threadIdx.x;
    if (id >= batches * groups) return;
    soften(x + id / groups * batch_step + id % groups * group_step, n, stride);
}
""",
}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    assert_marked(GlobalMemoryRace, CASES[name])
