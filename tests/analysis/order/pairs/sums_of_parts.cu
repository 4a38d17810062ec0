// kinds: global-memory-race
#include <cuda_runtime.h>

struct Part {
    int row, rows, values;
};

// Several parts may begin in one row.
__global__ void add_parts(const Part *parts, const float *values, const float *x, float *sums, int width)
{
    const Part part = parts[blockIdx.x];
    for (int i = threadIdx.x; i < part.rows * width; i += blockDim.x) {
        float s = 0.0f;
        for (int k = 0; k < width; ++k)
            s += values[part.values + i / width * width + k] * x[k];
        sums[part.row * width + i] += s; //-
        atomicAdd(&sums[part.row * width + i], s); //+
    }
}

void all(const Part *parts, int count, const float *values, const float *x, float *sums, int width, int rows)
{
    cudaMemset(sums, 0, sizeof(float) * rows * width);
    add_parts<<<count, 128>>>(parts, values, x, sums, width);
}
