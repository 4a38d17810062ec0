"""Loops whose test is of the first of the rows that a block takes in a round; arguments of no type."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.late_bounds_guard import LateBoundsGuard
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from kernlint.finding import Severity
from tests.rules.marked import findings

KERNEL = """
struct Sizes { int rows, columns; };
__global__ void centred(GIVEN mean, GIVEN from, TAKEN to, Sizes s, float *last) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int first = blockIdx.x * 4; TESTED; first += gridDim.x * 4) {
        const int row = first + warp;
        const float m = MEAN[ROW];
        if (lane == 0 && m > 1e6f) LAST;
        for (int c = lane; c < s.columns; c += 32)
            if (row < s.rows) TO[row * s.columns + c] = FROM[row * s.columns + c] - m;
    }
}
"""


def _code(tested: str, row: str, last: str, void: bool) -> str:
    code = KERNEL.replace("TESTED", tested).replace("ROW]", row + "]").replace("LAST", last)
    names = {"MEAN": "mean", "FROM": "from", "TO": "to"}
    for word, name in names.items():
        kind = "float *" if word == "TO" else "const float *"
        code = code.replace(f"{word}[", f"static_cast<{kind}>({name})[" if void else f"{name}[")
    kind = "void" if void else "float"
    return code.replace("GIVEN", f"const {kind} *").replace("TAKEN", f"{kind} *")


@pytest.mark.parametrize("void", [False, True])
@pytest.mark.parametrize(
    ("tested", "row", "last", "bad"),
    [
        ("first < s.rows", "row", "return", True),
        ("first + 3 < s.rows", "row", "return", False),  # rounds are whole
        ("first < s.rows", "min(row, s.rows - 1)", "return", False),
        ("first < s.rows", "first", "return", False),
        ("first < s.rows && row < s.rows", "row", "return", False),
        ("first < s.rows", "row", "last[row] = m", False),  # there is room for all rows of a round
    ],
)
def test_rows_behind_the_first(tested: str, row: str, last: str, bad: bool, void: bool) -> None:
    assert bool(findings(LateBoundsGuard, _code(tested, row, last, void))) is bad


def test_of_what_kind_an_argument_is_all_its_uses_say() -> None:
    code = _code("first < s.rows", "row", "static_cast<const double *>(mean)[row] > 0 ? last[0] = 1 : 0", True)
    assert not findings(LateBoundsGuard, code)  # numbers of two sizes: which of them are counted nobody says


LARGEST = """
__global__ void largest(const float *x, float *out, int n, int most) {
    extern __shared__ float s[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float v = FIRST;
    for (int j = FROM; j < n; j += STEP) v = fmaxf(v, x[j]);
    s[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int k = 1; k < blockDim.x; ++k) v = fmaxf(v, s[k]);
    out[blockIdx.x] = v;
}
LAUNCH
"""

FULL = """
void run(const float *x, float *out, int n) {
    if (n >= 256 * 64) largest<<<64, 256, 1024>>>(x, out, n, 0);
}
"""


@pytest.mark.parametrize(
    ("first", "start", "step", "launch", "bad"),
    [
        ("x[i]", "i + all", "all", "", True),
        ("x[i]", "i + all", "all", FULL, False),  # the first round is whole
        ("x[i]", "i + all", "all", FULL.replace(">= 256 * 64", "> 0"), True),
        ("i < n ? x[i] : 0.f", "i + all", "all", "", False),
        ("x[min(i, n - 1)]", "i + all", "all", "", False),
        ("x[i % most]", "i + all", "all", "", False),
        ("x[threadIdx.x]", "threadIdx.x + blockDim.x", "blockDim.x", "", True),
        ("x[0]", "1", "1", "", False),  # at least one element
    ],
)
def test_the_round_in_front_of_the_loop(first: str, start: str, step: str, launch: str, bad: bool) -> None:
    code = LARGEST.replace("FIRST", first).replace("FROM", start).replace("STEP", step).replace("LAUNCH", launch)
    assert any(one.severity is not Severity.NOTE for one in findings(MissingBoundsGuard, code)) is bad


ACROSS = """
struct Work { int rows, columns, down, across; const void *mean; void *data; };
__global__ void centred(Work w) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, y = blockIdx.x / w.across, x = blockIdx.x % w.across;
    for (int first = y * 4; first < w.rows; first += 4 * w.down) {
        const int row = first + warp;
        const float m = TESTED static_cast<const float *>(w.mean)[row];
        for (int c = (x * 32 + lane) * 4; c < w.columns && row < w.rows; c += 128 * w.across) {
            float *at = static_cast<float *>(w.data) + row * w.columns + c;
            if (w.columns - c >= 4) {
                float4 v = *reinterpret_cast<float4 *>(at);
                v.x -= m, v.y -= m, v.z -= m, v.w -= m;
                *reinterpret_cast<float4 *>(at) = v;
            } else
                for (int k = 0; k < w.columns - c; ++k) at[k] -= m;
        }
    }
}
"""


@pytest.mark.parametrize(("tested", "bad"), [("", True), ("row >= w.rows ? 0.f :", False)])
def test_steps_of_a_number_of_blocks_that_is_an_argument(tested: str, bad: bool) -> None:
    assert bool(findings(MissingBoundsGuard, ACROSS.replace("TESTED", tested))) is bad


def test_rows_are_no_steps() -> None:
    code = """
    __global__ void rows(float *out, const float *in, const float *scale, int width, int n) {
        for (int at = blockIdx.x * width; at < n; at += gridDim.x * width)
            for (int x = threadIdx.x; x < width; x += blockDim.x) out[at + x] = in[at + x] * scale[x];
    }
    """
    assert not findings(MissingBoundsGuard, code) and not findings(LateBoundsGuard, code)
