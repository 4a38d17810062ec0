// kinds: collective-storage-reuse shared-memory-race
#include <cub/cub.cuh>
template <int T>
__global__ void softmax(const float *x, float *y, int n)
{
    using Reduce = cub::BlockReduce<float, T>;
    __shared__ typename Reduce::TempStorage tmp;
    __shared__ float top, total;
    const float *row = x + (size_t)blockIdx.x * n;
    float m = -1e30f;
    for (int i = threadIdx.x; i < n; i += T) m = fmaxf(m, row[i]);
    m = Reduce(tmp).Reduce(m, cub::Max());
    if (threadIdx.x == 0) top = m;
    __syncthreads(); //+
    float s = 0.0f;
    for (int i = threadIdx.x; i < n; i += T) s += expf(row[i] - m);
    s = Reduce(tmp).Sum(s);
    if (threadIdx.x == 0) total = s;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += T) y[(size_t)blockIdx.x * n + i] = expf(row[i] - top) / total;
}
void go(const float *x, float *y, int rows, int n) { softmax<256><<<rows, 256>>>(x, y, n); }
