// kinds: shared-memory-race
// Sixty-four threads are one wave on some hardware and two on other.
#include <hip/hip_runtime.h>

__global__ void __launch_bounds__(64) kept_of_tile(const float *x, float least, int *kept)
{
    __shared__ int flags[64];
    const int t = threadIdx.x;
    flags[t] = x[blockIdx.x * 64 + t] > least;
    __syncthreads(); //+
    if (t == 0) {
        int sum = 0;
        for (int k = 0; k < 64; ++k)
            sum += flags[k];
        kept[blockIdx.x] = sum;
    }
}

void count(const float *x, float least, int *kept, int tiles) { kept_of_tile<<<tiles, 64>>>(x, least, kept); }
