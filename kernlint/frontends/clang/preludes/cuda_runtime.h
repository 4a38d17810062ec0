// The part of the CUDA runtime API that host code next to kernels uses, and of the driver API.
#pragma once
#pragma clang system_header

enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore,
    cudaLaunchAttributeAccessPolicyWindow,
    cudaLaunchAttributeCooperative,
    cudaLaunchAttributeSynchronizationPolicy,
    cudaLaunchAttributeClusterDimension,
    cudaLaunchAttributeClusterSchedulingPolicyPreference,
    cudaLaunchAttributeProgrammaticStreamSerialization,
    cudaLaunchAttributeProgrammaticEvent,
    cudaLaunchAttributePriority,
};
union cudaLaunchAttributeValue {
    int cooperative;
    int programmaticStreamSerializationAllowed;
    int priority;
    struct {
        unsigned int x, y, z;
    } clusterDim;
};

#define RUNTIME(name) cuda##name
#define RUNTIME_ERROR cudaError
#define RUNTIME_OUT_OF_MEMORY cudaErrorMemoryAllocation
#define RUNTIME_FUNC_CACHE cudaFuncCache
#define RUNTIME_DEVICE_PROP cudaDeviceProp
#define RUNTIME_DEVICE_ATTRIBUTE cudaDeviceAttr
#define RUNTIME_DEVICE_ATTRIBUTE_OF(name) cudaDevAttr##name
#define RUNTIME_LAUNCH_ATTRIBUTE_ID cudaLaunchAttributeID
#define RUNTIME_LAUNCH_ATTRIBUTE_VALUE cudaLaunchAttributeValue
#define RUNTIME_PUSH_CALL_CONFIGURATION __cudaPushCallConfiguration
#define RUNTIME_MAKE(name) make_cuda##name
#include "runtime_api.h"

#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)

// Launches.
extern "C" {
    void cudaGridDependencySynchronize();
    void cudaTriggerProgrammaticLaunchCompletion();
}
template <class... A> cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t*, A...);

// The driver API, as far as kernels and launches show it.
typedef enum cudaError_enum { CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_UNKNOWN = 999 } CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUstream_st* CUstream;
typedef struct CUevent_st* CUevent;
struct __attribute__((aligned(64))) CUtensorMap { unsigned long long opaque[16]; };
CUresult cuInit(unsigned int);
CUresult cuDeviceGet(CUdevice*, int);
CUresult cuCtxCreate(CUcontext*, unsigned int, CUdevice);
CUresult cuModuleLoad(CUmodule*, const char*);
CUresult cuModuleLoadData(CUmodule*, const void*);
CUresult cuModuleUnload(CUmodule);
CUresult cuModuleGetFunction(CUfunction*, CUmodule, const char*);
CUresult cuModuleGetGlobal(CUdeviceptr*, size_t*, CUmodule, const char*);
enum CUfunction_attribute {
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
    CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
    CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
};
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int);
CUresult cuFuncGetAttribute(int*, CUfunction_attribute, CUfunction);
CUresult cuMemAlloc(CUdeviceptr*, size_t);
CUresult cuMemAllocManaged(CUdeviceptr*, size_t, unsigned int);
CUresult cuMemAllocHost(void**, size_t);
CUresult cuMemFree(CUdeviceptr);
CUresult cuMemFreeHost(void*);
CUresult cuMemcpyHtoD(CUdeviceptr, const void*, size_t);
CUresult cuMemcpyDtoH(void*, CUdeviceptr, size_t);
CUresult cuMemcpyDtoD(CUdeviceptr, CUdeviceptr, size_t);
CUresult cuMemcpyHtoDAsync(CUdeviceptr, const void*, size_t, CUstream);
CUresult cuMemcpyDtoHAsync(void*, CUdeviceptr, size_t, CUstream);
CUresult cuMemcpyDtoDAsync(CUdeviceptr, CUdeviceptr, size_t, CUstream);
CUresult cuMemsetD8(CUdeviceptr, unsigned char, size_t);
CUresult cuMemsetD32(CUdeviceptr, unsigned int, size_t);
CUresult cuStreamCreate(CUstream*, unsigned int);
CUresult cuStreamSynchronize(CUstream);
CUresult cuStreamDestroy(CUstream);
CUresult cuCtxSynchronize();
CUresult cuLaunchKernel(
    CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
    CUstream, void**, void**);
CUresult cuGetErrorString(CUresult, const char**);
