// kinds: wrong-fence global-memory-race
#include <cuda_runtime.h>

static __device__ __forceinline__ unsigned peek(const unsigned *word)
{
    unsigned v;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(word) : "memory");
    return v;
}

static __device__ __forceinline__ void bump(unsigned *word)
{
    asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(word) : "memory"); //-
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(word) : "memory"); //+
}

// The first half of the blocks makes columns, the second half uses them; all are resident (cooperative launch).
__global__ void two_stages(const float *a, float *mid, float *out, unsigned *made)
{
    const int half = gridDim.x / 2, t = threadIdx.x;
    if (blockIdx.x < half) {
        mid[blockIdx.x * 64 + t] = 2.0f * a[blockIdx.x * 64 + t];
        __syncthreads();
        if (t == 0)
            bump(made);
    } else {
        if (t == 0)
            while (peek(made) < half) {
            }
        __syncthreads();
        const int row = blockIdx.x - half;
        float s = 0.0f;
        for (int k = 0; k < half; ++k)
            s += mid[k * 64 + t];
        out[row * 64 + t] = s;
    }
}

void run(const float *a, float *mid, float *out, unsigned *made)
{
    cudaMemset(made, 0, sizeof(unsigned));
    void *args[] = {&a, &mid, &out, &made};
    cudaLaunchCooperativeKernel((void *)two_stages, dim3(16), dim3(64), args, 0, 0);
}
