"""OpenCL's collective copies that reach beyond an array or a stated extent."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

from kernlint.finding import Severity
from tests.rules.marked import assert_marked, findings

KERNEL = """
__kernel void k(__global const float *in, __global float *out, const int n) {
    __local float tile[64];
    event_t e = COPY; MARK
    wait_group_events(1, &e);
    out[get_global_id(0)] = tile[get_local_id(0)];
}
"""

COPIES = {
    "async_work_group_copy(tile, in, 64, 0)": False,
    "async_work_group_copy(tile, in, 65, 0)": True,
    "async_work_group_copy(tile + 1, in, 64, 0)": True,
    "async_work_group_copy(tile + 1, in, 63, 0)": False,
    "async_work_group_copy(tile, in, get_local_size(0), 0)": False,
    "async_work_group_copy(tile + 1, in, get_local_size(0), 0)": True,
    "async_work_group_copy((__local float4 *)tile, (__global const float4 *)in, 16, 0)": False,
    "async_work_group_copy((__local float4 *)tile, (__global const float4 *)in, 17, 0)": True,
    "async_work_group_copy(tile, in, n, 0)": False,
}


@pytest.mark.parametrize("copy", COPIES)
def test_arrays(copy: str) -> None:
    code = KERNEL.replace("COPY", copy).replace("MARK", "// bad" if COPIES[copy] else "")
    assert_marked(ArrayIndexOutOfRange, code, "opencl", block="64,1,1", grid="2,1,1")


def test_a_replayed_copy_is_an_error() -> None:
    code = KERNEL.replace("COPY", "async_work_group_copy(tile, in, 65, 0)").replace("MARK", "")
    (found,) = findings(ArrayIndexOutOfRange, code, "opencl", block="64,1,1", grid="2,1,1")
    assert found.severity is Severity.ERROR
    assert "element 64 of 64" in found.message


@pytest.mark.parametrize(("extent", "beyond"), [("64", True), ("65", False)])
def test_a_stated_extent(extent: str, beyond: bool) -> None:
    code = f"""
// kernlint: extent(out, {extent})
__kernel void k(__global float *out) {{
    __local float tile[64];
    tile[get_local_id(0)] = 1.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out + 1, tile, get_local_size(0), 0);
    wait_group_events(1, &e);
}}
"""
    assert bool(findings(MissingBoundsGuard, code, "opencl", block="64,1,1", grid="1,1,1")) is beyond
