// The rest of the runtime API, by the names that runtime_api.h builds: what has no part in copies and launches takes any
// arguments. Names as in cuda_runtime_api.h, cuda_runtime.h and cuda_gl_interop.h of CUDA 4 to 13.
#pragma clang system_header

typedef struct RUNTIME(MipmappedArray)* RUNTIME(MipmappedArray_t);
typedef const RUNTIME(MipmappedArray)* RUNTIME(MipmappedArray_const_t);
typedef struct RUNTIME(GraphicsResource)* RUNTIME(GraphicsResource_t);
typedef struct RUNTIME(ExternalMemory)* RUNTIME(ExternalMemory_t);
typedef struct RUNTIME(ExternalSemaphore)* RUNTIME(ExternalSemaphore_t);
typedef struct RUNTIME(UserObject)* RUNTIME(UserObject_t);
typedef struct RUNTIME(LibraryHandle)* RUNTIME(Library_t);
typedef struct RUNTIME(KernelHandle)* RUNTIME(Kernel_t);
typedef unsigned long long RUNTIME(GraphConditionalHandle);
struct RUNTIME(MemLocation) { RUNTIME(MemLocationType) type; int id; };
struct RUNTIME(MemAccessDesc) { RUNTIME(MemLocation) location; RUNTIME(MemAccessFlags) flags; };
struct RUNTIME(MemPoolProps) {
    RUNTIME(MemAllocationType) allocType;
    RUNTIME(MemAllocationHandleType) handleTypes;
    RUNTIME(MemLocation) location;
    void* win32SecurityAttributes;
    size_t maxSize;
};
struct RUNTIME(KernelNodeParams) {
    void* func;
    dim3 gridDim;
    dim3 blockDim;
    unsigned int sharedMemBytes;
    void** kernelParams;
    void** extra;
};
struct RUNTIME(MemsetParams) {
    void* dst;
    size_t pitch;
    unsigned int value, elementSize;
    size_t width, height;
};
struct RUNTIME(HostNodeParams) { void (*fn)(void*); void* userData; };
struct RUNTIME(MemAllocNodeParams) {
    RUNTIME(MemPoolProps) poolProps;
    const RUNTIME(MemAccessDesc)* accessDescs;
    size_t accessDescCount, bytesize;
    void* dptr;
};
struct RUNTIME(Memcpy3DPeerParms) {
    RUNTIME(Array_t) srcArray;
    RUNTIME(Pos) srcPos;
    RUNTIME(PitchedPtr) srcPtr;
    int srcDevice;
    RUNTIME(Array_t) dstArray;
    RUNTIME(Pos) dstPos;
    RUNTIME(PitchedPtr) dstPtr;
    int dstDevice;
    RUNTIME(Extent) extent;
};
struct RUNTIME(AccessPolicyWindow) {
    void* base_ptr;
    size_t num_bytes;
    float hitRatio;
    RUNTIME(AccessProperty) hitProp, missProp;
};
union RUNTIME(StreamAttrValue) { RUNTIME(AccessPolicyWindow) accessPolicyWindow; int syncPolicy, priority; };
typedef RUNTIME(StreamAttrValue) RUNTIME(KernelNodeAttrValue);

extern "C" {
    RUNTIME(Error_t) RUNTIME(MemcpyToArrayAsync)(RUNTIME(Array_t), size_t, size_t, const void*, size_t,
        RUNTIME(MemcpyKind), RUNTIME(Stream_t) = 0);
    RUNTIME(Error_t) RUNTIME(MemcpyFromArray)(void*, RUNTIME(Array_const_t), size_t, size_t, size_t,
        RUNTIME(MemcpyKind));
    RUNTIME(Error_t) RUNTIME(MemcpyFromArrayAsync)(void*, RUNTIME(Array_const_t), size_t, size_t, size_t,
        RUNTIME(MemcpyKind), RUNTIME(Stream_t) = 0);
    RUNTIME(Error_t) RUNTIME(MemcpyArrayToArray)(RUNTIME(Array_t), size_t, size_t, RUNTIME(Array_const_t), size_t,
        size_t, size_t, RUNTIME(MemcpyKind) = RUNTIME(MemcpyDeviceToDevice));
    RUNTIME(Error_t) RUNTIME(Memcpy2DToArrayAsync)(RUNTIME(Array_t), size_t, size_t, const void*, size_t, size_t,
        size_t, RUNTIME(MemcpyKind), RUNTIME(Stream_t) = 0);
    RUNTIME(Error_t) RUNTIME(Memcpy2DFromArray)(void*, size_t, RUNTIME(Array_const_t), size_t, size_t, size_t, size_t,
        RUNTIME(MemcpyKind));
    RUNTIME(Error_t) RUNTIME(Memcpy2DFromArrayAsync)(void*, size_t, RUNTIME(Array_const_t), size_t, size_t, size_t,
        size_t, RUNTIME(MemcpyKind), RUNTIME(Stream_t) = 0);
    RUNTIME(Error_t) RUNTIME(Memcpy2DArrayToArray)(RUNTIME(Array_t), size_t, size_t, RUNTIME(Array_const_t), size_t,
        size_t, size_t, size_t, RUNTIME(MemcpyKind) = RUNTIME(MemcpyDeviceToDevice));
    RUNTIME(Error_t) RUNTIME(Memcpy3DAsync)(const RUNTIME(Memcpy3DParms)*, RUNTIME(Stream_t) = 0);
    RUNTIME(Error_t) RUNTIME(Memcpy3DPeer)(const RUNTIME(Memcpy3DPeerParms)*);
    RUNTIME(Error_t) RUNTIME(Memcpy3DPeerAsync)(const RUNTIME(Memcpy3DPeerParms)*, RUNTIME(Stream_t) = 0);
    RUNTIME(Error_t) RUNTIME(Memset2DAsync)(void*, size_t, int, size_t, size_t, RUNTIME(Stream_t) = 0);
    RUNTIME(Error_t) RUNTIME(Memset3D)(RUNTIME(PitchedPtr), int, RUNTIME(Extent));
    RUNTIME(Error_t) RUNTIME(Memset3DAsync)(RUNTIME(PitchedPtr), int, RUNTIME(Extent), RUNTIME(Stream_t) = 0);
    RUNTIME(Error_t) RUNTIME(EventRecordWithFlags)(RUNTIME(Event_t), RUNTIME(Stream_t) = 0, unsigned int = 0);
    RUNTIME(Error_t) RUNTIME(DestroySurfaceObject)(RUNTIME(SurfaceObject_t));
    RUNTIME(Error_t) RUNTIME(HostGetFlags)(unsigned int*, void*);
    RUNTIME(Error_t) RUNTIME(MallocMipmappedArray)(RUNTIME(MipmappedArray_t)*, const RUNTIME(ChannelFormatDesc)*,
        RUNTIME(Extent), unsigned int, unsigned int = 0);
    RUNTIME(Error_t) RUNTIME(GetMipmappedArrayLevel)(RUNTIME(Array_t)*, RUNTIME(MipmappedArray_const_t),
        unsigned int);
    RUNTIME(Error_t) RUNTIME(FreeMipmappedArray)(RUNTIME(MipmappedArray_t));
    RUNTIME(Error_t) RUNTIME(IpcGetMemHandle)(RUNTIME(IpcMemHandle_t)*, void*);
    RUNTIME(Error_t) RUNTIME(IpcOpenMemHandle)(void**, RUNTIME(IpcMemHandle_t), unsigned int);
    RUNTIME(Error_t) RUNTIME(IpcCloseMemHandle)(void*);
    RUNTIME(Error_t) RUNTIME(IpcGetEventHandle)(RUNTIME(IpcEventHandle_t)*, RUNTIME(Event_t));
    RUNTIME(Error_t) RUNTIME(IpcOpenEventHandle)(RUNTIME(Event_t)*, RUNTIME(IpcEventHandle_t));
    RUNTIME(Error_t) RUNTIME(DeviceGetDefaultMemPool)(RUNTIME(MemPool_t)*, int);
    RUNTIME(Error_t) RUNTIME(DeviceGetMemPool)(RUNTIME(MemPool_t)*, int);
    RUNTIME(Error_t) RUNTIME(DeviceSetMemPool)(int, RUNTIME(MemPool_t));
    RUNTIME(Error_t) RUNTIME(DeviceGetPCIBusId)(char*, int, int);
    RUNTIME(Error_t) RUNTIME(DeviceGetByPCIBusId)(int*, const char*);
    RUNTIME(Error_t) RUNTIME(SetValidDevices)(int*, int);
    RUNTIME(Error_t) RUNTIME(GraphCreate)(RUNTIME(Graph_t)*, unsigned int);
    RUNTIME(Error_t) RUNTIME(StreamIsCapturing)(RUNTIME(Stream_t), RUNTIME(StreamCaptureStatus)*);
    RUNTIME(Error_t) RUNTIME(StreamGetFlags)(RUNTIME(Stream_t), unsigned int*);
    RUNTIME(Error_t) RUNTIME(StreamGetPriority)(RUNTIME(Stream_t), int*);
}
template <class T>
RUNTIME(Error_t) RUNTIME(MallocFromPoolAsync)(T**, size_t, RUNTIME(MemPool_t), RUNTIME(Stream_t));
template <class T>
RUNTIME(Error_t) RUNTIME(MemcpyFromSymbolAsync)(void*, const T&, size_t, size_t, RUNTIME(MemcpyKind),
    RUNTIME(Stream_t) = 0);
template <class T> RUNTIME(Error_t) RUNTIME(GetSymbolSize)(size_t*, const T&);
template <class T> RUNTIME(Error_t) RUNTIME(GetFuncBySymbol)(struct CUfunc_st**, T*);
template <class T>
RUNTIME(Error_t) RUNTIME(OccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(int*, T, int, size_t, unsigned int);
template <class... A> RUNTIME(Error_t) RUNTIME(LaunchKernelExC)(const RUNTIME(LaunchConfig_t)*, A...);

#define RUNTIME_ANY(name) template <class... A> RUNTIME(Error_t) RUNTIME(name)(A...);
RUNTIME_ANY(ArrayGetInfo) RUNTIME_ANY(ArrayGetMemoryRequirements) RUNTIME_ANY(ArrayGetPlane)
RUNTIME_ANY(ArrayGetSparseProperties) RUNTIME_ANY(BindSurfaceToArray) RUNTIME_ANY(BindTextureToMipmappedArray)
RUNTIME_ANY(CtxResetPersistingL2Cache) RUNTIME_ANY(DestroyExternalMemory) RUNTIME_ANY(DestroyExternalSemaphore)
RUNTIME_ANY(DeviceFlushGPUDirectRDMAWrites) RUNTIME_ANY(DeviceGetCacheConfig)
RUNTIME_ANY(DeviceGetGraphMemAttribute) RUNTIME_ANY(DeviceGetHostAtomicCapabilities)
RUNTIME_ANY(DeviceGetNvSciSyncAttributes) RUNTIME_ANY(DeviceGetP2PAtomicCapabilities)
RUNTIME_ANY(DeviceGetP2PAttribute) RUNTIME_ANY(DeviceGetSharedMemConfig)
RUNTIME_ANY(DeviceGetTexture1DLinearMaxWidth) RUNTIME_ANY(DeviceGraphMemTrim)
RUNTIME_ANY(DeviceRegisterAsyncNotification) RUNTIME_ANY(DeviceSetGraphMemAttribute)
RUNTIME_ANY(DeviceUnregisterAsyncNotification) RUNTIME_ANY(ExternalMemoryGetMappedBuffer)
RUNTIME_ANY(ExternalMemoryGetMappedMipmappedArray) RUNTIME_ANY(FuncGetName) RUNTIME_ANY(FuncGetParamInfo)
RUNTIME_ANY(FuncSetSharedMemConfig) RUNTIME_ANY(GLGetDevices) RUNTIME_ANY(GLMapBufferObject)
RUNTIME_ANY(GLRegisterBufferObject) RUNTIME_ANY(GLSetGLDevice) RUNTIME_ANY(GLUnmapBufferObject)
RUNTIME_ANY(GLUnregisterBufferObject) RUNTIME_ANY(GetChannelDesc) RUNTIME_ANY(GetDeviceFlags)
RUNTIME_ANY(GetDeviceProperties_v2) RUNTIME_ANY(GetDriverEntryPoint) RUNTIME_ANY(GetDriverEntryPointByVersion)
RUNTIME_ANY(GetExportTable) RUNTIME_ANY(GetKernel) RUNTIME_ANY(GetSurfaceObjectResourceDesc)
RUNTIME_ANY(GetTextureAlignmentOffset) RUNTIME_ANY(GetTextureObjectResourceDesc)
RUNTIME_ANY(GetTextureObjectResourceViewDesc) RUNTIME_ANY(GetTextureObjectTextureDesc)
RUNTIME_ANY(GetTextureReference) RUNTIME_ANY(GraphAddChildGraphNode) RUNTIME_ANY(GraphAddDependencies)
RUNTIME_ANY(GraphAddEmptyNode) RUNTIME_ANY(GraphAddEventRecordNode) RUNTIME_ANY(GraphAddEventWaitNode)
RUNTIME_ANY(GraphAddExternalSemaphoresSignalNode) RUNTIME_ANY(GraphAddExternalSemaphoresWaitNode)
RUNTIME_ANY(GraphAddHostNode) RUNTIME_ANY(GraphAddKernelNode) RUNTIME_ANY(GraphAddMemAllocNode)
RUNTIME_ANY(GraphAddMemFreeNode) RUNTIME_ANY(GraphAddMemcpyNode) RUNTIME_ANY(GraphAddMemcpyNode1D)
RUNTIME_ANY(GraphAddMemcpyNodeFromSymbol) RUNTIME_ANY(GraphAddMemcpyNodeToSymbol)
RUNTIME_ANY(GraphAddMemsetNode) RUNTIME_ANY(GraphAddNode) RUNTIME_ANY(GraphChildGraphNodeGetGraph)
RUNTIME_ANY(GraphClone) RUNTIME_ANY(GraphConditionalHandleCreate) RUNTIME_ANY(GraphDebugDotPrint)
RUNTIME_ANY(GraphDestroyNode) RUNTIME_ANY(GraphEventRecordNodeGetEvent)
RUNTIME_ANY(GraphEventRecordNodeSetEvent) RUNTIME_ANY(GraphEventWaitNodeGetEvent)
RUNTIME_ANY(GraphEventWaitNodeSetEvent) RUNTIME_ANY(GraphExecChildGraphNodeSetParams)
RUNTIME_ANY(GraphExecEventRecordNodeSetEvent) RUNTIME_ANY(GraphExecEventWaitNodeSetEvent)
RUNTIME_ANY(GraphExecExternalSemaphoresSignalNodeSetParams)
RUNTIME_ANY(GraphExecExternalSemaphoresWaitNodeSetParams) RUNTIME_ANY(GraphExecGetFlags)
RUNTIME_ANY(GraphExecHostNodeSetParams) RUNTIME_ANY(GraphExecKernelNodeSetParams)
RUNTIME_ANY(GraphExecMemcpyNodeSetParams) RUNTIME_ANY(GraphExecMemcpyNodeSetParams1D)
RUNTIME_ANY(GraphExecMemcpyNodeSetParamsFromSymbol) RUNTIME_ANY(GraphExecMemcpyNodeSetParamsToSymbol)
RUNTIME_ANY(GraphExecMemsetNodeSetParams) RUNTIME_ANY(GraphExecNodeSetParams) RUNTIME_ANY(GraphExecUpdate)
RUNTIME_ANY(GraphExternalSemaphoresSignalNodeGetParams) RUNTIME_ANY(GraphExternalSemaphoresSignalNodeSetParams)
RUNTIME_ANY(GraphExternalSemaphoresWaitNodeGetParams) RUNTIME_ANY(GraphExternalSemaphoresWaitNodeSetParams)
RUNTIME_ANY(GraphGetEdges) RUNTIME_ANY(GraphGetNodes) RUNTIME_ANY(GraphGetRootNodes)
RUNTIME_ANY(GraphHostNodeGetParams) RUNTIME_ANY(GraphHostNodeSetParams) RUNTIME_ANY(GraphInstantiateWithFlags)
RUNTIME_ANY(GraphInstantiateWithParams) RUNTIME_ANY(GraphKernelNodeCopyAttributes)
RUNTIME_ANY(GraphKernelNodeGetAttribute) RUNTIME_ANY(GraphKernelNodeGetParams)
RUNTIME_ANY(GraphKernelNodeSetAttribute) RUNTIME_ANY(GraphKernelNodeSetParams)
RUNTIME_ANY(GraphMemAllocNodeGetParams) RUNTIME_ANY(GraphMemFreeNodeGetParams)
RUNTIME_ANY(GraphMemcpyNodeGetParams) RUNTIME_ANY(GraphMemcpyNodeSetParams)
RUNTIME_ANY(GraphMemcpyNodeSetParams1D) RUNTIME_ANY(GraphMemcpyNodeSetParamsFromSymbol)
RUNTIME_ANY(GraphMemcpyNodeSetParamsToSymbol) RUNTIME_ANY(GraphMemsetNodeGetParams)
RUNTIME_ANY(GraphMemsetNodeSetParams) RUNTIME_ANY(GraphNodeFindInClone) RUNTIME_ANY(GraphNodeGetDependencies)
RUNTIME_ANY(GraphNodeGetDependentNodes) RUNTIME_ANY(GraphNodeGetEnabled) RUNTIME_ANY(GraphNodeGetType)
RUNTIME_ANY(GraphNodeSetEnabled) RUNTIME_ANY(GraphNodeSetParams) RUNTIME_ANY(GraphReleaseUserObject)
RUNTIME_ANY(GraphRemoveDependencies) RUNTIME_ANY(GraphRetainUserObject) RUNTIME_ANY(GraphUpload)
RUNTIME_ANY(GraphicsGLRegisterBuffer) RUNTIME_ANY(GraphicsGLRegisterImage) RUNTIME_ANY(GraphicsMapResources)
RUNTIME_ANY(GraphicsResourceGetMappedMipmappedArray) RUNTIME_ANY(GraphicsResourceGetMappedPointer)
RUNTIME_ANY(GraphicsResourceSetMapFlags) RUNTIME_ANY(GraphicsSubResourceGetMappedArray)
RUNTIME_ANY(GraphicsUnmapResources) RUNTIME_ANY(GraphicsUnregisterResource) RUNTIME_ANY(ImportExternalMemory)
RUNTIME_ANY(ImportExternalSemaphore) RUNTIME_ANY(InitDevice) RUNTIME_ANY(KernelSetAttributeForDevice)
RUNTIME_ANY(LaunchCooperativeKernelMultiDevice) RUNTIME_ANY(LibraryEnumerateKernels)
RUNTIME_ANY(LibraryGetGlobal) RUNTIME_ANY(LibraryGetKernel) RUNTIME_ANY(LibraryGetKernelCount)
RUNTIME_ANY(LibraryGetManaged) RUNTIME_ANY(LibraryGetUnifiedFunction) RUNTIME_ANY(LibraryLoadData)
RUNTIME_ANY(LibraryLoadFromFile) RUNTIME_ANY(LibraryUnload) RUNTIME_ANY(LogsCurrent)
RUNTIME_ANY(LogsDumpToFile) RUNTIME_ANY(LogsDumpToMemory) RUNTIME_ANY(LogsRegisterCallback)
RUNTIME_ANY(LogsUnregisterCallback) RUNTIME_ANY(MemAdvise_v2) RUNTIME_ANY(MemDiscardAndPrefetchBatchAsync)
RUNTIME_ANY(MemDiscardBatchAsync) RUNTIME_ANY(MemGetDefaultMemPool) RUNTIME_ANY(MemGetMemPool)
RUNTIME_ANY(MemPoolCreate) RUNTIME_ANY(MemPoolDestroy) RUNTIME_ANY(MemPoolExportPointer)
RUNTIME_ANY(MemPoolExportToShareableHandle) RUNTIME_ANY(MemPoolGetAccess) RUNTIME_ANY(MemPoolGetAttribute)
RUNTIME_ANY(MemPoolImportFromShareableHandle) RUNTIME_ANY(MemPoolImportPointer) RUNTIME_ANY(MemPoolSetAccess)
RUNTIME_ANY(MemPoolSetAttribute) RUNTIME_ANY(MemPoolTrimTo) RUNTIME_ANY(MemPrefetchAsync_v2)
RUNTIME_ANY(MemPrefetchBatchAsync) RUNTIME_ANY(MemRangeGetAttribute) RUNTIME_ANY(MemRangeGetAttributes)
RUNTIME_ANY(MemSetMemPool) RUNTIME_ANY(Memcpy3DBatchAsync) RUNTIME_ANY(MemcpyBatchAsync)
RUNTIME_ANY(MipmappedArrayGetMemoryRequirements) RUNTIME_ANY(MipmappedArrayGetSparseProperties)
RUNTIME_ANY(OccupancyAvailableDynamicSMemPerBlock) RUNTIME_ANY(OccupancyMaxActiveClusters)
RUNTIME_ANY(OccupancyMaxPotentialBlockSizeVariableSMem)
RUNTIME_ANY(OccupancyMaxPotentialBlockSizeVariableSMemWithFlags)
RUNTIME_ANY(OccupancyMaxPotentialBlockSizeWithFlags) RUNTIME_ANY(OccupancyMaxPotentialClusterSize)
RUNTIME_ANY(ProfilerInitialize) RUNTIME_ANY(SetDoubleForDevice) RUNTIME_ANY(SetDoubleForHost)
RUNTIME_ANY(SignalExternalSemaphoresAsync) RUNTIME_ANY(StreamBeginCaptureToGraph)
RUNTIME_ANY(StreamCopyAttributes) RUNTIME_ANY(StreamGetAttribute) RUNTIME_ANY(StreamGetCaptureInfo)
RUNTIME_ANY(StreamGetCaptureInfo_v2) RUNTIME_ANY(StreamGetDevResource) RUNTIME_ANY(StreamGetDevice)
RUNTIME_ANY(StreamGetId) RUNTIME_ANY(StreamSetAttribute) RUNTIME_ANY(StreamUpdateCaptureDependencies)
RUNTIME_ANY(ThreadExchangeStreamCaptureMode) RUNTIME_ANY(ThreadGetCacheConfig) RUNTIME_ANY(ThreadGetLimit)
RUNTIME_ANY(ThreadSetCacheConfig) RUNTIME_ANY(ThreadSetLimit) RUNTIME_ANY(UserObjectCreate)
RUNTIME_ANY(UserObjectRelease) RUNTIME_ANY(UserObjectRetain) RUNTIME_ANY(WaitExternalSemaphoresAsync)
#undef RUNTIME_ANY
