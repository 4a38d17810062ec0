// kinds: shared-memory-race
// Three rows take turns: one is filled two rounds before it is read, so one barrier a round is enough.
#include <cuda_runtime.h>

__global__ void mirrored(float *out, const float *in, int rows)
{
    __shared__ float a[128], b[128], c[128];
    const int t = threadIdx.x;
    float *ready = a, *coming = b, *filled = c;
    ready[t] = in[t];
    coming[t] = in[128 + t];
    float sum = 0;
    for (int row = 0; row < rows; row++) {
        __syncthreads(); //+
        filled[t] = in[128 * (row + 2) + t];
        sum += ready[127 - t];
        float *held = ready;
        ready = coming;
        coming = filled;
        filled = held;
    }
    out[t] = sum;
}
