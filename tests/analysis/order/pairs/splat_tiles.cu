// kinds: shared-memory-race
// Splats in tiles of a block's size, five planes of shared memory.
#include <cuda_runtime.h>
template <typename T, int TILE>
__global__ void splat_tiles(const T *__restrict__ splats, int count, T *__restrict__ image, int width, int height) {
  __shared__ T cx[TILE], cy[TILE], rad[TILE], weight[TILE], depth[TILE];
  const int px = blockIdx.x * blockDim.x + threadIdx.x;
  const int py = blockIdx.y;
  T acc = T(0), front = T(1);
  for (int base = 0; base < count; base += TILE) {
    const int id = base + threadIdx.x;
    if (id < count) {
      cx[threadIdx.x] = splats[id * 5 + 0];
      cy[threadIdx.x] = splats[id * 5 + 1];
      rad[threadIdx.x] = splats[id * 5 + 2];
      weight[threadIdx.x] = splats[id * 5 + 3];
      depth[threadIdx.x] = splats[id * 5 + 4];
    }
    __syncthreads();
    const int here = min(TILE, count - base);
    for (int j = 0; j < here; ++j) {
      const T dx = T(px) - cx[j], dy = T(py) - cy[j];
      const T q = dx * dx + dy * dy;
      if (q < rad[j]) {
        acc += front * weight[j] * depth[j];
        front *= T(1) - weight[j];
      }
    }
    __syncthreads(); //+
  }
  if (px < width && py < height) image[py * width + px] = acc;
}
void draw(const float *splats, int count, float *image, int width, int height) {
  dim3 grid((width + 255) / 256, height);
  splat_tiles<float, 256><<<grid, 256>>>(splats, count, image, width, height);
}
