// kinds: wrong-fence
#include <cuda_runtime.h>

// Blocks take the parts of all rows in turn; whoever brings the last part of a row adds the row up.
__global__ void row_sums(const float *x, float *parts, int *come, float *sum, int rows, int pieces, int length)
{
    __shared__ bool last;
    for (int job = blockIdx.x; job < rows * pieces; job += gridDim.x) {
        const int row = job / pieces, piece = job % pieces;
        float s = 0.0f;
        for (int k = piece; k < length; k += pieces)
            s += x[(row * length + k) * 64 + threadIdx.x];
        parts[(row * pieces + piece) * 64 + threadIdx.x] = s;
        __threadfence(); //+
        __syncthreads();
        if (threadIdx.x == 0)
            last = atomicAdd(&come[row], 1) == pieces - 1;
        __syncthreads();
        if (last) {
            float total = 0.0f;
            for (int p = 0; p < pieces; ++p)
                total += parts[(row * pieces + p) * 64 + threadIdx.x];
            sum[row * 64 + threadIdx.x] = total;
        }
    }
}
