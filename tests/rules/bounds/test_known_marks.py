"""Numbers from memory that are no place: by comments, and by what another kernel of the file takes for granted."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from tests.rules.marked import findings

COUNT = """
// group: one number for each item, SAID
__global__ void count(const int *group, int *sizes, int n, int groups) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int g = group[i];
        TEST
        atomicAdd(&sizes[AT], 1);
    }
}
"""


@pytest.mark.parametrize(
    ("said", "test", "at", "bad"),
    [
        ("-1 for items that belong nowhere", "", "g", True),
        ("-1 for items that belong nowhere", "if (g >= groups) continue;", "g", True),
        ("-1 for items that belong nowhere", "if (g < 0) continue;", "g", False),
        ("-1 for items that belong nowhere", "if (g == -1) continue;", "g", False),
        ("-1 for items that belong nowhere", "if ((unsigned)g >= (unsigned)groups) continue;", "g", False),
        ("-1 for items that belong nowhere", "", "g + 1", False),
        ("-1 for items that belong nowhere", "", "max(g, 0)", False),
        ("in any order", "", "g", False),
    ],
)
def test_what_a_comment_says(said: str, test: str, at: str, bad: bool) -> None:
    assert (
        bool(findings(MissingBoundsGuard, COUNT.replace("SAID", said).replace("TEST", test).replace("AT", at))) is bad
    )


TWO = """
#define SIDE 5
__global__ void forward(const int *corner, const float *field, float *sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int at = corner[i];
    if (FIRST) return;
    sum[i] = field[i * SIDE + at];
}
__global__ void backward(const int *corner, const float *field, float *sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int at = corner[i];
    SECOND
    sum[i] -= field[i * SIDE + at];
}
"""


@pytest.mark.parametrize(
    ("first", "second", "bad"),
    [
        ("at == SIDE", "", True),
        ("at == SIDE", "if (at == SIDE) return;", False),
        ("at == SIDE", "if (at >= SIDE) return;", False),
        ("sum[i] == SIDE", "", False),
    ],
)
def test_what_another_kernel_leaves_out(first: str, second: str, bad: bool) -> None:
    assert bool(findings(MissingBoundsGuard, TWO.replace("FIRST", first).replace("SECOND", second))) is bad


ROUTES = """
// route: [n][4], the cells a drop runs through; SAID
__global__ void run_off(const int *route, const int *steps, const float *height, float *loss, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < steps[i]; ++k) {
        const int cell = route[i * 4 + k];
        FIRST
        sum += height[cell];
    }
    loss[i] = sum;
}
__global__ void wet(const int *route, const int *steps, const float *ARRAY, float *loss, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; LOOP; ++k) {
        const int cell = route[i * 4 + k];
        SECOND
        loss[i] += ARRAY[cell];
    }
}
"""


@pytest.mark.parametrize(
    ("said", "first", "array", "loop", "second", "bad"),
    [
        ("none twice", "if (cell < 0) continue;", "height", "k < steps[i]", "", True),
        ("none twice", "if (cell < 0) continue;", "height", "k < 4", "", True),
        ("none twice", "if (cell < 0) continue;", "height", "k < steps[i]", "if (cell < 0) break;", False),
        ("none twice", "if (cell < 0) continue;", "soil", "k < steps[i]", "", False),
        ("-1 where it has left the map", "if (cell < 0) continue;", "soil", "k < steps[i]", "", True),
        (
            "-1 where it has left the map",
            "if (cell < 0) continue;",
            "soil",
            "k < steps[i]",
            "if (cell < 0) break;",
            False,
        ),
        ("none twice", "if (loss[i] < 0) continue;", "height", "k < steps[i]", "", False),
    ],
)
def test_negative_numbers_that_another_kernel_leaves_out(
    said: str, first: str, array: str, loop: str, second: str, bad: bool
) -> None:
    code = ROUTES.replace("SAID", said).replace("FIRST", first).replace("ARRAY", array)
    found = findings(MissingBoundsGuard, code.replace("LOOP", loop).replace("SECOND", second))
    assert bool(found) is bad, [one.message for one in found]


def test_a_list_that_is_counted_here_and_ended_by_a_mark_there() -> None:
    code = ROUTES.replace(
        "k < steps[i]; ++k) {\n        const int cell = route[i * 4 + k];\n        FIRST",
        "k < 4; ++k) {\n        const int cell = route[i * 4 + k];\n        if (cell < 0) break;",
    )
    code = (
        code.replace("SAID", "none twice")
        .replace("ARRAY", "height")
        .replace("LOOP", "k < steps[i]")
        .replace("SECOND", "")
    )
    assert not findings(MissingBoundsGuard, code)
