// kinds: shared-memory-race
#include <cuda_runtime.h>

template <int CHUNKS, int WARPS>
__global__ void __launch_bounds__(32 * WARPS) rows_of_warps(const float *in, float *out)
{
    extern __shared__ float rows[];
    const unsigned warp = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    float *row = rows + (warp % WARPS) * CHUNKS * 32; //+
    float *row = rows + (warp % (WARPS / 2)) * CHUNKS * 32; //-
    for (int c = 0; c < CHUNKS; ++c)
        row[c * 32 + lane] = in[(warp * CHUNKS + c) * 32 + lane];
    __syncwarp();
    for (int c = 0; c < CHUNKS; ++c)
        out[(warp * CHUNKS + c) * 32 + lane] = row[c * 32 + (31 - lane)];
}

template <int CHUNKS, int WARPS> void run(const float *in, float *out, int n)
{
    const int shared = CHUNKS * WARPS * 32 * sizeof(float);
    auto kernel = rows_of_warps<CHUNKS, WARPS>;
    kernel<<<dim3(n / CHUNKS / WARPS), dim3(32 * WARPS), shared>>>(in, out);
}

void start(const float *in, float *out, int n, int size)
{
    switch (size) {
    case 1: run<1, 2>(in, out, n); break;
    case 2: run<2, 16>(in, out, n); break;
    case 3: run<1, 32>(in, out, n); break;
    }
}
