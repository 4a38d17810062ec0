// kinds: wrong-fence global-memory-race
#include <cuda_runtime.h>

struct Bucket {
    int key, newest;
};

// The rows of one key are linked, newest first.
__global__ void link_rows(const int *keys, int n, Bucket *table, unsigned mask, int *older)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    for (unsigned at = keys[row] * 2654435761u & mask;; at = at + 1 & mask) {
        const int seen = atomicCAS(&table[at].key, -1, keys[row]);
        if (seen == -1) { //-
            table[at].newest = row; //-
            older[row] = -1; //-
            return; //-
        } //-
        if (seen == keys[row]) { //-
        if (seen == -1 || seen == keys[row]) { //+
            older[row] = atomicExch(&table[at].newest, row);
            return;
        }
    }
}
