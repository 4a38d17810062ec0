// kinds: wrong-fence
#include <cuda_runtime.h>

// Each half of a warp smooths a row of its own.
__global__ void smooth_rows(const float *x, float *y, int rows, int columns)
{
    __shared__ float line[8][18];
    const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    for (int i = threadIdx.x; i < 18; i += 16) {
        const int from = blockIdx.x * 16 + i - 1;
        line[threadIdx.y][i] = row < rows && from >= 0 && from < columns ? x[row * columns + from] : 0.0f;
    }
    __threadfence(); //-
    __syncthreads(); //+
    if (row < rows && column < columns)
        y[row * columns + column] = 0.5f * (line[threadIdx.y][threadIdx.x] + line[threadIdx.y][threadIdx.x + 2]);
}

void smooth(const float *x, float *y, int rows, int columns)
{
    smooth_rows<<<dim3((columns + 15) / 16, (rows + 7) / 8), dim3(16, 8)>>>(x, y, rows, columns);
}
