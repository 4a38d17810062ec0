"""Races through pointers that are variables of the file."""

from __future__ import annotations

import pytest
from kernlint_rules.synchronisation.global_memory_race import GlobalMemoryRace

from tests.rules.marked import assert_marked, findings

CUDA = {
    "neighbours in place": """
__device__ float *field;
__global__ void k(const float *x, float a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    field[i] = a * x[i] + field[i + 1]; // bad
}
""",
    "from one to the other": """
__device__ float *now, *next;
__global__ void k(const float *x, float a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    next[i] = a * x[i] + now[i + 1];
}
""",
    "other stores between": """
__device__ float *field;
__global__ void k(float *x, float a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    field[i] = a;
    x[i] = 1;
    x[i] += field[i + 1]; // bad
}
""",
    "the kernel moves it": """
__device__ float *field;
__global__ void k(float *x, float a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    field = x + 4 * i;
    field[0] = a;
    field[1] = field[2];
}
""",
    "a table of pointers": """
__device__ float *rows[64];
__global__ void k(const float *x, float a) {
    int i = threadIdx.x;
    rows[i][0] = a * x[i];
    rows[i][1] = rows[i][0];
}
""",
}


@pytest.mark.parametrize("name", CUDA)
def test_cuda(name: str) -> None:
    assert_marked(GlobalMemoryRace, CUDA[name])


def test_the_variable_is_named() -> None:
    (found,) = findings(GlobalMemoryRace, CUDA["neighbours in place"].replace(" // bad", ""), block="64,1,1")
    assert "writes field[" in found.message
