// kinds: collective-storage-reuse
// Validity positions, depth after depth; one scan storage for all.
#include <cub/block/block_scan.cuh>
template <int block_size>
__device__ int place_values(const int *valid, int *rows, int first, int count, int depths) {
  using scan = cub::BlockScan<int, block_size>;
  __shared__ typename scan::TempStorage scan_storage;
  int placed = 0;
  for (int at = first; at < first + count; at += block_size) {
    int mine = at + threadIdx.x < first + count;
    for (int d = 0; d < depths; ++d) {
      int flag = mine ? valid[d * count + at + threadIdx.x] : 0, before, all;
      scan(scan_storage).ExclusiveSum(flag, before, all);
      if (flag) rows[d * count + placed + before] = at + threadIdx.x;
      if (d == depths - 1) placed += all;
      __syncthreads(); //+
    }
  }
  return placed;
}
__global__ void decode(const int *valid, int *rows, int *done, int count, int depths) {
  int n = place_values<128>(valid, rows, blockIdx.x * count, count, depths);
  if (threadIdx.x == 0) done[blockIdx.x] = n;
}
