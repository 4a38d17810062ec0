"""What macros with names out of sight ask before a launch, and leave the function by."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import assert_marked

CODE = """
#define NEED(x) if (!(x)) { LOG(ERROR) << "not so: " << #x; LEAVES }
__global__ void copy(const float *in, float *out, int rows, int cols, int pitch) {
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * blockDim.y + threadIdx.y;
    if (y >= rows || i >= cols) return;
    out[y * pitch + i] = in[y * cols + i];
    if (i < cols - 1) out[y * pitch + i + 1] = in[y * cols + i + 1];
    if (i < cols - 2) out[y * pitch + i + 2] = in[y * cols + i + 2];
    if (i < cols - 3) out[y * pitch + i + 3] = in[y * cols + i + 3];  // bad
}
Status run(const float *in, float *out, int rows, int cols, int pitch) {
    NEED(rows > 0 && cols > 0)
    NEED(PITCH)
    dim3 block(32, 8), grid(((cols + 3) / 4 + 31) / 32, (rows + 7) / 8);
    if (pitch < (cols + 3) / 4 * 4) copy<<<grid, block>>>(in, out, rows, cols, pitch);
    return status::OK;
}
"""
LEAVES = "return status::BAD;"


@pytest.mark.parametrize(
    ("pitch", "leaves", "marked"),
    [
        ("pitch >= cols", LEAVES, False),
        ("pitch > 0", LEAVES, True),
        ("pitch >= cols", "", True),
    ],
)
def test_pitches(pitch: str, leaves: str, marked: bool) -> None:
    code = CODE.replace("LEAVES", leaves).replace("PITCH", pitch)
    assert_marked(GlobalMemoryRace, code if marked else code.replace("  // bad", ""))
