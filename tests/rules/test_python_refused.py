"""A kernel that numba refuses to compile gets no other findings; lists that the host writes out have known lengths."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.launch_limits import LaunchLimits
from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence

from tests.rules.marked import assert_marked

KERNEL = """
from numba import cuda, float32

@cuda.jit
def turn(x, out, n, width):
    i = cuda.grid(1)
    s = cuda.shared.array(64, float32)
    FIRST
    if i < n:
        s[cuda.threadIdx.x] = x[i]
        cuda.syncthreads()MARK
        out[i] = s[63 - cuda.threadIdx.x]
"""


@pytest.mark.parametrize(
    ("first", "compiles"),
    [
        ("pass", True),
        ("t = 1", True),
        ("t = [x[j] for j in range(n)]", False),
        ("t = {1: 2}", False),
        ("t = cuda.local.array(width, float32)", False),
    ],
)
def test_other_findings_of_a_kernel_that_does_not_compile(first: str, compiles: bool) -> None:
    code = KERNEL.replace("FIRST", first).replace("MARK", "  # // bad" if compiles else "")
    assert_marked(BarrierDivergence, code, "python")


HOST = """
import numpy as np
from numba import cuda

@cuda.jit
def add(x, n):
    i = cuda.grid(1)
    if i < n:
        x[i] += 1

def run(more):
    items = ITEMS
    STEP
    x = cuda.to_device(np.array(items))
    add[1, len(items)](x, len(items))MARK
"""


@pytest.mark.parametrize(
    ("items", "step", "bad"),
    [
        ("[1.0, 2.0, 3.0]", "", False),
        ("(1.0, 2.0, 3.0)", "", False),
        ("[0.0] * 512", "", False),
        ("[1.0, 2.0, 3.0]", "k = items.index(2.0)", False),
        ("[0.0] * 2048", "", True),
        ("more", "", True),
        ("[1.0, 2.0, 3.0]", "items.extend(more)", True),
        ("[1.0, 2.0, 3.0]", "items += more", True),
        ("[1.0, 2.0, 3.0]", "items[1:2] = more", True),
        ("[1.0, *more]", "", True),
    ],
)
def test_the_length_of_a_list_that_is_written_out(items: str, step: str, bad: bool) -> None:
    code = HOST.replace("ITEMS", items).replace("STEP", step).replace("MARK", "  # // bad" if bad else "")
    assert_marked(LaunchLimits, code, "python")
