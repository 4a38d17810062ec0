// kinds: shared-memory-race
// The two arrays stand in a table, and a bit of the round says which is read.
#include <cuda_runtime.h>

__global__ void smooth(float *out, const float *in, int rounds)
{
    __shared__ float red[256], black[256];
    float *side[2] = {red, black};
    const int t = threadIdx.x;
    int now = 0;
    red[t] = in[t];
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        side[now ^ 1][t] = 0.5f * (side[now][t] + side[now][t == 0 ? 255 : t - 1]);
        __syncthreads(); //+
        now ^= 1;
    }
    out[t] = side[now][t];
}
