"""Addresses of a launch's arguments in a sequence of the standard library."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.kernel_argument_mismatch import KernelArgumentMismatch

from tests.rules.marked import findings

LAUNCH = """
#include <cuda.h>
#include <array>
#include <vector>
extern "C" __global__ void scale(float *x, float by, size_t n) {
    const size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}
void more(std::vector<void *> &args);
void run(CUmodule m, CUdeviceptr x, float by, size_t n, int few) {
    CUfunction f;
    cuModuleGetFunction(&f, m, "scale");
    ARGS
    cuLaunchKernel(f, (n + 63) / 64, 1, 1, 64, 1, 1, 0, 0, args.data(), 0);
}
"""


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ("std::vector<void *> args = {&x, &by, &n};", ""),
        ("std::vector<void *> args = {&x, &by, &few};", "the variable passed for n has 4 bytes"),
        ("std::vector<void *> args{&x, &by};", "2 arguments are passed"),
        ("std::array<void *, 2> args{&x, &by};", "2 arguments are passed"),
        ("std::vector<void *> args; args.push_back(&x); args.push_back(&by);", "2 arguments are passed"),
        ("std::vector<void *> args{&x, &by}; args.push_back(&n);", ""),
        ("std::vector<void *> args{&x, &by}; args.emplace_back(&few);", "the variable passed for n has 4 bytes"),
        ("std::vector<void *> args{&x, &by}; more(args);", ""),
        ("std::vector<void *> args{&x, &by}; if (few) args.push_back(&n);", ""),
        ("std::vector<void *> args(3); args[0] = &x; args[1] = &by; args[2] = &n;", ""),
        ("std::vector<void *> args{&x, &by, &few}; args[2] = &n;", ""),
    ],
)
def test_arguments_in_a_sequence(args: str, told: str) -> None:
    found = [one.message for one in findings(KernelArgumentMismatch, LAUNCH.replace("ARGS", args))]
    assert [told in message for message in found] == ([True] if told else [])
