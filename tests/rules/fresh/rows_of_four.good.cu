// family: misaligned-vector-access
__global__ void row_max(const float *table, float *out, int rows, int cols) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const float *row = table + (long)r * cols;
    float m = row[0];
    int c = 0;
    if (cols % 4 == 0)
        for (; c + 3 < cols; c += 4) {
            float4 v = *reinterpret_cast<const float4 *>(row + c);
            m = fmaxf(fmaxf(fmaxf(m, v.x), fmaxf(v.y, v.z)), v.w);
        }
    for (; c < cols; ++c) m = fmaxf(m, row[c]);
    out[r] = m;
}
