"""Kernels that work on tensors which the function itself has made: these are on the current device."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.missing_device_guard import MissingDeviceGuard

from tests.rules.marked import findings

RAMP = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
__global__ void fill(float *x, long n) {
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) x[i] = i;
}
at::Tensor ramp(PARAMS) {
    at::Tensor out = at::empty({n}, at::TensorOptions().dtype(at::kFloat).device(PLACE));
    fill<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(out.data_ptr<float>(), n);
    return out;
}
"""


@pytest.mark.parametrize(
    ("params", "place", "bad"),
    [
        ("int64_t n", "at::kCUDA", False),
        ("int64_t n, float from", "at::kCUDA", False),
        ("int64_t n, at::Tensor like", "like.device()", True),
        ("int64_t n, int which", "at::Device(at::kCUDA, which)", True),
    ],
)
def test_tensors_of_the_function(params: str, place: str, bad: bool) -> None:
    assert bool(findings(MissingDeviceGuard, RAMP.replace("PARAMS", params).replace("PLACE", place))) is bad
