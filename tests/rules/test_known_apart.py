"""What keeps threads apart without a test: collectives that wait, parts of constant length, checks in templates."""

from kernlint import registry
from tests.rules.marked import assert_marked, findings

RULES = registry.load()

TILES = """\
#include <mma.h>
using namespace nvcuda;
__global__ void halves(const half *in, half *out) {
    __shared__ half tile[256];
    const int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32) tile[i] = in[i];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::load_matrix_sync(a, tile, 16);
    tile[lane ^ 1] = __float2half(0.5f);
    %s
    out[lane] = tile[lane];%s
}
void run(const half *in, half *out) { halves<<<1, 32>>>(in, out); }
"""


def test_a_load_of_a_tile_waits_for_the_warp():
    assert_marked(RULES.get("KL204"), TILES % ("__syncwarp();", ""))
    assert_marked(RULES.get("KL204"), TILES % ("", "  // bad"))


BETWEEN_WARPS = """\
#include <mma.h>
using namespace nvcuda;
__global__ void exchange(const half *in, half *out) {
    __shared__ half tile[512];
    const int warp = threadIdx.x / 32;
    tile[threadIdx.x * 8] = in[threadIdx.x];
    %s
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::load_matrix_sync(a, tile + (1 - warp) * 256, 16);
    out[threadIdx.x] = a.x[0];
}
void run(const half *in, half *out) { exchange<<<1, 64>>>(in, out); }
"""


def test_a_load_of_a_tile_waits_for_no_other_warp():
    assert len(findings(RULES.get("KL201"), BETWEEN_WARPS % "")) == 1
    assert not findings(RULES.get("KL201"), BETWEEN_WARPS % "__syncthreads();")


PARTS = """\
#include <cuda_runtime.h>
struct Totals { int bins; int *sum; };
__global__ void total(const Totals to, const int *of) {
    int *mine = to.sum + 256 * 16 * blockIdx.z;
    const int bin = threadIdx.x + threadIdx.y * 32;
    if (bin < %s) mine[(bin << 4) + blockIdx.x] = of[bin] + blockIdx.z;%s
}
void run(Totals to, const int *of, int images) {
    total<<<dim3(16, 1, images), dim3(32, 16)>>>(to, of);
}
"""


def test_what_an_argument_counts_fits_its_part():
    assert_marked(RULES.get("KL205"), PARTS % ("to.bins", ""))
    assert_marked(RULES.get("KL205"), PARTS % ("480", "  // bad"))


PASSED = """\
#include <cuda_runtime.h>
__global__ void total(int *sum, int bins, const int *of) {
    if (threadIdx.x < bins) sum[256 * blockIdx.x + threadIdx.x] = of[threadIdx.x] + blockIdx.x;%s
}
void run(int *sum, const int *of, int images%s) {
    total<<<images, 512>>>(sum, %s, of);
}
"""


def test_a_number_that_is_passed_speaks_for_itself():
    assert_marked(RULES.get("KL205"), PASSED % ("  // bad", "", "300"))
    assert_marked(RULES.get("KL205"), PASSED % ("", "", "256"))
    assert_marked(RULES.get("KL205"), PASSED % ("", ", int bins", "bins"))


IN_TEMPLATES = """\
#include <stdexcept>
struct Rows { float *p; unsigned m; unsigned cols() const; };
template <int W, unsigned ROUNDS>
__global__ void carry(float *out, const float *in) {
    const unsigned base = 16 * blockIdx.x * ROUNDS;
    for (unsigned l = 0; l < ROUNDS; ++l) {
        const unsigned row = base + l * 16 + threadIdx.y;
        out[row * W + threadIdx.x] = 0.5f * in[row * W + threadIdx.x];%s
    }
}
template <typename T, int W> struct Net {
    void run(const Rows &x, Rows &y);
};
template <typename T, int W> void Net<T, W>::run(const Rows &x, Rows &y) {
    const unsigned batch = x.cols();
    const unsigned rounds = W >= 256 ? 2 : 8;
    if (batch %% (%s) != 0) throw std::runtime_error("batch");
    const unsigned n = (batch + 16 * rounds - 1) / (16 * rounds);
    carry<W, rounds><<<n, dim3(W, 16)>>>(y.p, x.p);
}
template __global__ void carry<16, 8>(float *, const float *);
"""


def test_checks_in_templates_are_those_of_the_instance():
    assert_marked(RULES.get("KL101"), IN_TEMPLATES % ("", "16 * rounds"))
    assert_marked(RULES.get("KL101"), IN_TEMPLATES % ("  // bad", "4 * rounds"))
