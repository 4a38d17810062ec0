"""More of what becomes of memory: objects around handles, vectors that grow, queues, owners that free nothing."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.byte_count_mismatch import ByteCountMismatch
from kernlint_rules.launch.device_memory_leak import DeviceMemoryLeak
from kernlint_rules.launch.device_use_after_free import DeviceUseAfterFree
from kernlint_rules.launch.unsynchronised_host_read import UnsynchronisedHostRead
from kernlint_rules.launch.wrong_copy_direction import WrongCopyDirection

from kernlint.rule import RuleClass
from tests.rules.marked import assert_pair

CASES: dict[str, tuple[RuleClass, str]] = {
    "a return that a number from the device decides": (
        DeviceMemoryLeak,
        """
        int count(const int *from, size_t n) {
            int *x = nullptr, *flag = nullptr, seen = 0;
            if (cudaMalloc(&x, n) != cudaSuccess) exit(1);
            if (cudaMalloc(&flag, sizeof(int)) != cudaSuccess) exit(1);
            if (cudaMemset(flag, 0, sizeof(int)) != cudaSuccess) exit(1);
            if (cudaMemcpy(&seen, flag, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) exit(1);
            if (seen != 0) {
                cudaFree(x);  // only good
                cudaFree(flag);
                return seen;  // bad
            }
            cudaFree(x);
            cudaFree(flag);
            return 0;
        }
        """,
    ),
    "a structure of a template that is returned with its memory": (
        DeviceMemoryLeak,
        """
        template <typename T> struct Matrix { T *value; int rows; Matrix(T *v, int r) : value(v), rows(r) {} };
        template <typename T>
        Matrix<T> fresh(int rows) {
            Matrix<T> made(0, rows);
            cudaMalloc(&made.value, rows * sizeof(T));  // bad
            return made;  // only good
            return Matrix<T>(0, rows);  // only bad
        }
        """,
    ),
    "a handle that an object has released": (
        DeviceUseAfterFree,
        """
        #include <CL/cl2.hpp>
        int run(cl_context context, cl::Kernel &op) {
            cl_int err;
            cl_mem x = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, nullptr, &err);
            {
                cl::Buffer whole(x);  // only bad
                cl::Buffer whole(x, true);  // only good
                op.setArg(0, whole);
            }
            clReleaseMemObject(x);  // bad
            return 0;
        }
        """,
    ),
    "a handle that every round takes over": (
        DeviceUseAfterFree,
        """
        #include <CL/cl2.hpp>
        void step(cl::Kernel &op, cl_mem x) {
            clRetainMemObject(x);  // only good
            cl::Buffer whole(x);  // bad
            op.setArg(0, whole);
        }
        int run(cl_context context, cl::Kernel &op) {
            cl_int err;
            cl_mem x = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, nullptr, &err);
            for (int i = 0; i < 10; ++i) step(op, x);
            return 0;
        }
        """,
    ),
    "a handle that a member takes over is released with it": (
        DeviceUseAfterFree,
        """
        #include <CL/cl2.hpp>
        struct Held { cl::Buffer inner; Held(cl_mem x) : inner(x) {} };
        int run(cl_context context) {
            cl_int err;
            cl_mem x = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, nullptr, &err);
            { Held held(x); }
            clReleaseMemObject(x);  // only bad  // bad
            return 0;
        }
        """,
    ),
    "elements that a vector has moved": (
        DeviceUseAfterFree,
        """
        #include <thrust/device_vector.h>
        __global__ void clear(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
        void run(int n) {
            thrust::device_vector<float> x(n);
            float *at = thrust::raw_pointer_cast(x.data());
            x.resize(2 * n);
            at = thrust::raw_pointer_cast(x.data());  // only good
            clear<<<1, 32>>>(at, n);  // bad
        }
        """,
    ),
    "an element more": (
        DeviceUseAfterFree,
        """
        #include <thrust/device_vector.h>
        __global__ void clear(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
        void run(int n) {
            thrust::device_vector<float> x(n);
            x.reserve(n + 1);  // only good
            float *at = thrust::raw_pointer_cast(x.data());
            x.push_back(1.0f);
            clear<<<1, 32>>>(at, n);  // bad
        }
        """,
    ),
    "fewer elements stay where they are": (
        DeviceUseAfterFree,
        """
        #include <thrust/device_vector.h>
        __global__ void clear(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
        void run(int n, int m) {
            thrust::device_vector<float> x(n);
            float *at = thrust::raw_pointer_cast(x.data());
            x.resize(n / 2);  // only good
            clear<<<1, 32>>>(at, n / 2);
            x.resize(m);  // only good
            x.resize(n + 8);  // only bad
            clear<<<1, 32>>>(at, m);  // bad
        }
        """,
    ),
    "given back on the default stream": (
        DeviceUseAfterFree,
        """
        __global__ void clear(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
        void work(cudaStream_t s, int n) {
            float *x;
            cudaMallocAsync(&x, n * 4, s);
            clear<<<1, 32, 0, s>>>(x, n);
            cudaFreeAsync(x, s);  // only good
            cudaFreeAsync(x, 0);  // only bad  // bad
        }
        void run(int n) {
            cudaStream_t s;
            cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
            work(s, n);
            cudaStreamSynchronize(s);
            cudaStreamDestroy(s);
        }
        """,
    ),
    "a stream that waits for the default one": (
        DeviceUseAfterFree,
        """
        __global__ void clear(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
        void run(int n) {
            cudaStream_t s;
            cudaStreamCreate(&s);  // only good
            cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);  // only bad
            float *x;
            cudaMallocAsync(&x, n * 4, s);
            clear<<<1, 32, 0, s>>>(x, n);
            cudaFreeAsync(x, 0);  // bad
            cudaStreamDestroy(s);
        }
        """,
    ),
    "the other queue is waited for": (
        UnsynchronisedHostRead,
        """
        #include <CL/cl.h>
        float run(cl_context c, cl_device_id d, cl_mem x, float *to) {
            cl_int err;
            cl_command_queue one = clCreateCommandQueue(c, d, 0, &err), two = clCreateCommandQueue(c, d, 0, &err);
            clEnqueueReadBuffer(two, x, CL_FALSE, 0, 256, to, 0, NULL, NULL);
            clFinish(one);  // only bad
            clFinish(two);  // only good
            return to[0];  // bad
        }
        """,
    ),
    "the other queue of an object is waited for": (
        UnsynchronisedHostRead,
        """
        #include <CL/cl2.hpp>
        struct Pair {
            cl::CommandQueue up, down;
            float run(cl::Buffer &x, float *to) {
                down.enqueueReadBuffer(x, CL_FALSE, 0, 256, to);
                up.finish();  // only bad
                down.finish();  // only good
                return to[0];  // bad
            }
        };
        """,
    ),
    "results of another queue": (
        UnsynchronisedHostRead,
        """
        #include <CL/cl.h>
        void run(cl_context c, cl_device_id d, cl_kernel op, size_t n, float *to) {
            cl_int err;
            cl_event done;
            cl_command_queue one = clCreateCommandQueue(c, d, 0, &err), two = clCreateCommandQueue(c, d, 0, &err);
            cl_mem x = clCreateBuffer(c, CL_MEM_READ_WRITE, n * 4, NULL, &err);
            clSetKernelArg(op, 0, sizeof(cl_mem), &x);
            clEnqueueNDRangeKernel(one, op, 1, NULL, &n, NULL, 0, NULL, &done);
            clEnqueueReadBuffer(two, x, CL_TRUE, 0, n * 4, to, 0, NULL, NULL);  // only bad  // bad
            clEnqueueReadBuffer(two, x, CL_TRUE, 0, n * 4, to, 1, &done, NULL);  // only good
            clReleaseMemObject(x);
        }
        """,
    ),
    "results of another stream": (
        UnsynchronisedHostRead,
        """
        __global__ void clear(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 0; }
        void run(float *to, int n) {
            cudaStream_t one, two;
            float *x;
            cudaMalloc(&x, n * 4);
            cudaStreamCreate(&one);
            cudaStreamCreate(&two);
            clear<<<1, 32, 0, one>>>(x, n);
            cudaStreamSynchronize(one);  // only good
            cudaMemcpyAsync(to, x, n * 4, cudaMemcpyDeviceToHost, two);  // bad
            cudaStreamSynchronize(two);
            cudaStreamDestroy(one);
            cudaStreamDestroy(two);
            cudaFree(x);
        }
        """,
    ),
    "the compiler's destructor": (
        DeviceMemoryLeak,
        """
        class Argument {
            void *held = nullptr;
        public:
            explicit Argument(size_t n) { cudaMalloc(&held, n); }  // bad
            ~Argument() = default;  // only bad
            ~Argument() { cudaFree(held); }  // only good
        };
        class Job { Argument first; public: Job(size_t n) : first(n) {} };
        int main() { for (int i = 0; i < 100; ++i) { Job job(i); } }
        """,
    ),
    "an object that cannot be copied": (
        DeviceMemoryLeak,
        """
        struct Table {
            float *rows;
            explicit Table(int n) { cudaMalloc(&rows, n * 4); }  // bad
            Table(const Table &) = delete;
            void close() { drop(rows); }  // only good
        };
        """,
    ),
    "one object for the whole program": (
        DeviceMemoryLeak,
        """
        struct Table {
            float *rows;
            explicit Table(int n) { cudaMalloc(&rows, n * 4); }  // bad
            Table(const Table &) = delete;
            static Table &get() { static Table one(3); return one; }  // only good
        };
        """,
    ),
    "a direction that no copy to a symbol has": (
        WrongCopyDirection,
        """
        __constant__ float weights[64];
        void run(const float *from) {
            cudaMemcpyToSymbol(weights, from, sizeof(weights), 0, cudaMemcpyDeviceToHost);  // only bad  // bad
            cudaMemcpyToSymbol(weights, from, sizeof(weights), 0, cudaMemcpyHostToDevice);  // only good
            cudaMemcpyToSymbol(weights, from, sizeof(weights), 0, cudaMemcpyDeviceToDevice);  // only good
        }
        """,
    ),
    "a direction that no copy from a symbol has": (
        WrongCopyDirection,
        """
        __device__ float sums[64];
        void run(float *to, cudaStream_t s) {
            cudaMemcpyFromSymbolAsync(to, sums, sizeof(sums), 0, cudaMemcpyHostToDevice, s);  // only bad  // bad
            cudaMemcpyFromSymbolAsync(to, sums, sizeof(sums), 0, cudaMemcpyDeviceToHost, s);  // only good
        }
        """,
    ),
    "an offset in elements, beside a pointer": (
        ByteCountMismatch,
        """
        __constant__ float weights[64];
        void run(const float *from, int first, int count) {
            cudaMemcpyToSymbol(weights, from + first, count * sizeof(float), first);  // only bad  // bad
            cudaMemcpyToSymbol(weights, from + first, count * sizeof(float), first * sizeof(float));  // only good
            cudaMemcpyToSymbol(weights, from, count * sizeof(float), first);  // only good
        }
        """,
    ),
    "rows of a member that are counted in elements": (
        ByteCountMismatch,
        """
        class Vertices {
            int each, many;
            float *held = nullptr;
        public:
            Vertices(int each, int many) : each(each), many(many) {
                cudaMalloc((void **)&held, (size_t)each * many * sizeof(float));
            }
            ~Vertices() { cudaFree(held); }
            void update(const float *from, int first, int count) {
                size_t size = (size_t)each * count;  // only bad
                size_t size = (size_t)each * count * sizeof(float);  // only good
                float *to = held + (size_t)first * each;
                cudaMemcpy(to, from, size, cudaMemcpyHostToDevice);  // bad
            }
        };
        """,
    ),
    "a named number of elements": (
        ByteCountMismatch,
        """
        #include <CL/cl2.hpp>
        static const cl_uint ROWS = 1u << 16;
        class Counters {
            cl::CommandQueue queue;
            cl::Buffer rows;
        public:
            Counters(const cl::Context &c, const cl::Device &d) : queue(c, d) {
                rows = cl::Buffer(c, CL_MEM_READ_WRITE, ROWS * sizeof(cl_uint));
            }
            void clear() {
                const cl_uint zero = 0;
                queue.enqueueFillBuffer(rows, zero, 0, ROWS);  // only bad  // bad
                queue.enqueueFillBuffer(rows, zero, 0, ROWS * sizeof(cl_uint));  // only good
            }
        };
        """,
    ),
    "a named number of bytes": (
        ByteCountMismatch,
        """
        static const unsigned BYTES = 1u << 16;
        struct Held {
            float *x;
            Held() { cudaMalloc(&x, BYTES * sizeof(float)); }  // only bad
            Held() { cudaMalloc(&x, 4 * BYTES); }  // only good
            ~Held() { cudaFree(x); }
            void clear() { cudaMemset(x, 0, BYTES); }  // bad
        };
        """,
    ),
    "an offset in elements, of pieces": (
        ByteCountMismatch,
        """
        #include <CL/cl.h>
        void run(cl_command_queue q, cl_mem x, const float *const *from, size_t n) {
            for (size_t i = 0; i < 4; ++i) {
                clEnqueueWriteBuffer(q, x, CL_TRUE, i * n, n * 4, from[i], 0, NULL, NULL);  // only bad  // bad
                clEnqueueWriteBuffer(q, x, CL_TRUE, i * n * 4, n * 4, from[i], 0, NULL, NULL);  // only good
            }
        }
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_fault_and_its_repair(name: str) -> None:
    rule, code = CASES[name]
    assert_pair(rule, code)
