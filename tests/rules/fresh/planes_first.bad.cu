// Two planes of counters, told apart by the sign of the charge; the loop that clears them goes over one plane.
// family: uninitialised-shared-memory
#define BINS 128
__global__ void spectrum(const unsigned short *energy, const int *charge, unsigned *out, int n) {
    __shared__ unsigned pos_neg[2 * BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) pos_neg[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        if (charge[i] > 0) atomicAdd(pos_neg + (energy[i] >> 9), 1u);
        else atomicAdd(pos_neg + BINS + (energy[i] >> 9), 1u);  // bad
    }
    __syncthreads();
    if (threadIdx.x < BINS) {
        atomicAdd(&out[threadIdx.x], pos_neg[threadIdx.x]);
        atomicAdd(&out[BINS + threadIdx.x], pos_neg[BINS + threadIdx.x]);
    }
}
void run(const unsigned short *energy, const int *charge, unsigned *out, int n) {
    spectrum<<<80, 256>>>(energy, charge, out, n);
}
