"""Functions of OpenCL that a program looks up while it runs, and calls through pointers of its own names.

Loaders name the pointer after the function with something before it (``my_clFinish``), or hide that behind a macro with
the function's own name.  That a pointer takes as many arguments as the function is what speaks for it.  Source of the
numbers: OpenCL 3.0 API specification, and 1.2 for what it has replaced.
"""

from __future__ import annotations

from functools import lru_cache

from kernlint.text.patterns import pattern

_TAKES = {
    "clBuildProgram": 6, "clCreateBuffer": 5, "clCreateCommandQueue": 4, "clCreateCommandQueueWithProperties": 4,
    "clCreateImage": 6, "clCreateImage2D": 8, "clCreateImage3D": 10, "clCreateKernel": 3, "clCreateKernelsInProgram": 4,
    "clCreateProgramWithBinary": 7, "clCreateProgramWithSource": 5, "clCreateSubBuffer": 5, "clEnqueueBarrier": 1,
    "clEnqueueBarrierWithWaitList": 4, "clEnqueueCopyBuffer": 9, "clEnqueueCopyBufferRect": 14,
    "clEnqueueCopyBufferToImage": 9, "clEnqueueCopyImage": 9, "clEnqueueCopyImageToBuffer": 9, "clEnqueueFillBuffer": 9,
    "clEnqueueMapBuffer": 10, "clEnqueueMapImage": 12, "clEnqueueMarkerWithWaitList": 4, "clEnqueueNDRangeKernel": 9,
    "clEnqueueReadBuffer": 9, "clEnqueueReadBufferRect": 14, "clEnqueueReadImage": 11, "clEnqueueTask": 5,
    "clEnqueueUnmapMemObject": 6, "clEnqueueWriteBuffer": 9, "clEnqueueWriteBufferRect": 14, "clEnqueueWriteImage": 11,
    "clFinish": 1, "clFlush": 1, "clGetDeviceInfo": 5, "clGetEventInfo": 5, "clGetEventProfilingInfo": 5,
    "clGetKernelWorkGroupInfo": 6, "clReleaseCommandQueue": 1, "clReleaseContext": 1, "clReleaseEvent": 1,
    "clReleaseKernel": 1, "clReleaseMemObject": 1, "clReleaseProgram": 1, "clRetainMemObject": 1,
    "clSetEventCallback": 4, "clSetKernelArg": 4, "clSetKernelArgSVMPointer": 3, "clSVMAlloc": 4, "clSVMFree": 2,
    "clWaitForEvents": 2,
}  # fmt: skip
"""How many arguments each function takes."""

_OWN = pattern(r"(?:.*[^A-Za-z0-9])?(cl[A-Z]\w*)")


@lru_cache(maxsize=1024)
def loaded(name: str, count: int) -> str:
    """The function of OpenCL that a pointer called ``name``, which takes ``count`` arguments, leads to; empty for any
    other."""
    match = _OWN.fullmatch(name)
    return match[1] if match is not None and _TAKES.get(match[1]) == count else ""
