"""Indices before the start of memory: where they are told."""

from __future__ import annotations

from kernlint_rules.bounds.negative_index import NegativeIndex

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
