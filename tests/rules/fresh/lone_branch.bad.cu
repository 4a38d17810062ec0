// A speed that only marked cells give is stored for all of them; the helper that makes it is inlined.
// family: uninitialised-private
__device__ inline float speed(const float *u, const float *v, int at) { return sqrtf(u[at] * u[at] + v[at] * v[at]); }

__global__ void speeds(const float *u, const float *v, const unsigned char *wet, float *out, int n) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n) return;
    float value;
    if (wet[at]) {
        const float s = speed(u, v, at);
        value = s > 1e-6f ? s : 0.0f;
    }
    out[at] = 0.5f * value;  // bad
}
