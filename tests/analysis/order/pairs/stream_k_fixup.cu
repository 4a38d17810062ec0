// kinds: wrong-fence global-memory-race
#include <cuda_runtime.h>
// Two blocks share a tile: the one with the rest leaves its part in a workspace, the owner waits for it and adds it.
__device__ void signal_peer(int *flags, int tile)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence(); //+
        atomicAdd(&flags[tile], 1);
    }
}
__device__ void wait_peer(int *flags, int tile)
{
    if (threadIdx.x == 0) {
        volatile int *f = flags + tile;
        while (*f == 0) {
        }
        __threadfence();
    }
    __syncthreads();
}
__global__ void split_tiles(const float *a, float *workspace, float *c, int *flags)
{
    const int tile = blockIdx.x >> 1;
    const bool owner = (blockIdx.x & 1) == 1;
    float acc = 0.0f;
    for (int k = 0; k < 32; ++k)
        acc += a[(blockIdx.x * 32 + k) * 64 + threadIdx.x];
    if (!owner) {
        workspace[tile * 64 + threadIdx.x] = acc;
        signal_peer(flags, tile);
    } else {
        wait_peer(flags, tile);
        c[tile * 64 + threadIdx.x] = acc + workspace[tile * 64 + threadIdx.x];
    }
}
void go(const float *a, float *w, float *c, int *flags) { split_tiles<<<32, 64>>>(a, w, c, flags); }
