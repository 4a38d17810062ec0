// kinds: wrong-fence global-memory-race
#include <cuda/atomic>

struct Descriptor {
    int value;
    int ready;
};

__device__ int fetch_before(Descriptor *d, int at)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(d[at].ready);
    while (ready.load(cuda::memory_order_relaxed) == 0) //-
        ; //-
    while (ready.load(cuda::memory_order_acquire) == 0) //+
        ; //+
    return d[at].value;
}

__device__ void announce(Descriptor *d, int at, int value)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(d[at].ready);
    d[at].value = value;
    ready.store(1, cuda::memory_order_relaxed); //-
    ready.store(1, cuda::memory_order_release); //+
}

__global__ void running_total(const int *count, Descriptor *chain, int *first)
{
    if (threadIdx.x == 0) {
        const int b = blockIdx.x;
        const int mine = count[b];
        const int before = b == 0 ? 0 : fetch_before(chain, b - 1);
        announce(chain, b, before + mine);
        first[b] = before;
    }
}

void totals(const int *count, Descriptor *chain, int *first, int blocks)
{
    running_total<<<blocks, 32>>>(count, chain, first);
}
