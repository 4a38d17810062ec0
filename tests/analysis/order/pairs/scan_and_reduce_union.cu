// kinds: collective-storage-reuse shared-memory-race
#include <cub/cub.cuh>

// Compacts each tile of 128 flags and counts them.
__global__ void compact(const int *flag, int *slot, int *count)
{
    using Scan = cub::BlockScan<int, 128>;
    using Reduce = cub::BlockReduce<int, 128>;
    __shared__ union {
        typename Scan::TempStorage scan;
        typename Reduce::TempStorage reduce;
    } temp;
    const int i = blockIdx.x * 128 + threadIdx.x;
    const int f = flag[i];
    int at;
    Scan(temp.scan).ExclusiveSum(f, at);
    slot[i] = at;
    __syncthreads(); //+
    const int n = Reduce(temp.reduce).Sum(f);
    if (threadIdx.x == 0)
        count[blockIdx.x] = n;
}

void compact_all(const int *flag, int *slot, int *count, int tiles)
{
    compact<<<tiles, 128>>>(flag, slot, count);
}
