"""Macros whose operands the operators around them take apart."""

from __future__ import annotations

import pytest
from kernlint_rules.indexing.operator_precedence import OperatorPrecedence

from tests.rules.marked import findings

KERNEL = """
%s
__kernel void take(__global const int *in, __global int *out, const int n) {
    const int i = get_global_id(0);
    out[i] = in[%s];
}
"""


@pytest.mark.parametrize(
    ("macro", "use", "told"),
    [
        ("#define TILE 8 * 4", "i % TILE", True),
        ("#define TILE (8 * 4)", "i % TILE", False),
        ("#define TILE 8 * 4", "i + TILE", False),
        ("#define TILE 8 * 4", "i * TILE", False),
        ("#define LAST n - 1", "i * LAST", True),
        ("#define LAST n - 1", "i - LAST", True),
        ("#define LAST n - 1", "LAST", False),
        ("#define AT(r, c) r * 32 + c", "AT(i, 3) * 2", True),
        ("#define AT(r, c) r * 32 + c", "AT(i - 1, 3)", True),
        ("#define AT(r, c) r * 32 + c", "AT(i, n - 1)", False),
        ("#define AT(r, c) ((r) * 32 + c)", "AT(i - 1, 3)", False),
        ("#define SIDE 4 + 4\\n#undef SIDE\\n#define SIDE 8", "i / SIDE", False),
        ("#define DOWN -1", "i * DOWN", False),
    ],
)
def test_operands(macro: str, use: str, told: bool) -> None:
    code = KERNEL % (macro.replace("\\n", "\n"), use)
    assert bool(findings(OperatorPrecedence, code, "opencl")) is told
