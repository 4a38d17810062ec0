// No candidate may be near enough: the index is still -1 then.
// family: bounds
__global__ void match(const float *dist, const float *score, float *out, int n, int candidates, float limit) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int best = -1;
    float least = limit;
    for (int c = 0; c < candidates; ++c)
        if (dist[i * candidates + c] < least) {
            least = dist[i * candidates + c];
            best = c;
        }
    out[i] = score[best];  // bad
}
