// kinds: wrong-fence global-memory-race
#include <cuda_runtime.h>

// Pairs of blocks: the even one makes a row, the odd one turns it round (all blocks resident).
__global__ void in_pairs(const float *x, float *row, float *y, volatile int *full)
{
    const int pair = blockIdx.x / 2, t = threadIdx.x;
    if (blockIdx.x % 2 == 0) {
        row[pair * 128 + t] = x[pair * 128 + t] + 1.0f;
        __threadfence();
        __syncthreads();
        if (t == 0)
            full[pair] = 1;
    } else {
        if (t == 0) {
            while (full[pair] == 0)
                ;
            __threadfence(); //+
        }
        __syncthreads();
        y[pair * 128 + t] = row[pair * 128 + 127 - t];
    }
}

void pairs(const float *x, float *row, float *y, int *full)
{
    void *args[] = {&x, &row, &y, &full};
    cudaLaunchCooperativeKernel((void *)in_pairs, dim3(16), dim3(128), args, 0, 0);
}
