"""What becomes of memory along the ways through host code: each case with its fault, and mended."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree
from kernlint_rules.launch.unsynchronised_host_read import UnsynchronisedHostRead
from kernlint_rules.launch.wrong_copy_direction import WrongCopyDirection

from kernlint.rule import RuleClass
from tests.rules.marked import assert_marked

CASES: dict[str, tuple[RuleClass, str, str]] = {
    "leak plain never": (
        DeviceMemoryLeak,
        "cuda",
        """
        __global__ void scale(float *x, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2.0f; }
        void normalise(float *host, int n) {
            float *dev;
            cudaMalloc(&dev, n * sizeof(float));  // bad
            cudaMemcpy(dev, host, n * sizeof(float), cudaMemcpyHostToDevice);
            scale<<<(n + 255) / 256, 256>>>(dev, n);
            cudaMemcpy(host, dev, n * sizeof(float), cudaMemcpyDeviceToHost);
            cudaFree(dev);  // only good
        }
        """,
    ),
    "set by a statement that was lost": (
        DeviceUseAfterFree,
        "cuda",
        """
        __global__ void scale(float *x, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2.0f; }
        void upload(void **to, const float *from, int n);
        void rows(const float *host, int n) {
            float *row;
            for (int i = 0; i < 4; i++) {
                upload((void **)&row, &host[undeclared_pitch * i], n);  // only good
                scale<<<(n + 255) / 256, 256>>>(row, n);  // bad
                cudaFree(row);
                cudaMemcpy(nullptr, row, undeclared_pitch, cudaMemcpyHostToDevice);
            }
        }
        """,
    ),
    "twice without asking who else has it": (
        DeviceUseAfterFree,
        "cuda",
        """
        struct context { int users; void *work; };
        static void drop(context *c) {
            if (--c->users > 0) return;  // only good
            cudaFree(c->work);  // bad
        }
        int run(context *c) {
            c->users++;
            if (cudaMemset(c->work, 0, 64) != cudaSuccess) return 1;
            drop(c);
            drop(c);
            return 0;
        }
        """,
    ),
    "leak driver handles": (
        DeviceMemoryLeak,
        "cuda",
        """
        #include <cuda.h>
        #include <stdlib.h>
        typedef struct { CUdevice device; CUcontext context; CUstream work, copies; CUevent copied; } session;
        static void drop_parts(session *s) {
            if (s->copied != NULL) cuEventDestroy(s->copied);
            if (s->work != NULL) cuStreamDestroy(s->work);
            if (s->copies != NULL) cuStreamDestroy(s->copies);  // only good
            cuDevicePrimaryCtxRelease(s->device);
        }
        session *make_session(int which) {
            session *s = (session *)calloc(1, sizeof(*s));
            if (s == NULL) return NULL;
            if (cuDeviceGet(&s->device, which) != CUDA_SUCCESS ||
                cuDevicePrimaryCtxRetain(&s->context, s->device) != CUDA_SUCCESS) {
                free(s);
                return NULL;
            }
            cuCtxPushCurrent(s->context);
            if (cuStreamCreate(&s->work, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS ||
                cuStreamCreate(&s->copies, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS ||  // bad
                cuEventCreate(&s->copied, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) {
                drop_parts(s);
                cuCtxPopCurrent(NULL);
                free(s);
                return NULL;
            }
            cuCtxPopCurrent(NULL);
            return s;
        }
        void drop_session(session *s) {
            cuStreamSynchronize(s->copies);
            drop_parts(s);
            free(s);
        }
        """,
    ),
    "leak event of a class": (
        DeviceMemoryLeak,
        "hip",
        """
        #include <hip/hip_runtime.h>
        #include <memory>
        #include <utility>
        #include <vector>
        class Mark {
            hipEvent_t event = nullptr;
          public:
            explicit Mark(hipStream_t s) {
                hipEventCreateWithFlags(&event, hipEventDisableTiming);  // bad
                hipEventRecord(event, s);
            }
            Mark(Mark &&other) : event(std::exchange(other.event, nullptr)) {}
            ~Mark() { if (event) hipEventDestroy(event); }  // only good
            void wait() const { hipEventSynchronize(event); }
        };
        Mark record(hipStream_t s) { return Mark(s); }
        void use(hipStream_t s) {
            record(s).wait();
            Mark(s).wait();
            Mark kept = record(s);
            kept.wait();
            std::vector<Mark> all;
            all.push_back(Mark(s));
            auto owned = std::make_unique<Mark>(s);
        }
        """,
    ),
    "leak stream handed on": (
        DeviceMemoryLeak,
        "cuda",
        """
        #include <cuda_runtime.h>
        #include <memory>
        __global__ void clear(float *x) { x[threadIdx.x] = 0; }
        using Owner = std::unique_ptr<CUstream_st, decltype(&cudaStreamDestroy)>;
        Owner made() { cudaStream_t s; cudaStreamCreate(&s); return Owner(s, cudaStreamDestroy); }
        cudaStream_t plain() { cudaStream_t s; cudaStreamCreate(&s); return s; }
        void several(float *x) {
            cudaStream_t all[4];
            for (int i = 0; i < 4; i++) cudaStreamCreate(&all[i]);
            for (int i = 0; i < 4; i++) clear<<<1, 32, 0, all[i]>>>(x + 32 * i);
            for (int i = 0; i < 4; i++) cudaStreamDestroy(all[i]);
        }
        void rounds(float *x, int n) {
            for (int i = 0; i < n; i++) {
                cudaStream_t s;
                cudaStreamCreate(&s);  // bad
                clear<<<1, 32, 0, s>>>(x);
                cudaStreamSynchronize(s);
                cudaStreamDestroy(s);  // only good
            }
        }
        """,
    ),
    "leak ctor no dtor": (
        DeviceMemoryLeak,
        "cuda",
        """
        #include <cuda_runtime.h>
        #include <cstddef>
        class Histogram {
          public:
            explicit Histogram(size_t bins) : bins_(bins) {
                cudaMalloc(&counts_, bins * sizeof(unsigned));  // bad
                cudaMalloc(&edges_, (bins + 1) * sizeof(float));
            }
            ~Histogram() {
                cudaFree(counts_);  // only good
                cudaFree(edges_);
            }
            Histogram(const Histogram &) = delete;
            void clear() { cudaMemset(counts_, 0, bins_ * sizeof(unsigned)); }
          private:
            size_t bins_;
            unsigned *counts_ = nullptr;
            float *edges_ = nullptr;
        };
        """,
    ),
    "leak no dtor at all": (
        DeviceMemoryLeak,
        "cuda",
        """
        #include <cuda_runtime.h>
        struct Scratch {
            float *buf = nullptr;
            int n;
            Scratch(int count) : n(count) { cudaMalloc((void **)&buf, count * sizeof(float)); }  // bad
            ~Scratch() { cudaFree(buf); }  // only good
            Scratch(const Scratch &) = delete;
            float *get() { return buf; }
        };
        __global__ void fill(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1.0f; }
        void step(int n) {
            Scratch s(n);
            fill<<<(n + 127) / 128, 128>>>(s.get(), n);
            cudaDeviceSynchronize();
        }
        """,
    ),
    "leak resize": (
        DeviceMemoryLeak,
        "hip",
        """
        #include <hip/hip_runtime.h>
        class Pool {
            float *data_ = nullptr;
            size_t cap_ = 0;
          public:
            Pool() = default;
            Pool(const Pool &) = delete;
            ~Pool() { if (data_) (void)hipFree(data_); }
            bool reserve(size_t n) {
                if (n <= cap_) return true;
                if (data_) (void)hipFree(data_);  // only good
                if (hipMalloc(&data_, n * sizeof(float)) != hipSuccess) {  // bad
                    data_ = nullptr;
                    return false;
                }
                cap_ = n;
                return true;
            }
            float *data() { return data_; }
        };
        """,
    ),
    "leak move assign": (
        DeviceMemoryLeak,
        "cuda",
        """
        #include <cuda_runtime.h>
        #include <utility>
        class DevArray {
            void *p_ = nullptr;
            size_t n_ = 0;
          public:
            explicit DevArray(size_t n) : n_(n) { cudaMalloc(&p_, n); }
            ~DevArray() { cudaFree(p_); }
            DevArray(const DevArray &) = delete;
            DevArray &operator=(const DevArray &) = delete;
            DevArray(DevArray &&o) noexcept : p_(o.p_), n_(o.n_) { o.p_ = nullptr; o.n_ = 0; }
            DevArray &operator=(DevArray &&o) noexcept {
                if (this != &o) {
                    cudaFree(p_);  // only good
                    p_ = o.p_;  // bad
                    n_ = o.n_;
                    o.p_ = nullptr;
                    o.n_ = 0;
                }
                return *this;
            }
        };
        """,
    ),
    "leak loop": (
        DeviceMemoryLeak,
        "cuda",
        """
        #include <vector>
        __global__ void add(float *x, const float *y, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += y[i]; }
        void accumulate(float *acc, const std::vector<const float *> &parts, int n) {
            float *tmp = nullptr;
            for (const float *part : parts) {
                cudaMalloc(&tmp, n * sizeof(float));  // bad
                cudaMemcpy(tmp, part, n * sizeof(float), cudaMemcpyHostToDevice);
                add<<<(n + 255) / 256, 256>>>(acc, tmp, n);
                cudaFree(tmp);  // only good
            }
            cudaFree(tmp);  // only bad
        }
        """,
    ),
    "leak cl goto": (
        DeviceMemoryLeak,
        "cuda",
        """
        #include <CL/cl.h>
        int blur(cl_context ctx, cl_command_queue q, cl_kernel k, const float *in, float *out, size_t n) {
            cl_int err;
            int rc = -1;
            cl_mem tmp = NULL;
            const cl_mem_flags flags = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
            cl_mem src = clCreateBuffer(ctx, flags, n * sizeof(float), (void *)in, &err);  // bad
            if (err != CL_SUCCESS) return -1;
            tmp = clCreateBuffer(ctx, CL_MEM_WRITE_ONLY, n * sizeof(float), NULL, &err);
            if (err != CL_SUCCESS) goto done;
            if (clSetKernelArg(k, 0, sizeof(cl_mem), &src) != CL_SUCCESS) goto done;
            if (clSetKernelArg(k, 1, sizeof(cl_mem), &tmp) != CL_SUCCESS) goto done;
            if (clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, NULL) != CL_SUCCESS) goto done;
            if (clEnqueueReadBuffer(q, tmp, CL_TRUE, 0, n * sizeof(float), out, 0, NULL, NULL) != CL_SUCCESS) goto done;
            rc = 0;
        done:
            if (tmp) clReleaseMemObject(tmp);
            clReleaseMemObject(src);  // only good
            return rc;
        }
        """,
    ),
    "leak helper alloc": (
        DeviceMemoryLeak,
        "cuda",
        """
        #include <cstdio>
        #include <cstdlib>
        static void check(cudaError_t e, const char *what) {
            if (e != cudaSuccess) { fprintf(stderr, "%s", what); exit(1); } }
        static float *to_device(const float *src, int n) {
            float *d = nullptr;
            check(cudaMalloc(&d, n * sizeof(float)), "alloc");
            check(cudaMemcpy(d, src, n * sizeof(float), cudaMemcpyHostToDevice), "copy");
            return d;
        }
        __global__ void dot(const float *a, const float *b, float *r, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(r, a[i] * b[i]); }
        float inner(const float *a, const float *b, int n) {
            float *da = to_device(a, n), *db = to_device(b, n);  // bad
            float zero = 0.0f, result;
            float *dr = to_device(&zero, 1);
            dot<<<(n + 255) / 256, 256>>>(da, db, dr, n);
            check(cudaMemcpy(&result, dr, sizeof(float), cudaMemcpyDeviceToHost), "result");
            cudaFree(da);
            cudaFree(db);  // only good
            cudaFree(dr);
            return result;
        }
        """,
    ),
    "leak overwrite": (
        DeviceMemoryLeak,
        "cuda",
        """
        __global__ void iota(int *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = i; }
        int *order(int n, bool twice) {
            int *idx = nullptr;
            cudaMalloc(&idx, n * sizeof(int));  // bad
            iota<<<(n + 255) / 256, 256>>>(idx, n);
            if (twice) {
                n *= 2;
                cudaFree(idx);  // only good
                cudaMalloc(&idx, n * sizeof(int));
                iota<<<(n + 255) / 256, 256>>>(idx, n);
            }
            return idx;
        }
        """,
    ),
    "leak struct free fn": (
        DeviceMemoryLeak,
        "hip",
        """
        #include <hip/hip_runtime.h>
        #include <stdlib.h>
        typedef struct { float *w, *b, *grad; int n; } layer_t;
        layer_t *layer_new(int n) {
            layer_t *l = (layer_t *)calloc(1, sizeof(layer_t));
            l->n = n;
            hipMalloc((void **)&l->w, n * sizeof(float));
            hipMalloc((void **)&l->b, n * sizeof(float));
            hipMalloc((void **)&l->grad, n * sizeof(float));  // bad
            return l;
        }
        void layer_free(layer_t *l) {
            hipFree(l->w);
            hipFree(l->b);
            hipFree(l->grad);  // only good
            free(l);
        }
        """,
    ),
    "leak ifelse": (
        DeviceMemoryLeak,
        "cuda",
        """
        #include <cuda_runtime.h>
        __global__ void sum(const float *x, float *r, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(r, x[i]); }
        bool total(const float *x, int n, float *out) {
            float *r;
            if (cudaMalloc(&r, sizeof(float)) != cudaSuccess) return false;
            bool ok = cudaMemset(r, 0, sizeof(float)) == cudaSuccess;
            if (ok) {
                sum<<<(n + 255) / 256, 256>>>(x, r, n);
                ok = cudaMemcpy(out, r, sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
                cudaFree(r);  // only bad
            }
            cudaFree(r);  // only good
            return ok;  // bad
        }
        """,
    ),
    "uaf copy by value": (
        DeviceUseAfterFree,
        "cuda",
        """
        #include <cuda_runtime.h>
        class Matrix {
          public:
            float *d;
            int rows, cols;
            Matrix(int r, int c) : rows(r), cols(c) { cudaMalloc(&d, sizeof(float) * r * c); }
            ~Matrix() { cudaFree(d); }
            Matrix(const Matrix &) = delete;  // only good
        };
        __global__ void zero(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 0.0f; }
        void clear(Matrix m) {  // only bad
        void clear(Matrix &m) {  // only good
            zero<<<(m.rows * m.cols + 255) / 256, 256>>>(m.d, m.rows * m.cols);
        }
        void run() {
            Matrix a(64, 64);
            clear(a);  // bad
            cudaDeviceSynchronize();
        }
        """,
    ),
    "uaf vector of owners": (
        DeviceUseAfterFree,
        "cuda",
        """
        #include <cuda_runtime.h>
        #include <vector>
        struct Slab {
            explicit Slab(size_t n) { cudaMalloc(&p, n); }
            ~Slab() { cudaFree(p); }
            Slab(const Slab &) = delete;  // only good
            Slab(Slab &&o) noexcept : p(o.p) { o.p = nullptr; }  // only good
            char *p = nullptr;
        };
        void build(std::vector<Slab> &slabs, int count) {
            for (int i = 0; i < count; ++i) {
                Slab s(1 << 20);
                slabs.push_back(s);  // only bad  // bad
                slabs.push_back(static_cast<Slab &&>(s));  // only good
            }
        }
        """,
    ),
    "uaf reset": (
        DeviceUseAfterFree,
        "cuda",
        """
        #include <cuda_runtime.h>
        int finish(float *dev, float *host, int n) {
            cudaMemcpy(host, dev, n * sizeof(float), cudaMemcpyDeviceToHost);
            cudaDeviceReset();  // only bad
            cudaFree(dev);  // bad
            cudaDeviceReset();  // only good
            return 0;
        }
        """,
    ),
    "uaf raw of dead vector": (
        DeviceUseAfterFree,
        "cuda",
        """
        #include <thrust/device_vector.h>
        #include <thrust/host_vector.h>
        __global__ void twice(float *x, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2.0f; }
        void run(const thrust::host_vector<float> &h, int n) {
            float *raw;
            thrust::device_vector<float> keep;  // only good
            {
                thrust::device_vector<float> d = h;  // only bad
                keep = h;  // only good
                raw = thrust::raw_pointer_cast(d.data());  // only bad
                raw = thrust::raw_pointer_cast(keep.data());  // only good
            }
            twice<<<(n + 255) / 256, 256>>>(raw, n);  // bad
            cudaDeviceSynchronize();
        }
        """,
    ),
    "uaf helper frees": (
        DeviceUseAfterFree,
        "cuda",
        """
        #include <cuda_runtime.h>
        struct Work { float *in, *out; };
        static void release(Work &w) { cudaFree(w.in); cudaFree(w.out); }  // bad
        int run(Work &w, float *host, int n) {
            cudaError_t e = cudaMemcpy(w.in, host, n * sizeof(float), cudaMemcpyHostToDevice);
            if (e != cudaSuccess) {
                release(w);
                return -1;  // only good
            }
            e = cudaMemcpy(host, w.out, n * sizeof(float), cudaMemcpyDeviceToHost);  // bad
            release(w);
            return e == cudaSuccess ? 0 : -1;
        }
        """,
    ),
    "uaf stream destroyed": (
        DeviceUseAfterFree,
        "cuda",
        """
        __global__ void fill(int *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 7; }
        void run(int *x, int n) {
            cudaStream_t s;
            cudaStreamCreate(&s);
            fill<<<(n + 255) / 256, 256, 0, s>>>(x, n);
            cudaStreamDestroy(s);  // only bad
            cudaStreamSynchronize(s);  // bad
            cudaStreamDestroy(s);  // only good
        }
        """,
    ),
    "uaf cl release then enqueue": (
        DeviceUseAfterFree,
        "cuda",
        """
        #include <CL/cl.h>
        void run(cl_context c, cl_command_queue q, cl_kernel k, float *out, size_t n) {
            cl_mem m = clCreateBuffer(c, CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
            clSetKernelArg(k, 0, sizeof(cl_mem), &m);
            clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, NULL);
            clReleaseMemObject(m);  // only bad
            clEnqueueReadBuffer(q, m, CL_TRUE, 0, n * sizeof(float), out, 0, NULL, NULL);  // bad
            clReleaseMemObject(m);  // only good
        }
        """,
    ),
    "uaf cl nonblocking write freed": (
        UnsynchronisedHostRead,
        "cuda",
        """
        #include <CL/cl.h>
        #include <stdlib.h>
        int upload(cl_command_queue q, cl_mem dst, const unsigned char *img, size_t n) {
            float *tmp = (float *)malloc(n * sizeof(float));
            for (size_t i = 0; i < n; i++) tmp[i] = img[i] / 255.0f;
            cl_int err = clEnqueueWriteBuffer(q, dst, CL_FALSE, 0, n * sizeof(float), tmp, 0, NULL, NULL);  // only bad
            cl_int err = clEnqueueWriteBuffer(q, dst, CL_TRUE, 0, n * sizeof(float), tmp, 0, NULL, NULL);  // only good
            free(tmp);  // bad
            return err;
        }
        """,
    ),
    "uaf pinned freed": (
        DeviceUseAfterFree,
        "cuda",
        """
        #include <cuda_runtime.h>
        struct Job { float *dev; cudaStream_t stream; };
        void push(Job &job, int n, cudaStream_t s) {
            float *tmp = nullptr;
            cudaMallocAsync(&tmp, n * sizeof(float), s);
            cudaMemcpyAsync(job.dev, tmp, n * sizeof(float), cudaMemcpyDeviceToDevice, job.stream);
            cudaStreamSynchronize(job.stream);  // only good
            cudaFreeAsync(tmp, s);  // bad
        }
        """,
    ),
    "uaf vector dies": (
        UnsynchronisedHostRead,
        "cuda",
        """
        #include <CL/cl.hpp>
        #include <vector>
        void upload(cl::CommandQueue &queue, cl::Buffer &table, int n) {
            std::vector<int> host(n);
            for (int i = 0; i < n; ++i) host[i] = i * i;
            queue.enqueueWriteBuffer(table, CL_FALSE, 0, n * sizeof(int), host.data());  // only bad  // bad
            queue.enqueueWriteBuffer(table, CL_TRUE, 0, n * sizeof(int), host.data());  // only good
        }
        """,
    ),
    "uaf double free alias": (
        DeviceUseAfterFree,
        "hip",
        """
        #include <hip/hip_runtime.h>
        __global__ void diffuse(const float *a, float *b, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) b[i] = a[i] * 0.5f; }
        void simulate(float *host, int n, int steps) {
            float *cur, *next;
            hipMalloc(&cur, n * sizeof(float));
            hipMalloc(&next, n * sizeof(float));
            float *result = cur;
            hipMemcpy(cur, host, n * sizeof(float), hipMemcpyHostToDevice);
            diffuse<<<(n + 255) / 256, 256>>>(cur, next, n);
            result = next;
            hipMemcpy(host, result, n * sizeof(float), hipMemcpyDeviceToHost);
            hipFree(cur);
            hipFree(next);
            hipFree(result);  // only bad  // bad
        }
        """,
    ),
    "read struct member": (
        UnsynchronisedHostRead,
        "cuda",
        """
        #include <cuda_runtime.h>
        struct Stats { float mean, var; int count; };
        struct Context { cudaStream_t stream; Stats *dev; Stats host; };
        float stddev(Context *c) {
            cudaMemcpyAsync(&c->host, c->dev, sizeof(Stats), cudaMemcpyDeviceToHost, c->stream);
            cudaStreamSynchronize(c->stream);  // only good
            return c->host.var / c->host.count;  // bad
        }
        """,
    ),
    "read pinned class": (
        UnsynchronisedHostRead,
        "cuda",
        """
        #include <cuda_runtime.h>
        __global__ void count(const int *x, int n, int *hits) {
            int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n && x[i] > 0) atomicAdd(hits, 1); }
        class Counter {
            int *d_ = nullptr, *h_ = nullptr;
            cudaStream_t s_;
          public:
            Counter() { cudaMalloc(&d_, sizeof(int)); cudaMallocHost(&h_, sizeof(int)); cudaStreamCreate(&s_); }
            ~Counter() { cudaFree(d_); cudaFreeHost(h_); cudaStreamDestroy(s_); }
            Counter(const Counter &) = delete;
            int operator()(const int *x, int n) {
                cudaMemsetAsync(d_, 0, sizeof(int), s_);
                count<<<(n + 255) / 256, 256, 0, s_>>>(x, n, d_);
                cudaMemcpyAsync(h_, d_, sizeof(int), cudaMemcpyDeviceToHost, s_);
                cudaStreamSynchronize(s_);  // only good
                return *h_;  // bad
            }
        };
        """,
    ),
    "read image saved": (
        UnsynchronisedHostRead,
        "cuda",
        """
        #include <CL/opencl.hpp>
        #include <fstream>
        #include <vector>
        struct Picture {
            size_t width, height;
            std::vector<unsigned char> pixels;
            void save(const char *path) const {
                std::ofstream out(path, std::ios::binary);
                for (size_t i = 0; i < width * height; i++) out.write((const char *)&pixels[i * 4], 3);  // bad
            }
        };
        void render(cl::CommandQueue &q, cl::Image2D &from, size_t width, size_t height, const char *path) {
            cl::array<cl::size_type, 3> origin = {{0, 0, 0}}, region = {{width, height, 1}};
            Picture to;
            to.width = width;
            to.height = height;
            to.pixels.resize(width * height * 4);
            q.enqueueReadImage(from, CL_FALSE, origin, region, 0, 0, to.pixels.data());
            q.finish();  // only good
            to.save(path);
        }
        """,
    ),
    "read image written to a file": (
        UnsynchronisedHostRead,
        "cuda",
        """
        #include <CL/cl.h>
        #include <stdio.h>
        #include <stdlib.h>
        void dump(cl_command_queue q, cl_mem image, size_t width, size_t height, FILE *to) {
            const size_t origin[3] = {0, 0, 0}, region[3] = {width, height, 1};
            float *pixels = (float *)malloc(width * height * sizeof(float));
            cl_event read;
            clEnqueueReadImage(q, image, CL_FALSE, origin, region, 0, 0, pixels, 0, NULL, &read);
            clWaitForEvents(1, &read);  // only good
            clReleaseEvent(read);
            fwrite(pixels, sizeof(float), width * height, to);  // bad
            clFinish(q);
            free(pixels);
        }
        """,
    ),
    "read wrapper class": (
        UnsynchronisedHostRead,
        "cuda",
        """
        #include <CL/cl.hpp>
        #include <vector>
        template <typename T> class DeviceVec {
            cl::Buffer buf; cl::CommandQueue q; size_t n;
          public:
            DeviceVec(cl::Context &c, cl::CommandQueue &queue, size_t count) : buf(c, CL_MEM_READ_WRITE,
            count * sizeof(T)), q(queue), n(count) {}
            void read(std::vector<T> &to) {
                to.resize(n);
                q.enqueueReadBuffer(buf, CL_FALSE, 0, n * sizeof(T), to.data());
                q.finish();  // only good
            }
        };
        float first(DeviceVec<float> &d) {
            std::vector<float> h;
            d.read(h);
            return h[0];  // bad
        }
        """,
    ),
    "read managed": (
        UnsynchronisedHostRead,
        "hip",
        """
        #include <hip/hip_runtime.h>
        __global__ void relax(float *u, int *changed, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n && u[i] > 1.0f) { u[i] = 1.0f; *changed = 1; } }
        struct Solver {
            float *u; int *changed; int n;
            Solver(int count) : n(count) {
                hipMallocManaged(&u, n * sizeof(float)); hipMallocManaged(&changed, sizeof(int)); }
            ~Solver() { hipFree(u); hipFree(changed); }
            Solver(const Solver &) = delete;
            int run() {
                int steps = 0;
                do {
                    *changed = 0;
                    relax<<<(n + 255) / 256, 256>>>(u, changed, n);
                    hipDeviceSynchronize();  // only good
                    ++steps;
                } while (*changed);  // bad
                return steps;
            }
        };
        """,
    ),
    "read wrong stream": (
        UnsynchronisedHostRead,
        "cuda",
        """
        #include <cuda_runtime.h>
        #include <vector>
        float peak(const float *dev, int n, cudaStream_t copy, cudaStream_t compute) {
            float *pinned;
            cudaMallocHost(&pinned, n * sizeof(float));
            cudaMemcpyAsync(pinned, dev, n * sizeof(float), cudaMemcpyDeviceToHost, copy);
            cudaStreamSynchronize(compute);  // only bad
            cudaStreamSynchronize(copy);  // only good
            float m = pinned[0];  // bad
            for (int i = 1; i < n; ++i) m = pinned[i] > m ? pinned[i] : m;
            cudaFreeHost(pinned);
            return m;
        }
        """,
    ),
    "copy order device": (
        WrongCopyDirection,
        "cuda",
        """
        #include <cuda_runtime.h>
        __global__ void step(const float *in, float *out, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i] * 0.5f; }
        void evolve(const float *host, float *result, int n) {
            float *cur, *next;
            cudaMalloc(&cur, n * sizeof(float));
            cudaMalloc(&next, n * sizeof(float));
            cudaMemcpy(cur, host, n * sizeof(float), cudaMemcpyHostToDevice);
            for (int i = 0; i < 10; ++i) {
                step<<<(n + 255) / 256, 256>>>(cur, next, n);
                cudaMemcpy(next, cur, n * sizeof(float), cudaMemcpyDeviceToDevice);  // only bad  // bad
                cudaMemcpy(cur, next, n * sizeof(float), cudaMemcpyDeviceToDevice);  // only good
            }
            cudaMemcpy(result, cur, n * sizeof(float), cudaMemcpyDeviceToHost);
            cudaFree(cur);
            cudaFree(next);
        }
        """,
    ),
    "copy before upload": (
        WrongCopyDirection,
        "cuda",
        """
        #include <cuda_runtime.h>
        #include <stdlib.h>
        __global__ void negate(float *x, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = -x[i]; }
        void run(float *x, int n) {
            float *d;
            cudaMalloc(&d, n * sizeof(float));
            cudaMemcpy(x, d, n * sizeof(float), cudaMemcpyDeviceToHost);  // only bad  // bad
            cudaMemcpy(d, x, n * sizeof(float), cudaMemcpyHostToDevice);  // only good
            negate<<<(n + 255) / 256, 256>>>(d, n);
            cudaMemcpy(x, d, n * sizeof(float), cudaMemcpyDeviceToHost);
            cudaFree(d);
        }
        """,
    ),
    "copy driver param": (
        WrongCopyDirection,
        "cuda",
        """
        #include <cuda.h>
        CUresult roundtrip(CUfunction f, float *host, size_t n) {
            CUdeviceptr d;
            CUresult r = cuMemAlloc(&d, n * sizeof(float));
            if (r != CUDA_SUCCESS) return r;
            cuMemcpyHtoD(d, host, n * sizeof(float));
            void *args[] = {&d, &n};
            cuLaunchKernel(f, (unsigned)((n + 255) / 256), 1, 1, 256, 1, 1, 0, 0, args, 0);
            r = cuMemcpyHtoD(d, host, n * sizeof(float));  // only bad  // bad
            r = cuMemcpyDtoH(host, d, n * sizeof(float));  // only good
            cuMemFree(d);
            return r;
        }
        """,
    ),
    "macro goto": (
        DeviceMemoryLeak,
        "cuda",
        """
        #include <cuda_runtime.h>
        #include <stdio.h>
        #define TRY(x) do { st = (x); if (st != cudaSuccess) { fprintf(stderr, "fail"); goto out; } } while (0)
        __global__ void k(int *a, const int *b, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] += b[i]; }
        int add(int *a, const int *b, int n) {
            cudaError_t st;
            int *da = NULL, *db = NULL;
            TRY(cudaMalloc(&da, n * sizeof(int)));
            TRY(cudaMalloc(&db, n * sizeof(int)));  // bad
            TRY(cudaMemcpy(da, a, n * sizeof(int), cudaMemcpyHostToDevice));
            TRY(cudaMemcpy(db, b, n * sizeof(int), cudaMemcpyHostToDevice));
            k<<<(n + 255) / 256, 256>>>(da, db, n);
            TRY(cudaGetLastError());
            TRY(cudaMemcpy(a, da, n * sizeof(int), cudaMemcpyDeviceToHost));
        out:
            cudaFree(da);
            cudaFree(db);  // only good
            return st == cudaSuccess ? 0 : -1;
        }
        """,
    ),
    "hip per frame": (
        DeviceMemoryLeak,
        "hip",
        """
        #include <hip/hip_runtime.h>
        class Tracker {
            int width, height;
            unsigned char *frame = nullptr;
            float *flow = nullptr;
            bool started = false;
            void start() {
                (void)hipMalloc(&frame, width * height);
                (void)hipMalloc(&flow, width * height * 2 * sizeof(float));
                started = true;
            }
        public:
            Tracker(int w, int h) : width(w), height(h) {}
            Tracker(const Tracker &) = delete;
            ~Tracker() { (void)hipFree(frame); (void)hipFree(flow); }
            void resize(int w, int h) {
                if (w == width && h == height) return;
                width = w;
                height = h;
                (void)hipFree(frame);  // only good
                (void)hipFree(flow);  // only good
                (void)hipMalloc(&frame, w * h);  // bad
                (void)hipMalloc(&flow, w * h * 2 * sizeof(float));  // bad
            }
            void push(const unsigned char *host) {
                if (!started) start();
                (void)hipMemcpy(frame, host, width * height, hipMemcpyHostToDevice);
            }
        };
        """,
    ),
    "array of buffers": (
        DeviceMemoryLeak,
        "cuda",
        """
        #include <cuda_runtime.h>
        #define LAYERS 4
        __global__ void relu(float *x, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n && x[i] < 0) x[i] = 0; }
        void forward(const float *in, float *out, int n) {
            float *acts[LAYERS];
            for (int l = 0; l < LAYERS; ++l) cudaMalloc((void **)&acts[l], n * sizeof(float));  // bad
            cudaMemcpy(acts[0], in, n * sizeof(float), cudaMemcpyHostToDevice);
            for (int l = 1; l < LAYERS; ++l) {
                cudaMemcpy(acts[l], acts[l - 1], n * sizeof(float), cudaMemcpyDeviceToDevice);
                relu<<<(n + 127) / 128, 128>>>(acts[l], n);
            }
            cudaMemcpy(out, acts[LAYERS - 1], n * sizeof(float), cudaMemcpyDeviceToHost);
            for (int l = 0; l < LAYERS; ++l) cudaFree(acts[l]);  // only good
            cudaFree(acts[0]);  // only bad
        }
        """,
    ),
    "raii release": (
        DeviceMemoryLeak,
        "cuda",
        """
        #include <cuda_runtime.h>
        #include <utility>
        template <typename T> class Buf {
            T *p = nullptr;
        public:
            explicit Buf(size_t n) { cudaMalloc(&p, n * sizeof(T)); }  // bad
            ~Buf() { if (p) cudaFree(p); }
            Buf(const Buf &) = delete;
            T *get() { return p; }
            T *release() { return std::exchange(p, nullptr); }
        };
        __global__ void one(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
        void run(float *out, int n) {
            Buf<float> b(n);
            one<<<(n + 255) / 256, 256>>>(b.get(), n);
            cudaMemcpy(out, b.release(), n * sizeof(float), cudaMemcpyDeviceToHost);  // only bad
            cudaMemcpy(out, b.get(), n * sizeof(float), cudaMemcpyDeviceToHost);  // only good
        }
        """,
    ),
    "assign temp": (
        DeviceUseAfterFree,
        "cuda",
        """
        #include <cuda_runtime.h>
        class Vec {
        public:
            double *d; size_t n;
            Vec() : d(nullptr), n(0) {}
            explicit Vec(size_t len) : n(len) { cudaMalloc(&d, len * sizeof(double)); }
            ~Vec() { cudaFree(d); }
            Vec(const Vec &) = delete;  // only good
            Vec &operator=(Vec &&o) { double *t = d; d = o.d; o.d = t; n = o.n; return *this; }  // only good
        };
        struct Solver {
            Vec r;
            void setup(size_t n) { r = Vec(n); }  // bad
        };
        """,
    ),
    "kernel by value": (
        DeviceUseAfterFree,
        "cuda",
        """
        #include <cuda_runtime.h>
        struct Pool {
            int *slots; int n;
            explicit Pool(int k) : n(k) {
                cudaMalloc(&slots, k * sizeof(int)); cudaMemset(slots, 0, k * sizeof(int)); }
            ~Pool() { cudaFree(slots); }  // only bad
            void destroy() { cudaFree(slots); }  // only good
        };
        __global__ void mark(Pool pool) {
            int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < pool.n) pool.slots[i] = i; }
        void run(int n) {
            Pool pool(n);
            mark<<<(n + 255) / 256, 256>>>(pool);  // bad
            cudaDeviceSynchronize();
            pool.destroy();  // only good
        }
        """,
    ),
    "a macro that is not in sight": (
        DeviceMemoryLeak,
        "cuda",
        """
        #include <cuda_runtime.h>
        struct Join { cudaEvent_t start, stop; };
        void init(Join *j) {
            cudaEventCreate(&j->start);  // bad
            cudaEventCreate(&j->stop);
        }
        void cleanup(Join *j) {
            EVENT_DESTROY(j, start);  // only good
            cudaEventDestroy(j->stop);
        }
        """,
    ),
    "an object without a name": (
        DeviceMemoryLeak,
        "cuda",
        """
        #include <cuda_runtime.h>
        class Tools {
            int *data = nullptr;
         public:
            explicit Tools(int n) {
                if (cudaMalloc(&data, n) != cudaSuccess) throw n;  // bad
            }
            ~Tools() { cudaFree(data); }  // only good
            int go(int n) { cudaMemset(data, 0, n); return n; }
        };
        int run(int n) { return Tools(n).go(n); }
        """,
    ),
    "all at once": (
        DeviceMemoryLeak,
        "cuda",
        """
        #include <cuda_runtime.h>
        class Context {
            int *first, *second;
         public:
            Context() {
                cudaMalloc(&first, 256);
                cudaMalloc(&second, 256);  // bad
            }
            ~Context() {
                cudaFree(first);  // only bad
                cudaDeviceReset();  // only good
            }
            void run() { cudaMemset(first, 0, 256); cudaMemset(second, 0, 256); }
        };
        """,
    ),
    "one question in several forms": (
        DeviceUseAfterFree,
        "cuda",
        """
        #include <cuda_runtime.h>
        #include <stdlib.h>
        struct Options { bool get(const char *name) const; };
        __global__ void twice(int *x) { x[threadIdx.x] *= 2; }
        void run(const Options &options) {
            const bool managed = options.get("managed"), advise = options.get("advise");
            int *out, *dev;
            if (managed || advise) {
                cudaMallocManaged(&dev, 256);
            } else {
                cudaMalloc(&dev, 256);
                out = (int *)malloc(256);
            }
            twice<<<1, 64>>>(dev);
            if (managed) out = dev;
            else if (advise) out = dev;
            else cudaMemcpy(out, dev, 256, cudaMemcpyDeviceToHost);
            cudaFree(dev);
            if (!advise && !managed) free(out);  // only good
            if (!managed) free(out);  // only bad  // bad
        }
        """,
    ),
    "free then leave the loop": (
        DeviceUseAfterFree,
        "cuda",
        """
        #include <cuda_runtime.h>
        __global__ void step(int *stay, int *tail) { if (threadIdx.x == 0) { *stay = 1; *tail = 0; } }
        int levels(int n) {
            int *stay, *tail, left, level = 0;
            cudaMalloc(&stay, sizeof(int));
            cudaMalloc(&tail, sizeof(int));
            cudaMemcpy(tail, &n, sizeof(int), cudaMemcpyHostToDevice);
            do {
                cudaMemcpy(&left, tail, sizeof(int), cudaMemcpyDeviceToHost);
                if (left == 0) {
                    cudaFree(stay);
                    break;  // only good
                }
                if (level % 2 == 0)
                    step<<<1, 32>>>(stay, tail);  // bad
                else
                    step<<<1, 64>>>(stay, tail);  // bad
                level++;
            } while (1);
            cudaFree(tail);
            return level;
        }
        """,
    ),
    "free then loop": (
        DeviceUseAfterFree,
        "cuda",
        """
        #include <cuda_runtime.h>
        __global__ void step(float *a, const float *b, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] += b[i]; }
        void iterate(float *host, int n, int rounds) {
            float *a, *b;
            cudaMalloc(&a, n * sizeof(float));
            cudaMalloc(&b, n * sizeof(float));
            cudaMemcpy(a, host, n * sizeof(float), cudaMemcpyHostToDevice);
            cudaMemcpy(b, host, n * sizeof(float), cudaMemcpyHostToDevice);
            for (int r = 0; r < rounds; ++r) {
                step<<<(n + 255) / 256, 256>>>(a, b, n);  // bad
                cudaMemcpy(host, a, n * sizeof(float), cudaMemcpyDeviceToHost);
                cudaFree(b);  // only bad
            }
            cudaFree(b);  // only good
            cudaFree(a);
        }
        """,
    ),
    "event wrong": (
        UnsynchronisedHostRead,
        "cuda",
        """
        #include <cuda_runtime.h>
        int hits(const int *dev, int *pinned, cudaStream_t s) {
            cudaEvent_t e;
            cudaEventCreate(&e);
            cudaEventRecord(e, s);  // only bad
            cudaMemcpyAsync(pinned, dev, sizeof(int), cudaMemcpyDeviceToHost, s);
            cudaEventRecord(e, s);  // only good
            cudaEventSynchronize(e);
            int n = *pinned;  // bad
            cudaEventDestroy(e);
            return n;
        }
        """,
    ),
    "map": (
        UnsynchronisedHostRead,
        "cuda",
        """
        #include <CL/cl.h>
        float head(cl_command_queue q, cl_mem m, size_t n) {
            cl_int e;
            const size_t bytes = n * sizeof(float);
            float *p = (float *)clEnqueueMapBuffer(q, m, CL_FALSE, CL_MAP_READ, 0, bytes, 0, NULL,  // only bad
                NULL, &e);  // only bad
            float *p = (float *)clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL,  // only good
                &e);  // only good
            float v = p[0];  // bad
            clEnqueueUnmapMemObject(q, m, p, 0, NULL, NULL);
            return v;
        }
        """,
    ),
    "nonblocking stream": (
        UnsynchronisedHostRead,
        "cuda",
        """
        #include <cuda_runtime.h>
        __global__ void sum(const float *x, float *r, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(r, x[i]); }
        float total(const float *x, int n) {
            cudaStream_t s;
            cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
            float *r, v = 0;
            cudaMalloc(&r, sizeof(float));
            cudaMemset(r, 0, sizeof(float));
            cudaDeviceSynchronize();
            sum<<<(n + 255) / 256, 256, 0, s>>>(x, r, n);
            cudaStreamSynchronize(s);  // only good
            cudaMemcpy(&v, r, sizeof(float), cudaMemcpyDeviceToHost);  // bad
            cudaFree(r);
            cudaStreamDestroy(s);
            return v;
        }
        """,
    ),
    "wrong buffer": (
        WrongCopyDirection,
        "hip",
        """
        #include <hip/hip_runtime.h>
        __global__ void scale(const float *x, float *y, float s, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] * s; }
        int scaled(const float *x, float *y, float s, int n) {
            float *dx = nullptr, *dy = nullptr;
            if (hipMalloc(&dx, n * sizeof(float)) != hipSuccess) return -1;
            if (hipMalloc(&dy, n * sizeof(float)) != hipSuccess) { (void)hipFree(dx); return -1; }
            (void)hipMemcpy(dy, x, n * sizeof(float), hipMemcpyHostToDevice);  // only bad
            (void)hipMemcpy(dx, x, n * sizeof(float), hipMemcpyHostToDevice);  // only good
            scale<<<(n + 255) / 256, 256>>>(dx, dy, s, n);  // bad
            (void)hipMemcpy(y, dy, n * sizeof(float), hipMemcpyDeviceToHost);
            (void)hipFree(dx);
            (void)hipFree(dy);
            return 0;
        }
        """,
    ),
    "cl order": (
        WrongCopyDirection,
        "cuda",
        """
        #include <CL/cl.h>
        int twice(cl_context c, cl_command_queue q, cl_kernel k, float *x, size_t n) {
            cl_int e;
            cl_mem m = clCreateBuffer(c, CL_MEM_READ_WRITE, n * 4, NULL, &e);
            if (e != CL_SUCCESS) return e;
            clEnqueueWriteBuffer(q, m, CL_TRUE, 0, n * 4, x, 0, NULL, NULL);
            clSetKernelArg(k, 0, sizeof(cl_mem), &m);
            clEnqueueNDRangeKernel(q, k, 1, NULL, &n, NULL, 0, NULL, NULL);
            e = clEnqueueWriteBuffer(q, m, CL_TRUE, 0, n * 4, x, 0, NULL, NULL);  // only bad  // bad
            e = clEnqueueReadBuffer(q, m, CL_TRUE, 0, n * 4, x, 0, NULL, NULL);  // only good
            clReleaseMemObject(m);
            return e;
        }
        """,
    ),
    "a stream that is a reference": (
        UnsynchronisedHostRead,
        "cuda",
        """
        cudaError_t reduce(const int *x, int *y, cudaStream_t s);
        void check(cudaError_t status, int line);
        int most(const int *x, int *y, const cudaStream_t &stream, cudaStream_t other) {
            int most = 0;
            reduce(x, y, stream);
            check(cudaMemcpyAsync(&most, y, sizeof(int), cudaMemcpyDeviceToHost, stream), 7);
            cudaStreamSynchronize(other);  // only bad
            cudaStreamSynchronize(stream);  // only good
            return most;  // bad
        }
        """,
    ),
    "given to the function of another allocator": (
        DeviceUseAfterFree,
        "hip",
        """
        #include <hip/hip_runtime.h>
        #include <stdlib.h>
        struct Stage {
            float *fixed = nullptr;
            explicit Stage(size_t n) { hipHostMalloc((void **)&fixed, n * sizeof(float), 0); }
            Stage(const Stage &) = delete;
            ~Stage() {
                hipFree(fixed);  // only bad  // bad
                hipHostFree(fixed);  // only good
            }
        };
        int send(size_t n, bool locked) {
            float *x = nullptr, *y = nullptr;
            if (hipMalloc((void **)&x, n) != hipSuccess) return 1;
            if (locked) hipHostMalloc((void **)&y, n, 0); else y = (float *)malloc(n);
            hipMemcpy(x, y, n, hipMemcpyHostToDevice);
            if (locked) hipHostFree(y); else free(y);
            hipFree(&x);  // only bad  // bad
            hipFree(x);  // only good
            return 0;
        }
        void fetch(const float *x, float *sum, size_t n) {
            float *z = (float *)malloc(n * sizeof(float));
            hipMemcpy(z, x, n * sizeof(float), hipMemcpyDeviceToHost);
            for (size_t i = 0; i < n; ++i) *sum += z[i];
            hipFree(z);  // only bad  // bad
            free(z);  // only good
        }
        """,
    ),
    "free ordered on another stream": (
        DeviceUseAfterFree,
        "hip",
        """
        #include <hip/hip_runtime.h>
        #include <utility>
        __global__ void grow(const int *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; }
        __global__ void sum(const float *y, float *z) { atomicAdd(z, y[threadIdx.x]); }
        class Scratch {
            void *p = nullptr;
            hipStream_t home;
          public:
            Scratch(size_t bytes, hipStream_t s) : home(s) { hipMallocAsync(&p, bytes, s); }
            Scratch(const Scratch &) = delete;
            ~Scratch() { hipFreeAsync(p, home); }  // bad
            float *floats() const { return (float *)p; }
        };
        void add(const int *x, float *z, hipStream_t a, hipStream_t b, hipEvent_t grown, hipEvent_t summed) {
            Scratch y(1024, a);
            grow<<<1, 256, 0, a>>>(x, y.floats());
            hipEventRecord(grown, a);
            hipStreamWaitEvent(b, grown, 0);
            sum<<<1, 256, 0, b>>>(y.floats(), z);
            hipEventRecord(summed, b);
            hipStreamWaitEvent(a, summed, 0);  // only good
        }
        """,
    ),
    "an object of a template that is handed on": (
        DeviceMemoryLeak,
        "cuda",
        """
        template <class T>
        struct Pool {
            T *front = nullptr;
            T *back = nullptr;
            size_t count = 0;
            static Pool sized(size_t n) {
                Pool made;
                T *spare = nullptr;
                cudaMalloc(&spare, n * sizeof(T));  // bad
                cudaMalloc(&made.front, n * sizeof(T));
                made.count = n;
                made.back = spare;  // only good
                return made;
            }
        };
        """,
    ),
    "elements of one array under way": (
        UnsynchronisedHostRead,
        "cuda",
        """
        __global__ void measure(const float *x, double *sum) { atomicAdd(sum, (double)x[threadIdx.x]); }
        double both(const float *x, double *d, cudaStream_t s) {
            double *sums, all;
            cudaEvent_t first, second;
            cudaEventCreate(&first);
            cudaEventCreate(&second);
            cudaMallocHost(&sums, 2 * sizeof(double));
            measure<<<1, 256, 0, s>>>(x, d);
            cudaMemcpyAsync(&sums[1], &d[1], sizeof(double), cudaMemcpyDeviceToHost, s);
            cudaEventRecord(first, s);
            measure<<<1, 256, 0, s>>>(x, d);
            cudaMemcpyAsync(&sums[0], d, sizeof(double), cudaMemcpyDeviceToHost, s);
            cudaEventRecord(second, s);
            cudaEventSynchronize(first);
            all = sums[1];
            cudaEventSynchronize(second);  // only good
            all += sums[0];  // bad
            cudaDeviceSynchronize();
            cudaFreeHost(sums);
            cudaEventDestroy(first);
            cudaEventDestroy(second);
            return all;
        }
        """,
    ),
    "pointers of the driver in members": (
        DeviceMemoryLeak,
        "cuda",
        """
        #include <cuda.h>
        struct level { CUdeviceptr field, mask; float *host; int cells; };
        void level_make(level *l, int cells) {
            cuMemAlloc(&l->field, cells * sizeof(float));
            cuMemAlloc(&l->mask, cells);  // bad
            cuMemAllocHost((void **)&l->host, cells * sizeof(float));
            l->cells = cells;
        }
        void level_drop(level *l) {
            cuMemFreeHost(l->host);
            cuMemFree(l->field);
            cuMemFree(l->mask);  // only good
        }
        """,
    ),
}


def _variant(code: str, left_out: str) -> str:
    """The lines of a case but for those that the other variant has alone."""
    kept = [line for line in code.splitlines() if left_out not in line]
    return "\n".join(line.replace("  // only bad", "").replace("  // only good", "") for line in kept)


@pytest.mark.parametrize("name", CASES)
def test_what_is_found(name: str) -> None:
    rule, language, code = CASES[name]
    assert_marked(rule, _variant(code, "// only good"), language)


@pytest.mark.parametrize("name", CASES)
def test_what_is_mended(name: str) -> None:
    rule, language, code = CASES[name]
    good = "\n".join(line.replace("  // bad", "") for line in _variant(code, "// only bad").splitlines())
    assert_marked(rule, good, language)
