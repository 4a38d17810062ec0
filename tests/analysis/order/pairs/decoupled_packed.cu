// kinds: wrong-fence global-memory-race
#include <cuda_runtime.h>
// Value and state in one 64-bit word: one atomic exchange publishes both.
__device__ unsigned long long pack(unsigned state, unsigned v) { return (unsigned long long)state << 32 | v; }
__global__ void packed_scan(const unsigned *count, unsigned *start, unsigned long long *word, unsigned *aux)
{
    if (threadIdx.x != 0) return;
    const unsigned mine = count[blockIdx.x];
    aux[blockIdx.x] = mine * 3; //-
    atomicExch(&word[blockIdx.x], pack(1, mine));
    unsigned sum = 0;
    for (int b = (int)blockIdx.x - 1; b >= 0; --b) {
        unsigned long long w;
        do {
            w = atomicAdd(&word[b], 0ull);
        } while ((unsigned)(w >> 32) == 0);
        sum += (unsigned)w;
        sum += aux[b]; //-
    }
    start[blockIdx.x] = sum;
}
void go(const unsigned *c, unsigned *s, unsigned long long *w, unsigned *aux, int n) { packed_scan<<<n, 32>>>(c, s, w, aux); }
