"""Arrays of constant size that a run of the kernel leaves: counters, helpers, limits of the host, tiles."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import assert_pair, findings

WINDOW = """
kernel void smooth(global const float *in, global float *out) {
    const int x = get_global_id(0), y = get_global_id(1);
    const int w = get_global_size(0), h = get_global_size(1);
    float near[9];
    int n = 0;
    for (int j = max(y - 1, 0); j <= min(y + 1, h - 1); ++j)
        for (int i = max(x - 1, 0); i <= min(x + 1, w - 1); ++i) near[n++] = in[j * w + i];
    for (int i = 0; i < n; ++i) {  // only bad
    for (int i = 1; i < n; ++i) {  // only good
        for (int j = 0; j < n - i; ++j) {
            const float low = fmin(near[j], near[j + 1]);  // bad
            near[j + 1] = fmax(near[j], near[j + 1]);
            near[j] = low;
        }
    }
    out[y * w + x] = near[n / 2];
}
"""

LIMIT = """
constexpr int kMost = 48;
template <typename T> __global__ void pick(const T *x, T *out, int rows, int n, int k) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    T best[32];  // only bad
    T best[kMost];  // only good
    for (int j = 0; j < k; ++j) best[j] = x[row * n + j];  // bad
    for (int j = k; j < n; ++j) if (x[row * n + j] > best[k - 1]) best[k - 1] = x[row * n + j];
    for (int j = 0; j < k; ++j) out[row * k + j] = best[j];
}
int run(const float *x, float *out, int rows, int n, int k) {
    if (rows < 1 || k < 1 || k > n || k > kMost) return 1;
    pick<float><<<(rows + 127) / 128, 128>>>(x, out, rows, n, k);
    return 0;
}
"""

TILE = """
#define SIDE 8
kernel void spread(global const float *in, global float *out, int w, int h) {
    local float cells[SIDE + 1][SIDE + 2];  // only bad
    local float cells[SIDE + 2][SIDE + 2];  // only good
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int left = get_group_id(0) * SIDE - 1, top = get_group_id(1) * SIDE - 1;
    for (int i = ly * SIDE + lx; i < (SIDE + 2) * (SIDE + 2); i += SIDE * SIDE) {
        const int gx = clamp(left + i % (SIDE + 2), 0, w - 1), gy = clamp(top + i / (SIDE + 2), 0, h - 1);
        cells[i / (SIDE + 2)][i % (SIDE + 2)] = in[gy * w + gx];  // bad
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int x = left + 1 + lx, y = top + 1 + ly;
    if (x < w && y < h) out[y * w + x] = cells[ly][lx + 1] + cells[ly + 2][lx + 1];
}
"""


@pytest.mark.parametrize(
    ("code", "language"), [(WINDOW, "opencl"), (LIMIT, "cuda"), (TILE, "opencl")], ids=["window", "limit", "tile"]
)
def test_left(code: str, language: str) -> None:
    assert_pair(ArrayIndexOutOfRange, code, language)


RADIAL = """
#define BINS 64
kernel void profile(global const float *r, global const float *sums, global float *out, float step) {
    local float mine[BINS];
    for (int i = get_local_id(0); i < BINS; i += get_local_size(0)) mine[i] = sums[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    const float at = clamp(r[get_global_id(0)] / step, 0.0f, (float)LAST);
    out[get_global_id(0)] = mine[(int)at];
}
"""


@pytest.mark.parametrize(("last", "bad"), [("BINS", True), ("(BINS - 1)", False)])
def test_clamped_one_too_far(last: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, RADIAL.replace("LAST", last), "opencl")) is bad


CHOSEN_BY_DATA = """
kernel void before(global const int *order, global int *out) {
    int seen[16];
    int n = 1;
    for (int i = 0; i < 16 && order[i] != (int)get_global_id(0); ++i) seen[n++] = order[i];
    out[get_global_id(0)] = seen[n - 1];
}
"""

NO_LIMIT = """
__global__ void pick(const float *x, float *out, int n, int k) {
    float best[32];
    for (int j = 0; j < k; ++j) best[j] = x[threadIdx.x * n + j];
    out[threadIdx.x] = best[k - 1];
}
void run(const float *x, float *out, int n, int k) { pick<<<1, 128>>>(x, out, n, k); }
"""

NO_BLOCK = """
#define ROWS 16
__global__ void boxes(const float *b, float *out) {
    __shared__ float mine[ROWS * 5];
    if (threadIdx.y == 0 && threadIdx.x < blockDim.y)
        for (int k = 0; k < 5; ++k) mine[threadIdx.x * 5 + k] = b[blockIdx.y * blockDim.y * 5 + threadIdx.x * 5 + k];
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = mine[threadIdx.y * 5];
}
"""


LESSER = """
__global__ void boxes(const float *b, float *out, int n) {
    __shared__ float rows[16 * 5];
    const int have = min(n - (int)(blockIdx.y * blockDim.y), (int)blockDim.y);
    if (threadIdx.x < have && threadIdx.y == 0)
        for (int k = 0; k < 5; ++k) rows[threadIdx.x * 5 + k] = b[(blockIdx.y * blockDim.y + threadIdx.x) * 5 + k];
    __syncthreads();
    if (threadIdx.y < have) out[blockIdx.x * blockDim.x + threadIdx.x] = rows[threadIdx.y * 5];
}
void run(const float *b, float *out, int n) { boxes<<<dim3((n + 31) / 32, (n + 15) / 16), dim3(32, 16)>>>(b, out, n); }
"""

TWO_EACH = """
template <int N> __global__ void both(const int *in, int *out, int n) {
    __shared__ int cells[2 * N + N / 16];
    const int at = blockIdx.x * 2 * N, a = threadIdx.x, b = threadIdx.x + N;
    cells[a + (a >> 5)] = at + a < n ? in[at + a] : 0;
    cells[b + (b >> 5)] = at + b < n ? in[at + b] : 0;
    __syncthreads();
    if (at + a < n) out[at + a] = cells[b + (b >> 5)];
}
template __global__ void both<128>(const int *, int *, int);
"""


@pytest.mark.parametrize(
    "code",
    [LESSER, TWO_EACH, CHOSEN_BY_DATA, NO_LIMIT, NO_BLOCK],
    ids=["lesser", "two each", "data", "no limit", "no block"],
)
def test_nothing_speaks_for_it(code: str) -> None:
    assert not findings(ArrayIndexOutOfRange, code, "opencl" if "kernel void" in code else "cuda")


DOTS = """
REQUIRED
__kernel void dots(__global const float *a, __global float *c, uint width) {
    __local float part[132];
    uint lid = get_local_id(0);
    float sum = 0;
    for (uint i = 0; i < width / 128; i++) sum += a[lid + i * 128] + a[lid + 64 + i * 128];
    part[lid + 66] = sum;
    part[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    c[get_group_id(0) * 128 + lid] = part[lid] + part[(lid + 66) % 132];
}
"""


@pytest.mark.parametrize(("size", "told"), [("", True), ("64", False), ("128", True)])
def test_the_block_that_a_kernel_requires_goes_before_its_strides(size: str, told: bool) -> None:
    required = f"__attribute__((reqd_work_group_size({size}, 1, 1)))" if size else ""
    assert bool(findings(ArrayIndexOutOfRange, DOTS.replace("REQUIRED", required), "opencl")) is told


BOUNDED = """
__global__ void __launch_bounds__(BOUND) bands(const float *in, float *out, int n) {
    __shared__ float keep[2][66];
    const int k = threadIdx.x;
    for (int b = 0; b < 2; ++b) keep[b][k + 1] = 0.0f;
    __syncthreads();
    for (int s = 0; s < n; s += 66) out[blockIdx.x * 66 + s + k] = keep[s & 1][k + 1] + in[s];
}
"""


@pytest.mark.parametrize(("bound", "bad"), [(64, False), (128, True)])
def test_strides_are_no_block_beyond_the_bounds(bound: int, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, BOUNDED.replace("BOUND", str(bound)))) is bad


PARTS = """
/* part is a power of two */
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void sums(__global const float *in, __global float *out, const int items, const int part) {
    __local float acc[64];
    const int lid = get_local_id(0);
    const int at = lid & (part - 1);
    const int item = get_group_id(0) * (64 / part) + lid / part;
    float sum = 0.0f;
    if (item < items)
        for (int k = at; k < 100; k += part) sum += in[item * 100 + k];
    acc[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = FROM; s > 0; s >>= 1) {
        if (at < s) acc[lid] += acc[lid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (at == 0 && item < items) out[item] = acc[lid];
}
"""


@pytest.mark.parametrize("start", ["part >> 1", "part / 2"])
def test_a_part_is_no_larger_than_the_block(start: str) -> None:
    assert not findings(ArrayIndexOutOfRange, PARTS.replace("FROM", start), "opencl")


ROUNDS = """
#define LOT 24
__kernel void choose(__global const int *first, __global const int *with, __global int *out, int n, int most) {
    const int i = get_global_id(0);
    if (i >= n) return;
    uchar used[LOT];
    int found = START;
    for (int low = 0; found == 0 && low <= most; low += LOT) {
        for (int c = FROM; c <= LAST; ++c) used[c] = 0;
        for (int e = first[i]; e < first[i + 1]; ++e)
            if (with[e] >= low && with[e] < low + LOT) used[with[e] - low] = 1;
        for (int c = 0; c < LOT; ++c)
            if (!used[c]) { found = low + c + 1; break; }
    }
    out[i] = found;
}
"""


@pytest.mark.parametrize(
    ("start", "first", "last", "bad"), [("0", "1", "LOT", True), ("0", "0", "LOT - 1", False), ("1", "1", "LOT", False)]
)
def test_conditions_that_hold_in_the_first_round(start: str, first: str, last: str, bad: bool) -> None:
    text = ROUNDS.replace("START", start).replace("FROM", first).replace("LAST", last)
    assert bool(findings(ArrayIndexOutOfRange, text, "opencl")) is bad


SPREAD = """
constexpr int X = 32, Y = 8;
template <int R>
__global__ void spread(const float *in, const float *w, float *out, int width, int height, int pitch) {
    constexpr int COLS = X + 2 * R, ROWS = Y + DOWN;
    __shared__ float sums[ROWS * COLS];
    const int flat = threadIdx.y * X + threadIdx.x;
    for (int k = flat; k < ROWS * COLS; k += X * Y) sums[k] = 0.0f;
    __syncthreads();
    const int x = blockIdx.x * X + threadIdx.x, y = blockIdx.y * Y + threadIdx.y;
    const float v = x < width && y < height ? in[y * width + x] : 0.0f;
    for (int j = 0; j <= 2 * R; ++j)
        for (int i = 0; i <= 2 * R; ++i)
            atomicAdd(&sums[(threadIdx.y + j) * COLS + threadIdx.x + i], v * w[j] * w[i]);
    __syncthreads();
    for (int k = flat; k < ROWS * COLS; k += X * Y)
        atomicAdd(&out[(blockIdx.y * Y + k / COLS) * pitch + blockIdx.x * X + k % COLS], sums[k]);
}
LAUNCH
"""
INSTANCE = "template __global__ void spread<5>(const float *, const float *, float *, int, int, int);"
CALL = """void run(const float *in, const float *w, float *out, int width, int height, int pitch) {
    spread<5><<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(in, w, out, width, height, pitch);
}"""


@pytest.mark.parametrize("launch", [INSTANCE, CALL])
@pytest.mark.parametrize(("down", "bad"), [("R", True), ("2 * R", False), ("2 * R - 1", True)])
def test_the_corner_of_many_threads_and_rounds(launch: str, down: str, bad: bool) -> None:
    text = SPREAD.replace("LAUNCH", launch).replace("DOWN", down)
    assert bool(findings(ArrayIndexOutOfRange, text)) is bad
