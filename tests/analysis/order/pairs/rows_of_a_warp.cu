// kinds: missing-warp-sync
// Best candidate of a row by way of eight cells a warp; the rows of a warp follow each other.
#include <cuda_runtime.h>
__global__ void best_of(const float *score, int *arg, int rows, int cols) {
  __shared__ float top[8][32];
  __shared__ int where[8][32];
  const int w = threadIdx.y, l = threadIdx.x;
  for (int r = blockIdx.x * 8 + w; r < rows; r += gridDim.x * 8) {
    float m = -1e30f; int at = -1;
    for (int c = l; c < cols; c += 32) if (score[r * cols + c] > m) { m = score[r * cols + c]; at = c; }
    top[w][l] = m; where[w][l] = at;
    __syncwarp();
    if (l == 0) {
      for (int j = 1; j < 32; ++j) if (top[w][j] > m) { m = top[w][j]; at = where[w][j]; }
      arg[r] = at;
    }
    __syncwarp(); //+
  }
}
void go(const float *s, int *a, int rows, int cols) { best_of<<<120, dim3(32, 8)>>>(s, a, rows, cols); }
