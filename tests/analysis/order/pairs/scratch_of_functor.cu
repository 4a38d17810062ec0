// kinds: shared-memory-race
// A functor holds the scratch by reference, as an aggregate is given it.
#include <cuda_runtime.h>

template <int THREADS>
struct BlockSum {
    struct Scratch {
        float part[THREADS / 32];
    };
    Scratch &scratch;

    __device__ float operator()(float v) const
    {
        for (int lanes = 16; lanes > 0; lanes >>= 1)
            v += __shfl_down_sync(0xffffffffu, v, lanes);
        if (threadIdx.x % 32 == 0)
            scratch.part[threadIdx.x / 32] = v;
        __syncthreads();
        float sum = 0.f;
        for (int w = 0; w < THREADS / 32; ++w)
            sum += scratch.part[w];
        return sum;
    }
};

template <int THREADS>
__global__ void norms(const float *x, float *norm, int rows)
{
    __shared__ typename BlockSum<THREADS>::Scratch scratch;
    BlockSum<THREADS> sum{scratch};
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        const float v = x[r * THREADS + threadIdx.x];
        const float all = sum(v * v);
        if (threadIdx.x == 0)
            norm[r] = all;
        __syncthreads(); //+
    }
}

template __global__ void norms<128>(const float *, float *, int);
