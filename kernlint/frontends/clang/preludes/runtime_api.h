// The part of the runtime API that host code next to kernels uses, CUDA's or HIP's: the two have the same shape.
//
// Included once for each; whoever includes it says how names are built: RUNTIME(Malloc) is cudaMalloc or hipMalloc, and
// the few names that do not follow the rule have macros of their own. All of them are gone behind it.
#pragma clang system_header

#include "runtime_enums.h"

// Handles, callbacks.
typedef struct CUstream_st* RUNTIME(Stream_t);
typedef struct CUevent_st* RUNTIME(Event_t);
typedef struct CUgraph_st* RUNTIME(Graph_t);
typedef struct CUgraphExec_st* RUNTIME(GraphExec_t);
typedef struct CUgraphNode_st* RUNTIME(GraphNode_t);
typedef struct RUNTIME(Array)* RUNTIME(Array_t);
typedef const RUNTIME(Array)* RUNTIME(Array_const_t);
typedef struct CUmemPoolHandle_st* RUNTIME(MemPool_t);
typedef void(*RUNTIME(StreamCallback_t))(RUNTIME(Stream_t), RUNTIME(Error_t), void*);
typedef void(*RUNTIME(HostFn_t))(void*);

// Enumerations.
enum RUNTIME(MemcpyKind) {
    RUNTIME(MemcpyHostToHost),
    RUNTIME(MemcpyHostToDevice),
    RUNTIME(MemcpyDeviceToHost),
    RUNTIME(MemcpyDeviceToDevice),
    RUNTIME(MemcpyDefault),
};
enum RUNTIME_FUNC_CACHE {
    RUNTIME(FuncCachePreferNone),
    RUNTIME(FuncCachePreferShared),
    RUNTIME(FuncCachePreferL1),
    RUNTIME(FuncCachePreferEqual),
};
enum RUNTIME(SharedMemConfig) {
    RUNTIME(SharedMemBankSizeDefault),
    RUNTIME(SharedMemBankSizeFourByte),
    RUNTIME(SharedMemBankSizeEightByte),
};
enum RUNTIME(FuncAttribute) {
    RUNTIME(FuncAttributeMaxDynamicSharedMemorySize) = 8,
    RUNTIME(FuncAttributePreferredSharedMemoryCarveout) = 9,
    RUNTIME(FuncAttributeNonPortableClusterSizeAllowed) = 13,
};
enum RUNTIME(Limit) {
    RUNTIME(LimitStackSize),
    RUNTIME(LimitPrintfFifoSize),
    RUNTIME(LimitMallocHeapSize),
    RUNTIME(LimitPersistingL2CacheSize) = 6,
};
enum RUNTIME(ResourceType) {
    RUNTIME(ResourceTypeArray),
    RUNTIME(ResourceTypeMipmappedArray),
    RUNTIME(ResourceTypeLinear),
    RUNTIME(ResourceTypePitch2D),
};
enum RUNTIME(MemoryAdvise) {
    RUNTIME(MemAdviseSetReadMostly) = 1,
    RUNTIME(MemAdviseSetPreferredLocation) = 3,
    RUNTIME(MemAdviseSetAccessedBy) = 5,
};
enum RUNTIME(StreamCaptureMode) {
    RUNTIME(StreamCaptureModeGlobal),
    RUNTIME(StreamCaptureModeThreadLocal),
    RUNTIME(StreamCaptureModeRelaxed),
};
enum RUNTIME(ComputeMode) {
    RUNTIME(ComputeModeDefault),
    RUNTIME(ComputeModeExclusive),
    RUNTIME(ComputeModeProhibited),
};
enum {
    RUNTIME(HostAllocDefault),
    RUNTIME(HostAllocPortable),
    RUNTIME(HostAllocMapped),
    RUNTIME(HostAllocWriteCombined) = 4,
    RUNTIME(HostRegisterDefault) = 0,
    RUNTIME(HostRegisterPortable) = 1,
    RUNTIME(HostRegisterMapped) = 2,
    RUNTIME(EventDefault) = 0,
    RUNTIME(EventBlockingSync) = 1,
    RUNTIME(EventDisableTiming) = 2,
    RUNTIME(EventInterprocess) = 4,
    RUNTIME(StreamNonBlocking) = 1,
    RUNTIME(DeviceMapHost) = 8,
    RUNTIME(DeviceScheduleBlockingSync) = 4,
    RUNTIME(DeviceBlockingSync) = 4,
    RUNTIME(DeviceScheduleYield) = 2,
    RUNTIME(MemAttachGlobal) = 1,
    RUNTIME(MemAttachHost) = 2,
    RUNTIME(MemAttachSingle) = 4,
    RUNTIME(ArrayDefault) = 0,
    RUNTIME(ArrayLayered) = 1,
    RUNTIME(ArraySurfaceLoadStore) = 2,
    RUNTIME(ArrayCubemap) = 4,
    RUNTIME(CpuDeviceId) = -1,
    RUNTIME(OccupancyDefault) = 0,
};

// Structures.
struct RUNTIME_DEVICE_PROP {
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
    char luid[8];
    struct { char bytes[16]; } uuid;
    unsigned int luidDeviceNodeMask;
    size_t texturePitchAlignment, surfaceAlignment, reservedSharedMemPerBlock, maxSharedMemoryPerMultiProcessor;
    int isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio;
    int computePreemptionSupported, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    int canUseHostPointerForRegisteredMem, cooperativeMultiDeviceLaunch, directManagedMemAccessFromHost;
    int pageableMemoryAccessUsesHostPageTables, hostRegisterSupported, memoryPoolsSupported, clusterLaunch;
    int maxTexture1DMipmap, maxTexture1DLinear, maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2];
    int maxTexture3DAlt[3], maxTextureCubemap, maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2];
    int maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap, gcnArch;
    int clockInstructionRate, largeBar, asicRevision;
};
struct RUNTIME(FuncAttributes) {
    size_t sharedSizeBytes;
    size_t constSizeBytes;
    size_t localSizeBytes;
    int maxThreadsPerBlock;
    int numRegs;
    int ptxVersion;
    int binaryVersion;
    int maxDynamicSharedSizeBytes;
    int preferredShmemCarveout;
    int cacheModeCA;
};
struct RUNTIME(Extent) { size_t width, height, depth; };
struct RUNTIME(Pos) { size_t x, y, z; };
struct RUNTIME(PitchedPtr) { void* ptr; size_t pitch, xsize, ysize; };
struct RUNTIME(Memcpy3DParms) {
    RUNTIME(Array_t) srcArray;
    RUNTIME(Pos) srcPos;
    RUNTIME(PitchedPtr) srcPtr;
    RUNTIME(Array_t) dstArray;
    RUNTIME(Pos) dstPos;
    RUNTIME(PitchedPtr) dstPtr;
    RUNTIME(Extent) extent;
    RUNTIME(MemcpyKind) kind;
};
struct RUNTIME(ResourceDesc) {
    RUNTIME(ResourceType) resType;
    union {
        struct { RUNTIME(Array_t) array; } array;
        struct { void* devPtr; RUNTIME(ChannelFormatDesc) desc; size_t sizeInBytes; } linear;
        struct {
            void* devPtr;
            RUNTIME(ChannelFormatDesc) desc;
            size_t width;
            size_t height;
            size_t pitchInBytes;
        } pitch2D;
    } res;
};
struct RUNTIME(TextureDesc) {
    RUNTIME(TextureAddressMode) addressMode[3];
    RUNTIME(TextureFilterMode) filterMode;
    RUNTIME(TextureReadMode) readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned int maxAnisotropy;
    RUNTIME(TextureFilterMode) mipmapFilterMode;
    float mipmapLevelBias;
    float minMipmapLevelClamp;
    float maxMipmapLevelClamp;
};
struct RUNTIME(PointerAttributes) {
    RUNTIME(MemoryType) type, memoryType;
    int device, isManaged;
    void* devicePointer, *hostPointer;
    unsigned int allocationFlags;
};
struct RUNTIME(IpcMemHandle_t) { char r[64]; };
struct RUNTIME(IpcEventHandle_t) { char r[64]; };
struct RUNTIME(LaunchAttribute) {
    RUNTIME_LAUNCH_ATTRIBUTE_ID id;
    RUNTIME_LAUNCH_ATTRIBUTE_VALUE val;
};
struct RUNTIME(LaunchConfig_t) {
    dim3 gridDim;
    dim3 blockDim;
    size_t dynamicSmemBytes;
    RUNTIME(Stream_t) stream;
    RUNTIME(LaunchAttribute)* attrs;
    unsigned int numAttrs;
};
#include "runtime_more.h"
extern "C" {
    // Launches.
    RUNTIME(Error_t) RUNTIME(ConfigureCall)(dim3, dim3, size_t = 0, RUNTIME(Stream_t) = 0);
    unsigned int RUNTIME_PUSH_CALL_CONFIGURATION(dim3, dim3, size_t = 0, void* =0);
    RUNTIME(Error_t) RUNTIME(LaunchKernel)(const void*, dim3, dim3, void**, size_t = 0, RUNTIME(Stream_t) = 0);

    // Errors.
    const char* RUNTIME(GetErrorString)(RUNTIME(Error_t));
    const char* RUNTIME(GetErrorName)(RUNTIME(Error_t));
    RUNTIME(Error_t) RUNTIME(GetLastError)();
    RUNTIME(Error_t) RUNTIME(PeekAtLastError)();

    // Devices.
    RUNTIME(Error_t) RUNTIME(DeviceSynchronize)();
    RUNTIME(Error_t) RUNTIME(ThreadSynchronize)();
    RUNTIME(Error_t) RUNTIME(DeviceReset)();
    RUNTIME(Error_t) RUNTIME(ThreadExit)();
    RUNTIME(Error_t) RUNTIME(SetDevice)(int);
    RUNTIME(Error_t) RUNTIME(GetDevice)(int*);
    RUNTIME(Error_t) RUNTIME(GetDeviceCount)(int*);
    RUNTIME(Error_t) RUNTIME(GetDeviceProperties)(RUNTIME_DEVICE_PROP*, int);
    RUNTIME(Error_t) RUNTIME(DeviceGetAttribute)(int*, RUNTIME_DEVICE_ATTRIBUTE, int);
    RUNTIME(Error_t) RUNTIME(SetDeviceFlags)(unsigned int);
    RUNTIME(Error_t) RUNTIME(DeviceSetCacheConfig)(RUNTIME_FUNC_CACHE);
    RUNTIME(Error_t) RUNTIME(DeviceSetSharedMemConfig)(RUNTIME(SharedMemConfig));
    RUNTIME(Error_t) RUNTIME(DeviceSetLimit)(RUNTIME(Limit), size_t);
    RUNTIME(Error_t) RUNTIME(DeviceGetLimit)(size_t*, RUNTIME(Limit));
    RUNTIME(Error_t) RUNTIME(ChooseDevice)(int*, const RUNTIME_DEVICE_PROP*);
    RUNTIME(Error_t) RUNTIME(DeviceCanAccessPeer)(int*, int, int);
    RUNTIME(Error_t) RUNTIME(DeviceEnablePeerAccess)(int, unsigned int);
    RUNTIME(Error_t) RUNTIME(DeviceDisablePeerAccess)(int);
    RUNTIME(Error_t) RUNTIME(RuntimeGetVersion)(int*);
    RUNTIME(Error_t) RUNTIME(DriverGetVersion)(int*);
    RUNTIME(Error_t) RUNTIME(ProfilerStart)();
    RUNTIME(Error_t) RUNTIME(ProfilerStop)();

    // Memory.
    RUNTIME(Error_t) RUNTIME(Free)(void*);
    RUNTIME(Error_t) RUNTIME(FreeHost)(void*);
    RUNTIME(Error_t) RUNTIME(FreeArray)(RUNTIME(Array_t));
    RUNTIME(Error_t) RUNTIME(FreeAsync)(void*, RUNTIME(Stream_t));
    RUNTIME(Error_t) RUNTIME(Memcpy)(void*, const void*, size_t, RUNTIME(MemcpyKind));
    RUNTIME(Error_t) RUNTIME(MemcpyAsync)(void*, const void*, size_t, RUNTIME(MemcpyKind) = RUNTIME(MemcpyDefault),
        RUNTIME(Stream_t) = 0);
    RUNTIME(Error_t) RUNTIME(Memcpy2D)(void*, size_t, const void*, size_t, size_t, size_t, RUNTIME(MemcpyKind));
    RUNTIME(Error_t) RUNTIME(Memcpy2DAsync)(void*, size_t, const void*, size_t, size_t, size_t,
        RUNTIME(MemcpyKind), RUNTIME(Stream_t) = 0);
    RUNTIME(Error_t) RUNTIME(Memcpy3D)(const RUNTIME(Memcpy3DParms)*);
    RUNTIME(Error_t) RUNTIME(MemcpyPeer)(void*, int, const void*, int, size_t);
    RUNTIME(Error_t) RUNTIME(MemcpyPeerAsync)(void*, int, const void*, int, size_t, RUNTIME(Stream_t) = 0);
    RUNTIME(Error_t) RUNTIME(MemcpyToArray)(RUNTIME(Array_t), size_t, size_t, const void*, size_t, RUNTIME(MemcpyKind));
    RUNTIME(Error_t) RUNTIME(Memcpy2DToArray)(RUNTIME(Array_t), size_t, size_t, const void*, size_t, size_t,
        size_t, RUNTIME(MemcpyKind));
    RUNTIME(Error_t) RUNTIME(Memset)(void*, int, size_t);
    RUNTIME(Error_t) RUNTIME(MemsetAsync)(void*, int, size_t, RUNTIME(Stream_t) = 0);
    RUNTIME(Error_t) RUNTIME(Memset2D)(void*, size_t, int, size_t, size_t);
    RUNTIME(Error_t) RUNTIME(MemGetInfo)(size_t*, size_t*);
    RUNTIME(Error_t) RUNTIME(HostRegister)(void*, size_t, unsigned int);
    RUNTIME(Error_t) RUNTIME(HostUnregister)(void*);
    RUNTIME(Error_t) RUNTIME(MemPrefetchAsync)(const void*, size_t, int, RUNTIME(Stream_t) = 0);
    RUNTIME(Error_t) RUNTIME(MemAdvise)(const void*, size_t, RUNTIME(MemoryAdvise), int);
    RUNTIME(Error_t) RUNTIME(PointerGetAttributes)(RUNTIME(PointerAttributes)*, const void*);
    RUNTIME(Error_t) RUNTIME(Malloc3D)(RUNTIME(PitchedPtr)*, RUNTIME(Extent));

    // Streams, graphs, events.
    RUNTIME(Error_t) RUNTIME(StreamCreate)(RUNTIME(Stream_t)*);
    RUNTIME(Error_t) RUNTIME(StreamCreateWithFlags)(RUNTIME(Stream_t)*, unsigned int);
    RUNTIME(Error_t) RUNTIME(StreamCreateWithPriority)(RUNTIME(Stream_t)*, unsigned int, int);
    RUNTIME(Error_t) RUNTIME(StreamDestroy)(RUNTIME(Stream_t));
    RUNTIME(Error_t) RUNTIME(StreamSynchronize)(RUNTIME(Stream_t));
    RUNTIME(Error_t) RUNTIME(StreamWaitEvent)(RUNTIME(Stream_t), RUNTIME(Event_t), unsigned int = 0);
    RUNTIME(Error_t) RUNTIME(StreamQuery)(RUNTIME(Stream_t));
    RUNTIME(Error_t) RUNTIME(StreamAddCallback)(RUNTIME(Stream_t), RUNTIME(StreamCallback_t), void*, unsigned int);
    RUNTIME(Error_t) RUNTIME(LaunchHostFunc)(RUNTIME(Stream_t), RUNTIME(HostFn_t), void*);
    RUNTIME(Error_t) RUNTIME(StreamBeginCapture)(RUNTIME(Stream_t), RUNTIME(StreamCaptureMode));
    RUNTIME(Error_t) RUNTIME(StreamEndCapture)(RUNTIME(Stream_t), RUNTIME(Graph_t)*);
    RUNTIME(Error_t) RUNTIME(GraphLaunch)(RUNTIME(GraphExec_t), RUNTIME(Stream_t));
    RUNTIME(Error_t) RUNTIME(GraphDestroy)(RUNTIME(Graph_t));
    RUNTIME(Error_t) RUNTIME(GraphExecDestroy)(RUNTIME(GraphExec_t));
    RUNTIME(Error_t) RUNTIME(EventRecord)(RUNTIME(Event_t), RUNTIME(Stream_t) = 0);
    RUNTIME(Error_t) RUNTIME(EventSynchronize)(RUNTIME(Event_t));
    RUNTIME(Error_t) RUNTIME(EventElapsedTime)(float*, RUNTIME(Event_t), RUNTIME(Event_t));
    RUNTIME(Error_t) RUNTIME(EventDestroy)(RUNTIME(Event_t));
    RUNTIME(Error_t) RUNTIME(EventQuery)(RUNTIME(Event_t));
    RUNTIME(Error_t) RUNTIME(EventCreateWithFlags)(RUNTIME(Event_t)*, unsigned int);
    RUNTIME(Error_t) RUNTIME(DeviceGetStreamPriorityRange)(int*, int*);

    // Textures, arrays.
    RUNTIME(Error_t) RUNTIME(CreateTextureObject)(RUNTIME(TextureObject_t)*, const RUNTIME(ResourceDesc)*,
        const RUNTIME(TextureDesc)*, const void*);
    RUNTIME(Error_t) RUNTIME(DestroyTextureObject)(RUNTIME(TextureObject_t));
    RUNTIME(Error_t) RUNTIME(CreateSurfaceObject)(RUNTIME(SurfaceObject_t)*, const RUNTIME(ResourceDesc)*);
    RUNTIME(Error_t) RUNTIME(MallocArray)(RUNTIME(Array_t)*, const RUNTIME(ChannelFormatDesc)*, size_t, size_t = 0,
        unsigned int = 0);
    RUNTIME(Error_t) RUNTIME(Malloc3DArray)(RUNTIME(Array_t)*, const RUNTIME(ChannelFormatDesc)*, RUNTIME(Extent),
        unsigned int = 0);
    RUNTIME(Extent) RUNTIME_MAKE(Extent)(size_t, size_t, size_t);
    RUNTIME(PitchedPtr) RUNTIME_MAKE(PitchedPtr)(void*, size_t, size_t, size_t);
    RUNTIME(Pos) RUNTIME_MAKE(Pos)(size_t, size_t, size_t);
    RUNTIME(Error_t) RUNTIME(LaunchCooperativeKernel)(const void*, dim3, dim3, void**, size_t = 0,
        RUNTIME(Stream_t) = 0);
}

// Overloads and templates.
RUNTIME(Error_t) RUNTIME(EventCreate)(RUNTIME(Event_t)*);
RUNTIME(Error_t) RUNTIME(EventCreate)(RUNTIME(Event_t)*, unsigned int);
template <class T> RUNTIME(Error_t) RUNTIME(Malloc)(T**, size_t);
template <class T> RUNTIME(Error_t) RUNTIME(MallocAsync)(T**, size_t, RUNTIME(Stream_t) = 0);
template <class T> RUNTIME(Error_t) RUNTIME(MallocHost)(T**, size_t, unsigned int = 0);
template <class T> RUNTIME(Error_t) RUNTIME(HostAlloc)(T**, size_t, unsigned int);
template <class T> RUNTIME(Error_t) RUNTIME(MallocManaged)(T**, size_t, unsigned int = 1);
template <class T> RUNTIME(Error_t) RUNTIME(MallocPitch)(T**, size_t*, size_t, size_t);
template <class T> RUNTIME(Error_t) RUNTIME(HostGetDevicePointer)(T**, void*, unsigned int);
template <class T>
RUNTIME(Error_t) RUNTIME(MemcpyToSymbol)(const T&, const void*, size_t, size_t = 0,
    RUNTIME(MemcpyKind) = RUNTIME(MemcpyHostToDevice));
template <class T>
RUNTIME(Error_t) RUNTIME(MemcpyToSymbolAsync)(const T&, const void*, size_t, size_t, RUNTIME(MemcpyKind),
    RUNTIME(Stream_t) = 0);
template <class T>
RUNTIME(Error_t) RUNTIME(MemcpyFromSymbol)(void*, const T&, size_t, size_t = 0,
    RUNTIME(MemcpyKind) = RUNTIME(MemcpyDeviceToHost));
template <class T> RUNTIME(Error_t) RUNTIME(GetSymbolAddress)(void**, const T&);
template <class T> RUNTIME(Error_t) RUNTIME(FuncSetAttribute)(T, RUNTIME(FuncAttribute), int);
template <class T> RUNTIME(Error_t) RUNTIME(FuncSetCacheConfig)(T, RUNTIME_FUNC_CACHE);
template <class T> RUNTIME(Error_t) RUNTIME(FuncGetAttributes)(RUNTIME(FuncAttributes)*, T);
template <class T> RUNTIME(Error_t) RUNTIME(OccupancyMaxActiveBlocksPerMultiprocessor)(int*, T, int, size_t);
template <class T> RUNTIME(Error_t) RUNTIME(OccupancyMaxPotentialBlockSize)(int*, int*, T, size_t = 0, int = 0);
// (How the bits of a vector's element are shared out among its channels matters to nobody; their sum does.)
template <class T> KL_FOLLOW RUNTIME(ChannelFormatDesc) RUNTIME(CreateChannelDesc)() {
    return {8 * (int)sizeof(T), 0, 0, 0, (RUNTIME(ChannelFormatKind))0};
}
RUNTIME(ChannelFormatDesc) RUNTIME(CreateChannelDesc)(int, int, int, int, RUNTIME(ChannelFormatKind));
template <class... A> RUNTIME(Error_t) RUNTIME(BindTexture)(A...);
template <class... A> RUNTIME(Error_t) RUNTIME(BindTextureToArray)(A...);
template <class... A> RUNTIME(Error_t) RUNTIME(BindTexture2D)(A...);
template <class T> RUNTIME(Error_t) RUNTIME(UnbindTexture)(const T&);
template <class... A> RUNTIME(Error_t) RUNTIME(GraphInstantiate)(A...);
template <class F>
RUNTIME(Error_t) RUNTIME(LaunchCooperativeKernel)(F*, dim3, dim3, void**, size_t = 0, RUNTIME(Stream_t) = 0);
template <class F> RUNTIME(Error_t) RUNTIME(LaunchKernel)(F*, dim3, dim3, void**, size_t = 0, RUNTIME(Stream_t) = 0);
template <class... A> RUNTIME(Error_t) RUNTIME(StreamAttachMemAsync)(A...);

#undef RUNTIME
#undef RUNTIME_ERROR
#undef RUNTIME_OUT_OF_MEMORY
#undef RUNTIME_FUNC_CACHE
#undef RUNTIME_DEVICE_PROP
#undef RUNTIME_DEVICE_ATTRIBUTE
#undef RUNTIME_DEVICE_ATTRIBUTE_OF
#undef RUNTIME_LAUNCH_ATTRIBUTE_ID
#undef RUNTIME_LAUNCH_ATTRIBUTE_VALUE
#undef RUNTIME_PUSH_CALL_CONFIGURATION
#undef RUNTIME_MAKE
