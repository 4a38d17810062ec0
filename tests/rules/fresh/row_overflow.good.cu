// family: index-overflow
__global__ void normalise(const float *in, float *out, int rows, int width) {
    int row = blockIdx.x;
    const float *src = in + (long long)row * width;
    float *dst = out + (long long)row * width;
    for (int c = threadIdx.x; c < width; c += blockDim.x) dst[c] = src[c] * 0.5f;
}
