// kinds: shared-memory-race
// Counts of a warp scan: the last cell of the scan is the base for all.
#include <cuda_runtime.h>
__global__ void place_triangles(const unsigned *__restrict__ per_voxel, unsigned voxels, unsigned *cursor, unsigned *out) {
  __shared__ unsigned sums[33];
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned own = i < voxels ? per_voxel[i] : 0, pre = own;
  for (int d = 1; d < 32; d <<= 1) {
    unsigned up = __shfl_up_sync(0xffffffffu, pre, d);
    if (lane >= d) pre += up;
  }
  if (lane == 31) sums[warp] = pre;
  __syncthreads();
  if (warp == 0) {
    unsigned v = lane < (blockDim.x >> 5) ? sums[lane] : 0;
    for (int d = 1; d < 32; d <<= 1) {
      unsigned up = __shfl_up_sync(0xffffffffu, v, d);
      if (lane >= d) v += up;
    }
    sums[lane] = v;
  }
  __syncthreads();
  if (threadIdx.x == 0) sums[32] = atomicAdd(cursor, sums[31]);
  __syncthreads(); //+
  const unsigned at = sums[32] + (warp ? sums[warp - 1] : 0) + pre - own;
  for (unsigned k = 0; k < own; ++k) out[at + k] = i;
}
