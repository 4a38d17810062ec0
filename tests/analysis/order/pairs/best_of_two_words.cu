// kinds: global-memory-race
// The best score and what has it are two words: whoever breaks the record writes the second, one after the other.
#include <cuda_runtime.h>

struct Best {
    unsigned score; //-
    unsigned seed; //-
    unsigned long long both; //+
};

__device__ unsigned mixed(unsigned x)
{
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    return x ^ (x >> 12);
}

__global__ void search(unsigned first, unsigned count, Best *best)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const unsigned score = mixed(first + i);
        const unsigned before = atomicMax(&best->score, score); //-
        if (before < score) //-
            best->seed = first + i; //-
        atomicMax(&best->both, ((unsigned long long)score << 32) | (first + i)); //+
    }
}

void run(unsigned first, unsigned count, Best *best) { search<<<128, 256>>>(first, count, best); }
