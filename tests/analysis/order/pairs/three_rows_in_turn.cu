// kinds: missing-warp-sync shared-memory-race
#include <cuda_runtime.h>
// One warp goes down a triangle of numbers: three rows change places, and each step reads the two before.
__global__ void __launch_bounds__(32) descend(const int *price, int *least, int depth)
{
    __shared__ int row[3][96];
    int *before = row[0], *last = row[1], *next = row[2];
    const int lane = threadIdx.x;
    for (int i = lane; i < 3 * 96; i += 32)
        row[0][i] = 0;
    __syncwarp();
    for (int d = 0; d < depth; ++d) {
        for (int i = lane; i < 95; i += 32)
            next[i] = min(last[i], last[i + 1]) + before[i + 1] * price[d];
        __syncwarp(); //+
        int *free = before;
        before = last;
        last = next;
        next = free;
    }
    __syncwarp(); //-
    if (lane == 0)
        least[blockIdx.x] = last[0];
}
void run(const int *price, int *least, int depth) { descend<<<40, 32>>>(price, least, depth); }
