// kinds: wrong-fence global-memory-race
#include <cuda_runtime.h>

__device__ unsigned done_blocks;

__global__ void row_maximum(const int *x, int n, int *partial, int *result)
{
    __shared__ int s[256];
    __shared__ bool last;
    int m = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x)
        m = max(m, x[i]);
    s[threadIdx.x] = m;
    __syncthreads();
    for (int h = 128; h > 0; h >>= 1) {
        if (threadIdx.x < h)
            s[threadIdx.x] = max(s[threadIdx.x], s[threadIdx.x + h]);
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence(); //+
        last = atomicInc(&done_blocks, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int all = 0;
        for (int b = 0; b < gridDim.x; ++b)
            all = max(all, ((volatile int *)partial)[b]);
        *result = all;
    }
}

void maximum(const int *x, int n, int *partial, int *result)
{
    row_maximum<<<64, 256>>>(x, n, partial, result);
}
