// kinds: missing-proxy-fence wrong-fence
#include <cuda/ptx>
#include <cuda/barrier>
namespace ptx = cuda::ptx;
__global__ void scale_ring(const float *in, float *out, int tiles)
{
    __shared__ alignas(128) float stage[2][512];
    for (int k = 0; k < tiles; ++k) {
        float *s = stage[k & 1];
        if (threadIdx.x == 0)
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>{});
        __syncthreads();
        for (int i = threadIdx.x; i < 512; i += blockDim.x)
            s[i] = 2.0f * in[(k * gridDim.x + blockIdx.x) * 512 + i];
        ptx::fence_proxy_async(ptx::space_shared); //+
        __syncthreads();
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + (k * gridDim.x + blockIdx.x) * 512, s, 2048);
            ptx::cp_async_bulk_commit_group();
        }
    }
    if (threadIdx.x == 0)
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
}
void go(const float *in, float *out, int tiles) { scale_ring<<<64, 128>>>(in, out, tiles); }
