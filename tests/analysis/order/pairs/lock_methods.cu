// kinds: wrong-fence global-memory-race
#include <cuda_runtime.h>

struct SpinLock {
    int *word;
    __device__ void acquire()
    {
        while (atomicExch(word, 1) == 1)
            ;
        __threadfence();
    }
    __device__ void release()
    {
        __threadfence(); //+
        atomicExch(word, 0);
    }
};

struct Best {
    float score;
    int index;
};

__global__ void keep_best(const float *score, int n, Best *best, int *word)
{
    __shared__ float top[128];
    __shared__ int where[128];
    const int t = threadIdx.x, i = blockIdx.x * 128 + t;
    top[t] = i < n ? score[i] : -1.0f;
    where[t] = i;
    for (int half = 64; half > 0; half /= 2) {
        __syncthreads();
        if (t < half && top[t + half] > top[t]) {
            top[t] = top[t + half];
            where[t] = where[t + half];
        }
    }
    if (t == 0) {
        SpinLock lock{word};
        lock.acquire();
        if (top[0] > best->score) {
            best->score = top[0];
            best->index = where[0];
        }
        lock.release();
    }
}

void best_of(const float *score, int n, Best *best, int *word)
{
    keep_best<<<(n + 127) / 128, 128>>>(score, n, best, word);
}
