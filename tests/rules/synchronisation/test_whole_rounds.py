"""Barriers in loops that a block goes round as a whole, by what the host makes of grid, block and sizes."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence

from tests.rules.marked import assert_pair

CHANNELS = """
__global__ void fold(int n, const float *in, float *out, int channels) {
    extern __shared__ float cache[];
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        cache[threadIdx.x] = in[i];
        __syncthreads();  // bad
        if (threadIdx.x == 0) {
            float s = 0;
            for (int k = 0; k < blockDim.x; ++k) s += cache[k];
            atomicAdd(&out[i / channels], s);
        }
        __syncthreads();
    }
}
inline int blocks(int n, int threads) { return min((n + threads - 1) / threads, 4096); }
void run(const float *in, float *out, int batch, int heads, int channels) {
    const int n = batch * heads * channels;
    CALL
}
"""

CALLS = {
    "a-row": """
    fold<<<blocks(n, channels), channels, channels * 4>>>(n, in, out, channels);  // only good
    fold<<<blocks(n, heads + 1), heads + 1, channels * 4>>>(n, in, out, channels);  // only bad
""",
    "checked": """
    const int threads = channels > 256 ? 256 : channels;
    if (channels > 256) {
        if ((channels & (256 - 1)) == 0)  // only good
        if ((channels & (128 - 1)) == 0)  // only bad
            fold<<<blocks(n, threads), threads, threads * 4>>>(n, in, out, channels);
    }
""",
    "remainder": """
    if (channels % 384 != 0) return;  // only good
    if (channels % 192 != 0) return;  // only bad
    fold<<<blocks(n, 384), 384, 384 * 4>>>(n, in, out, channels);
""",
    "chosen": """
    const int threads = channels > 256 ? 256 : channels;  // only bad
    const int threads = channels > 256 ? heads : channels;  // only good
    if (heads > 0) fold<<<blocks(n, threads), threads, threads * 4>>>(n, in, out, channels);
""",
}

ROUNDED = """
__global__ void scan(const int *in, int *out, int n) {
    __shared__ int sum[32];
    const int start = threadIdx.y * blockDim.x + threadIdx.x;
    const int wrap = blockDim.x * blockDim.y;  // only good
    const int wrap = blockDim.x;  // only bad
    const int end = (n & (wrap - 1)) ? (n & ~(wrap - 1)) + wrap : n;
    for (int x = start; x < end; x += blockDim.x * blockDim.y) {
        __syncthreads();  // bad
        const int v = x < n ? in[x] : 0;
        if (threadIdx.x == 31) sum[threadIdx.y] = v;
        __syncthreads();
        if (x < n) out[x] = sum[threadIdx.y] + v;
    }
}
void run(const int *in, int *out, int n) { scan<<<1, dim3(32, 32)>>>(in, out, n); }
"""


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_sizes_of_the_launch(call: str) -> None:
    assert_pair(BarrierDivergence, CHANNELS.replace("    CALL\n", call))


def test_ends_that_are_rounded_up() -> None:
    assert_pair(BarrierDivergence, ROUNDED)
