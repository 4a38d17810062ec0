// kinds: shared-memory-race
// Online softmax over key tiles; the running maximum is one cell for the block.
#include <hip/hip_runtime.h>
__global__ void attend(const float *q, const float *k, const float *v, float *o, int len, int dim) {
  __shared__ float top[1], norm[1], score[128];
  float acc = 0.f;
  const int t = threadIdx.x;
  if (t == 0) { top[0] = -1e30f; norm[0] = 0.f; }
  __syncthreads();
  for (int base = 0; base < len; base += 128) {
    float s = 0.f;
    for (int d = 0; d < dim; ++d) s += q[d] * k[(base + t) * dim + d];
    score[t] = s;
    __syncthreads();
    const float before = top[0];
    __syncthreads(); //+
    if (t == 0) {
      float m = top[0];
      for (int j = 0; j < 128; ++j) m = fmaxf(m, score[j]);
      float l = norm[0] * __expf(top[0] - m);
      for (int j = 0; j < 128; ++j) l += __expf(score[j] - m);
      top[0] = m;
      norm[0] = l;
    }
    __syncthreads();
    const float scale = __expf(before - top[0]);
    acc *= scale;
    for (int j = 0; j < 128; ++j) acc += t < dim ? __expf(score[j] - top[0]) * v[(base + j) * dim + t] : 0.f;
    __syncthreads();
  }
  if (t < dim) o[blockIdx.x * dim + t] = acc / norm[0];
}
int main() { attend<<<8, 128>>>(nullptr, nullptr, nullptr, nullptr, 1024, 64); return 0; }
