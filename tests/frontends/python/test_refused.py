"""Kernels and launches that a program expects to be refused."""

from __future__ import annotations

import pytest

from tests.frontends.python.test_pairs import found

KERNEL = """
import pytest
import unittest

@cuda.jit
def window(x, width):
    near = cuda.shared.array(width, dtype=float32)
    i = cuda.grid(1)
    if i < x.size:
        near[cuda.threadIdx.x] = x[i]
        x[i] = near[cuda.threadIdx.x] * 2

"""

REFUSED = {
    "a launch in unittest": """
class Windows(unittest.TestCase):
    def test_width(self):
        with self.assertRaises(TypeError) as caught:
            window[1, 32](np.zeros(32), 32)
        self.assertIn("width", str(caught.exception))
""",
    "a launch in pytest": """
def test_width():
    x = np.zeros(32)
    with pytest.raises(TypeError, match="constant"):
        window[1, 32](x, 32)
""",
    "passed to the assertion": """
class Windows(unittest.TestCase):
    def test_width(self):
        self.assertRaises(TypeError, window[1, 32], np.zeros(32), 32)
""",
}

RUN = {
    "another launch is to succeed": """
def test_width():
    x = np.zeros(32)
    with pytest.raises(TypeError):
        window[1, 32](x, "wide")
    window[1, 32](x, 32)
""",
    "the exception is one of the program's": """
def test_width(manager):
    x = np.zeros(32)
    with manager.profile(TypeError):
        window[1, 32](x, 32)
""",
    "nothing launches it": "",
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    assert not found(KERNEL + REFUSED[name])


@pytest.mark.parametrize("name", RUN)
def test_run(name: str) -> None:
    assert [rule for rule, _, _ in found(KERNEL + RUN[name])] == ["run-time-array-shape"]


LARGE = """
import pytest

@cuda.jit
def halve(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 0.5

"""


def test_launch_that_is_refused() -> None:
    refused = (
        "def test_block(x):\n    halve[1, 256](x)\n    with pytest.raises(ValueError):\n        halve[1, 2048](x)\n"
    )
    assert not found(LARGE + refused)
    assert [rule for rule, _, _ in found(LARGE + refused.replace("1, 256", "1, 2000"))] == ["launch-limits"]


RAW = """
import cupy as cp
import pytest

double = cp.RawKernel(r'''
extern "C" __global__ void twice(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}
''', "twice")

def test_block(x):
    with pytest.raises(Exception):
        double((1,), (4096,), (x, np.int32(x.size)))
"""


def test_launch_of_a_text() -> None:
    assert not found(RAW)
    assert [rule for rule, _, _ in found(RAW.replace("with pytest.raises(Exception)", "if x.size"))] == [
        "launch-limits"
    ]
