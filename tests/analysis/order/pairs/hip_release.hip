// kinds: wrong-fence global-memory-race
#include <hip/hip_runtime.h>

// Block 0 builds a table and sets a flag, the others wait; launched cooperatively.
__global__ void apply_table(const float *seed, float *table, int *flag, const int *key, float *out)
{
    const int t = threadIdx.x;
    if (blockIdx.x == 0) {
        table[t] = seed[t] * seed[t];
        __syncthreads();
        if (t == 0)
            __hip_atomic_store(flag, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); //-
            __hip_atomic_store(flag, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT); //+
        return;
    }
    if (t == 0) {
        while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0)
            ;
    }
    __syncthreads();
    const int i = (blockIdx.x - 1) * 256 + t;
    out[i] = table[key[i] & 255];
}

void apply(const float *seed, float *table, int *flag, const int *key, float *out)
{
    void *args[] = {&seed, &table, &flag, &key, &out};
    hipLaunchCooperativeKernel((void *)apply_table, dim3(32), dim3(256), args, 0, 0);
}
