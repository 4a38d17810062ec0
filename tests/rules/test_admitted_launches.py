"""Launches that are refused for sizes which the host's own checks and clamps let through."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.launch_limits import LaunchLimits

from tests.rules.marked import assert_pair, findings

CLAMPED = """
constexpr int kMostPeaks = 2048;
__global__ void rank(const float *score, int n, int *place) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int before = 0;
    for (int j = 0; j < n; ++j) before += score[j] > score[i];
    place[i] = before;
}
void run(const float *score, int n, int *place) {
    if (n > kMostPeaks) n = kMostPeaks;
    const int threads = n;  // only bad
    const int threads = 256;  // only good
    rank<<<(n + threads - 1) / threads, threads>>>(score, n, place);  // bad
}
"""

CHECKED = """
__global__ void fade(float *x, int width) {
    x[blockIdx.x * width + threadIdx.x] *= 0.5f;
}
int run(float *x, int rows, int width) {
    if (rows < 1 || width < 1 || width > 1536) return 1;  // only bad
    if (rows < 1 || width < 1 || width > 1024) return 1;  // only good
    fade<<<rows, width>>>(x, width);  // bad
    return 0;
}
"""

HALVED = """
#include <stdexcept>
struct Job { float *out; int lines, taps; };
__global__ void clear(float *out, int taps) { out[blockIdx.y * taps + threadIdx.x] = 0.0f; }
void run(const Job &job) {
    if (job.taps > 256 || job.lines > (1 << 18)) throw std::length_error("job");
    const int each = 2;  // only bad
    const int each = 8;  // only good
    clear<<<dim3(1, job.lines / each), job.taps>>>(job.out, job.taps);  // bad
}
"""

BOUNDS = """
__global__ void __launch_bounds__(256) tick(int *n) { n[threadIdx.x] += 1; }
void run(int *n, unsigned count) {
    const unsigned most = 512;  // only bad
    const unsigned most = 256;  // only good
    tick<<<1, min(count, most)>>>(n);  // bad
}
"""

NOTHING = """
__global__ void tick(int *n, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) n[i] += 1;
}
cudaError_t run(int *n, int count) {
    if (count < 0) return cudaErrorInvalidValue;  // only bad
    if (count < 1) return cudaSuccess;  // only good
    tick<<<(count + 127) / 128, 128>>>(n, count);  // bad
    return cudaGetLastError();
}
"""

REST = """
constexpr int kPart = 4096, kAll = 12 * kPart;
__global__ void tick(int *n, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) n[i] += 1;
}
static cudaError_t part(int *n, int count) {
    if (count == 0) return cudaSuccess;  // only good
    const int blocks = (count + 127) / 128;
    tick<<<blocks, 128>>>(n, count);  // bad
    return cudaGetLastError();
}
cudaError_t run(int *n) {
    for (int k = 0; k < kAll / kPart; ++k)
        if (cudaError_t e = part(n + k * kPart, kPart)) return e;
    return part(n + kAll / kPart * kPart, kAll % kPart);
}
"""

MEMBER = """
constexpr int kMostQueries = 150000;  // only bad
constexpr int kMostQueries = 50000;  // only good
struct Queries { int *hits; int filled, length; };
__global__ void clear(int *hits, int length) { hits[blockIdx.y * length + threadIdx.x] = 0; }
bool takes_more(const Queries &q) { return q.filled < kMostQueries; }
void start(const Queries &q) {
    clear<<<dim3(2, q.filled), 64>>>(q.hits, q.length);  // bad
}
"""

MADE = """
struct Plan { float *x; unsigned lanes, lines; };
__global__ void clear(float *x, unsigned lanes) { x[blockIdx.x * lanes + threadIdx.x] = 0.0f; }
int make(Plan *p) {
    if (p->lanes == 0 || p->lanes > 2048) return 1;  // only bad
    if (p->lanes == 0 || p->lanes > 512) return 1;  // only good
    return cudaMalloc(&p->x, p->lanes * p->lines * sizeof(float)) != cudaSuccess;
}
void start(const Plan *p) {
    clear<<<p->lines, p->lanes>>>(p->x, p->lanes);  // bad
}
"""


@pytest.mark.parametrize(
    "code",
    [CLAMPED, CHECKED, HALVED, BOUNDS, NOTHING, REST, MEMBER, MADE],
    ids=["clamped", "checked", "halved", "bounds", "nothing", "rest", "member", "made"],
)
def test_what_the_host_lets_through(code: str) -> None:
    assert_pair(LaunchLimits, code)


SILENT = [
    # What fits a type is no size that somebody has in mind.
    """
    #include <climits>
    __global__ void clear(float *x, int n) { x[blockIdx.y * n + threadIdx.x] = 0.0f; }
    int run(float *x, long rows, int n) {
        if (rows > INT_MAX || n > 256) return 1;
        clear<<<dim3(4, rows), n>>>(x, n);
        return 0;
    }
    """,
    # The sides are held down together, the count of blocks by what is on the other axis.
    """
    __global__ void clear(float *x, int w) { x[threadIdx.y * w + threadIdx.x] = 0.0f; }
    int run(float *x, int w, int h) {
        if (w > 64 || h > 64 || w * h > 1024) return 1;
        clear<<<1, dim3(w, h)>>>(x, w);
        return 0;
    }
    """,
    # Another launch is taken for large sizes.
    """
    __global__ void few(float *x) { x[threadIdx.x] = 0.0f; }
    __global__ void many(float *x, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = 0.0f; }
    void run(float *x, int n) {
        if (n > 8192) return;
        if (n <= 1024) few<<<1, n>>>(x);
        else many<<<1, n > 2048 ? 512 : 256>>>(x, n);
    }
    """,
    # Nobody looks at the error of an empty launch.
    """
    __global__ void tick(int *n, int count) { if (blockIdx.x * 128 + threadIdx.x < count) n[0] += 1; }
    void run(int *n, int count) {
        if (count < 0) return;
        tick<<<(count + 127) / 128, 128>>>(n, count);
    }
    """,
]


@pytest.mark.parametrize("code", SILENT, ids=["type", "together", "branches", "unchecked"])
def test_what_it_does_not_let_through(code: str) -> None:
    assert not findings(LaunchLimits, code)


BINS = """
#include <cassert>
__global__ void first(const float *x, int n) {}
__global__ void second(const float *x, int n) {}
__global__ void third(const float *x, int n) {}
static void tasks(const float *x, int n, int kind) {
    assert(n < 65536 * 8);
    dim3 grid(1, (n + 7) / 8), block(32, 8);
    switch (kind) {
    case 1: first<<<grid, block>>>(x, n); break;
    case 2: second<<<grid, block>>>(x, n); break;
    default: third<<<grid, block>>>(x, n);
    }
}
void run(const float *x, const int *bins, int count, int kind) {
    for (int k = 0; k < count; ++k) tasks(x, bins[k + 1] - bins[k], kind);
}
"""


def test_launches_of_one_size_are_of_one_habit() -> None:
    found = [one for one in findings(LaunchLimits, BINS) if "65536 blocks" in one.message]
    assert len(found) == 3 and "bins[..]" in found[0].message
    assert len({one.habit for one in found}) == 1 and found[0].habit
