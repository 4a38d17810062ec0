"""Blocks that get a share of the work each, of a size that host code computes."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from kernlint.finding import Severity
from tests.rules.marked import assert_marked, findings

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


PACKED = """
__global__ void pack(signed char *out, const float *in, int row) {
    for (int i = threadIdx.x * 4; i < row; i += blockDim.x * 4)
        *reinterpret_cast<int *>(out + blockIdx.x * row + i) = __float2int_rn(in[blockIdx.x * row + i]);
}
"""


def test_words_that_lie_askew_in_the_witness_are_no_warning() -> None:
    """Rows that are no whole number of words long would be misaligned before they race."""
    assert all(one.severity is Severity.NOTE for one in findings(GlobalMemoryRace, PACKED))
    halved = PACKED.replace("out + blockIdx.x *", "out + blockIdx.x / 2 *")
    assert any(one.severity is not Severity.NOTE for one in findings(GlobalMemoryRace, halved))
