"""One omission in many kernels is one habit."""

from __future__ import annotations

from kernlint_rules.bounds.negative_index import NegativeIndex
from kernlint_rules.indexing.floating_point_index import FloatingPointIndex

from tests.rules.marked import findings

ROWS = """
__global__ void gather(const float *numbers, const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[(int)numbers[i]];
}
"""


def test_indices_in_floating_point_memory_are_of_one_habit() -> None:
    code = "".join(ROWS.replace("gather", f"gather{at}") for at in range(3))
    habits = [one.habit for one in findings(FloatingPointIndex, code)]
    assert len(habits) == 3 and len(set(habits)) == 1 and habits[0]


SEARCHED = """
__device__ int place_of(const int *heads, int n, int want) {
    for (int i = 0; i < n; ++i)
        if (heads[i] == want) return i;
    return -1;
}
__global__ void pick(const int *heads, const float *from, float *to, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= m) return;
    int at = place_of(heads, n, i);
    to[i] = from[at];
}
"""


def test_places_of_a_mark_for_nothing_found_are_of_one_habit() -> None:
    (one,) = findings(NegativeIndex, SEARCHED)
    assert one.habit
    assert not findings(NegativeIndex, SEARCHED.replace("to[i] =", "if (at >= 0) to[i] ="))
