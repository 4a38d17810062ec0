"""Lists that one kernel fills as far as there is room, and another reads as far as a count that went on."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange

from tests.rules.marked import assert_marked

TEXT = """
#define SLOTS 48
__global__ void gather(const float2 *p, int n, float r, int *near, int *many) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int c = 0;
    for (int j = 0; j < n; ++j) {
        const float dx = p[j].x - p[i].x, dy = p[j].y - p[i].y;
        if (dx * dx + dy * dy < r) PUSH
    }
    many[i] = COUNT;
}
__global__ void forces(const float2 *p, int n, const int *near, const int *many, float2 *f) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float2 sum = make_float2(0.0f, 0.0f);
    for (int k = 0; k < END; ++k) {
        const float2 q = p[near[i * SLOTS + k]];MARK
        sum.x += q.x; sum.y += q.y;
    }
    f[i] = sum;
}
"""


@pytest.mark.parametrize(
    ("push", "count", "end", "bad"),
    [
        ("{ if (c < SLOTS) near[i * SLOTS + c] = j; ++c; }", "c", "many[i]", True),
        ("{ if (c <= SLOTS - 1) near[i * SLOTS + c] = j; c++; }", "c", "many[i]", True),
        ("{ if (c < SLOTS) near[i * SLOTS + c] = j; ++c; }", "min(c, SLOTS)", "many[i]", False),
        ("{ if (c < SLOTS) near[i * SLOTS + c] = j; ++c; }", "c", "min(many[i], SLOTS)", False),
        ("if (c < SLOTS) { near[i * SLOTS + c] = j; ++c; }", "c", "many[i]", False),
        ("{ if (c == SLOTS) break; near[i * SLOTS + c] = j; ++c; }", "c", "many[i]", False),
        ("{ near[i * SLOTS + c] = j; ++c; }", "c", "many[i]", False),
    ],
)
def test_recorded_counts(push: str, count: str, end: str, bad: bool) -> None:
    text = TEXT.replace("PUSH", push).replace("COUNT", count).replace("END", end)
    assert_marked(ArrayIndexOutOfRange, text.replace("MARK", "  // bad" if bad else ""))


CLAMPED = """
__global__ void hold(int *many, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && many[i] > SLOTS) many[i] = SLOTS;
}
"""


def test_a_kernel_between_them_holds_the_counts_down() -> None:
    push = "{ if (c < SLOTS) near[i * SLOTS + c] = j; ++c; }"
    text = TEXT.replace("PUSH", push).replace("COUNT", "c").replace("END", "many[i]").replace("MARK", "")
    assert_marked(ArrayIndexOutOfRange, text + CLAMPED)
