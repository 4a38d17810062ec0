// kinds: shared-memory-race
// Breadth-first search by one block with two queues in shared memory.
#include <cuda_runtime.h>
__global__ void bfs_block(const int *row, const int *adj, int *level, int source) {
  __shared__ int queue[2][1024];
  __shared__ int size[2];
  int cur = 0, depth = 0;
  if (threadIdx.x == 0) { queue[0][0] = source; size[0] = 1; size[1] = 0; level[source] = 0; }
  __syncthreads();
  while (size[cur] > 0) {
    const int next = cur ^ 1;
    for (int i = threadIdx.x; i < size[cur]; i += blockDim.x) {
      const int v = queue[cur][i];
      for (int e = row[v]; e < row[v + 1]; ++e)
        if (atomicCAS(&level[adj[e]], -1, depth + 1) == -1) {
          int slot = atomicAdd(&size[next], 1);
          if (slot < 1024) queue[next][slot] = adj[e];
        }
    }
    __syncthreads(); //+
    if (threadIdx.x == 0) size[cur] = 0;
    __syncthreads();
    cur = next;
    depth++;
  }
}
