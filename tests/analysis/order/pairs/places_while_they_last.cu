// kinds: wrong-fence global-memory-race
// Threads draw places for what they find until there are none left or they have enough; a count is kept beside.
#include <cuda_runtime.h>

__global__ void gather(const float *x, int *kept, int *counts, int *drawn, int *sum, int room, int enough, int n)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    int have = 0;
    for (int k = 0; k < n; k++) {
        if (x[row * n + k] <= 0.f)
            continue;
        counts[row] = counts[row] + 1;
        const int at = atomicAdd(drawn, 1);
        if (at >= room)
            continue;
        kept[at] = k;
        *sum += k; //-
        atomicAdd(sum, k); //+
        have++;
        if (have >= enough)
            break;
    }
}
