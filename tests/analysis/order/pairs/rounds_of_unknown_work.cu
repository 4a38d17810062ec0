// kinds: barrier-divergence
#include <cuda_runtime.h>

struct Group {
    __device__ void meet() { __syncthreads(); }
};

__device__ int share(const int *ends, int at) { return (ends[at] + 3) / 4 + (ends[at] & 1); }

__device__ void rounds(const int *ends, Group &group, float *out)
{
    int left = share(ends, blockIdx.x);
    left -= threadIdx.x & 1; //-
    while (left > 0) {
        out[left * blockDim.x + threadIdx.x] *= 2.0f;
        group.meet();
        left -= 8;
    }
}
