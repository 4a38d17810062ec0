// cuFFT and hipFFT, as host code next to kernels calls them.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

#define KL_FFT(P, U, H) \
    typedef H P##Handle; \
    typedef float P##Real; \
    typedef double P##DoubleReal; \
    typedef float2 P##Complex; \
    typedef double2 P##DoubleComplex; \
    enum P##Result_t { \
        U##_SUCCESS, U##_INVALID_PLAN, U##_ALLOC_FAILED, U##_INVALID_TYPE, U##_INVALID_VALUE, U##_INTERNAL_ERROR, \
        U##_EXEC_FAILED, U##_SETUP_FAILED, U##_INVALID_SIZE, U##_UNALIGNED_DATA, U##_INVALID_DEVICE = 11, \
        U##_NO_WORKSPACE = 13, U##_NOT_IMPLEMENTED, U##_NOT_SUPPORTED = 16, \
    }; \
    typedef P##Result_t P##Result; \
    enum P##Type_t { U##_C2R = 0x2c, U##_R2C = 0x2a, U##_C2C = 0x29, U##_Z2D = 0x6c, U##_D2Z = 0x6a, U##_Z2Z = 0x69 }; \
    typedef P##Type_t P##Type; \
    P##Result P##Plan1d(P##Handle*, int, P##Type, int); \
    P##Result P##Plan2d(P##Handle*, int, int, P##Type); \
    P##Result P##Plan3d(P##Handle*, int, int, int, P##Type); \
    P##Result P##PlanMany(P##Handle*, int, int*, int*, int, int, int*, int, int, P##Type, int); \
    P##Result P##Create(P##Handle*); \
    P##Result P##MakePlan1d(P##Handle, int, P##Type, int, size_t*); \
    P##Result P##MakePlan2d(P##Handle, int, int, P##Type, size_t*); \
    P##Result P##MakePlan3d(P##Handle, int, int, int, P##Type, size_t*); \
    P##Result P##MakePlanMany(P##Handle, int, int*, int*, int, int, int*, int, int, P##Type, int, size_t*); \
    P##Result P##MakePlanMany64(P##Handle, int, long long*, long long*, long long, long long, long long*, long long, \
                                long long, P##Type, long long, size_t*); \
    P##Result P##Estimate1d(int, P##Type, int, size_t*); \
    P##Result P##GetSize(P##Handle, size_t*); \
    P##Result P##SetWorkArea(P##Handle, void*); \
    P##Result P##SetAutoAllocation(P##Handle, int); \
    template <class S> P##Result P##SetStream(P##Handle, S); \
    P##Result P##GetVersion(int*); \
    P##Result P##Destroy(P##Handle); \
    P##Result P##ExecC2C(P##Handle, P##Complex*, P##Complex*, int); \
    P##Result P##ExecR2C(P##Handle, P##Real*, P##Complex*); \
    P##Result P##ExecC2R(P##Handle, P##Complex*, P##Real*); \
    P##Result P##ExecZ2Z(P##Handle, P##DoubleComplex*, P##DoubleComplex*, int); \
    P##Result P##ExecD2Z(P##Handle, P##DoubleReal*, P##DoubleComplex*); \
    P##Result P##ExecZ2D(P##Handle, P##DoubleComplex*, P##DoubleReal*);

KL_FFT(cufft, CUFFT, int)
KL_FFT(hipfft, HIPFFT, struct hipfftHandle_t*)
#define CUFFT_FORWARD (-1)
#define CUFFT_INVERSE 1
#define HIPFFT_FORWARD (-1)
#define HIPFFT_BACKWARD 1
#undef KL_FFT

#pragma clang force_cuda_host_device end
