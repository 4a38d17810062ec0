// kinds: wrong-fence
#include <cuda_runtime.h>
// Samples of one trace lie side by side, as many as the host says: a trace may begin in one block and end in the next.
__global__ void energy(const float *sample, int per_trace, int traces, float *sum)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int trace = i / per_trace, at = i % per_trace;
    if (trace >= traces)
        return;
    if (threadIdx.x >= at && blockDim.x - threadIdx.x >= per_trace - at) //+
        atomicAdd_block(&sum[trace], sample[i] * sample[i]); //+
    else //+
        atomicAdd(&sum[trace], sample[i] * sample[i]); //+
    atomicAdd_block(&sum[trace], sample[i] * sample[i]); //-
}
void run(const float *sample, int per_trace, int traces, float *sum)
{
    energy<<<(per_trace * traces + 511) / 512, 512>>>(sample, per_trace, traces, sum);
}
