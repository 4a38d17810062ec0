// kinds: wrong-fence
// Whoever finds its key in a table takes the value beside it, which the thread that has put the key there adds later.
#include <cuda_runtime.h>

#define FREE 0xffffffffu

struct Table {
    unsigned *keys, *values, mask;
    __device__ unsigned find_or_add(unsigned key, unsigned value)
    {
        unsigned at = (key * 2654435761u) & mask;
        for (;; at = (at + 1) & mask) {
            unsigned was = atomicCAS(&keys[at], FREE, key);
            if (was == FREE) {
                values[at] = value; //-
                atomicExch(&values[at], value); //+
                return value;
            }
            if (was == key) {
                return values[at]; //-
                unsigned found = FREE; //+
                while (found == FREE) found = atomicAdd(&values[at], 0u); //+
                return found; //+
            }
        }
    }
};

__global__ void group(Table table, const unsigned *keys, unsigned *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = table.find_or_add(keys[i], i);
}
