// kinds: shared-memory-race
#include <cuda_runtime.h>
#include <cstdint>

__device__ uint32_t place_of(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ void begin(uint64_t *at, uint32_t count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place_of(at)), "r"(count));
}
__device__ void come(uint64_t *at) { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(place_of(at))); }
__device__ void meet(uint64_t *at, uint32_t parity)
{
    asm volatile("{\n.reg .pred P;\nAGAIN:\nmbarrier.try_wait.parity.shared.b64 P, [%0], %1;\n@!P bra AGAIN;\n}\n" ::"r"(
                     place_of(at)),
                 "r"(parity));
}

__global__ void halves(const float *x, float *y, int tiles)
{
    __shared__ float tile[2][32];
    __shared__ uint64_t words[4];
    uint64_t *full[2], *empty[2];
    for (int s = 0; s < 2; ++s) {
        full[s] = words + s;
        empty[s] = words + 2 + s;
    }
    if (threadIdx.x == 0)
        for (int s = 0; s < 2; ++s) {
            begin(full[s], 1);
            begin(empty[s], 1);
        }
    __syncthreads();
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int t = 0; t < tiles; ++t) {
            if (t >= 2)
                meet(empty[t % 2], (t / 2 - 1) & 1);
            tile[t % 2][lane] = x[(blockIdx.x * tiles + t) * 32 + lane];
            __syncwarp(); //+
            if (lane == 0)
                come(full[t % 2]);
        }
    } else {
        for (int t = 0; t < tiles; ++t) {
            meet(full[t % 2], (t / 2) & 1);
            y[(blockIdx.x * tiles + t) * 32 + lane] = 0.5f * tile[t % 2][31 - lane];
            __syncwarp();
            if (lane == 0)
                come(empty[t % 2]);
        }
    }
}

void run(const float *x, float *y, int tiles) { halves<<<8, 64>>>(x, y, tiles); }
