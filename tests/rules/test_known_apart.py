"""What keeps threads apart without a test: collectives that wait, parts of constant length, checks in templates."""

from pathlib import Path

from kernlint import registry
from kernlint.analysis.trace.memory import size_term
from kernlint.tree.types import F32, ArrayType
from tests.project.test_own_headers import check, codes
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


NAMED = """\
__global__ void keep(float *sums, const float *x, int which) {
    const int at = which == 0 ? blockIdx.x%s : which;
    if (threadIdx.x == 0) sums[at] = x[blockIdx.x * 64];%s
}
"""


def test_an_argument_that_names_a_place_is_for_one_block():
    assert_marked(RULES.get("KL205"), NAMED % ("", ""))
    assert_marked(RULES.get("KL205"), NAMED % (" / 2", "  // bad"))
    launched = "void run(float *s, const float *x, int n) { keep<<<n, 64>>>(s, x, 3); }\n"
    assert_marked(RULES.get("KL205"), NAMED % ("", "  // bad") + launched)


PARTS_OF_ROWS = """\
__global__ void turn(float *rows, const float *x, int width, int some, int n) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    %s
    rows[t * width + k] = x[t];%s
}
"""


def test_a_loop_goes_through_part_of_a_row():
    rule = RULES.get("KL403")
    assert_marked(rule, PARTS_OF_ROWS % ("for (int k = 0; k < some; ++k) if (t < width)", ""))
    within = "const int k = blockIdx.y * blockDim.y + threadIdx.y; if (t < width && k < some)"
    assert_marked(rule, PARTS_OF_ROWS % (within, "  // bad"))


PANEL = """\
__global__ void update(double *a, const double *s, int lda, int first, int columns, int m) {
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    double *at = a%s;
    for (int j = 0; j < columns; ++j) {
        const double x = at[t];
        for (int k = j; k < columns; ++k) a[t + (k + first) * lda] -= s[k] * x;%s
        at += lda;
    }
}
"""


def test_a_pointer_that_moves_on_widens_nothing():
    assert_marked(RULES.get("KL401"), PANEL % (" + first * lda", ""))
    assert_marked(RULES.get("KL401"), PANEL % (" + (size_t)lda * first", "  // bad"))


OWN = """\
__global__ void marks(float *out, int at) {
    int own[10] = {0};
    own[at %% 10] = 1;
    out[threadIdx.x] = own[threadIdx.x];%s
}
%s
"""


def test_a_size_that_the_host_looks_up_is_made_for_the_array():
    rule = RULES.get("KL104")
    assert_marked(
        rule, OWN % ("", "void run(float *out, const int *sizes, int at) { marks<<<1, sizes[2]>>>(out, at); }")
    )
    assert_marked(rule, OWN % ("  // bad", "void run(float *out, int at) { marks<<<1, 64>>>(out, at); }"))
    assert_marked(rule, OWN % ("  // bad", ""))


MOVED = """\
#include <hip/hip_runtime.h>
__global__ void __launch_bounds__(256) top(const int *in, int *out) {
    int v = in[blockIdx.x * 256 + threadIdx.x];
    v += __hip_move_dpp(v, 0x111, 0xf, 0xf, false);
    out[blockIdx.x * 256 + threadIdx.x] = v;
}
"""


def test_moves_between_lanes_have_further_operands():
    assert not findings(RULES.get("KL702"), MOVED, "hip")


WORDS = """\
#pragma once
template <typename T> class held {
  protected:
    T *p;
    explicit constexpr held(T &r) : p(&r) {}
};
template <typename T> class word : public held<T> {
  public:
    explicit constexpr word(T &r) : held<T>(r) {}
    __device__ T get() const { return *this->p; }
    __device__ void put(T v) const { *this->p = v; }
};
"""
OF_WORDS = """\
#include "words.h"
__global__ void keep(double *a, int pitch, int n) {
    const int t = threadIdx.x;
    word<double> w(a[blockIdx.x * pitch + t]);
    if (t < n - 1) w.put(1.0);%s
    if (t < n) a[blockIdx.x * pitch + t] = 2.0;
}
"""


def test_a_constructor_that_binds_reads_nothing(tmp_path: Path) -> None:
    (tmp_path / "words.h").write_text(WORDS)
    (tmp_path / "keep.cu").write_text(OF_WORDS % "")
    assert "KL103" not in codes(check(tmp_path, "keep.cu"))
    (tmp_path / "keep.cu").write_text(OF_WORDS % "if (a[blockIdx.x * pitch + t] > 0.0) return;")
    assert "KL103" in codes(check(tmp_path, "keep.cu"))


ROWS_OF_THE_BUILD = """\
__kernel void gather(__global const float *in, __global float *out) {
    const size_t t = get_local_id(1);
    size_t i, j;
    __local float part[GROUP][3][2];
    for (j = 0; j < 3; ++j) {
        part[t%s][j][0] = in[get_global_id(1) * 6 + j];%s
        part[t][j][1] = in[get_global_id(1) * 6 + 3 + j];
    }
    %s
    if (t == 0)
        for (i = 1; i < GROUP; ++i)
            for (j = 0; j < 3; ++j) out[get_group_id(1)] += part[i][j][0] - part[i][j][1];%s
}
"""


def test_no_index_leaves_rows_whose_length_the_build_says():
    rule, barrier = RULES.get("KL201"), "barrier(CLK_LOCAL_MEM_FENCE);"
    assert_marked(rule, ROWS_OF_THE_BUILD % ("", "", barrier, ""), "opencl")
    assert_marked(rule, ROWS_OF_THE_BUILD % (" / 2", "  // bad", barrier, ""), "opencl")
    assert_marked(rule, ROWS_OF_THE_BUILD % ("", "", "", "  // bad"), "opencl")
    lengths = [size_term(kind) for kind in (F32, ArrayType(F32, None), ArrayType(ArrayType(F32, None), None))]
    assert len(set(lengths)) == 3


SYMMETRIC = """\
__global__ void product(float *s, const float *x, int m, int n) {
    const int a = blockIdx.x * blockDim.x + threadIdx.x;
    if (a < m - 1)
        for (int b = a + 1; b < m; ++b) {
            float sum = 0.0f;
            for (int i = 0; i < n; ++i) sum += x[i * m + a] * x[i * m + b];
            s[a * m + b] = sum;
            s[b * m + a] = sum;
        }
}
"""


def test_all_but_the_last_are_no_other_extent():
    assert_marked(RULES.get("KL403"), SYMMETRIC)


STAGGERED = """\
__global__ void top(float *out, const float *q, int nx, int ny, const float *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0 || i >= nx - 1) return;
    int u, v = i + (nx - 1) * ny;
    out[v] = q[v + 1] * (q[i] + q[i + nx - 1]) - q[v - 1] * (q[i - 1] + q[i + nx - 2]) + b[i + nx - 1];
    u = i + (ny - 2) * (nx - 1);
    v = i + (nx - 1) * ny + (ny - 2) * nx;
    out[v] = (q[v] + q[v + 1]) * (q[u] + q[u + nx - 1]) - (q[v - 1] + q[v]) * (q[u - 1] + q[u + nx - 2]) + q[v - nx];
}
"""


def test_a_product_of_sizes_less_one_has_a_number_of_its_own():
    assert_marked(RULES.get("KL102"), STAGGERED)


PADDED = """\
__global__ void keep(const float *in, float *out, int n) {
    __shared__ float tile[16][17];
    const int x = threadIdx.x, y = threadIdx.y;
    tile[x][y] = in[x * n + y];
    tile[x][y + 4] = in[x * n + y + 4];
    tile[x][y + 8] = in[x * n + y + 8];
    tile[x][y + 12] = in[x * n + y + 12];%s
    %s
    out[y * n + x] = tile[x][y] + tile[x][y + 4] + tile[y][x] + tile[x][y + 12];%s
}
"""


def test_threads_of_a_guessed_block_leave_no_row():
    rule, barrier = RULES.get("KL201"), "__syncthreads();"
    assert_marked(rule, PADDED % ("", barrier, ""))
    assert_marked(rule, PADDED % ("", "", "  // bad"))
    launched = "void run(const float *in, float *out, int n) { keep<<<1, dim3(16, %d)>>>(in, out, n); }\n"
    assert_marked(rule, PADDED % ("  // bad", barrier, "") + launched % 8)
    assert_marked(rule, PADDED % ("", barrier, "") + launched % 4)
