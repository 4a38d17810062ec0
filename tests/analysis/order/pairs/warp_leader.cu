// kinds: wrong-warp-mask divergent-warp-intrinsic
#include <cuda_runtime.h>
__global__ void rank_in_warp(const int *key, int *rank, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x & 31;
    const bool in = i < n;
    const unsigned all = __ballot_sync(0xffffffffu, in);
    if (in) {
        const unsigned same = __match_any_sync(0xffffffffu, key[i]); //-
        const unsigned same = __match_any_sync(all, key[i]); //+
        rank[i] = __popc(same & ((1u << lane) - 1));
    }
}
void go(const int *key, int *rank, int n) { rank_in_warp<<<(n + 255) / 256, 256>>>(key, rank, n); }
