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

#define hipStreamLegacy ((hipStream_t)1)
#define hipStreamPerThread ((hipStream_t)2)

// Names that HIP alone has.
template <class... A> hipError_t hipLaunchKernelExC(const hipLaunchConfig_t*, A...);
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
