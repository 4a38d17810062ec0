"""Products that wrap where sizes are as large as the host's checks let them be."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from tests.rules.marked import assert_pair, findings

TOTAL = """
constexpr int kMostShots = 64, kRows = 2048, kBins = 4096, kTaps = 8;
__global__ void decay(float *x, int total) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < total) x[i] *= 0.5f;
}
int run(float *x, int shots) {
    if (shots <= 0 || shots > kMostShots) return 1;  // only bad
    if (shots <= 0 || shots > kMostShots / 2 - 1) return 1;  // only good
    const int total = shots * kRows * kBins * kTaps;
    decay<<<(total + 255) / 256, 256>>>(x, total);  // bad
    return 0;
}
"""

SIDES = """
#include <stdexcept>
struct Volume { float *cells; unsigned nx, ny, nz; };
__global__ void clear(float *cells, unsigned n) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) cells[i] = 0.0f;
}
void run(const Volume &v) {
    if (v.nx > 2048 || v.ny > 2048 || v.nz > 2048) throw std::length_error("sides");
    if (size_t(v.nx) * v.ny * v.nz > 1u << 31) throw std::length_error("cells");  // only good
    clear<<<1024, 256>>>(v.cells, v.nx * v.ny * v.nz);  // bad
}
"""

MEMBERS = """
struct Pool { unsigned groups, lanes; char *pages; };
__global__ void wipe(char *pages, unsigned jobs) {
    const unsigned job = (blockIdx.x * blockDim.x + threadIdx.x) >> 2;
    if (job >= jobs) return;
    char *page = pages + job * (1u << 22);
    page[threadIdx.x & 3] = 0;  // bad
}
int make(Pool *p) {
    if (p->lanes == 0 || p->lanes > 64 || p->groups == 0 || p->groups > 2048u / p->lanes) return 1;  // only bad
    if (p->lanes == 0 || p->lanes > 64 || p->groups == 0 || p->groups > 1024u / p->lanes) return 1;  // only good
    return cudaMalloc(&p->pages, (size_t(p->groups) * p->lanes) << 22) != cudaSuccess;
}
void start(const Pool *p) { wipe<<<p->groups, p->lanes * 4>>>(p->pages, p->groups * p->lanes); }
"""

STORED = """
constexpr int kMostCells = 1 << 24;
struct History { float *states; int cells; };
int open(History &h, int cells, void *memory) {
    if (cells < 1 || cells > kMostCells) return 1;  // only bad
    if (cells < 1 || cells > kMostCells / 4) return 1;  // only good
    h.cells = cells;
    return cudaMemset(memory, 0, cells) != cudaSuccess;
}
__global__ void damp(float *states, int cells, int step) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < cells) states[step * cells + i] *= 0.5f;  // bad
}
int advance(const History &h, int step) {
    if (step < 0 || step > 500) return 1;
    damp<<<(h.cells + 255) / 256, 256>>>(h.states, h.cells, step);
    return 0;
}
void close(History &h) { h.cells = 0; }
"""


@pytest.mark.parametrize("code", [TOTAL, SIDES, MEMBERS, STORED], ids=["total", "sides", "members", "stored"])
def test_counts_that_the_host_makes(code: str) -> None:
    assert_pair(IndexOverflow, code)


def test_members_that_another_function_stores_in_too() -> None:
    other = "void reopen(History &h, int cells) { h.cells = cells / 8; }"
    bad = "\n".join(line for line in STORED.splitlines() if "// only good" not in line)
    assert findings(IndexOverflow, bad) and not findings(IndexOverflow, bad + other)


SILENT = [
    # A number that is mixed on purpose is compared with nothing.
    """
    __global__ void noise(unsigned *x, int n, unsigned seed) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] = (seed + i) * 2654435761u;
    }
    void run(unsigned *x, int n, unsigned frame) {
        if (n > 4096 || frame > 100000) return;
        noise<<<(n + 127) / 128, 128>>>(x, n, frame * 2654435761u);
    }
    """,
    # Checks of what fits a type, or a grid, say nothing of how much there is.
    """
    #include <climits>
    __global__ void clear(float *x, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] = 0.0f;
    }
    void run(float *x, long long rows, int columns) {
        if (rows > INT_MAX || columns > 1024) return;
        clear<<<1024, 256>>>(x, int(rows) * columns);
    }
    void limited(float *x, int rows, int columns) {
        if (rows > 65535 || columns > 65535) return;
        clear<<<1024, 256>>>(x, rows * columns);
    }
    """,
]


@pytest.mark.parametrize("code", SILENT, ids=["mixed", "types"])
def test_counts_of_which_nothing_is_said(code: str) -> None:
    assert not findings(IndexOverflow, code)


TRIANGLE = """
constexpr int kMost = 60000;
__global__ void corners(const float *x, int n, float *packed) {
    const int row = blockIdx.y, col = blockIdx.x * 64 + threadIdx.x;
    if (row >= n || col > row) return;
    packed[(size_t)(row * (row + 1) / 2) + col] = x[row] * x[col];  // only bad  // bad
    packed[(size_t)row * (row + 1) / 2 + col] = x[row] * x[col];  // only good
}
bool run(const float *x, int n, float *packed) {
    if (n < 1 || n > kMost) return false;
    corners<<<dim3((n + 63) / 64, n), 64>>>(x, n, packed);
    return true;
}
"""

ROUNDS = """
constexpr int kBands = 40000, kLine = 65536;
__global__ void stack(const short *cube, const int *shift, float *out, int n) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int band = 0; band < kBands; ++band) {
        const int from = at + shift[band];
        if (from < 0 || from >= kLine) continue;
        sum += cube[band * kLine + from];  // only bad  // bad
        sum += cube[(long long)band * kLine + from];  // only good
    }
    if (at < n) out[at] = sum;
}
void run(const short *cube, const int *shift, float *out, int n) {
    stack<<<(n + 127) / 128, 128>>>(cube, shift, out, n);
}
"""


@pytest.mark.parametrize("code", [TRIANGLE, ROUNDS], ids=["triangle", "rounds"])
def test_places_that_tests_and_constants_let_be_too_large(code: str) -> None:
    assert_pair(IndexOverflow, code)


def test_triangles_that_fit() -> None:
    fits = [TRIANGLE.replace("60000", "40000"), ROUNDS.replace("40000", "30000")]
    for code in fits:
        assert not findings(IndexOverflow, "\n".join(line for line in code.splitlines() if "// only good" not in line))


BEAMS = """
#define MOST_SAMPLES (1 << 23)
#define BEAMS 16
#define TAPS 32
__attribute__((reqd_work_group_size(TAPS, 1, 1)))
__kernel void weigh(__global const float *in, __global float *out, const int samples) {
    const int tap = get_local_id(0), beam = get_group_id(0);
    if (beam >= BEAMS || samples > MOST_SAMPLES) return;
    for (int s = get_group_id(1); s < samples; s += get_num_groups(1)) {
        const int at = (s * BEAMS + beam) * TAPS + tap;  // only bad
        const size_t at = ((size_t)s * BEAMS + beam) * TAPS + tap;  // only good
        out[at] = 2.0f * in[at];  // bad
    }
}
"""

TABLE = """
#define PITCH 262144
__kernel void costs(__global const float *a, __global const float *b, __global float *cost, int rows, int cols) {
    const int c = get_global_id(0), r = get_global_id(1);
    if (r >= min(rows, 32768) || c >= min(PITCH, cols)) return;
    cost[r * PITCH + c] = a[r] * b[c];  // only bad  // bad
    cost[(size_t)r * PITCH + c] = a[r] * b[c];  // only good
}
"""

INCIDENCE = """
constexpr int kNodes = 1 << 17, kEdges = 1 << 18;
__global__ void mark(const int *first, const int *nodes, unsigned char *touched, int edges) {
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    for (int k = first[e]; k < first[e + 1]; ++k) {
        const int node = nodes[k];
        touched[node * edges + e] = 1;  // only bad  // bad
        touched[(size_t)node * edges + e] = 1;  // only good
    }
}
int run(const int *first, const int *nodes, int n_nodes, int n_edges) {
    if (n_nodes < 1 || n_edges < 1 || n_nodes > kNodes || n_edges > kEdges) return 1;
    unsigned char *touched;
    if (cudaMalloc(&touched, (size_t)n_nodes * n_edges) != cudaSuccess) return 2;
    mark<<<(n_edges + 127) / 128, 128>>>(first, nodes, touched, n_edges);
    return cudaFree(touched) != cudaSuccess;
}
"""


@pytest.mark.parametrize(
    ("code", "language"), [(BEAMS, "opencl"), (TABLE, "opencl"), (INCIDENCE, "cuda")], ids=["beams", "table", "data"]
)
def test_places_in_arrays_that_stated_sizes_make_too_large(code: str, language: str) -> None:
    assert_pair(IndexOverflow, code, language)


def test_arrays_that_fit_by_what_is_stated() -> None:
    fits = [
        (BEAMS.replace("1 << 23", "1 << 21"), "opencl"),
        (TABLE.replace("32768", "4096"), "opencl"),
        (INCIDENCE.replace("1 << 17", "1 << 12"), "cuda"),
        (INCIDENCE.replace(" || n_nodes > kNodes", ""), "cuda"),  # however many nodes: nothing says so
    ]
    for code, language in fits:
        bad = "\n".join(line for line in code.splitlines() if "// only good" not in line)
        assert not findings(IndexOverflow, bad, language)


RAMP = """
__global__ void ramp(const float *x, float *y, int rows, int width, int size) {
    for (int i = threadIdx.x; i < size; i += 64)
        if (i / width < rows - 1) y[i] = x[i + width];
}
struct Plane { int rows, width, count; float *data; };
void run(Plane *p, float *y) {
    const int size = p->rows * p->width;
    if (size <= 64) ramp<<<p->count, 64>>>(p->data, y, p->rows, p->width, size);
}
"""


def test_factors_of_a_product_that_is_held_down() -> None:
    """That the product of two sizes may wrap to a small number is no reason to take one at the end of its type."""
    assert not findings(IndexOverflow, RAMP)
