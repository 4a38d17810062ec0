"""Constants of a file that are made of others."""

from __future__ import annotations

import pytest

from kernlint.policy.constants import constants


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("#define SIDE 12\n#define FACE (SIDE * SIDE)\n", {"SIDE": "12", "FACE": "144"}),
        ("#define A 3 + 1\n#define B A * 2\n", {"A": "4", "B": "5"}),
        ("constexpr int a = 3 + 1;\nconstexpr int b = a * 2;\n", {"a": "4", "b": "8"}),
        ("#define N 0x10u\nconst unsigned half = N >> 1;\n", {"N": "16", "half": "8"}),
        ("#define N 4\n#define N 8\n", {}),
        ("#define N M\n#define M N\n", {}),
        ("#define N (M / 0)\n#define M 2\n", {"M": "2"}),
        ("#define F(x) x\nconst float pi = 3.14f;\n", {}),
    ],
)
def test_constants(code: str, expected: dict[str, str]) -> None:
    assert constants(code) == expected
