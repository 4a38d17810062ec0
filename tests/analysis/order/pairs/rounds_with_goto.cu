// kinds: barrier-divergence
#include <cooperative_groups.h>
__global__ void two_ways(float *x, size_t len, int rounds) {
    __shared__ float part[32];
    auto grid = cooperative_groups::this_grid();
    float acc = 0.0f;
    int step = -1, fix = 0;
    for (size_t at = 0; at < len; at += blockDim.x * gridDim.x) { //+
    for (size_t at = blockIdx.x; at < len; at += blockDim.x * gridDim.x) { //-
        acc = x[at + threadIdx.x + blockIdx.x * blockDim.x];
        do {
            acc += __shfl_down_sync(0xffffffff, acc, 1);
            if (fix != 0) {
                acc += part[fix & 31];
            again:
                acc *= 2.0f;
            }
            switch (++step) {
            case 0:
                if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = acc;
                __syncthreads();
                fix = threadIdx.x / 32;
                if (blockIdx.x != 0) goto again;
                break;
            default:
                step = -1;
            }
        } while (step >= 0);
        grid.sync();
    }
}
