// kinds: missing-proxy-fence
#include <cstdint>
#include <cuda_runtime.h>

__device__ __forceinline__ void order_proxies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ __forceinline__ void put(float *to, const float *from, uint32_t bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 :: "l"(to), "r"(static_cast<uint32_t>(__cvta_generic_to_shared(from))), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

__global__ void __launch_bounds__(128) halve(const float *x, float *y)
{
    __shared__ __align__(128) float tile[128];
    tile[threadIdx.x] = 0.5f * x[blockIdx.x * 128 + threadIdx.x];
    order_proxies(); //+
    __syncthreads();
    order_proxies(); //-
    if (threadIdx.x == 0)
        put(y + blockIdx.x * 128, tile, sizeof(tile));
}

// The thread that copies has stored all of it: no other has to be through.
__global__ void __launch_bounds__(128) header(const int *counts, float *y)
{
    __shared__ __align__(128) float head[4];
    if (threadIdx.x == 0)
        for (int i = 0; i < 4; ++i)
            head[i] = counts[i];
    __syncthreads();
    order_proxies();
    if (threadIdx.x == 0)
        put(y, head, sizeof(head));
}
