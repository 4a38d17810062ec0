// kinds: global-memory-race
#include <cuda_runtime.h>

constexpr int cut(int n, int by) { return (n + by - 1) / by; }

template <int ROWS, int COLUMNS>
__global__ void __launch_bounds__(128) scale_tiles(const float *in, float *out, int m, int n)
{
    const int across = cut(n, COLUMNS);
    const int tile_m = blockIdx.x / across, tile_n = blockIdx.x % across;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    in += tile_m * ROWS * n + tile_n * COLUMNS;
    out += tile_m * ROWS * n + tile_n * COLUMNS; //+
    out += tile_m * ROWS * n + tile_n * COLUMNS / 2; //-
    for (int r = warp; r < ROWS; r += 4)
        for (int c = lane; c < COLUMNS; c += 32)
            out[r * n + c] = in[r * n + c] * 2.0f + blockIdx.x;
}

void scale(const float *in, float *out, int m, int n)
{
    scale_tiles<64, 128><<<cut(m, 64) * cut(n, 128), 128>>>(in, out, m, n);
}
