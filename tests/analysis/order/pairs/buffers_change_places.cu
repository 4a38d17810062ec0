// kinds: wrong-fence
#include <cuda_runtime.h>

struct Meeting {
    unsigned come, round;

    __device__ void all(unsigned blocks)
    {
        __syncthreads();
        if (threadIdx.x == 0) {
            volatile unsigned *now = &round;
            const unsigned before = *now;
            __threadfence(); //+
            if (atomicAdd(&come, 1u) == blocks - 1) {
                come = 0;
                __threadfence();
                *now = before + 1;
            } else {
                while (*now == before) {
                }
                __threadfence(); //+
            }
        }
        __syncthreads();
    }
};

__global__ void spread(float *from, float *to, int n, int steps, Meeting *meeting)
{
    for (int step = 0; step < steps; ++step) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            to[i] = i + 1 < n ? 0.5f * (from[i] + from[i + 1]) : 0.0f;
        meeting->all(gridDim.x);
        float *kept = from;
        from = to;
        to = kept;
    }
}
