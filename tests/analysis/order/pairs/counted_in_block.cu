// kinds: shared-memory-race
#include <cuda_runtime.h>

namespace block_counter {
__shared__ unsigned arrived;

__device__ void begin()
{
    if (threadIdx.x == 0)
        arrived = 0;
    __syncthreads();
}

__device__ void meet()
{
    const unsigned threads = blockDim.x;
    __threadfence_block();
    const unsigned before = atomicAdd(&arrived, 1u);
    const unsigned next = (before / threads + 1) * threads;
    unsigned now = *(volatile unsigned *)&arrived; //+
    unsigned now = arrived; //-
    while (now < next) {
        __nanosleep(20);
        now = *(volatile unsigned *)&arrived; //+
        now += 1; //-
    }
}
}  // namespace block_counter
