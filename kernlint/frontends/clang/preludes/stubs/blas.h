// cuBLAS and hipBLAS, as host code next to kernels calls them.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

#define KL_BLAS_ANY(P, name) template <class... A> P##Status_t P##name(P##Handle_t, A...);
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
    template <class... A> P##Status_t P##Sgeam(P##Handle_t, A...); \
    P##Status_t P##SetVector(int, int, const void*, int, void*, int); \
    P##Status_t P##GetVector(int, int, const void*, int, void*, int); \
    P##Status_t P##SetMatrix(int, int, int, const void*, int, void*, int); \
    P##Status_t P##GetMatrix(int, int, int, const void*, int, void*, int); \
    KL_BLAS_ANY(P, SgemvBatched) KL_BLAS_ANY(P, SgemvStridedBatched) KL_BLAS_ANY(P, Scopy) KL_BLAS_ANY(P, Sswap) \
    KL_BLAS_ANY(P, Sdgmm) KL_BLAS_ANY(P, Strsm) KL_BLAS_ANY(P, Strsv) KL_BLAS_ANY(P, Strmm) KL_BLAS_ANY(P, Strmv) \
    KL_BLAS_ANY(P, Ssyrk) KL_BLAS_ANY(P, Ssyr2k) KL_BLAS_ANY(P, Ssymm) KL_BLAS_ANY(P, Ssymv) KL_BLAS_ANY(P, Ssyr) \
    KL_BLAS_ANY(P, Sger) KL_BLAS_ANY(P, Srot) KL_BLAS_ANY(P, Srotg) KL_BLAS_ANY(P, SgetrfBatched) \
    KL_BLAS_ANY(P, SgetriBatched) KL_BLAS_ANY(P, SgetrsBatched) KL_BLAS_ANY(P, SgelsBatched) \
    KL_BLAS_ANY(P, SgeqrfBatched) KL_BLAS_ANY(P, SmatinvBatched) KL_BLAS_ANY(P, DgemmBatched) \
    KL_BLAS_ANY(P, DgemmStridedBatched) KL_BLAS_ANY(P, DgemvBatched) KL_BLAS_ANY(P, DgemvStridedBatched) \
    KL_BLAS_ANY(P, Dscal) KL_BLAS_ANY(P, Dcopy) KL_BLAS_ANY(P, Dswap) KL_BLAS_ANY(P, Ddot) KL_BLAS_ANY(P, Dgeam) \
    KL_BLAS_ANY(P, Ddgmm) KL_BLAS_ANY(P, Dtrsm) KL_BLAS_ANY(P, DtrsmBatched) KL_BLAS_ANY(P, Dtrsv) \
    KL_BLAS_ANY(P, Dtrmm) KL_BLAS_ANY(P, Dtrmv) KL_BLAS_ANY(P, Dsyrk) KL_BLAS_ANY(P, Dsyr2k) KL_BLAS_ANY(P, Dsymm) \
    KL_BLAS_ANY(P, Dsymv) KL_BLAS_ANY(P, Dsyr) KL_BLAS_ANY(P, Dger) KL_BLAS_ANY(P, Drot) KL_BLAS_ANY(P, Drotg) \
    KL_BLAS_ANY(P, DgetrfBatched) KL_BLAS_ANY(P, DgetriBatched) KL_BLAS_ANY(P, DgetrsBatched) \
    KL_BLAS_ANY(P, DgelsBatched) KL_BLAS_ANY(P, DgeqrfBatched) KL_BLAS_ANY(P, DmatinvBatched) \
    KL_BLAS_ANY(P, CgemmBatched) KL_BLAS_ANY(P, CgemmStridedBatched) KL_BLAS_ANY(P, Cgemv) \
    KL_BLAS_ANY(P, CgemvBatched) KL_BLAS_ANY(P, CgemvStridedBatched) KL_BLAS_ANY(P, Caxpy) KL_BLAS_ANY(P, Cscal) \
    KL_BLAS_ANY(P, Ccopy) KL_BLAS_ANY(P, Cswap) KL_BLAS_ANY(P, Cdotu) KL_BLAS_ANY(P, Cgeam) KL_BLAS_ANY(P, Cdgmm) \
    KL_BLAS_ANY(P, Ctrsm) KL_BLAS_ANY(P, CtrsmBatched) KL_BLAS_ANY(P, Ctrsv) KL_BLAS_ANY(P, Ctrmm) \
    KL_BLAS_ANY(P, Ctrmv) KL_BLAS_ANY(P, Csyrk) KL_BLAS_ANY(P, Csyr2k) KL_BLAS_ANY(P, Csymm) KL_BLAS_ANY(P, Csymv) \
    KL_BLAS_ANY(P, Csyr) KL_BLAS_ANY(P, Cgeru) KL_BLAS_ANY(P, Crot) KL_BLAS_ANY(P, Crotg) \
    KL_BLAS_ANY(P, CgetrfBatched) KL_BLAS_ANY(P, CgetriBatched) KL_BLAS_ANY(P, CgetrsBatched) \
    KL_BLAS_ANY(P, CgelsBatched) KL_BLAS_ANY(P, CgeqrfBatched) KL_BLAS_ANY(P, CmatinvBatched) \
    KL_BLAS_ANY(P, Zgemm) KL_BLAS_ANY(P, ZgemmBatched) KL_BLAS_ANY(P, ZgemmStridedBatched) KL_BLAS_ANY(P, Zgemv) \
    KL_BLAS_ANY(P, ZgemvBatched) KL_BLAS_ANY(P, ZgemvStridedBatched) KL_BLAS_ANY(P, Zaxpy) KL_BLAS_ANY(P, Zscal) \
    KL_BLAS_ANY(P, Zcopy) KL_BLAS_ANY(P, Zswap) KL_BLAS_ANY(P, Zdotu) KL_BLAS_ANY(P, Zgeam) KL_BLAS_ANY(P, Zdgmm) \
    KL_BLAS_ANY(P, Ztrsm) KL_BLAS_ANY(P, ZtrsmBatched) KL_BLAS_ANY(P, Ztrsv) KL_BLAS_ANY(P, Ztrmm) \
    KL_BLAS_ANY(P, Ztrmv) KL_BLAS_ANY(P, Zsyrk) KL_BLAS_ANY(P, Zsyr2k) KL_BLAS_ANY(P, Zsymm) KL_BLAS_ANY(P, Zsymv) \
    KL_BLAS_ANY(P, Zsyr) KL_BLAS_ANY(P, Zgeru) KL_BLAS_ANY(P, Zrot) KL_BLAS_ANY(P, Zrotg) \
    KL_BLAS_ANY(P, ZgetrfBatched) KL_BLAS_ANY(P, ZgetriBatched) KL_BLAS_ANY(P, ZgetrsBatched) \
    KL_BLAS_ANY(P, ZgelsBatched) KL_BLAS_ANY(P, ZgeqrfBatched) KL_BLAS_ANY(P, ZmatinvBatched) \
    KL_BLAS_ANY(P, Cdotc) KL_BLAS_ANY(P, Cgerc) KL_BLAS_ANY(P, Chemm) KL_BLAS_ANY(P, Chemv) KL_BLAS_ANY(P, Cherk) \
    KL_BLAS_ANY(P, Cher2k) KL_BLAS_ANY(P, Cher) KL_BLAS_ANY(P, Cgemm3m) KL_BLAS_ANY(P, Zdotc) \
    KL_BLAS_ANY(P, Zgerc) KL_BLAS_ANY(P, Zhemm) KL_BLAS_ANY(P, Zhemv) KL_BLAS_ANY(P, Zherk) KL_BLAS_ANY(P, Zher2k) \
    KL_BLAS_ANY(P, Zher) KL_BLAS_ANY(P, Zgemm3m) KL_BLAS_ANY(P, Sasum) KL_BLAS_ANY(P, Dnrm2) KL_BLAS_ANY(P, Dasum) \
    KL_BLAS_ANY(P, Scnrm2) KL_BLAS_ANY(P, Scasum) KL_BLAS_ANY(P, Dznrm2) KL_BLAS_ANY(P, Dzasum) \
    KL_BLAS_ANY(P, Isamax) KL_BLAS_ANY(P, Isamin) KL_BLAS_ANY(P, Idamax) KL_BLAS_ANY(P, Idamin) \
    KL_BLAS_ANY(P, Icamax) KL_BLAS_ANY(P, Icamin) KL_BLAS_ANY(P, Izamax) KL_BLAS_ANY(P, Izamin) \
    KL_BLAS_ANY(P, SgemmEx) KL_BLAS_ANY(P, CgemmEx) KL_BLAS_ANY(P, DotEx) KL_BLAS_ANY(P, AxpyEx) \
    KL_BLAS_ANY(P, ScalEx) KL_BLAS_ANY(P, Nrm2Ex) KL_BLAS_ANY(P, GetStream) KL_BLAS_ANY(P, GetPointerMode) \
    KL_BLAS_ANY(P, GetMathMode) KL_BLAS_ANY(P, SetWorkspace) KL_BLAS_ANY(P, GetVersion) \
    KL_BLAS_ANY(P, SetAtomicsMode)

KL_BLAS(cublas, CUBLAS)
KL_BLAS(hipblas, HIPBLAS)
#undef KL_BLAS
#undef KL_BLAS_ANY
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
