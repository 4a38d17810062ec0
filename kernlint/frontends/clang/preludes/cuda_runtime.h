// The part of the CUDA runtime API that host code next to kernels uses; the driver API is read behind it.
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

#define cudaStreamDefault 0x00 // a number, as a stream is the null pointer
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)

// Launches.
extern "C" {
    void cudaGridDependencySynchronize();
    void cudaTriggerProgrammaticLaunchCompletion();
}
template <class... A> cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t*, A...);
#include "cuda_driver.h"
