"""Sequences with an allocator of the program's own: where their elements lie, nothing here says."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.byte_count_mismatch import ByteCountMismatch
from kernlint_rules.launch.wrong_copy_direction import WrongCopyDirection

from kernlint.analysis.trace.containers import allocated
from tests.rules.marked import findings

COPIED = """
#include <vector>
#include <cuda_runtime.h>
template <class T> struct Pinned {
    using value_type = T;
    T *allocate(size_t n) { void *p; cudaMallocHost(&p, n * sizeof(T)); return static_cast<T *>(p); }
    void deallocate(T *p, size_t) { cudaFreeHost(p); }
};
template <class T> struct Device {
    using value_type = T;
    T *allocate(size_t n) { void *p; cudaMalloc(&p, n * sizeof(T)); return static_cast<T *>(p); }
    void deallocate(T *p, size_t) { cudaFree(p); }
};
__global__ void twice(double *x) { x[threadIdx.x] *= 2; }
void run() {
    std::vector<double, Pinned<double>> from = {2, 3, 4, 5};
    std::vector<TARGET> to(4);
    cudaMemcpy(to.data(), from.data(), SIZE * 4, cudaMemcpyHostToDevice);
    twice<<<1, 4>>>(to.data());
}
"""


@pytest.mark.parametrize(("target", "wrong"), [("double, Device<double>", False), ("double", True)])
def test_memory_of_an_allocator_may_be_the_devices(target: str, wrong: bool) -> None:
    code = COPIED.replace("TARGET", target).replace("SIZE", "sizeof(double)")
    assert bool(findings(WrongCopyDirection, code)) is wrong


@pytest.mark.parametrize(("size", "wrong"), [("sizeof(decltype(from)::value_type)", False), ("sizeof(from)", True)])
def test_the_size_of_an_element_is_none_of_the_sequence(size: str, wrong: bool) -> None:
    code = COPIED.replace("TARGET", "double, Device<double>").replace("SIZE", size)
    assert bool(findings(ByteCountMismatch, code)) is wrong


def test_which_types_have_an_allocator_of_their_own() -> None:
    assert allocated("std::vector<std::pair<int, int>, Device<std::pair<int, int>>>")
    assert not allocated("std::vector<std::pair<int, int>>")
    assert not allocated("std::vector<int, std::allocator<int>>") and not allocated(
        "thrust::device_vector<int, A<int>>"
    )
