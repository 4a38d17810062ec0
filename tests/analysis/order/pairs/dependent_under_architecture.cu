// kinds: missing-grid-dependency-wait
#include <cuda_runtime.h>

struct Ahead {
    static __device__ void wait()
    {
#if __CUDA_ARCH__ >= 900
        cudaGridDependencySynchronize();
#endif
    }
};

__global__ void window(const float *signal, float *windowed, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        windowed[i] = signal[i] * (0.5f - 0.5f * cospif(2.0f * i / n));
}

__global__ void power(const float *windowed, float *spectrum, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    Ahead::wait(); //+
    if (i < n)
        spectrum[i] = windowed[i] * windowed[i];
}

__global__ void normalise(const float *spectrum, float *scaled, float by, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    Ahead::wait(); //+
    if (i < n)
        scaled[i] = spectrum[i] * by;
}

void run(const float *signal, float *windowed, float *spectrum, float *scaled, int n, cudaStream_t stream)
{
    window<<<(n + 127) / 128, 128, 0, stream>>>(signal, windowed, n);
    cudaLaunchAttribute early[1];
    early[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early[0].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = (n + 127) / 128;
    config.blockDim = 128;
    config.stream = stream;
    config.attrs = early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, power, (const float *)windowed, spectrum, n);
    cudaLaunchKernelEx(&config, normalise, (const float *)spectrum, scaled, 1.0f / n, n);
}
