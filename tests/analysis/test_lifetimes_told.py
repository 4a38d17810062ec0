"""What functions out of sight make of a status, and resets of the device that an error ends the program by."""

from __future__ import annotations

from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree
from kernlint_rules.launch.wrong_copy_direction import WrongCopyDirection

from tests.rules.marked import assert_marked, assert_pair

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


LAST = """
struct Field {
    float *at = nullptr;
    explicit Field(size_t n) { cudaMalloc(&at, n * 4); }
    ~Field() { cudaFree(at); }  // bad
};
#include <memory>
struct Scene {
    explicit Scene(size_t n) { held = std::make_unique<Field>(n); }
    ~Scene() {
        held.reset();  // only good
        cudaDeviceReset();
    }
    std::unique_ptr<Field> held;
};
"""


def test_members_end_behind_the_reset_in_a_destructor() -> None:
    assert_pair(DeviceUseAfterFree, LAST)


OWNED = """
#include <memory>
struct Ends { void operator()(void *p) const { cudaFree(p); } };
template <class T> using Held = std::unique_ptr<T, Ends>;
template <class T> Held<T> sent(const T &from, cudaError_t &status) {
    T *to = nullptr;
    status = cudaMalloc(reinterpret_cast<void **>(&to), sizeof(T));
    if (status != cudaSuccess) return nullptr;
    status = cudaMemcpy(to, &from, sizeof(T), cudaMemcpyHostToDevice);
    if (status != cudaSuccess) {
        cudaFree(to);  // only good
        return nullptr;  // bad
    }
    return Held<T>(to);
}
int main() {
    cudaError_t status;
    Held<int> one = sent(1, status);
    return one ? 0 : 1;
}
"""


def test_what_one_way_gives_to_an_owner_is_to_be_given_back_on_all() -> None:
    assert_pair(DeviceMemoryLeak, OWNED)


RESULT = """
#include <vector>
__global__ void turned(const float *from, float *to, int n) {
    if (threadIdx.x < n) to[threadIdx.x] = from[n - 1 - threadIdx.x];
}
int wrong(const std::vector<float> &from, int n) {
    std::vector<float> result(n, 0.0f);
    float *in, *out;
    cudaMalloc(&in, n * 4);
    cudaMalloc(&out, n * 4);
    cudaMemcpy(in, from.data(), n * 4, cudaMemcpyHostToDevice);
    turned<<<1, 64>>>(in, out, n);
    cudaMemcpy(out, result.data(), n * 4, cudaMemcpyHostToDevice);  // bad  // only bad
    cudaMemcpy(result.data(), out, n * 4, cudaMemcpyDeviceToHost);  // only good
    int found = 0;
    for (int i = 0; i < n; ++i) found += result[i] != from[n - 1 - i];
    cudaFree(in);
    cudaFree(out);
    return found;
}
void stepped(const float *next, int n, int steps) {
    float *at;
    cudaMalloc(&at, n * 4);
    for (int i = 0; i < steps; ++i) {
        turned<<<1, 64>>>(at, at, n);
        cudaMemcpy(at, next + i * n, n * 4, cudaMemcpyHostToDevice);
        for (int k = 0; k < 2; ++k) cudaDeviceSynchronize();
    }
    cudaFree(at);
}
"""


def test_a_loop_behind_a_copy_over_results_reads_none() -> None:
    assert_pair(WrongCopyDirection, RESULT)
