"""Indices made otherwise than of the extents that a comment gives their array."""

from __future__ import annotations

import pytest

from kernlint.finding import Finding
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.source import SourceFile


def findings(code: str, file: str = "k.cu") -> list[Finding]:
    selection = Selection(load(), Config(select=("KL403",)))
    outcome = Engine(load(), selection).check_source(SourceFile(file, code.encode()), selection)
    assert not [note for note in outcome.notifications if note.level.value == "error"], outcome.notifications
    return [result.finding for result in outcome.results if result.finding.severity.value != "note"]


VOLUMES = """
// field : %s of the solver
__kernel void mean(__global const float *field, __global float *out, int nx, int ny, int nz, int parts, int pitch) {
  const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  if (x >= nx || y >= ny || z >= nz) return;
  float sum = 0.0f;
  for (int p = 0; p < %s; ++p) sum += field[%s];
  out[(z * ny + y) * nx + x] = sum / parts;
}
"""
SHAPE = "[parts][nz][ny][nx]"


@pytest.mark.parametrize(
    ("shape", "parts", "index", "wrong"),
    [
        (SHAPE, "parts", "p * nx * ny + (z * ny + y) * nx + x", True),
        ("[parts, nz, ny, nx]", "parts", "p * nx * ny + (z * ny + y) * nx + x", True),
        (SHAPE, "parts", "(size_t)p * nx * nz + ((size_t)z * ny + y) * nx + x", True),
        (SHAPE, "parts", "p * nx * ny * nz + (z * ny + y) * nx + x", False),
        (SHAPE, "parts", "((x * ny + y) * nz + z) * parts + p", False),  # all in another order
        (SHAPE, "parts", "p * pitch + (z * ny + y) * nx + x", False),  # what a pitch is, callers know
        (SHAPE, "3", "(z + p) * nx * ny + y * nx + x", False),  # neighbours
        ("[nz][ny][nx]", "parts", "p * nx * ny + (z * ny + y) * nx + x", False),  # a window of slices
    ],
)
def test_an_index_through_all_extents(shape: str, parts: str, index: str, wrong: bool) -> None:
    found = findings(VOLUMES % (shape, parts, index), "k.cl")
    assert bool(found) is wrong, [one.message for one in found]


ROWS = """
struct Sizes { unsigned beams, near, far; };
// weights : [beams][near + far]
__global__ void apply(const float *weights, float *out, Sizes s) {
  unsigned a = blockIdx.x * blockDim.x + threadIdx.x, beam = blockIdx.y;
  if (a >= s.far) return;
  out[beam * s.far + a] = weights[%s + a];
}
"""


@pytest.mark.parametrize(
    ("begin", "wrong"),
    [
        ("s.near + beam * s.far", True),
        ("beam * (s.near + s.far) + s.near", False),
        ("beam * (s.far + s.near)", False),
        ("beam * s.beams", False),  # who knows
    ],
)
def test_rows_of_a_sum(begin: str, wrong: bool) -> None:
    found = findings(ROWS % begin)
    assert [one.code for one in found] == (["KL403"] if wrong else [])
