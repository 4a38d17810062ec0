"""Barriers that are said to be redundant are: the emulator sees no race in the kernel without one of them."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from kernlint_rules.synchronisation.redundant_barrier import RedundantBarrier

from kernlint.frontends.clang.frontend import ClangFrontend
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.prove.emulate import Buffer, FaultKind, LaunchSpec, run
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.source import SourceFile
from kernlint.tree.types import PointerType
from tests.rules.marked import findings

HEAD = "__global__ void k(const float *a, float *b, int n) {\n  __shared__ float s[64], r[64];\n"
HEAD += "  const int t = threadIdx.x, i = blockIdx.x * 64 + t;\n"

S = "  __syncthreads();"
BODIES = {
    # the lines of barriers that nothing rests on, counted among the barriers
    "staged": (["  s[t] = a[i];", S, "  b[i] = s[63 - t];", S], {1}),
    "two stages": (["  s[t] = a[i];", S, "  r[t] = s[63 - t];", S, "  b[i] = r[63 - t];"], set()),
    "own cells": (["  s[t] = a[i];", S, "  r[t] = s[t] * 2;", S, "  b[i] = r[t];"], {0, 1}),
    "twice in a row": (["  s[t] = a[i];", S, S, "  b[i] = s[63 - t];"], {0}),
    "before anything is shared": ([S, "  s[t] = a[i];", S, "  b[i] = s[63 - t];"], {0}),
    "places that data choose, elsewhere": (
        ["  s[t] = a[i];", S, "  b[(int)a[i] & 63] = s[63 - t];", S, "  b[i] += a[i];"],
        set(),
    ),
    "places that data choose, in one phase": (
        [S, "  s[t] = a[i];", S, "  atomicAdd(&s[(int)a[i] & 63], 1.0f);", S, "  b[i] = s[63 - t];", S],
        {0, 3},
    ),
    "sums that others read": (
        ["  if (t < 64) s[t] = 0;", S, "  atomicAdd(&s[t & 3], a[i]);", S, "  b[i] = s[t & 3];"],
        set(),
    ),
    "numbers that are drawn in two phases": (
        [
            "  __shared__ int c;",
            "  if (t == 0) c = 0;",
            S,
            "  atomicAdd(&c, 1);",
            S,
            "  b[atomicAdd(&c, 1) & 63] = a[i];",
        ],
        set(),
    ),
    "a barrier at the head of each round, behind the one at its end": (
        ["  for (int k = 0; k < 4; ++k) {", S, "  s[t] = a[k * 64 + t];", S, "  b[i] += s[63 - t];", S, "  }"],
        {0},
    ),
    "rounds of a loop in a loop": (
        [
            "  for (int k = 0; k < 3; ++k) {",
            "  s[t] = a[k * 64 + t];",
            S,
            "  for (int j = 0; j < 3; ++j) {",
            "  r[t] = s[63 - t] * j;",
            S,
            "  b[i] += r[t];",
            "  }",
            S,
            "  }",
        ],
        {1},
    ),
    "the last round is read by others": (
        ["  for (int k = 0; k < 3; ++k) {", "  s[t] = a[k * 64 + t];", S, "  }", "  b[i] = s[63 - t];"],
        set(),
    ),
    "rounds shift their cells": (
        ["  for (int k = 0; k < 3; ++k) {", "  s[(t + k) & 63] = a[k * 64 + t];", S, "  }", "  b[i] = s[t];"],
        set(),
    ),
    "different constants in one cell": (["  s[0] = 1;", S, "  s[0] = 2;", S, "  b[i] = s[0];"], set()),
    "used again": (["  s[t] = a[i];", S, "  b[i] = s[63 - t];", S, "  s[t] = b[i];", S, "  b[i] = s[t ^ 1];"], set()),
    "rounds": (
        ["  for (int k = 0; k < 4; ++k) {", "  s[t] = a[k * 64 + t];", S, "  b[i] += s[63 - t];", S, "  }"],
        set(),
    ),
    "rounds of own cells": (
        ["  for (int k = 0; k < 4; ++k) {", "  s[t] = a[k * 64 + t];", S, "  b[i] += s[t];", S, "  }"],
        {0, 1},
    ),
    "halves": (
        [
            "  s[t] = a[i];",
            S,
            "  if (t < 32) s[t] += s[t + 32];",
            S,
            "  if (t < 16) s[t] += s[t + 16];",
            S,
            "  if (t == 0) b[i] = s[0];",
        ],
        {2},
    ),
}

RACING = {
    "places that data choose, elsewhere",
    "numbers that are drawn in two phases",
    "different constants in one cell",
}
"""Kernels that race whatever their barriers: what these are for is told all the same."""


def text(lines: list[str], left_out: Collection[int] = ()) -> str:
    kept, seen = [], 0
    for line in lines:
        if line == S:
            seen += 1
            if seen - 1 in left_out:
                line = ""
        kept.append(line)
    return HEAD + "\n".join(kept) + "\n}\nvoid run(const float *a, float *b) { k<<<2, 64>>>(a, b, 1); }\n"


def races(code: str) -> bool:
    module = next(m for m in ClangFrontend().parse_file(SourceFile("k.cu", code.encode())) if m.kernels)
    kernel = module.kernels[0].variants[0]
    arguments = {p.name: Buffer(1 << 16) if isinstance(p.type, PointerType) else 1 for p in kernel.params}
    outcome = run(kernel, LaunchSpec((64, 1, 1), (2, 1, 1)), arguments)
    assert outcome.finished
    return bool(outcome.of(FaultKind.RACE))


@pytest.mark.parametrize("name", BODIES)
def test_each_alone(name: str) -> None:
    lines, expected = BODIES[name]
    code = text(lines)
    places = [number for number, line in enumerate(code.splitlines(), 1) if line == S]
    source = SourceFile("k.cu", code.encode())
    told = {places.index(source.line_of(f.span.start)) for f in findings(RedundantBarrier, code)}
    assert told == expected
    for number in told:
        assert races(text(lines, (number,))) is (name in RACING)
    assert races(text(lines, told)) is (name in RACING)


def told(text: str) -> list[int]:
    """The lines of the barriers that a whole run calls redundant."""
    registry = load()
    selection = Selection(registry, Config(select=("KL208",), pedantic=True))
    source = SourceFile("kernel.cu", text.encode())
    results = Engine(registry, selection).check_source(source, selection).results
    return [source.line_of(result.finding.span.start) for result in results]


INSTANCES = """
template <int N>
__global__ void turned(const float *a, float *b) {
  __shared__ float s[64];
  s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  b[blockIdx.x * 64 + threadIdx.x] = s[%s];
}
void run(const float *a, float *b) { turned<0><<<4, 64>>>(a, b); turned<63><<<4, 64>>>(a, b); }
"""


def test_what_holds_in_one_instance_of_a_template_is_not_told() -> None:
    assert told(INSTANCES % "N ? N - threadIdx.x : threadIdx.x") == []
    assert told(INSTANCES % "threadIdx.x") == [6]


SETTINGS = """
__global__ void turned(const float *a, float *b) {
  __shared__ float s[64];
  s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
#ifdef TURNED
  b[blockIdx.x * 64 + threadIdx.x] = s[%s];
#else
  b[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
#endif
}
void run(const float *a, float *b) { turned<<<4, 64>>>(a, b); }
"""


def test_what_holds_under_one_setting_is_not_told() -> None:
    assert told(SETTINGS % "63 - threadIdx.x") == []
    assert told(SETTINGS % "threadIdx.x") == [5]


HELPER = """
__device__ float turned(float *s, float v) {
  s[threadIdx.x] = v;
  __syncthreads();
  float r = s[63 - threadIdx.x];
  __syncthreads();
  return r;
}
__global__ void k(const float *a, float *b) {
  __shared__ float s[64];
  float v = turned(s, a[threadIdx.x]);
  %s
  b[threadIdx.x] = turned(s, v);
  %s
}
void run(const float *a, float *b) { k<<<1, 64>>>(a, b); }
%s
"""
SECOND = """
__global__ void other(const float *a, float *b) {
  __shared__ float s[64];
  b[threadIdx.x] = turned(s, a[threadIdx.x]);
}
"""


@pytest.mark.parametrize(
    ("between", "behind", "more", "lines"),
    [
        ("", "", "", []),
        ("__syncthreads();", "", "", [6]),
        ("", "__syncthreads();", "", [14]),
        ("__syncthreads();", "", SECOND, [12]),
    ],
)
def test_barriers_of_helpers(between: str, behind: str, more: str, lines: list[int]) -> None:
    assert told(HELPER % (between, behind, more)) == lines


def test_a_function_that_nobody_in_sight_calls_keeps_its_barriers() -> None:
    assert (
        told(HELPER.replace("__global__ void k", "__device__ void k").replace("k<<<1, 64>>>(a, b);", "") % ("", "", ""))
        == []
    )
