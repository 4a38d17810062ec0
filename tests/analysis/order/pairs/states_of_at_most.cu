// kinds: shared-memory-race
#include <cuda_runtime.h>
constexpr int kWords = 96;
constexpr int kNodes = 2 * kWords + 1;
// A row of states goes forward: the rows of two times take turns, each as long as the longest sentence needs.
__global__ void forward(const float *gain, const int *words, const int *times, float *best, int longest)
{
    __shared__ float score[2][kNodes];
    const int nodes = 2 * min(words[blockIdx.x], kWords) + 1;
    for (int s = threadIdx.x; s < nodes; s += blockDim.x)
        score[0][s] = s < 2 ? gain[s] : -1e30f;
    __syncthreads();
    for (int t = 1; t < times[blockIdx.x]; ++t) {
        const float *before = score[(t - 1) & 1]; //+
        const float *before = score[t & 1]; //-
        for (int s = threadIdx.x; s < nodes; s += blockDim.x) {
            float v = before[s];
            if (s > 0) v = fmaxf(v, before[s - 1]);
            if (s > 1 && (s & 1)) v = fmaxf(v, before[s - 2]);
            score[t & 1][s] = v + gain[t * longest + s];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        best[blockIdx.x] = score[(times[blockIdx.x] - 1) & 1][nodes - 1];
}
void run(const float *gain, const int *words, const int *times, float *best, int longest)
{
    forward<<<64, 256>>>(gain, words, times, best, longest);
}
