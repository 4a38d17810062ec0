// kinds: shared-memory-race unawaited-async-copy
#include <cuda_pipeline.h>

__global__ void smooth_rows(const float *in, float *out, int rows)
{
    __shared__ float row[2][256];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&row[0][t], in + t, sizeof(float));
    __pipeline_commit();
    for (int r = 0; r < rows; ++r) {
        if (r + 1 < rows)
            __pipeline_memcpy_async(&row[(r + 1) & 1][t], in + (r + 1) * 256 + t, sizeof(float));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        out[r * 256 + t] = 0.5f * (row[r & 1][t] + row[r & 1][(t + 1) % 256]);
        __syncthreads(); //+
    }
}

void smooth(const float *in, float *out, int rows)
{
    smooth_rows<<<1, 256>>>(in, out, rows);
}
