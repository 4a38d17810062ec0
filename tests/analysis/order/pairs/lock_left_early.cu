// kinds: global-memory-race
#include <cuda_runtime.h>

__global__ void merge_extent(const int *lo, const int *hi, int *range, int *mutex)
{
    if (threadIdx.x != 0)
        return;
    const int a = lo[blockIdx.x], b = hi[blockIdx.x];
    while (atomicCAS(mutex, 0, 1) != 0) {
    }
    __threadfence();
    if (a < range[0])
        range[0] = a;
    __threadfence(); //-
    atomicExch(mutex, 0); //-
    if (b > range[1])
        range[1] = b;
    __threadfence(); //+
    atomicExch(mutex, 0); //+
}

void extent(const int *lo, const int *hi, int *range, int *mutex, int blocks)
{
    merge_extent<<<blocks, 32>>>(lo, hi, range, mutex);
}
