"""Races in blocks of which the host chooses one."""

import pytest
from kernlint_rules.synchronisation.shared_memory_race import SharedMemoryRace

from tests.rules.marked import assert_marked

ROWS = """
__global__ void row_sums(const float *in, float *out, int width) {
    __shared__ float sums[64];
    const int row = threadIdx.y, warps = blockDim.x / 32;
    float v = in[(blockIdx.x * blockDim.y + row) * width + threadIdx.x];
    for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
    if (threadIdx.x %% 32 == 0) sums[row * warps + threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (int i = 0; i < warps; ++i) v += sums[row * warps + i];
    %s
    if (threadIdx.x == 0) sums[row] = v;%s
    __syncthreads();
    out[(blockIdx.x * blockDim.y + row) * width + threadIdx.x] = sums[row];
}
void run(const float *in, float *out, int width, int rows) {
    %s
    row_sums<<<rows / block.y, block>>>(in, out, width);
}
"""

CHOSEN = "dim3 block = width > 64 ? dim3(128, 4) : dim3(32, 16);"
NESTED = "dim3 block = width > 64 ? dim3(128, 4) : width > 32 ? dim3(64, 8) : dim3(32, 16);"


@pytest.mark.parametrize(
    ("between", "block", "bad"),
    [
        ("", CHOSEN, True),
        ("", NESTED, True),
        ("", "dim3 block(128, 4);", True),
        ("__syncthreads();", CHOSEN, False),
        ("__syncthreads();", NESTED, False),
        ("", CHOSEN.replace("128", "32"), False),
    ],
)
def test_each_choice_is_a_launch(between: str, block: str, bad: bool) -> None:
    marks = ("", "  // bad") if bad else ("", "")
    assert_marked(SharedMemoryRace, ROWS % (between, marks[1], block))
