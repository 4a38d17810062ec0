"""Runs that lie one behind the other, and rounds that a kernel rounds up: what is past the last one is nobody's."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from kernlint.finding import Severity
from tests.rules.marked import findings

RUNS = """
__global__ void sums(const int *first, const float *weight, float *sum, int groups) {
    int g = blockIdx.x * blockDim.x + threadIdx.x;
    if (g >= groups) return;
    float s = 0.0f;
    HEAD
    for (int j = first[g]; j TEST first[g + 1]; ++j) { BODY }
    sum[g] = s;
}
"""


@pytest.mark.parametrize(
    ("head", "test", "body", "bad"),
    [
        ("", "<=", "s += weight[j];", True),
        ("", "<", "s += weight[j];", False),
        ("", "<=", "if (j == first[g + 1]) s += 0.5f * weight[j]; else s += weight[j];", False),  # meant
        ("s = -weight[first[g + 1]];", "<=", "s += weight[j];", False),  # there is one more
    ],
)
def test_the_end_of_a_run_is_of_the_next_one(head: str, test: str, body: str, bad: bool) -> None:
    text = RUNS.replace("HEAD", head).replace("TEST", test).replace("BODY", body)
    assert bool(findings(WrongBoundsGuard, text)) is bad


def test_an_end_of_its_own_may_be_the_last_place() -> None:
    assert not findings(WrongBoundsGuard, RUNS.replace("TEST first[g + 1]", "<= last[g]").replace("HEAD", ""))


TILES = """
__global__ void twice(const float *from, float *to, int n) {
    int tiles = COUNT;
    for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
        int i = t * 64 + threadIdx.x;
        TEST to[i] = 2.0f * from[i];
    }
}
"""


@pytest.mark.parametrize(
    ("count", "test", "bad"),
    [
        ("(n + 63) / 64", "", True),
        ("(n + 63) / 64", "if (t < tiles)", True),
        ("(n + 63) / 64", "if (i < n)", False),
        ("n / 64", "", False),
    ],
)
def test_rounds_of_the_grid_that_the_kernel_rounds_up(count: str, test: str, bad: bool) -> None:
    text = TILES.replace("COUNT", count).replace("TEST", test)
    assert bool([one for one in findings(WrongBoundsGuard, text) if one.severity is not Severity.NOTE]) is bad


SOME_TESTED = """
__global__ void twice(const float *from, float *to, int n) {
    for (int base = blockIdx.x * blockDim.x; base < n; base += blockDim.x * gridDim.x) {
        int i = base + threadIdx.x;
        float v = 0.0f;
        if (i < n) v = from[i];
        v = v * v + 1.0f;
        TEST to[i] = v;
    }
}
"""


def test_one_access_of_a_round_of_the_grid_is_tested_and_another_is_not() -> None:
    assert findings(MissingBoundsGuard, SOME_TESTED.replace("TEST", ""))
    assert not findings(MissingBoundsGuard, SOME_TESTED.replace("TEST", "if (i < n)"))


VECTORS = """
__global__ void copy(const float4 *from, float4 *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < SIZE) to[i] = from[i];
}
void go(const float *from, float *to, int n) {
    HOST
    copy<<<(n / 4 + 127) / 128, 128>>>((const float4 *)from, (float4 *)to, n);
}
"""


@pytest.mark.parametrize(
    ("size", "host", "bad"), [("n", "", True), ("n / 4", "", False), ("n", "if (n % 512) return;", False)]
)
def test_vectors_are_fewer_than_the_elements_that_they_are_tested_against(size: str, host: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, VECTORS.replace("SIZE", size).replace("HOST", host))) is bad
