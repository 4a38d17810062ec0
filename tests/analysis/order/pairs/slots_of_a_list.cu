// kinds: wrong-fence global-memory-race
// A counter hands out places: whoever draws one fills it, and nobody learns of it by the counter.
#include <cuda_runtime.h>

struct Hit {
    float where, strength;
    int bin;
};

__global__ void peaks(const float *x, int n, float least, Hit *hits, unsigned *count, unsigned room)
{
    __shared__ unsigned at;
    for (int i = blockIdx.x; i < n; i += gridDim.x) {
        if (threadIdx.x == 0)
            at = 0xffffffffu;
        __syncthreads();
        const float v = x[i * 64 + threadIdx.x];
        if (threadIdx.x == 0 && v > least) {
            at = atomicAdd(count, 1u); //+
            at = (*count)++; //-
            if (at < room)
                hits[at].where = v;
        }
        __syncthreads();
        if (at < room && threadIdx.x == 1)
            hits[at].strength = v * 2.f;
        __syncthreads();
        if (at < room && threadIdx.x == 0)
            hits[at].bin = i;
        __syncthreads();
    }
}
