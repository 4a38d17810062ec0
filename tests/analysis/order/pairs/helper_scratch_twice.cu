// kinds: shared-memory-race collective-storage-reuse
#include <cuda_runtime.h>

__device__ float block_total(float v, float *scratch)
{
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int d = 16; d; d >>= 1)
        v += __shfl_xor_sync(~0u, v, d);
    if (lane == 0)
        scratch[warp] = v;
    __syncthreads();
    v = 0.0f;
    for (int w = 0; w < blockDim.x / 32; ++w)
        v += scratch[w];
    return v;
}

__global__ void standardise(const float *x, float *y, int cols)
{
    __shared__ float scratch[32];
    const float *row = x + (size_t)blockIdx.x * cols;
    float s = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        s += row[c];
    const float mean = block_total(s, scratch) / cols;
    float q = 0.0f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        q += (row[c] - mean) * (row[c] - mean);
    __syncthreads(); //+
    const float scale = rsqrtf(block_total(q, scratch) / cols + 1e-5f);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        y[(size_t)blockIdx.x * cols + c] = (row[c] - mean) * scale;
}

void standardise_rows(const float *x, float *y, int rows, int cols)
{
    standardise<<<rows, 256>>>(x, y, cols);
}
