// kinds: shared-memory-race
#include <cub/cub.cuh>
template <int THREADS> struct Storage {
    union { typename cub::BlockReduce<float, THREADS>::TempStorage reduce; float scan[THREADS / 32]; } prim;
    union { float value; int count; } total;
};
template <int THREADS> __global__ void until(const float *p, int *out, float limit, int n)
{
    extern __shared__ __align__(16) unsigned char raw[];
    auto &storage = reinterpret_cast<Storage<THREADS> &>(raw);
    float sum = 0.0f;
    for (int base = 0; base < n; base += THREADS) {
        float v = base + threadIdx.x < n ? p[blockIdx.x * n + base + threadIdx.x] : 0.0f;
        float part = cub::BlockReduce<float, THREADS>(storage.prim.reduce).Sum(v);
        if (threadIdx.x == 0) storage.total.value = part;
        __syncthreads(); //+
        part = storage.total.value;
        if (sum + part > limit) {
            float run = v;
            for (int d = 1; d < 32; d *= 2) {
                float t = __shfl_up_sync(0xffffffffu, run, d);
                if (threadIdx.x % 32 >= d) run += t;
            }
            if (run > limit) atomicMin(&out[blockIdx.x], base + threadIdx.x);
            break;
        }
        sum += part;
        __syncthreads();
    }
}
void go(const float *p, int *out, float limit, int n, int rows) {
    until<256><<<rows, 256, sizeof(Storage<256>)>>>(p, out, limit, n);
}
