"""Bytes that Python programs copy and fill, counted in elements."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.byte_count_mismatch import ByteCountMismatch

from tests.rules.marked import findings

HEAD = """
import numpy as np
import cupy as cp
import pycuda.driver as drv
from cupy.cuda import runtime
TEXT = cp.RawKernel(r'extern "C" __global__ void k(float *x) { x[threadIdx.x] = 0.0f; }', "k")

def run(given, n):
    host = np.ascontiguousarray(given, dtype=np.complex128)
    octets = np.zeros(n, dtype=np.uint8)
    there = cp.zeros(n, dtype=cp.complex128)
    CALL
"""


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("runtime.memcpy(there.data.ptr, host.ctypes.data, host.size, runtime.memcpyHostToDevice)", True),
        ("cp.cuda.runtime.memcpyAsync(there.data.ptr, host.ctypes.data, len(host), 1, 0)", True),
        ("runtime.memset(there.data.ptr, 0, there.size)", True),
        ("there.data.copy_from_host(host.ctypes.data, host.size)", True),
        ("there.data.memset(0, there.size)", True),
        ("runtime.memcpy(there.data.ptr, host.ctypes.data, host.nbytes, runtime.memcpyHostToDevice)", False),
        ("runtime.memcpy(there.data.ptr, host.ctypes.data, host.size * 16, runtime.memcpyHostToDevice)", False),
        ("runtime.memcpy(there.data.ptr, octets.ctypes.data, octets.size, runtime.memcpyHostToDevice)", False),
        ("runtime.memcpy(there.data.ptr, given.ctypes.data, given.size, runtime.memcpyHostToDevice)", False),
        ("there.data.copy_from_host(host.ctypes.data, host.nbytes)", False),
    ],
)
def test_elements_passed_as_bytes(call: str, told: bool) -> None:
    found = findings(ByteCountMismatch, HEAD.replace("CALL", call), "python")
    assert any("as the number of bytes" in one.message for one in found) is told
