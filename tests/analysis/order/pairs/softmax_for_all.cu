// kinds: collective-result-of-one-thread
// The maximum and the sum of a row are needed by every thread.
#include <cub/cub.cuh>
template <typename T, int N>
__global__ void softmax_rows(const T *x, T *y, int cols) {
  typedef cub::BlockReduce<T, N> Reduce;
  __shared__ typename Reduce::TempStorage tmp;
  __shared__ T shared_max; //+
  const T *row = x + (size_t)blockIdx.x * cols;
  T *out = y + (size_t)blockIdx.x * cols;
  T m = T(-1e30);
  for (int c = threadIdx.x; c < cols; c += N) m = max(m, row[c]);
  T top = Reduce(tmp).Reduce(m, cub::Max());
  if (threadIdx.x == 0) shared_max = top; //+
  __syncthreads();
  top = shared_max; //+
  for (int c = threadIdx.x; c < cols; c += N) out[c] = exp(row[c] - top);
}
template __global__ void softmax_rows<float, 256>(const float *, float *, int);
