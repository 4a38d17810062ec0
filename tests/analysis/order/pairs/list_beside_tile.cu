// kinds: missing-proxy-fence
#include <cuda_runtime.h>
#include <cstdint>
__global__ void gather_rows(const float *in, const int *rows, float *out) {
    extern __shared__ __align__(128) char smem[];
    int *list = (int *)(smem + 64 * 256);
    float *stage = (float *)smem;
    uint64_t *full = (uint64_t *)(smem + 64 * 256 + 256);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"((uint32_t)__cvta_generic_to_shared(full)));
    if (threadIdx.x < 64) list[threadIdx.x] = rows[blockIdx.x * 64 + threadIdx.x];
    stage[threadIdx.x] = 0.0f; //-
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"((uint32_t)__cvta_generic_to_shared(full)), "r"(64 * 256));
        for (int i = 0; i < 64; ++i)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((uint32_t)__cvta_generic_to_shared(stage + i * 64)), "l"(in + list[i] * 64), "r"(256), "r"((uint32_t)__cvta_generic_to_shared(full)) : "memory");
    }
    asm volatile("{\n.reg .pred p;\nW:\nmbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra W;\n}" ::"r"((uint32_t)__cvta_generic_to_shared(full)) : "memory");
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + blockIdx.x * 4096), "r"((uint32_t)__cvta_generic_to_shared(stage)), "r"(64 * 256) : "memory");
        asm volatile("cp.async.bulk.commit_group;");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
void run(const float *in, const int *rows, float *out, int n) { gather_rows<<<n, 128, 64 * 256 + 264>>>(in, rows, out); }
