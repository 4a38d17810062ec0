"""Sizes at the ends that the host's checks state, and sizes that a check compares: what shows there is a fault."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard

from tests.rules.marked import assert_marked, assert_pair

TERMS = """
#include <cuda_runtime.h>
__global__ void legendre(const float *x, float *p, int points, int order) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= points) return;
    float *row = p + i * (order + 1);
    for (int k = 0; k <= 1; ++k)  // only bad
        row[k] = k == 0 ? 1.0f : x[i];  // only bad  // bad
    for (int k = 0; k <= min(order, 1); ++k)  // only good
        row[k] = k == 0 ? 1.0f : x[i];  // only good
    for (int k = 2; k <= order; ++k)
        row[k] = ((2 * k - 1) * x[i] * row[k - 1] - (k - 1) * row[k - 2]) / k;
}
cudaError_t run(const float *x, float **p, int points, int order) {
    if (points < 1 || order < 0 || order > 12) return cudaErrorInvalidValue;
    cudaError_t error = cudaMalloc(p, sizeof(float) * points * (order + 1));
    if (error != cudaSuccess) return error;
    legendre<<<(points + 255) / 256, 256>>>(x, *p, points, order);
    return cudaGetLastError();
}
"""

NODES = """
#include <cuda_runtime.h>
__global__ void slopes(const float *times, const float *rates, float *out, int curves, int nodes) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= curves) return;
    const float *r = rates + c * nodes;
    out[c] = (r[2] - r[0]) / (times[2] - times[0]);  // bad
}
int run(const float *host_times, const float *host_rates, float *out, int curves, int periods) {
    if (curves <= 0 || periods <= 0) return 1;  // only bad
    if (curves <= 0 || periods <= 1) return 1;  // only good
    const int nodes = periods + 1;
    float *times = nullptr, *rates = nullptr;
    if (cudaMalloc(&times, nodes * sizeof(float)) != cudaSuccess) return 2;
    if (cudaMalloc(&rates, (size_t)nodes * curves * sizeof(float)) != cudaSuccess) { cudaFree(times); return 2; }
    slopes<<<(curves + 63) / 64, 64>>>(times, rates, out, curves, nodes);
    cudaFree(times);
    cudaFree(rates);
    return cudaGetLastError() != cudaSuccess;
}
"""

COMPARED = """
#include <cuda_runtime.h>
struct Column { int columns, levels, wet; };
__global__ void fall(Column c, const float *speed, float *rain) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= c.columns) return;
    for (int k = 0; k < c.levels; ++k)  // only bad
        rain[k * c.columns + i] = speed[k * c.columns + i] * 0.5f;  // only bad  // bad
    for (int k = 0; k < c.wet; ++k)  // only good
        rain[k * c.columns + i] = speed[k * c.columns + i] * 0.5f;  // only good
}
int step(const Column &c, const float *speed) {
    if (c.columns <= 0 || c.wet <= 0 || c.wet > c.levels) return 1;
    float *rain = nullptr;
    if (cudaMalloc(&rain, (size_t)c.wet * c.columns * sizeof(float)) != cudaSuccess) return 2;
    fall<<<(c.columns + 127) / 128, 128>>>(c, speed, rain);
    cudaFree(rain);
    return cudaGetLastError() != cudaSuccess;
}
"""


@pytest.mark.parametrize("code", [TERMS, NODES, COMPARED], ids=["terms", "nodes", "compared"])
def test_what_a_check_admits_is_tried(code: str) -> None:
    assert_pair(WrongBoundsGuard, code)


SILENT = {
    "how the window goes with the width, callers know": """
#include <cuda_runtime.h>
__global__ void blur(const float *in, float *out, unsigned width, unsigned reach) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < reach || x >= width - reach) return;
    float sum = 0;
    for (unsigned k = 0; k <= 2 * reach; ++k) sum += in[x + k - reach];
    out[x] = sum;
}
int run(const float *host, float *out, unsigned width, unsigned reach) {
    if (width < 1) return 1;
    float *in = nullptr;
    if (cudaMalloc(&in, width * sizeof(float)) != cudaSuccess) return 2;
    blur<<<(width + 127) / 128, 128>>>(in, out, width, reach);
    cudaFree(in);
    return cudaGetLastError() != cudaSuccess;
}
""",
    "no check compares the two sizes": COMPARED.replace(" || c.wet > c.levels", "").replace("  // bad", ""),
}


@pytest.mark.parametrize("name", SILENT)
def test_what_only_callers_know_is_no_fault(name: str) -> None:
    code = "\n".join(line for line in SILENT[name].splitlines() if "// only good" not in line)
    assert_marked(WrongBoundsGuard, code.replace("  // only bad", ""))


SHARE = """
__global__ void gather(const float *ref, const int *which, int kept, float *out) {
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < kept; k += gridDim.x * blockDim.x)
        out[k * 3] = ref[which[k] * 3];
}
void run(const float *ref, const int *which, int points, float percent, float *out) {
    const int kept = (int)(points * percent / 100.0f);
    gather<<<(kept + 255) / 256, 256>>>(ref, which, kept, out);
}
"""


def test_a_count_that_is_a_quotient_in_floating_point() -> None:
    assert_marked(WrongBoundsGuard, SHARE)
