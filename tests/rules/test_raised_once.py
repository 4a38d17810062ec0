"""The limit of dynamic shared memory, raised for the first launch alone."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.dynamic_shared_memory_omitted import DynamicSharedMemoryOmitted

from tests.rules.marked import findings

ONCE = """
__global__ void first(float *x, int width) {
    extern __shared__ float row[];
    for (int i = threadIdx.x; i < width; i += blockDim.x) row[i] = x[i];
    __syncthreads();
    x[threadIdx.x] = row[0];
}
class Launcher {
    bool set_ = false;
    size_t most_ = 0, bytes_ = 0;
public:
    int run(float *x, int width, cudaStream_t s) {
        const size_t bytes = SIZE;
        if (TEST) {
            const auto what = cudaFuncAttributeMaxDynamicSharedMemorySize;
            if (cudaFuncSetAttribute(first, what, LIMIT) != cudaSuccess) return 1;
            MARK;
        }
        first<<<1, 256, bytes, s>>>(x, width);
        return cudaGetLastError() != cudaSuccess;
    }
};
"""


@pytest.mark.parametrize(
    ("size", "test", "limit", "mark", "told"),
    [
        ("width * sizeof(float)", "!set_", "bytes", "set_ = true", True),
        ("width * sizeof(float)", "set_ == false", "(int)bytes", "set_ = 1", True),
        ("width * sizeof(float)", "bytes > most_", "bytes", "most_ = bytes", False),
        ("width * sizeof(float)", "!set_ || bytes > most_", "bytes", "set_ = true; most_ = bytes", False),
        ("width * sizeof(float)", "!set_", "160 * 1024", "set_ = true", False),
        ("64 * 1024", "!set_", "bytes", "set_ = true", False),
        ("bytes_", "!set_", "bytes", "set_ = true", False),
        ("width * sizeof(float)", "bytes > 48 * 1024", "bytes", "", False),
    ],
)
def test_raised_for_the_first_launch_alone(size: str, test: str, limit: str, mark: str, told: bool) -> None:
    text = ONCE.replace("SIZE", size).replace("TEST", test).replace("LIMIT", limit).replace("MARK", mark)
    found = [one.message for one in findings(DynamicSharedMemoryOmitted, text)]
    assert ["for the first launch alone" in message for message in found] == ([True] if told else [])
