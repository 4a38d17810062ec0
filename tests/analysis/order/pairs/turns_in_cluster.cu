// kinds: global-memory-race
#include <cooperative_groups.h>

__global__ void __cluster_dims__(4, 1, 1) chase_in_turn(const unsigned *start, unsigned *log, unsigned *sum, int n)
{
    extern __shared__ unsigned next[];
    auto cluster = cooperative_groups::this_cluster();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        next[i] = start[i];
    cluster.sync();
    for (unsigned turn = 0; turn < cluster.num_blocks(); ++turn) {
        if (turn == blockIdx.x && threadIdx.x == 0) {
            unsigned at = 0;
            for (int i = 0; i < n; ++i)
                at = cluster.map_shared_rank(next, (turn + 1) % 4)[at];
            log[turn] = at;
            sum[0] += at;
        }
        cluster.sync(); //+
    }
    cluster.sync();
}
