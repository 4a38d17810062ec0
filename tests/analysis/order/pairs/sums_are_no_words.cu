// kinds: wrong-fence
// What particles add to a field counts nobody, though each looks at the field afterwards; how many blocks are done does.
__global__ void deposit(const int *cell, const double *push, double *momentum, double *density, double *kept, int *done,
                        double *total, int n, double most) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ bool last;
    if (i < n) {
        const int at = cell[i];
        atomicAdd(&momentum[at], push[i]);
        if (momentum[at] > most * density[at]) atomicAdd(&density[at], 1.0);
    }
    if (threadIdx.x == 0) {
        kept[blockIdx.x] = push[blockIdx.x];
        __threadfence(); //+
        last = atomicAdd(done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        double sum = 0;
        for (int b = 0; b < gridDim.x; b++) sum += kept[b];
        *total = sum;
    }
}
