// What a HIP source sees before its first line.
//
// The CUDA runtime and its types are there too: sources that are compiled for both use them behind aliases.
#pragma once
#pragma clang system_header

#define __HIPCC__ 1
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_PLATFORM_HCC__ 1
#define HIP_VERSION 60000000
#define HIP_VERSION_MAJOR 6
#define HIP_VERSION_MINOR 0
#define HIP_VERSION_PATCH 0

#include "language.h"

#pragma clang force_cuda_host_device begin
#include "vectors.h"
#include "sync.h"
#include "intrinsics.h"
#include "math.h"
#include "half.h"
#include "textures.h"
#include "hip_device.h"
#include "hip_runtime.h"
#define CUstream_st ihipStream_t  // one kind of stream, by either name
#include "cuda_runtime.h"
#undef CUstream_st
#include "libc.h"
#include "std.h"
#include "std_library.h"
#pragma clang force_cuda_host_device end
