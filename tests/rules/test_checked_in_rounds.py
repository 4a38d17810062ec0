"""Limits that the host checks for one element after the other, in a loop of a constant number of rounds."""

from __future__ import annotations

import pytest

from kernlint import registry
from tests.rules.marked import assert_marked

VOLUME = """
#include <cuda_runtime.h>
__global__ void shift(float *cells, int nx, int ny, int nz, float by)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    if (x < nx && y < ny && z < nz) cells[(z * ny + y) * nx + x] += by;  // bad
}
cudaError_t run(float *cells, const int *sides, float by)
{
    %s
    shift<<<dim3((sides[0] + 127) / 128, sides[1], sides[2]), 128>>>(cells, sides[0], sides[1], sides[2], by);
    return cudaGetLastError();
}
"""
IN_TURN = "for (int a = 0; a < 3; ++a) if (sides[a] < 1 || sides[a] > %s) return cudaErrorInvalidValue;"
TWO_OF_THEM = IN_TURN.replace("a < 3", "a < 2") + "\n    if (sides[2] > 64) return cudaErrorInvalidValue;"


@pytest.mark.parametrize("checks", [IN_TURN, TWO_OF_THEM.replace("64", "3000")])
def test_as_large_as_each_round_lets_them_be(checks: str) -> None:
    assert_marked(registry.load().get("KL401"), VOLUME % (checks % 3000))


@pytest.mark.parametrize(
    "checks",
    [
        IN_TURN % 1024,
        TWO_OF_THEM % 3000,
        "for (int a = 0; a < 3; ++a) if (sides[a] > 3000) break;",
        "for (int a = 0; a < 1; ++a) if (sides[a] > 3000) return cudaErrorInvalidValue;",
    ],
    ids=["few enough", "one of few", "goes on all the same", "of one alone"],
)
def test_few_enough_or_nothing_known(checks: str) -> None:
    assert_marked(registry.load().get("KL401"), (VOLUME % checks).replace("  // bad", ""))
