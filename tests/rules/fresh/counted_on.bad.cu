// Neighbours of a particle are listed as far as the list goes, and counted further; the sum runs over the count.
// family: bounds
#define ROOM 48
__global__ void density(const float3 *x, const int *cell_start, float *rho, int n, int cells, float h2) {
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me >= n) return;
    int near[ROOM];
    int count = 0;
    for (int c = 0; c < cells; ++c)
        for (int k = cell_start[c]; k < cell_start[c + 1]; ++k) {
            const float dx = x[k].x - x[me].x, dy = x[k].y - x[me].y;
            if (dx * dx + dy * dy < h2) {
                if (count < ROOM) near[count] = k;
                ++count;
            }
        }
    float sum = 0.0f;
    for (int j = 0; j < count; ++j) sum += x[near[j]].z;  // bad
    rho[me] = sum;
}
