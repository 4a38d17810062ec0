"""Tables of starts keep rows apart; what picks an element within a row need not."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from kernlint.finding import Severity
from tests.rules.marked import findings

CUDA = """
__global__ void k(const int *start, const int *length, const int *stride, const int *pick, const float *v, float *o,
                  int *times, int n, int m) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (i >= n) return;
    {body}
}}
"""

BELIEVED = {
    "a run of the thread's own": "for (int k = 0; k < m; k++) o[start[i] + k] += v[i];",
    "a run as long as data say": "for (int k = 0; k < length[i]; k++) o[start[i] + k] += v[start[i] + k];",
    "a thread for each element": "if (i < length[row]) o[start[row] + i] += v[i];",
    "a row behind a pointer": "float *mine = o + start[row]; if (i < length[row]) mine[i * stride[row]] += v[i];",
    "rows and columns of a packed matrix": """
    int y = i / length[row], x = i % length[row];
    if (y < stride[row]) o[start[row] + y * stride[row] + x] += v[i];""",
    "in place": "if (i < length[row]) o[start[row] + i] = v[i] - o[start[row] + i] * v[row];",
    "the last element of each row": "o[start[i + 1] - 1] = sqrtf(o[start[i + 1] - 1]);",
}

TWICE = {
    "an element of the row that a list picks and others count": """
    atomicAdd(&times[pick[i]], 1);
    o[start[row] + pick[i]] += v[i];""",
    "an element of the row that is counted": "o[start[row] + pick[i]] += 1.0f;",
    "an element of the row that a cell is made to": "o[start[row] + pick[i] / 8] += v[i];",
    "a start that is made to a cell": "for (int k = 0; k < m; k++) o[start[i] / 8 + k] += v[i];",
    "one start for all threads": "o[start[row]] += v[i];",
    "rows of a list and columns of another": "if (pick[i] < m) o[start[i] * m + pick[i]] += v[i];",
}


@pytest.mark.parametrize("name", BELIEVED)
def test_rows_that_a_table_begins_are_apart(name: str) -> None:
    found = findings(GlobalMemoryRace, CUDA.format(body=BELIEVED[name]))
    assert Severity.WARNING not in {one.severity for one in found}


@pytest.mark.parametrize("name", TWICE)
def test_what_may_be_picked_twice(name: str) -> None:
    found = findings(GlobalMemoryRace, CUDA.format(body=TWICE[name]))
    assert Severity.WARNING in {one.severity for one in found}


def test_runs_that_are_added_onto_zeros_may_overlap() -> None:
    code = (
        CUDA.format(body="for (int k = 0; k < m; k++) o[start[i] + k] += v[i * m + k];")
        + """
void overlap_add(const int *start, const float *v, float *o, int n, int m, int all) {
    cudaMemset(o, 0, all * sizeof(float));
    k<<<dim3((n + 63) / 64), 64>>>(start, start, start, start, v, o, nullptr, n, m);
}
"""
    )
    assert Severity.WARNING in {one.severity for one in findings(GlobalMemoryRace, code)}


def test_rows_that_end_where_the_next_begins_do_not_overlap() -> None:
    code = (
        CUDA.format(body="for (int e = start[i]; e < start[i + 1]; e++) o[e] += v[i];")
        + """
void scale(const int *start, const float *v, float *o, int n, int all) {
    cudaMemset(o, 0, all * sizeof(float));
    k<<<dim3((n + 63) / 64), 64>>>(start, start, start, start, v, o, nullptr, n, n);
}
"""
    )
    assert Severity.WARNING not in {one.severity for one in findings(GlobalMemoryRace, code)}


SUMS = """
struct Pairs { int count; const int *row; const int *col; const float *weight; };
__global__ void diagonal(const float *d, const int *at, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) @first
}
__global__ void products(Pairs g, const float *x, float *y, int p) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= p) return;
    int k = blockIdx.y;
    float v = g.weight[k] * x[g.col[k] * p + c];
    @second
}
void apply(Pairs g, const float *d, const int *at, const float *x, float *y, int n, int p, int rows) {
    @fill
    diagonal<<<(n + 255) / 256, 256>>>(d, at, y, n);
    products<<<dim3((p + 255) / 256, g.count), 256>>>(g, x, y, p);
}
"""
ATOMIC, PLAIN = "atomicAdd(&y[at[i]], d[i]);", "y[g.row[k] * p + c] += v;"
FILL = "cudaMemset(y, 0, sizeof(float) * rows * p);"


@pytest.mark.parametrize(
    ("first", "second", "fill", "told"),
    [
        (ATOMIC, PLAIN, FILL, True),
        (ATOMIC, "atomicAdd(&y[g.row[k] * p + c], v);", FILL, False),
        ("y[i] = d[at[i]];", PLAIN, FILL, False),
        (ATOMIC, PLAIN, "", False),
    ],
)
def test_sums_that_another_kernel_makes_atomically(first: str, second: str, fill: str, told: bool) -> None:
    code = SUMS.replace("@first", first).replace("@second", second).replace("@fill", fill)
    found = findings(GlobalMemoryRace, code)
    assert (Severity.WARNING in {one.severity for one in found}) is told
