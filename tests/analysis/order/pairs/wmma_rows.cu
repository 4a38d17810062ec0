// kinds: missing-warp-sync shared-memory-race
#include <mma.h>

using namespace nvcuda;

__global__ void gram(const half *a, float *diagonal)
{
    __shared__ float tile[4][256];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
    wmma::fill_fragment(z, 0.0f);
    const half *from = a + (size_t)(blockIdx.x * 4 + warp) * 256;
    wmma::load_matrix_sync(x, from, 16);
    wmma::load_matrix_sync(y, from, 16);
    wmma::mma_sync(z, x, y, z);
    wmma::store_matrix_sync(tile[warp], z, 16, wmma::mem_row_major);
    __syncwarp(); //+
    if (lane < 16)
        diagonal[(blockIdx.x * 4 + warp) * 16 + lane] = tile[warp][lane * 17];
}

void grams(const half *a, float *diagonal, int blocks)
{
    gram<<<blocks, 128>>>(a, diagonal);
}
