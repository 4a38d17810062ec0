"""Sizes that the host has put behind a pointer, and launches whose grid anybody may pass, are asked about as others."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.late_bounds_guard import LateBoundsGuard
from kernlint_rules.bounds.negative_index import NegativeIndex
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from kernlint.rule import RuleClass
from tests.rules.marked import findings

COUNTED = """
struct Level { float gain; int cells; };
__global__ void damp(const float *from, float *to, PARAMETER) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    BODY
}
"""


@pytest.mark.parametrize(
    ("parameter", "size"),
    [("const int *cells", "*cells"), ("const int *sizes", "sizes[1]"), ("const Level *level", "level->cells")],
)
@pytest.mark.parametrize(
    ("rule", "bad", "good"),
    [
        (
            LateBoundsGuard,
            "float v = from[i]; if (i < SIZE) to[i] = v;",
            "if (i < SIZE) { float v = from[i]; to[i] = v; }",
        ),
        (
            NegativeIndex,
            "if (i < SIZE) to[i] = from[i] + from[i - 1];",
            "if (i < SIZE) to[i] = from[i] + (i > 0 ? from[i - 1] : 0.f);",
        ),
        (
            WrongBoundsGuard,
            "if (i * 4 < SIZE) for (int q = 0; q < 4; ++q) to[i * 4 + q] = from[i * 4 + q];",
            "for (int q = 0; q < 4; ++q) if (i * 4 + q < SIZE) to[i * 4 + q] = from[i * 4 + q];",
        ),
    ],
)
def test_a_number_behind_a_pointer_is_a_size(rule: RuleClass, bad: str, good: str, parameter: str, size: str) -> None:
    code = COUNTED.replace("PARAMETER", parameter)
    assert findings(rule, code.replace("BODY", bad.replace("SIZE", size)))
    assert not findings(rule, code.replace("BODY", good.replace("SIZE", size)))


MARKED = """
__global__ void sum(const float *from, float *to, const int *hit, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && TEST) to[i] = from[i] + from[i - 1];
}
"""


@pytest.mark.parametrize(("test", "bad"), [("hit[0]", True), ("hit[i]", False)])
def test_elements_that_a_thread_has_of_its_own_are_data(test: str, bad: bool) -> None:
    assert bool(findings(NegativeIndex, MARKED.replace("TEST", test))) is bad


LAUNCHED = """
int groups(int n, int threads);
__global__ void twice(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i * 4 < n) for (int q = 0; q < 4; ++q) to[i * 4 + q] = 2.f * from[i * 4 + q];
}
void go(dim3 grid, dim3 block, const float *from, float *to, int n) { HOST }
"""


@pytest.mark.parametrize(
    ("host", "bad"),
    [
        ("twice<<<grid, block>>>(from, to, n);", True),
        ("twice<<<groups(n, 64), 64>>>(from, to, n);", True),
        ("int t = block.x; twice<<<(n + t - 1) / t, t>>>(from, to, n);", True),
        ("if (n % 4) return; twice<<<grid, block>>>(from, to, n);", False),
        ("twice<<<grid, block>>>(from, to, n / 4 * 4);", False),
        ("twice<<<n / 256, 64>>>(from, to, n);", False),
    ],
)
def test_a_grid_of_which_nothing_is_known_says_nothing_of_the_size(host: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, LAUNCHED.replace("HOST", host))) is bad
