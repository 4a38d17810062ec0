// kinds: wrong-fence
#include <cuda_runtime.h>
#define STACKS 24
struct Stack {
    int size;
    int lock;
};
// Warps push to the stack of their block and pop from one stack after the other; each has a lock.
__global__ void walk(Stack *own, Stack *shared, const int *grows)
{
    const int lane = threadIdx.x % 32;
    int from = blockIdx.x;
    bool left;
    do {
        while (lane == 0 && atomicCAS_block(&own[blockIdx.x].lock, 0, 1) != 0) {}
        __threadfence_block();
        __syncwarp();
        if (atomicAdd(&own[blockIdx.x].size, 0) > lane && lane == 0)
            atomicSub(&own[blockIdx.x].size, 1);
        __syncwarp();
        if (lane == 0) {
            __threadfence_block();
            atomicExch_block(&own[blockIdx.x].lock, 0);
        }
        const int victim = from;
        from = (from + 1) % STACKS;
        __syncwarp();
        while (lane == 0 && atomicCAS(&shared[victim].lock, 0, 1) != 0) {} //+
        while (lane == 0 && atomicCAS_block(&shared[victim].lock, 0, 1) != 0) {} //-
        __threadfence();
        __syncwarp();
        if (lane == 0 && atomicAdd(&shared[victim].size, 0) > 0)
            atomicSub(&shared[victim].size, grows[victim]);
        __syncwarp();
        if (lane == 0) {
            __threadfence();
            atomicExch(&shared[victim].lock, 0);
        }
        __syncwarp();
        left = false;
        for (int b = 0; b < STACKS; ++b)
            if (atomicAdd(&own[b].size, 0) > 0) {
                left = true;
                break;
            }
    } while (left);
}
void run(Stack *own, Stack *shared, const int *grows) { walk<<<STACKS, 128>>>(own, shared, grows); }
