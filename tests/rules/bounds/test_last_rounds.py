"""Rows taken in rounds of a fixed width, as many as round their length up."""

from __future__ import annotations

import pytest

from kernlint.finding import Finding
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.source import SourceFile


def findings(code: str, file: str = "k.cu") -> list[Finding]:
    selection = Selection(load(), Config(select=("KL102",)))
    outcome = Engine(load(), selection).check_source(SourceFile(file, code.encode()), selection)
    assert not [note for note in outcome.notifications if note.level.value == "error"], outcome.notifications
    return [result.finding for result in outcome.results if result.finding.severity.value != "note"]


ROWS = """
constexpr int WIDE = 128;
__global__ void total(const float *x, float *sums, int rows, int n, int pitch, const int *length) {
  const int row = blockIdx.x;
  float sum = 0.0f;
  const int rounds = %s;
  for (int t = 0; t < rounds; ++t) {
    const int c = %s;
    %s
  }
  atomicAdd(&sums[row], sum);
}
"""
UP, AT, ADD = "(n + WIDE - 1) / WIDE", "t * WIDE + threadIdx.x", "sum += x[row * n + c];"


@pytest.mark.parametrize(
    ("rounds", "at", "body", "wrong"),
    [
        (UP, AT, ADD, True),
        ("n / WIDE + (n % WIDE != 0)", AT, ADD, True),
        ("(n + blockDim.x - 1) / blockDim.x", "t * blockDim.x + threadIdx.x", ADD, True),
        (UP, AT, "if (row < rows) " + ADD, True),
        (UP, AT, "if (c < n) " + ADD, False),
        (UP, AT, "if (c >= n) break; " + ADD, False),
        (UP, AT, "if (t + 1 < rounds || n % WIDE == 0) " + ADD, False),
        (UP, AT, "if (c < length[row]) " + ADD, False),
        (UP, AT, "sum += x[row * pitch + c];", False),  # rows may be longer
        (UP, f"min({AT}, n - 1)", ADD, False),
        (UP, "t * WIDE", ADD, False),
        ("n / WIDE", AT, ADD, False),  # whole rounds alone
    ],
)
def test_what_the_last_round_is_too_wide_by(rounds: str, at: str, body: str, wrong: bool) -> None:
    found = findings(ROWS % (rounds, at, body))
    assert bool(found) is wrong, [one.message for one in found]


VECTORS = """
__kernel void scale(__global const float4 *x, __global float *y, int dim) {
  const int vecs = dim / 4, lane = get_local_id(0);
  for (int t = 0; t < (vecs + 63) / 64; ++t) {
    const int c = t * 64 + lane;
    %s y[get_group_id(0) * 64 + lane] += x[(size_t)get_group_id(0) * vecs + c].x;
  }
}
"""


def test_vectors_of_a_row() -> None:
    assert [one.code for one in findings(VECTORS % "", "k.cl")] == ["KL102"]
    assert not findings(VECTORS % "if (c < vecs)", "k.cl")


LAUNCHED = """
#include <cuda_runtime.h>
#include <cassert>
__global__ void total(const float *x, float *sums, int n) {
  float sum = 0.0f;
  for (int t = 0; t < (n + 127) / 128; ++t) sum += x[blockIdx.x * n + t * 128 + threadIdx.x];
  atomicAdd(&sums[blockIdx.x], sum);
}
void run(const float *x, float *sums, int rows, int n) { %s }
"""


@pytest.mark.parametrize(
    ("host", "wrong"),
    [
        ("total<<<rows, 128>>>(x, sums, n);", True),
        ("total<<<rows, 128>>>(x, sums, 1000);", True),
        ("total<<<rows, 128>>>(x, sums, 1024);", False),
        ("assert(n % 128 == 0); total<<<rows, 128>>>(x, sums, n);", False),
    ],
)
def test_what_the_launch_says_of_the_length(host: str, wrong: bool) -> None:
    assert bool(findings(LAUNCHED % host)) is wrong


def test_a_length_that_a_comment_calls_a_multiple() -> None:
    said = "// n is a multiple of {0}\n"
    assert not findings(said.format(128) + ROWS % (UP, AT, ADD))
    assert findings(said.format(4) + ROWS % (UP, AT, ADD))
