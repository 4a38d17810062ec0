// kinds: unawaited-async-copy
// Three stages of cp.async.
#include <cuda_runtime.h>
#include <cstdint>
__device__ __forceinline__ void cp16(void *s, const void *g) {
  uint32_t a = static_cast<uint32_t>(__cvta_generic_to_shared(s));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(a), "l"(g));
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;\n" ::); }
template <int N> __device__ __forceinline__ void wait() { asm volatile("cp.async.wait_group %0;\n" ::"n"(N)); }
#define DEPTH 3
__global__ void stream_sum(const float4 *in, float *out, int tiles) {
  __shared__ float4 ring[DEPTH][128];
  const int t = threadIdx.x;
  const float4 *mine = in + (size_t)blockIdx.x * tiles * 128;
  for (int s = 0; s < DEPTH - 1; ++s) {
    if (s < tiles) cp16(&ring[s][t], mine + s * 128 + t);
    commit();
  }
  float sum = 0;
  for (int k = 0; k < tiles; ++k) {
    wait<DEPTH - 1>(); //-
    wait<DEPTH - 2>(); //+
    __syncthreads();
    const int ahead = k + DEPTH - 1;
    if (ahead < tiles) cp16(&ring[ahead % DEPTH][t], mine + ahead * 128 + t);
    commit();
    const float4 v = ring[k % DEPTH][127 - t];
    sum += v.x + v.y + v.z + v.w;
  }
  out[blockIdx.x * 128 + t] = sum;
}
void go(const float4 *in, float *out, int tiles) { stream_sum<<<64, 128>>>(in, out, tiles); }
