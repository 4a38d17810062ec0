"""Types that ``prepare`` states for the arguments of a kernel."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.kernel_argument_mismatch import KernelArgumentMismatch

from tests.rules.marked import findings

CODE = '''
import numpy as np
import pycuda.driver as drv
from pycuda.compiler import SourceModule

TEXT = """
__global__ void move(double *to, const float *from, long long first, unsigned int n, float by) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[first + i] = from[i] * by;
}
__global__ void other(int *x) { x[threadIdx.x] = 1; }
"""

class Mover:
    def __init__(self):
        module = SourceModule(TEXT)
        self.move = module.get_function("move")
        PREPARE
        module.get_function("other").prepare("P")

    def __call__(self, to, src, n):
        self.move.prepared_call(((n + 255) // 256, 1), (256, 1, 1), to, src, 0, n, 0.5)
'''


@pytest.mark.parametrize(
    ("prepare", "told"),
    [
        ('self.move.prepare("PPqIf")', ""),
        ('self.move.prepare("PPlif")', ""),
        ('self.move.prepare("PPqId")', "by"),
        ('self.move.prepare("PPiIf")', "first"),
        ('self.move.prepare("PPqff")', "n"),
        ('self.move.prepare("PiqIf")', "from"),
        ('self.move.prepare("PPqI")', "4 arguments"),
        ('types = "PPqI" + "d"; self.move.prepare(types)', ""),
        ('self.move.prepare(["P", "P", np.int64, np.uint32, np.float32])', ""),
        ('self.move.prepare((np.intp, "P", np.int64, np.uint32, np.float64))', "by"),
        ("self.move.prepare([drv.DeviceAllocation, 'P', np.int64, np.uint64, 'f'])", "n"),
        ("self.move.prepare(TYPES)", ""),
    ],
)
def test_stated_types(prepare: str, told: str) -> None:
    found = findings(KernelArgumentMismatch, CODE.replace("PREPARE", prepare), "python")
    assert bool(found) is bool(told)
    assert all(f" {told}" in f" {each.message}" for each in found)
