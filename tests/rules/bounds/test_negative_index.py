"""Indices before the start of memory: where they are told."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.negative_index import NegativeIndex

from kernlint.finding import Severity
from tests.rules.marked import findings


def test_an_access_in_a_helper_is_told_with_its_call() -> None:
    code = """
__device__ float at(const float *x, int i) { return x[i]; }
__global__ void spread(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = at(x, i);
    y[i] = sum + at(x, i - 1);
}
"""
    (found,) = findings(NegativeIndex, code)
    (called,) = [one.span for one in found.related if one.message == "called from here"]
    assert code[called.start : called.end] == "at(x, i - 1)"


LEAST = """
__global__ void keep(const float *x, float *out, int kept) {
    const int row = blockIdx.x * 64 + threadIdx.x;
    float f[8], sum = 0.0f;
    for (int i = 0; i < 8; ++i) { f[i] = FILLED; sum += f[i]; }
    for (int i = 0; i < 8; ++i) f[i] = SHARE;
    for (int left = 8; left > kept; --left) {
        float least = 1.0f;
        int at = -1;
        for (int i = 0; i < 8; ++i)
            if (f[i] > 0.0f && f[i] < least) { least = f[i]; at = i; }
        f[at] = 0.0f;
    }
    for (int i = 0; i < 8; ++i) out[row * 8 + i] = f[i];
}
"""


@pytest.mark.parametrize(
    ("filled", "share", "severity"),
    [
        ("expf(x[row * 8 + i])", "f[i] / sum + 1e-8f", Severity.NOTE),
        ("x[row * 8 + i]", "f[i]", Severity.WARNING),
    ],
)
def test_a_search_among_numbers_that_the_thread_has_computed(filled: str, share: str, severity: Severity) -> None:
    found = findings(NegativeIndex, LEAST.replace("FILLED", filled).replace("SHARE", share))
    assert {one.severity for one in found} == {severity}
