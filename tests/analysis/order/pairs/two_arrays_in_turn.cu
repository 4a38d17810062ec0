// kinds: shared-memory-race
// A scan between two shared arrays whose pointers change places in each round.
#include <cuda_runtime.h>

__device__ void exchange(int *&a, int *&b)
{
    int *held = a;
    a = b;
    b = held;
}

__global__ void running_sums(int *sums, const int *counts)
{
    __shared__ int even[256], odd[256];
    const int t = threadIdx.x;
    int *from = even, *to = odd;
    from[t] = counts[blockIdx.x * 256 + t];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        to[t] = t >= step ? from[t] + from[t - step] : from[t];
        __syncthreads(); //+
        exchange(from, to);
    }
    sums[blockIdx.x * 256 + t] = from[t];
}
