"""Extents that the user states: what reaches beyond them is reported as what the host allocates is."""

from __future__ import annotations

import pytest

from kernlint.finding import Finding, Severity
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.source import SourceFile

KERNEL = """
__global__ void pad(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? in[i] : 0.0f;
  out[i] = v;
}
"""


def findings(*statements: str) -> list[Finding]:
    registry = load()
    selection = Selection(registry, Config(select=("KL1",), block=(64, 1, 1), grid=(2, 1, 1), assume=statements))
    results = Engine(registry, selection).check_source(SourceFile("k.cu", KERNEL.encode()), selection).results
    return [result.finding for result in results]


def test_an_access_beyond_a_stated_extent_is_an_error_with_a_witness() -> None:
    (found,) = findings("n == 125", "extent(out, 125)")
    assert (found.code, found.severity) == ("KL101", Severity.ERROR)
    assert found.witness is not None and found.witness.replayed
    assert found.witness.steps[0].index == 125


@pytest.mark.parametrize("extent", ["extent(out, 128)", "extent(out, gridDim.x * blockDim.x)", "extent(in, n)"])
def test_what_fits_is_silent(extent: str) -> None:
    assert not findings("n == 125", extent)
