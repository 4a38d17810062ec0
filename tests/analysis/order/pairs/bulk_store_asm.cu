// kinds: missing-proxy-fence wrong-fence shared-memory-race
#include <cuda_runtime.h>
#include <cstdint>

__global__ void write_tiles(const float *in, float *out)
{
    __shared__ alignas(16) float tile[512];
    for (int i = threadIdx.x; i < 512; i += blockDim.x)
        tile[i] = in[blockIdx.x * 512 + i] * 3.0f;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); //+
    __syncthreads();
    if (threadIdx.x == 0) {
        const uint32_t from = (uint32_t)__cvta_generic_to_shared(tile);
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + blockIdx.x * 512),
                     "r"(from), "n"(2048)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

void write_all(const float *in, float *out, int tiles)
{
    write_tiles<<<tiles, 128>>>(in, out);
}
