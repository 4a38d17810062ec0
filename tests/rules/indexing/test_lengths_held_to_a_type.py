"""Lengths of parts that the host keeps within a type of 32 bits, and what a kernel multiplies them by."""

from __future__ import annotations

import pytest

from kernlint import registry
from tests.rules.marked import assert_marked

PARTS = """
#include <cuda_runtime.h>
#include <climits>
#include <cstdint>
__global__ void note(float *notes, uint32_t room, const float *in, int n)
{
    float *own = notes + %s * room;
    for (uint32_t i = threadIdx.x; i < room; i += blockDim.x)
        own[i] = in[i %% n];  // bad
}
cudaError_t run(const float *in, int n, int depth, int blocks)
{
    if (n < 1 || depth < 1 || blocks < 1 || depth > 5000) return cudaErrorInvalidValue;
    const size_t room = ((size_t)depth * 3 + 2) * ((size_t)depth / 8 + 1);
    if (room > %s) return cudaErrorInvalidValue;
    float *notes = nullptr;
    cudaError_t err = cudaMalloc(&notes, %s * sizeof(float));
    if (err != cudaSuccess) return err;
    note<<<blocks, 128>>>(notes, static_cast<uint32_t>(room), in, n);
    cudaFree(notes);
    return cudaGetLastError();
}
"""
ALL = "(room * static_cast<size_t>(blocks))"


@pytest.mark.parametrize("most", ["UINT32_MAX", "UINT_MAX", "0xffffffffu", "INT_MAX"])
def test_as_many_parts_as_blocks_are_longer(most: str) -> None:
    assert_marked(registry.load().get("KL401"), PARTS % ("blockIdx.x", most, ALL))


@pytest.mark.parametrize(
    "parts",
    [
        ("static_cast<size_t>(blockIdx.x)", "UINT32_MAX", ALL),
        ("blockIdx.x", "(1u << 20)", ALL),
        ("blockIdx.x", "UINT32_MAX / static_cast<size_t>(blocks)", ALL),
    ],
    ids=["widened", "held to less", "held to a share"],
)
def test_what_fits(parts: tuple[str, str, str]) -> None:
    assert_marked(registry.load().get("KL401"), (PARTS % parts).replace("  // bad", ""))
