"""Constants that make arithmetic double where comments say that there is no double precision."""

from __future__ import annotations

import pytest
from kernlint_rules.language.accidental_double import AccidentalDouble
from kernlint_rules.language.language_error import LanguageError

from tests.rules.marked import assert_marked, findings

SCALE = """
%s
float scaled(float x) { return x * 0.25; }
__kernel void scale(__global float *x) { x[get_global_id(0)] = scaled(x[get_global_id(0)]); }
"""


@pytest.mark.parametrize(
    ("comment", "told"),
    [
        ("// Runs on devices without fp64.", True),
        ("/* The whole solver is single precision throughout. */", True),
        ("// Some devices do not support double precision.", True),
        ("// Falls back to this if there is no support for doubles.", False),
        ("// No double buffer is needed.", False),
        ("// Scales by a quarter.", False),
    ],
)
def test_comments(comment: str, told: bool) -> None:
    assert bool(findings(AccidentalDouble, SCALE % comment, "opencl")) is told


def test_doubles_of_its_own() -> None:
    code = SCALE % "// Runs on devices without fp64."
    assert not findings(AccidentalDouble, code + "\ndouble wide(double x) { return x * 0.5; }\n", "opencl")


UNKNOWN = """
__kernel void shade(__global float3 *c, __global float *out) {
    float parts[PARTS];
    for (int k = 0; k < 4; ++k) parts[k] = c[k].x;
    out[get_global_id(0)] = parts[2] + WEIGHTED(c[0] * GAMMA, 2);
}
"""


def test_what_a_build_may_give() -> None:
    assert not findings(LanguageError, UNKNOWN, "opencl")


def test_kinds_of_errors() -> None:
    code = """
typedef struct { float3 at; float size; } Ball;
void lift(__local float *cells) { cells[get_local_id(0)] += 1.0f; }
__kernel void raise(__global float *cells, __global Ball *balls, __constant float *table, const int n) {
    lift(cells);  // bad
    balls[0].radius = 1.0f;  // bad
    table[0] = 2.0f;  // bad
    float row[n];  // bad
    cells[0] = balls[0].at;  // bad
}
"""
    assert_marked(LanguageError, code, "opencl")
