// family: index-overflow
#include <cstddef>
__global__ void premium(float *value, const float *spot, size_t paths) {
    size_t p = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (p >= paths) return;
    value[p] = spot[p] > 100.0f ? spot[p] - 100.0f : 0.0f;
}
void price(float *value, const float *spot, size_t desks, size_t scenarios) {
    size_t paths = desks * scenarios;
    premium<<<(paths + 255) / 256, 256>>>(value, spot, paths);
}
