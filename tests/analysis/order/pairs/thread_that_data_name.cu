// kinds: shared-memory-race
#include <cuda_runtime.h>

// In each round the thread that the block has agreed on leaves its share for all.
__global__ void rounds(const int *who, const float *x, float *y, int steps)
{
    __shared__ int chosen;
    __shared__ float share;
    float mine = x[blockIdx.x * 128 + threadIdx.x];
    for (int step = 0; step < steps; ++step) {
        if (threadIdx.x == 0)
            chosen = who[step];
        __syncthreads();
        if (threadIdx.x == chosen) {
            share = mine;
            share = fminf(share, 1.0f / (1.0f + mine));
        }
        __syncthreads(); //+
        mine += share;
        __syncthreads();
    }
    y[blockIdx.x * 128 + threadIdx.x] = mine;
}
