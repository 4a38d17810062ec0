"""The same pointer for two parameters that promise not to meet: what each thread reads before it writes it."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.aliased_restrict_arguments import AliasedRestrictArguments

from kernlint.finding import Severity
from tests.rules.marked import findings

EPILOGUE = """
__global__ void activate(const float *__restrict__ before, float *__restrict__ after, int n, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        BODY
    }
}
void run(float *x, int n, int rounds) { activate<<<(n + 255) / 256, 256>>>(x, x, n, rounds); }
"""


@pytest.mark.parametrize(
    ("body", "level"),
    [
        ("const float v = before[i]; after[i] = v > 0.0f ? v : 0.1f * v;", Severity.NOTE),
        ("after[i] = 0.0f; after[i] += before[i] * 2.0f;", Severity.WARNING),
        ("for (int r = 0; r < rounds; ++r) after[i] = 0.5f * before[i] + 1.0f;", Severity.WARNING),
        ("after[i] = before[i + 1];", Severity.ERROR),
    ],
)
def test_read_before_it_is_written(body: str, level: Severity) -> None:
    assert [one.severity for one in findings(AliasedRestrictArguments, EPILOGUE.replace("BODY", body))] == [level]
