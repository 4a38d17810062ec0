// The output is tested against the size of the input.
// family: bounds
__global__ void zoom(const unsigned char *src, unsigned char *dst, int sw, int sh, int dw, int dh) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= sw || y >= sh) return;
    const int u = min(x * sw / dw, sw - 1);
    const int v = min(y * sh / dh, sh - 1);
    dst[y * dw + x] = src[v * sw + u];  // bad
}
