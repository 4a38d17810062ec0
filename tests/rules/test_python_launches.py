"""Sizes of launches in Python programs: floats, and arrays that methods exchange."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.kernel_argument_mismatch import KernelArgumentMismatch
from kernlint_rules.launch.launch_limits import LaunchLimits
from kernlint_rules.launch.uncovered_tail import UncoveredTail

from tests.rules.marked import findings

KERNEL = '''
import math
from pathlib import Path
import numpy as np
import cupy as cp
import pyopencl as cl
import pyopencl.array
import pycuda.autoinit
from pycuda.compiler import SourceModule
TEXT = r"""
extern "C" __global__ void clear(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.0f;
}
"""
'''

PYCUDA = (
    'clear = SourceModule(TEXT).get_function("clear")\n'
    "def run(x, n):\n    blocks = SIZE\n    clear(x, np.int32(n), block=(256, 1, 1), grid=(blocks, 1))\n"
)
CUPY = (
    'clear = cp.RawKernel(TEXT, "clear")\ndef run(x, n):\n    blocks = SIZE\n'
    "    clear((blocks,), (256,), (x, np.int32(n)))\n"
)


@pytest.mark.parametrize("host", [PYCUDA, CUPY])
@pytest.mark.parametrize(
    ("size", "told"),
    [
        ("n / 256 + 1", True),
        ("np.ceil(n / 256)", True),
        ("(n + 255) // 256", False),
        ("int(n / 256) + 1", False),
        ("math.ceil(n / 256)", False),
        ("Path('a') / 'b'", False),
        ("blocks_of(n)", False),
    ],
)
def test_floats_are_no_sizes(host: str, size: str, told: bool) -> None:
    found = findings(LaunchLimits, KERNEL + host.replace("SIZE", size), "python")
    assert any("is a float" in one.message for one in found) is told


def test_floats_are_no_sizes_of_opencl() -> None:
    code = '''
import numpy as np
import pyopencl as cl

TEXT = """
__kernel void clear(__global float *x, int n) { if (get_global_id(0) < n) x[get_global_id(0)] = 0.0f; }
"""

def run(context, queue, x, n):
    clear = cl.Program(context, TEXT).build().clear
    clear(queue, (n / 4,), None, x, np.int32(n))
'''
    assert any("is a float" in one.message for one in findings(LaunchLimits, code, "python"))
    assert not findings(LaunchLimits, code.replace("n / 4", "n // 4"), "python")


FIELDS = """
import numpy as np
from numba import cuda

@cuda.jit
def step(a, b):
    i = cuda.grid(1)
    if i < b.shape[0]:
        b[i] = 2 * a[i]

class Field:
    def __init__(self, first):
        first = np.ascontiguousarray(first, dtype=np.float32)
        self.size = first.size
        self.now = cuda.to_device(first)
        self.then = OTHER

    def advance(self):
        step[BLOCKS, 64](self.now, self.then)
        self.now, self.then = self.then, self.now
"""


@pytest.mark.parametrize(
    ("other", "blocks", "told"),
    [
        ("cuda.device_array_like(self.now)", "self.size // 64", True),
        ("cuda.to_device(np.empty_like(first))", "self.size // 64", True),
        ("cuda.device_array_like(self.now)", "(self.size + 63) // 64", False),
        ("cuda.device_array(self.size // 64 * 64, dtype=np.float32)", "self.size // 64", False),
        ("made_elsewhere()", "self.size // 64", False),
    ],
)
def test_members_that_are_exchanged_are_arrays_of_one_size(other: str, blocks: str, told: bool) -> None:
    code = FIELDS.replace("OTHER", other).replace("BLOCKS", blocks)
    assert bool(findings(UncoveredTail, code, "python")) is told


NAMED = 'clear = cp.RawKernel(TEXT, "clear")\ndef run(x, n):\n    blocks = (n + 255) // 256\n    clear(GIVEN)\n'


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("grid=(blocks,), block=(256,), args=(x, np.int32(n))", False),
        ("(blocks,), block=(256,), args=(x, np.int32(n))", False),
        ("(blocks,), (256,), args=(x, np.int32(n)), shared_mem=0", False),
        ("grid=(blocks,), block=(256,), args=(x,)", True),
        ("(blocks,), (256,), (x,)", True),
    ],
)
def test_cupy_takes_everything_by_its_name(given: str, told: bool) -> None:
    found = findings(KernelArgumentMismatch, KERNEL + NAMED.replace("GIVEN", given), "python")
    assert bool(found) is told
