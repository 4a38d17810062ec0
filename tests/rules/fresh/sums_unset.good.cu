// family: uninitialised-private
__global__ void moments(const float *x, float *out, int n) {
    float sum[4];
    for (int k = 0; k < 4; ++k) sum[k] = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float p = 1.0f;
        for (int k = 0; k < 4; ++k) {
            sum[k] += p;
            p *= x[i];
        }
    }
    for (int k = 0; k < 4; ++k) atomicAdd(&out[k], sum[k]);
}
