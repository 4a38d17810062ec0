// kinds: shared-memory-race
// Morphology by a scan with a window: a step at a time, in place.
#include <cuda_runtime.h>
__device__ float pick(float a, float b) { return a < b ? a : b; }
__global__ void erode_rows(const float *src, float *dst, int pitch, int width, int window) {
  extern __shared__ float line[];
  const int size = blockDim.x;
  const int col = blockIdx.x * size + threadIdx.x, row = blockIdx.y;
  line[threadIdx.x] = col < width ? src[row * pitch + col] : 1e30f;
  __syncthreads();
  for (int reach = 1; reach < window; reach += reach) {
    if (threadIdx.x >= reach) { //-
      line[threadIdx.x] = pick(line[threadIdx.x], line[threadIdx.x - reach]); //-
    } //-
    float mine = line[threadIdx.x]; //+
    if (threadIdx.x >= reach) mine = pick(mine, line[threadIdx.x - reach]); //+
    __syncthreads(); //+
    line[threadIdx.x] = mine; //+
    __syncthreads();
  }
  if (col < width) dst[row * pitch + col] = line[threadIdx.x];
}
