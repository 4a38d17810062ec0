// kinds: collective-storage-reuse shared-memory-race
#include <cub/block/block_reduce.cuh>

template <int THREADS>
__global__ void channel_sums(const float *x, float *sums, int channels, int length)
{
    typedef cub::BlockReduce<float, THREADS> BlockReduce;
    __shared__ typename BlockReduce::TempStorage storage;
    for (int c = 0; c < channels; ++c) {
        float s = 0.0f;
        for (int i = threadIdx.x; i < length; i += THREADS)
            s += x[(size_t)c * length + i];
        const float all = BlockReduce(storage).Sum(s);
        if (threadIdx.x == 0)
            sums[c] = all;
        __syncthreads(); //+
    }
}

void sums_of(const float *x, float *sums, int channels, int length)
{
    channel_sums<256><<<1, 256>>>(x, sums, channels, length);
}
