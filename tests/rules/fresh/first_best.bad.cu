// The first candidate is compared with nothing.
// family: uninitialised-private
__global__ void nearest(const float *plane, int *shift, float *cost, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float best;
    int where = 0;
    bool none = false;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int u = x + dx, v = y + dy;
            if (u < 0 || v < 0 || u >= w || v >= h) continue;
            float d = fabsf(plane[y * w + x] - plane[v * w + u] - 1.0f);
            if (none || d < best) {  // bad
                best = d;
                where = dy * 5 + dx;
                none = false;
            }
        }
    cost[y * w + x] = best;
    shift[y * w + x] = where;
}
