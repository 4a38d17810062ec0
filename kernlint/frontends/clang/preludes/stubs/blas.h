// cuBLAS and hipBLAS, as host code next to kernels calls them.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

#define KL_BLAS(P, U) \
    typedef struct P##Context* P##Handle_t; \
    typedef struct P##LtContext* P##LtHandle_t; \
    enum P##Status_t { \
        U##_STATUS_SUCCESS, \
        U##_STATUS_NOT_INITIALIZED, \
        U##_STATUS_ALLOC_FAILED = 3, \
        U##_STATUS_INVALID_VALUE = 7, \
        U##_STATUS_ARCH_MISMATCH, \
        U##_STATUS_MAPPING_ERROR = 11, \
        U##_STATUS_EXECUTION_FAILED = 13, \
        U##_STATUS_INTERNAL_ERROR, \
        U##_STATUS_NOT_SUPPORTED, \
    }; \
    enum P##Operation_t { U##_OP_N, U##_OP_T, U##_OP_C }; \
    enum P##FillMode_t { U##_FILL_MODE_LOWER, U##_FILL_MODE_UPPER }; \
    enum P##DiagType_t { U##_DIAG_NON_UNIT, U##_DIAG_UNIT }; \
    enum P##SideMode_t { U##_SIDE_LEFT, U##_SIDE_RIGHT }; \
    enum P##PointerMode_t { U##_POINTER_MODE_HOST, U##_POINTER_MODE_DEVICE }; \
    enum P##Math_t { \
        U##_DEFAULT_MATH, \
        U##_TENSOR_OP_MATH, \
        U##_PEDANTIC_MATH, \
        U##_TF32_TENSOR_OP_MATH, \
    }; \
    enum P##ComputeType_t { \
        U##_COMPUTE_16F = 64, \
        U##_COMPUTE_32F = 68, \
        U##_COMPUTE_32F_FAST_16F = 74, \
        U##_COMPUTE_32F_FAST_TF32 = 77, \
        U##_COMPUTE_64F = 70, \
        U##_COMPUTE_32I = 72, \
    }; \
    enum P##GemmAlgo_t { U##_GEMM_DEFAULT = -1, U##_GEMM_DEFAULT_TENSOR_OP = 99 }; \
    P##Status_t P##Create(P##Handle_t*); \
    P##Status_t P##Destroy(P##Handle_t); \
    P##Status_t P##SetPointerMode(P##Handle_t, P##PointerMode_t); \
    P##Status_t P##SetMathMode(P##Handle_t, P##Math_t); \
    const char* P##GetStatusString(P##Status_t); \
    template <class S> P##Status_t P##SetStream(P##Handle_t, S); \
    template <class... A> P##Status_t P##Sgemm(P##Handle_t, A...); \
    template <class... A> P##Status_t P##Dgemm(P##Handle_t, A...); \
    template <class... A> P##Status_t P##Hgemm(P##Handle_t, A...); \
    template <class... A> P##Status_t P##Cgemm(P##Handle_t, A...); \
    template <class... A> P##Status_t P##GemmEx(P##Handle_t, A...); \
    template <class... A> P##Status_t P##GemmBatchedEx(P##Handle_t, A...); \
    template <class... A> P##Status_t P##GemmStridedBatchedEx(P##Handle_t, A...); \
    template <class... A> P##Status_t P##SgemmBatched(P##Handle_t, A...); \
    template <class... A> P##Status_t P##SgemmStridedBatched(P##Handle_t, A...); \
    template <class... A> P##Status_t P##StrsmBatched(P##Handle_t, A...); \
    template <class... A> P##Status_t P##Sgemv(P##Handle_t, A...); \
    template <class... A> P##Status_t P##Dgemv(P##Handle_t, A...); \
    template <class... A> P##Status_t P##Saxpy(P##Handle_t, A...); \
    template <class... A> P##Status_t P##Daxpy(P##Handle_t, A...); \
    template <class... A> P##Status_t P##Sscal(P##Handle_t, A...); \
    template <class... A> P##Status_t P##Sdot(P##Handle_t, A...); \
    template <class... A> P##Status_t P##Snrm2(P##Handle_t, A...); \
    template <class... A> P##Status_t P##Sgeam(P##Handle_t, A...);

KL_BLAS(cublas, CUBLAS)
KL_BLAS(hipblas, HIPBLAS)
#undef KL_BLAS
#define cublasCreate_v2 cublasCreate
#define cublasDestroy_v2 cublasDestroy

enum cudaDataType_t {
    CUDA_R_32F,
    CUDA_R_64F,
    CUDA_R_16F,
    CUDA_R_8I,
    CUDA_C_32F,
    CUDA_C_64F,
    CUDA_R_32I = 10,
    CUDA_R_16BF = 14,
    CUDA_R_8F_E4M3 = 28,
    CUDA_R_8F_E5M2 = 29,
};
typedef cudaDataType_t cudaDataType;
typedef cudaDataType_t hipDataType;

#pragma clang force_cuda_host_device end
