"""One buffer for two parameters, of rows that lie a pitch apart."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.aliased_restrict_arguments import AliasedRestrictArguments

from tests.rules.marked import findings

ROWS = """
__global__ void halve(int rows, int count, int pitch, const float *from, float *to) {
    const int b = blockIdx.x * 256 + threadIdx.x;
    if (b >= count) return;
    for (int i = 1; i < rows; ++i) {
        const size_t at = (size_t)i * pitch + b;
        to[at] = from[AT] * 0.5f;
    }
}
void run(int rows, int count, int pitch, float *x) {
    halve<<<(count + 255) / 256, 256>>>(rows, count, pitch, x, x);
}
"""


@pytest.mark.parametrize(("at", "told"), [("at", False), ("at + 1", True)])
def test_rows_do_not_reach_into_each_other(at: str, told: bool) -> None:
    assert bool(findings(AliasedRestrictArguments, ROWS.replace("AT", at))) == told


TURNS = """
__global__ void eased(float *__restrict__ to, const float *__restrict__ from, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) to[i] = i ? 0.5f * (from[i] + from[i - 1]) : from[i];
}
struct Turns { float *one, *two; };
float *run(Turns t, int n, int rounds) {
    float *from = t.one, *to = t.two;
    for (int i = 0; i < rounds; ++i) {
        eased<<<(n + 255) / 256, 256>>>(TO, from, n);
        float *kept = from;
        from = to;
        to = kept;
    }
    return from;
}
"""


@pytest.mark.parametrize(("to", "told"), [("to", False), ("from", True)])
def test_one_variable_is_one_buffer_whatever_it_leads_to(to: str, told: bool) -> None:
    assert bool(findings(AliasedRestrictArguments, TURNS.replace("TO", to))) == told
