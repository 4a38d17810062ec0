// kinds: global-memory-race wrong-fence
#include <cuda/atomic>
struct Syncer {
    static const unsigned COUNTERS = 3;
    __device__ void sync(int blocks) {
        __syncthreads();
        if (blocks == 1) return;
        if (threadIdx.x == 0) {
            unsigned now = (current_ + 1) % COUNTERS, next = (now + 1) % COUNTERS;
            count_[next] = 0;
            cuda::atomic_ref<unsigned, cuda::thread_scope_device> at(count_[now]);
            at.fetch_add(1u, cuda::memory_order_release);
            while (at.load(cuda::memory_order_acquire) != blocks) ;
            current_ = now;
        }
        __syncthreads();
    }
    unsigned count_[COUNTERS];
    unsigned current_;
};
__device__ Syncer syncer;
__global__ void two_steps(const float *in, float *mid, float *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) mid[i] = in[i] * 2.0f;
    syncer.sync(gridDim.x); //+
    if (i < n) out[i] = mid[n - 1 - i];
}
