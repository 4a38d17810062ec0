"""Guards that are right: what another array, or the values tried, say of an extent does not hold for this one."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

SUMS = """
__global__ void band(const int *sums, int pitch, float *mean, int n, int r) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, line = blockIdx.y;
    if (i >= n) return;
    const int *mine = sums + line * ROW;
    mean[line * n + i] = mine[min(i + r, n)] - mine[max(i - r, 0)];
}
"""


def test_rows_with_a_pitch_of_their_own_may_be_longer_than_those_of_another_array() -> None:
    assert not findings(WrongBoundsGuard, SUMS.replace("ROW", "pitch"))
    assert findings(WrongBoundsGuard, SUMS.replace("ROW", "n"))


EDGES = """
__kernel void wrap(__global float *a, const int w, const int h) {
    const int y = get_global_id(0);
    if (y < h - 1) {
        a[y * w] = a[y * w + w - 1];
        AT = a[(y + 1) * w];
    }
}
"""


@pytest.mark.parametrize("last", ["a[(y + 1) * w + w - 1]", "a[(y + 2) * w - 1]"])
def test_the_end_of_a_row_is_no_start_of_the_next(last: str) -> None:
    assert not findings(WrongBoundsGuard, EDGES.replace("AT", last), "opencl")


PULL = """
import numpy as np
from numba import cuda

@cuda.jit
def pull(place, weight, out):
    i = cuda.grid(1)
    n = place.shape[0]
    if i MEETS n:
        out[i] = place[i, 0] * weight[i]

def run(place, weight):
    n = len(weight)
    out = cuda.device_array(n, dtype=np.float32)
    pull[(n + 63) // 64, 64](cuda.to_device(place), cuda.to_device(weight), out)
    return out.copy_to_host()
"""


def test_arrays_that_a_kernel_takes_together_are_of_one_length() -> None:
    assert not findings(WrongBoundsGuard, PULL.replace("MEETS", "<"), "python")
    assert findings(WrongBoundsGuard, PULL.replace("MEETS", "<="), "python")


@pytest.mark.parametrize(
    "host", ["", "void go(int *t, int n) { lcs<<<(n + 127) / 128, 128>>>(t, n); }"], ids=["alone", "launched"]
)
@pytest.mark.parametrize("row", ["n + 1", "pitch"])
def test_tables_with_a_row_and_a_column_more_are_counted_from_one(row: str, host: str) -> None:
    code = """\
__global__ void lcs(int *t, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const size_t pitch = (size_t)n + 1;
    for (int d = 2; d <= 2 * n; ++d) {
        const int j = d - i;
        if (i <= n && j >= 1 && j <= n)
            t[i * (ROW) + j] = max(t[(i - 1) * (ROW) + j], t[i * (ROW) + j - 1]);
        __syncthreads();
    }
}
"""
    assert not findings(WrongBoundsGuard, code.replace("ROW", row) + host)


ROW_LENGTHS = """
__global__ void first_row(float *x, const float *y, const int *length, int rows, int n) {
    const unsigned i = blockIdx.x + 1, row = blockIdx.z;
    FIRST
    if (THEN) x[row * n + i] = y[row * n + i];
    if (i < n) x[row * n + i] += 1.0f;
}
void run(float *x, const float *y, const int *length, int rows, int n) {
    first_row<<<dim3(n, 1, rows), 32>>>(x, y, length, rows, n);
}
"""


@pytest.mark.parametrize(
    ("first", "then", "bad"),
    [
        ("if (i > n) return;", "i < length[row]", False),
        ("if (i > n) return;", "length[row] > 0", True),
        ("assert(i <= n);", "length[row] > 0", False),
    ],
)
def test_a_row_as_long_as_data_say_ends_before_the_size(first: str, then: str, bad: bool) -> None:
    source = "#include <cassert>\n" + ROW_LENGTHS.replace("FIRST", first).replace("THEN", then)
    assert bool(findings(WrongBoundsGuard, source)) is bad


REST_OF_A_TILE = """
__global__ void tile(const float *in, float *out, int n) {
    __shared__ float part[16 * 3];
    const int start = blockIdx.y * blockDim.y, count = min(n - start, blockDim.SIDE);
    if (threadIdx.x < count && threadIdx.y == 0) part[threadIdx.x * 3] = in[start + threadIdx.x];
    __syncthreads();
    out[start + threadIdx.y] = part[threadIdx.y * 3];
}
void run(const float *in, float *out, int n) { tile<<<dim3(1, (n + 15) / 16), dim3(32, 16)>>>(in, out, n); }
"""


@pytest.mark.parametrize(("side", "bad"), [("y", False), ("x", True)])
def test_the_smaller_of_two_limits_is_below_either(side: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, REST_OF_A_TILE.replace("SIDE", side))) is bad


RAYS = """
// alive = -1 means that the ray has ended.
__global__ void march(int *alive, const float *step, float *depth, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int ray = alive[i];
    depth[ray] += step[i];
    if (step[i] == 0.0f) LIST[i] = -1;
}
"""


@pytest.mark.parametrize(("list_", "bad"), [("alive", False), ("depth", True)])
def test_a_mark_that_the_kernel_sets_is_for_those_who_come_after(list_: str, bad: bool) -> None:
    found = findings(MissingBoundsGuard, RAYS.replace("LIST", list_))
    assert any("as a comment says" in one.message for one in found) is bad


SPLIT = """
__global__ void split(const float *in, const int *begin, float *head, float *tail, int rows, int most) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int p = 0, q = begin[r];
    for (int k = begin[r]; k < begin[r + 1]; ++k) {
        if (p < most) head[PLACE * rows + r] = in[k];
        else tail[q++] = in[k];
        ++p;
    }
    for (; p END most; ++p) head[p * rows + r] = 0.0f;
}
"""


@pytest.mark.parametrize(("place", "end", "bad"), [("p", "<=", True), ("p", "<", False), ("(p + 1)", "<=", False)])
def test_loops_up_to_what_another_store_is_kept_below(place, end, bad):
    found = findings(WrongBoundsGuard, SPLIT.replace("PLACE", place).replace("END", end))
    assert any("off by one" in one.message for one in found) is bad, [one.message for one in found]


ROWS = """
__global__ void assemble(const float *area, float *d, unsigned padded, unsigned n) {
    const unsigned i = threadIdx.x + blockIdx.x * blockDim.x, tile = i / 1024;
    unsigned at = tile * 32 * PITCH + threadIdx.x;
    for (unsigned j = 0; j < padded; j += 32) {
        if (j + threadIdx.x / 32 < padded) d[at] = 0.001f * area[at];
        at += 1024;
    }
}
void run(const float *area, float *d, unsigned padded, unsigned n) {
    assemble<<<(n * 32 + 1023) / 1024, 1024>>>(area, d, padded, n);
}
"""


@pytest.mark.parametrize(("pitch", "loud"), [("padded", False), ("32", True)])
def test_rows_of_blocks_whose_length_is_passed(pitch: str, loud: bool) -> None:
    found = findings(MissingBoundsGuard, ROWS.replace("PITCH", pitch))
    assert any("surplus threads" in one.message for one in found) is loud, [one.message for one in found]
