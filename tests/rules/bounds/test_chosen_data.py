"""Places that data choose, tested on both sides, in memory whose allocation is in sight."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.array_index_out_of_range import ArrayIndexOutOfRange
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


SHIFTED = """
#include <cuda_runtime.h>
__global__ void beam(const float *traces, const int *delay, float *out, int samples, int stations) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= samples) return;
    float sum = 0;
    for (int s = 0; s < stations; ++s) {
        int at = t + delay[s];
        if (at >= 0 && at TEST samples) sum += traces[s * samples + at];
    }
    out[t] = sum;
}
void run(const int *delay, float *out, int samples, int stations) {
    float *traces;
    if (cudaMalloc(&traces, sizeof(float) * samples * stations) != cudaSuccess) return;
    beam<<<(samples + 255) / 256, 256>>>(traces, delay, out, samples, stations);
    cudaFree(traces);
}
"""

CELLS = """
#include <hip/hip_runtime.h>
__global__ void deposit(const float *x, int n, float low, float width, int cells, unsigned *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int c = (int)floorf((x[i] - low) / width);
    if (c < 0 || c TEST cells) return;
    atomicAdd(&count[c], 1u);
}
void run(const float *x, int n, float low, float width, int cells) {
    unsigned *count;
    if (hipMalloc(&count, (cells + SPARE) * sizeof(unsigned)) != hipSuccess) return;
    hipLaunchKernelGGL(deposit, dim3((n + 255) / 256), dim3(256), 0, 0, x, n, low, width, cells, count);
    hipFree(count);
}
"""


@pytest.mark.parametrize("test, bad", [("<", False), ("<=", True)])
def test_places_that_data_shift(test: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, SHIFTED.replace("TEST", test))) is bad


@pytest.mark.parametrize("test, spare, bad", [(">=", 0, False), (">", 0, True), (">", 1, False)])
def test_cells_that_positions_are_in(test: str, spare: int, bad: bool) -> None:
    code = CELLS.replace("TEST", test).replace("SPARE", str(spare))
    assert bool(findings(WrongBoundsGuard, code)) is bad


SPECTRA = """
#include <cuda_runtime.h>
#define PANELS 12
#define STEPS 512
struct Hit { float x, y, energy; int panel; };
__global__ void tally(const Hit *hits, int count, float low, float width, unsigned *spectra) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int panel = hits[i].panel;
    if (panel < 0 || panel >= PANELS) return;
    int step = (int)floorf((hits[i].energy - low) / width);
    if (step < 0 || TEST) return;
    atomicAdd(&spectra[panel * STEPS + step], 1u);
}
void run(const Hit *hits, int count, float low, float width) {
    unsigned *spectra;
    if (cudaMalloc(&spectra, ROWS * STEPS * sizeof(unsigned)) != cudaSuccess) return;
    tally<<<(count + 255) / 256, 256>>>(hits, count, low, width, spectra);
    cudaFree(spectra);
}
"""

TALLY = """
#define PANELS 12
#define STEPS 64
__global__ void tally(const int *panels, const int *steps, int count, unsigned *spectra) {
    __shared__ unsigned own[PANELS * STEPS];
    for (int k = threadIdx.x; k < PANELS * STEPS; k += blockDim.x) own[k] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        int panel = panels[i], step = steps[i];
        if (panel >= 0 && panel < PANELS && step >= 0 && TEST) atomicAdd(&own[panel * STEPS + step], 1u);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < PANELS * STEPS; k += blockDim.x) atomicAdd(&spectra[k], own[k]);
}
"""


@pytest.mark.parametrize(
    "test, rows, bad",
    [
        ("step > STEPS", "PANELS", True),
        ("step >= STEPS", "PANELS", False),
        ("step > STEPS", "(PANELS + 1)", False),
        ("step >= 1 << 16", "PANELS", False),  # a mark, and no limit of places
    ],
)
def test_tables_of_a_constant_size(test: str, rows: str, bad: bool) -> None:
    assert bool(findings(WrongBoundsGuard, SPECTRA.replace("TEST", test).replace("ROWS", rows))) is bad


@pytest.mark.parametrize("test, bad", [("step <= STEPS", True), ("step < STEPS", False), ("step <= 9999", False)])
def test_tables_of_the_block(test: str, bad: bool) -> None:
    assert bool(findings(ArrayIndexOutOfRange, TALLY.replace("TEST", test))) is bad
