// kinds: wrong-fence global-memory-race
#include <cuda_runtime.h>
// Chains of a hash table, one lock for each bucket.
__global__ void insert(const int *key, int n, int *head, int *next, int *size, int *lock, int buckets)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int b = key[i] % buckets;
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock[b], 0, 1) == 0) {
            __threadfence();
            next[i] = head[b];
            head[b] = i;
            size[b] += 1;
            __threadfence(); //+
            atomicExch(&lock[b], 0);
            done = true;
        }
    }
}
void go(const int *key, int n, int *head, int *next, int *size, int *lock) { insert<<<(n + 127) / 128, 128>>>(key, n, head, next, size, lock, 1024); }
