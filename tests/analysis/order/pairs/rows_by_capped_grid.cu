// kinds: shared-memory-race
// Rows of a matrix, more of them than the host lets blocks be: the statistics of a row are read while the next begins.
#include <algorithm>
#include <cuda_runtime.h>

__device__ float column_sum(const float *row, int n, float *scratch)
{
    float sum = 0.f;
    for (int i = threadIdx.x + threadIdx.y * blockDim.x; i < n; i += blockDim.x * blockDim.y)
        sum += row[i];
    for (int lanes = 16; lanes > 0; lanes >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, lanes);
    for (int half = blockDim.y / 2; half > 0; half /= 2) {
        if (threadIdx.x == 0 && threadIdx.y >= half && threadIdx.y < 2 * half)
            scratch[threadIdx.y - half] = sum;
        __syncthreads();
        if (threadIdx.x == 0 && threadIdx.y < half)
            sum += scratch[threadIdx.y];
        __syncthreads();
    }
    if (threadIdx.x == 0 && threadIdx.y == 0)
        scratch[0] = sum;
    __syncthreads();
    return scratch[0];
}

__global__ void centre(float *x, int rows, int n)
{
    extern __shared__ float scratch[];
    for (int r = blockIdx.y; r < rows; r += gridDim.y) {
        float *row = x + (size_t)r * n;
        const float mean = column_sum(row, n, scratch) / n;
        for (int i = threadIdx.x + threadIdx.y * blockDim.x; i < n; i += blockDim.x * blockDim.y)
            row[i] -= mean;
        __syncthreads(); //+
    }
}

void centre_rows(float *x, int rows, int n)
{
    const dim3 block(32, 4);
    centre<<<dim3(1, std::min(rows, 4096)), block, block.y * sizeof(float)>>>(x, rows, n);
}
