"""Memory that the program makes in sight, and launches that round up what it is made for: no thread may leave it."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.bounds.negative_index import NegativeIndex
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from kernlint.finding import Severity
from kernlint.rule import RuleClass
from tests.rules.marked import findings

TYPED = """
#include <cstdlib>
__global__ void twice(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    TEST to[i] = 2.f * from[i];
}
int main(int argc, char **argv) {
    int n = NUMBER;
    CHECK
    float *from, *to;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    twice<<<(n + 127) / 128, 128>>>(from, to, n);
    cudaFree(from);
    cudaFree(to);
}
"""


@pytest.mark.parametrize("number", ["atoi(argv[1])", "argc > 1 ? atoi(argv[1]) : 1024"])
@pytest.mark.parametrize(
    ("test", "check", "bad"),
    [("", "", True), ("if (i < n)", "", False), ("", "if (n % 128 != 0) return 1;", False)],
)
def test_what_somebody_types_in_may_be_any_number(number: str, test: str, check: str, bad: bool) -> None:
    text = TYPED.replace("NUMBER", number).replace("TEST", test).replace("CHECK", check)
    assert bool(findings(MissingBoundsGuard, text)) is bad


WINDOW = """
#include <cstdlib>
__global__ void smooth(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0.0f;
    for (int k = -REACH; k <= REACH; ++k) {
        int at = i + k < 0 ? -(i + k) : i + k;
        if (at > n - 1) at = n - 1 - k;
        s += from[at];
    }
    to[i] = s;
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *from, *to;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    smooth<<<(n + 127) / 128, 128>>>(from, to, n);
    cudaFree(from);
    cudaFree(to);
}
"""


@pytest.mark.parametrize(("reach", "bad"), [("9", False), ("200", True)])
def test_nobody_types_in_a_few_elements(reach: str, bad: bool) -> None:
    found = [
        one for rule in (WrongBoundsGuard, NegativeIndex) for one in findings(rule, WINDOW.replace("REACH", reach))
    ]
    assert bool(found) is bad


FILLED_UP = """
static size_t filled(size_t group, size_t n) {
    size_t rest = n % group;
    return rest == 0 ? n : n + group - rest;
}
__global__ void twice(const float *from, float *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = 2.f * from[i];
}
void go(size_t n) {
    float *from, *to;
    cudaMalloc(&from, n * sizeof(float));
    cudaMalloc(&to, n * sizeof(float));
    twice<<<filled(64, n) / 64, 64>>>(from, to);
    cudaFree(from);
    cudaFree(to);
}
"""


def test_counts_that_are_filled_up_by_their_remainder() -> None:
    def loud(text: str) -> bool:
        return any(one.severity is not Severity.NOTE for one in findings(MissingBoundsGuard, text))

    assert loud(FILLED_UP)
    assert not loud(FILLED_UP.replace("size_t n) {\n    float", "size_t n) {\n    n = filled(64, n);\n    float"))


OF_THE_PROGRAM = """
#define CELLS 1000
__device__ float from[CELLS], to[CELLS];
__global__ void k() {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    BODY
}
void go() { k<<<LAUNCH>>>(); }
"""

WHOLE = "(CELLS + 127) / 128, 128"


@pytest.mark.parametrize(
    ("rule", "body", "launch", "bad"),
    [
        (ArrayIndexOutOfRange, "to[i] = 2.f * from[i];", WHOLE, True),
        (ArrayIndexOutOfRange, "to[i] = 2.f * from[i];", "CELLS / 125, 125", False),
        (ArrayIndexOutOfRange, "if (i < CELLS) to[i] = 2.f * from[i];", WHOLE, False),
        (ArrayIndexOutOfRange, "float v = from[i]; if (i < CELLS) to[i] = v;", WHOLE, True),
        (ArrayIndexOutOfRange, "if (i < CELLS) to[i] = from[i] + from[i + 1];", WHOLE, True),
        (ArrayIndexOutOfRange, "if (i + 1 < CELLS) to[i] = from[i] + from[i + 1];", WHOLE, False),
        (NegativeIndex, "if (i < CELLS) to[i] = from[i] + from[i - 1];", WHOLE, True),
        (NegativeIndex, "if (i < CELLS && i > 0) to[i] = from[i] + from[i - 1];", WHOLE, False),
    ],
)
def test_arrays_of_the_program_and_the_blocks_of_its_launches(
    rule: RuleClass, body: str, launch: str, bad: bool
) -> None:
    assert bool(findings(rule, OF_THE_PROGRAM.replace("BODY", body).replace("LAUNCH", launch))) is bad


TILES = """
__global__ void slope(const float *from, float *to, int n) {
    int tiles = (n + 127) / 128;
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
        int i = t * 128 + threadIdx.x;
        if (i < n TEST) to[i] = from[i] - from[i - 1];
    }
}
void go(const float *from, float *to, int n) { slope<<<64, 128>>>(from, to, n); }
"""


def test_the_first_thread_of_a_grid_of_fixed_size_has_none_before_it() -> None:
    assert findings(NegativeIndex, TILES.replace("TEST", ""))
    assert not findings(NegativeIndex, TILES.replace("TEST", "&& i > 0"))
