// The part of OpenCL's host API that creates, sets, launches, copies and releases, in C and in C++ (opencl.hpp).
#pragma once
#pragma clang system_header

typedef signed char cl_char;
typedef unsigned char cl_uchar;
typedef short cl_short;
typedef unsigned short cl_ushort;
typedef int cl_int;
typedef unsigned int cl_uint;
typedef long cl_long;
typedef unsigned long cl_ulong;
typedef unsigned short cl_half;
typedef float cl_float;
typedef double cl_double;
typedef cl_uint cl_bool;
typedef cl_ulong cl_bitfield;
typedef cl_bitfield cl_mem_flags, cl_map_flags, cl_device_type, cl_command_queue_properties, cl_device_local_mem_type;
typedef cl_bitfield cl_queue_properties, cl_svm_mem_flags;
typedef cl_uint cl_device_info, cl_program_info, cl_program_build_info, cl_kernel_info, cl_kernel_work_group_info;
typedef cl_uint cl_platform_info, cl_context_info, cl_event_info, cl_profiling_info, cl_mem_info,
    cl_buffer_create_type;
typedef cl_uint cl_channel_order, cl_channel_type, cl_addressing_mode, cl_filter_mode, cl_image_info,
    cl_mem_object_type;
typedef long cl_context_properties;
typedef struct _cl_platform_id* cl_platform_id;
typedef struct _cl_device_id* cl_device_id;
typedef struct _cl_context* cl_context;
typedef struct _cl_command_queue* cl_command_queue;
typedef struct _cl_mem* cl_mem;
typedef struct _cl_program* cl_program;
typedef struct _cl_kernel* cl_kernel;
typedef struct _cl_event* cl_event;
typedef struct _cl_sampler* cl_sampler;
struct cl_image_format { cl_channel_order image_channel_order; cl_channel_type image_channel_data_type; };
struct cl_buffer_region { size_t origin, size; };
struct cl_image_desc {
    cl_mem_object_type image_type;
    size_t image_width, image_height, image_depth, image_array_size, image_row_pitch, image_slice_pitch;
    cl_uint num_mip_levels, num_samples;
    union { cl_mem buffer, mem_object; };
};

#define OPENCL_VECTORS(name, type)                                     \
    union name##2 { type s[2]; struct { type x, y; }; };               \
    union name##4 { type s[4]; struct { type x, y, z, w; }; };         \
    typedef name##4 name##3;                                           \
    union name##8 { type s[8]; };                                      \
    union name##16 { type s[16]; };
OPENCL_VECTORS(cl_char, cl_char)
OPENCL_VECTORS(cl_uchar, cl_uchar)
OPENCL_VECTORS(cl_short, cl_short)
OPENCL_VECTORS(cl_ushort, cl_ushort)
OPENCL_VECTORS(cl_int, cl_int)
OPENCL_VECTORS(cl_uint, cl_uint)
OPENCL_VECTORS(cl_long, cl_long)
OPENCL_VECTORS(cl_ulong, cl_ulong)
OPENCL_VECTORS(cl_float, cl_float)
OPENCL_VECTORS(cl_double, cl_double)
#undef OPENCL_VECTORS

#define CL_SUCCESS 0
#define CL_DEVICE_NOT_FOUND -1
#define CL_MEM_OBJECT_ALLOCATION_FAILURE -4
#define CL_OUT_OF_RESOURCES -5
#define CL_OUT_OF_HOST_MEMORY -6
#define CL_BUILD_PROGRAM_FAILURE -11
#define CL_INVALID_VALUE -30
#define CL_INVALID_CONTEXT -34
#define CL_INVALID_COMMAND_QUEUE -36
#define CL_INVALID_MEM_OBJECT -38
#define CL_INVALID_KERNEL -48
#define CL_INVALID_ARG_INDEX -49
#define CL_INVALID_ARG_VALUE -50
#define CL_INVALID_ARG_SIZE -51
#define CL_INVALID_KERNEL_ARGS -52
#define CL_INVALID_WORK_DIMENSION -53
#define CL_INVALID_WORK_GROUP_SIZE -54
#define CL_INVALID_WORK_ITEM_SIZE -55
#define CL_INVALID_GLOBAL_WORK_SIZE -63
#define CL_INVALID_OPERATION -59
#define CL_INVALID_BUFFER_SIZE -61
#define CL_FALSE 0u
#define CL_TRUE 1u
#define CL_BLOCKING 1u
#define CL_NON_BLOCKING 0u
#define CL_DEVICE_TYPE_DEFAULT 1ul
#define CL_DEVICE_TYPE_CPU 2ul
#define CL_DEVICE_TYPE_GPU 4ul
#define CL_DEVICE_TYPE_ACCELERATOR 8ul
#define CL_DEVICE_TYPE_ALL 0xFFFFFFFFul
#define CL_DEVICE_MAX_COMPUTE_UNITS 0x1002
#define CL_DEVICE_MAX_WORK_GROUP_SIZE 0x1004
#define CL_DEVICE_MAX_WORK_ITEM_SIZES 0x1005
#define CL_DEVICE_LOCAL_MEM_SIZE 0x1023
#define CL_DEVICE_NAME 0x102B
#define CL_DEVICE_VENDOR 0x102C
#define CL_DEVICE_VERSION 0x102F
#define CL_DEVICE_EXTENSIONS 0x1030
#define CL_MEM_READ_WRITE 1ul
#define CL_MEM_WRITE_ONLY 2ul
#define CL_MEM_READ_ONLY 4ul
#define CL_MEM_USE_HOST_PTR 8ul
#define CL_MEM_ALLOC_HOST_PTR 16ul
#define CL_MEM_COPY_HOST_PTR 32ul
#define CL_MEM_HOST_WRITE_ONLY 128ul
#define CL_MEM_HOST_READ_ONLY 256ul
#define CL_MEM_HOST_NO_ACCESS 512ul
#define CL_R 0x10B0
#define CL_A 0x10B1
#define CL_RG 0x10B2
#define CL_RA 0x10B3
#define CL_RGB 0x10B4
#define CL_RGBA 0x10B5
#define CL_BGRA 0x10B6
#define CL_ARGB 0x10B7
#define CL_INTENSITY 0x10B8
#define CL_LUMINANCE 0x10B9
#define CL_SNORM_INT8 0x10D0
#define CL_SNORM_INT16 0x10D1
#define CL_UNORM_INT8 0x10D2
#define CL_UNORM_INT16 0x10D3
#define CL_SIGNED_INT8 0x10D7
#define CL_SIGNED_INT16 0x10D8
#define CL_SIGNED_INT32 0x10D9
#define CL_UNSIGNED_INT8 0x10DA
#define CL_UNSIGNED_INT16 0x10DB
#define CL_UNSIGNED_INT32 0x10DC
#define CL_HALF_FLOAT 0x10DD
#define CL_FLOAT 0x10DE
#define CL_MEM_OBJECT_BUFFER 0x10F0
#define CL_MEM_OBJECT_IMAGE2D 0x10F1
#define CL_MEM_OBJECT_IMAGE3D 0x10F2
#define CL_MEM_OBJECT_IMAGE2D_ARRAY 0x10F3
#define CL_MEM_OBJECT_IMAGE1D 0x10F4
#define CL_ADDRESS_NONE 0x1130
#define CL_ADDRESS_CLAMP_TO_EDGE 0x1131
#define CL_ADDRESS_CLAMP 0x1132
#define CL_ADDRESS_REPEAT 0x1133
#define CL_FILTER_NEAREST 0x1140
#define CL_FILTER_LINEAR 0x1141
#define CL_MAP_READ 1ul
#define CL_MAP_WRITE 2ul
#define CL_QUEUE_PROFILING_ENABLE 2ul
#define CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE 1ul
#define CL_PROGRAM_BUILD_LOG 0x1183
#define CL_KERNEL_WORK_GROUP_SIZE 0x11B0
#define CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE 0x11B3
#define CL_PROFILING_COMMAND_START 0x1282
#define CL_PROFILING_COMMAND_END 0x1283

extern "C" {
    cl_int clGetPlatformIDs(cl_uint, cl_platform_id*, cl_uint*);
    cl_int clGetPlatformInfo(cl_platform_id, cl_platform_info, size_t, void*, size_t*);
    cl_int clGetDeviceIDs(cl_platform_id, cl_device_type, cl_uint, cl_device_id*, cl_uint*);
    cl_int clGetDeviceInfo(cl_device_id, cl_device_info, size_t, void*, size_t*);
    cl_context clCreateContext(const cl_context_properties*, cl_uint, const cl_device_id*, void (*)(const char*,
        const void*, size_t, void*), void*, cl_int*);
    cl_context clCreateContextFromType(const cl_context_properties*, cl_device_type, void (*)(const char*,
        const void*, size_t, void*), void*, cl_int*);
    cl_command_queue clCreateCommandQueue(cl_context, cl_device_id, cl_command_queue_properties, cl_int*);
    cl_command_queue clCreateCommandQueueWithProperties(cl_context, cl_device_id, const cl_queue_properties*,
        cl_int*);
    cl_program clCreateProgramWithSource(cl_context, cl_uint, const char**, const size_t*, cl_int*);
    cl_program clCreateProgramWithBinary(cl_context, cl_uint, const cl_device_id*, const size_t*,
        const unsigned char**, cl_int*, cl_int*);
    cl_int clBuildProgram(cl_program, cl_uint, const cl_device_id*, const char*, void (*)(cl_program, void*), void*);
    cl_int clGetProgramBuildInfo(cl_program, cl_device_id, cl_program_build_info, size_t, void*, size_t*);
    cl_kernel clCreateKernel(cl_program, const char*, cl_int*);
    cl_int clGetKernelWorkGroupInfo(cl_kernel, cl_device_id, cl_kernel_work_group_info, size_t, void*, size_t*);
    cl_int clSetKernelArg(cl_kernel, cl_uint, size_t, const void*);
    cl_int clSetKernelArgSVMPointer(cl_kernel, cl_uint, const void*);
    cl_mem clCreateBuffer(cl_context, cl_mem_flags, size_t, void*, cl_int*);
    cl_mem clCreateSubBuffer(cl_mem, cl_mem_flags, cl_buffer_create_type, const void*, cl_int*);
    cl_int clEnqueueNDRangeKernel(cl_command_queue, cl_kernel, cl_uint, const size_t*, const size_t*, const size_t*,
        cl_uint, const cl_event*, cl_event*);
    cl_int clEnqueueTask(cl_command_queue, cl_kernel, cl_uint, const cl_event*, cl_event*);
    cl_int clEnqueueReadBuffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void*, cl_uint, const cl_event*,
        cl_event*);
    cl_int clEnqueueWriteBuffer(cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void*, cl_uint,
        const cl_event*, cl_event*);
    cl_int clEnqueueCopyBuffer(cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event*,
        cl_event*);
    cl_int clEnqueueFillBuffer(cl_command_queue, cl_mem, const void*, size_t, size_t, size_t, cl_uint,
        const cl_event*, cl_event*);
    cl_mem clCreateImage(cl_context, cl_mem_flags, const cl_image_format*, const cl_image_desc*, void*, cl_int*);
    cl_mem clCreateImage2D(cl_context, cl_mem_flags, const cl_image_format*, size_t, size_t, size_t, void*, cl_int*);
    cl_mem clCreateImage3D(cl_context, cl_mem_flags, const cl_image_format*, size_t, size_t, size_t, size_t, size_t,
        void*, cl_int*);
    cl_sampler clCreateSampler(cl_context, cl_bool, cl_addressing_mode, cl_filter_mode, cl_int*);
    cl_int clEnqueueReadImage(cl_command_queue, cl_mem, cl_bool, const size_t*, const size_t*, size_t, size_t, void*,
        cl_uint, const cl_event*, cl_event*);
    cl_int clEnqueueWriteImage(cl_command_queue, cl_mem, cl_bool, const size_t*, const size_t*, size_t, size_t,
        const void*, cl_uint, const cl_event*, cl_event*);
    cl_int clEnqueueCopyImage(cl_command_queue, cl_mem, cl_mem, const size_t*, const size_t*, const size_t*, cl_uint,
        const cl_event*, cl_event*);
    cl_int clEnqueueCopyImageToBuffer(cl_command_queue, cl_mem, cl_mem, const size_t*, const size_t*, size_t, cl_uint,
        const cl_event*, cl_event*);
    cl_int clEnqueueCopyBufferToImage(cl_command_queue, cl_mem, cl_mem, size_t, const size_t*, const size_t*, cl_uint,
        const cl_event*, cl_event*);
    cl_int clEnqueueReadBufferRect(cl_command_queue, cl_mem, cl_bool, const size_t*, const size_t*, const size_t*,
        size_t, size_t, size_t, size_t, void*, cl_uint, const cl_event*, cl_event*);
    cl_int clEnqueueWriteBufferRect(cl_command_queue, cl_mem, cl_bool, const size_t*, const size_t*, const size_t*,
        size_t, size_t, size_t, size_t, const void*, cl_uint, const cl_event*, cl_event*);
    cl_int clEnqueueFillImage(cl_command_queue, cl_mem, const void*, const size_t*, const size_t*, cl_uint,
        const cl_event*, cl_event*);
    void* clEnqueueMapImage(cl_command_queue, cl_mem, cl_bool, cl_map_flags, const size_t*, const size_t*, size_t*,
        size_t*, cl_uint, const cl_event*, cl_event*, cl_int*);
    void* clEnqueueMapBuffer(cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t, size_t, cl_uint,
        const cl_event*, cl_event*, cl_int*);
    cl_int clEnqueueUnmapMemObject(cl_command_queue, cl_mem, void*, cl_uint, const cl_event*, cl_event*);
    cl_int clEnqueueBarrier(cl_command_queue);
    cl_int clEnqueueBarrierWithWaitList(cl_command_queue, cl_uint, const cl_event*, cl_event*);
    cl_int clEnqueueMarkerWithWaitList(cl_command_queue, cl_uint, const cl_event*, cl_event*);
    cl_int clWaitForEvents(cl_uint, const cl_event*);
    cl_int clGetEventProfilingInfo(cl_event, cl_profiling_info, size_t, void*, size_t*);
    cl_int clFlush(cl_command_queue);
    cl_int clFinish(cl_command_queue);
    cl_int clReleaseMemObject(cl_mem);
    cl_int clReleaseKernel(cl_kernel);
    cl_int clReleaseProgram(cl_program);
    cl_int clReleaseEvent(cl_event);
    cl_int clReleaseCommandQueue(cl_command_queue);
    cl_int clReleaseContext(cl_context);
    cl_int clReleaseSampler(cl_sampler);
    cl_int clRetainMemObject(cl_mem);
}

namespace cl {
    struct NDRange {
        constexpr NDRange() : x(1), y(1), z(1) {}
        constexpr NDRange(size_t vx, size_t vy = 1, size_t vz = 1) : x(vx), y(vy), z(vz) {}
        size_t operator[](size_t) const;
        size_t dimensions() const;
        size_t x, y, z;
    };
    extern const NDRange NullRange;
    struct Error : std::exception {
        cl_int err() const;
        const char* what() const noexcept;
    };
    struct Device {
        template <int N, class T = size_t> T getInfo(cl_int* = nullptr) const;
        template <class T> cl_int getInfo(cl_device_info, T*) const;
    };
    struct Platform {
        static cl_int get(std::vector<Platform>*);
        static Platform getDefault(cl_int* = nullptr);
        cl_int getDevices(cl_device_type, std::vector<Device>*) const;
    };
    struct Context {
        template <class... A> Context(A...);
        template <int N, class T = std::vector<Device>> T getInfo(cl_int* = nullptr) const;
    };
    struct Event {
        cl_int wait() const;
        cl_event& operator()();
    };
    struct Memory {
        cl_mem& operator()();
        cl_mem operator()() const;
    };
    struct Buffer : Memory {
        Buffer();
        Buffer(cl_mem);
        Buffer(const Context&, cl_mem_flags, size_t, void* = nullptr, cl_int* = nullptr);
        Buffer(cl_mem_flags, size_t, void* = nullptr, cl_int* = nullptr);
        template <class I> Buffer(const Context&, I, I, bool, bool = false, cl_int* = nullptr);
        template <class I> Buffer(I, I, bool, bool = false, cl_int* = nullptr);
    };
    using std::array;
    using std::string;
    using std::vector;
    typedef size_t size_type;
    struct ImageFormat : cl_image_format { ImageFormat(); ImageFormat(cl_channel_order, cl_channel_type); };
    struct Image : Memory { template <int N, class T = size_t> T getImageInfo(cl_int* = nullptr) const; };
    struct Image1D : Image { template <class... A> Image1D(A...); };
    struct Image2D : Image { template <class... A> Image2D(A...); };
    struct Image2DArray : Image { template <class... A> Image2DArray(A...); };
    struct Image3D : Image { template <class... A> Image3D(A...); };
    struct Sampler { template <class... A> Sampler(A...); };
    struct LocalSpaceArg { size_t size_; };
    KL_FOLLOW inline LocalSpaceArg Local(size_t size) { return LocalSpaceArg{size}; }
    KL_FOLLOW inline LocalSpaceArg __local(size_t size) { return LocalSpaceArg{size}; }
    struct Program {
        typedef std::vector<std::string> Sources;
        template <class... A> Program(A...);
        template <class... A> cl_int build(A...) const;
        template <int N, class T = std::string> T getBuildInfo(const Device&) const;
    };
    struct Kernel {
        Kernel();
        Kernel(const Program&, const char*, cl_int* = nullptr);
        Kernel(const Program&, const std::string&, cl_int* = nullptr);
        template <class T> cl_int setArg(cl_uint, const T&);
        cl_int setArg(cl_uint, size_t, const void*);
        template <int N, class T = size_t> T getWorkGroupInfo(const Device&, cl_int* = nullptr) const;
        cl_kernel operator()() const;
    };
    struct CommandQueue {
        template <class... A> CommandQueue(A...);
        cl_int enqueueNDRangeKernel(const Kernel&, const NDRange&, const NDRange&, const NDRange& = NullRange,
            const std::vector<Event>* = nullptr, Event* = nullptr) const;
        cl_int enqueueReadBuffer(const Buffer&, cl_bool, size_t, size_t, void*, const std::vector<Event>* = nullptr,
            Event* = nullptr) const;
        cl_int enqueueWriteBuffer(const Buffer&, cl_bool, size_t, size_t, const void*,
            const std::vector<Event>* = nullptr, Event* = nullptr) const;
        cl_int enqueueCopyBuffer(const Buffer&, const Buffer&, size_t, size_t, size_t,
            const std::vector<Event>* = nullptr, Event* = nullptr) const;
        template <class T> cl_int enqueueFillBuffer(const Buffer&, T, size_t, size_t,
            const std::vector<Event>* = nullptr, Event* = nullptr) const;
        void* enqueueMapBuffer(const Buffer&, cl_bool, cl_map_flags, size_t, size_t,
            const std::vector<Event>* = nullptr, Event* = nullptr, cl_int* = nullptr) const;
        template <class O, class R> cl_int enqueueReadImage(const Image&, cl_bool, const O&, const R&, size_t, size_t,
            void*, const std::vector<Event>* = nullptr, Event* = nullptr) const;
        template <class O, class R> cl_int enqueueWriteImage(const Image&, cl_bool, const O&, const R&, size_t, size_t,
            const void*, const std::vector<Event>* = nullptr, Event* = nullptr) const;
        template <class O, class T, class R> cl_int enqueueCopyImage(const Image&, const Image&, const O&, const T&,
            const R&, const std::vector<Event>* = nullptr, Event* = nullptr) const;
        template <class O, class H, class R> cl_int enqueueReadBufferRect(const Buffer&, cl_bool, const O&, const H&,
            const R&, size_t, size_t, size_t, size_t, void*, const std::vector<Event>* = nullptr,
            Event* = nullptr) const;
        template <class O, class H, class R> cl_int enqueueWriteBufferRect(const Buffer&, cl_bool, const O&, const H&,
            const R&, size_t, size_t, size_t, size_t, const void*, const std::vector<Event>* = nullptr,
            Event* = nullptr) const;
        template <class M> cl_int enqueueUnmapMemObject(const M&, void*, const std::vector<Event>* = nullptr,
            Event* = nullptr) const;
        cl_int flush() const;
        cl_int finish() const;
        cl_command_queue operator()() const;
    };
    struct EnqueueArgs {
        EnqueueArgs(const NDRange&, const NDRange& = NullRange);
        EnqueueArgs(const CommandQueue&, const NDRange&, const NDRange& = NullRange);
        EnqueueArgs(const CommandQueue&, const NDRange&, const NDRange&, const NDRange&);
    };
    template <class... A> struct KernelFunctor {
        KernelFunctor(Kernel);
        KernelFunctor(const Program&, const std::string&, cl_int* = nullptr);
        Event operator()(const EnqueueArgs&, A...);
    };
    template <class... A> using make_kernel = KernelFunctor<A...>;
    template <class I> cl_int copy(const CommandQueue&, I, I, Buffer&);
    template <class I> cl_int copy(const CommandQueue&, const Buffer&, I, I);
    template <class I> cl_int copy(I, I, Buffer&);
    template <class I> cl_int copy(const Buffer&, I, I);
}
