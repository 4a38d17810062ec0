// kinds: global-memory-race
#include <cuda_runtime.h>
struct Tensor { float *data; int sizes[4]; long strides[4]; int numel() const; long stride(int d) const { return strides[d]; } };
__global__ void shift_all(float *x, const float *by, size_t length, long batch_stride)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= length) return;
    x[i + batch_stride * blockIdx.y] += by[i] * blockIdx.y; //+
    x[i + batch_stride * (blockIdx.y / 2)] += by[i] * blockIdx.y; //-
}
void shift_one(Tensor x, Tensor by)
{
    int threads = 1024, blocks = (x.numel() + threads - 1) / threads;
    shift_all<<<blocks, threads>>>(x.data, by.data, x.numel(), 0);
}
void shift_batch(Tensor x, Tensor by)
{
    const int batch = x.sizes[0], numel = x.numel() / batch;
    int threads = 1024;
    dim3 grid((numel + threads - 1) / threads, batch);
    shift_all<<<grid, threads>>>(x.data, by.data, numel, x.stride(0));
}
