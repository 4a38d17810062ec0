"""One array that a launch of a numba kernel passes for two parameters."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.aliased_restrict_arguments import AliasedRestrictArguments

from tests.rules.marked import assert_marked

STEP = """import numpy as np
from numba import cuda


@cuda.jit
def settle(src, dst, rate):
    i = cuda.grid(1)
    if i < src.size - 1:
        dst[i] = src[i] + rate * (src[NEXT] - src[i])


def run(field, rate):
    blocks = (field.now.size + 255) // 256
    settle[blocks, 256](field.now, TO, np.float32(rate))MARK
"""


@pytest.mark.parametrize(
    ("to", "next_", "bad"), [("field.now", "i + 1", True), ("field.next", "i + 1", False), ("field.now", "i", False)]
)
def test_in_place(to: str, next_: str, bad: bool) -> None:
    mark = "  # // bad" if bad else ""
    code = STEP.replace("TO", to).replace("NEXT", next_).replace("MARK", mark)
    assert_marked(AliasedRestrictArguments, code, "python")
