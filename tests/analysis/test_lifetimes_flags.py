"""Ways on which conditions contradict each other: flags that nobody in sight sets, and parts of a condition."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak

from tests.rules.marked import findings

FLAG = """
#include <cuda_runtime.h>
DECLARED
void set(int &flag);
void other(void);
__global__ void fill(float *x) { x[threadIdx.x] = 1; }
void norm(float *out, int n) {
    float *d;
    if (on_device) cudaMalloc(&d, n * 4);
    if (on_device) fill<<<1, 32>>>(d);
    BETWEEN
    if (on_device) cudaFree(d);
}
"""


@pytest.mark.parametrize(
    ("declared", "between", "told"),
    [
        ("extern int on_device;", "other();", False),
        ("static bool on_device = true;", "other();", False),
        ("extern int on_device;", "set(on_device);", True),
        ("extern int on_device; void off(void) { on_device = 0; }", "other();", True),
        ("extern int on_device;", "other(); if (n > 9) return;", True),
    ],
)
def test_a_flag_that_nobody_in_sight_sets_stays_as_it_is(declared: str, between: str, told: bool) -> None:
    code = FLAG.replace("DECLARED", declared).replace("BETWEEN", between)
    assert bool(findings(DeviceMemoryLeak, code)) is told


GROWING = """
#include <cuda_runtime.h>
template <class T> struct Growing {
    void allocate(size_t size) {
        if (d_ && size_ < size) { cudaFree(d_); }
        if (d_ && size_ @enough size) { return; }
        cudaMalloc(&d_, size * sizeof(T));
        size_ = size;
    }
    ~Growing() { if (d_) cudaFree(d_); }
    T *d_ = nullptr;
    size_t size_ = 0;
};
__global__ void fill(float *x) { x[threadIdx.x] = 1; }
Growing<float> one;
void run(size_t n) { one.allocate(n); fill<<<1, 32>>>(one.d_); }
"""


@pytest.mark.parametrize(("enough", "told"), [(">=", False), ("==", True)])
def test_what_is_left_of_a_condition_of_which_a_part_holds(enough: str, told: bool) -> None:
    """Who comes to the second test with memory of its own has room enough, or the first one has freed it."""
    assert bool(findings(DeviceMemoryLeak, GROWING.replace("@enough", enough))) is told
