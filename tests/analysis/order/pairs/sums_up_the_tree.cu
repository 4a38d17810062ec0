// kinds: wrong-fence
// The second child to arrive makes the parent's sum, which its own arrival one level up hands on.
#include <cuda_runtime.h>

__global__ void sums(const int *parent, const int2 *children, const int *leaf_of, const float *leaf, float *inner,
                     int *arrived, int leaves)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= leaves)
        return;
    int node = leaf_of[i];
    while (node >= 0) {
        if (atomicAdd(&arrived[node], 1) == 0)
            return;
        __threadfence();
        const int2 both = children[node];
        const float left = both.x < 0 ? leaf[~both.x] : inner[both.x];
        const float right = both.y < 0 ? leaf[~both.y] : inner[both.y];
        inner[node] = left + right;
        __threadfence(); //+
        node = parent[node];
    }
}
