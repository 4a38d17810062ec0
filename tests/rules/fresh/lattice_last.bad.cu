// Both neighbours of a lattice site are read; only the first one is tested.
// family: bounds
__global__ void laplace(const float *phi, float *out, int sites) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= sites) return;
    float left = s > 0 ? phi[s - 1] : 0.0f;
    float right = phi[s + 1];  // bad
    out[s] = left + right - 2.0f * phi[s];
}
