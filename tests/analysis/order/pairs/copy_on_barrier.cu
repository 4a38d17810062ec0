// kinds: shared-memory-race unawaited-async-copy
#include <cooperative_groups.h>
#include <cuda/barrier>

namespace cg = cooperative_groups;

__global__ void turned(const int *in, int *out)
{
    __shared__ int tile[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        init(&bar, block.size());
    block.sync();
    cuda::memcpy_async(block, tile, in + blockIdx.x * 128, sizeof(tile), bar);
    bar.arrive_and_wait(); //+
    out[blockIdx.x * 128 + threadIdx.x] = tile[127 - threadIdx.x];
    bar.arrive_and_wait(); //-
}

void turn(const int *in, int *out, int tiles)
{
    turned<<<tiles, 128>>>(in, out);
}
