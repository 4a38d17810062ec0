// kinds: shared-memory-race
// Heat goes to and fro between two arrays; who reads a neighbour behind the loop waits for the last round.
#include <cuda_runtime.h>

__global__ void relax(float *out, const float *in, int rounds)
{
    __shared__ float one[256], other[256];
    const int t = threadIdx.x;
    float *now = one, *next = other;
    now[t] = in[t];
    for (int r = 0; r < rounds; r++) {
        __syncthreads();
        next[t] = 0.5f * (now[(t + 1) & 255] + now[(t + 255) & 255]);
        float *held = now;
        now = next;
        next = held;
    }
    __syncthreads(); //+
    out[t] = now[255 - t];
}
