"""Handles of arrays and addresses of symbols, passed where a call takes something else."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernlint_rules.launch.wrong_copy_direction import WrongCopyDirection

from tests.project.test_own_headers import check, codes
from tests.rules.marked import findings

SYMBOLS = """
struct Limits { int low, high; };
__constant__ float weights[64];
__device__ Limits limits;
__device__ float *rows;
__device__ int done;
template <class T> void upload(const T &symbol, const void *from) { cudaMemcpyToSymbol(symbol, from, sizeof(T)); }
void run(const float *from, const Limits *given, int *to, float *dev, int at) {
    CALL;
}
"""


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("cudaMemcpyToSymbol(&limits, given, sizeof(Limits))", True),
        ("cudaMemcpyToSymbol((const char *)&limits, given, sizeof(Limits), 0, cudaMemcpyHostToDevice)", True),
        ("cudaMemcpyToSymbol(&weights, from, sizeof(weights))", True),
        ("cudaMemcpyToSymbol(&weights[at], from, 4 * sizeof(float))", True),
        ("cudaMemcpyToSymbolAsync(&limits, given, sizeof(Limits), 0, cudaMemcpyHostToDevice, 0)", True),
        ("cudaMemcpyFromSymbol(to, &done, sizeof(int))", True),
        ("cudaMemcpyToSymbol(limits, given, sizeof(Limits))", False),
        ("cudaMemcpyToSymbol(weights, from, 4 * sizeof(float), at * sizeof(float))", False),
        ("cudaMemcpyToSymbol((const void *)&limits, given, sizeof(Limits))", False),
        ("cudaMemcpyToSymbol(rows, &dev, sizeof(dev))", False),
        ("cudaMemcpyFromSymbol(to, done, sizeof(int))", False),
        ("upload(limits, given)", False),
        ("void *where; cudaGetSymbolAddress(&where, weights)", False),
    ],
)
def test_addresses_of_symbols(call: str, told: bool) -> None:
    found = findings(WrongCopyDirection, SYMBOLS.replace("CALL", call))
    assert any("address of a symbol" in one.message for one in found) is told, found


UPLOAD = """
#include <cuda_runtime.h>
struct Limits { int low, high; };
extern __constant__ Limits limits;
MORE
void run(const Limits *given) { cudaMemcpyToSymbol(&limits, given, sizeof(Limits)); LAST }
"""
TWICE = "__global__ void twice(float *x) { x[threadIdx.x] *= 2.0f; }"


@pytest.mark.parametrize(
    ("name", "more", "last", "told"),
    [
        ("upload.cpp", "", "", False),
        ("upload.cc", "float half(float x) { return x / 2; }", "cudaDeviceSynchronize();", False),
        ("upload.cu", "", "", True),
        ("upload.cuh", "", "", True),
        ("upload.cpp", TWICE, "", True),
        ("upload.cpp", "__device__ float half(float x) { return x / 2; }", "", True),
        ("upload.cpp", '#include "twice.cuh"', "twice<<<1, 32>>>(nullptr);", True),
    ],
)
def test_which_compiler_sees_a_symbol(tmp_path: Path, name: str, more: str, last: str, told: bool) -> None:
    (tmp_path / "twice.cuh").write_text(TWICE)
    (tmp_path / name).write_text(UPLOAD.replace("MORE", more).replace("LAST", last))
    found = codes(check(tmp_path, name))
    assert ("KL606" in found) is told, found


@pytest.mark.parametrize("given", ["&limit", "HIP_SYMBOL(limit)", "limit"])
def test_hip_takes_addresses_of_symbols(given: str) -> None:
    code = f"""
    #include <hip/hip_runtime.h>
    __constant__ int limit;
    void run(const int *from) {{ hipMemcpyToSymbol({given}, from, sizeof(int)); }}
    """
    assert not findings(WrongCopyDirection, code, "hip")


ARRAYS = """
struct Plane { cudaArray *pixels; cudaArray_t second; float *linear; size_t pitch; };
void run(Plane &plane, const float *from, float *to, int width, int height) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    const size_t row = width * sizeof(float);
    cudaArray_t own;
    cudaMallocArray(&own, &format, width, height);
    CALL;
    cudaFreeArray(own);
}
"""


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("cudaMemcpy(own, from, row * height, cudaMemcpyHostToDevice)", True),
        ("cudaMemcpyAsync(to, plane.pixels, row * height, cudaMemcpyDeviceToHost, 0)", True),
        ("cudaMemcpy2D(plane.second, row, from, row, row, height, cudaMemcpyHostToDevice)", True),
        ("cudaMemset(own, 0, row * height)", True),
        ("cudaMemcpy2DToArray(own, 0, 0, from, row, row, height, cudaMemcpyHostToDevice)", False),
        ("cudaMemcpyToArray(own, 0, 0, from, row * height, cudaMemcpyHostToDevice)", False),
        ("cudaMemcpy2DFromArray(to, row, plane.pixels, 0, 0, row, height, cudaMemcpyDeviceToHost)", False),
        ("cudaMemcpy(plane.linear, from, row * height, cudaMemcpyHostToDevice)", False),
        ("cudaArray_t *all; cudaMalloc(&all, 8); cudaMemcpy(all, &own, sizeof(own), cudaMemcpyHostToDevice)", False),
    ],
)
def test_arrays_where_linear_memory_is_wanted(call: str, told: bool) -> None:
    found = findings(WrongCopyDirection, ARRAYS.replace("CALL", call))
    assert any("linear memory" in one.message for one in found) is told, found


def test_arrays_of_hip() -> None:
    code = """
    #include <hip/hip_runtime.h>
    hipError_t send(hipArray_t to, const float *from, size_t bytes) {
        return hipMemcpy(to, from, bytes, hipMemcpyHostToDevice);
    }
    """
    assert any("linear memory" in one.message for one in findings(WrongCopyDirection, code, "hip"))
