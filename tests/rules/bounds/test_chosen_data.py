"""Places that data choose, tested on both sides, in memory whose allocation is in sight."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import findings

SPOTS = """
#include <cuda_runtime.h>
__global__ void mark(const int2 *spots, int count, unsigned *image, int width, int height) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int x = spots[i].x, y = spots[i].y;
    TEST image[y * width + x] = 1;
}
void run(const int2 *spots, int count, int width, int height) {
    unsigned *image;
    if (cudaMalloc(&image, sizeof(unsigned) * SIZE) != cudaSuccess) return;
    mark<<<(count + 127) / 128, 128>>>(spots, count, image, width, height);
    cudaFree(image);
}
"""

INSIDE = "if (x >= 0 && y >= 0 && x < width && y < height)"
SQUARE = "if (x >= 0 && y >= 0 && x < width && y < width)"


@pytest.mark.parametrize(
    "test, size, bad",
    [
        (INSIDE, "width * height", False),
        (SQUARE, "width * height", True),
        (SQUARE, "width * width", False),
        (SQUARE, "count", False),  # how much goes with what, callers know
        ("", "width * height", False),  # nobody doubts the data
        ("if (x < width && y < width)", "width * height", False),
        ("if (x >= 0 && y >= 0 && x <= width && y < height)", "width * height", True),
    ],
)
def test_spots_of_an_image(test: str, size: str, bad: bool) -> None:
    found = findings(WrongBoundsGuard, SPOTS.replace("TEST", test).replace("SIZE", size))
    assert [one.severity.name for one in found] == (["WARNING"] if bad else [])


CLASSES = """
#include <hip/hip_runtime.h>
__global__ void count(const unsigned *label, int n, unsigned *seen, unsigned classes) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned k = label[i];
        if (k TEST classes) atomicAdd(&seen[k], 1u);
    }
}
void run(const unsigned *label, int n, unsigned classes) {
    unsigned *seen;
    if (hipMalloc(&seen, classes * sizeof(unsigned)) != hipSuccess) return;
    hipLaunchKernelGGL(count, dim3(64), dim3(256), 0, 0, label, n, seen, classes);
    hipFree(seen);
}
"""


@pytest.mark.parametrize("test, bad", [("<", False), ("<=", True)])
def test_labels_up_to_the_number_of_classes(test: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, CLASSES.replace("TEST", test))) is bad
