"""Sizes that the host has put into constant memory are asked about as arguments are."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.late_bounds_guard import LateBoundsGuard
from kernlint_rules.bounds.negative_index import NegativeIndex
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard
from kernlint_rules.indexing.swapped_axes import SwappedAxes

from kernlint.rule import RuleClass
from tests.rules.marked import assert_pair

LINE = """
struct Setup { int cells; float gain; };
__constant__ Setup setup;
__global__ void damp(const float *from, float *to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    BODY
}
void go(const float *from, float *to, int cells) {
    Setup made = {cells, 0.5f};
    cudaMemcpyToSymbol(setup, &made, sizeof(Setup));
    damp<<<(cells + 255) / 256, 256>>>(from, to);
}
"""

PLANE = """
__constant__ int wide;
__constant__ int high;
__global__ void smooth(const float *from, float *to) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    BODY
}
"""


@pytest.mark.parametrize(
    ("rule", "body"),
    [
        (
            WrongBoundsGuard,
            "if (i <= setup.cells) to[i] = from[i] * setup.gain;  // only bad\\n"
            "if (i < setup.cells) to[i] = from[i] * setup.gain;  // only good",
        ),
        (
            LateBoundsGuard,
            "float v = from[i];  // only bad\\nfloat v = i < setup.cells ? from[i] : 0.f;  // only good\\n"
            "if (i < setup.cells) to[i] = v * setup.gain;",
        ),
        (
            NegativeIndex,
            "if (i < setup.cells) to[i] = from[i] + from[i - 1];  // only bad\\n"
            "if (i > 0 && i < setup.cells) to[i] = from[i] + from[i - 1];  // only good",
        ),
    ],
)
def test_fields_of_a_structure(rule: RuleClass, body: str) -> None:
    code = LINE.replace("BODY", body.replace("\\n", "\n    "))
    line = next(part for part in code.splitlines() if part.endswith("// only bad"))
    assert_pair(rule, code.replace(line, line.replace("// only bad", "// bad  // only bad")))


@pytest.mark.parametrize(
    ("rule", "bad", "good"),
    [
        (WrongBoundsGuard, "if (x < wide || y < high)", "if (x < wide && y < high)"),
        (SwappedAxes, "if (x < high && y < wide)", "if (x < wide && y < high)"),
    ],
)
def test_two_numbers(rule: RuleClass, bad: str, good: str) -> None:
    body = f"{bad} to[y * wide + x] = from[y * wide + x];  // only bad\n    "
    body += f"{good} to[y * wide + x] = from[y * wide + x];  // only good"
    code = PLANE.replace("BODY", body)
    assert_pair(rule, code.replace("// only bad", "// bad  // only bad"))
