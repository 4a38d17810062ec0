"""Dynamic shared memory of a number of bytes, and sizes of a launch for which it is too little, or may be enough."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.dynamic_shared_memory_omitted import DynamicSharedMemoryOmitted

from tests.rules.marked import assert_marked

TEXT = """
__global__ void smooth(const float *in, float *out, int n, int reach) {
    extern __shared__ float line[];
    BODY
    __syncthreads();
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n) out[i] = line[threadIdx.x];
}
void run(const float *in, float *out, int n, int reach) {
    CHECK
    smooth<<<(n + 127) / 128, 128, BYTES>>>(in, out, n, reach);MARK
}
"""

HALO = "for (int k = threadIdx.x; k < 128 + 2 * reach; k += 128) line[k] = in[blockIdx.x * 128 + k];"
ENDS = "line[threadIdx.x + reach] = in[blockIdx.x * 128 + threadIdx.x];"
TABLE = "for (int k = threadIdx.x; k < reach; k += 128) line[k] = in[k];"
ROWS = "line[threadIdx.x / 16 * reach + threadIdx.x % 16] = in[blockIdx.x * 128 + threadIdx.x];"
PLAIN = "line[threadIdx.x] = threadIdx.x < reach ? in[threadIdx.x] : 0.0f;"


@pytest.mark.parametrize(
    ("body", "bytes_", "check", "mark"),
    [
        (HALO, "128 * sizeof(float)", "", " // bad"),
        (HALO, "128 * sizeof(float)", "if (reach < 1 || reach > 32) return;", " // bad"),
        (ENDS, "512", "", " // bad"),
        (HALO, "(128 + 2 * reach) * sizeof(float)", "", ""),
        (HALO, "1024", "if (reach > 64) return;", ""),
        (HALO, "1024", "", ""),
        (TABLE, "128 * sizeof(float)", "", ""),
        (TABLE, "1024", "", ""),
        (ROWS, "128 * sizeof(float)", "", ""),
        (PLAIN, "128 * sizeof(float)", "", ""),
    ],
)
def test_fixed_room(body: str, bytes_: str, check: str, mark: str) -> None:
    text = TEXT.replace("BODY", body).replace("BYTES", bytes_).replace("CHECK", check)
    assert_marked(DynamicSharedMemoryOmitted, text.replace("MARK", mark))
