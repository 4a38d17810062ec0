"""What functions out of sight make of a status, and resets of the device that an error ends the program by."""

from __future__ import annotations

from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree

from tests.rules.marked import assert_marked

WRAPPED = """
bool went(cudaError_t status, const char *what);
void noted(cudaError_t status, const char *what);
__global__ void fill(float *x) { x[threadIdx.x] = 1.0f; }

bool once(float *x) {
    cudaStream_t s;
    if (!went(cudaStreamCreate(&s), "a stream")) return false;
    fill<<<1, 64, 0, s>>>(x);
    bool fine = went(cudaStreamSynchronize(s), "wait");
    noted(cudaStreamDestroy(s), "end");
    return fine;
}

bool copied(const float *from) {
    float *to = nullptr;
    if (!went(cudaMalloc(&to, 256), "room")) return false;
    if (!went(cudaMemcpy(to, from, 256, cudaMemcpyHostToDevice), "copy")) return false;  // bad
    fill<<<1, 64>>>(to);
    noted(cudaFree(to), "end");
    return true;
}

cudaPitchedPtr volume(int n) {
    cudaPitchedPtr all;
    if (!went(cudaMalloc3D(&all, make_cudaExtent(n * 4, n, n)), "volume")) all.ptr = 0;
    return all;
}
"""


def test_what_a_wrapper_says_of_an_allocation_parts_its_ways() -> None:
    assert_marked(DeviceMemoryLeak, WRAPPED)


RESET = """
void give_up(const char *what);
#define LOOK(what) do { \\
        cudaError_t e_ = cudaGetLastError(); \\
        if (e_ != cudaSuccess) { cudaDeviceReset(); give_up(what); } \\
    } while (0)

void loaded(const float *from, size_t n) {
    float *to = nullptr;
    cudaMalloc(&to, n * 4);
    LOOK("room");
    cudaMemcpy(to, from, n * 4, cudaMemcpyHostToDevice);
    LOOK("copy");
    cudaFree(to);
}

void again(const float *from, size_t n) {
    float *to = nullptr;
    cudaMalloc(&to, n * 4);
    cudaDeviceReset();
    cudaMemcpy(to, from, n * 4, cudaMemcpyHostToDevice);  // bad
    cudaFree(to);
}
"""


def test_a_reset_on_an_error_ends_the_program() -> None:
    assert_marked(DeviceUseAfterFree, RESET)
