"""Functions and constants of the runtimes that host code uses: none of their calls is lost."""

from __future__ import annotations

import pytest

from kernlint.frontends.clang import ClangFrontend
from kernlint.source import SourceFile

HOST = {
    "runtime": """#include <cuda_runtime.h>
        int device_is_there(void* p, cudaArray_t a, float* out, size_t pitch, cudaStream_t s) {
            int grid = 0;
            cudaDeviceGetAttribute(&grid, cudaDevAttrMaxGridDimX, 0);
            cudaPointerAttributes of;
            if (cudaPointerGetAttributes(&of, p) != cudaSuccess || of.type != cudaMemoryTypeDevice) return -1;
            cudaMemcpy2DFromArrayAsync(out, pitch, a, 0, 0, 64, 16, cudaMemcpyDeviceToHost, s);
            cudaMemset2DAsync(p, pitch, 0, 64, 16, s);
            cudaMemPool_t pool;
            cudaDeviceGetDefaultMemPool(&pool, 0);
            cudaMemPoolTrimTo(pool, 0);
            cudaGraphicsResource* shown;
            cudaGraphicsMapResources(1, &shown, s);
            cudaGraph_t graph;
            cudaGraphNode_t node;
            cudaKernelNodeParams job = {};
            cudaGraphCreate(&graph, 0);
            return cudaGraphAddKernelNode(&node, graph, nullptr, 0, &job) == cudaErrorIllegalAddress ? grid : 0;
        }""",
    "driver": """#include <cuda.h>
        #include <nvrtc.h>
        int load(const char* text, CUstream s) {
            CUdevice d;
            CUmodule m;
            CUdeviceptr p;
            int major;
            if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&d, 0) == CUDA_ERROR_INVALID_DEVICE) return 1;
            cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, d);
            CUjit_option options[] = {CU_JIT_MAX_REGISTERS, CU_JIT_LOG_VERBOSE};
            void* values[2] = {};
            cuModuleLoadDataEx(&m, text, 2, options, values);
            cuMemAlloc_v2(&p, 64);
            cuMemsetD2D32Async(p, 64, 0, 4, 4, s);
            CUDA_MEMCPY2D rows = {};
            rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
            cuMemcpy2DAsync(&rows, s);
            nvrtcProgram program;
            nvrtcCreateProgram(&program, text, "k.cu", 0, nullptr, nullptr);
            return cuMemFree_v2(p) == CUDA_ERROR_INVALID_HANDLE;
        }""",
    "hip": """#include <hip/hip_runtime.h>
        int run(void* host, hipStream_t s) {
            float* p;
            int count;
            hipDeviceptr_t q = nullptr;
            hipDeviceGetAttribute(&count, hipDeviceAttributeMultiprocessorCount, 0);
            if (hipExtMallocWithFlags((void**)&p, 64, hipDeviceMallocFinegrained) != hipSuccess) return 1;
            hipHostMalloc(&p, 64, hipHostMallocCoherent | hipHostMallocMapped);
            hipMemcpyWithStream(p, host, 64, hipMemcpyHostToDevice, s);
            hipMemcpyHtoDAsync(q, host, 64, s);
            hipMemsetD32Async(q, 0, 16, s);
            return hipHostFree(p) == hipErrorInvalidHandle;
        }""",
    "opencl": """#include <CL/cl.h>
        int run(cl_context c, cl_command_queue q, cl_program p, cl_mem a, cl_mem b, cl_event e) {
            char name[64];
            size_t at[3] = {0, 0, 0}, of[3] = {64, 4, 1};
            cl_int state;
            clGetContextInfo(c, CL_CONTEXT_DEVICES, 64, name, nullptr);
            clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, 64, name, nullptr);
            clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state, nullptr);
            if (state == CL_COMPLETE || state == CL_INVALID_HOST_PTR) return 1;
            clEnqueueCopyBufferRect(q, a, b, at, at, of, 64, 0, 64, 0, 0, nullptr, nullptr);
            void* shared = clSVMAlloc(c, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0);
            clEnqueueSVMMap(q, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, shared, 64, 0, nullptr, nullptr);
            clSVMFree(c, shared);
            return clReleaseDevice(nullptr);
        }""",
    "opencl in C++": """#include <CL/cl2.hpp>
        unsigned long run(cl::Context c, cl::CommandQueue q, cl::Kernel k, cl::Buffer b, cl::Image2D i, cl::Program p) {
            std::vector<cl::Platform> all;
            cl::Platform::get(&all);
            std::string name = all[0].getInfo<CL_PLATFORM_NAME>();
            cl::Event done;
            q.enqueueNDRangeKernel(k, cl::NullRange, cl::NDRange(64), cl::NDRange(8), nullptr, &done);
            q.enqueueBarrierWithWaitList();
            cl::array<cl::size_type, 3> at{0, 0, 0}, of{8, 8, 1};
            q.enqueueCopyImageToBuffer(i, b, at, of, 0);
            cl::Buffer whole(c, CL_MEM_READ_WRITE, 64);
            size_t bytes = whole.getInfo<CL_MEM_SIZE>();
            cl::Event::waitForEvents({done});
            p.build("-cl-fast-relaxed-math");
            return done.getProfilingInfo<CL_PROFILING_COMMAND_SUBMIT>() + bytes;
        }""",
}


@pytest.mark.parametrize("which", HOST)
def test_no_call_is_lost(which: str) -> None:
    path = "k.hip" if which == "hip" else "k.cu"
    (module,) = ClangFrontend().parse_file(SourceFile(path, HOST[which].encode(), "utf-8"))
    assert module.functions
    assert not [(loss.reason, loss.span) for function in module.functions for loss in function.losses]
