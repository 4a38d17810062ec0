// The part of the HIP runtime API that host code next to kernels uses.
#pragma once
#pragma clang system_header

union hipLaunchAttributeValue {
    int cooperative;
};

#define RUNTIME(name) hip##name
#define RUNTIME_ERROR hipError_t
#define RUNTIME_OUT_OF_MEMORY hipErrorOutOfMemory
#define RUNTIME_FUNC_CACHE hipFuncCache_t
#define RUNTIME_DEVICE_PROP hipDeviceProp_t
#define RUNTIME_DEVICE_ATTRIBUTE hipDeviceAttribute_t
#define RUNTIME_DEVICE_ATTRIBUTE_OF(name) hipDeviceAttribute##name
#define RUNTIME_LAUNCH_ATTRIBUTE_ID int
#define RUNTIME_LAUNCH_ATTRIBUTE_VALUE hipLaunchAttributeValue
#define RUNTIME_PUSH_CALL_CONFIGURATION __hipPushCallConfiguration
#define RUNTIME_MAKE(name) make_hip##name
#include "runtime_api.h"
#define hipStreamDefault 0x00 // a number, as a stream is the null pointer

#define hipDeviceAttributeMultiprocessorCount hipDeviceAttributeMultiProcessorCount
#define hipStreamLegacy ((hipStream_t)1)
#define hipStreamPerThread ((hipStream_t)2)

// Names that HIP alone has.
enum { hipHostMallocDefault, hipHostMallocPortable, hipHostMallocMapped, hipHostMallocWriteCombined = 4,
    hipHostMallocNumaUser = 0x20000000, hipHostMallocCoherent = 0x40000000, hipHostMallocNonCoherent = 0x7fffffff,
    hipDeviceMallocDefault = 0, hipDeviceMallocFinegrained = 1, hipMallocSignalMemory = 2, hipDeviceMallocUncached = 3,
    hipHostRegisterCoherent = 8, hipHostRegisterUncached = 0x7ffffffe, hipEventReleaseToDevice = 0x40000000,
    hipEventReleaseToSystem = 0x7ffffffe, hipEventDisableSystemFence = 0x20000000 };
enum { hipErrorNotInitialized = 3, hipErrorDeinitialized = 4, hipErrorInvalidImage = 200, hipErrorInvalidContext = 201,
    hipErrorContextAlreadyCurrent = 202, hipErrorNoBinaryForGpu = 209, hipErrorInvalidHandle = 400,
    hipErrorNotFound = 500, hipErrorContextAlreadyInUse = 216, hipErrorPeerAccessNotSupported = 217,
    hipErrorTbd = 1054 };
extern "C" hipError_t hipHostFree(void*);
// Launches.
template <class K, class... A> void hipLaunchKernelGGL(K, dim3, dim3, unsigned int, hipStream_t, A...);
hipError_t hipExtLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t, hipEvent_t, hipEvent_t, int);
template <class T> hipError_t hipHostMalloc(T**, size_t, unsigned int = 0);

// Modules: kernels loaded at run time.
typedef struct ihipModule_t* hipModule_t;
typedef struct ihipModuleSymbol_t* hipFunction_t;
typedef struct ihipCtx_t* hipCtx_t;
typedef int hipDevice_t;
typedef void* hipDeviceptr_t;
#define HIP_LAUNCH_PARAM_BUFFER_POINTER ((void*)0x01)
#define HIP_LAUNCH_PARAM_BUFFER_SIZE ((void*)0x02)
#define HIP_LAUNCH_PARAM_END ((void*)0x03)
hipError_t hipInit(unsigned int);
hipError_t hipDeviceGet(hipDevice_t*, int);
hipError_t hipDeviceGetName(char*, int, hipDevice_t);
hipError_t hipDeviceTotalMem(size_t*, hipDevice_t);
hipError_t hipDeviceComputeCapability(int*, int*, hipDevice_t);
hipError_t hipCtxCreate(hipCtx_t*, unsigned int, hipDevice_t);
hipError_t hipCtxDestroy(hipCtx_t);
hipError_t hipCtxSetCurrent(hipCtx_t);
hipError_t hipCtxGetCurrent(hipCtx_t*);
hipError_t hipCtxPushCurrent(hipCtx_t);
hipError_t hipCtxPopCurrent(hipCtx_t*);
hipError_t hipCtxGetDevice(hipDevice_t*);
hipError_t hipCtxSynchronize();
hipError_t hipDevicePrimaryCtxRetain(hipCtx_t*, hipDevice_t);
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t);
template <class T> hipError_t hipExtMallocWithFlags(T**, size_t, unsigned int);
template <class T> hipError_t hipMemAllocHost(T**, size_t);
hipError_t hipMemAllocPitch(hipDeviceptr_t*, size_t*, size_t, size_t, unsigned int);
hipError_t hipMemcpyHtoD(hipDeviceptr_t, const void*, size_t);
hipError_t hipMemcpyDtoH(void*, hipDeviceptr_t, size_t);
hipError_t hipMemcpyDtoD(hipDeviceptr_t, hipDeviceptr_t, size_t);
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t, const void*, size_t, hipStream_t);
hipError_t hipMemcpyDtoHAsync(void*, hipDeviceptr_t, size_t, hipStream_t);
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t, hipDeviceptr_t, size_t, hipStream_t);
hipError_t hipMemcpyWithStream(void*, const void*, size_t, hipMemcpyKind, hipStream_t);
hipError_t hipMemsetD8(hipDeviceptr_t, unsigned char, size_t);
hipError_t hipMemsetD16(hipDeviceptr_t, unsigned short, size_t);
hipError_t hipMemsetD32(hipDeviceptr_t, int, size_t);
hipError_t hipMemsetD8Async(hipDeviceptr_t, unsigned char, size_t, hipStream_t = 0);
hipError_t hipMemsetD16Async(hipDeviceptr_t, unsigned short, size_t, hipStream_t = 0);
hipError_t hipMemsetD32Async(hipDeviceptr_t, int, size_t, hipStream_t = 0);
hipError_t hipMemGetAddressRange(hipDeviceptr_t*, size_t*, hipDeviceptr_t);
hipError_t hipMemPtrGetInfo(void*, size_t*);
hipError_t hipArrayDestroy(hipArray_t);
hipError_t hipModuleGetGlobal(hipDeviceptr_t*, size_t*, hipModule_t, const char*);
hipError_t hipModuleLoadDataEx(hipModule_t*, const void*, unsigned int, int*, void**);
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int*, int*, hipFunction_t, size_t, int);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int*, hipFunction_t, int, size_t);
hipError_t hipDrvGetErrorString(hipError_t, const char**);
hipError_t hipExtStreamCreateWithCUMask(hipStream_t*, unsigned int, const unsigned int*);
const char* hipGetDeviceName(int);
const char* hipApiName(unsigned int);
template <class... A> hipError_t hipExtLaunchMultiKernelMultiDevice(A...);
template <class... A> hipError_t hipModuleLaunchCooperativeKernel(A...);
template <class... A> hipError_t hipStreamWaitValue32(A...);
template <class... A> hipError_t hipStreamWaitValue64(A...);
template <class... A> hipError_t hipStreamWriteValue32(A...);
template <class... A> hipError_t hipStreamWriteValue64(A...);
template <class... A> hipError_t hipMemcpyParam2D(A...);
template <class... A> hipError_t hipMemAddressReserve(A...);
template <class... A> hipError_t hipMemCreate(A...);
template <class... A> hipError_t hipMemMap(A...);
template <class... A> hipError_t hipMemUnmap(A...);
template <class... A> hipError_t hipMemRelease(A...);
hipError_t hipModuleLoad(hipModule_t*, const char*);
hipError_t hipModuleLoadData(hipModule_t*, const void*);
hipError_t hipModuleUnload(hipModule_t);
enum hipFunction_attribute {
    HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    HIP_FUNC_ATTRIBUTE_NUM_REGS = 4,
    HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
};
hipError_t hipFuncGetAttribute(int*, hipFunction_attribute, hipFunction_t);
hipError_t hipModuleGetFunction(hipFunction_t*, hipModule_t, const char*);
hipError_t hipModuleLaunchKernel(
    hipFunction_t, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
    hipStream_t, void**, void**);
hipError_t hipExtModuleLaunchKernel(
    hipFunction_t, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, size_t,
    hipStream_t, void**, void**, hipEvent_t = 0, hipEvent_t = 0, unsigned int = 0);

// Compilation at run time.
enum hiprtcResult { HIPRTC_SUCCESS, HIPRTC_ERROR_OUT_OF_MEMORY, HIPRTC_ERROR_PROGRAM_CREATION_FAILURE,
    HIPRTC_ERROR_INVALID_INPUT, HIPRTC_ERROR_INVALID_PROGRAM, HIPRTC_ERROR_INVALID_OPTION, HIPRTC_ERROR_COMPILATION };
typedef struct _hiprtcProgram* hiprtcProgram;
const char* hiprtcGetErrorString(hiprtcResult);
hiprtcResult hiprtcCreateProgram(hiprtcProgram*, const char*, const char*, int, const char**, const char**);
hiprtcResult hiprtcCompileProgram(hiprtcProgram, int, const char**);
hiprtcResult hiprtcDestroyProgram(hiprtcProgram*);
hiprtcResult hiprtcGetCodeSize(hiprtcProgram, size_t*);
hiprtcResult hiprtcGetCode(hiprtcProgram, char*);
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram, size_t*);
hiprtcResult hiprtcGetProgramLog(hiprtcProgram, char*);
hiprtcResult hiprtcAddNameExpression(hiprtcProgram, const char*);
hiprtcResult hiprtcGetLoweredName(hiprtcProgram, const char*, const char**);
