"""Writes by all lanes of a warp of what shuffles have joined over them, and of what not all of them have."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import assert_marked

CODE = """
__device__ float most(float v) {
    BODY
    return v;
}
__global__ void rows(const float *x, float *out, int n) {
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= n) return;
    float v = -1e30f;
    for (int i = lane; i < 1000; i += 32) v = fmaxf(v, x[row * 1000 + i]);
    v = most(v);
    STORE  // bad
}
void run(const float *x, float *out, int n) { rows<<<(n + 7) / 8, 256>>>(x, out, n); }
"""

ALIKE = {
    "halves": "for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, d));",
    "a comparison": "for (int d = 16; d > 0; d >>= 1) { float o = __shfl_xor_sync(~0u, v, d); if (o > v) v = o; }",
    "doubles": "for (int d = 1; d < 32; d *= 2) { float o = __shfl_xor_sync(~0u, v, d); v = v > o ? v : o; }",
    "from one lane": "for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_down_sync(~0u, v, d));"
    " v = __shfl_sync(~0u, v, 0);",
    "one by one": " ".join(f"v = fmaxf(v, __shfl_xor_sync(~0u, v, {d}));" for d in (16, 8, 4, 2, 1)),
    "sums": " ".join(f"v += __shfl_xor_sync(~0u, v, {d});" for d in (1, 2, 4, 8, 16)),
}
DIFFERENT = {
    "downwards": "for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_down_sync(~0u, v, d));",
    "halves of a warp": "for (int d = 8; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, d));",
    "one distance twice": " ".join(f"v = fmaxf(v, __shfl_xor_sync(~0u, v, {d}));" for d in (16, 8, 4, 4, 1)),
    "differences": " ".join(f"v -= __shfl_xor_sync(~0u, v, {d});" for d in (16, 8, 4, 2, 1)),
    "what one lane had": "float o = __shfl_xor_sync(~0u, v, 16); v = o < v ? o : 2 * v;",
}
STORES = ["out[row] = v;", "if (out[row] < v) out[row] = v;"]


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("body", ALIKE.values(), ids=ALIKE)
def test_alike(body: str, store: str) -> None:
    code = CODE.replace("BODY", body).replace("STORE", store)
    assert_marked(GlobalMemoryRace, code.replace("  // bad", ""))


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("body", DIFFERENT.values(), ids=DIFFERENT)
def test_different(body: str, store: str) -> None:
    assert_marked(GlobalMemoryRace, CODE.replace("BODY", body).replace("STORE", store))
