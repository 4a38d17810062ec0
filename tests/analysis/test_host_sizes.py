"""Sizes that host code gives, held against each other and against what kernels reach."""

from __future__ import annotations

import pytest
from kernlint_rules.bounds.wrong_bounds_guard import WrongBoundsGuard
from kernlint_rules.launch.byte_count_mismatch import ByteCountMismatch
from kernlint_rules.launch.dynamic_shared_memory_omitted import DynamicSharedMemoryOmitted
from kernlint_rules.launch.kernel_argument_mismatch import KernelArgumentMismatch
from kernlint_rules.launch.wrong_copy_direction import WrongCopyDirection

from kernlint.rule import RuleClass
from tests.rules.marked import assert_marked, findings

CASES: dict[str, tuple[RuleClass, str]] = {
    "two sizes of one strided sequence": (
        ByteCountMismatch,
        """
        void last(const float *d, float *h, int n, int step) {
            float *x = (float *)malloc(((n - 1) * step + 1) * sizeof(float));
            cudaMemcpy(x, d, (size_t)n * step * sizeof(float), cudaMemcpyDeviceToHost); // bad
            cudaMemcpy(x, d, ((n - 1) * step + 1) * sizeof(float), cudaMemcpyDeviceToHost);
            h[0] = x[0];
            free(x);
        }
        void dense(const float *d, float *h, int n, int step) {
            if (step != 1) return;
            float *x = (float *)malloc(((n - 1) * step + 1) * sizeof(float));
            cudaMemcpy(x, d, (size_t)n * step * sizeof(float), cudaMemcpyDeviceToHost);
            h[0] = x[0];
            free(x);
        }
        void part(const float *h, int rows, int columns, int used) {
            float *x;
            cudaMalloc(&x, rows * columns * sizeof(float));
            cudaMemcpy(x, h, rows * used * sizeof(float), cudaMemcpyHostToDevice);
            cudaFree(x);
        }
        """,
    ),
    "pitches": (
        ByteCountMismatch,
        """
        void rows(const float *h, const float *bias, int w, int n) {
            float *x; size_t pitch;
            cudaMallocPitch(&x, &pitch, w * sizeof(float), n);
            cudaMemcpy2D(x, pitch, h, w * sizeof(float), w * sizeof(float), n, cudaMemcpyHostToDevice);
            cudaMemcpy2D(x, w * sizeof(float), h, w * 4, w * sizeof(float), n, cudaMemcpyHostToDevice); // bad
            cudaMemcpy2D(x, pitch, bias, 0, w * sizeof(float), n, cudaMemcpyHostToDevice); // bad
            cudaMemcpy2D(x, w * sizeof(float), h, w * sizeof(float), w * sizeof(float), 1, cudaMemcpyHostToDevice);
            cudaMemcpy(x, h, w * sizeof(float), cudaMemcpyHostToDevice);
            cudaMemcpy(x, h, w * n * sizeof(float), cudaMemcpyHostToDevice); // bad
            cudaFree(x);
        }
        """,
    ),
    "pieces of a loop, containers": (
        ByteCountMismatch,
        """
        #include <vector>
        void pieces(float *d, const float *h, int chunk, cudaStream_t *streams) {
            for (int k = 0; k < 4; ++k) {
                const int from = k * chunk;
                cudaMemcpyAsync(d + from, h + from, chunk, cudaMemcpyHostToDevice, streams[k]); // bad
                cudaMemcpyAsync(d + from, h + from, chunk * sizeof(float), cudaMemcpyHostToDevice, streams[k]);
            }
        }
        struct Point { float x, y, z, w; };
        void put(Point *d, const std::vector<Point> &points) {
            cudaMemcpy(d, points.data(), sizeof(points), cudaMemcpyHostToDevice); // bad
            cudaMemcpy(d, points.data(), points.size() * sizeof(Point), cudaMemcpyHostToDevice);
        }
        """,
    ),
    "members that a constructor sets": (
        ByteCountMismatch,
        """
        class Frames {
            unsigned char *d;
            int w, h, used = 0;
        public:
            Frames(int w_, int h_) : w(w_), h(h_) { cudaMalloc(&d, w * h * 3); }
            ~Frames() { cudaFree(d); }
            void limit(int n) { used = n; }
            void get(unsigned char *to) { cudaMemcpy(to, d, w * h * 4, cudaMemcpyDeviceToHost); } // bad
            void some(unsigned char *to) { cudaMemcpy(to, d, used, cudaMemcpyDeviceToHost); }
        };
        class Pool {
            float *d = nullptr;
            int n = 0;
        public:
            void reserve(int count) {
                n = count;
                cudaMalloc(&d, n * sizeof(float));
            }
            void release() {
                cudaFree(d);
                d = nullptr;
            }
            void get(float *to) { cudaMemcpy(to, d, n * sizeof(double), cudaMemcpyDeviceToHost); } // bad
            void all(float *to) { cudaMemcpy(to, d, n * sizeof(float), cudaMemcpyDeviceToHost); }
        };
        """,
    ),
    "a count that is checked against the elements of an array": (
        ByteCountMismatch,
        """
        __constant__ float taps[64];
        void load(const float *h, int count) {
            if (count > 64) return;
            cudaMemcpyToSymbol(taps, h, count); // bad
            cudaMemcpyToSymbol(taps, h, count * sizeof(float));
        }
        void load_bytes(const float *h, int bytes) {
            if (bytes > 256) return;
            cudaMemcpyToSymbol(taps, h, bytes);
        }
        """,
    ),
    "bytes allocated for as many elements": (
        KernelArgumentMismatch,
        """
        int threads = 128;
        __global__ void axpy(const double *x, double *y, double a, int n) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) y[i] += a * x[i];
        }
        struct Solver {
            double *x, *y;
            int n;
            Solver(int n) : n(n) {
                cudaMalloc(&x, n * sizeof(double));
                cudaMalloc(&y, n); // bad
            }
            ~Solver() { cudaFree(x); cudaFree(y); }
            void step(double a) { axpy<<<n / threads + 1, threads>>>(x, y, a, n); }
        };
        void run(int n) { Solver(n).step(2.0); }
        """,
    ),
    "the place of the last window": (
        WrongBoundsGuard,
        """
        __global__ void slide(const float *x, float *y, int n, int width) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i + width > n) return;
            float sum = 0.0f;
            for (int k = 0; k < width; ++k) sum += x[i + k];
            y[i] = sum;
        }
        __global__ void over(float *y, int n) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i > n) return;
            y[i] = 0.0f; // bad
        }
        """,
    ),
    "sizes that callers match": (
        WrongBoundsGuard,
        """
        __global__ void clear(float *x, int n) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) x[i] = 0.0f;
        }
        class Scratch {
            float *x = nullptr;
        public:
            void reserve(int n) { cudaMalloc(&x, n * sizeof(float)); }
            void run(int n) { clear<<<(n + 63) / 64, 64>>>(x, n); }
        };
        class Fixed {
            float *x;
            int n;
        public:
            explicit Fixed(int most) : n(most) { cudaMalloc(&x, n * sizeof(float)); }
            void some(int used) { clear<<<(used + 63) / 64, 64>>>(x, used); }
            void all() { clear<<<(n + 63) / 64, 64>>>(x, n); }
        };
        """,
    ),
    "structures that are passed whole": (
        WrongBoundsGuard,
        """
        struct Matrix { int rows, columns; float *data; };
        __global__ void add(Matrix a, Matrix c) {
            const int k = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
            if (r < c.rows && k < c.columns)
                c.data[r * c.columns + k] += a.data[r * a.columns + k]; // bad
        }
        Matrix square(Matrix host) {
            Matrix device = host;
            cudaMalloc(&device.data, host.rows * host.rows * sizeof(float));
            return device;
        }
        Matrix whole(Matrix host) {
            Matrix device = host;
            cudaMalloc(&device.data, host.rows * host.columns * sizeof(float));
            return device;
        }
        void run(Matrix a, Matrix c) {
            const dim3 block(16, 16), grid((c.columns + 15) / 16, (c.rows + 15) / 16);
            add<<<grid, block>>>(whole(a), square(c));
        }
        """,
    ),
    "bytes allocated as many as are passed": (
        KernelArgumentMismatch,
        """
        __global__ void clear(double *x, int bytes) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < bytes / 8) x[i] = 0.0;
        }
        __global__ void pairs(float *x, int n) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) x[2 * i + 1] = 0.0f;
        }
        void run(int bytes, int n) {
            double *x;
            float *y;
            cudaMalloc(&x, bytes);
            cudaMalloc(&y, n * sizeof(float));
            clear<<<(bytes / 8 + 63) / 64, 64>>>(x, bytes);
            pairs<<<(n + 63) / 64, 64>>>(y, n);
        }
        """,
    ),
    "a test that is off by one for what it is passed": (
        WrongBoundsGuard,
        """
        __global__ void ring(const int *in, int *out, int last) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i <= last) out[i] = in[i];
        }
        struct Two { int *in, *out; int length; };
        void run(Two *two, int length) {
            two->length = length;
            cudaMalloc(&two->in, length * sizeof(int));
            cudaMalloc(&two->out, length * sizeof(int));
            ring<<<(length + 63) / 64, 64>>>(two->in, two->out, two->length - 1);
        }
        """,
    ),
    "sizes passed the wrong way round": (
        KernelArgumentMismatch,
        """
        struct Shape { int width, height; };
        __global__ void flip(const int *in, int *out, int width, int height) {
            const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
            if (x < width && y < height) out[y * width + x] = in[y * width + width - 1 - x];
        }
        __global__ void turn(const int *in, int *out, int width, int height) {
            const int y = blockIdx.x * blockDim.x + threadIdx.x, x = blockIdx.y * blockDim.y + threadIdx.y;
            if (x < width && y < height) out[x * height + y] = in[y * width + x];
        }
        void run(const int *in, int *out, Shape s, int side) {
            const dim3 block(16, 16), grid((s.width + 15) / 16, (s.height + 15) / 16), square(side / 16, side / 16);
            flip<<<grid, block>>>(in, out, s.height, s.width); // bad
            flip<<<grid, block>>>(in, out, s.width, s.height);
            turn<<<grid, block>>>(in, out, s.height, s.width);
            flip<<<square, block>>>(in, out, side, side);
        }
        """,
    ),
    "settings of a template that launches itself": (
        KernelArgumentMismatch,
        """
        #include <CL/cl.h>
        static const char *const code = R"(
        kernel void scale(global FPTYPE *x, const FPTYPE by) { x[get_global_id(0)] *= by; }
        )";
        template <class T> void run(cl_program p, cl_command_queue q, cl_mem x, T by) {
            cl_kernel scale = clCreateKernel(p, "scale", nullptr);
            const size_t all = 4096;
            clSetKernelArg(scale, 0, sizeof(x), &x);
            clSetKernelArg(scale, 1, sizeof(T), &by);
            clEnqueueNDRangeKernel(q, scale, 1, nullptr, &all, nullptr, 0, nullptr, nullptr);
        }
        void both(cl_program p, cl_command_queue q, cl_mem x) {
            run<float>(p, q, x, 2.0f);
            run<double>(p, q, x, 2.0);
        }
        """,
    ),
    "a limit that a wrapper of the driver raises": (
        DynamicSharedMemoryOmitted,
        """
        extern "C" __global__ void table(unsigned *out) {
            extern __shared__ unsigned bins[];
            for (unsigned i = threadIdx.x; i < 16384; i += blockDim.x) bins[i] = i;
            __syncthreads();
            for (unsigned i = threadIdx.x; i < 16384; i += blockDim.x) out[i] = bins[16383 - i];
        }
        struct Runner {
            CUmodule module;
            CUfunction find(const char *name) {
                CUfunction f;
                cuModuleGetFunction(&f, module, name);
                return f;
            }
            CUresult raised(CUfunction f, size_t bytes, void **args) {
                cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes);
                return cuLaunchKernel(f, 1, 1, 1, 256, 1, 1, bytes, 0, args, nullptr);
            }
        };
        CUresult fits(Runner &runner, CUdeviceptr out) {
            void *args[] = {&out};
            return runner.raised(runner.find("table"), 16384 * sizeof(unsigned), args);
        }
        """,
    ),
    "an argument of a wrapper, told where it is passed": (
        KernelArgumentMismatch,
        """
        extern "C" __global__ void add(float *x, double by, unsigned n) {
            const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) x[i] += by;
        }
        struct Function {
            CUfunction handle;
            Function(CUmodule module, const char *name) { cuModuleGetFunction(&handle, module, name); }
            template <class... A> CUresult operator()(unsigned grid, A... args) {
                void *all[] = {&args...};
                return cuLaunchKernel(handle, grid, 1, 1, 256, 1, 1, 0, 0, all, 0); // bad
            }
        };
        CUresult run(CUmodule module, CUdeviceptr x, float by, unsigned n) {
            return Function(module, "add")((n + 255) / 256, x, by, n);
        }
        """,
    ),
}


def test_a_structure_made_of_one_of_the_host_says_nothing_of_that() -> None:
    assert_marked(
        WrongCopyDirection,
        """
        struct Matrix { int n; float *data; };
        Matrix on_device(Matrix host) {
            Matrix device = host;
            cudaMalloc(&device.data, host.n * sizeof(float));
            cudaMemcpy(device.data, host.data, host.n * sizeof(float), cudaMemcpyHostToDevice);
            return device;
        }
        """,
    )


@pytest.mark.parametrize("name", CASES)
def test_what_is_found(name: str) -> None:
    assert_marked(*CASES[name])


def test_memory_of_opencl_kernels_is_what_their_arguments_are_set_to() -> None:
    (found,) = findings(
        KernelArgumentMismatch,
        """
        const char *program = R"(
        kernel void twice(global const double *from, global double *to, uint n) {
            uint i = get_global_id(0);
            if (i < n) to[i] = 2 * from[i];
        }
        )";
        cl_int run(cl_context context, cl_program built, cl_command_queue queue, cl_uint n) {
            cl_kernel twice = clCreateKernel(built, "twice", nullptr);
            cl_mem from = clCreateBuffer(context, 0, n * sizeof(double), nullptr, nullptr);
            cl_mem to = clCreateBuffer(context, 0, n * sizeof(float), nullptr, nullptr);
            const size_t all = (n + 63) / 64 * 64, group = 64;
            clSetKernelArg(twice, 0, sizeof(cl_mem), &from);
            clSetKernelArg(twice, 1, sizeof(cl_mem), &to);
            clSetKernelArg(twice, 2, sizeof(cl_uint), &n);
            return clEnqueueNDRangeKernel(queue, twice, 1, nullptr, &all, &group, 0, nullptr, nullptr);
        }
        """,
    )
    assert "n * 4 bytes are allocated for to, and the kernel needs 2 times as many" in found.message
