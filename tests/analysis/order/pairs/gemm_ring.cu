// kinds: shared-memory-race unawaited-async-copy
#include <cuda_pipeline.h>
#define STAGES 3
__global__ void dot_rows(const float *a, const float *b, float *c, int steps)
{
    __shared__ float sa[STAGES][128], sb[STAGES][128];
    const int t = threadIdx.x;
    for (int s = 0; s < STAGES - 1; ++s) {
        __pipeline_memcpy_async(&sa[s][t], a + s * 128 + t, 4);
        __pipeline_memcpy_async(&sb[s][t], b + s * 128 + t, 4);
        __pipeline_commit();
    }
    float acc = 0.0f;
    for (int k = 0; k < steps; ++k) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); //+
        acc += sa[k % STAGES][127 - t] * sb[k % STAGES][(t + 1) % 128];
        const int n = k + STAGES - 1;
        if (n < steps) {
            __pipeline_memcpy_async(&sa[n % STAGES][t], a + n * 128 + t, 4);
            __pipeline_memcpy_async(&sb[n % STAGES][t], b + n * 128 + t, 4);
        }
        __pipeline_commit();
    }
    c[blockIdx.x * 128 + t] = acc;
}
void go(const float *a, const float *b, float *c, int steps) { dot_rows<<<1, 128>>>(a, b, c, steps); }
