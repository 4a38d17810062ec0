// The host API of OpenCL in C (cl.h 3.0, cl_gl.h); the bindings for C++ are read behind it.
#pragma once
#pragma clang system_header
#include "opencl_constants.h"

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
typedef cl_uint cl_sampler_info, cl_command_queue_info, cl_command_type, cl_build_status, cl_kernel_arg_info,
    cl_kernel_arg_address_qualifier, cl_kernel_arg_access_qualifier, cl_program_binary_type, cl_device_mem_cache_type,
    cl_kernel_exec_info, cl_kernel_sub_group_info, cl_pipe_info, cl_gl_object_type, cl_gl_texture_info, cl_version;
typedef cl_bitfield cl_device_fp_config, cl_device_exec_capabilities, cl_device_affinity_domain,
    cl_device_svm_capabilities, cl_mem_migration_flags, cl_kernel_arg_type_qualifier, cl_sampler_properties,
    cl_mem_properties;
typedef int cl_GLint;
typedef unsigned int cl_GLuint, cl_GLenum;
typedef long cl_device_partition_property;
typedef long cl_pipe_properties;
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

#define CL_CALLBACK
#define CL_API_CALL
#define CL_API_ENTRY
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
    cl_int clRetainContext(cl_context);
    cl_int clRetainCommandQueue(cl_command_queue);
    cl_int clRetainDevice(cl_device_id);
    cl_int clRetainEvent(cl_event);
    cl_int clRetainKernel(cl_kernel);
    cl_int clRetainProgram(cl_program);
    cl_int clRetainSampler(cl_sampler);
    cl_int clReleaseDevice(cl_device_id);
    cl_int clCreateSubDevices(cl_device_id, const cl_device_partition_property*, cl_uint, cl_device_id*, cl_uint*);
    cl_int clGetContextInfo(cl_context, cl_context_info, size_t, void*, size_t*);
    cl_int clGetCommandQueueInfo(cl_command_queue, cl_command_queue_info, size_t, void*, size_t*);
    cl_int clGetMemObjectInfo(cl_mem, cl_mem_info, size_t, void*, size_t*);
    cl_int clGetImageInfo(cl_mem, cl_image_info, size_t, void*, size_t*);
    cl_int clGetSamplerInfo(cl_sampler, cl_sampler_info, size_t, void*, size_t*);
    cl_int clGetProgramInfo(cl_program, cl_program_info, size_t, void*, size_t*);
    cl_int clGetKernelInfo(cl_kernel, cl_kernel_info, size_t, void*, size_t*);
    cl_int clGetKernelArgInfo(cl_kernel, cl_uint, cl_kernel_arg_info, size_t, void*, size_t*);
    cl_int clGetKernelSubGroupInfo(cl_kernel, cl_device_id, cl_kernel_sub_group_info, size_t, const void*, size_t,
        void*, size_t*);
    cl_int clGetEventInfo(cl_event, cl_event_info, size_t, void*, size_t*);
    cl_int clGetSupportedImageFormats(cl_context, cl_mem_flags, cl_mem_object_type, cl_uint, cl_image_format*,
        cl_uint*);
    cl_mem clCreateBufferWithProperties(cl_context, const cl_mem_properties*, cl_mem_flags, size_t, void*, cl_int*);
    cl_mem clCreateImageWithProperties(cl_context, const cl_mem_properties*, cl_mem_flags, const cl_image_format*,
        const cl_image_desc*, void*, cl_int*);
    cl_mem clCreatePipe(cl_context, cl_mem_flags, cl_uint, cl_uint, const cl_pipe_properties*, cl_int*);
    cl_sampler clCreateSamplerWithProperties(cl_context, const cl_sampler_properties*, cl_int*);
    void* clSVMAlloc(cl_context, cl_svm_mem_flags, size_t, cl_uint);
    void clSVMFree(cl_context, void*);
    cl_int clEnqueueSVMMap(cl_command_queue, cl_bool, cl_map_flags, void*, size_t, cl_uint, const cl_event*,
        cl_event*);
    cl_int clEnqueueSVMUnmap(cl_command_queue, void*, cl_uint, const cl_event*, cl_event*);
    cl_int clEnqueueSVMMemcpy(cl_command_queue, cl_bool, void*, const void*, size_t, cl_uint, const cl_event*,
        cl_event*);
    cl_int clEnqueueSVMMemFill(cl_command_queue, void*, const void*, size_t, size_t, cl_uint, const cl_event*,
        cl_event*);
    cl_int clSetKernelExecInfo(cl_kernel, cl_kernel_exec_info, size_t, const void*);
    cl_int clEnqueueCopyBufferRect(cl_command_queue, cl_mem, cl_mem, const size_t*, const size_t*, const size_t*,
        size_t, size_t, size_t, size_t, cl_uint, const cl_event*, cl_event*);
    cl_int clEnqueueMigrateMemObjects(cl_command_queue, cl_uint, const cl_mem*, cl_mem_migration_flags, cl_uint,
        const cl_event*, cl_event*);
    cl_int clEnqueueMarker(cl_command_queue, cl_event*);
    cl_int clEnqueueNativeKernel(cl_command_queue, void (*)(void*), void*, size_t, cl_uint, const cl_mem*, const void**,
        cl_uint, const cl_event*, cl_event*);
    cl_int clGetGLObjectInfo(cl_mem, cl_gl_object_type*, cl_GLuint*);
    cl_int clEnqueueWaitForEvents(cl_command_queue, cl_uint, const cl_event*);
    cl_event clCreateUserEvent(cl_context, cl_int*);
    cl_int clSetUserEventStatus(cl_event, cl_int);
    cl_int clSetEventCallback(cl_event, cl_int, void (*)(cl_event, cl_int, void*), void*);
    cl_int clSetMemObjectDestructorCallback(cl_mem, void (*)(cl_mem, void*), void*);
    cl_int clCompileProgram(cl_program, cl_uint, const cl_device_id*, const char*, cl_uint, const cl_program*,
        const char**, void (*)(cl_program, void*), void*);
    cl_program clLinkProgram(cl_context, cl_uint, const cl_device_id*, const char*, cl_uint, const cl_program*,
        void (*)(cl_program, void*), void*, cl_int*);
    cl_program clCreateProgramWithBuiltInKernels(cl_context, cl_uint, const cl_device_id*, const char*, cl_int*);
    cl_program clCreateProgramWithIL(cl_context, const void*, size_t, cl_int*);
    cl_int clCreateKernelsInProgram(cl_program, cl_uint, cl_kernel*, cl_uint*);
    cl_kernel clCloneKernel(cl_kernel, cl_int*);
    cl_int clUnloadCompiler();
    cl_int clUnloadPlatformCompiler(cl_platform_id);
    cl_int clSetCommandQueueProperty(cl_command_queue, cl_command_queue_properties, cl_bool,
        cl_command_queue_properties*);
    void* clGetExtensionFunctionAddress(const char*);
    void* clGetExtensionFunctionAddressForPlatform(cl_platform_id, const char*);
    cl_mem clCreateFromGLBuffer(cl_context, cl_mem_flags, cl_GLuint, cl_int*);
    cl_mem clCreateFromGLTexture(cl_context, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint, cl_int*);
    cl_mem clCreateFromGLTexture2D(cl_context, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint, cl_int*);
    cl_mem clCreateFromGLTexture3D(cl_context, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint, cl_int*);
    cl_mem clCreateFromGLRenderbuffer(cl_context, cl_mem_flags, cl_GLuint, cl_int*);
    cl_int clEnqueueAcquireGLObjects(cl_command_queue, cl_uint, const cl_mem*, cl_uint, const cl_event*, cl_event*);
    cl_int clEnqueueReleaseGLObjects(cl_command_queue, cl_uint, const cl_mem*, cl_uint, const cl_event*, cl_event*);
}

#include "opencl_cpp.h"
