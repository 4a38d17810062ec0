// kinds: barrier-divergence
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void relax_segments(const int *starts, const float *in, float *out, float *border, int segments) {
    cg::grid_group grid = cg::this_grid();
    const int first = starts[blockIdx.x], last = starts[blockIdx.x + 1];
    const int rounds = (last - first + 255) / 256;
    for (int r = 0; r < rounds; ++r) {
        const int i = first + r * 256 + threadIdx.x;
        if (i < last) out[i] = in[i] * 0.5f;
        if (threadIdx.x == 0) border[blockIdx.x] = in[first];
        grid.sync();
        if (i < last) out[i] += border[(blockIdx.x + 1) % gridDim.x];
        grid.sync();
    }
    int most = 0; //+
    for (int s = 0; s < segments; ++s) most = max(most, starts[s + 1] - starts[s]); //+
    for (int r = rounds; r < (most + 255) / 256; ++r) { //+
        grid.sync(); //+
        grid.sync(); //+
    } //+
}
void run(const int *starts, const float *in, float *out, float *border, int segments) {
    void *args[] = {&starts, &in, &out, &border, &segments};
    cudaLaunchCooperativeKernel((void *)relax_segments, dim3(segments), dim3(256), args, 0, 0);
}
