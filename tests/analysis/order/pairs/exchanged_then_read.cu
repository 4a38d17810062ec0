// kinds: wrong-fence
// A sum is put down by an exchange before its flag is set; who looks back waits for the flag and reads the sum plainly.
#include <cuda_runtime.h>

__global__ void look_back(int *sums, int *flags, const int *in, int *out)
{
    const int b = blockIdx.x;
    if (threadIdx.x != 0)
        return;
    atomicExch(&sums[b], in[b]);
    __threadfence();
    atomicExch(&flags[b], 1);
    int before = 0;
    for (int p = b - 1; p >= 0; p--) {
        while (atomicAdd(&flags[p], 0) == 0) {
        }
        __threadfence(); //+
        before += sums[p];
    }
    out[b] = before;
}
