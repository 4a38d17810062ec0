// kinds: missing-grid-dependency-wait
#include <cuda_runtime.h>

__global__ void encode(const float *x, float *code, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        code[i] = x[i] * x[i];
    asm volatile("griddepcontrol.launch_dependents;");
}

__global__ void decode(const float *code, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("griddepcontrol.wait;" ::: "memory"); //+
    if (i < n)
        y[i] = sqrtf(code[i]);
}

cudaError_t round_trip(const float *x, float *code, float *y, int n, cudaStream_t stream)
{
    encode<<<(n + 127) / 128, 128, 0, stream>>>(x, code, n);
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[0].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = (n + 127) / 128;
    config.blockDim = 128;
    config.stream = stream;
    config.attrs = attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, decode, (const float *)code, y, n);
}
