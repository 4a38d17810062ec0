"""Memory of the host that kernels write by its address there, and that the host reads too early."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.unsynchronised_host_read import UnsynchronisedHostRead

from tests.rules.marked import assert_marked, assert_pair

KERNEL = """
#include <vector>
#define CHECK(call) do { if ((call) != cudaSuccess) abort(); } while (0)
__global__ void count(const float *x, int n, float limit, int *above) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > limit) atomicAdd(above, 1);
}
"""

STYLES = {
    "a class with both addresses": """
        class Counter {
        public:
            explicit Counter(cudaStream_t s) : stream(s) {
                CHECK(cudaHostAlloc((void **)&seen, sizeof(int), cudaHostAllocMapped));
                CHECK(cudaHostGetDevicePointer((void **)&shared, seen, 0));
            }
            ~Counter() { cudaFreeHost(seen); }
            int above(const float *x, int n, float limit) {
                *seen = 0;
                count<<<(n + 255) / 256, 256, 0, stream>>>(x, n, limit, shared);
                CHECK(cudaGetLastError());
                CHECK(cudaStreamSynchronize(stream));  // only good
                return *seen;  // bad
            }
        private:
            cudaStream_t stream;
            int *seen = nullptr, *shared = nullptr;
        };
        """,
    "one function, one address": """
        int above(const float *x, int n, float limit, cudaStream_t stream) {
            int *seen;
            CHECK(cudaMallocHost(&seen, sizeof(int)));
            seen[0] = 0;
            count<<<(n + 255) / 256, 256, 0, stream>>>(x, n, limit, seen);
            CHECK(cudaStreamSynchronize(stream));  // only good
            const int found = seen[0];  // bad
            CHECK(cudaStreamSynchronize(stream));
            CHECK(cudaFreeHost(seen));
            return found;
        }
        """,
    "one function, two addresses, an event": """
        int above(const float *x, int n, float limit, cudaStream_t stream, cudaEvent_t over) {
            int *seen = nullptr, *shared = nullptr;
            CHECK(cudaHostAlloc(&seen, sizeof(int), cudaHostAllocMapped));
            CHECK(cudaHostGetDevicePointer(&shared, seen, 0));
            *seen = 0;
            count<<<(n + 255) / 256, 256, 0, stream>>>(x, n, limit, shared);
            CHECK(cudaEventRecord(over, stream));
            CHECK(cudaEventSynchronize(over));  // only good
            const int found = *seen;  // bad
            CHECK(cudaEventSynchronize(over));
            CHECK(cudaFreeHost(seen));
            return found;
        }
        """,
    "functions around a structure": """
        typedef struct { int *seen, *shared; } counter;
        void counter_open(counter *c) {
            CHECK(cudaHostAlloc((void **)&c->seen, sizeof(int), cudaHostAllocMapped));
            CHECK(cudaHostGetDevicePointer((void **)&c->shared, c->seen, 0));
        }
        void counter_close(counter *c) { CHECK(cudaFreeHost(c->seen)); }
        static void begin(counter *c, const float *x, int n) {
            *c->seen = 0;
            count<<<(n + 255) / 256, 256>>>(x, n, 0.5f, c->shared);
        }
        bool counter_any(counter *c, const float *x, int n) {
            begin(c, x, n);
            CHECK(cudaDeviceSynchronize());  // only good
            return *c->seen > 0;  // bad
        }
        """,
    "until nothing changes": """
        int rounds(const float *x, int n, cudaStream_t stream) {
            int *seen, rounds = 0;
            CHECK(cudaMallocHost(&seen, sizeof(int)));
            do {
                *seen = 0;
                count<<<(n + 255) / 256, 256, 0, stream>>>(x, n, 0.1f * rounds, seen);
                CHECK(cudaStreamSynchronize(stream));  // only good
                rounds++;
            } while (*seen > 0);  // bad
            CHECK(cudaStreamSynchronize(stream));
            CHECK(cudaFreeHost(seen));
            return rounds;
        }
        """,
}


@pytest.mark.parametrize("code", STYLES.values(), ids=STYLES)
def test_a_kernel_writes_memory_of_the_host(code: str) -> None:
    assert_pair(UnsynchronisedHostRead, KERNEL + code)


HIP = """
#include <hip/hip_runtime.h>
__global__ void sum(const double *x, double *to) {
    double all = 0.0;
    for (int i = 0; i < 64; ++i) all += x[i];
    to[0] = all;
}
struct Sum {
    Sum() { (void)hipHostMalloc(&host, sizeof(double), hipHostMallocMapped);
            (void)hipHostGetDevicePointer((void **)&device, host, 0); }
    ~Sum() { (void)hipHostFree(host); }
    double of(const double *x, hipStream_t stream) {
        hipLaunchKernelGGL(sum, dim3(1), dim3(1), 0, stream, x, device);
        (void)hipStreamSynchronize(stream);  // only good
        return host[0];  // bad
    }
    double *host, *device;
};
"""


def test_so_it_is_in_hip() -> None:
    assert_pair(UnsynchronisedHostRead, HIP, "hip")


def test_a_host_that_looks_again_and_again_waits() -> None:
    polls = """
        void follow(const float *x, int n, cudaStream_t stream) {
            int *seen;
            CHECK(cudaMallocHost(&seen, sizeof(int)));
            *seen = 0;
            count<<<(n + 255) / 256, 256, 0, stream>>>(x, n, 0.5f, seen);
            while (*seen == 0) { }
            *seen = 7;
            CHECK(cudaStreamSynchronize(stream));
            CHECK(cudaFreeHost(seen));
        }
        """
    assert_marked(UnsynchronisedHostRead, KERNEL + polls)


def test_what_a_kernel_only_reads_may_be_read() -> None:
    reads = """
        __global__ void scale(float *by, float *x) { x[threadIdx.x] *= by[0]; }
        float run(float *x, cudaStream_t stream) {
            float *by;
            CHECK(cudaMallocHost(&by, sizeof(float)));
            *by = 2.0f;
            scale<<<1, 64, 0, stream>>>(by, x);
            const float kept = *by;
            CHECK(cudaStreamSynchronize(stream));
            CHECK(cudaFreeHost(by));
            return kept;
        }
        """
    assert_marked(UnsynchronisedHostRead, KERNEL + reads)
