// kinds: wrong-fence
#include <cuda_runtime.h>

__global__ void norms(const float *x, float *parts, unsigned *come, float *norm, int columns)
{
    __shared__ float of_warp[4];
    const unsigned row = blockIdx.y, chunks = gridDim.x;
    float s = 0.0f;
    for (int c = blockIdx.x * 128 + threadIdx.x; c < columns; c += chunks * 128)
        s += x[(size_t)row * columns + c] * x[(size_t)row * columns + c];
    for (int d = 16; d > 0; d >>= 1)
        s += __shfl_down_sync(0xffffffffu, s, d);
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    parts[row * chunks + blockIdx.x] = of_warp[0] + of_warp[1] + of_warp[2] + of_warp[3];
    __threadfence(); //+
    if (atomicAdd(&come[row], 1u) == chunks - 1) {
        float total = 0.0f;
        for (unsigned k = 0; k < chunks; ++k)
            total += parts[row * chunks + k];
        norm[row] = sqrtf(total);
        come[row] = 0;
    }
}

void all_norms(const float *x, float *parts, unsigned *come, float *norm, int rows, int columns)
{
    norms<<<dim3(8, rows), 128>>>(x, parts, come, norm, columns);
}
