"""What follows from the meaning of arguments: sizes through wrappers, directions of members, replaced memory."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.byte_count_mismatch import ByteCountMismatch
from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree
from kernlint_rules.launch.kernel_argument_mismatch import KernelArgumentMismatch
from kernlint_rules.launch.launch_limits import LaunchLimits
from kernlint_rules.launch.wrong_copy_direction import WrongCopyDirection

from kernlint.result import Level
from kernlint.rule import RuleClass
from tests.analysis.launched import launches_of
from tests.rules.marked import assert_marked, findings

CASES: dict[str, tuple[RuleClass, str, str]] = {
    "a helper that counts elements is given bytes": (
        ByteCountMismatch,
        "cuda",
        """
        #include <vector>
        template <typename T> T *sent(const T *from, size_t count) {
            T *to = nullptr;
            cudaMalloc(&to, count * sizeof(T));
            cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyHostToDevice); // bad
            return to;
        }
        class Rows {
            unsigned *first;
        public:
            explicit Rows(int n) {
                std::vector<unsigned> all(n);
                first = sent(all.data(), all.size() * sizeof(unsigned));
            }
            ~Rows() { cudaFree(first); }
        };
        """,
    ),
    "a helper that counts elements is given elements": (
        ByteCountMismatch,
        "cuda",
        """
        #include <vector>
        template <typename T> T *sent(const T *from, size_t count) {
            T *to = nullptr;
            cudaMalloc(&to, count * sizeof(T));
            cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyHostToDevice);
            return to;
        }
        void rows(int n) {
            std::vector<unsigned> all(n);
            cudaFree(sent(all.data(), all.size()));
        }
        """,
    ),
    "as many times the memory": (
        ByteCountMismatch,
        "cuda",
        """
        void boxes(const float *from, int batch, int n) {
            float *all, *one, *some;
            cudaMalloc(&one, n * sizeof(float));
            cudaMemcpy(one, from, batch * n * sizeof(float), cudaMemcpyHostToDevice); // bad
            cudaFree(one);
            cudaMalloc(&all, batch * n * sizeof(float));
            cudaMemcpy(all, from, batch * n * sizeof(float), cudaMemcpyHostToDevice);
            cudaFree(all);
            cudaMalloc(&some, n * sizeof(float));
            if (batch == 1) cudaMemcpy(some, from, batch * n * sizeof(float), cudaMemcpyHostToDevice);
            cudaFree(some);
        }
        """,
    ),
    "bytes by the size of an element": (
        ByteCountMismatch,
        "hip",
        """
        #include <hip/hip_runtime.h>
        void clear() {
            const size_t bytes = 256 * sizeof(int);
            int *bins = nullptr;
            hipMalloc(&bins, bytes);
            hipMemset(bins, 0, bytes / sizeof(int)); // bad
            hipMemset(bins, 0, bytes / 4);
            hipMemset(bins, 0, bytes);
            hipFree(bins);
        }
        """,
    ),
    "mapped past the end": (
        ByteCountMismatch,
        "cuda",
        """
        #include <CL/cl.h>
        void *counter(cl_context c, cl_command_queue q) {
            cl_int err = 0;
            cl_mem one = clCreateBuffer(c, CL_MEM_READ_WRITE, sizeof(cl_int), NULL, &err);
            return clEnqueueMapBuffer(q, one, CL_TRUE, CL_MAP_WRITE, 0, sizeof(cl_ulong), 0, NULL, NULL, &err); // bad
        }
        void *pair(cl_context c, cl_command_queue q) {
            cl_int err = 0;
            cl_mem one = clCreateBuffer(c, CL_MEM_READ_WRITE, sizeof(cl_ulong), NULL, &err);
            return clEnqueueMapBuffer(q, one, CL_TRUE, CL_MAP_WRITE, 0, sizeof(cl_ulong), 0, NULL, NULL, &err);
        }
        """,
    ),
    "the direction of what members lead to": (
        WrongCopyDirection,
        "cuda",
        """
        struct Reader {
            float *host = nullptr, *device = nullptr;
            cudaStream_t stream = nullptr;
            explicit Reader(long rows) {
                cudaMallocHost(&host, rows * sizeof(float));
                cudaMalloc(&device, rows * sizeof(float));
            }
            Reader(const Reader &) = delete;
            ~Reader() {
                cudaFree(device);
                cudaFreeHost(host);
            }
            void wrong(const long *count, long n) {
                float *to = device;
                for (long i = 0; i < n; i++) {
                    cudaMemcpyAsync(to, host, count[i] * sizeof(float), cudaMemcpyDeviceToHost, stream); // bad
                    to += count[i];
                }
            }
            void right(const long *count, long n) {
                float *to = device;
                for (long i = 0; i < n; i++) {
                    cudaMemcpyAsync(to, host, count[i] * sizeof(float), cudaMemcpyHostToDevice, stream);
                    to += count[i];
                }
            }
        };
        """,
    ),
    "a member that gets memory twice": (
        DeviceMemoryLeak,
        "cuda",
        """
        class Costs {
            float *now = nullptr, *before = nullptr;
            bool deep = false;
        public:
            ~Costs() {
                cudaFree(now);
                cudaFree(before);
            }
            void wrong(size_t n) {
                cudaMalloc(&now, n * sizeof(float));
                cudaMalloc(&before, n * sizeof(float));
                if (deep) cudaMalloc(&before, n * sizeof(float)); // bad
            }
            void right(size_t n) {
                cudaMalloc(&now, n * sizeof(float));
                cudaMalloc(&before, n * sizeof(float));
                if (deep) {
                    cudaFree(before);
                    cudaMalloc(&before, 2 * n * sizeof(float));
                }
            }
            void kept(size_t n, float **first) {
                cudaMalloc(&now, n * sizeof(float));
                *first = now;
                cudaMalloc(&now, n * sizeof(float));
            }
            void taken(size_t n) {
                cudaMalloc(&now, n * sizeof(float));
                hand_over();
                cudaMalloc(&now, n * sizeof(float));
            }
            void hand_over();
        };
        """,
    ),
    "one after the other": (
        DeviceUseAfterFree,
        "cuda",
        """
        #include <set>
        struct Block { void *ptr; Block *prev; };
        void all(float **first, float **last) {
            for (float **p = first; p != last; ++p) cudaFree(*p);
        }
        void same(float **first, int n) {
            for (int i = 0; i < n; i++) cudaFree(*first); // bad
        }
        void blocks(std::set<Block *> &kept, std::set<Block *>::iterator it, std::set<Block *>::iterator end) {
            while (it != end) {
                Block *block = *it;
                cudaFree(block->ptr);
                auto here = it;
                ++it;
                kept.erase(here);
                delete block;
            }
        }
        """,
    ),
    "memory that the library copies beyond": (
        ByteCountMismatch,
        "cuda",
        """
        #include <cstring>
        void table(const double *from, int n) {
            double *both = nullptr, *plain = (double *)malloc(n);
            cudaMallocHost((void **)&both, n * sizeof(double));
            std::memcpy(both, from, 2 * n * sizeof(double)); // bad
            std::memcpy(both, from, n * sizeof(double));
            memset(both, 0, n * sizeof(double) + 8); // bad
            memcpy(plain, from, 2 * n);
            cudaFreeHost(both);
            free(plain);
        }
        """,
    ),
    "elements of what callers point to": (
        ByteCountMismatch,
        "cuda",
        """
        static int alloc(void **p, size_t bytes) { return cudaMalloc(p, bytes); }
        static int put(void *to, const void *from, size_t bytes) {
            return cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice); // bad
        }
        int vector(const double *from, int n, void **to) {
            if (alloc(to, (size_t)n * sizeof(double))) return 1;
            return put(*to, from, (size_t)n);
        }
        """,
    ),
    "pieces in several rows": (
        ByteCountMismatch,
        "cuda",
        """
        void gates(float *to, const float *from, int rows, int cols, const int *place) {
            for (int d = 0; d < 2; d++)
                for (int g = 0; g < 4; g++) {
                    cudaMemcpy(to, from + (d * 4 + place[g]) * rows * cols, rows * cols * sizeof(float),
                               cudaMemcpyDeviceToDevice);
                    to += rows * cols;
                }
        }
        """,
    ),
    "a member that the language frees": (
        DeviceUseAfterFree,
        "cuda",
        """
        class Wells {
            double *x = nullptr, *y = nullptr;
            bool ours = false;
        public:
            Wells() = default;
            Wells(const Wells &) = delete;
            void make(int n) {
                cudaMallocHost((void **)&x, n * sizeof(double));
                if (ours) y = new double[n];
                else cudaMallocHost((void **)&y, n * sizeof(double));
            }
            ~Wells() {
                delete[] x; // bad
                if (ours) delete[] y;
            }
            void drop() {
                if (!ours) cudaFreeHost(y);
            }
        };
        """,
    ),
    "users that are counted": (
        DeviceUseAfterFree,
        "cuda",
        """
        struct Context { int users; float *errors; };
        static void leave(Context *c) {
            c->users--;
            if (c->users == 0) {
                if (c->errors) {
                    c->users = 2;
                    cudaFree(c->errors);
                }
                free(c);
            }
        }
        void twice(Context *c, int n) {
            c->users++;
            leave(c);
            if (n) leave(c);
        }
        """,
    ),
    "a handle is as large as a handle": (
        KernelArgumentMismatch,
        "cuda",
        """
        #include <CL/cl.h>
        const char *source = "kernel void step(const int n, global float *x) { int i = get_global_id(0);"
                             " if (i < n) x[i] += 1; }";
        int run(cl_program p, cl_command_queue q, cl_mem x, int n) {
            cl_int err = 0;
            const size_t bytes = n * sizeof(float), all = n;
            cl_kernel k = clCreateKernel(p, "step", &err);
            clSetKernelArg(k, 0, sizeof(int), &n);
            clSetKernelArg(k, 1, bytes, &x); // bad
            return clEnqueueNDRangeKernel(q, k, 1, NULL, &all, NULL, 0, NULL, NULL);
        }
        """,
    ),
    "a block held down to too much": (
        LaunchLimits,
        "cuda",
        """
        #include <algorithm>
        __global__ void k(float *x, unsigned n) {
            unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) x[i] = 1;
        }
        void wide(float *x, unsigned n) {
            const unsigned threads = std::min(n, 2048u);
            k<<<(n + threads - 1) / threads, threads>>>(x, n); // bad
        }
        void right(float *x, unsigned n) {
            const unsigned threads = std::min(n, 512u);
            k<<<(n + threads - 1) / threads, threads>>>(x, n);
        }
        template <int X, int Y> __global__ void t(float *x) { x[threadIdx.y * X + threadIdx.x] = 1; }
        template <int X, int Y> void nobody(float *x) {
            enum { ALL = X * Y };
            t<X, Y><<<1, dim3(X, Y, 32)>>>(x);
            t<X, Y><<<1, ALL>>>(x);
        }
        """,
    ),
    "sizes crossed where a block is one thread high": (
        KernelArgumentMismatch,
        "cuda",
        """
        __global__ void scale(const float *x, float *y, int rows, int cols) {
            int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
            if (c < cols && r < rows) y[r * cols + c] = x[r * cols + c];
        }
        void wrong(const float *x, float *y, int rows, int cols) {
            scale<<<dim3((cols + 127) / 128, rows), 128>>>(x, y, cols, rows); // bad
        }
        void right(const float *x, float *y, int rows, int cols) {
            scale<<<dim3((cols + 127) / 128, rows), 128>>>(x, y, rows, cols);
        }
        """,
    ),
    "by the size of something smaller": (
        ByteCountMismatch,
        "cuda",
        """
        template <typename T> void tiles(T *all, int n, size_t step) {
            T **first = nullptr, **last = nullptr;
            cudaMallocManaged(&first, n * sizeof(T)); // bad
            cudaMallocManaged(&last, n * sizeof(T *));
            for (int i = 0; i < n; i++) first[i] = last[i] = all + i * step;
            cudaFree(first);
            cudaFree(last);
        }
        void use(float *all, int n) { tiles(all, n, 16); }
        void sums(int n) {
            double *wide, *right;
            float *pairs;
            cudaMalloc((void **)&wide, n * sizeof(float)); // bad
            cudaMalloc((void **)&right, n * sizeof(double));
            cudaMalloc((void **)&pairs, n * sizeof(float2));
            cudaFree(wide);
            cudaFree(right);
            cudaFree(pairs);
        }
        """,
    ),
    "owners with another allocator's function": (
        DeviceUseAfterFree,
        "cuda",
        """
        #include <memory>
        template <auto F> struct calls {
            template <class T> void operator()(T *p) const { F(p); }
        };
        static cudaError_t free_pinned(void *p) { return cudaFreeHost(p); }
        using pinned = std::unique_ptr<float, calls<&free_pinned>>;
        pinned page(size_t n) {
            float *p = nullptr;
            cudaMallocHost((void **)&p, n);
            return pinned{p};
        }
        pinned device(size_t n) {
            float *p = nullptr;
            cudaMalloc((void **)&p, n);
            return pinned{p}; // bad
        }
        std::shared_ptr<float> shared(size_t n, bool locked) {
            float *p = nullptr, *q = nullptr;
            cudaMallocHost((void **)&p, n);
            std::shared_ptr<float> wrong(p, [](float *x) { cudaFree(x); }); // bad
            cudaMalloc((void **)&q, n);
            std::shared_ptr<float> right(q, cudaFree);
            return locked ? wrong : right;
        }
        """,
    ),
    "static variables that each call fills and frees": (
        DeviceUseAfterFree,
        "cuda",
        """
        float gain(long all, int place, int count) {
            static float *parts;
            float *both = nullptr;
            cudaMalloc(&both, all * sizeof(float));
            if (place == 0) parts = (float *)calloc(count, sizeof(float));
            parts[place] = all;
            cudaFree(both);
            const float sum = parts[0];
            if (place == 0) free(parts);
            return sum;
        }
        float twice(long all, int place, int count) { return gain(all, place, count) + gain(all + 1, place, count); }
        """,
    ),
    "objects that go into containers": (
        DeviceMemoryLeak,
        "cuda",
        """
        #include <map>
        #include <string>
        struct Tensor {
            int n;
            void *data;
            Tensor(int count, void *d) : n(count), data(d) {}
        };
        Tensor filled(int n) {
            void *data = nullptr;
            cudaMalloc(&data, n);
            return Tensor(n, data);
        }
        struct Tensors {
            std::map<std::string, Tensor> all;
            void load(int n) { all.insert({"one", filled(n)}); }
        };
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_found(name: str) -> None:
    rule, language, code = CASES[name]
    assert_marked(rule, code, language)


_ENDS = """
int work(const float *from, int n) {
    float *x;
    if (cudaMalloc(&x, n * sizeof(float)) != cudaSuccess) return 1;
    if (cudaMemcpy(x, from, n * sizeof(float), cudaMemcpyHostToDevice) != cudaSuccess) return 2;
    cudaFree(x);
    return 0;
}
"""


def test_what_a_failed_call_leaves_behind_ends_with_the_program() -> None:
    (library,) = findings(DeviceMemoryLeak, _ENDS)
    (program,) = findings(DeviceMemoryLeak, _ENDS + "int main() { return work(nullptr, 0); }\n")
    assert library.severity is None or library.severity.value != Level.NOTE.value
    assert program.severity is not None
    assert program.severity.value == Level.NOTE.value


_BY_NAME = """
__global__ void k(float *o, const float *i) { o[threadIdx.x] = i[threadIdx.x]; }
void f(const float *from, float *to, dim3 grid, dim3 block, cudaStream_t own) {
    float *a, *b;
    cudaMalloc(&a, 256);
    cudaMalloc(&b, 256);
    cudaMemcpy(a, from, 256, cudaMemcpyHostToDevice);
    k<<<grid, block, 0, STREAM>>>(b, a);
    cudaMemcpy(to, b, 256, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
}
"""


@pytest.mark.parametrize("stream", ["cudaStreamDefault", "nobody_knows", "own"])
def test_a_launch_that_is_named_or_lost_may_write_what_it_is_given(stream: str) -> None:
    assert findings(WrongCopyDirection, _BY_NAME.replace("STREAM", stream)) == []


_SHAPES = """import numpy as np
import pyopencl as cl
class Store:
    def __init__(self, ctx, queue, shape):
        self.queue = queue
        self.field = np.zeros(shape, dtype=np.float64)
        n = int(np.prod(shape))
        self.short = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, n)
        self.whole = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, n * self.field.itemsize)
    def send(self):
        cl.enqueue_copy(self.queue, self.short, self.field)
        cl.enqueue_copy(self.queue, self.whole, self.field)
"""


def test_buffers_of_as_many_bytes_as_a_shape_has_elements() -> None:
    (found,) = findings(ByteCountMismatch, _SHAPES, "python")
    assert "self.short has as many bytes as self.field has elements" in found.message


_UNKNOWN = """
#include <cuda.h>
void f(CUfunction k, const float *from, float *to, int n) {
    CUdeviceptr a, b;
    cuMemAlloc(&a, n * 4);
    cuMemAlloc(&b, n * 4);
    cuMemcpyHtoD(a, from, n * 4);
    void *all[] = {&a, &b, &n};
    cuLaunchKernel(k, 1, 1, 1, 64, 1, 1, 0, 0, &all[0], 0);
    cuMemcpyDtoH(to, b, n * 4);
    cuMemFree(a);
    cuMemFree(b);
}
"""


def test_kernels_that_are_not_in_sight_may_write_what_they_are_given() -> None:
    assert findings(WrongCopyDirection, _UNKNOWN) == []


_MEMBER = """
#include <CL/opencl.hpp>
const char *source = "kernel void scale(global float *x, float k) { x[get_global_id(0)] *= k; }";
class Scaler {
    cl::Kernel kernel_;
    int n_;
public:
    Scaler(const cl::Program &p, int n) : kernel_(p, "scale"), n_(n) {}
    void run(cl::CommandQueue &queue, const cl::Buffer &x) {
        kernel_.setArg(0, x);
        kernel_.setArg(1, 2.0);
        queue.enqueueNDRangeKernel(kernel_, cl::NullRange, cl::NDRange(n_), cl::NDRange(64));
    }
};
"""


def test_a_kernel_that_a_member_is_made_for_is_launched_by_it() -> None:
    names = {fact.name for fact in launches_of(_MEMBER, "t.cpp")}
    assert names == {"scale"}
    (found,) = findings(KernelArgumentMismatch, _MEMBER)
    assert "8 bytes are passed for k" in found.message
