// kinds: wrong-fence
#include <cuda_runtime.h>
// Blocks that have done their own share of the work go on with the next one's.
__global__ void halve_shares(int *taken, const int *sizes, float *data)
{
    __shared__ int from;
    int queue = blockIdx.x;
    for (int round = 0; round < gridDim.x; ++round) {
        const int size = sizes[queue];
        for (;;) {
            if (threadIdx.x == 0)
                from = atomicAdd(&taken[queue], 128); //+
                from = atomicAdd_block(&taken[queue], 128); //-
            __syncthreads();
            const int at = from;
            __syncthreads();
            if (at >= size)
                break;
            if (at + threadIdx.x < size)
                data[queue * 65536 + at + threadIdx.x] *= 0.5f;
        }
        queue = (queue + 1) % gridDim.x;
    }
}
void run(int *taken, const int *sizes, float *data) { halve_shares<<<8, 128>>>(taken, sizes, data); }
