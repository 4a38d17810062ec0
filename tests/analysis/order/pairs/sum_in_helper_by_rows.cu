// kinds: shared-memory-race
// Null count: a block's sum in a helper, called once a round.
#include <cuda_runtime.h>
#include <cstdint>
constexpr int warp_size = 32;
template <int block_threads, int leader>
__device__ int lane_sum_of_block(int lane_value) {
  __shared__ int per_warp[block_threads / warp_size];
  const int lane = threadIdx.x % warp_size;
  const int warp = threadIdx.x / warp_size;
  if (lane == leader) per_warp[warp] = lane_value;
  __syncthreads();
  int total = 0;
  if (warp == 0) {
    total = lane < block_threads / warp_size ? per_warp[lane] : 0;
    for (int d = 16; d > 0; d >>= 1) total += __shfl_down_sync(0xffffffffu, total, d);
  }
  __syncthreads(); //+
  return total;
}
__global__ void __launch_bounds__(256) valid_rows(uint32_t *const *masks, int32_t const *keep, int nmasks, int nbits, int32_t *nulls) {
  for (int m = 0; m < nmasks; ++m) {
    uint32_t *mask = masks[m];
    int wcount = 0;
    for (int base = blockIdx.x * 256; base < nbits; base += 256 * gridDim.x) {
      const int i = base + threadIdx.x;
      const uint32_t word = __ballot_sync(0xffffffffu, i < nbits && keep[i] != 0);
      if (threadIdx.x % warp_size == 0 && i < nbits) {
        mask[i / warp_size] = word;
        wcount += __popc(word);
      }
    }
    const int n = lane_sum_of_block<256, 0>(wcount);
    if (threadIdx.x == 0) atomicAdd(&nulls[m], nbits - n);
  }
}
