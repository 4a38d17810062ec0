// kinds: missing-warp-sync
// The inner loop runs in each round of the outer one, and ends with a barrier.
#include <cuda_runtime.h>

__global__ void __launch_bounds__(32) sort_rows(const float *in, float *out)
{
    __shared__ float key[64];
    const int t = threadIdx.x;
    key[t] = in[blockIdx.x * 64 + t];
    key[t + 32] = in[blockIdx.x * 64 + t + 32];
    __syncthreads();
    for (int size = 2; size <= 64; size <<= 1) {
        for (int apart = size >> 1; apart > 0; apart >>= 1) {
            const int a = 2 * t - (t & (apart - 1));
            const bool falling = (a & size) == 0;
            const float x = key[a], y = key[a + apart];
            if ((x < y) == falling) {
                key[a] = y;
                key[a + apart] = x;
            }
            __syncthreads(); //+
        }
    }
    out[blockIdx.x * 64 + t] = key[t];
    out[blockIdx.x * 64 + t + 32] = key[t + 32];
}

void sort(const float *in, float *out, int rows) { sort_rows<<<rows, 32>>>(in, out); }
