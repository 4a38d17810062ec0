// kinds: global-memory-race
// What is stored after the lock has been given back is under no lock.
#include <cuda_runtime.h>

__device__ int door;

__global__ void book(volatile int *balance, int *seen)
{
    if (threadIdx.x != 0)
        return;
    while (atomicCAS(&door, 0, 1) != 0) {
    }
    __threadfence();
    seen[blockIdx.x] = balance[0];
    balance[0] = blockIdx.x; //+
    __threadfence();
    atomicExch(&door, 0);
    balance[0] = blockIdx.x; //-
}
