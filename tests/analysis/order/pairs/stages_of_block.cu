// kinds: unawaited-async-copy shared-memory-race
// Recurrent state in two stages of shared memory, copied by the whole block.
#include <cuda_runtime.h>
#include <cuda_pipeline.h>
constexpr int CHUNK = 16, WIDE = 128, STAGES = 2, THREADS = 256;
__device__ void fetch(float (*stage)[WIDE], const float *state, int chunk) {
  for (int v = threadIdx.x; v < CHUNK * WIDE / 4; v += THREADS) {
    const int r = v / (WIDE / 4), c = v % (WIDE / 4) * 4;
    __pipeline_memcpy_async(&stage[r][c], state + (chunk * CHUNK + r) * WIDE + c, 16);
  }
  __pipeline_commit();
}
__global__ void __launch_bounds__(THREADS) decode(const float *state, const float *key, float *out, int chunks) {
  __shared__ __align__(16) float stage[STAGES][CHUNK][WIDE];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  fetch(stage[0], state, 0);
  for (int c = 0; c < chunks; ++c) {
    if (c + 1 < chunks) fetch(stage[(c + 1) % STAGES], state, c + 1); else __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads(); //+
    __syncwarp(); //-
    for (int r = warp * 2; r < warp * 2 + 2; ++r) {
      float s = 0.f;
      for (int k = lane; k < WIDE; k += 32) s += stage[c % STAGES][r][k] * key[k];
      for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
      if (lane == 0) out[c * CHUNK + r] = s;
    }
    __syncthreads(); //+
    __syncwarp(); //-
  }
}
