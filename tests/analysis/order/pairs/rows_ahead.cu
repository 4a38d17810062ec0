// kinds: global-memory-race
// A causal convolution's gradient: each block writes its row and reads the three that follow.
#include <cuda_runtime.h>
__global__ void conv_grad(const float *g, const float *w, float *vhat, 
    float *vhat_out, //+
    int seq, int channels) {
  const int t = blockIdx.x;
  for (int c = threadIdx.x; c < channels; c += blockDim.x) {
    float sum = g[t * channels + c];
    for (int j = 0; j < 4; ++j) {
      const int from = t + j;
      if (from < seq) sum += w[j * channels + c] * vhat[from * channels + c];
    }
    vhat[t * channels + c] = sum; //-
    vhat_out[t * channels + c] = sum; //+
  }
}
