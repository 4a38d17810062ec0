// The part of the CUDA runtime API that host code next to kernels uses.
#pragma once
#pragma clang system_header

// Errors, handles, callbacks.
enum cudaError {
    cudaSuccess,
    cudaErrorInvalidValue,
    cudaErrorMemoryAllocation,
    cudaErrorNotReady = 600,
    cudaErrorUnknown = 999,
    cudaErrorNoDevice = 100,
    cudaErrorAssert = 710,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorPeerAccessAlreadyEnabled = 704,
    cudaErrorNotSupported = 801,
    cudaErrorInvalidDevice = 101,
    cudaErrorInsufficientDriver = 35,
};
typedef cudaError cudaError_t;
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef struct CUgraphNode_st* cudaGraphNode_t;
typedef struct cudaArray* cudaArray_t;
typedef const cudaArray* cudaArray_const_t;
typedef struct CUmemPoolHandle_st* cudaMemPool_t;
typedef void(*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void*);
typedef void(*cudaHostFn_t)(void*);

// Enumerations.
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault,
};
enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual,
};
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault,
    cudaSharedMemBankSizeFourByte,
    cudaSharedMemBankSizeEightByte,
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 13,
};
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrClockRate = 13,
    cudaDevAttrGpuOverlap = 15,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrComputeMode = 20,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrL2CacheSize = 38,
};
enum cudaLimit {
    cudaLimitStackSize,
    cudaLimitPrintfFifoSize,
    cudaLimitMallocHeapSize,
    cudaLimitPersistingL2CacheSize = 6,
};
enum cudaResourceType {
    cudaResourceTypeArray,
    cudaResourceTypeMipmappedArray,
    cudaResourceTypeLinear,
    cudaResourceTypePitch2D,
};
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseSetPreferredLocation = 3,
    cudaMemAdviseSetAccessedBy = 5,
};
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal,
    cudaStreamCaptureModeThreadLocal,
    cudaStreamCaptureModeRelaxed,
};
enum cudaComputeMode {
    cudaComputeModeDefault,
    cudaComputeModeExclusive,
    cudaComputeModeProhibited,
};
enum {
    cudaHostAllocDefault,
    cudaHostAllocPortable,
    cudaHostAllocMapped,
    cudaHostAllocWriteCombined = 4,
    cudaHostRegisterDefault = 0,
    cudaHostRegisterPortable = 1,
    cudaHostRegisterMapped = 2,
    cudaEventDefault = 0,
    cudaEventBlockingSync = 1,
    cudaEventDisableTiming = 2,
    cudaEventInterprocess = 4,
    cudaStreamDefault = 0,
    cudaStreamNonBlocking = 1,
    cudaDeviceMapHost = 8,
    cudaDeviceScheduleBlockingSync = 4,
    cudaDeviceBlockingSync = 4,
    cudaDeviceScheduleYield = 2,
    cudaMemAttachGlobal = 1,
    cudaMemAttachHost = 2,
    cudaMemAttachSingle = 4,
    cudaArrayDefault = 0,
    cudaArrayLayered = 1,
    cudaArraySurfaceLoadStore = 2,
    cudaArrayCubemap = 4,
    cudaCpuDeviceId = -1,
    cudaOccupancyDefault = 0,
};
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)

// Structures.
struct cudaDeviceProp {
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
struct cudaFuncAttributes {
    size_t sharedSizeBytes;
    size_t constSizeBytes;
    size_t localSizeBytes;
    int maxThreadsPerBlock;
    int numRegs;
    int ptxVersion;
    int binaryVersion;
    int maxDynamicSharedSizeBytes;
};
struct cudaExtent { size_t width, height, depth; };
struct cudaPos { size_t x, y, z; };
struct cudaPitchedPtr { void* ptr; size_t pitch, xsize, ysize; };
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};
struct cudaResourceDesc {
    cudaResourceType resType;
    union {
        struct { cudaArray_t array; } array;
        struct { void* devPtr; cudaChannelFormatDesc desc; size_t sizeInBytes; } linear;
        struct {
            void* devPtr;
            cudaChannelFormatDesc desc;
            size_t width;
            size_t height;
            size_t pitchInBytes;
        } pitch2D;
    } res;
};
struct cudaTextureDesc {
    cudaTextureAddressMode addressMode[3];
    cudaTextureFilterMode filterMode;
    cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned int maxAnisotropy;
    cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias;
    float minMipmapLevelClamp;
    float maxMipmapLevelClamp;
};
struct cudaPointerAttributes { int type, device; void* devicePointer, *hostPointer; };
struct cudaIpcMemHandle_t { char r[64]; };
struct cudaIpcEventHandle_t { char r[64]; };
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
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim;
    dim3 blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attrs;
    unsigned int numAttrs;
};
extern "C" {
    // Launches.
    void cudaGridDependencySynchronize();
    void cudaTriggerProgrammaticLaunchCompletion();
    cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
    unsigned int __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void* =0);
    cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t = 0, cudaStream_t = 0);

    // Errors.
    const char* cudaGetErrorString(cudaError_t);
    const char* cudaGetErrorName(cudaError_t);
    cudaError_t cudaGetLastError();
    cudaError_t cudaPeekAtLastError();

    // Devices.
    cudaError_t cudaDeviceSynchronize();
    cudaError_t cudaThreadSynchronize();
    cudaError_t cudaDeviceReset();
    cudaError_t cudaThreadExit();
    cudaError_t cudaSetDevice(int);
    cudaError_t cudaGetDevice(int*);
    cudaError_t cudaGetDeviceCount(int*);
    cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int);
    cudaError_t cudaDeviceGetAttribute(int*, cudaDeviceAttr, int);
    cudaError_t cudaSetDeviceFlags(unsigned int);
    cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache);
    cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig);
    cudaError_t cudaDeviceSetLimit(cudaLimit, size_t);
    cudaError_t cudaDeviceGetLimit(size_t*, cudaLimit);
    cudaError_t cudaChooseDevice(int*, const cudaDeviceProp*);
    cudaError_t cudaDeviceCanAccessPeer(int*, int, int);
    cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int);
    cudaError_t cudaDeviceDisablePeerAccess(int);
    cudaError_t cudaRuntimeGetVersion(int*);
    cudaError_t cudaDriverGetVersion(int*);
    cudaError_t cudaProfilerStart();
    cudaError_t cudaProfilerStop();

    // Memory.
    cudaError_t cudaFree(void*);
    cudaError_t cudaFreeHost(void*);
    cudaError_t cudaFreeArray(cudaArray_t);
    cudaError_t cudaFreeAsync(void*, cudaStream_t);
    cudaError_t cudaMemcpy(void*, const void*, size_t, cudaMemcpyKind);
    cudaError_t cudaMemcpyAsync(void*, const void*, size_t, cudaMemcpyKind = cudaMemcpyDefault,
        cudaStream_t = 0);
    cudaError_t cudaMemcpy2D(void*, size_t, const void*, size_t, size_t, size_t, cudaMemcpyKind);
    cudaError_t cudaMemcpy2DAsync(void*, size_t, const void*, size_t, size_t, size_t,
        cudaMemcpyKind, cudaStream_t = 0);
    cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms*);
    cudaError_t cudaMemcpyPeer(void*, int, const void*, int, size_t);
    cudaError_t cudaMemcpyPeerAsync(void*, int, const void*, int, size_t, cudaStream_t = 0);
    cudaError_t cudaMemcpyToArray(cudaArray_t, size_t, size_t, const void*, size_t, cudaMemcpyKind);
    cudaError_t cudaMemcpy2DToArray(cudaArray_t, size_t, size_t, const void*, size_t, size_t,
        size_t, cudaMemcpyKind);
    cudaError_t cudaMemset(void*, int, size_t);
    cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t = 0);
    cudaError_t cudaMemset2D(void*, size_t, int, size_t, size_t);
    cudaError_t cudaMemGetInfo(size_t*, size_t*);
    cudaError_t cudaHostRegister(void*, size_t, unsigned int);
    cudaError_t cudaHostUnregister(void*);
    cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t = 0);
    cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, int);
    cudaError_t cudaPointerGetAttributes(cudaPointerAttributes*, const void*);
    cudaError_t cudaMalloc3D(cudaPitchedPtr*, cudaExtent);

    // Streams, graphs, events.
    cudaError_t cudaStreamCreate(cudaStream_t*);
    cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, unsigned int);
    cudaError_t cudaStreamCreateWithPriority(cudaStream_t*, unsigned int, int);
    cudaError_t cudaStreamDestroy(cudaStream_t);
    cudaError_t cudaStreamSynchronize(cudaStream_t);
    cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int = 0);
    cudaError_t cudaStreamQuery(cudaStream_t);
    cudaError_t cudaStreamAddCallback(cudaStream_t, cudaStreamCallback_t, void*, unsigned int);
    cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void*);
    cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode);
    cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*);
    cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
    cudaError_t cudaGraphDestroy(cudaGraph_t);
    cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
    cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
    cudaError_t cudaEventSynchronize(cudaEvent_t);
    cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t);
    cudaError_t cudaEventDestroy(cudaEvent_t);
    cudaError_t cudaEventQuery(cudaEvent_t);
    cudaError_t cudaEventCreateWithFlags(cudaEvent_t*, unsigned int);
    cudaError_t cudaDeviceGetStreamPriorityRange(int*, int*);

    // Textures, arrays.
    cudaError_t cudaCreateTextureObject(cudaTextureObject_t*, const cudaResourceDesc*,
        const cudaTextureDesc*, const void*);
    cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
    cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t*, const cudaResourceDesc*);
    cudaError_t cudaMallocArray(cudaArray_t*, const cudaChannelFormatDesc*, size_t, size_t = 0,
        unsigned int = 0);
    cudaError_t cudaMalloc3DArray(cudaArray_t*, const cudaChannelFormatDesc*, cudaExtent, unsigned int = 0);
    cudaExtent make_cudaExtent(size_t, size_t, size_t);
    cudaPitchedPtr make_cudaPitchedPtr(void*, size_t, size_t, size_t);
    cudaPos make_cudaPos(size_t, size_t, size_t);
    cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, size_t = 0, cudaStream_t = 0);
}

// Overloads and templates.
cudaError_t cudaEventCreate(cudaEvent_t*);
cudaError_t cudaEventCreate(cudaEvent_t*, unsigned int);
template <class T> cudaError_t cudaMalloc(T**, size_t);
template <class T> cudaError_t cudaMallocAsync(T**, size_t, cudaStream_t = 0);
template <class T> cudaError_t cudaMallocHost(T**, size_t, unsigned int = 0);
template <class T> cudaError_t cudaHostAlloc(T**, size_t, unsigned int);
template <class T> cudaError_t cudaMallocManaged(T**, size_t, unsigned int = 1);
template <class T> cudaError_t cudaMallocPitch(T**, size_t*, size_t, size_t);
template <class T> cudaError_t cudaHostGetDevicePointer(T**, void*, unsigned int);
template <class T>
cudaError_t cudaMemcpyToSymbol(const T&, const void*, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyHostToDevice);
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T&, const void*, size_t, size_t, cudaMemcpyKind, cudaStream_t = 0);
template <class T>
cudaError_t cudaMemcpyFromSymbol(void*, const T&, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost);
template <class T> cudaError_t cudaGetSymbolAddress(void**, const T&);
template <class T> cudaError_t cudaFuncSetAttribute(T, cudaFuncAttribute, int);
template <class T> cudaError_t cudaFuncSetCacheConfig(T, cudaFuncCache);
template <class T> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, T);
template <class T> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, T, int, size_t);
template <class T> cudaError_t cudaOccupancyMaxPotentialBlockSize(int*, int*, T, size_t = 0, int = 0);
template <class T> cudaChannelFormatDesc cudaCreateChannelDesc();
cudaChannelFormatDesc cudaCreateChannelDesc(int, int, int, int, cudaChannelFormatKind);
template <class... A> cudaError_t cudaBindTexture(A...);
template <class... A> cudaError_t cudaBindTextureToArray(A...);
template <class... A> cudaError_t cudaBindTexture2D(A...);
template <class T> cudaError_t cudaUnbindTexture(const T&);
template <class... A> cudaError_t cudaGraphInstantiate(A...);
template <class... A> cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t*, A...);
template <class F>
cudaError_t cudaLaunchCooperativeKernel(F*, dim3, dim3, void**, size_t = 0, cudaStream_t = 0);
template <class F> cudaError_t cudaLaunchKernel(F*, dim3, dim3, void**, size_t = 0, cudaStream_t = 0);
template <class... A> cudaError_t cudaStreamAttachMemAsync(A...);

// The driver API, as far as kernels and launches show it.
typedef enum cudaError_enum { CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_UNKNOWN = 999 } CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
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
CUresult cuModuleGetFunction(CUfunction*, CUmodule, const char*);
CUresult cuLaunchKernel(
    CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
    CUstream, void**, void**);
CUresult cuGetErrorString(CUresult, const char**);
