// Names that HIP device code has beside those of CUDA.
#pragma once
#pragma clang system_header

// Coordinates in their old spelling.
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(x) x
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];

#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5

// bfloat16 and 8-bit floating types.
typedef __nv_bfloat16 __hip_bfloat16;
typedef __nv_bfloat162 __hip_bfloat162;
typedef __nv_bfloat16 hip_bfloat16;
typedef __nv_bfloat16_raw __hip_bfloat16_raw;
typedef __nv_fp8_e4m3 __hip_fp8_e4m3;
typedef __nv_fp8_e4m3 __hip_fp8_e4m3_fnuz;
typedef __nv_fp8_e5m2 __hip_fp8_e5m2;
typedef __nv_fp8_e5m2 __hip_fp8_e5m2_fnuz;
typedef _Float16 float16_t;

// Textures share their declarations with CUDA.
typedef cudaTextureObject_t hipTextureObject_t;
typedef cudaSurfaceObject_t hipSurfaceObject_t;
typedef cudaTextureReadMode hipTextureReadMode;
typedef cudaTextureAddressMode hipTextureAddressMode;
typedef cudaTextureFilterMode hipTextureFilterMode;
typedef cudaChannelFormatKind hipChannelFormatKind;
typedef cudaChannelFormatDesc hipChannelFormatDesc;

// Dot products, clocks and the like.
int amd_mixed_dot(int, int, int, bool);
unsigned int amd_mixed_dot(unsigned int, unsigned int, unsigned int, bool);
int amd_mixed_dot(short2, short2, int, bool);
int amd_mixed_dot(char4, char4, int, bool);
float amd_mixed_dot(__half2, __half2, float, bool);
int __sudot4(bool, int, bool, int, int, bool);
unsigned int __smid();
