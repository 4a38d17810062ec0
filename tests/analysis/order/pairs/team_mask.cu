// kinds: wrong-warp-mask divergent-warp-intrinsic
#include <cuda_runtime.h>

// Teams of sixteen lanes add up sixteen values each; even teams only.
__global__ void team_sums(const int *x, int *sum)
{
    const int lane = threadIdx.x % 32, team = threadIdx.x / 16;
    const unsigned mask = 0xffffu << (lane / 16); //-
    const unsigned mask = 0xffffu << (lane & 16); //+
    int v = x[blockIdx.x * 128 + threadIdx.x];
    for (int d = 8; d > 0; d /= 2)
        v += __shfl_down_sync(mask, v, d, 16);
    if (lane % 16 == 0)
        sum[blockIdx.x * 8 + team] = v;
}

void sums(const int *x, int *sum, int blocks)
{
    team_sums<<<blocks, 128>>>(x, sum);
}
