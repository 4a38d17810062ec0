// kinds: global-memory-race
// One block adds to the balance under a lock; the others have to take it too.
#include <cuda_runtime.h>

__device__ int door;

__global__ void book(volatile int *balance, int fee)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 0) {
        while (atomicCAS(&door, 0, 1) != 0) {
        }
        __threadfence();
        balance[0] = fee;
        __threadfence();
        atomicExch(&door, 0);
    } else {
        while (atomicCAS(&door, 0, 1) != 0) { //+
        } //+
        __threadfence(); //+
        balance[0] = -fee;
        __threadfence(); //+
        atomicExch(&door, 0); //+
    }
}
