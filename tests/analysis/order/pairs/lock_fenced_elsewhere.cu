// kinds: wrong-fence
// The lock is taken in two places, in one of them with the fence that it takes.
#include <cuda_runtime.h>

__device__ int door;

__global__ void book(volatile int *balance, int fee)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x % 2 == 0) {
        while (atomicCAS(&door, 0, 1) != 0) {
        }
        __threadfence(); //+
        balance[0] = fee;
        __threadfence();
        atomicExch(&door, 0);
    } else {
        while (atomicCAS(&door, 0, 1) != 0) {
        }
        __threadfence();
        balance[0] = -fee;
        __threadfence();
        atomicExch(&door, 0);
    }
}
