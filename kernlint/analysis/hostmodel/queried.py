"""Queries of OpenCL's objects with room for less than their answers.

Each query has the type of its answer; where ``param_value_size`` is below the size of that type and ``param_value`` is
not NULL the call fails with ``CL_INVALID_VALUE`` (OpenCL 3.0 API, tables of 4.2, 5.9.4, 5.11 and 5.14).
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.operations import HostWalk
from kernlint.analysis.trace.values import NULL, PointerValue, as_term
from kernlint.source import Span

_SIZE = 8
"""Bytes of ``size_t`` and ``cl_ulong`` of a 64-bit host."""

_WIDE: dict[str, tuple[int, dict[int, str]]] = {
    "clGetKernelWorkGroupInfo": (
        2,
        {
            0x11B0: "CL_KERNEL_WORK_GROUP_SIZE",
            0x11B2: "CL_KERNEL_LOCAL_MEM_SIZE",
            0x11B3: "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE",
            0x11B4: "CL_KERNEL_PRIVATE_MEM_SIZE",
        },
    ),
    "clGetDeviceInfo": (
        1,
        {
            0x1000: "CL_DEVICE_TYPE",
            0x1004: "CL_DEVICE_MAX_WORK_GROUP_SIZE",
            0x1010: "CL_DEVICE_MAX_MEM_ALLOC_SIZE",
            0x1011: "CL_DEVICE_IMAGE2D_MAX_WIDTH",
            0x1012: "CL_DEVICE_IMAGE2D_MAX_HEIGHT",
            0x1017: "CL_DEVICE_MAX_PARAMETER_SIZE",
            0x101E: "CL_DEVICE_GLOBAL_MEM_CACHE_SIZE",
            0x101F: "CL_DEVICE_GLOBAL_MEM_SIZE",
            0x1020: "CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE",
            0x1023: "CL_DEVICE_LOCAL_MEM_SIZE",
            0x1025: "CL_DEVICE_PROFILING_TIMER_RESOLUTION",
        },
    ),
    "clGetEventProfilingInfo": (
        1,
        {
            0x1280: "CL_PROFILING_COMMAND_QUEUED",
            0x1281: "CL_PROFILING_COMMAND_SUBMIT",
            0x1282: "CL_PROFILING_COMMAND_START",
            0x1283: "CL_PROFILING_COMMAND_END",
        },
    ),
    "clGetMemObjectInfo": (1, {0x1102: "CL_MEM_SIZE"}),
}
"""Functions, with the place of the query among their arguments (the size follows, and the answer) and the queries whose
answers have 64 bits."""


def queried(walk: HostWalk) -> Iterator[tuple[Span, str, str, tuple[Span, ...]]]:
    """Place, message, how to mend it, and the calls that lead there."""
    for api in walk.trace.apis:
        at, wide = _WIDE.get(api.name, (0, {}))
        if not wide or len(api.args) < at + 3:
            continue
        name, size = wide.get(as_term(api.args[at]).value or 0), as_term(api.args[at + 1]).value
        answer = api.args[at + 2]
        nothing = isinstance(answer, PointerValue) and answer.root.name == NULL
        if name is not None and size is not None and 0 < size < _SIZE and not nothing:
            message = f"{name} is answered in {_SIZE} bytes, and there is room for {size}: the call fails"
            yield api.span, message, "give it a variable of the query's type", api.stack
