"""Products in 32 bits that leave their type where sizes are as large as comments say."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.index_overflow import IndexOverflow

from tests.rules.marked import findings

VOLUME = """
// SAID
__global__ void damp(float *x, int planes, int rows, int cols) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    for (int p = blockIdx.z; p < planes; p += gridDim.z)
        x[INDEX] *= 0.5f;
}
void run(float *x, int planes, int rows, int cols) {
    damp<<<dim3((cols + 127) / 128, rows, 16), 128>>>(x, planes, rows, cols);
}
"""
NARROW, WIDE = "(p * rows + blockIdx.y) * cols + c", "((size_t)p * rows + blockIdx.y) * cols + c"
CHECKED = """
// side: below 4096
__global__ void clear(float *x, int side) {
    const int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= side * side) return;
    x[2 * side * side + cell] = 0.0f;
}
void run(float *x, int side) { clear<<<(side * side + 255) / 256, 256>>>(x, side); }
"""


@pytest.mark.parametrize(
    ("said", "index", "told"),
    [
        ("planes (<= 4096) x rows (<= 2048) x cols (<= 2048) cells", NARROW, "planes = 4096"),
        ("A long run has planes = 40 steps * 100 fields, rows = 2048 and cols = 2048.", NARROW, "planes = 4000"),
        ("planes, rows, cols: 1 .. 4096", NARROW, "68719476735"),
        ("planes stays below 4096, rows is at most 2048, cols goes up to 2048", NARROW, "planes = 4095"),
        ("planes, rows, cols: 1 .. 4096", WIDE, ""),
        ("planes, rows, cols: 1 .. 512", NARROW, ""),
        ("planes, rows: 1 .. 4096", NARROW, ""),
        ("planes, rows, cols: 1 .. 4096, and all cells together fewer than 2^31", NARROW, ""),
        ("planes, rows, cols: 1 .. 4096; planes * rows * cols fits an int", NARROW, ""),
    ],
)
def test_volumes(said: str, index: str, told: str) -> None:
    shown = findings(IndexOverflow, VOLUME.replace("SAID", said).replace("INDEX", index), "cuda")
    assert [told in one.message for one in shown] == [True] * bool(told)


GATHERS = """
// A line has up to 90 000 receivers and 40 000 time steps.
struct Line { int shots; int nrec; int nt; };
__device__ long long at(const Line &l, int shot, int rec, int t) { return INDEX; }
__global__ void record(Line l, const float *p, float *out, int t) {
    const int rec = blockIdx.x * blockDim.x + threadIdx.x;
    const int shot = blockIdx.y;
    if (rec >= l.nrec || shot >= l.shots) return;
    out[at(l, shot, rec, t)] = p[rec];
}
void step(const Line &l, const float *p, float *out, int t) {
    if (t < 0 || t >= LAST) return;
    record<<<dim3((l.nrec + 63) / 64, l.shots), 64>>>(l, p, out, t);
}
"""


@pytest.mark.parametrize(
    ("last", "index", "told"),
    [
        ("l.nt", "(shot * l.nrec + rec) * l.nt + t", "nt = 40000"),
        ("l.nt", "rec * l.nt + t * 4 + shot", "nt = 40000"),
        ("l.nt", "(shot * l.nt + t) * l.nrec + rec", "nt = 40000"),
        ("10", "(shot * l.nt + t) * l.nrec + rec", ""),
        ("l.nt", "((long long)shot * l.nrec + rec) * l.nt + t", ""),
        ("l.nt", "shot * 100 + rec * 7000 + t", ""),
    ],
)
def test_the_first_of_what_nothing_is_said_of(last: str, index: str, told: str) -> None:
    shown = findings(IndexOverflow, GATHERS.replace("INDEX", index).replace("LAST", last), "cuda")
    assert [told in one.message for one in shown] == [True] * bool(told)


def test_tested_against_a_product_that_fits() -> None:
    assert findings(IndexOverflow, CHECKED, "cuda") == []
    shown = findings(IndexOverflow, CHECKED.replace("below 4096", "below 40 000"), "cuda")
    assert len(shown) <= 1


DIVIDED = """
// n < 2^30, step: 1 .. 1024
__global__ void resample(const float *x, float *y, int n, int step, int rate) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[CAST i * step / rate];
}
"""


@pytest.mark.parametrize(("cast", "told"), [("", 1), ("(long long)", 0)])
def test_a_product_that_is_divided(cast: str, told: int) -> None:
    assert len(findings(IndexOverflow, DIVIDED.replace("CAST", cast), "cuda")) == told


STRIDED = """
// n is at most 2^30, step is at most 64
__global__ void spread(float *x, int n, int step) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[CAST i * step] = 0.0f;
}
void run(float *x, int n, int step, int processors) { spread<<<processors * 20, 512>>>(x, n, step); }
"""


@pytest.mark.parametrize(("cast", "told"), [("", 1), ("(size_t)", 0)])
def test_a_grid_of_any_size(cast: str, told: int) -> None:
    assert len(findings(IndexOverflow, STRIDED.replace("CAST", cast), "cuda")) == told


PITCHED = """
// slices (<= 2048) x rows (<= 2048) x cols (<= COLS)
__global__ void fill(float *x, unsigned pitch, unsigned slices, unsigned rows, unsigned cols) {
    const unsigned c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y, s = blockIdx.z;
    if (c < cols && r < rows && s < slices) x[CAST(s * rows + r) * pitch + c] = 0.0f;
}
"""


@pytest.mark.parametrize(("cols", "cast", "told"), [(4096, "", 1), (4096, "(size_t)", 0), (512, "", 0)])
def test_rows_are_no_shorter_than_what_is_in_them(cols: int, cast: str, told: int) -> None:
    code = PITCHED.replace("CAST", cast).replace("COLS", str(cols))
    assert len(findings(IndexOverflow, code, "cuda")) == told
