"""Calls that nobody looks at, one after the other, are one finding."""

from __future__ import annotations

from kernlint_rules.launch.unchecked_api_call import UncheckedApiCall

from tests.rules.marked import assert_marked


def test_one_finding_for_a_row() -> None:
    checked = "    if (cudaMemset(a, 0, n) != cudaSuccess) return;\n"
    assert_marked(
        UncheckedApiCall,
        "void run(float *a, const float *b, size_t n) {\n"
        + checked * 12
        + "    cudaMemcpy(a, b, n, cudaMemcpyHostToDevice);  // bad\n"
        + "    cudaMemcpy(a + n, b, n, cudaMemcpyHostToDevice);\n"
        + "    cudaMemcpy(a + 2 * n, b, n, cudaMemcpyHostToDevice);\n}\n",
    )
