"""Pointers in arrays of members, which get memory of one kind here and of another kind there."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree

from tests.rules.marked import findings

PLANES = """
struct Frame { void *plane[3]; size_t pitch[3]; };
int on_device(Frame *frame, size_t width, size_t rows) {
    CUdeviceptr *first = (CUdeviceptr *)&frame->plane[0];
    return cuMemAllocPitch((CUdeviceptr *)&frame->plane[0], &frame->pitch[0], width, rows, 8);
}
int locked(Frame *frame, size_t bytes) {
    unsigned char *memory = nullptr;
    if (MAKE) return 1;
    SET
    return 0;
}
void drop(Frame *frame) { FREE; }
"""
DRIVER = """
typedef unsigned long long CUdeviceptr;
extern "C" {
int cuMemAllocPitch(CUdeviceptr *, size_t *, size_t, size_t, unsigned);
int cuMemHostAlloc(void **, size_t, unsigned);
int cuMemAllocHost(void **, size_t);
int cuMemAllocManaged(CUdeviceptr *, size_t, unsigned);
int cuMemFreeHost(void *);
int cuMemFree(CUdeviceptr);
}
"""
HOLD = "frame->plane[0] = memory; frame->plane[1] = memory + bytes / 2;"


@pytest.mark.parametrize(
    ("make", "hold", "free", "bad"),
    [
        ("cuMemHostAlloc((void **)&memory, bytes, 1)", HOLD, "cuMemFreeHost(frame->plane[0])", False),
        ("cuMemAllocHost((void **)&memory, bytes)", HOLD, "cuMemFreeHost(frame->plane[0])", False),
        ("bytes == 0", "", "cuMemFreeHost(frame->plane[0])", True),
        ("bytes == 0", "*(unsigned char *)frame->plane[1] = 3;", "cuMemFreeHost(frame->plane[0])", True),
    ],
)
def test_planes_of_two_kinds(make: str, hold: str, free: str, bad: bool) -> None:
    code = DRIVER + PLANES.replace("MAKE", make).replace("SET", hold).replace("FREE", free)
    assert bool(findings(DeviceUseAfterFree, code)) is bad


PAIRS = [
    ("cudaMalloc((void **)&p, n)", "cudaFree(p)", "cudaFreeHost(p)"),
    ("cudaMallocManaged((void **)&p, n)", "cudaFree(p)", "cudaFreeHost(p)"),
    ("cudaHostAlloc((void **)&p, n, 0)", "cudaFreeHost(p)", "cudaFree(p)"),
    ("cudaMallocHost((void **)&p, n)", "cudaFreeHost(p)", "free(p)"),
    ("cuMemHostAlloc((void **)&p, n, 0)", "cuMemFreeHost(p)", "free(p)"),
    ("cuMemAllocHost((void **)&p, n)", "cuMemFreeHost(p)", "free(p)"),
]


@pytest.mark.parametrize(("make", "right", "wrong"), PAIRS)
def test_each_allocator_has_its_counterpart(make: str, right: str, wrong: str) -> None:
    code = DRIVER + "#include <stdlib.h>\nvoid run(size_t n) { float *p = nullptr; " + make + "; END; }"
    assert not findings(DeviceUseAfterFree, code.replace("END", right))
    assert findings(DeviceUseAfterFree, code.replace("END", wrong))
