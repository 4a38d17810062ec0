// kinds: shared-memory-race
#include <cuda_runtime.h>

// counts of each thread for each class, and behind them the places at which the classes begin
__global__ void place_by_class(const int *classes, int *order, int *begins, int count, int n)
{
    extern __shared__ int table[];
    int *first = table + (blockDim.x + 1) * count;
    const int each = (n + blockDim.x - 1) / blockDim.x;
    const int from = threadIdx.x * each, to = min(n, from + each);

    for (int c = 0; c < count; ++c)
        table[(threadIdx.x + 1) * count + c] = 0;
    for (int i = from; i < to; ++i)
        table[(threadIdx.x + 1) * count + classes[i]]++;
    __syncthreads();
    for (int c = threadIdx.x; c < count; c += blockDim.x) {
        table[c] = 0;
        for (int t = 1; t <= (int)blockDim.x; ++t)
            table[t * count + c] += table[(t - 1) * count + c];
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        first[0] = 0;
        for (int c = 1; c <= count; ++c)
            first[c] = first[c - 1] + table[blockDim.x * count + c - 1];
    }
    __syncthreads(); //+
    for (int c = threadIdx.x; c < count; c += blockDim.x)
        begins[c] = first[c];
    for (int i = from; i < to; ++i)
        order[first[classes[i]] + table[threadIdx.x * count + classes[i]]++] = i;
}

void place(const int *classes, int *order, int *begins, int count, int n, cudaStream_t stream)
{
    place_by_class<<<1, 64, (65 * count + count + 1) * sizeof(int), stream>>>(classes, order, begins, count, n);
}
