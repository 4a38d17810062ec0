// What an OpenCL source sees before its first line: what the compiler's table of built-in functions leaves out.
#pragma once
#pragma clang system_header

// Scalar types.
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;

// Vector types.
#define KL_VECTOR(T) \
    typedef T T##2 __attribute__((ext_vector_type(2))); \
    typedef T T##3 __attribute__((ext_vector_type(3))); \
    typedef T T##4 __attribute__((ext_vector_type(4))); \
    typedef T T##8 __attribute__((ext_vector_type(8))); \
    typedef T T##16 __attribute__((ext_vector_type(16)));
KL_VECTOR(char)
KL_VECTOR(uchar)
KL_VECTOR(short)
KL_VECTOR(ushort)
KL_VECTOR(int)
KL_VECTOR(uint)
KL_VECTOR(long)
KL_VECTOR(ulong)
KL_VECTOR(float)
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
KL_VECTOR(double)
#endif
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
KL_VECTOR(half)
#endif
#undef KL_VECTOR

// Limits and constants.
#define NULL ((void*)0)
#define true 1
#define false 0
#define CHAR_BIT 8
#define SCHAR_MAX 127
#define SCHAR_MIN (-128)
#define CHAR_MAX 127
#define CHAR_MIN (-128)
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define SHRT_MIN (-32768)
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 0xffffffffU
#define LONG_MAX 0x7fffffffffffffffL
#define LONG_MIN (-0x7fffffffffffffffL - 1)
#define ULONG_MAX 0xffffffffffffffffUL
#define FLT_MAX 0x1.fffffep127f
#define FLT_MIN 0x1.0p-126f
#define FLT_EPSILON 0x1.0p-23f
#define FLT_DIG 6
#define MAXFLOAT FLT_MAX
#define HUGE_VALF (__builtin_huge_valf())
#define HUGE_VAL (__builtin_huge_val())
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define DBL_MAX 0x1.fffffffffffffp1023
#define DBL_MIN 0x1.0p-1022
#define DBL_EPSILON 0x1.0p-52
#define M_E 2.718281828459045
#define M_PI 3.141592653589793
#define M_PI_2 1.5707963267948966
#define M_PI_4 0.7853981633974483
#define M_1_PI 0.3183098861837907
#define M_2_PI 0.6366197723675814
#define M_SQRT2 1.4142135623730951
#define M_LN2 0.6931471805599453
#define M_E_F 2.71828174591064f
#define M_LOG2E_F 1.44269502162933f
#define M_LOG10E_F 0.43429449200630f
#define M_LN2_F 0.69314718246460f
#define M_LN10_F 2.30258512496948f
#define M_PI_F 3.14159274101257f
#define M_PI_2_F 1.57079637050629f
#define M_PI_4_F 0.78539818525314f
#define M_1_PI_F 0.31830987334251f
#define M_2_PI_F 0.63661974668503f
#define M_2_SQRTPI_F 1.12837922573090f
#define M_SQRT2_F 1.41421353816986f
#define M_SQRT1_2_F 0.70710676908493f
#define FLT_MANT_DIG 24
#define FLT_MAX_EXP +128
#define FLT_MIN_EXP -125
#define FLT_RADIX 2
#define DBL_DIG 15
#define DBL_MANT_DIG 53
#define HALF_MAX 0x1.ffcp15h
#define HALF_MIN 0x1.0p-14h
#define HALF_EPSILON 0x1.0p-10h
#define M_LOG2E 1.4426950408889634
#define M_LOG10E 0.4342944819032518
#define M_LN10 2.302585092994046
#define M_2_SQRTPI 1.1283791670955126
#define M_SQRT1_2 0.7071067811865476

// Features. The functions of OpenCL C 3.0 and of the common extensions are there.
#if __OPENCL_C_VERSION__ >= 200 || defined(__OPENCL_CPP_VERSION__)
#define __opencl_subgroup_builtins 1
#undef __opencl_c_generic_address_space
#define __opencl_c_generic_address_space 1
#undef __opencl_c_pipes
#define __opencl_c_pipes 1
#undef __opencl_c_device_enqueue
#define __opencl_c_device_enqueue 1
#undef __opencl_c_images
#define __opencl_c_images 1
#undef __opencl_c_read_write_images
#define __opencl_c_read_write_images 1
#undef __opencl_c_3d_image_writes
#define __opencl_c_3d_image_writes 1
#undef __opencl_c_program_scope_global_variables
#define __opencl_c_program_scope_global_variables 1
#undef __opencl_c_atomic_order_acq_rel
#define __opencl_c_atomic_order_acq_rel 1
#undef __opencl_c_atomic_order_seq_cst
#define __opencl_c_atomic_order_seq_cst 1
#undef __opencl_c_atomic_scope_device
#define __opencl_c_atomic_scope_device 1
#undef __opencl_c_atomic_scope_all_devices
#define __opencl_c_atomic_scope_all_devices 1
#undef __opencl_c_subgroups
#define __opencl_c_subgroups 1
#undef __opencl_c_work_group_collective_functions
#define __opencl_c_work_group_collective_functions 1
#undef __opencl_c_integer_dot_product_input_4x8bit
#define __opencl_c_integer_dot_product_input_4x8bit 1
#undef __opencl_c_integer_dot_product_input_4x8bit_packed
#define __opencl_c_integer_dot_product_input_4x8bit_packed 1
#undef __opencl_c_ext_fp32_global_atomic_add
#define __opencl_c_ext_fp32_global_atomic_add 1
#undef __opencl_c_ext_fp32_local_atomic_add
#define __opencl_c_ext_fp32_local_atomic_add 1
#undef __opencl_c_ext_fp32_global_atomic_min_max
#define __opencl_c_ext_fp32_global_atomic_min_max 1
#undef __opencl_c_ext_fp32_local_atomic_min_max
#define __opencl_c_ext_fp32_local_atomic_min_max 1
#undef __opencl_c_ext_fp64_global_atomic_add
#define __opencl_c_ext_fp64_global_atomic_add 1
#undef __opencl_c_ext_fp64_local_atomic_add
#define __opencl_c_ext_fp64_local_atomic_add 1
#else
#define __opencl_c_named_address_space_builtins 1
#endif
#undef cl_khr_subgroups
#define cl_khr_subgroups 1
#undef cl_intel_subgroups
#define cl_intel_subgroups 1
#undef cl_khr_subgroup_extended_types
#define cl_khr_subgroup_extended_types 1
#undef cl_khr_subgroup_non_uniform_vote
#define cl_khr_subgroup_non_uniform_vote 1
#undef cl_khr_subgroup_ballot
#define cl_khr_subgroup_ballot 1
#undef cl_khr_subgroup_non_uniform_arithmetic
#define cl_khr_subgroup_non_uniform_arithmetic 1
#undef cl_khr_subgroup_shuffle
#define cl_khr_subgroup_shuffle 1
#undef cl_khr_subgroup_shuffle_relative
#define cl_khr_subgroup_shuffle_relative 1
#undef cl_khr_subgroup_clustered_reduce
#define cl_khr_subgroup_clustered_reduce 1
#undef cl_khr_subgroup_rotate
#define cl_khr_subgroup_rotate 1
#undef cl_khr_extended_bit_ops
#define cl_khr_extended_bit_ops 1
#undef cl_khr_integer_dot_product
#define cl_khr_integer_dot_product 1
#undef cl_khr_3d_image_writes
#define cl_khr_3d_image_writes 1
#undef cl_khr_int64_base_atomics
#define cl_khr_int64_base_atomics 1
#undef cl_khr_int64_extended_atomics
#define cl_khr_int64_extended_atomics 1
#undef cl_khr_mipmap_image
#define cl_khr_mipmap_image 1
#undef cl_ext_float_atomics
#define cl_ext_float_atomics 1
#undef cl_khr_extended_async_copies
#define cl_khr_extended_async_copies 1
#undef cl_intel_subgroups_short
#define cl_intel_subgroups_short 1
#undef cl_khr_global_int32_base_atomics
#define cl_khr_global_int32_base_atomics 1
#undef cl_khr_local_int32_base_atomics
#define cl_khr_local_int32_base_atomics 1
#undef cl_khr_depth_images
#define cl_khr_depth_images 1
#undef cl_khr_gl_msaa_sharing
#define cl_khr_gl_msaa_sharing 1

// Synchronisation.
typedef uint cl_mem_fence_flags;
#define CLK_LOCAL_MEM_FENCE 0x01
#define CLK_GLOBAL_MEM_FENCE 0x02
#define CLK_IMAGE_MEM_FENCE 0x04
typedef enum memory_scope {
    memory_scope_work_item = 0,
    memory_scope_work_group = 1,
    memory_scope_device = 2,
    memory_scope_all_svm_devices = 3,
    memory_scope_all_devices = 3,
    memory_scope_sub_group = 4,
} memory_scope;
typedef enum memory_order {
    memory_order_relaxed = 0,
    memory_order_acquire = 2,
    memory_order_release = 3,
    memory_order_acq_rel = 4,
    memory_order_seq_cst = 5,
} memory_order;
#define ATOMIC_VAR_INIT(x) (x)
#define ATOMIC_FLAG_INIT 0

// Images and samplers.
#define CLK_ADDRESS_NONE 0
#define CLK_ADDRESS_CLAMP_TO_EDGE 2
#define CLK_ADDRESS_CLAMP 4
#define CLK_ADDRESS_REPEAT 6
#define CLK_ADDRESS_MIRRORED_REPEAT 8
#define CLK_NORMALIZED_COORDS_FALSE 0
#define CLK_NORMALIZED_COORDS_TRUE 1
#define CLK_FILTER_NEAREST 0x10
#define CLK_FILTER_LINEAR 0x20
#define CLK_R 0x10B0
#define CLK_RGBA 0x10B5
#define CLK_INTENSITY 0x10B8
#define CLK_LUMINANCE 0x10B9
#define CLK_FLOAT 0x10DE
#define CLK_A 0x10B1
#define CLK_RG 0x10B2
#define CLK_RA 0x10B3
#define CLK_RGB 0x10B4
#define CLK_BGRA 0x10B6
#define CLK_ARGB 0x10B7
#define CLK_SNORM_INT8 0x10D0
#define CLK_SNORM_INT16 0x10D1
#define CLK_UNORM_INT8 0x10D2
#define CLK_UNORM_INT16 0x10D3
#define CLK_SIGNED_INT8 0x10D7
#define CLK_SIGNED_INT16 0x10D8
#define CLK_SIGNED_INT32 0x10D9
#define CLK_UNSIGNED_INT8 0x10DA
#define CLK_UNSIGNED_INT16 0x10DB
#define CLK_UNSIGNED_INT32 0x10DC
#define CLK_HALF_FLOAT 0x10DD

// Kernels enqueued by kernels, pipes.
typedef int clk_profiling_info;
typedef struct {
    uint workDimension;
    size_t globalWorkOffset[3];
    size_t globalWorkSize[3];
    size_t localWorkSize[3];
} ndrange_t;
typedef uint kernel_enqueue_flags_t;
#define CLK_ENQUEUE_FLAGS_NO_WAIT 0
#define CLK_ENQUEUE_FLAGS_WAIT_KERNEL 1
#define CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP 2
#define CLK_SUCCESS 0
#define CLK_NULL_QUEUE 0
#define CLK_NULL_EVENT (__builtin_astype(((__SIZE_MAX__)), clk_event_t))
#define PIPE_RESERVE_ID_VALID_BIT (1U << 30)

// The same bits as another type.
#define as_char(x) __builtin_astype((x), char)
#define as_char2(x) __builtin_astype((x), char2)
#define as_char3(x) __builtin_astype((x), char3)
#define as_char4(x) __builtin_astype((x), char4)
#define as_char8(x) __builtin_astype((x), char8)
#define as_char16(x) __builtin_astype((x), char16)
#define as_uchar(x) __builtin_astype((x), uchar)
#define as_uchar2(x) __builtin_astype((x), uchar2)
#define as_uchar3(x) __builtin_astype((x), uchar3)
#define as_uchar4(x) __builtin_astype((x), uchar4)
#define as_uchar8(x) __builtin_astype((x), uchar8)
#define as_uchar16(x) __builtin_astype((x), uchar16)
#define as_short(x) __builtin_astype((x), short)
#define as_short2(x) __builtin_astype((x), short2)
#define as_short3(x) __builtin_astype((x), short3)
#define as_short4(x) __builtin_astype((x), short4)
#define as_short8(x) __builtin_astype((x), short8)
#define as_short16(x) __builtin_astype((x), short16)
#define as_ushort(x) __builtin_astype((x), ushort)
#define as_ushort2(x) __builtin_astype((x), ushort2)
#define as_ushort3(x) __builtin_astype((x), ushort3)
#define as_ushort4(x) __builtin_astype((x), ushort4)
#define as_ushort8(x) __builtin_astype((x), ushort8)
#define as_ushort16(x) __builtin_astype((x), ushort16)
#define as_int(x) __builtin_astype((x), int)
#define as_int2(x) __builtin_astype((x), int2)
#define as_int3(x) __builtin_astype((x), int3)
#define as_int4(x) __builtin_astype((x), int4)
#define as_int8(x) __builtin_astype((x), int8)
#define as_int16(x) __builtin_astype((x), int16)
#define as_uint(x) __builtin_astype((x), uint)
#define as_uint2(x) __builtin_astype((x), uint2)
#define as_uint3(x) __builtin_astype((x), uint3)
#define as_uint4(x) __builtin_astype((x), uint4)
#define as_uint8(x) __builtin_astype((x), uint8)
#define as_uint16(x) __builtin_astype((x), uint16)
#define as_long(x) __builtin_astype((x), long)
#define as_long2(x) __builtin_astype((x), long2)
#define as_long3(x) __builtin_astype((x), long3)
#define as_long4(x) __builtin_astype((x), long4)
#define as_long8(x) __builtin_astype((x), long8)
#define as_long16(x) __builtin_astype((x), long16)
#define as_ulong(x) __builtin_astype((x), ulong)
#define as_ulong2(x) __builtin_astype((x), ulong2)
#define as_ulong3(x) __builtin_astype((x), ulong3)
#define as_ulong4(x) __builtin_astype((x), ulong4)
#define as_ulong8(x) __builtin_astype((x), ulong8)
#define as_ulong16(x) __builtin_astype((x), ulong16)
#define as_float(x) __builtin_astype((x), float)
#define as_float2(x) __builtin_astype((x), float2)
#define as_float3(x) __builtin_astype((x), float3)
#define as_float4(x) __builtin_astype((x), float4)
#define as_float8(x) __builtin_astype((x), float8)
#define as_float16(x) __builtin_astype((x), float16)
#ifdef cl_khr_fp64
#define as_double(x) __builtin_astype((x), double)
#define as_double2(x) __builtin_astype((x), double2)
#define as_double3(x) __builtin_astype((x), double3)
#define as_double4(x) __builtin_astype((x), double4)
#define as_double8(x) __builtin_astype((x), double8)
#define as_double16(x) __builtin_astype((x), double16)
#endif
#ifdef cl_khr_fp16
#define as_half(x) __builtin_astype((x), half)
#define as_half2(x) __builtin_astype((x), half2)
#define as_half3(x) __builtin_astype((x), half3)
#define as_half4(x) __builtin_astype((x), half4)
#define as_half8(x) __builtin_astype((x), half8)
#define as_half16(x) __builtin_astype((x), half16)
#endif
#define as_size_t(x) __builtin_astype((x), size_t)
#define as_ptrdiff_t(x) __builtin_astype((x), ptrdiff_t)

#if __OPENCL_C_VERSION__ >= 120 || defined(__OPENCL_CPP_VERSION__)
int printf(__constant const char* format, ...);
#endif

#define KL_OVERLOADED __attribute__((overloadable))

// mul24 (OpenCL C 6.15.3) with sizes of 64 bits too, which compilers for devices of 32 bits take as they come.
#define KL_MUL24(R, A, B) R KL_OVERLOADED __attribute__((const)) mul24(A, B);
#define KL_MUL24_OF(T) KL_MUL24(T, T, T)
#define KL_MUL24S(T) \
    KL_MUL24_OF(T) KL_MUL24_OF(T##2) KL_MUL24_OF(T##3) \
    KL_MUL24_OF(T##4) KL_MUL24_OF(T##8) KL_MUL24_OF(T##16)
KL_MUL24S(int)
KL_MUL24S(uint)
KL_MUL24(int, int, uint)
KL_MUL24(int, uint, int)
KL_MUL24_OF(ulong)
KL_MUL24(ulong, ulong, int)
KL_MUL24(ulong, int, ulong)
KL_MUL24(ulong, ulong, uint)
KL_MUL24(ulong, uint, ulong)

// Sub-groups as Intel has them.
#define KL_INTEL_SHUFFLE(T) \
    T KL_OVERLOADED intel_sub_group_shuffle(T, uint); \
    T KL_OVERLOADED intel_sub_group_shuffle_down(T, T, uint); \
    T KL_OVERLOADED intel_sub_group_shuffle_up(T, T, uint); \
    T KL_OVERLOADED intel_sub_group_shuffle_xor(T, uint);
#define KL_INTEL_SHUFFLES(T) \
    KL_INTEL_SHUFFLE(T) \
    KL_INTEL_SHUFFLE(T##2) \
    KL_INTEL_SHUFFLE(T##4) \
    KL_INTEL_SHUFFLE(T##8)
KL_INTEL_SHUFFLES(int)
KL_INTEL_SHUFFLES(uint)
KL_INTEL_SHUFFLES(float)
KL_INTEL_SHUFFLES(short)
KL_INTEL_SHUFFLES(ushort)
KL_INTEL_SHUFFLE(long)
KL_INTEL_SHUFFLE(ulong)
#ifdef cl_khr_fp64
KL_INTEL_SHUFFLE(double)
#endif
#ifdef cl_khr_fp16
KL_INTEL_SHUFFLES(half)
#endif
#define KL_INTEL_BLOCK(T, S) \
    T KL_OVERLOADED intel_sub_group_block_read##S(const __global T*); \
    T##2 KL_OVERLOADED intel_sub_group_block_read##S##2(const __global T*); \
    T##4 KL_OVERLOADED intel_sub_group_block_read##S##4(const __global T*); \
    T##8 KL_OVERLOADED intel_sub_group_block_read##S##8(const __global T*); \
    void KL_OVERLOADED intel_sub_group_block_write##S(__global T*, T); \
    void KL_OVERLOADED intel_sub_group_block_write##S##2(__global T*, T##2); \
    void KL_OVERLOADED intel_sub_group_block_write##S##4(__global T*, T##4); \
    void KL_OVERLOADED intel_sub_group_block_write##S##8(__global T*, T##8);
KL_INTEL_BLOCK(uint, )
KL_INTEL_BLOCK(uchar, _uc)
KL_INTEL_BLOCK(ushort, _us)
KL_INTEL_BLOCK(ulong, _ul)
#undef KL_INTEL_SHUFFLE
#undef KL_INTEL_SHUFFLES
#undef KL_INTEL_BLOCK

// Integer operations as AMD has them.
#define KL_AMD(N) \
    uint##N KL_OVERLOADED amd_bitalign(uint##N, uint##N, uint##N); \
    uint##N KL_OVERLOADED amd_bytealign(uint##N, uint##N, uint##N); \
    uint##N KL_OVERLOADED amd_bfe(uint##N, uint##N, uint##N); \
    uint##N KL_OVERLOADED amd_bfm(uint##N, uint##N); \
    uint##N KL_OVERLOADED amd_sad(uint##N, uint##N, uint##N);
KL_AMD()
KL_AMD(2)
KL_AMD(3)
KL_AMD(4)
KL_AMD(8)
KL_AMD(16)
#undef KL_AMD
uint amd_sad4(uint4, uint4, uint);
uint amd_pack(float4);
float amd_unpack0(uint);
float amd_unpack1(uint);
float amd_unpack2(uint);
float amd_unpack3(uint);
#undef KL_OVERLOADED
