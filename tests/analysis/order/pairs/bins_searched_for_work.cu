// kinds: wrong-fence
#include <cuda_runtime.h>
#define BINS 12
// A block that has emptied its own bin helps with the first other one that has plenty left.
__global__ void empty_bins(int *next, const int *full, float *cell)
{
    __shared__ int at, bin;
    if (threadIdx.x == 0) {
        bin = blockIdx.x;
        at = atomicAdd(&next[blockIdx.x], 96);
    }
    __syncthreads();
    int mine = blockIdx.x, first = at, last = full[mine];
    while (first < last) {
        if (first + threadIdx.x < last)
            cell[first + threadIdx.x] -= 1.0f;
        __syncthreads();
        if (threadIdx.x == 0) {
            int other = mine;
            for (int b = mine + 1; b < mine + BINS; b++) {
                other = b % BINS;
                if (atomicAdd(&next[other], 0) + 96 < full[other])
                    break;
            }
            at = atomicAdd(&next[other], 96); //+
            at = atomicAdd_block(&next[other], 96); //-
            bin = other;
        }
        __syncthreads();
        mine = bin;
        first = at;
        last = full[mine];
        __syncthreads();
    }
}
void run(int *next, const int *full, float *cell) { empty_bins<<<BINS, 96>>>(next, full, cell); }
