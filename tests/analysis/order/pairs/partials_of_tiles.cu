// kinds: shared-memory-race
// Partials of tiles of sixteen lanes, then one tile takes them all.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void energy(const float4 *pos, float *e, int n) {
  __shared__ float part[16];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  const int i = blockIdx.x * 256 + block.thread_rank();
  float x = i < n ? pos[i].x * pos[i].w : 0.f;
  for (int d = tile.size() / 2; d > 0; d /= 2) x += tile.shfl_down(x, d);
  if (tile.thread_rank() == 0) part[tile.meta_group_rank()] = x;
  block.sync(); //+
  tile.sync(); //-
  if (tile.meta_group_rank() == 0) {
    float s = part[tile.thread_rank()];
    for (int d = 8; d > 0; d >>= 1) s += tile.shfl_down(s, d);
    if (tile.thread_rank() == 0) atomicAdd(e, s);
  }
}
void launch(const float4 *p, float *e, int n) { energy<<<(n + 255) / 256, 256>>>(p, e, n); }
