// kinds: shared-memory-race
// Prefix sums of extrema over a long row, the total carried in shared memory.
#include <cuda_runtime.h>
__global__ void prefix_rows(const int *in, int *out, int n) {
  __shared__ int carried;
  __shared__ int part[32];
  if (threadIdx.x == 0 && threadIdx.y == 0) carried = 0;
  __syncthreads();
  const int step = blockDim.x * blockDim.y;
  for (int from = 0; from < n; from += step) {
    const int cell = from + threadIdx.y * 32 + threadIdx.x;
    int own = cell < n ? in[cell] : 0, sum = own;
#pragma unroll
    for (int s = 1; s < 32; s *= 2) {
      int up = __shfl_up_sync(0xffffffff, sum, s);
      if (threadIdx.x >= s) sum += up;
    }
    if (threadIdx.x == 31) part[threadIdx.y] = sum;
    __syncthreads();
    if (threadIdx.y == 0) {
      int p = threadIdx.x < blockDim.y ? part[threadIdx.x] : 0, q = p;
      for (int s = 1; s < 32; s *= 2) {
        int up = __shfl_up_sync(0xffffffff, q, s);
        if (threadIdx.x >= s) q += up;
      }
      part[threadIdx.x] = q - p;
    }
    __syncthreads();
    if (cell < n) out[cell] = carried + part[threadIdx.y] + sum - own;
    __syncthreads(); //+
    if (threadIdx.y == blockDim.y - 1 && threadIdx.x == 31) carried += part[threadIdx.y] + sum;
    __syncthreads();
  }
}
void scan(const int *in, int *out, int n) { prefix_rows<<<1, dim3(32, 32)>>>(in, out, n); }
