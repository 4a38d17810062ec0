// kinds: wrong-fence
// Blocks of one output tile take turns by a semaphore; each adds its part to what the one before has left.
#include <cuda_runtime.h>
#include <cstdint>
__device__ void wait_turn(int *semaphore, int turn) {
  if (threadIdx.x == 0) {
    while (atomicAdd(semaphore, 0) != turn) {}
  }
  __syncthreads();
  __threadfence();
}
__device__ void next_turn(int *semaphore, int turn, int last) {
  __threadfence(); //+
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(semaphore, turn == last ? 0 : turn + 1);
}
__global__ void split_k(const float *a, const float *b, float *c, int *semaphores, int k, int slices) {
  const int tile = blockIdx.x, slice = blockIdx.y;
  const int i = tile * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = slice; j < k; j += slices) sum += a[i * k + j] * b[j];
  wait_turn(&semaphores[tile], slice);
  if (slice > 0) sum += c[i];
  c[i] = sum;
  next_turn(&semaphores[tile], slice, slices - 1);
}
