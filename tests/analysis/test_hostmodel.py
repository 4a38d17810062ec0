"""What host code does with memory: where pointers lead, what is released, how settings and launches go together."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.byte_count_mismatch import ByteCountMismatch
from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree
from kernlint_rules.launch.group_does_not_divide import GroupDoesNotDivide
from kernlint_rules.launch.kernel_argument_mismatch import KernelArgumentMismatch
from kernlint_rules.launch.unchecked_api_call import UncheckedApiCall
from kernlint_rules.launch.unchecked_launch import UncheckedLaunch
from kernlint_rules.launch.unsynchronised_host_read import UnsynchronisedHostRead
from kernlint_rules.launch.wrong_copy_direction import WrongCopyDirection

from kernlint.rule import RuleClass
from tests.analysis.launched import launches_of
from tests.rules.marked import assert_marked

CASES: dict[str, tuple[RuleClass, str]] = {
    "pitches that are a factor of the row": (
        ByteCountMismatch,
        """
        struct Frame { unsigned char *data; int width, height, bytes, pitch; };
        void pixels(unsigned char *to, size_t pitch, const Frame &from, cudaStream_t s) {
            cudaMemcpy2DAsync(to, pitch, from.data, from.width, from.width * from.bytes, from.height, // bad
                              cudaMemcpyHostToDevice, s);
        }
        void rows(unsigned char *to, size_t pitch, const Frame &from, cudaStream_t s) {
            cudaMemcpy2DAsync(to, pitch, from.data, from.pitch, from.width * from.bytes, from.height,
                              cudaMemcpyHostToDevice, s);
        }
        void planes(unsigned char *to, size_t pitch, const unsigned char *from, size_t w, size_t h, size_t channels) {
            cudaMemcpy2D(to, pitch, from, w, w * channels, h, cudaMemcpyHostToDevice); // bad
            cudaMemcpy2D(to, pitch, from, w * channels, w * channels, h, cudaMemcpyHostToDevice);
            cudaMemcpy2D(to, pitch, from, w * channels, w, h, cudaMemcpyHostToDevice);
        }
        void once(unsigned char *to, const unsigned char *from, size_t row, size_t rows) {
            cudaMemcpy2D(to, row * rows, from, row, row * rows, 1, cudaMemcpyHostToDevice);
        }
        """,
    ),
    "variables of the host": (
        WrongCopyDirection,
        """
        #include <cuda.h>
        __device__ int factor_d;
        __managed__ int factor_m;
        static int factor = 0;
        void within(CUmodule m) {
            CUdeviceptr p = 0;
            size_t n = 0;
            cuModuleGetGlobal(&p, &n, m, "factor_d");
            cuMemcpyDtoD(p, (CUdeviceptr)&factor, n); // bad
        }
        void up(CUmodule m) {
            CUdeviceptr p = 0;
            size_t n = 0;
            cuModuleGetGlobal(&p, &n, m, "factor_d");
            cuMemcpyHtoD(p, &factor, n);
        }
        void local(float *d) {
            float total = 0;
            cudaMemcpy(d, &total, sizeof(total), cudaMemcpyDeviceToDevice); // bad
            cudaMemcpy(&total, d, sizeof(total), cudaMemcpyDeviceToHost);
        }
        void managed(int *d) { cudaMemcpy(d, &factor_m, sizeof(int), cudaMemcpyDeviceToDevice); }
        void passed(CUdeviceptr d, CUdeviceptr s) { cuMemcpyDtoD(d, s, 4); }
        void referred(int *s, int &behind) {
            int &first = *s, x;
            cudaMemcpy(&x, &first, sizeof(int), cudaMemcpyDeviceToHost);
            cudaMemcpy(&x, &behind, sizeof(int), cudaMemcpyDeviceToHost);
        }
        """,
    ),
    "managed memory in a functor": (
        UnsynchronisedHostRead,
        """
        template <typename T> struct Shared {
            explicit Shared(size_t n) : count(n) { cudaMallocManaged(&data, sizeof(T) * n); }
            Shared(const Shared &) = delete;
            ~Shared() { cudaFree(data); }
            T &operator[](size_t i) { return data[i]; }
            T *data = nullptr;
            size_t count;
        };
        struct Double {
            const float *in;
            float *out;
            __device__ void operator()(int i) const { out[i] = in[i] * 2; }
        };
        template <class F> __global__ void each(F f, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) f(i);
        }
        template <class F> void all(F f, int n) { if (n > 0) each<F><<<(n + 255) / 256, 256>>>(f, n); }
        double early(const float *x, int n) {
            Shared<float> twice(n);
            all(Double{x, twice.data}, n);
            double sum = 0;
            for (int i = 0; i < n; i++) sum += twice[i]; // bad
            return sum;
        }
        double waits(const float *x, int n) {
            Shared<float> twice(n);
            all(Double{x, twice.data}, n);
            cudaDeviceSynchronize();
            return twice[0];
        }
        float given(float *y, int n) { // the kernel only reads what is shared
            Shared<float> from(n);
            for (int i = 0; i < n; i++) from[i] = i;
            all(Double{from.data, y}, n);
            return from[0];
        }
        """,
    ),
    "objects of the host that hold pointers to the device": (
        WrongCopyDirection,
        """
        #include <memory>
        #include <optional>
        struct Cell { float *at; explicit Cell(float *p) : at(p) {} };
        class Counted {
            std::shared_ptr<Cell> cell;
          public:
            explicit Counted(float *p) : cell(std::make_shared<Cell>(p)) {}
            operator float *() const { return cell ? cell->at : nullptr; }
        };
        __global__ void scale(float *x) { x[threadIdx.x] *= 0.5f; }
        float *fresh() { float *p; cudaMalloc(&p, 1024); cudaMemset(p, 0, 1024); return p; }
        void counted() { Counted c(fresh()); scale<<<1, 256>>>(c); }
        void shared() { auto c = std::make_shared<Cell>(fresh()); scale<<<1, 256>>>(c->at); cudaFree((*c).at); }
        void unique() { auto c = std::make_unique<Cell>(fresh()); scale<<<1, 256>>>(c->at); cudaFree(c->at); }
        void given() { std::unique_ptr<Cell> c(new Cell(fresh())); scale<<<1, 256>>>(c->at); cudaFree(c->at); }
        void maybe() { std::optional<Cell> c(fresh()); scale<<<1, 256>>>(c->at); cudaFree(c->at); }
        void plain() { auto c = new Cell(fresh()); scale<<<1, 256>>>(c->at); cudaFree(c->at); delete c; }
        struct Free { void operator()(float *p) const { cudaFree(p); } };
        float owned() {
            std::unique_ptr<float, Free> c(fresh());
            scale<<<1, 256>>>(c.get());
            return *c; // bad
        }
        float pointed() {
            float *p = fresh();
            auto c = std::make_shared<Cell>(p);
            scale<<<1, 256>>>(c->at);
            const float first = p[0]; // bad
            cudaFree(p);
            return first;
        }
        """,
    ),
    "members behind a pointer keep what they hold": (
        DeviceUseAfterFree,
        """
        struct Field { float *u, *v; int n; };
        void touch(Field *f);
        void release(Field *f) { cudaFree(f->u); cudaFree(f->v); }
        void finish(Field *f, float *out) {
            release(f);
            cudaMemcpy(out, f->u, f->n * sizeof(float), cudaMemcpyDeviceToHost); // bad
        }
        void again(Field *f, float *out) {
            release(f);
            touch(f);
            cudaMemcpy(out, f->u, f->n * sizeof(float), cudaMemcpyDeviceToHost);
        }
        void grow(Field *f, int n) {
            if (f->n < n) {
                cudaFree(f->u);
                cudaMalloc(&f->u, n * sizeof(float));
            }
            cudaMemset(f->u, 0, n);
        }
        void each(Field *f, int n) {
            for (int i = 0; i < n; ++i) {
                cudaFree(f[i].u);
                cudaFree(f[i].v);
            }
        }
        """,
    ),
    "bytes of sequences, members, symbols and rows": (
        ByteCountMismatch,
        """
        #include <vector>
        struct Edge { int from, to; float w; };
        struct Work { int *info; };
        __constant__ float weights[64];
        void put(const std::vector<Edge> &edges, Edge *&dev) {
            cudaMalloc(&dev, sizeof(Edge) * edges.size());
            cudaMemcpy(dev, edges.data(), edges.size(), cudaMemcpyHostToDevice); // bad
            cudaMemcpy(dev, edges.data(), edges.size() * sizeof(Edge), cudaMemcpyHostToDevice);
        }
        void grown(std::vector<int> &x, int *dev, int n) {
            std::vector<int> y(n);
            cudaMemcpy(dev, y.data(), n * sizeof(int), cudaMemcpyHostToDevice);
            y.resize(2 * n);
            cudaMemcpy(dev, y.data(), 2 * n * sizeof(int), cudaMemcpyHostToDevice);
            cudaMemcpy(dev, x.data(), y.size() * sizeof(int), cudaMemcpyHostToDevice);
        }
        cudaError_t prepare(Work &w, int n) {
            cudaError_t err = cudaMalloc(&w.info, n * sizeof(int));
            if (err != cudaSuccess) return err;
            return cudaMemset(w.info, 0, n); // bad
        }
        void set(const float *w) {
            cudaMemcpyToSymbol(weights, w, 64); // bad
            cudaMemcpyToSymbol(weights, w, 16 * sizeof(float));
        }
        void plane(unsigned short *dev, size_t pitch, const unsigned short *x, int w, int h) {
            cudaMallocPitch(&dev, &pitch, w, h);
            cudaMemcpy2D(dev, pitch, x, 2 * w, 2 * w, h, cudaMemcpyHostToDevice); // bad
        }
        void pointer(const float *x, int n) {
            float *dev, **table;
            cudaMalloc(&dev, n * sizeof(float));
            cudaMemcpy(dev, x, sizeof(x), cudaMemcpyHostToDevice); // bad
            cudaMalloc(&table, n * sizeof(float *));
            cudaMemcpy(table, &dev, sizeof(float *), cudaMemcpyHostToDevice);
        }
        """,
    ),
    "buffers of OpenCL, in C and in C++": (
        ByteCountMismatch,
        """
        #include <CL/cl.h>
        #include <CL/cl.hpp>
        #include <vector>
        cl_int zero(cl_command_queue q, cl_context c, cl_mem *out, int n) {
            cl_int err, nothing = 0;
            *out = clCreateBuffer(c, CL_MEM_READ_WRITE, n * sizeof(cl_int), NULL, &err);
            if (err) return err;
            return clEnqueueFillBuffer(q, *out, &nothing, sizeof(nothing), 0, n, 0, NULL, NULL); // bad
        }
        void send(cl::Context &context, cl::CommandQueue &queue, std::vector<int> &a) {
            cl::Buffer whole(context, CL_MEM_READ_WRITE, sizeof(int) * a.size()), half(context, 1, 2 * a.size());
            queue.enqueueWriteBuffer(whole, CL_TRUE, 0, a.size(), a.data()); // bad
            queue.enqueueWriteBuffer(half, CL_TRUE, 0, 4 * a.size(), a.data()); // bad
            queue.enqueueWriteBuffer(whole, CL_TRUE, 0, 4 * a.size(), a.data());
        }
        """,
    ),
    "a class that sets arguments, and a functor": (
        KernelArgumentMismatch,
        """
        #include <CL/cl.h>
        #include <CL/cl.hpp>
        static const char *const code = R"(
        kernel void lerp(global float *a, const float t, const uint n) {
          uint i = get_global_id(0);
          if (i < n) a[i] *= t;
        }
        )";
        class Call {
            cl_kernel k_;
            cl_uint next_ = 0;
        public:
            Call(cl_program p, const char *name) { k_ = clCreateKernel(p, name, nullptr); }
            template <typename T> Call &arg(const T &v) {
                clSetKernelArg(k_, next_++, sizeof(T), &v); // bad
                return *this;
            }
            void run(cl_command_queue q, size_t all) {
                clEnqueueNDRangeKernel(q, k_, 1, nullptr, &all, nullptr, 0, nullptr, nullptr);
            }
        };
        void lerp(cl_command_queue q, cl_program p, cl_mem a, double t, cl_uint n) {
            Call good(p, "lerp"), call(p, "lerp");
            good.arg(a).arg((cl_float)t).arg(n).run(q, 64);
            call.arg(a).arg(t).arg(n).run(q, 64);
        }
        void functor(cl::Program &program, cl::CommandQueue &q, cl::Buffer &a, double t, unsigned n) {
            cl::KernelFunctor<cl::Buffer &, float, unsigned> good(program, "lerp");
            good(cl::EnqueueArgs(q, cl::NDRange(64)), a, t, n);
            cl::KernelFunctor<cl::Buffer &, double, unsigned> other(program, "lerp");
            other(cl::EnqueueArgs(q, cl::NDRange(64)), a, t, n); // bad
        }
        """,
    ),
    "memory that is given back on one branch": (
        DeviceUseAfterFree,
        """
        void finish(float *x, float *out, int n, bool last, bool mine) {
            float *y = x;
            if (mine) cudaMalloc(&y, n * 4);
            cudaMemcpy(out, y, n * 4, cudaMemcpyDeviceToHost);
            if (mine) cudaFree(y);
            if (last) cudaFree(x);
            if (!last) cudaMemset(x, 0, n * 4);
            cudaMemcpy(out, x, n * 4, cudaMemcpyDeviceToHost); // bad
        }
        """,
    ),
    "sequences that are read by loops and algorithms": (
        UnsynchronisedHostRead,
        """
        #include <algorithm>
        #include <vector>
        float sum(const float *x, int n, cudaStream_t s) {
            std::vector<float> host(n);
            cudaMemcpyAsync(host.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost, s);
            float total = 0;
            for (float v : host) total += v; // bad
            return total;
        }
        float most(const float *x, int n, cudaStream_t s) {
            std::vector<float> host(n);
            cudaMemcpyAsync(host.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost, s);
            return *std::max_element(host.begin(), host.end()); // bad
        }
        """,
    ),
    "a way out after a failed allocation": (
        DeviceMemoryLeak,
        """
        #include <CL/cl.h>
        #define CHECK(x) do { status = (x); if (status != CL_SUCCESS) return -1; } while (0)
        int pass(cl_context c, cl_command_queue q, const float *in, size_t n) {
            cl_int status;
            cl_mem a = NULL, b = NULL;
            a = clCreateBuffer(c, CL_MEM_READ_ONLY, n * sizeof(float), NULL, &status);
            CHECK(status);
            b = clCreateBuffer(c, CL_MEM_READ_ONLY, n * sizeof(float), NULL, &status);
            CHECK(status); // bad
            CHECK(clEnqueueWriteBuffer(q, a, CL_TRUE, 0, n * sizeof(float), in, 0, NULL, NULL));
            clReleaseMemObject(a);
            clReleaseMemObject(b);
            return 0;
        }
        """,
    ),
    "launches of a library's classes, and arrays of arguments that are handed on": (
        KernelArgumentMismatch,
        """
        #include <CL/cl.h>
        #include <CL/cl.hpp>
        #include <cuda.h>
        static const std::string text = R"(
        kernel void blend(global float4 *image, const float alpha, const long first, const int count) {
          int i = get_global_id(0);
          if (i < count) image[first + i] *= alpha;
        }
        )";
        void blend(cl::CommandQueue &queue, cl::Program &program, cl::Buffer &image, float alpha, int n) {
            cl::Kernel kernel(program, "blend");
            kernel.setArg(0, image);
            kernel.setArg(1, alpha);
            kernel.setArg(2, n); // bad
            kernel.setArg(3, n);
            queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(64 * n), cl::NDRange(64));
        }
        cl_int part(cl_command_queue q, cl_program p, cl_mem a, float alpha, int n) {
            cl_kernel k = clCreateKernel(p, "blend", NULL);
            const size_t all = 64;
            clSetKernelArg(k, 0, sizeof(cl_mem), &a);
            clSetKernelArg(k, 1, sizeof(float), &alpha);
            clSetKernelArg(k, 1, sizeof(int), &n); // bad
            return clEnqueueNDRangeKernel(q, k, 1, NULL, &all, NULL, 0, NULL, NULL);
        }
        extern "C" __global__ void scale(float *x, float by, int n) {
            if (threadIdx.x < n) x[threadIdx.x] *= by;
        }
        static CUresult start(CUfunction f, void **args) {
            return cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, 0, args, 0);
        }
        CUresult run(CUdeviceptr x, float by, int n, size_t count) {
            cudaFunction_t f = nullptr;
            if (cudaGetFuncBySymbol(&f, reinterpret_cast<const void *>(scale))) return CUDA_ERROR_UNKNOWN;
            void *good[] = {&x, &by, &n};
            start(f, good);
            void *value[] = {&x, &by, reinterpret_cast<void *>(count)}; // bad
            start(f, value);
            void *args[] = {&x, &by}; // bad
            return start(f, args);
        }
        """,
    ),
    "what waits for a copy": (
        UnsynchronisedHostRead,
        """
        #include <vector>
        struct Solver {
            cudaStream_t stream;
            float *there, *here;
            void elsewhere();
            bool early() {
                cudaMemcpyAsync(here, there, sizeof(float), cudaMemcpyDeviceToHost, stream);
                return here[0] < 1; // bad
            }
            bool late() {
                cudaMemcpyAsync(here, there, sizeof(float), cudaMemcpyDeviceToHost, stream);
                elsewhere();
                return here[0] < 1;
            }
        };
        float sum(const float *x, int n, cudaStream_t stream, cudaEvent_t over, bool now) {
            std::vector<float> y(n);
            float total = 0, next;
            cudaMemcpyAsync(&next, x, 4, cudaMemcpyDeviceToHost, stream);
            cudaMemcpyAsync(y.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
            if (!now) return 0;
            total += next; // bad
            for (int i = 0; i < n; ++i) total += y[i]; // bad
            cudaMemcpyAsync(y.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
            cudaEventSynchronize(over);
            return total + y[0];
        }
        """,
    ),
    "allocation under a check": (
        WrongCopyDirection,
        """
        cudaError_t get(float *out, int n) {
            float *a = nullptr, *b = nullptr;
            cudaError_t err = cudaMalloc(&a, n * sizeof(float));
            if (err == cudaSuccess) err = cudaMalloc(&b, n * sizeof(float));
            if (err == cudaSuccess) err = cudaMemset(a, 0, n * sizeof(float));
            if (err == cudaSuccess) err = cudaMemcpy(out, b, n * sizeof(float), cudaMemcpyHostToDevice); // bad
            if (err == cudaSuccess) err = cudaMemcpy(b, a, n * sizeof(float), cudaMemcpyDeviceToDevice);
            cudaFree(a);
            cudaFree(b);
            return err;
        }
        """,
    ),
    "a helper allocates": (
        WrongCopyDirection,
        """
        static float *make(size_t bytes) { float *p; cudaMalloc(&p, bytes); cudaMemset(p, 0, bytes); return p; }
        void get(float *out, size_t bytes) {
            float *x = make(bytes);
            cudaMemcpy(out, x, bytes, cudaMemcpyDeviceToHost);
            cudaMemcpy(x, out, bytes, cudaMemcpyDeviceToHost); // bad
            cudaFree(x);
        }
        """,
    ),
    "one of two memories": (
        WrongCopyDirection,
        """
        void get(float *out, size_t bytes, bool managed) {
            float *x;
            if (managed) cudaMallocManaged(&x, bytes); else cudaMalloc(&x, bytes);
            cudaMemcpy(x, out, bytes, cudaMemcpyDeviceToHost);
        }
        """,
    ),
    "released on the way out": (
        DeviceUseAfterFree,
        """
        int get(float *out, size_t bytes) {
            float *x;
            if (cudaMalloc(&x, bytes) != cudaSuccess) return 1;
            if (cudaMemset(x, 0, bytes) != cudaSuccess) { cudaFree(x); return 1; }
            cudaMemcpy(out, x, bytes, cudaMemcpyDeviceToHost);
            cudaFree(x);
            return 0;
        }
        """,
    ),
    "released in each round": (
        DeviceUseAfterFree,
        """
        void get(float *out, size_t bytes, int rounds) {
            for (int i = 0; i < rounds; ++i) {
                float *x;
                cudaMalloc(&x, bytes);
                cudaMemcpy(out, x, bytes, cudaMemcpyDeviceToHost);
                cudaFree(x);
                cudaFree(x); // bad
            }
        }
        """,
    ),
    "released in one case": (
        DeviceUseAfterFree,
        """
        void get(float *out, float *x, size_t bytes, bool last) {
            if (last) cudaFree(x);
            if (!last) cudaMemcpy(out, x, bytes, cudaMemcpyDeviceToHost);
        }
        """,
    ),
    "counts": (
        ByteCountMismatch,
        """
        void fill(const double *from, int n, int m) {
            double *x, *y;
            cudaMalloc(&x, n * sizeof(double));
            cudaMalloc(&y, n * m * sizeof(double));
            cudaMemcpy(x, from, n, cudaMemcpyHostToDevice); // bad
            cudaMemset(x, 0, (n + 1) * sizeof(double)); // bad
            cudaMemcpy(y, from, n * m * sizeof(double), cudaMemcpyHostToDevice);
            cudaMemcpy(y, from, m * sizeof(double), cudaMemcpyHostToDevice);
            cudaMemcpy(x, y, m * sizeof(double), cudaMemcpyDeviceToDevice);
        }
        """,
    ),
    "bytes are bytes": (
        ByteCountMismatch,
        """
        void fill(const unsigned char *from, int n) {
            unsigned char *x;
            cudaMalloc(&x, n);
            cudaMemcpy(x, from, n, cudaMemcpyHostToDevice);
            float *y;
            cudaMalloc(&y, 4096);
            cudaMemset(y, 0, 1024);
            cudaMemset(y, 0.0f, 4096);
        }
        """,
    ),
    "memory that a function frees for itself": (
        DeviceMemoryLeak,
        """
        #define CHECK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) throw e_; } while (0)
        static void upload(int *to, const int *from, int n) {
            if (cudaMemcpy(to, from, n * 4, cudaMemcpyHostToDevice) != cudaSuccess) throw 1;
        }
        void macros(const int *from, int n) {
            int *x;
            CHECK(cudaMalloc(&x, n * sizeof(int)));
            CHECK(cudaMemset(x, 0, n * sizeof(int))); // bad
            CHECK(cudaFree(x));
        }
        void helper(const int *from, int n) {
            int *x;
            CHECK(cudaMalloc(&x, n * sizeof(int)));
            upload(x, from, n); // bad
            CHECK(cudaFree(x));
        }
        void caught(const int *from, int n) {
            int *x;
            CHECK(cudaMalloc(&x, n * sizeof(int)));
            try { CHECK(cudaMemset(x, 0, n * sizeof(int))); } catch (cudaError_t) { }
            cudaFree(x);
        }
        """,
    ),
    "memory that somebody else frees": (
        DeviceMemoryLeak,
        """
        #include <memory>
        struct State { int *x; };
        int kept(State &state, const int *from, int n, bool other) {
            int *x = nullptr;
            if (cudaMalloc(&x, n * sizeof(int)) != cudaSuccess) return 1;
            state.x = x;
            if (cudaMemcpy(x, from, n * sizeof(int), cudaMemcpyHostToDevice) != cudaSuccess) return 2;
            if (other) { cudaFree(x); state.x = nullptr; }
            return 0;
        }
        int *handed(const int *from, int n) {
            int *x = nullptr;
            cudaMalloc(&x, n * sizeof(int));
            if (!x) return nullptr;
            if (n > 5) return x;
            cudaFree(x);
            return nullptr;
        }
        int owned(const int *from, int n) {
            int *x = nullptr;
            cudaMalloc(&x, n * sizeof(int));
            auto free = [](int *p) { cudaFree(p); };
            std::unique_ptr<int, decltype(free)> owner(x, free);
            if (cudaMemset(x, 0, n * sizeof(int)) != cudaSuccess) return 1;
            cudaFree(owner.release());
            return 0;
        }
        int jumps(const int *from, int n) {
            int *x = nullptr, err = 0;
            if (cudaMalloc(&x, n * sizeof(int)) != cudaSuccess) { err = 1; goto done; }
            if (cudaMemset(x, 0, n * sizeof(int)) != cudaSuccess) { err = 2; goto done; }
        done:
            if (x) cudaFree(x);
            return err;
        }
        int chained(const int *from, int n) {
            int *x = nullptr, *y = nullptr;
            cudaError_t err = cudaMalloc(&x, n * sizeof(int));
            if (err == cudaSuccess) err = cudaMalloc(&y, n * sizeof(int));
            if (err == cudaSuccess) err = cudaMemset(y, 0, n * sizeof(int));
            if (x) cudaFree(x);
            if (y) cudaFree(y);
            if (err != cudaSuccess) return 1;
            return 0;
        }
        """,
    ),
    "checks that are not in sight": (
        UncheckedLaunch,
        """
        __global__ void clear(int *x) { x[threadIdx.x] = 0; }
        void look_for_errors(const char *where);
        void run(int *x) {
            clear<<<1, 64>>>(x);
            look_for_errors("clear");
        }
        """,
    ),
    "checks of the program's own that are named like the runtime's": (
        UncheckedLaunch,
        """
        __global__ void clear(int *x) { x[threadIdx.x] = 0; }
        void cudaLookForErrors();
        void cudaTrace(int at);
        cudaError_t one(int *x) { clear<<<1, 32>>>(x); return cudaGetLastError(); }
        cudaError_t two(int *x) { clear<<<1, 64>>>(x); return cudaGetLastError(); }
        cudaError_t three(int *x) { clear<<<1, 96>>>(x); return cudaGetLastError(); }
        void four(int *x) {
            clear<<<1, 128>>>(x);
            cudaLookForErrors();
        }
        """,
    ),
    "pointers that change places": (
        UnsynchronisedHostRead,
        """
        #include <algorithm>
        #include <utility>
        __global__ void step(const int *from, int *to) { to[threadIdx.x] = from[threadIdx.x] + 1; }
        void run(int rounds) {
            int *now = nullptr, *next = nullptr;
            cudaMallocManaged(&now, 256);
            cudaMallocManaged(&next, 256);
            step<<<1, 64>>>(now, next);
            std::swap(now, next);
            cudaFree(now);
            cudaFree(next);
        }
        int most(int rounds) {
            int *now = nullptr, *next = nullptr;
            cudaMallocManaged(&now, 256);
            cudaMallocManaged(&next, 256);
            step<<<1, 64>>>(now, next);
            const int found = std::count(next, next + 64, 7); // bad
            cudaFree(now);
            cudaFree(next);
            return found;
        }
        """,
    ),
    "checks by some": (
        UncheckedApiCall,
        """
        int send(int *to, const int *from, size_t n) {
            cudaMemset(to, 0, n);
            return cudaMemcpy(to, from, n, cudaMemcpyHostToDevice) == cudaSuccess ? 0 : 1;
        }
        void forget(int *to, const int *from, size_t n) { cudaMemcpy(to, from, n, cudaMemcpyHostToDevice); }
        """,
    ),
    "group sizes": (
        GroupDoesNotDivide,
        """
        void run(cl_command_queue queue, cl_kernel kernel, size_t n) {
            const size_t local = 64, odd = 100, even = 640;
            clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &odd, &local, 0, nullptr, nullptr); // bad
            clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &even, &local, 0, nullptr, nullptr);
            clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &n, &local, 0, nullptr, nullptr);
            clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &odd, nullptr, 0, nullptr, nullptr);
        }
        """,
    ),
    "driver API": (
        KernelArgumentMismatch,
        """
        extern "C" __global__ void scale(float *x, double by, int n) { if (threadIdx.x < n) x[threadIdx.x] *= by; }
        void run(CUmodule module, CUdeviceptr x, float narrow, double by, int n) {
            CUfunction f;
            cuModuleGetFunction(&f, module, "scale");
            void *right[] = {&x, &by, &n}, *wrong[] = {&x, &narrow, &n}, *few[] = {&x, &by};
            cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, 0, right, 0);
            cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, 0, wrong, 0); // bad
            cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, 0, few, 0); // bad
        }
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_found(name: str) -> None:
    assert_marked(*CASES[name])


def test_settings_under_checks_of_the_ones_before_are_certain() -> None:
    (fact,) = launches_of(
        """
        cl_int run(cl_command_queue queue, cl_program program, cl_mem x, cl_int n) {
            const size_t local = 64, global = 640;
            cl_kernel fill = clCreateKernel(program, "fill", nullptr);
            cl_int err = clSetKernelArg(fill, 0, sizeof(x), &x);
            if (err == CL_SUCCESS) err = clSetKernelArg(fill, 1, sizeof(n), &n);
            if (err == CL_SUCCESS) err = clSetKernelArg(fill, 2, 256, nullptr);
            if (n > 7) clSetKernelArg(fill, 3, sizeof(n), &n);
            if (err != CL_SUCCESS) return err;
            return clEnqueueNDRangeKernel(queue, fill, 1, nullptr, &global, &local, 0, nullptr, nullptr);
        }
        """,
        "t.cpp",
    )
    assert [(one.index, one.certain, one.local) for one in fact.settings] == [
        (0, True, False),
        (1, True, False),
        (2, True, True),
        (3, False, False),
    ]
