// kinds: global-memory-race
#include <cuda_runtime.h>
// Each block takes batches of its own list; where the next one begins stands in memory for the whole block.
__global__ void mark_batches(int *taken, const int *ends, int *begins, const int *label, int *marked)
{
    int *begin = &begins[blockIdx.x];
    if (threadIdx.x == 0)
        *begin = atomicAdd(&taken[blockIdx.x], 64);
    __syncthreads();
    int at = *begin;
    const int end = ends[blockIdx.x];
    while (at < end) {
        const int item = at + threadIdx.x;
        if (item < end && label[item] > 0)
            marked[item] = label[item];
        __syncthreads();
        if (threadIdx.x == 0)
            *begin = atomicAdd(&taken[blockIdx.x], 64);
        __syncthreads(); //+
        at = *begin;
        if (*begin < end)
            continue;
        __syncthreads();
        break;
    }
}
void run(int *taken, const int *ends, int *begins, const int *label, int *marked)
{
    mark_batches<<<20, 64>>>(taken, ends, begins, label, marked);
}
