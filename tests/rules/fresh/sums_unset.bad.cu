// Four sums of a thread are added to and only the first begins at zero.
// family: uninitialised-private
__global__ void moments(const float *x, float *out, int n) {
    float sum[4];
    sum[0] = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float p = 1.0f;
        for (int k = 0; k < 4; ++k) {
            sum[k] += p;  // bad
            p *= x[i];
        }
    }
    for (int k = 0; k < 4; ++k) atomicAdd(&out[k], sum[k]);
}
