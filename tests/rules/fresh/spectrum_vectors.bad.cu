// A count of single values guards pairs of them in one kernel; its twin shows what the count is.
// family: bounds
__global__ void window(float *signal, const float *shape, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) signal[i] *= shape[i];
}
__global__ void window2(float *signal, const float *shape, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        signal[2 * i] *= shape[2 * i];  // bad
        signal[2 * i + 1] *= shape[2 * i + 1];  // bad
    }
}
void run(float *signal, const float *shape, int n, bool pairs) {
    if (pairs) window2<<<(n + 255) / 256, 256>>>(signal, shape, n);
    else window<<<(n + 255) / 256, 256>>>(signal, shape, n);
}
