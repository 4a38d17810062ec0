// kinds: divergent-warp-intrinsic
#include <cuda_runtime.h>

// Two groups of 16 lanes per warp, one row for each group; the last warp may have one row only.
__global__ void norms(const float *rows, float *norm, int *done, int count)
{
    const int lane = threadIdx.x & 31;
    const int first = (blockIdx.x * 8 + threadIdx.x / 32) * 2;
    if (first >= count)
        return;
    const int row = first + lane / 16;
    if (row < count) { //-
        float v = rows[row * 16 + lane % 16]; //-
    { //+
        float v = row < count ? rows[row * 16 + lane % 16] : 0.0f; //+
        v *= v;
        for (int d = 8; d > 0; d >>= 1)
            v += __shfl_xor_sync(0xffffffffu, v, d);
        if (row < count && lane % 16 == 0)
            norm[row] = sqrtf(v);
    }
    if (row < count)
        done[row] = 1;
}

void all_norms(const float *rows, float *norm, int *done, int count)
{
    norms<<<(count + 15) / 16, 256>>>(rows, norm, done, count);
}
