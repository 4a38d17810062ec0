"""Places made of numbers in floating point, with tests that let the end itself through."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

ROWS = """
// SAID
__global__ void spread(const float *at, float *rows, int n, int m, float low, float high) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = at[i];
    if (TEST) return;
    const int k = PLACE;
    CHECK
    atomicAdd(&rows[WHERE], 1.0f);
}
"""
PART = "(int)((x - low) / (high - low) * m)"


@pytest.mark.parametrize(
    ("test", "place", "where", "check", "said", "bad"),
    [
        ("x < low || x > high", PART, "blockIdx.x * m + k", "", "", True),
        ("x < low || high < x", "(int)floorf((x - low) * m / (high - low))", "blockIdx.x * m + k", "", "", True),
        ("!(x >= low && x <= high)", PART, "blockIdx.x * m + k", "", "", True),
        ("x < low || x >= high", PART, "blockIdx.x * m + k", "", "", False),
        ("x < low || x > high", PART, "blockIdx.x * (m + 1) + k", "", "", False),  # one for the end
        ("x < low || x > high", "min(" + PART + ", m - 1)", "blockIdx.x * m + k", "", "", False),
        ("x < low || x > high", PART, "blockIdx.x * m + k", "if (k >= m) return;", "", False),
        ("x < low || x > high", PART, "k", "", "", False),  # nobody says how many there are
        ("x < low || x > high", PART, "k", "", "rows has m entries", True),
        ("x < low || x > high", PART, "k", "", "rows has m + 1 entries", False),
        ("x < low || x > high", "(int)((high - x) / (high - low) * m)", "k", "", "rows has m entries", True),
        ("x <= low || x > high", "(int)((high - x) / (high - low) * m)", "k", "", "rows has m entries", False),
        ("x < low || x > high", "(int)((x - low) / (high - low) * (m - 1))", "k", "", "rows has m entries", False),
        ("x < low || x > high", "(int)((x - low) / (high - low) * (m - 1))", "k + 1", "", "rows has m entries", True),
    ],
)
def test_the_end_of_a_range(test: str, place: str, where: str, check: str, said: str, bad: bool) -> None:
    text = ROWS.replace("SAID", said).replace("TEST", test).replace("PLACE", place)
    text = text.replace("CHECK", check).replace("WHERE", where)
    assert bool(findings(WrongBoundsGuard, text)) is bad


NUMBERS = """
float between(__local const float *t, const float x) {
    if (x < 2.0f) return 0.0f;
    if (x > LAST) return 1.0f;
    const float at = (x - 2.0f) / 0.1f;
    const int k = (int)at;
    return t[k] + (at - k) * (t[k + STEP] - t[k]);
}
__kernel void look_up(__global const float *x, __global const float *table, __global float *y, const int n) {
    __local float t[41];
    for (int k = get_local_id(0); k < 41; k += get_local_size(0)) t[k] = table[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    const int i = get_global_id(0);
    if (i < n) y[i] = between(t, x[i]);
}
"""


@pytest.mark.parametrize(
    ("last", "step", "bad"), [("6.0f", "1", True), ("6.0f", "0", False), ("5.9f", "1", False), ("6.1f", "0", True)]
)
def test_the_end_of_a_table(last: str, step: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, NUMBERS.replace("LAST", last).replace("STEP", step), "opencl")) is bad


def test_another_kernel_of_the_loops() -> None:
    code = """
__global__ void flux(const float *at, float *bin, int n, int m, float high) {
    for (int k = threadIdx.x; k < m; k += blockDim.x) bin[k] = 0.0f;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (at[i] >= 0.0f && at[i] <= high) atomicAdd(&bin[(int)(at[i] / high * m)], 1.0f);
}
"""
    assert findings(WrongBoundsGuard, code)
    assert not findings(WrongBoundsGuard, code.replace("at[i] <= high", "at[i] < high"))


RANGES = """
#define STEPS 24
__global__ void steps(const float *v, const float *low, const float *high, int cols, int *out) {
    __shared__ int count[STEPS];
    const int r = blockIdx.x;
    if (threadIdx.x < STEPS) count[threadIdx.x] = 0;
    __syncthreads();
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        const float x = v[r * cols + c];
        if (x < low[r] || x TEST high[r]) continue;
        atomicAdd(&count[PLACE], 1);
    }
    __syncthreads();
    if (threadIdx.x < STEPS) out[r * STEPS + threadIdx.x] = count[threadIdx.x];
}
"""


@pytest.mark.parametrize(
    ("test", "place", "bad"),
    [
        (">", "(int)((x - low[r]) / (high[r] - low[r]) * STEPS)", True),
        (">=", "(int)((x - low[r]) / (high[r] - low[r]) * STEPS)", False),
        (">", "min((int)((x - low[r]) / (high[r] - low[r]) * STEPS), STEPS - 1)", False),
        (">", "(int)((x - low[r]) / (high[r] - low[r]) * (STEPS - 1))", False),
    ],
)
def test_ranges_from_memory(test: str, place: str, bad: bool) -> None:
    text = RANGES.replace("TEST", test).replace("PLACE", place)
    assert bool(findings(WrongBoundsGuard, text)) is bad


CURVE = """
#define POINTS 48
#define LOW 0.5f
#define HIGH 12.5f
__constant float WIDTH = (HIGH - LOW) / PARTS;
__kernel __attribute__((reqd_work_group_size(POINTS, 1, 1)))
void respond(__global const float *dose, __global const float *curve, __global float *out, const int n) {
    __local float at[POINTS];
    at[get_local_id(0)] = curve[get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    const int i = get_global_id(0);
    if (i >= n) return;
    const float d = dose[i];
    if (d < LOW || d TEST HIGH) return;
    const float x = (d - LOW) / WIDTH;
    const int k = PLACE;
    out[i] = mix(at[k], at[k + 1], x - k);
}
"""


@pytest.mark.parametrize(
    ("parts", "test", "place", "bad"),
    [
        ("(POINTS - 1)", ">", "(int)x", True),
        ("(POINTS - 1)", ">=", "(int)x", False),
        ("(POINTS - 1)", ">", "min((int)x, POINTS - 2)", False),
        ("(POINTS - 2)", ">", "(int)x", False),
    ],
)
def test_a_constant_that_a_formula_gives(parts: str, test: str, place: str, bad: bool) -> None:
    text = CURVE.replace("PARTS", parts).replace("TEST", test).replace("PLACE", place)
    assert bool(findings(WrongBoundsGuard, text, "opencl")) is bad


GRAIN = """
#define PLACES 24
constexpr float SMALL = 0.25f, LARGE = 6.0f;
constexpr float PER = (PLACES - 1) / (LARGE - SMALL);
__global__ void settle(const float *size, const float *speed, float *out, int n) {
    __shared__ float at[PLACES];
    if (threadIdx.x < PLACES) at[threadIdx.x] = speed[threadIdx.x];
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float s = size[i];
    if (s < SMALL || s TEST LARGE) return;
    const int k = (int)((s - SMALL) * PER);
    out[i] = at[k] + at[k + 1];
}
"""


@pytest.mark.parametrize(("test", "bad"), [(">", True), (">=", False)])
def test_constants_made_of_constants(test: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, GRAIN.replace("TEST", test))) is bad
