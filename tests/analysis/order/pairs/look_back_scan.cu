// kinds: wrong-fence global-memory-race
#include <cuda_runtime.h>

// One pass prefix sum: a block adds up the totals of those before it, nearest first, until one has its whole prefix.
__global__ void chained_sum(const int *in, int *out, volatile int *total, volatile int *prefix, volatile int *state)
{
    __shared__ int lane_sum[8];
    __shared__ int before;
    const int t = threadIdx.x, b = blockIdx.x;
    int v = in[b * 256 + t];
    for (int d = 1; d < 32; d *= 2) {
        const int w = __shfl_up_sync(0xffffffffu, v, d);
        if (t % 32 >= d)
            v += w;
    }
    if (t % 32 == 31)
        lane_sum[t / 32] = v;
    __syncthreads();
    int add = 0, all = 0;
    for (int k = 0; k < 8; ++k) {
        if (k < t / 32)
            add += lane_sum[k];
        all += lane_sum[k];
    }
    if (t == 0) {
        total[b] = all;
        __threadfence(); //+
        state[b] = 1;
        int sum = 0;
        for (int p = b - 1; p >= 0; --p) {
            int s;
            do {
                s = state[p];
            } while (s == 0);
            __threadfence();
            if (s == 2) {
                sum += prefix[p];
                break;
            }
            sum += total[p];
        }
        prefix[b] = sum + all;
        __threadfence(); //+
        state[b] = 2;
        before = sum;
    }
    __syncthreads();
    out[b * 256 + t] = before + add + v;
}

void scan(const int *in, int *out, int *total, int *prefix, int *state, int blocks)
{
    cudaMemset(state, 0, blocks * sizeof(int));
    chained_sum<<<blocks, 256>>>(in, out, total, prefix, state);
}
