// kinds: shared-memory-race global-memory-race
#include <cuda_runtime.h>
// The first warp makes a table for the second: a flag in shared memory between them.
__global__ void two_warps(const int *x, int *y)
{
    __shared__ int table[32];
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        table[threadIdx.x] = x[threadIdx.x] * 2;
        __threadfence_block(); //+
        __syncwarp();
        if (threadIdx.x == 0) ready = 1;
    } else {
        while (ready == 0) { //+
        } //+
        __threadfence_block(); //+
        y[threadIdx.x - 32] = table[63 - threadIdx.x];
    }
}
void go(const int *x, int *y) { two_warps<<<1, 64>>>(x, y); }
