// kinds: missing-proxy-fence
#include <cuda_runtime.h>
#include <cstdint>
struct Params { const float *in; float *out; int tiles; };
__device__ inline uint32_t saddr(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
__device__ inline void bar_init(uint64_t *b, uint32_t n) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(saddr(b)), "r"(n));
}
__device__ inline void bar_wait(uint64_t *b, uint32_t parity) {
    asm volatile("{\n.reg .pred P;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P, [%0], %1;\n@P bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(saddr(b)), "r"(parity));
}
__device__ inline void bar_expect(uint64_t *b, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(saddr(b)), "r"(bytes) : "memory");
}
__device__ inline void load_bulk(void *to, const void *from, uint32_t bytes, uint64_t *b) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
        ::"r"(saddr(to)), "l"(from), "r"(bytes), "r"(saddr(b)) : "memory");
}
__device__ inline void store_bulk(void *to, const void *from, uint32_t bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(saddr(from)), "r"(bytes) : "memory");
}
__global__ void scale_tiles(Params p) {
    extern __shared__ __align__(128) uint8_t smem[];
    float *tile = (float *)smem;
    float *result = (float *)(smem + 4096);
    uint64_t *full = (uint64_t *)(smem + 8192);
    if (threadIdx.x == 0) {
        bar_init(full, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    uint32_t phase = 0;
    for (int t = blockIdx.x; t < p.tiles; t += gridDim.x) {
        if (threadIdx.x == 0) {
            bar_expect(full, 4096);
            load_bulk(tile, p.in + t * 1024, 4096, full);
        }
        bar_wait(full, phase);
        phase ^= 1;
        for (int i = threadIdx.x; i < 1024; i += blockDim.x)
            result[i] = tile[i] * 2.0f;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); //+
        __syncthreads();
        if (threadIdx.x == 0) {
            store_bulk(p.out + t * 1024, result, 4096);
            asm volatile("cp.async.bulk.commit_group;");
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        __syncthreads();
    }
}
void run(Params p) { scale_tiles<<<132, 256, 8192 + 64>>>(p); }
