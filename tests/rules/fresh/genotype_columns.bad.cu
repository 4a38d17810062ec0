// Column sums of a matrix of genotypes: columns are tested where they are read, not where the sums are added.
// family: bounds
template <typename T, int COLS, int ROWS>
__global__ void allele_counts(T *counts, const T *dosage, int people, int variants) {
    __shared__ T part[COLS];
    const int lane = threadIdx.x % COLS;
    const int row0 = threadIdx.x / COLS;
    const int variant = blockIdx.y * COLS + lane;
    T mine = 0;
    for (int p = blockIdx.x * ROWS + row0; p < people; p += ROWS * gridDim.x)
        mine += variant < variants ? dosage[p * variants + variant] : T(0);
    if (threadIdx.x < COLS) part[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&part[lane], mine);
    __syncthreads();
    if (threadIdx.x < COLS) atomicAdd(&counts[variant], part[lane]);  // bad
}
void run(float *counts, const float *dosage, int people, int variants) {
    dim3 grid(16, (variants + 31) / 32);
    allele_counts<float, 32, 8><<<grid, 256>>>(counts, dosage, people, variants);
}
