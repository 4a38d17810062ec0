// kinds: shared-memory-race
#include <cuda/barrier>

using Signal = cuda::barrier<cuda::thread_scope_block>;

// The first warp brings the coefficients, the others work with them.
__global__ void filtered(const float *coefficients, const float *x, float *y, int n)
{
    __shared__ float c[96];
    __shared__ Signal ready;
    if (threadIdx.x == 0)
        init(&ready, 1);
    __syncthreads();

    const int lane = threadIdx.x & 31;
    if (threadIdx.x < 32) {
        for (int k = lane; k < 96; k += 32)
            c[k] = coefficients[k];
        __syncwarp(); //+
        if (lane == 0)
            (void)ready.arrive();
    } else {
        ready.wait_parity(0);
        const int i = blockIdx.x * (blockDim.x - 32) + threadIdx.x - 32;
        if (i < n)
            y[i] = x[i] * c[i % 96];
    }
}
