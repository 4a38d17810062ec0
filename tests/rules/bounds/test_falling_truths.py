"""Truths that a loop only takes back hold from the start on."""

from kernlint import registry
from tests.rules.marked import assert_marked

RULE = registry.load().get("KL104")

CODE = """\
__global__ void sums(const float *m, float *out, int height, int n) {
    __shared__ float part[8 * 9];
    bool inside = threadIdx.x < 8;
    for (int r = 0; r < n; ++r) {
        inside %s blockIdx.x * 8 + threadIdx.x < height;
        if (threadIdx.x < 72) part[threadIdx.x] = m[r * 72 + threadIdx.x];
        __syncthreads();
        if (inside) {
            float a = part[threadIdx.x * 9];%s
            out[blockIdx.x * 8 + threadIdx.x] += a;
        }
        __syncthreads();
    }
}
void run(const float *m, float *out, int height, int n) { sums<<<(height + 7) / 8, 128>>>(m, out, height, n); }
"""


def test_who_is_inside_has_been_from_the_start():
    assert_marked(RULE, CODE % ("&=", ""))
    assert_marked(RULE, CODE % ("|=", "  // bad"))
