// kinds: wrong-fence global-memory-race
#include <cuda_runtime.h>

struct Entry {
    int key, next;
};

// Chained table: entries come from a pool, heads hold the number of the newest one. Keys that are there already are
// not entered again.
__global__ void enter(const int *keys, int n, int *heads, int mask, Entry *pool, int *used, int room)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int *head = &heads[keys[i] & mask];
    int slot = -1;
    for (;;) {
        const int first = atomicAdd(head, 0);
        bool there = false;
        for (int e = first; e >= 0; e = pool[e].next)
            there = there || pool[e].key == keys[i];
        if (there)
            return;
        slot = atomicAdd(used, 1);
        if (slot >= room)
            return;
        pool[slot].key = keys[i];
        pool[slot].next = first;
        __threadfence(); //+
        if (atomicCAS(head, first, slot) == first)
            return;
    }
}
