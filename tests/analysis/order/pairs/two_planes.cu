// kinds: shared-memory-race
// Explicit heat steps in shared memory with two planes; the planes change roles.
#include <cuda_runtime.h>
#define W 34
__global__ void heat(float *grid, int pitch, int steps, float k) {
  __shared__ float plane[2][W][W];
  const int x = threadIdx.x, y = threadIdx.y;
  plane[0][y][x] = grid[(blockIdx.y * 32 + y) * pitch + blockIdx.x * 32 + x];
  plane[1][y][x] = plane[0][y][x];
  int from = 0;
  __syncthreads();
  for (int s = 0; s < steps; ++s) {
    const int to = 1 - from; //+
    const int to = from & 1; //-
    if (x > 0 && x < W - 1 && y > 0 && y < W - 1)
      plane[to][y][x] = plane[from][y][x] + k * (plane[from][y - 1][x] + plane[from][y + 1][x] + plane[from][y][x - 1] + plane[from][y][x + 1] - 4 * plane[from][y][x]);
    __syncthreads();
    from ^= 1;
  }
  grid[(blockIdx.y * 32 + y) * pitch + blockIdx.x * 32 + x] = plane[from][y][x];
}
