"""Types of the numbers that Python programs pass to kernels of other languages."""

from __future__ import annotations

import pytest

from tests.frontends.python.test_libraries import rules

CUPY = '''
import math
import cupy as cp
import numpy as np

scale = cp.RawKernel(r"""
extern "C" __global__ void scale(float *x, const float by, const int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}
""", "scale")

def run(x, times, n):
    half = np.float32(0.5)
    steps = np.asarray(times, dtype=np.float64)
    narrow = np.zeros(8, dtype=np.float32)
    for step in np.diff(steps):
        for small in narrow:
            scale(((n + 63) // 64,), (64,), (x, VALUE, np.int32(n)))
'''


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ("step", True),
        ("small", False),
        ("half * 2", False),
        ("half * 1.5", False),
        ("half * np.float64(2)", True),
        ("math.sqrt(2.0)", True),
        ("np.sqrt(half)", False),
        ("np.sqrt(2.0)", True),
        ("1.0 / 3", True),
        ("narrow[0]", False),
        ("steps[1]", False),  # how many axes it has is not known
        ("np.linspace(0.0, 1.0, 5)[2]", True),
        ("narrow.max()", False),
        ("narrow.mean() * 0.5", False),
        ("n / 2", False),  # what n is, nobody says
        ("np.float32(step)", False),
    ],
)
def test_a_number_is_as_wide_as_what_made_it(value: str, wrong: bool) -> None:
    assert ("kernel-argument-mismatch" in rules(CUPY.replace("VALUE", value))) is wrong


PYCUDA = '''
import numpy as np
import pycuda.autoinit
from pycuda.compiler import SourceModule

module = SourceModule("""
SETTING__global__ void raise_by(float *x, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += by;
}
""")

def run(x, n, rest):
    raise_by = module.get_function("raise_by")
    raise_by(ARGS, block=(64, 1, 1), grid=((n + 63) // 64, 1))
'''


@pytest.mark.parametrize(
    ("args", "wrong"),
    [
        ("x, np.float32(1), np.int32(n)", False),
        ("x, np.int32(n)", True),
        ("x, np.float32(1), np.int32(n), np.int32(0)", True),
        ("x, *rest", False),
        ("*[x], np.float32(1), np.int32(n)", False),
    ],
)
def test_a_launch_passes_an_argument_for_each_parameter(args: str, wrong: bool) -> None:
    text = PYCUDA.replace("ARGS", args)
    assert ("kernel-argument-mismatch" in rules(text.replace("SETTING", ""))) is wrong
    hidden = text.replace("SETTING", "#ifdef PLAIN\n#define UNUSED\n#endif\n")
    assert "kernel-argument-mismatch" not in rules(hidden)
