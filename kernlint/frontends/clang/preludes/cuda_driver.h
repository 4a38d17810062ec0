// The driver API of CUDA, in a file of its own.  Names and values as in cuda.h of CUDA 4 to 13; functions that have no part
// in memory, copies, streams and launches take any arguments.
#pragma once
#pragma clang system_header

typedef enum cudaError_enum {
    CUDA_SUCCESS,
    CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_DEINITIALIZED = 4, CUDA_ERROR_PROFILER_DISABLED = 5, CUDA_ERROR_PROFILER_NOT_INITIALIZED = 6,
    CUDA_ERROR_PROFILER_ALREADY_STARTED = 7, CUDA_ERROR_PROFILER_ALREADY_STOPPED = 8, CUDA_ERROR_STUB_LIBRARY = 34,
    CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER = 36, CUDA_ERROR_DEVICE_UNAVAILABLE = 46, CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101, CUDA_ERROR_DEVICE_NOT_LICENSED = 102, CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_INVALID_CONTEXT = 201, CUDA_ERROR_CONTEXT_ALREADY_CURRENT = 202, CUDA_ERROR_MAP_FAILED = 205,
    CUDA_ERROR_UNMAP_FAILED = 206, CUDA_ERROR_ARRAY_IS_MAPPED = 207, CUDA_ERROR_ALREADY_MAPPED = 208,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209, CUDA_ERROR_ALREADY_ACQUIRED = 210, CUDA_ERROR_NOT_MAPPED = 211,
    CUDA_ERROR_NOT_MAPPED_AS_ARRAY = 212, CUDA_ERROR_NOT_MAPPED_AS_POINTER = 213, CUDA_ERROR_ECC_UNCORRECTABLE = 214,
    CUDA_ERROR_UNSUPPORTED_LIMIT = 215, CUDA_ERROR_CONTEXT_ALREADY_IN_USE = 216,
    CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217, CUDA_ERROR_INVALID_PTX = 218, CUDA_ERROR_INVALID_GRAPHICS_CONTEXT = 219,
    CUDA_ERROR_NVLINK_UNCORRECTABLE = 220, CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222, CUDA_ERROR_JIT_COMPILATION_DISABLED = 223,
    CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY = 224, CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC = 225, CUDA_ERROR_CONTAINED = 226,
    CUDA_ERROR_INVALID_SOURCE = 300, CUDA_ERROR_FILE_NOT_FOUND = 301, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND = 302,
    CUDA_ERROR_SHARED_OBJECT_INIT_FAILED = 303, CUDA_ERROR_OPERATING_SYSTEM = 304, CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_ILLEGAL_STATE = 401, CUDA_ERROR_LOSSY_QUERY = 402, CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600, CUDA_ERROR_ILLEGAL_ADDRESS = 700, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702, CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING = 703,
    CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED = 705,
    CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE = 708, CUDA_ERROR_CONTEXT_IS_DESTROYED = 709, CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_TOO_MANY_PEERS = 711, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713, CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
    CUDA_ERROR_ILLEGAL_INSTRUCTION = 715, CUDA_ERROR_MISALIGNED_ADDRESS = 716, CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
    CUDA_ERROR_INVALID_PC = 718, CUDA_ERROR_LAUNCH_FAILED = 719, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    CUDA_ERROR_TENSOR_MEMORY_LEAK = 721, CUDA_ERROR_NOT_PERMITTED = 800, CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_SYSTEM_NOT_READY = 802, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
    CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE = 804, CUDA_ERROR_MPS_CONNECTION_FAILED = 805,
    CUDA_ERROR_MPS_RPC_FAILURE = 806, CUDA_ERROR_MPS_SERVER_NOT_READY = 807, CUDA_ERROR_MPS_MAX_CLIENTS_REACHED = 808,
    CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED = 809, CUDA_ERROR_MPS_CLIENT_TERMINATED = 810,
    CUDA_ERROR_CDP_NOT_SUPPORTED = 811, CUDA_ERROR_CDP_VERSION_MISMATCH = 812,
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
    CUDA_ERROR_STREAM_CAPTURE_MERGE = 902, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,
    CUDA_ERROR_STREAM_CAPTURE_UNJOINED = 904, CUDA_ERROR_STREAM_CAPTURE_ISOLATION = 905,
    CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906, CUDA_ERROR_CAPTURED_EVENT = 907,
    CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908, CUDA_ERROR_TIMEOUT = 909,
    CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE = 910, CUDA_ERROR_EXTERNAL_DEVICE = 911,
    CUDA_ERROR_INVALID_CLUSTER_SIZE = 912, CUDA_ERROR_FUNCTION_NOT_LOADED = 913,
    CUDA_ERROR_INVALID_RESOURCE_TYPE = 914, CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION = 915,
    CUDA_ERROR_KEY_ROTATION = 916, CUDA_ERROR_UNKNOWN = 999,
} CUresult;
enum CUctx_flags { CU_CTX_SCHED_AUTO, CU_CTX_SCHED_SPIN, CU_CTX_SCHED_YIELD, CU_CTX_SCHED_BLOCKING_SYNC = 4,
    CU_CTX_MAP_HOST = 8, CU_CTX_LMEM_RESIZE_TO_MAX = 16 };
enum CUstream_flags { CU_STREAM_DEFAULT, CU_STREAM_NON_BLOCKING };
enum CUevent_flags { CU_EVENT_DEFAULT, CU_EVENT_BLOCKING_SYNC, CU_EVENT_DISABLE_TIMING, CU_EVENT_INTERPROCESS = 4 };
enum CUmemAttach_flags { CU_MEM_ATTACH_GLOBAL = 1, CU_MEM_ATTACH_HOST = 2, CU_MEM_ATTACH_SINGLE = 4 };
#define CU_MEMHOSTALLOC_PORTABLE 1
#define CU_MEMHOSTALLOC_DEVICEMAP 2
#define CU_MEMHOSTALLOC_WRITECOMBINED 4
enum CUdevice_attribute {
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    CU_DEVICE_ATTRIBUTE_SHARED_MEMORY_PER_BLOCK = 8, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
    CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10, CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
    CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12, CU_DEVICE_ATTRIBUTE_REGISTERS_PER_BLOCK = 12,
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT = 14,
    CU_DEVICE_ATTRIBUTE_GPU_OVERLAP = 15, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = 17, CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
    CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH = 21, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH = 22,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT = 23, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH = 24,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT = 25, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH = 26,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH = 27,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT = 28,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS = 29, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_WIDTH = 27,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_HEIGHT = 28,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES = 29, CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT = 30,
    CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = 31, CU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32,
    CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34, CU_DEVICE_ATTRIBUTE_TCC_DRIVER = 35,
    CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
    CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
    CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH = 42,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS = 43, CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER = 44,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH = 45, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT = 46,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE = 47,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE = 48,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE = 49, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
    CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT = 51, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH = 52,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH = 53,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS = 54, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH = 55,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH = 56, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT = 57,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH = 58, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT = 59,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH = 60, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH = 61,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS = 62,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH = 63,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT = 64,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS = 65, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH = 66,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH = 67,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS = 68,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH = 69, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH = 70,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT = 71, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH = 72,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH = 73,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT = 74, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH = 77,
    CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED = 78, CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED = 79,
    CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED = 80, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
    CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
    CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD = 84, CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID = 85,
    CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED = 86,
    CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO = 87, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
    CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89, CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED = 90,
    CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM = 91,
    CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1 = 92, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1 = 93,
    CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1 = 94, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
    CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH = 96,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97, CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES = 98,
    CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED = 99,
    CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES = 100,
    CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST = 101,
    CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED = 102,
    CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED = 104,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED = 105,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106, CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED = 107,
    CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE = 108, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE = 109,
    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED = 110,
    CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK = 111, CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED = 112,
    CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED = 113,
    CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED = 114, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED = 116,
    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS = 117,
    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING = 118,
    CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES = 119, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH = 120,
    CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED = 121,
    CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS = 122, CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR = 123,
    CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED = 124, CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED = 125,
    CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT = 126, CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED = 127,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED = 128, CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS = 129,
    CU_DEVICE_ATTRIBUTE_NUMA_CONFIG = 130, CU_DEVICE_ATTRIBUTE_NUMA_ID = 131,
    CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED = 132, CU_DEVICE_ATTRIBUTE_MPS_ENABLED = 133,
    CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID = 134, CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED = 135,
    CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK = 136, CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH = 137,
    CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED = 138, CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID = 139,
    CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID = 140,
    CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 141,
    CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED = 142,
    CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED = 143,
    CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED = 144,
    CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 145,
    CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED = 146,
    CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED = 147,
};
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
CUresult cuDeviceGetCount(int*);
CUresult cuDeviceGetName(char*, int, CUdevice);
CUresult cuDeviceTotalMem(size_t*, CUdevice);
CUresult cuDevicePrimaryCtxRetain(CUcontext*, CUdevice);
CUresult cuDevicePrimaryCtxRelease(CUdevice);
CUresult cuCtxCreate(CUcontext*, unsigned int, CUdevice);
CUresult cuCtxDestroy(CUcontext);
CUresult cuCtxGetCurrent(CUcontext*);
CUresult cuCtxSetCurrent(CUcontext);
CUresult cuCtxPushCurrent(CUcontext);
CUresult cuCtxPopCurrent(CUcontext*);
CUresult cuCtxGetDevice(CUdevice*);
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
CUresult cuMemAllocPitch(CUdeviceptr*, size_t*, size_t, size_t, unsigned int);
CUresult cuMemAllocAsync(CUdeviceptr*, size_t, CUstream);
CUresult cuMemAllocHost(void**, size_t);
CUresult cuMemHostAlloc(void**, size_t, unsigned int);
CUresult cuMemFreeAsync(CUdeviceptr, CUstream);
CUresult cuMemGetInfo(size_t*, size_t*);
CUresult cuMemFree(CUdeviceptr);
CUresult cuMemFreeHost(void*);
CUresult cuMemcpyHtoD(CUdeviceptr, const void*, size_t);
CUresult cuMemcpyDtoH(void*, CUdeviceptr, size_t);
CUresult cuMemcpyDtoD(CUdeviceptr, CUdeviceptr, size_t);
CUresult cuMemcpyHtoDAsync(CUdeviceptr, const void*, size_t, CUstream);
CUresult cuMemcpyDtoHAsync(void*, CUdeviceptr, size_t, CUstream);
CUresult cuMemcpyDtoDAsync(CUdeviceptr, CUdeviceptr, size_t, CUstream);
CUresult cuMemsetD8(CUdeviceptr, unsigned char, size_t);
CUresult cuMemsetD16(CUdeviceptr, unsigned short, size_t);
CUresult cuMemsetD32(CUdeviceptr, unsigned int, size_t);
CUresult cuMemsetD8Async(CUdeviceptr, unsigned char, size_t, CUstream);
CUresult cuMemsetD16Async(CUdeviceptr, unsigned short, size_t, CUstream);
CUresult cuMemsetD32Async(CUdeviceptr, unsigned int, size_t, CUstream);
CUresult cuStreamCreate(CUstream*, unsigned int);
CUresult cuStreamCreateWithPriority(CUstream*, unsigned int, int);
CUresult cuStreamQuery(CUstream);
CUresult cuStreamWaitEvent(CUstream, CUevent, unsigned int);
CUresult cuStreamSynchronize(CUstream);
CUresult cuEventCreate(CUevent*, unsigned int);
CUresult cuEventRecord(CUevent, CUstream);
CUresult cuEventQuery(CUevent);
CUresult cuEventSynchronize(CUevent);
CUresult cuEventElapsedTime(float*, CUevent, CUevent);
CUresult cuEventDestroy(CUevent);
CUresult cuStreamDestroy(CUstream);
CUresult cuCtxSynchronize();
CUresult cuLaunchKernel(
    CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
    CUstream, void**, void**);
CUresult cuGetErrorName(CUresult, const char**);
CUresult cuGetErrorString(CUresult, const char**);

// What else there is: handles, descriptions, flags.
typedef struct CUarray_st* CUarray;
typedef struct CUmipmappedArray_st* CUmipmappedArray;
typedef struct CUtexref_st* CUtexref;
typedef struct CUsurfref_st* CUsurfref;
typedef struct CUgraphicsResource_st* CUgraphicsResource;
typedef struct CUlinkState_st* CUlinkState;
typedef struct CUgraph_st* CUgraph;
typedef struct CUgraphExec_st* CUgraphExec;
typedef struct CUgraphNode_st* CUgraphNode;
typedef struct CUmemPoolHandle_st* CUmemoryPool;
typedef struct CUlib_st* CUlibrary;
typedef struct CUkern_st* CUkernel;
typedef unsigned long long CUmemGenericAllocationHandle;
struct CUuuid { char bytes[16]; };
struct CUipcMemHandle { char reserved[64]; };
struct CUipcEventHandle { char reserved[64]; };
enum CUmemorytype { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_ARRAY, CU_MEMORYTYPE_UNIFIED };
enum CUarray_format { CU_AD_FORMAT_UNSIGNED_INT8 = 1, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32,
    CU_AD_FORMAT_SIGNED_INT8 = 8, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT32, CU_AD_FORMAT_HALF = 16,
    CU_AD_FORMAT_FLOAT = 32 };
enum CUaddress_mode { CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_MIRROR,
    CU_TR_ADDRESS_MODE_BORDER };
enum CUfilter_mode { CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR };
enum CUfunc_cache { CU_FUNC_CACHE_PREFER_NONE, CU_FUNC_CACHE_PREFER_SHARED, CU_FUNC_CACHE_PREFER_L1,
    CU_FUNC_CACHE_PREFER_EQUAL };
enum CUjit_option { CU_JIT_MAX_REGISTERS, CU_JIT_THREADS_PER_BLOCK, CU_JIT_WALL_TIME, CU_JIT_INFO_LOG_BUFFER,
    CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
    CU_JIT_OPTIMIZATION_LEVEL, CU_JIT_TARGET_FROM_CUCONTEXT, CU_JIT_TARGET, CU_JIT_FALLBACK_STRATEGY,
    CU_JIT_GENERATE_DEBUG_INFO, CU_JIT_LOG_VERBOSE, CU_JIT_GENERATE_LINE_INFO, CU_JIT_CACHE_MODE };
enum CUjitInputType { CU_JIT_INPUT_CUBIN, CU_JIT_INPUT_PTX, CU_JIT_INPUT_FATBINARY, CU_JIT_INPUT_OBJECT,
    CU_JIT_INPUT_LIBRARY };
enum CUlimit { CU_LIMIT_STACK_SIZE, CU_LIMIT_PRINTF_FIFO_SIZE, CU_LIMIT_MALLOC_HEAP_SIZE };
enum CUsharedconfig { CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE,
    CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE };
enum CUcomputemode { CU_COMPUTEMODE_DEFAULT, CU_COMPUTEMODE_PROHIBITED = 2, CU_COMPUTEMODE_EXCLUSIVE_PROCESS };
enum CUmemAllocationType { CU_MEM_ALLOCATION_TYPE_INVALID, CU_MEM_ALLOCATION_TYPE_PINNED };
enum CUmemLocationType { CU_MEM_LOCATION_TYPE_INVALID, CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_LOCATION_TYPE_HOST };
enum CUmemAllocationGranularity_flags { CU_MEM_ALLOC_GRANULARITY_MINIMUM, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED };
enum CUmemAccess_flags { CU_MEM_ACCESS_FLAGS_PROT_NONE, CU_MEM_ACCESS_FLAGS_PROT_READ,
    CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3 };
enum CUresourcetype { CU_RESOURCE_TYPE_ARRAY, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, CU_RESOURCE_TYPE_LINEAR,
    CU_RESOURCE_TYPE_PITCH2D };
enum CUstreamCaptureMode { CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
    CU_STREAM_CAPTURE_MODE_RELAXED };
struct CUmemLocation { CUmemLocationType type; int id; };
struct CUmemAllocationProp {
    CUmemAllocationType type;
    int requestedHandleTypes;
    CUmemLocation location;
    void* win32HandleMetaData;
};
struct CUmemAccessDesc { CUmemLocation location; CUmemAccess_flags flags; };
struct CUDA_ARRAY_DESCRIPTOR { size_t Width, Height; CUarray_format Format; unsigned int NumChannels; };
struct CUDA_ARRAY3D_DESCRIPTOR {
    size_t Width, Height, Depth;
    CUarray_format Format;
    unsigned int NumChannels, Flags;
};
struct CUDA_MEMCPY2D {
    size_t srcXInBytes, srcY;
    CUmemorytype srcMemoryType;
    const void* srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    size_t srcPitch, dstXInBytes, dstY;
    CUmemorytype dstMemoryType;
    void* dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    size_t dstPitch, WidthInBytes, Height;
};
struct CUDA_MEMCPY3D : CUDA_MEMCPY2D { size_t srcZ, srcLOD, srcHeight, dstZ, dstLOD, dstHeight, Depth; };
struct CUDA_RESOURCE_DESC {
    CUresourcetype resType;
    union {
        struct { CUarray hArray; } array;
        struct { CUmipmappedArray hMipmappedArray; } mipmap;
        struct { CUdeviceptr devPtr; CUarray_format format; unsigned int numChannels; size_t sizeInBytes; } linear;
        struct {
            CUdeviceptr devPtr;
            CUarray_format format;
            unsigned int numChannels;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
    unsigned int flags;
};
struct CUDA_TEXTURE_DESC {
    CUaddress_mode addressMode[3];
    CUfilter_mode filterMode;
    unsigned int flags, maxAnisotropy;
    CUfilter_mode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
};
enum {
    CU_TRSF_READ_AS_INTEGER = 1, CU_TRSF_NORMALIZED_COORDINATES = 2, CU_TRSA_OVERRIDE_FORMAT = 1,
    CUDA_ARRAY3D_LAYERED = 1, CUDA_ARRAY3D_SURFACE_LDST = 2, CU_MEMHOSTREGISTER_PORTABLE = 1,
    CU_MEMHOSTREGISTER_DEVICEMAP = 2, CU_MEMHOSTREGISTER_IOMEMORY = 4, CU_PARAM_TR_DEFAULT = -1,
    CU_GRAPHICS_REGISTER_FLAGS_NONE = 0, CU_GRAPHICS_REGISTER_FLAGS_READ_ONLY = 1,
    CU_GRAPHICS_REGISTER_FLAGS_WRITE_DISCARD = 2, CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST = 4,
    CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE = 0, CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY = 1,
    CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD = 2,
};
#define CU_LAUNCH_PARAM_END ((void*)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void*)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void*)0x02)
#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)
CUresult cuMemcpy(CUdeviceptr, CUdeviceptr, size_t);
CUresult cuMemcpyAsync(CUdeviceptr, CUdeviceptr, size_t, CUstream);
CUresult cuMemcpyPeer(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t);
CUresult cuMemcpyPeerAsync(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream);
CUresult cuMemcpyHtoA(CUarray, size_t, const void*, size_t);
CUresult cuMemcpyHtoAAsync(CUarray, size_t, const void*, size_t, CUstream);
CUresult cuMemcpyAtoH(void*, CUarray, size_t, size_t);
CUresult cuMemcpyAtoHAsync(void*, CUarray, size_t, size_t, CUstream);
CUresult cuMemcpyDtoA(CUarray, size_t, CUdeviceptr, size_t);
CUresult cuMemcpyAtoD(CUdeviceptr, CUarray, size_t, size_t);
CUresult cuMemcpyAtoA(CUarray, size_t, CUarray, size_t, size_t);
CUresult cuMemcpy2D(const CUDA_MEMCPY2D*);
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D*);
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D*, CUstream);
CUresult cuMemcpy3D(const CUDA_MEMCPY3D*);
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D*, CUstream);
CUresult cuMemsetD2D8(CUdeviceptr, size_t, unsigned char, size_t, size_t);
CUresult cuMemsetD2D16(CUdeviceptr, size_t, unsigned short, size_t, size_t);
CUresult cuMemsetD2D32(CUdeviceptr, size_t, unsigned int, size_t, size_t);
CUresult cuMemsetD2D8Async(CUdeviceptr, size_t, unsigned char, size_t, size_t, CUstream);
CUresult cuMemsetD2D16Async(CUdeviceptr, size_t, unsigned short, size_t, size_t, CUstream);
CUresult cuMemsetD2D32Async(CUdeviceptr, size_t, unsigned int, size_t, size_t, CUstream);
CUresult cuMemHostGetDevicePointer(CUdeviceptr*, void*, unsigned int);
CUresult cuMemHostGetFlags(unsigned int*, void*);
CUresult cuMemHostRegister(void*, size_t, unsigned int);
CUresult cuMemHostUnregister(void*);
CUresult cuMemGetAddressRange(CUdeviceptr*, size_t*, CUdeviceptr);
CUresult cuMemAllocFromPoolAsync(CUdeviceptr*, size_t, CUmemoryPool, CUstream);
CUresult cuMemPrefetchAsync(CUdeviceptr, size_t, CUdevice, CUstream);
CUresult cuArrayCreate(CUarray*, const CUDA_ARRAY_DESCRIPTOR*);
CUresult cuArray3DCreate(CUarray*, const CUDA_ARRAY3D_DESCRIPTOR*);
CUresult cuArrayDestroy(CUarray);
CUresult cuModuleLoadDataEx(CUmodule*, const void*, unsigned int, CUjit_option*, void**);
CUresult cuModuleLoadFatBinary(CUmodule*, const void*);
CUresult cuDeviceGetAttribute(int*, CUdevice_attribute, CUdevice);
CUresult cuDeviceComputeCapability(int*, int*, CUdevice);
CUresult cuDriverGetVersion(int*);
CUresult cuStreamAddCallback(CUstream, void (*)(CUstream, CUresult, void*), void*, unsigned int);
CUresult cuLaunchHostFunc(CUstream, void (*)(void*), void*);
CUresult cuEventRecordWithFlags(CUevent, CUstream, unsigned int);
CUresult cuLaunchCooperativeKernel(CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
    unsigned int, unsigned int, CUstream, void**);
CUresult cuFuncSetBlockShape(CUfunction, int, int, int);
CUresult cuFuncSetSharedSize(CUfunction, unsigned int);
CUresult cuLaunchGrid(CUfunction, int, int);
CUresult cuLaunchGridAsync(CUfunction, int, int, CUstream);
CUresult cuOccupancyMaxPotentialBlockSize(int*, int*, CUfunction, void*, size_t, int);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int*, CUfunction, int, size_t);

#define DRIVER_ANY(name) template <class... A> CUresult name(A...);
DRIVER_ANY(cuArray3DGetDescriptor) DRIVER_ANY(cuArrayGetDescriptor) DRIVER_ANY(cuArrayGetMemoryRequirements)
DRIVER_ANY(cuArrayGetPlane) DRIVER_ANY(cuArrayGetSparseProperties) DRIVER_ANY(cuCheckpointProcessCheckpoint)
DRIVER_ANY(cuCheckpointProcessGetRestoreThreadId) DRIVER_ANY(cuCheckpointProcessGetState)
DRIVER_ANY(cuCheckpointProcessLock) DRIVER_ANY(cuCheckpointProcessRestore) DRIVER_ANY(cuCheckpointProcessUnlock)
DRIVER_ANY(cuCoredumpGetAttribute) DRIVER_ANY(cuCoredumpGetAttributeGlobal) DRIVER_ANY(cuCoredumpSetAttribute)
DRIVER_ANY(cuCoredumpSetAttributeGlobal) DRIVER_ANY(cuCtxAttach) DRIVER_ANY(cuCtxDetach)
DRIVER_ANY(cuCtxDisablePeerAccess) DRIVER_ANY(cuCtxEnablePeerAccess) DRIVER_ANY(cuCtxFromGreenCtx)
DRIVER_ANY(cuCtxGetApiVersion) DRIVER_ANY(cuCtxGetCacheConfig) DRIVER_ANY(cuCtxGetDevResource)
DRIVER_ANY(cuCtxGetExecAffinity) DRIVER_ANY(cuCtxGetFlags) DRIVER_ANY(cuCtxGetId) DRIVER_ANY(cuCtxGetLimit)
DRIVER_ANY(cuCtxGetSharedMemConfig) DRIVER_ANY(cuCtxGetStreamPriorityRange) DRIVER_ANY(cuCtxRecordEvent)
DRIVER_ANY(cuCtxResetPersistingL2Cache) DRIVER_ANY(cuCtxSetCacheConfig) DRIVER_ANY(cuCtxSetFlags)
DRIVER_ANY(cuCtxSetLimit) DRIVER_ANY(cuCtxSetSharedMemConfig) DRIVER_ANY(cuCtxWaitEvent)
DRIVER_ANY(cuDestroyExternalMemory) DRIVER_ANY(cuDestroyExternalSemaphore) DRIVER_ANY(cuDevResourceGenerateDesc)
DRIVER_ANY(cuDevSmResourceSplitByCount) DRIVER_ANY(cuDeviceCanAccessPeer) DRIVER_ANY(cuDeviceGetByPCIBusId)
DRIVER_ANY(cuDeviceGetDefaultMemPool) DRIVER_ANY(cuDeviceGetDevResource)
DRIVER_ANY(cuDeviceGetExecAffinitySupport) DRIVER_ANY(cuDeviceGetGraphMemAttribute)
DRIVER_ANY(cuDeviceGetHostAtomicCapabilities) DRIVER_ANY(cuDeviceGetLuid) DRIVER_ANY(cuDeviceGetMemPool)
DRIVER_ANY(cuDeviceGetNvSciSyncAttributes) DRIVER_ANY(cuDeviceGetP2PAtomicCapabilities)
DRIVER_ANY(cuDeviceGetP2PAttribute) DRIVER_ANY(cuDeviceGetPCIBusId) DRIVER_ANY(cuDeviceGetProperties)
DRIVER_ANY(cuDeviceGetTexture1DLinearMaxWidth) DRIVER_ANY(cuDeviceGetUuid) DRIVER_ANY(cuDeviceGetUuid_v2)
DRIVER_ANY(cuDeviceGraphMemTrim) DRIVER_ANY(cuDevicePrimaryCtxGetState) DRIVER_ANY(cuDevicePrimaryCtxReset)
DRIVER_ANY(cuDevicePrimaryCtxSetFlags) DRIVER_ANY(cuDeviceRegisterAsyncNotification)
DRIVER_ANY(cuDeviceSetGraphMemAttribute) DRIVER_ANY(cuDeviceSetMemPool)
DRIVER_ANY(cuDeviceUnregisterAsyncNotification) DRIVER_ANY(cuExternalMemoryGetMappedBuffer)
DRIVER_ANY(cuExternalMemoryGetMappedMipmappedArray) DRIVER_ANY(cuFlushGPUDirectRDMAWrites)
DRIVER_ANY(cuFuncGetModule) DRIVER_ANY(cuFuncGetName) DRIVER_ANY(cuFuncGetParamInfo) DRIVER_ANY(cuFuncIsLoaded)
DRIVER_ANY(cuFuncLoad) DRIVER_ANY(cuFuncSetCacheConfig) DRIVER_ANY(cuFuncSetSharedMemConfig)
DRIVER_ANY(cuGLCtxCreate) DRIVER_ANY(cuGLGetDevices) DRIVER_ANY(cuGLMapBufferObject)
DRIVER_ANY(cuGLRegisterBufferObject) DRIVER_ANY(cuGLUnmapBufferObject) DRIVER_ANY(cuGLUnregisterBufferObject)
DRIVER_ANY(cuGetExportTable) DRIVER_ANY(cuGetProcAddress) DRIVER_ANY(cuGraphAddBatchMemOpNode)
DRIVER_ANY(cuGraphAddChildGraphNode) DRIVER_ANY(cuGraphAddDependencies) DRIVER_ANY(cuGraphAddEmptyNode)
DRIVER_ANY(cuGraphAddEventRecordNode) DRIVER_ANY(cuGraphAddEventWaitNode)
DRIVER_ANY(cuGraphAddExternalSemaphoresSignalNode) DRIVER_ANY(cuGraphAddExternalSemaphoresWaitNode)
DRIVER_ANY(cuGraphAddHostNode) DRIVER_ANY(cuGraphAddKernelNode) DRIVER_ANY(cuGraphAddMemAllocNode)
DRIVER_ANY(cuGraphAddMemFreeNode) DRIVER_ANY(cuGraphAddMemcpyNode) DRIVER_ANY(cuGraphAddMemsetNode)
DRIVER_ANY(cuGraphAddNode) DRIVER_ANY(cuGraphBatchMemOpNodeGetParams) DRIVER_ANY(cuGraphBatchMemOpNodeSetParams)
DRIVER_ANY(cuGraphChildGraphNodeGetGraph) DRIVER_ANY(cuGraphClone) DRIVER_ANY(cuGraphConditionalHandleCreate)
DRIVER_ANY(cuGraphCreate) DRIVER_ANY(cuGraphDebugDotPrint) DRIVER_ANY(cuGraphDestroy)
DRIVER_ANY(cuGraphDestroyNode) DRIVER_ANY(cuGraphEventRecordNodeGetEvent)
DRIVER_ANY(cuGraphEventRecordNodeSetEvent) DRIVER_ANY(cuGraphEventWaitNodeGetEvent)
DRIVER_ANY(cuGraphEventWaitNodeSetEvent) DRIVER_ANY(cuGraphExecBatchMemOpNodeSetParams)
DRIVER_ANY(cuGraphExecChildGraphNodeSetParams) DRIVER_ANY(cuGraphExecDestroy)
DRIVER_ANY(cuGraphExecEventRecordNodeSetEvent) DRIVER_ANY(cuGraphExecEventWaitNodeSetEvent)
DRIVER_ANY(cuGraphExecExternalSemaphoresSignalNodeSetParams)
DRIVER_ANY(cuGraphExecExternalSemaphoresWaitNodeSetParams) DRIVER_ANY(cuGraphExecGetFlags)
DRIVER_ANY(cuGraphExecHostNodeSetParams) DRIVER_ANY(cuGraphExecKernelNodeSetParams)
DRIVER_ANY(cuGraphExecMemcpyNodeSetParams) DRIVER_ANY(cuGraphExecMemsetNodeSetParams)
DRIVER_ANY(cuGraphExecNodeSetParams) DRIVER_ANY(cuGraphExecUpdate)
DRIVER_ANY(cuGraphExternalSemaphoresSignalNodeGetParams) DRIVER_ANY(cuGraphExternalSemaphoresSignalNodeSetParams)
DRIVER_ANY(cuGraphExternalSemaphoresWaitNodeGetParams) DRIVER_ANY(cuGraphExternalSemaphoresWaitNodeSetParams)
DRIVER_ANY(cuGraphGetEdges) DRIVER_ANY(cuGraphGetNodes) DRIVER_ANY(cuGraphGetRootNodes)
DRIVER_ANY(cuGraphHostNodeGetParams) DRIVER_ANY(cuGraphHostNodeSetParams) DRIVER_ANY(cuGraphInstantiate)
DRIVER_ANY(cuGraphInstantiateWithParams) DRIVER_ANY(cuGraphKernelNodeCopyAttributes)
DRIVER_ANY(cuGraphKernelNodeGetAttribute) DRIVER_ANY(cuGraphKernelNodeGetParams)
DRIVER_ANY(cuGraphKernelNodeSetAttribute) DRIVER_ANY(cuGraphKernelNodeSetParams) DRIVER_ANY(cuGraphLaunch)
DRIVER_ANY(cuGraphMemAllocNodeGetParams) DRIVER_ANY(cuGraphMemFreeNodeGetParams)
DRIVER_ANY(cuGraphMemcpyNodeGetParams) DRIVER_ANY(cuGraphMemcpyNodeSetParams)
DRIVER_ANY(cuGraphMemsetNodeGetParams) DRIVER_ANY(cuGraphMemsetNodeSetParams) DRIVER_ANY(cuGraphNodeFindInClone)
DRIVER_ANY(cuGraphNodeGetDependencies) DRIVER_ANY(cuGraphNodeGetDependentNodes) DRIVER_ANY(cuGraphNodeGetEnabled)
DRIVER_ANY(cuGraphNodeGetType) DRIVER_ANY(cuGraphNodeSetEnabled) DRIVER_ANY(cuGraphNodeSetParams)
DRIVER_ANY(cuGraphReleaseUserObject) DRIVER_ANY(cuGraphRemoveDependencies) DRIVER_ANY(cuGraphRetainUserObject)
DRIVER_ANY(cuGraphUpload) DRIVER_ANY(cuGraphicsGLRegisterBuffer) DRIVER_ANY(cuGraphicsGLRegisterImage)
DRIVER_ANY(cuGraphicsMapResources) DRIVER_ANY(cuGraphicsResourceGetMappedMipmappedArray)
DRIVER_ANY(cuGraphicsResourceGetMappedPointer) DRIVER_ANY(cuGraphicsResourceSetMapFlags)
DRIVER_ANY(cuGraphicsSubResourceGetMappedArray) DRIVER_ANY(cuGraphicsUnmapResources)
DRIVER_ANY(cuGraphicsUnregisterResource) DRIVER_ANY(cuGreenCtxCreate) DRIVER_ANY(cuGreenCtxDestroy)
DRIVER_ANY(cuGreenCtxGetDevResource) DRIVER_ANY(cuGreenCtxGetId) DRIVER_ANY(cuGreenCtxRecordEvent)
DRIVER_ANY(cuGreenCtxStreamCreate) DRIVER_ANY(cuGreenCtxWaitEvent) DRIVER_ANY(cuImportExternalMemory)
DRIVER_ANY(cuImportExternalSemaphore) DRIVER_ANY(cuIpcCloseMemHandle) DRIVER_ANY(cuIpcGetEventHandle)
DRIVER_ANY(cuIpcGetMemHandle) DRIVER_ANY(cuIpcOpenEventHandle) DRIVER_ANY(cuIpcOpenMemHandle)
DRIVER_ANY(cuKernelGetAttribute) DRIVER_ANY(cuKernelGetFunction) DRIVER_ANY(cuKernelGetLibrary)
DRIVER_ANY(cuKernelGetName) DRIVER_ANY(cuKernelGetParamInfo) DRIVER_ANY(cuKernelSetAttribute)
DRIVER_ANY(cuKernelSetCacheConfig) DRIVER_ANY(cuLaunch) DRIVER_ANY(cuLaunchCooperativeKernelMultiDevice)
DRIVER_ANY(cuLaunchKernelEx) DRIVER_ANY(cuLibraryEnumerateKernels) DRIVER_ANY(cuLibraryGetGlobal)
DRIVER_ANY(cuLibraryGetKernel) DRIVER_ANY(cuLibraryGetKernelCount) DRIVER_ANY(cuLibraryGetManaged)
DRIVER_ANY(cuLibraryGetModule) DRIVER_ANY(cuLibraryGetUnifiedFunction) DRIVER_ANY(cuLibraryLoadData)
DRIVER_ANY(cuLibraryLoadFromFile) DRIVER_ANY(cuLibraryUnload) DRIVER_ANY(cuLinkAddData) DRIVER_ANY(cuLinkAddFile)
DRIVER_ANY(cuLinkComplete) DRIVER_ANY(cuLinkCreate) DRIVER_ANY(cuLinkDestroy) DRIVER_ANY(cuLogsCurrent)
DRIVER_ANY(cuLogsDumpToFile) DRIVER_ANY(cuLogsDumpToMemory) DRIVER_ANY(cuLogsRegisterCallback)
DRIVER_ANY(cuLogsUnregisterCallback) DRIVER_ANY(cuMemAddressFree) DRIVER_ANY(cuMemAddressReserve)
DRIVER_ANY(cuMemAdvise) DRIVER_ANY(cuMemBatchDecompressAsync) DRIVER_ANY(cuMemCreate)
DRIVER_ANY(cuMemDiscardAndPrefetchBatchAsync) DRIVER_ANY(cuMemDiscardBatchAsync)
DRIVER_ANY(cuMemExportToShareableHandle) DRIVER_ANY(cuMemGetAccess) DRIVER_ANY(cuMemGetAllocationGranularity)
DRIVER_ANY(cuMemGetAllocationPropertiesFromHandle) DRIVER_ANY(cuMemGetDefaultMemPool)
DRIVER_ANY(cuMemGetHandleForAddressRange) DRIVER_ANY(cuMemGetMemPool) DRIVER_ANY(cuMemImportFromShareableHandle)
DRIVER_ANY(cuMemMap) DRIVER_ANY(cuMemMapArrayAsync) DRIVER_ANY(cuMemPoolCreate) DRIVER_ANY(cuMemPoolDestroy)
DRIVER_ANY(cuMemPoolExportPointer) DRIVER_ANY(cuMemPoolExportToShareableHandle) DRIVER_ANY(cuMemPoolGetAccess)
DRIVER_ANY(cuMemPoolGetAttribute) DRIVER_ANY(cuMemPoolImportFromShareableHandle)
DRIVER_ANY(cuMemPoolImportPointer) DRIVER_ANY(cuMemPoolSetAccess) DRIVER_ANY(cuMemPoolSetAttribute)
DRIVER_ANY(cuMemPoolTrimTo) DRIVER_ANY(cuMemPrefetchBatchAsync) DRIVER_ANY(cuMemRangeGetAttribute)
DRIVER_ANY(cuMemRangeGetAttributes) DRIVER_ANY(cuMemRelease) DRIVER_ANY(cuMemRetainAllocationHandle)
DRIVER_ANY(cuMemSetAccess) DRIVER_ANY(cuMemSetMemPool) DRIVER_ANY(cuMemUnmap) DRIVER_ANY(cuMemcpy3DBatchAsync)
DRIVER_ANY(cuMemcpy3DPeer) DRIVER_ANY(cuMemcpy3DPeerAsync) DRIVER_ANY(cuMemcpyBatchAsync)
DRIVER_ANY(cuMipmappedArrayCreate) DRIVER_ANY(cuMipmappedArrayDestroy) DRIVER_ANY(cuMipmappedArrayGetLevel)
DRIVER_ANY(cuMipmappedArrayGetMemoryRequirements) DRIVER_ANY(cuMipmappedArrayGetSparseProperties)
DRIVER_ANY(cuModuleEnumerateFunctions) DRIVER_ANY(cuModuleGetFunctionCount) DRIVER_ANY(cuModuleGetLoadingMode)
DRIVER_ANY(cuModuleGetSurfRef) DRIVER_ANY(cuModuleGetTexRef) DRIVER_ANY(cuMulticastAddDevice)
DRIVER_ANY(cuMulticastBindAddr) DRIVER_ANY(cuMulticastBindMem) DRIVER_ANY(cuMulticastCreate)
DRIVER_ANY(cuMulticastGetGranularity) DRIVER_ANY(cuMulticastUnbind)
DRIVER_ANY(cuOccupancyAvailableDynamicSMemPerBlock)
DRIVER_ANY(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) DRIVER_ANY(cuOccupancyMaxActiveClusters)
DRIVER_ANY(cuOccupancyMaxPotentialBlockSizeWithFlags) DRIVER_ANY(cuOccupancyMaxPotentialClusterSize)
DRIVER_ANY(cuParamSetSize) DRIVER_ANY(cuParamSetTexRef) DRIVER_ANY(cuParamSetf) DRIVER_ANY(cuParamSeti)
DRIVER_ANY(cuParamSetv) DRIVER_ANY(cuPointerGetAttribute) DRIVER_ANY(cuPointerGetAttributes)
DRIVER_ANY(cuPointerSetAttribute) DRIVER_ANY(cuProfilerStart) DRIVER_ANY(cuProfilerStop)
DRIVER_ANY(cuSignalExternalSemaphoresAsync) DRIVER_ANY(cuStreamAttachMemAsync) DRIVER_ANY(cuStreamBatchMemOp)
DRIVER_ANY(cuStreamBeginCapture) DRIVER_ANY(cuStreamBeginCaptureToGraph) DRIVER_ANY(cuStreamCopyAttributes)
DRIVER_ANY(cuStreamEndCapture) DRIVER_ANY(cuStreamGetAttribute) DRIVER_ANY(cuStreamGetCaptureInfo)
DRIVER_ANY(cuStreamGetCtx) DRIVER_ANY(cuStreamGetDevice) DRIVER_ANY(cuStreamGetFlags)
DRIVER_ANY(cuStreamGetGreenCtx) DRIVER_ANY(cuStreamGetId) DRIVER_ANY(cuStreamGetPriority)
DRIVER_ANY(cuStreamIsCapturing) DRIVER_ANY(cuStreamSetAttribute) DRIVER_ANY(cuStreamUpdateCaptureDependencies)
DRIVER_ANY(cuStreamWaitValue32) DRIVER_ANY(cuStreamWaitValue64) DRIVER_ANY(cuStreamWriteValue32)
DRIVER_ANY(cuStreamWriteValue64) DRIVER_ANY(cuSurfObjectCreate) DRIVER_ANY(cuSurfObjectDestroy)
DRIVER_ANY(cuSurfObjectGetResourceDesc) DRIVER_ANY(cuSurfRefGetArray) DRIVER_ANY(cuSurfRefSetArray)
DRIVER_ANY(cuTensorMapEncodeIm2col) DRIVER_ANY(cuTensorMapEncodeIm2colWide) DRIVER_ANY(cuTensorMapEncodeTiled)
DRIVER_ANY(cuTensorMapReplaceAddress) DRIVER_ANY(cuTexObjectCreate) DRIVER_ANY(cuTexObjectDestroy)
DRIVER_ANY(cuTexObjectGetResourceDesc) DRIVER_ANY(cuTexObjectGetResourceViewDesc)
DRIVER_ANY(cuTexObjectGetTextureDesc) DRIVER_ANY(cuTexRefCreate) DRIVER_ANY(cuTexRefDestroy)
DRIVER_ANY(cuTexRefGetAddress) DRIVER_ANY(cuTexRefGetAddressMode) DRIVER_ANY(cuTexRefGetArray)
DRIVER_ANY(cuTexRefGetBorderColor) DRIVER_ANY(cuTexRefGetFilterMode) DRIVER_ANY(cuTexRefGetFlags)
DRIVER_ANY(cuTexRefGetFormat) DRIVER_ANY(cuTexRefGetMaxAnisotropy) DRIVER_ANY(cuTexRefGetMipmapFilterMode)
DRIVER_ANY(cuTexRefGetMipmapLevelBias) DRIVER_ANY(cuTexRefGetMipmapLevelClamp)
DRIVER_ANY(cuTexRefGetMipmappedArray) DRIVER_ANY(cuTexRefSetAddress) DRIVER_ANY(cuTexRefSetAddress2D)
DRIVER_ANY(cuTexRefSetAddressMode) DRIVER_ANY(cuTexRefSetArray) DRIVER_ANY(cuTexRefSetBorderColor)
DRIVER_ANY(cuTexRefSetFilterMode) DRIVER_ANY(cuTexRefSetFlags) DRIVER_ANY(cuTexRefSetFormat)
DRIVER_ANY(cuTexRefSetMaxAnisotropy) DRIVER_ANY(cuTexRefSetMipmapFilterMode)
DRIVER_ANY(cuTexRefSetMipmapLevelBias) DRIVER_ANY(cuTexRefSetMipmapLevelClamp)
DRIVER_ANY(cuTexRefSetMipmappedArray) DRIVER_ANY(cuThreadExchangeStreamCaptureMode) DRIVER_ANY(cuUserObjectCreate)
DRIVER_ANY(cuUserObjectRelease) DRIVER_ANY(cuUserObjectRetain) DRIVER_ANY(cuWaitExternalSemaphoresAsync)
#undef DRIVER_ANY

// Compilation at run time.
enum nvrtcResult { NVRTC_SUCCESS, NVRTC_ERROR_OUT_OF_MEMORY, NVRTC_ERROR_PROGRAM_CREATION_FAILURE,
    NVRTC_ERROR_INVALID_INPUT, NVRTC_ERROR_INVALID_PROGRAM, NVRTC_ERROR_INVALID_OPTION, NVRTC_ERROR_COMPILATION };
typedef struct _nvrtcProgram* nvrtcProgram;
const char* nvrtcGetErrorString(nvrtcResult);
nvrtcResult nvrtcCreateProgram(nvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*);
nvrtcResult nvrtcCompileProgram(nvrtcProgram, int, const char* const*);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram*);
nvrtcResult nvrtcGetPTXSize(nvrtcProgram, size_t*);
nvrtcResult nvrtcGetPTX(nvrtcProgram, char*);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram, size_t*);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram, char*);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram, size_t*);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram, char*);
nvrtcResult nvrtcAddNameExpression(nvrtcProgram, const char*);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram, const char*, const char**);
nvrtcResult nvrtcVersion(int*, int*);

// The versions that cuda.h has chosen since CUDA 3.2, where somebody names them.
#define cuMemAlloc_v2 cuMemAlloc
#define cuMemFree_v2 cuMemFree
#define cuMemcpyHtoD_v2 cuMemcpyHtoD
#define cuMemcpyDtoH_v2 cuMemcpyDtoH
#define cuMemcpyDtoD_v2 cuMemcpyDtoD
#define cuMemcpyHtoDAsync_v2 cuMemcpyHtoDAsync
#define cuMemcpyDtoHAsync_v2 cuMemcpyDtoHAsync
#define cuMemcpyDtoDAsync_v2 cuMemcpyDtoDAsync
#define cuMemsetD8_v2 cuMemsetD8
#define cuMemsetD16_v2 cuMemsetD16
#define cuMemsetD32_v2 cuMemsetD32
#define cuMemGetInfo_v2 cuMemGetInfo
#define cuMemAllocPitch_v2 cuMemAllocPitch
#define cuMemAllocHost_v2 cuMemAllocHost
#define cuCtxCreate_v2 cuCtxCreate
#define cuCtxDestroy_v2 cuCtxDestroy
#define cuStreamDestroy_v2 cuStreamDestroy
#define cuEventDestroy_v2 cuEventDestroy
#define cuModuleGetGlobal_v2 cuModuleGetGlobal
#define cuDeviceTotalMem_v2 cuDeviceTotalMem
#define cuCtxPushCurrent_v2 cuCtxPushCurrent
#define cuCtxPopCurrent_v2 cuCtxPopCurrent
#define cuMemHostGetDevicePointer_v2 cuMemHostGetDevicePointer
#define cuMemcpy2D_v2 cuMemcpy2D
#define cuMemcpy2DAsync_v2 cuMemcpy2DAsync
#define cuMemcpy3D_v2 cuMemcpy3D
