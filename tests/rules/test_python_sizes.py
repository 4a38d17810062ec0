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


RESULTS = """
import numpy as np
import pyopencl as cl

TEXT = "__kernel void k(__global float *x) { x[get_global_id(0)] = 0.0f; }"

def run(queue, given):
    host = np.ascontiguousarray(given, dtype=np.float32)
    LIKE
    where = cl.Buffer(queue.context, cl.mem_flags.WRITE_ONLY, SIZE)
    cl.enqueue_copy(queue, result, where)
    return result
"""


@pytest.mark.parametrize(
    ("like", "size", "told"),
    [
        ("result = np.empty_like(host)", "host.size", True),
        ("result = np.zeros_like(host)", "result.size", True),
        ("result = np.empty_like(host); result = given", "host.size", False),
        ("result = np.empty_like(host)", "host.nbytes", False),
        ("result = np.empty_like(host)", "host.size * 4", False),
        ("result = np.empty_like(host, dtype=np.uint8)", "host.size", False),
        ("result = np.empty_like(given)", "host.size", False),
        ("result = np.empty_like(host[::4])", "host.size", False),
    ],
)
def test_buffers_for_results_like_what_is_given(like: str, size: str, told: bool) -> None:
    found = findings(ByteCountMismatch, RESULTS.replace("LIKE", like).replace("SIZE", size), "python")
    assert any("as many bytes as" in one.message for one in found) is told
