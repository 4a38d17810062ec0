// kinds: barrier-divergence
#include <hip/hip_runtime.h>

__global__ void sums_of_rows(const float *in, float *out, int n)
{
    __shared__ float part[64];
    float sum = 0.0f;
    for (int i = threadIdx.x % 64; i < n; i += 64) {
        part[threadIdx.x % 64] = in[blockIdx.x * n + i];
        __builtin_amdgcn_wave_barrier(); //+
        __syncthreads(); //-
        sum += part[threadIdx.x % 64];
    }
    atomicAdd(&out[blockIdx.x], sum);
}

void sums(const float *in, float *out, int n, int rows) { sums_of_rows<<<rows, 64>>>(in, out, n); }
