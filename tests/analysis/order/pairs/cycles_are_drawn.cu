// kinds: wrong-fence
// A matrix is transposed in place along cycles, whose first elements a counter hands out: a number drawn says nothing of
// what other blocks have done, though it is compared with the one that follows in its cycle, and a flag of the block lies
// beside it.  That a block is the last to draw from another counter does say so.
__global__ void cycles(float *cells, int *moved, int *next, unsigned *left, int *rounds, int *sum, int rows, int cols, int len) {
    extern __shared__ int box[];
    int *over = box, *first = &box[1];
    const int cell = threadIdx.x, end = rows * cols - 1;
    int mine = 0;
    if (cell == 0) first[0] = atomicAdd(&next[0], 1);
    __syncthreads();
    while (first[0] < end) {
        int to = first[0] * rows - end * (first[0] / cols);
        if (to == first[0]) {
            __syncthreads();
            if (cell == 0) first[0] = atomicAdd(&next[0], 1);
            __syncthreads();
            continue;
        }
        mine++;
        float carried, kept;
        if (cell < len) carried = cells[first[0] * len + cell];
        if (cell == 0) over[0] = atomicAdd(&moved[first[0]], 0);
        __syncthreads();
        for (; over[0] == 0; to = to * rows - end * (to / cols)) {
            if (cell < len) kept = cells[to * len + cell];
            __syncthreads();
            if (cell == 0) over[0] = atomicExch(&moved[to], 1);
            __syncthreads();
            if (!over[0]) {
                if (cell < len) cells[to * len + cell] = carried;
            }
            if (cell < len) carried = kept;
        }
        __syncthreads();
        if (cell == 0) first[0] = atomicAdd(&next[0], 1);
        __syncthreads();
    }
    __shared__ bool last;
    if (cell == 0) rounds[blockIdx.x] = mine;
    __threadfence(); //+
    __syncthreads();
    if (cell == 0) last = atomicAdd(left, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last && cell == 0) {
        int all = 0;
        for (int at = 0; at < gridDim.x; at++) all += rounds[at];
        *sum = all;
    }
}
