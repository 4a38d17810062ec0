"""Errors of the families of bounds and synchronisation: each of them was seen happening in the emulator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from kernlint.finding import Finding, Severity
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import Registry, load
from kernlint.run.engine import Engine
from kernlint.source import SourceFile, read
from kernlint.testing import SUFFIXES, analyse, cases

FIXTURES = Path(__file__).parents[1] / "fixtures"
FAMILIES = ("KL1", "KL2")


@cache
def engine(told: bool = False) -> tuple[Engine, Selection]:
    """``told``: the hardware and a launch too, which leaves less to doubt."""
    registry: Registry = load()
    config = Config(select=FAMILIES, pedantic=True)
    if told:
        config = replace(config, target=("sm_90",), block=(64, 1, 1), grid=(4, 1, 1))
    selection = Selection(registry, config)
    return Engine(registry, selection), selection


def errors(source: SourceFile, told: bool = False) -> list[Finding]:
    run, selection = engine(told)
    return [r.finding for r in run.check_source(source, selection).results if r.finding.severity is Severity.ERROR]


EXAMPLES = [case for case in cases() if case.rule.meta.code.startswith(FAMILIES)]


def sources() -> list[SourceFile]:
    found = [SourceFile(f"{case}{SUFFIXES[case.example.language]}", case.example.code.encode()) for case in EXAMPLES]
    files = sorted(path for path in FIXTURES.rglob("*") if path.suffix in (".cu", ".cl", ".hip"))
    return found + [read(str(path)) for path in files]


def in_examples() -> Iterator[Finding]:
    """What the rules find in their own examples, with the settings of these."""
    for case in EXAMPLES:
        for result in analyse(case.rule, case.example).results:
            if result.finding.severity is Severity.ERROR:
                yield result.finding


def test_each_error_was_replayed() -> None:
    bad = {case.rule.meta.code for case in EXAMPLES if case.example.bad}
    assert bad == {rule.meta.code for rule in load().rules if rule.meta.code.startswith(FAMILIES)}
    found = list(in_examples())
    for source in sources():
        found += errors(source) + errors(source, told=True)
    assert len({finding.code for finding in found}) >= 8
    for finding in found:
        assert finding.witness is not None and finding.witness.replayed, finding.message


REVERSED = """
__global__ void k(float *out) {
  __shared__ float s[256];
  s[threadIdx.x] = out[threadIdx.x];
  out[threadIdx.x] = s[255 - threadIdx.x];
}
"""

IN_HALF = """
__global__ void k(float *out, int n) {
  if (threadIdx.x < 64) __syncthreads();
  out[threadIdx.x] = 0.0f;
  __syncthreads();
}
"""

IF_FIRST = """
__global__ void k(float *out, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { s[threadIdx.x] = out[i]; __syncthreads(); out[i] = s[0]; }
  __syncthreads();
}
"""

TOO_LONG = """
__global__ void k(const int *in, int *out) {
  int seen[8];
  for (int d = 0; d <= 8; ++d) seen[d] = in[d];
  for (int d = 0; d < 8; ++d) out[d] = seen[d];
}
"""

BY_DATA = """
__global__ void k(const int *in, float *out) {
  __shared__ float s[256];
  if (in[threadIdx.x]) s[threadIdx.x] = 1.0f;
  out[threadIdx.x] = s[255 - threadIdx.x];
}
"""


@pytest.mark.parametrize(
    ("code", "rule", "severity"),
    [
        (REVERSED, "KL201", Severity.ERROR),
        (BY_DATA, "KL201", Severity.WARNING),
        (IN_HALF, "KL203", Severity.ERROR),
        (IF_FIRST, "KL203", Severity.WARNING),
        (TOO_LONG, "KL104", Severity.ERROR),
    ],
)
def test_what_is_seen_happening_whatever_the_data_is_an_error(code: str, rule: str, severity: Severity) -> None:
    run, selection = engine()
    results = run.check_source(SourceFile("k.cu", code.encode()), selection).results
    found = [result.finding for result in results if result.finding.code == rule]
    assert [finding.severity for finding in found] == [severity]
    assert found[0].witness is not None and found[0].witness.replayed


def test_a_race_in_a_mode_that_the_host_chooses_is_a_warning() -> None:
    code = """
__kernel void k(__local float *a, int mode) {
  if (mode == 3) a[get_local_id(0)] = 3.0f;
  else a[0] = get_local_id(0);
}
"""
    run, selection = engine()
    results = run.check_source(SourceFile("k.cl", code.encode()), selection).results
    assert {(r.finding.code, r.finding.severity) for r in results} == {("KL201", Severity.WARNING)}


@pytest.mark.parametrize(
    ("target", "severity"),
    [((), Severity.WARNING), (("sm_80",), Severity.ERROR), (("sm_60", "sm_80"), Severity.WARNING), (("sm_60",), None)],
)
def test_lanes_out_of_step_are_an_error_on_the_hardware_named(
    target: tuple[str, ...], severity: Severity | None
) -> None:
    code = """
__global__ void k(float *x) {
  __shared__ float s[32];
  s[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = s[31 - threadIdx.x];
}
"""
    registry = load()
    selection = Selection(registry, Config(select=("KL204",), target=target))
    source = SourceFile("k.cu", code.encode())
    found = [result.finding for result in Engine(registry, selection).check_source(source, selection).results]
    assert [finding.severity for finding in found] == ([] if severity is None else [severity])


def test_lanes_of_one_warp_in_global_memory_are_no_error_without_a_word_on_the_hardware() -> None:
    code = """
__global__ void k(int *x) {
  x[threadIdx.x] = 1;
  x[31 - threadIdx.x] += threadIdx.x;
}
"""
    run, selection = engine()
    source = SourceFile("k.cu", ("// kernlint: launch(block=32, grid=1)" + code).encode())
    found = [r.finding for r in run.check_source(source, selection).results if r.finding.code == "KL205"]
    assert found and all(finding.severity is not Severity.ERROR for finding in found)
