// Complex numbers of the C kind: cuComplex and hipComplex.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

typedef float2 cuFloatComplex;
typedef float2 cuComplex;
typedef double2 cuDoubleComplex;
typedef float2 hipFloatComplex;
typedef float2 hipComplex;
typedef double2 hipDoubleComplex;

#define KL_COMPLEX_API(P) \
    float2 make_##P##FloatComplex(float, float); \
    float2 make_##P##Complex(float, float); \
    double2 make_##P##DoubleComplex(double, double); \
    float2 P##ComplexDoubleToFloat(double2); \
    double2 P##ComplexFloatToDouble(float2); \
    float P##Crealf(float2); \
    float P##Cimagf(float2); \
    float P##Cabsf(float2); \
    float2 P##Conjf(float2); \
    float2 P##Caddf(float2, float2); \
    float2 P##Csubf(float2, float2); \
    float2 P##Cmulf(float2, float2); \
    float2 P##Cdivf(float2, float2); \
    float2 P##Cfmaf(float2, float2, float2); \
    double P##Creal(double2); \
    double P##Cimag(double2); \
    double P##Cabs(double2); \
    double2 P##Conj(double2); \
    double2 P##Cadd(double2, double2); \
    double2 P##Csub(double2, double2); \
    double2 P##Cmul(double2, double2); \
    double2 P##Cdiv(double2, double2); \
    double2 P##Cfma(double2, double2, double2);
KL_COMPLEX_API(cu)
KL_COMPLEX_API(hip)
#undef KL_COMPLEX_API

#pragma clang force_cuda_host_device end
