// The part of the HIP runtime API that host code next to kernels uses.
#pragma once
#pragma clang system_header

// Errors, handles, callbacks.
enum hipError_t {
    hipSuccess,
    hipErrorInvalidValue,
    hipErrorOutOfMemory,
    hipErrorNotReady = 600,
    hipErrorUnknown = 999,
    hipErrorNoDevice = 100,
    hipErrorAssert = 710,
    hipErrorInvalidConfiguration = 9,
    hipErrorPeerAccessAlreadyEnabled = 704,
    hipErrorNotSupported = 801,
    hipErrorInvalidDevice = 101,
    hipErrorInsufficientDriver = 35,
};
typedef struct CUstream_st* hipStream_t;
typedef struct CUevent_st* hipEvent_t;
typedef struct CUgraph_st* hipGraph_t;
typedef struct CUgraphExec_st* hipGraphExec_t;
typedef struct CUgraphNode_st* hipGraphNode_t;
typedef struct hipArray* hipArray_t;
typedef const hipArray* hipArray_const_t;
typedef struct CUmemPoolHandle_st* hipMemPool_t;
typedef void(*hipStreamCallback_t)(hipStream_t, hipError_t, void*);
typedef void(*hipHostFn_t)(void*);

// Enumerations.
enum hipMemcpyKind {
    hipMemcpyHostToHost,
    hipMemcpyHostToDevice,
    hipMemcpyDeviceToHost,
    hipMemcpyDeviceToDevice,
    hipMemcpyDefault,
};
enum hipFuncCache_t {
    hipFuncCachePreferNone,
    hipFuncCachePreferShared,
    hipFuncCachePreferL1,
    hipFuncCachePreferEqual,
};
enum hipSharedMemConfig {
    hipSharedMemBankSizeDefault,
    hipSharedMemBankSizeFourByte,
    hipSharedMemBankSizeEightByte,
};
enum hipFuncAttribute {
    hipFuncAttributeMaxDynamicSharedMemorySize = 8,
    hipFuncAttributePreferredSharedMemoryCarveout = 9,
    hipFuncAttributeNonPortableClusterSizeAllowed = 13,
};
enum hipDeviceAttribute_t {
    hipDeviceAttributeMaxThreadsPerBlock = 1,
    hipDeviceAttributeMaxSharedMemoryPerBlock = 8,
    hipDeviceAttributeWarpSize = 10,
    hipDeviceAttributeClockRate = 13,
    hipDeviceAttributeGpuOverlap = 15,
    hipDeviceAttributeMultiProcessorCount = 16,
    hipDeviceAttributeComputeMode = 20,
    hipDeviceAttributeMaxThreadsPerMultiProcessor = 39,
    hipDeviceAttributeComputeCapabilityMajor = 75,
    hipDeviceAttributeComputeCapabilityMinor = 76,
    hipDeviceAttributeManagedMemory = 83,
    hipDeviceAttributeConcurrentManagedAccess = 89,
    hipDeviceAttributeCooperativeLaunch = 95,
    hipDeviceAttributeMaxSharedMemoryPerBlockOptin = 97,
    hipDeviceAttributeMaxSharedMemoryPerMultiprocessor = 81,
    hipDeviceAttributeL2CacheSize = 38,
};
enum hipLimit {
    hipLimitStackSize,
    hipLimitPrintfFifoSize,
    hipLimitMallocHeapSize,
    hipLimitPersistingL2CacheSize = 6,
};
enum hipResourceType {
    hipResourceTypeArray,
    hipResourceTypeMipmappedArray,
    hipResourceTypeLinear,
    hipResourceTypePitch2D,
};
enum hipMemoryAdvise {
    hipMemAdviseSetReadMostly = 1,
    hipMemAdviseSetPreferredLocation = 3,
    hipMemAdviseSetAccessedBy = 5,
};
enum hipStreamCaptureMode {
    hipStreamCaptureModeGlobal,
    hipStreamCaptureModeThreadLocal,
    hipStreamCaptureModeRelaxed,
};
enum hipComputeMode {
    hipComputeModeDefault,
    hipComputeModeExclusive,
    hipComputeModeProhibited,
};
enum {
    hipHostAllocDefault,
    hipHostAllocPortable,
    hipHostAllocMapped,
    hipHostAllocWriteCombined = 4,
    hipHostRegisterDefault = 0,
    hipHostRegisterPortable = 1,
    hipHostRegisterMapped = 2,
    hipEventDefault = 0,
    hipEventBlockingSync = 1,
    hipEventDisableTiming = 2,
    hipEventInterprocess = 4,
    hipStreamDefault = 0,
    hipStreamNonBlocking = 1,
    hipDeviceMapHost = 8,
    hipDeviceScheduleBlockingSync = 4,
    hipDeviceBlockingSync = 4,
    hipDeviceScheduleYield = 2,
    hipMemAttachGlobal = 1,
    hipMemAttachHost = 2,
    hipMemAttachSingle = 4,
    hipArrayDefault = 0,
    hipArrayLayered = 1,
    hipArraySurfaceLoadStore = 2,
    hipArrayCubemap = 4,
    hipCpuDeviceId = -1,
    hipOccupancyDefault = 0,
};
#define hipStreamLegacy ((hipStream_t)1)
#define hipStreamPerThread ((hipStream_t)2)

// Structures.
struct hipDeviceProp_t {
    char name[256];
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    size_t sharedMemPerBlockOptin;
    size_t sharedMemPerMultiprocessor;
    size_t memPitch;
    size_t totalConstMem;
    size_t textureAlignment;
    int regsPerBlock;
    int regsPerMultiprocessor;
    int warpSize;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int clockRate;
    int major;
    int minor;
    int multiProcessorCount;
    int deviceOverlap;
    int kernelExecTimeoutEnabled;
    int integrated;
    int canMapHostMemory;
    int computeMode;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int tccDriver;
    int asyncEngineCount;
    int unifiedAddressing;
    int memoryClockRate;
    int memoryBusWidth;
    int l2CacheSize;
    int maxThreadsPerMultiProcessor;
    int managedMemory;
    int concurrentManagedAccess;
    int cooperativeLaunch;
    int maxTexture1D;
    int maxTexture2D[2];
    int maxTexture3D[3];
    int maxTexture2DLayered[3];
    int maxTexture1DLayered[2];
    int pageableMemoryAccess;
    int maxBlocksPerMultiProcessor;
    int persistingL2CacheMaxSize;
    int accessPolicyMaxWindowSize;
    char gcnArchName[256];
};
struct hipFuncAttributes {
    size_t sharedSizeBytes;
    size_t constSizeBytes;
    size_t localSizeBytes;
    int maxThreadsPerBlock;
    int numRegs;
    int ptxVersion;
    int binaryVersion;
    int maxDynamicSharedSizeBytes;
};
struct hipExtent { size_t width, height, depth; };
struct hipPos { size_t x, y, z; };
struct hipPitchedPtr { void* ptr; size_t pitch, xsize, ysize; };
struct hipMemcpy3DParms {
    hipArray_t srcArray;
    hipPos srcPos;
    hipPitchedPtr srcPtr;
    hipArray_t dstArray;
    hipPos dstPos;
    hipPitchedPtr dstPtr;
    hipExtent extent;
    hipMemcpyKind kind;
};
struct hipResourceDesc {
    hipResourceType resType;
    union {
        struct { hipArray_t array; } array;
        struct { void* devPtr; hipChannelFormatDesc desc; size_t sizeInBytes; } linear;
        struct {
            void* devPtr;
            hipChannelFormatDesc desc;
            size_t width;
            size_t height;
            size_t pitchInBytes;
        } pitch2D;
    } res;
};
struct hipTextureDesc {
    hipTextureAddressMode addressMode[3];
    hipTextureFilterMode filterMode;
    hipTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned int maxAnisotropy;
    hipTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias;
    float minMipmapLevelClamp;
    float maxMipmapLevelClamp;
};
struct hipPointerAttributes { int type, device; void* devicePointer, *hostPointer; };
struct hipIpcMemHandle_t { char r[64]; };
struct hipIpcEventHandle_t { char r[64]; };
struct hipLaunchAttribute {
    int id;
    union { int cooperative; } val;
};
struct hipLaunchConfig_t {
    dim3 gridDim;
    dim3 blockDim;
    size_t dynamicSmemBytes;
    hipStream_t stream;
    hipLaunchAttribute* attrs;
    unsigned int numAttrs;
};
extern "C" {
    hipError_t hipConfigureCall(dim3, dim3, size_t = 0, hipStream_t = 0);
    unsigned int __hipPushCallConfiguration(dim3, dim3, size_t = 0, void* =0);
    hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, size_t = 0, hipStream_t = 0);

    // Errors.
    const char* hipGetErrorString(hipError_t);
    const char* hipGetErrorName(hipError_t);
    hipError_t hipGetLastError();
    hipError_t hipPeekAtLastError();

    // Devices.
    hipError_t hipDeviceSynchronize();
    hipError_t hipThreadSynchronize();
    hipError_t hipDeviceReset();
    hipError_t hipThreadExit();
    hipError_t hipSetDevice(int);
    hipError_t hipGetDevice(int*);
    hipError_t hipGetDeviceCount(int*);
    hipError_t hipGetDeviceProperties(hipDeviceProp_t*, int);
    hipError_t hipDeviceGetAttribute(int*, hipDeviceAttribute_t, int);
    hipError_t hipSetDeviceFlags(unsigned int);
    hipError_t hipDeviceSetCacheConfig(hipFuncCache_t);
    hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig);
    hipError_t hipDeviceSetLimit(hipLimit, size_t);
    hipError_t hipDeviceGetLimit(size_t*, hipLimit);
    hipError_t hipChooseDevice(int*, const hipDeviceProp_t*);
    hipError_t hipDeviceCanAccessPeer(int*, int, int);
    hipError_t hipDeviceEnablePeerAccess(int, unsigned int);
    hipError_t hipDeviceDisablePeerAccess(int);
    hipError_t hipRuntimeGetVersion(int*);
    hipError_t hipDriverGetVersion(int*);
    hipError_t hipProfilerStart();
    hipError_t hipProfilerStop();

    // Memory.
    hipError_t hipFree(void*);
    hipError_t hipHostFree(void*);
    hipError_t hipFreeArray(hipArray_t);
    hipError_t hipFreeAsync(void*, hipStream_t);
    hipError_t hipMemcpy(void*, const void*, size_t, hipMemcpyKind);
    hipError_t hipMemcpyAsync(void*, const void*, size_t, hipMemcpyKind = hipMemcpyDefault, hipStream_t = 0);
    hipError_t hipMemcpy2D(void*, size_t, const void*, size_t, size_t, size_t, hipMemcpyKind);
    hipError_t hipMemcpy2DAsync(void*, size_t, const void*, size_t, size_t, size_t, hipMemcpyKind,
        hipStream_t = 0);
    hipError_t hipMemcpy3D(const hipMemcpy3DParms*);
    hipError_t hipMemcpyPeer(void*, int, const void*, int, size_t);
    hipError_t hipMemcpyPeerAsync(void*, int, const void*, int, size_t, hipStream_t = 0);
    hipError_t hipMemcpyToArray(hipArray_t, size_t, size_t, const void*, size_t, hipMemcpyKind);
    hipError_t hipMemcpy2DToArray(hipArray_t, size_t, size_t, const void*, size_t, size_t, size_t,
        hipMemcpyKind);
    hipError_t hipMemset(void*, int, size_t);
    hipError_t hipMemsetAsync(void*, int, size_t, hipStream_t = 0);
    hipError_t hipMemset2D(void*, size_t, int, size_t, size_t);
    hipError_t hipMemGetInfo(size_t*, size_t*);
    hipError_t hipHostRegister(void*, size_t, unsigned int);
    hipError_t hipHostUnregister(void*);
    hipError_t hipMemPrefetchAsync(const void*, size_t, int, hipStream_t = 0);
    hipError_t hipMemAdvise(const void*, size_t, hipMemoryAdvise, int);
    hipError_t hipPointerGetAttributes(hipPointerAttributes*, const void*);
    hipError_t hipMalloc3D(hipPitchedPtr*, hipExtent);

    // Streams, graphs, events.
    hipError_t hipStreamCreate(hipStream_t*);
    hipError_t hipStreamCreateWithFlags(hipStream_t*, unsigned int);
    hipError_t hipStreamCreateWithPriority(hipStream_t*, unsigned int, int);
    hipError_t hipStreamDestroy(hipStream_t);
    hipError_t hipStreamSynchronize(hipStream_t);
    hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned int = 0);
    hipError_t hipStreamQuery(hipStream_t);
    hipError_t hipStreamAddCallback(hipStream_t, hipStreamCallback_t, void*, unsigned int);
    hipError_t hipLaunchHostFunc(hipStream_t, hipHostFn_t, void*);
    hipError_t hipStreamBeginCapture(hipStream_t, hipStreamCaptureMode);
    hipError_t hipStreamEndCapture(hipStream_t, hipGraph_t*);
    hipError_t hipGraphLaunch(hipGraphExec_t, hipStream_t);
    hipError_t hipGraphDestroy(hipGraph_t);
    hipError_t hipGraphExecDestroy(hipGraphExec_t);
    hipError_t hipEventRecord(hipEvent_t, hipStream_t = 0);
    hipError_t hipEventSynchronize(hipEvent_t);
    hipError_t hipEventElapsedTime(float*, hipEvent_t, hipEvent_t);
    hipError_t hipEventDestroy(hipEvent_t);
    hipError_t hipEventQuery(hipEvent_t);
    hipError_t hipEventCreateWithFlags(hipEvent_t*, unsigned int);
    hipError_t hipDeviceGetStreamPriorityRange(int*, int*);

    // Textures, arrays.
    hipError_t hipCreateTextureObject(hipTextureObject_t*, const hipResourceDesc*,
        const hipTextureDesc*, const void*);
    hipError_t hipDestroyTextureObject(hipTextureObject_t);
    hipError_t hipCreateSurfaceObject(hipSurfaceObject_t*, const hipResourceDesc*);
    hipError_t hipMallocArray(hipArray_t*, const hipChannelFormatDesc*, size_t, size_t = 0, unsigned int = 0);
    hipError_t hipMalloc3DArray(hipArray_t*, const hipChannelFormatDesc*, hipExtent, unsigned int = 0);
    hipExtent make_hipExtent(size_t, size_t, size_t);
    hipPitchedPtr make_hipPitchedPtr(void*, size_t, size_t, size_t);
    hipPos make_hipPos(size_t, size_t, size_t);
    hipError_t hipLaunchCooperativeKernel(const void*, dim3, dim3, void**, size_t = 0, hipStream_t = 0);
}

// Overloads and templates.
hipError_t hipEventCreate(hipEvent_t*);
hipError_t hipEventCreate(hipEvent_t*, unsigned int);
template <class T> hipError_t hipMalloc(T**, size_t);
template <class T> hipError_t hipMallocAsync(T**, size_t, hipStream_t = 0);
template <class T> hipError_t hipMallocHost(T**, size_t, unsigned int = 0);
template <class T> hipError_t hipHostAlloc(T**, size_t, unsigned int);
template <class T> hipError_t hipMallocManaged(T**, size_t, unsigned int = 1);
template <class T> hipError_t hipMallocPitch(T**, size_t*, size_t, size_t);
template <class T> hipError_t hipHostGetDevicePointer(T**, void*, unsigned int);
template <class T>
hipError_t hipMemcpyToSymbol(const T&, const void*, size_t, size_t = 0, hipMemcpyKind = hipMemcpyHostToDevice);
template <class T>
hipError_t hipMemcpyToSymbolAsync(const T&, const void*, size_t, size_t, hipMemcpyKind, hipStream_t = 0);
template <class T>
hipError_t hipMemcpyFromSymbol(void*, const T&, size_t, size_t = 0, hipMemcpyKind = hipMemcpyDeviceToHost);
template <class T> hipError_t hipGetSymbolAddress(void**, const T&);
template <class T> hipError_t hipFuncSetAttribute(T, hipFuncAttribute, int);
template <class T> hipError_t hipFuncSetCacheConfig(T, hipFuncCache_t);
template <class T> hipError_t hipFuncGetAttributes(hipFuncAttributes*, T);
template <class T> hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int*, T, int, size_t);
template <class T> hipError_t hipOccupancyMaxPotentialBlockSize(int*, int*, T, size_t = 0, int = 0);
template <class T> hipChannelFormatDesc hipCreateChannelDesc();
hipChannelFormatDesc hipCreateChannelDesc(int, int, int, int, hipChannelFormatKind);
template <class... A> hipError_t hipBindTexture(A...);
template <class... A> hipError_t hipBindTextureToArray(A...);
template <class... A> hipError_t hipBindTexture2D(A...);
template <class T> hipError_t hipUnbindTexture(const T&);
template <class... A> hipError_t hipGraphInstantiate(A...);
template <class... A> hipError_t hipLaunchKernelExC(const hipLaunchConfig_t*, A...);
template <class F> hipError_t hipLaunchCooperativeKernel(F*, dim3, dim3, void**, size_t = 0, hipStream_t = 0);
template <class F> hipError_t hipLaunchKernel(F*, dim3, dim3, void**, size_t = 0, hipStream_t = 0);
template <class... A> hipError_t hipStreamAttachMemAsync(A...);

// Launches.
template <class K, class... A> void hipLaunchKernelGGL(K, dim3, dim3, unsigned int, hipStream_t, A...);
hipError_t hipExtLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t, hipEvent_t, hipEvent_t, int);
template <class T> hipError_t hipHostMalloc(T**, size_t, unsigned int = 0);
hipError_t hipFreeHost(void*);

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
hipError_t hipModuleGetFunction(hipFunction_t*, hipModule_t, const char*);
hipError_t hipModuleLaunchKernel(
    hipFunction_t, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
    hipStream_t, void**, void**);
hipError_t hipExtModuleLaunchKernel(
    hipFunction_t, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, size_t,
    hipStream_t, void**, void**, hipEvent_t = 0, hipEvent_t = 0, unsigned int = 0);
