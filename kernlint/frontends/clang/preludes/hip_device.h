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

// Mathematical functions of the device library, by their internal names.
#define KL_OCML(F) \
    float __ocml_##F##_f32(float); \
    double __ocml_##F##_f64(double);
extern "C" {
KL_OCML(sqrt)
KL_OCML(rsqrt)
KL_OCML(exp)
KL_OCML(exp2)
KL_OCML(log)
KL_OCML(log2)
KL_OCML(sin)
KL_OCML(cos)
KL_OCML(tanh)
KL_OCML(floor)
KL_OCML(ceil)
KL_OCML(rint)
KL_OCML(trunc)
KL_OCML(fabs)
KL_OCML(native_exp)
KL_OCML(native_exp2)
KL_OCML(native_log)
KL_OCML(native_recip)
float __ocml_fma_f32(float, float, float);
double __ocml_fma_f64(double, double, double);
float __ocml_fmax_f32(float, float);
float __ocml_fmin_f32(float, float);
float __ocml_pow_f32(float, float);
}
#undef KL_OCML
