// kinds: wrong-fence global-memory-race
#include <cuda_runtime.h>
template <typename T>
__device__ bool is_last(T *counter)
{
    __shared__ bool flag;
    __threadfence(); //+
    __syncthreads(); //+
    if (threadIdx.x == 0) flag = atomicAdd(counter, T(1)) == gridDim.x - 1;
    __syncthreads();
    return flag;
}
__global__ void column_sums(const float *x, float *part, float *out, unsigned *counter, int rows)
{
    float s = 0.0f;
    for (int r = blockIdx.x; r < rows; r += gridDim.x) s += x[r * 64 + threadIdx.x];
    part[blockIdx.x * 64 + threadIdx.x] = s;
    if (!is_last(counter)) return;
    float all = 0.0f;
    for (int b = 0; b < gridDim.x; ++b) all += part[b * 64 + threadIdx.x];
    out[threadIdx.x] = all;
    if (threadIdx.x == 0) *counter = 0;
}
void go(const float *x, float *part, float *out, unsigned *counter, int rows) { column_sums<<<32, 64>>>(x, part, out, counter, rows); }
