// kinds: wrong-warp-mask divergent-warp-intrinsic
#include <cuda_runtime.h>

__global__ void count_positive(const float *x, int n, int *count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { //-
        const unsigned votes = __ballot_sync(0xffffffffu, x[i] > 0.0f); //-
    { //+
        const unsigned votes = __ballot_sync(0xffffffffu, i < n && x[i] > 0.0f); //+
        if ((threadIdx.x & 31) == 0)
            atomicAdd(count, __popc(votes));
    }
}

void count_all(const float *x, int n, int *count)
{
    count_positive<<<(n + 255) / 256, 256>>>(x, n, count);
}
