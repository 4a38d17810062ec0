"""Helpers that ask what a pointer leads to before they give that back."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak

from tests.rules.marked import findings

CODE = """
#include <cuda_runtime.h>
namespace own {
inline cudaError_t drop(void *p) {
    cudaPointerAttributes what = {};
    cudaError_t status = cudaPointerGetAttributes(&what, OF);
    if (status == cudaSuccess && what.type == cudaMemoryTypeDevice) return ::cudaFree(p);
    return cudaSuccess;
}
}
void check(cudaError_t e);
struct Room {
    float *data = nullptr;
    size_t size = 0;
    Room() = default;
    Room(const Room &) = delete;
    ~Room() { if (data) check(own::drop(data)); }
    void grow(size_t more) {
        if (more > size) {
            FIRST
            check(cudaMalloc(&data, more * sizeof(float)));
            size = more;
        }
    }
};
"""


@pytest.mark.parametrize(
    ("of", "first", "told"),
    [
        ("p", "if (data) { check(own::drop(data)); }", False),
        ("p", "", True),
    ],
)
def test_a_helper_that_frees_what_the_device_knows(of: str, first: str, told: bool) -> None:
    assert bool(findings(DeviceMemoryLeak, CODE.replace("OF", of, 1).replace("FIRST", first))) is told
