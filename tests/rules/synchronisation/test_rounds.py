"""Updates under conditions on data in loops whose rounds a barrier parts."""

from kernlint import registry
from tests.rules.marked import assert_marked

RULE = registry.load().get("KL201")

NEAREST = """\
__global__ void nearest(const float *x, float *out) {
    __shared__ float best[512];
    __shared__ int who[512];
    int t = threadIdx.x;
    best[t] = x[blockIdx.x * 512 + t];
    best[t + 256] = x[blockIdx.x * 512 + t + 256];
    who[t] = t;
    who[t + 256] = t + 256;
    for (int u = 0; (1 << u) < 512; u++) {
        __syncthreads();
        if (t < (512 >> (u + 1))) {
            int a = %s, b = (t * 2 + 1) << u;
            if (best[a] > best[b]) {
                best[a] = best[b];%s
                who[a] = who[b];%s
            }
        }
    }
    __syncthreads();
    if (t == 0) out[blockIdx.x] = who[0];
}
"""


def test_threads_of_one_round_have_places_of_their_own():
    assert_marked(RULE, NEAREST % ("(t * 2) << u", "", ""))


def test_threads_that_share_one_are_found():
    assert_marked(RULE, NEAREST % ("(t / 64 * 2) << u", " // bad", ""))
