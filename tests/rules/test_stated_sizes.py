"""Grids that are refused for sizes which a comment of the file allows."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.launch_limits import LaunchLimits

from tests.rules.marked import findings

ROWS = """
#include <cstdlib>
__global__ void scale(float *x, int rows, int cols) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
    if (c < cols) x[(size_t)r * cols + c] *= 2.0f;
}
struct Batch { int rows; int cols; };
// SAID
int run(float *x, const Batch &batch, int rows, int cols) {
    BEFORE
    scale<<<dim3((cols + 127) / 128, COUNT), 128>>>(x, rows, cols);
    return cudaGetLastError() != cudaSuccess;
}
"""


@pytest.mark.parametrize(
    ("said", "before", "count", "told"),
    [
        ("rows: tokens of a batch, 1 .. 262144", "", "rows", "has 262144 blocks along y"),
        ("rows: 1 .. 262144", "", "(rows + 7) / 8", ""),
        ("rows: 1 .. 262144", "if (rows > 65535) return 2;", "rows", ""),
        ("rows: 1 .. 262144", "if (rows > 100000) rows = 100000;", "rows", "blocks along y"),
        ("rows: 1 .. 4096", "", "rows", ""),
        ("rows are many", "", "rows", ""),
        ("rows: 0 for an empty batch", "", "rows", "where rows is 0"),
        ("rows: 0 .. 1000", "", "(rows - 1) / 8 + 1", ""),
        ("rows: 0 .. 1000", "", "((unsigned)rows - 1) / 8 + 1", "where rows is 0"),
        ("rows: 0 .. 1000", "if (rows < 1) return 0;", "rows", ""),
        ("rows: 1 .. 1000", "", "rows", ""),
        ("cols may be 0", "", "rows", "where cols is 0"),
        ("rows: 0 .. 1000", "", "batch.rows", "where rows is 0"),
        ("rows: 0 .. 1000", "if (!batch.rows) return 0;", "batch.rows", ""),
        ("rows: 0 .. 1000", "", "(rows + 1)", ""),
    ],
)
def test_sizes_that_a_comment_allows(said: str, before: str, count: str, told: str) -> None:
    source = ROWS.replace("SAID", said).replace("BEFORE", before).replace("COUNT", count)
    found = [one.message for one in findings(LaunchLimits, source)]
    assert [told in message for message in found] == ([True] if told else [])


def test_an_error_that_nobody_looks_at() -> None:
    source = ROWS.replace("SAID", "rows: 0 .. 9").replace("BEFORE", "").replace("COUNT", "rows")
    assert not findings(LaunchLimits, source.replace("cudaGetLastError() != cudaSuccess", "0"))


BLOCKS = """
struct Settings {
    int lanes;    // threads that work together
    int group;    // items of a block, 4 .. 256
};
__global__ void step(float *x, int n) {
    const int i = blockIdx.x * blockDim.y + threadIdx.y;
    if (i < n) x[i * 8 + threadIdx.x] *= 2.0f;
}
void run(const Settings &how, float *x, int n) {
    BEFORE
    const int rows = ROWS;
    step<<<(n + rows - 1) / rows, dim3(8, rows)>>>(x, n);
}
"""


@pytest.mark.parametrize(
    ("rows", "before", "told"),
    [
        ("how.group < 4 ? 4 : how.group", "", "a block has 2048 threads where group is as large as the comment allows"),
        ("how.group > 128 ? 128 : how.group", "", ""),
        ("how.group / 2", "", ""),
        ("how.group", "if (how.group > 128) return;", ""),
        (
            "how.group",
            "if (how.group > 200) return;",
            "a block has 1600 threads where group is as large as the host lets",
        ),
    ],
)
def test_blocks_that_a_comment_allows(rows: str, before: str, told: str) -> None:
    found = [one.message for one in findings(LaunchLimits, BLOCKS.replace("ROWS", rows).replace("BEFORE", before))]
    assert [message.startswith(told) for message in found] == ([True] if told else [])


MADE = """
#include <cmath>
__global__ void sort(int *cells, int n) { if (threadIdx.x < n) cells[blockIdx.x * n + threadIdx.x] += 1; }
class Cells {
public:
    int room = 0, count = 0;
    int *cells = nullptr;
    static int estimate(double cut, double skin) {
        const double ratio = (cut + skin) / cut;
        return (int)std::ceil(100.0 * ratio * ratio);
    }
    void make(double cut, double skin, int n) {
        count = n;
        room = ROOM;
        cudaMalloc(&cells, sizeof(int) * count * room);
    }
    void run() { CHECK sort<<<count, room>>>(cells, room); }
};
void start(Cells &one, int n) { one.make(CUT, 1.0, n); }
"""


@pytest.mark.parametrize(
    ("room", "cut", "check", "threads"),
    [
        ("estimate(cut, skin)", "0.4", "", "1225"),
        ("estimate(cut, skin)", "4.0", "", ""),
        ("estimate(cut, skin)", "0.4", "if (room > 1024) return;", ""),
        ("n", "0.4", "", ""),
        ("cut < 1.0 ? 64 : 128", "0.4", "", ""),
    ],
)
def test_blocks_of_what_callers_have_stored(room: str, cut: str, check: str, threads: str) -> None:
    source = MADE.replace("ROOM", room).replace("CUT", cut).replace("CHECK", check)
    found = [one.message for one in findings(LaunchLimits, source) if one.message.startswith("a block has")]
    assert [message.startswith(f"a block has {threads} threads") for message in found] == ([True] if threads else [])


def test_counts_in_one_row_and_in_short() -> None:
    source = """
// A run has up to 4096 DM trials and 2^22 time samples.
__global__ void peaks(const float *snr, float *out, int ndm, int nt) {
    const int dm = blockIdx.x * 32 + threadIdx.x, t = blockIdx.y * 8 + threadIdx.y;
    if (dm < ndm && t < nt) out[(size_t)t * ndm + dm] = snr[(size_t)t * ndm + dm];
}
void run(const float *snr, float *out, int ndm, int nt) {
    peaks<<<dim3((ndm + 31) / 32, (nt + 7) / 8), dim3(32, 8)>>>(snr, out, ndm, nt);
}
"""
    assert "524288 blocks along y where nt is" in findings(LaunchLimits, source)[0].message
    assert not findings(LaunchLimits, source.replace("2^22", "2^18"))
    assert not findings(LaunchLimits, source.replace("int nt", "int nt, int nsamp"))


TALL = """
#include <cstdint>
#include <utility>
__global__ void mix(uint32_t *x, uint32_t rows, uint64_t cols) {
    const uint64_t c = blockIdx.y * (uint64_t)blockDim.y + threadIdx.y;
    if (blockIdx.x < rows && c < cols) x[blockIdx.x * cols + c] ^= 1;
}
static std::pair<dim3, dim3> dims(uint32_t rows, uint64_t cols) {
    return {dim3(rows, static_cast<uint32_t>((cols + 255) / 256)), dim3(1, 256)};
}
// rows <= 64, SAID
void run(uint32_t *x, uint32_t rows, uint64_t cols, cudaStream_t s) {
    auto [grid, block] = dims(rows, cols);
    mix<<<grid, block, 0, s>>>(x, rows, cols);
}
"""


@pytest.mark.parametrize(("said", "told"), [("cols up to 2^30", 1), ("cols up to 2^20", 0)])
def test_sizes_in_a_pair(said: str, told: int) -> None:
    assert len(findings(LaunchLimits, TALL.replace("SAID", said))) == told


def test_tiles_of_all_the_work_as_far_as_a_comment_says() -> None:
    source = """
__global__ void shrink(float *x, unsigned n) {
    const unsigned c = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < 32 && i < n) x[i * 32 + c] *= 0.5f;
}
// n: SAID
void run(float *x, unsigned n) {
    dim3 block(32, 32, 1), grid(1, (n + block.y - 1) / block.y, 1);
    shrink<<<grid, block>>>(x, n);
}
"""
    assert not findings(LaunchLimits, source.replace("SAID", "any number of rows up to 1 << 20"))
    assert findings(LaunchLimits, source.replace("SAID", "any number of rows"))


def test_rows_of_amd_devices() -> None:
    source = """#include <hip/hip_runtime.h>
__global__ void shrink(float *x, int n) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n) x[(size_t)row * 64 + threadIdx.x] *= 0.5f;
}
// n may be as large as 30000000
void run(float *x, int n) { shrink<<<dim3(1, (n + 3) / 4), dim3(64, 4)>>>(x, n); }
"""
    assert len(findings(LaunchLimits, source, "hip")) == 1
    assert not findings(LaunchLimits, source.replace("30000000", "200000"), "hip")


def test_one_block_of_a_kernel_for_many() -> None:
    source = """
__global__ void fill(float *x, unsigned n) {
    const unsigned i = PLACE;
    if (i < n) x[i] = 1.0f;
}
void run(float *x, unsigned n) { fill<<<1, n>>>(x, n); }
"""
    found = findings(LaunchLimits, source.replace("PLACE", "blockIdx.x * blockDim.x + threadIdx.x"))
    assert len(found) == 1 and found[0].message.startswith("a block of n threads may have more than 1024")
    assert not findings(LaunchLimits, source.replace("PLACE", "threadIdx.x"))


def test_a_grid_that_is_rounded_down_to_nothing() -> None:
    source = """
__global__ void fill(float *x) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < 160 && r < 20) x[r * 160 + c] = 1.0f;
}
void run(float *x) {
    dim3 block(32, 32);
    dim3 grid(160 / block.x, ROWS / block.y);
    fill<<<grid, block>>>(x);
}
"""
    assert [one.message for one in findings(LaunchLimits, source.replace("ROWS", "20"))] == [
        "the grid has 0 blocks along y"
    ]
    assert not findings(LaunchLimits, source.replace("ROWS", "(20 + 31)"))


CHOSEN = """
static int pick(int items) { return items < 100000 ? 256 : LARGE; }
__global__ void fill(float *x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = 1;
}
void run(float *x, int n) {
    CHECK
    const int threads = pick(n);
    fill<<<(n + threads - 1) / threads, threads>>>(x, n);
}
"""


@pytest.mark.parametrize(
    ("large", "check", "bad"),
    [
        ("2048", "", True),
        ("1024", "", False),
        ("2048", "if (n > 50000) return;", False),
        ("2 * items", "", False),
    ],
)
def test_blocks_that_sizes_choose_between(large: str, check: str, bad: bool) -> None:
    found = findings(LaunchLimits, CHOSEN.replace("LARGE", large).replace("CHECK", check))
    assert any("2048 x 1 x 1 threads is chosen" in one.message for one in found) is bad


SPREAD = """
__global__ void sort(int *cells, int n) { if (threadIdx.x < n) cells[blockIdx.x * n + threadIdx.x] += 1; }
class Cells {
public:
    unsigned int room = 1;
    int *cells = nullptr;
    void make() { room = ROOM; }
    void run(int n, unsigned int each) {
        sort<<<n, (room + each - 1) / each>>>(cells, n);
    }
};
void start(Cells &one) { one.make(); }
"""


@pytest.mark.parametrize(("room", "told"), [("1", False), ("1000", False), ("5000", True)])
def test_unsigned_sizes_wrap(room: str, told: bool) -> None:
    """One less is the largest number more, and comes to one less again."""
    source = SPREAD.replace("ROOM", room)
    assert any(one.message.startswith("a block has") for one in findings(LaunchLimits, source)) is told


@pytest.mark.parametrize(("unit", "told"), [("each", True), ("boost::pick(each)", False)])
def test_what_is_not_understood_is_no_size(unit: str, told: bool) -> None:
    source = SPREAD.replace("ROOM", "5000").replace("(room + each - 1) / each", "room / unit")
    source = source.replace("sort<<<n", f"unsigned int unit = 1;\n        unit = {unit};\n        sort<<<n")
    assert any(one.message.startswith("a block has") for one in findings(LaunchLimits, source)) is told


WHOLE = """
__global__ void match(const float *in, float *out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x; // relative position x (-4096 to 4096)
    if (i < n) out[i] = in[i];
}
void run(const float *in, float *out, int n, const dim3 threads) { match<<<(n + 31) / 32, threads>>>(in, out, n); }
"""


def test_a_component_is_no_variable_of_a_comment() -> None:
    assert not findings(LaunchLimits, WHOLE)
