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
from kernlint_rules.launch.wrong_copy_direction import WrongCopyDirection

from kernlint.rule import RuleClass
from tests.analysis.launched import launches_of
from tests.rules.marked import assert_marked

CASES: dict[str, tuple[RuleClass, str]] = {
    "allocation under a check": (
        WrongCopyDirection,
        """
        cudaError_t get(float *out, int n) {
            float *a = nullptr, *b = nullptr;
            cudaError_t err = cudaMalloc(&a, n * sizeof(float));
            if (err == cudaSuccess) err = cudaMalloc(&b, n * sizeof(float));
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
        static float *make(size_t bytes) { float *p; cudaMalloc(&p, bytes); return p; }
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
