// kinds: shared-memory-race
#include <cuda_runtime.h>
struct Channel { float *to; unsigned long *flag; unsigned long *expected;
    __device__ void signal() { __threadfence_system(); atomicAdd_system((unsigned long long *)flag, 1ull); }
    __device__ void wait() { *expected += 1; while (*(volatile unsigned long *)flag < *expected) ; __threadfence_system(); }
};
__global__ void exchange(Channel *channels, const float *in, int peers, int n)
{
    __shared__ Channel mine[64];
    const int lane = threadIdx.x % 32;
    for (int i = lane; i < peers; i += 32)
        mine[i] = channels[i];
    __syncwarp();
    if (threadIdx.x < peers) {

        mine[threadIdx.x].signal();
    }
    __syncthreads();
    for (int p = 0; p < peers; ++p)
        for (int i = threadIdx.x; i < n; i += blockDim.x) mine[p].to[i] = in[i];
}
__global__ void scale_rows(const float *factors, float *x, int n)
{
    __shared__ float table[128];
    for (int i = threadIdx.x & 31; i < 128; i += 32) table[i] = factors[i]; //+
    for (int i = threadIdx.x; i < 128; i += blockDim.x) table[i] = factors[i]; //-
    __syncwarp();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= table[127 - (i & 127)];
}
