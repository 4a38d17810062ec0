// What a CUDA source sees before its first line.
#pragma once
#pragma clang system_header

#undef __CUDACC__
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4
#define __CUDACC_VER_BUILD__ 0
#define CUDA_VERSION 12040
#define CUDART_VERSION 12040

#include "language.h"

#pragma clang force_cuda_host_device begin
#include "vectors.h"
#include "sync.h"
#include "intrinsics.h"
#include "math.h"
#include "half.h"
#include "textures.h"
#include "cuda_runtime.h"
#include "libc.h"
#include "std.h"
#include "std_library.h"
#pragma clang force_cuda_host_device end
