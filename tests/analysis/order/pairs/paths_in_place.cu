// kinds: shared-memory-race
// Floyd-Warshall on the diagonal tile, in place.
#include <cuda_runtime.h>
#define SIDE 32
__global__ void diagonal(int *dist, int n, int step) {
  __shared__ int cell[SIDE][SIDE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = step * SIDE + y, col = step * SIDE + x;
  cell[y][x] = (row < n && col < n) ? dist[row * n + col] : 1 << 29;
  __syncthreads();
#pragma unroll 4
  for (int k = 0; k < SIDE; ++k) {
    int through = cell[y][k] + cell[k][x];
    __syncthreads(); //+
    if (through < cell[y][x]) cell[y][x] = through;
    __syncthreads(); //+
  }
  __syncthreads(); //-
  if (row < n && col < n) dist[row * n + col] = cell[y][x];
}
void run(int *dist, int n, int step) { diagonal<<<1, dim3(SIDE, SIDE)>>>(dist, n, step); }
