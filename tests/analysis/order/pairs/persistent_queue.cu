// kinds: shared-memory-race
#include <cuda_runtime.h>

// As many blocks as fit draw tiles from a counter until there are none left.
__global__ void drain(const float *in, float *out, unsigned *next, unsigned tiles)
{
    __shared__ unsigned tile;
    for (;;) {
        if (threadIdx.x == 0)
            tile = atomicAdd(next, 1u);
        __syncthreads();
        if (tile >= tiles)
            return;
        const size_t at = (size_t)tile * blockDim.x + threadIdx.x;
        out[at] = sqrtf(in[at]);
        __syncthreads(); //+
    }
}

void roots(const float *in, float *out, unsigned *next, unsigned tiles, int sms)
{
    cudaMemset(next, 0, sizeof(unsigned));
    drain<<<2 * sms, 128>>>(in, out, next, tiles);
}
