// kinds: wrong-fence global-memory-race
#include <cuda_runtime.h>

namespace turn {
__device__ inline void await(volatile int *gate, int mine)
{
    if (threadIdx.x == 0) {
        while (*gate < mine) {
        }
        __threadfence();
    }
    __syncthreads();
}
__device__ inline void pass(int *gate)
{
    __threadfence(); //+
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(gate, 1);
}
} // namespace turn

// Blocks add their tile to the sum in a fixed order, so that the result is the same each time.
__global__ void ordered_add(const float *tile, float *sum, int *gate)
{
    const float v = tile[blockIdx.x * 96 + threadIdx.x];
    turn::await(gate, blockIdx.x);
    sum[threadIdx.x] += v;
    turn::pass(gate);
}

void add_all(const float *tile, float *sum, int *gate, int tiles)
{
    cudaMemset(gate, 0, sizeof(int));
    ordered_add<<<tiles, 96>>>(tile, sum, gate);
}
