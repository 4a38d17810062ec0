"""Copies of boxes and rows that are described by arrays of sizes or by structures: widths in bytes, heights in rows."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.byte_count_mismatch import ByteCountMismatch

from tests.rules.marked import findings

READ = """
void part(cl_command_queue queue, cl_mem field, float *to, size_t x, size_t y, size_t w, size_t h, size_t columns) {
    const size_t there[3] = {x * sizeof(float), y, 0}, here[3] = {0, 0, 0};
    REGION
    clEnqueueReadBufferRect(queue, field, CL_TRUE, there, here, region, columns * sizeof(float), 0, PITCH, 0, to, 0,
                            NULL, NULL);
}
"""
ROW = "w * sizeof(float)"


@pytest.mark.parametrize(
    ("region", "pitch", "told"),
    [
        ("const size_t region[3] = {w, h, 1};", ROW, True),
        ("size_t region[] = {w, h, 1};", ROW, True),
        ("size_t region[3]; region[0] = w; region[1] = h; region[2] = 1;", ROW, True),
        ("const size_t region[3] = {w * sizeof(float), h, 1};", "w", True),  # the pitch is too small
        ("const size_t region[3] = {w * sizeof(float), h, 1};", ROW, False),
        ("size_t region[3]; region[0] = w * 4; region[1] = h; region[2] = 1;", "w * 4", False),
        ("const size_t region[3] = {w * sizeof(float), h, 1};", "0", False),
        ("const size_t region[3] = {sizeof(float), h, 1};", "4 * sizeof(float)", False),  # one column of four
        ("size_t region[3]; sizes_of(region, w, h);", ROW, False),
    ],
)
def test_the_width_of_a_box_is_in_bytes(region: str, pitch: str, told: bool) -> None:
    assert bool(findings(ByteCountMismatch, READ.replace("REGION", region).replace("PITCH", pitch))) is told


@pytest.mark.parametrize(("width", "told"), [("w", True), ("w * sizeof(double)", False)])
def test_a_box_as_large_as_the_memory_of_the_host(width: str, told: bool) -> None:
    code = """
    #include <vector>
    void send(cl_command_queue queue, cl_mem field, size_t w, size_t h) {
        std::vector<double> values(w * h);
        const size_t origin[3] = {0, 0, 0}, region[3] = {WIDTH, h, 1};
        clEnqueueWriteBufferRect(queue, field, CL_TRUE, origin, origin, region, 0, 0, 0, 0, values.data(), 0, NULL,
                                 NULL);
    }
    """.replace("WIDTH", width)
    assert bool(findings(ByteCountMismatch, code)) is told


DRIVER = """
#include <cuda.h>
void fetch(float *host, CUdeviceptr dev, CUarray all, size_t pitch, size_t w, size_t h) {
    CUDA_MEMCPY2D job = {};
    SOURCE
    job.dstMemoryType = CU_MEMORYTYPE_HOST;
    job.dstHost = host;
    job.dstPitch = TO;
    job.WidthInBytes = WIDTH;
    job.Height = h;
    CALL;
}
"""
DEVICE = "job.srcMemoryType = CU_MEMORYTYPE_DEVICE; job.srcDevice = dev; job.srcPitch = pitch;"
ARRAY = "job.srcMemoryType = CU_MEMORYTYPE_ARRAY; job.srcArray = all;"


@pytest.mark.parametrize("source", [DEVICE, ARRAY])
@pytest.mark.parametrize("call", ["cuMemcpy2D(&job)", "cuMemcpy2DUnaligned(&job)", "cuMemcpy2DAsync(&job, 0)"])
@pytest.mark.parametrize(
    ("to", "width", "told"),
    [
        (ROW, "w", True),
        ("w", ROW, True),
        (ROW, ROW, False),
        (ROW, "job.dstPitch", False),
        (ROW, "w / 2 * sizeof(float)", False),
    ],
)
def test_rows_that_the_driver_gets_described(source: str, call: str, to: str, width: str, told: bool) -> None:
    code = DRIVER.replace("SOURCE", source).replace("TO", to).replace("WIDTH", width).replace("CALL", call)
    assert bool(findings(ByteCountMismatch, code)) is told
