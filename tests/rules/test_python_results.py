"""Results of kernels that Python programs overwrite where they mean to fetch them."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.wrong_copy_direction import WrongCopyDirection

from tests.rules.marked import findings

HEAD = '''
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

twice = SourceModule("""
__global__ void twice(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2.0f;
}
""").get_function("twice")
'''

IN_A_FUNCTION = """
def run(x):
    there = drv.mem_alloc(x.nbytes)
    drv.memcpy_htod(there, x)
    CHANGED
    twice(there, np.int32(x.size), block=(256, 1, 1), grid=((x.size + 255) // 256, 1))
    BACK
    there.free()
    return RESULT
"""
WRONG = "drv.memcpy_htod(there, x)"


@pytest.mark.parametrize(
    ("changed", "back", "result", "told"),
    [
        ("", WRONG, "x", True),
        ("", "drv.memcpy_dtoh(x, there)", "x", False),
        ("", WRONG, "None", False),  # to begin anew
        ("x += 1", WRONG, "x", False),
        ("x[0] = 1", WRONG, "x", False),
        ("", "y = np.empty_like(x); drv.memcpy_dtoh(y, there); " + WRONG, "x, y", False),
        ("fetch(there)", WRONG, "x", False),
        ("alias = there", WRONG, "x", False),
    ],
)
def test_what_a_function_fetches(changed: str, back: str, result: str, told: bool) -> None:
    code = IN_A_FUNCTION.replace("CHANGED", changed or "pass").replace("BACK", back).replace("RESULT", result)
    found = findings(WrongCopyDirection, HEAD + code, "python")
    assert any("have left in" in one.message for one in found) is told


IN_A_CLASS = """
class Field:
    def __init__(self, x):
        self.here = np.array(x, dtype=np.float32)
        self.there = drv.mem_alloc(self.here.nbytes)
        drv.memcpy_htod(self.there, self.here)

    def step(self):
        n = self.here.size
        twice(self.there, np.int32(n), block=(256, 1, 1), grid=((n + 255) // 256, 1))

    def result(self):
        BACK
        return self.here

    OTHER
"""


@pytest.mark.parametrize(
    ("back", "other", "told"),
    [
        ("drv.memcpy_htod(self.there, self.here)", "", True),
        ("drv.memcpy_dtoh(self.here, self.there)", "", False),
        ("drv.memcpy_htod(self.there, self.here)", "def set(self, x):\n        self.here[:] = x", False),
        ("drv.memcpy_htod(self.there, self.here)", "def buffer(self):\n        return self.there", False),
    ],
)
def test_what_a_class_fetches(back: str, other: str, told: bool) -> None:
    code = HEAD + IN_A_CLASS.replace("BACK", back).replace("OTHER", other)
    assert any("have left in" in one.message for one in findings(WrongCopyDirection, code, "python")) is told
