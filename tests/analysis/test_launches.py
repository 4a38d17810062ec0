"""Launches are met from the callers' side: through helpers, templates, lambdas and kernels that are handed on."""

from __future__ import annotations

import pytest

from tests.analysis.launched import launches_of, shown

KERNELS = """
__global__ void scale(float *x, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}
__global__ void clear(float *x, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.0f;
}
template <int N, class T> __global__ void fill(T *x, int n) {
    int i = blockIdx.x * N + threadIdx.x;
    if (i < n) x[i] = T(0);
}
"""


def seen(code: str) -> list[str]:
    return sorted(shown(fact) for fact in launches_of(KERNELS + code))


CASES = {
    "template launcher with a pack": (
        """
        template <class K, class... A> void start(K kernel, int items, int threads, A... args) {
            kernel<<<dim3((items + threads - 1) / threads), dim3(threads)>>>(args...);
        }
        void run(float *x, float by, int count) { start(scale, count, 128, x, by, count); }
        """,
        ["scale <<<(count + 127) / 128, 128>>> (by=by, n=count)"],
    ),
    "function pointer": (
        """
        typedef void (*Op)(float *, float, int);
        static void start(Op op, float *x, int n) { op<<<n / 64, 64>>>(x, 2.0f, n); }
        void run(float *x, int count) { start(&scale, x, count); start(clear, x, 640); }
        """,
        ["clear <<<10, 64>>> (by=2.0, n=640)", "scale <<<count / 64, 64>>> (by=2.0, n=count)"],
    ),
    "chosen kernel": (
        """
        void run(float *x, int n, bool zero) {
            auto kernel = zero ? clear : scale;
            kernel<<<1, 32>>>(x, 1.0f, n);
        }
        """,
        ["clear <<<1, 32>>> (by=1.0, n=n)", "scale <<<1, 32>>> (by=1.0, n=n)"],
    ),
    "chosen in a switch": (
        """
        void run(float *x, int n, int mode) {
            void (*kernel)(float *, float, int);
            switch (mode) { case 0: kernel = scale; break; default: kernel = clear; }
            kernel<<<1, 96>>>(x, 1.0f, n);
        }
        """,
        ["clear <<<1, 96>>> (by=1.0, n=n)", "scale <<<1, 96>>> (by=1.0, n=n)"],
    ),
    "lambdas": (
        """
        void run(float *x, int n) {
            auto with = [&](int threads) { scale<<<(n + threads - 1) / threads, threads>>>(x, 1.0f, n); };
            with(64);
            auto any = [&](auto kernel) { kernel<<<7, 32>>>(x, 1.0f, n); };
            any(clear);
        }
        """,
        ["clear <<<7, 32>>> (by=1.0, n=n)", "scale <<<(n + 63) / 64, 64>>> (by=1.0, n=n)"],
    ),
    "dispatch over template arguments": (
        """
        template <class T> void start(T *x, int n) {
            switch (n % 2) { case 0: fill<64, T><<<n / 64, 64>>>(x, n); break; default: fill<32, T><<<n, 32>>>(x, n); }
        }
        void run(float *x, int count) { start(x, count); }
        """,
        ["fill <<<count / 64, 64>>> (n=count)", "fill <<<count, 32>>> (n=count)"],
    ),
    "cudaLaunchKernel": (
        """
        void run(float *x, float by, int n) {
            void *args[] = {&x, &by, &n};
            cudaLaunchKernel((const void *)scale, dim3(n / 256), dim3(256), args, 0, 0);
        }
        """,
        ["scale <<<n / 256, 256>>> (by=by, n=n)"],
    ),
    "macro": (
        """
        #define START(k, n, ...) k<<<((n) + 31) / 32, 32>>>(__VA_ARGS__)
        void run(float *x, int n) { START(clear, n, x, 0.0f, n); }
        """,
        ["clear <<<(n + 31) / 32, 32>>> (by=0.0, n=n)"],
    ),
    "a loop before the launch": (
        """
        void run(float *x, int n, int rounds) {
            int total = 0;
            for (int r = 0; r < rounds; ++r) total += r;
            scale<<<n / 32, 32>>>(x, 1.0f, n);
        }
        """,
        ["scale <<<n / 32, 32>>> (by=1.0, n=n)"],
    ),
    "recursion between host functions": (
        """
        void b(float *x, int n);
        void a(float *x, int n) { if (n > 1) b(x, n / 2); scale<<<1, 32>>>(x, 1.0f, n); }
        void b(float *x, int n) { a(x, n); }
        """,
        ["scale <<<1, 32>>> (by=1.0, n=n)"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_launches_met(name: str) -> None:
    code, expected = CASES[name]
    assert set(seen(code)) >= set(expected), seen(code)


def test_a_helper_of_this_file_is_judged_by_its_callers() -> None:
    code = """
    static void start(float *x, int n) { scale<<<n / 32, 32>>>(x, 1.0f, n); }
    void run(float *x, int count) { if (count % 32 == 0) start(x, count); }
    """
    assert seen(code) == ["scale <<<count / 32, 32>>> (by=1.0, n=count)"]
    (fact,) = launches_of(KERNELS + code)
    assert len(fact.guards) == 1 and len(fact.stack) == 1


def test_what_others_can_call_is_more_than_an_example_says() -> None:
    library = "void start(float *x, int n) { scale<<<(n + 31) / 32, 32>>>(x, 1.0f, n); }"
    example = "void test(float *x) { start(x, 1024); }"
    caller = "void run(float *x, int count) { start(x, count); }"
    whole = "scale <<<(n + 31) / 32, 32>>> (by=1.0, n=n)"
    assert seen(library + example) == [whole, "scale <<<32, 32>>> (by=1.0, n=1024)"]
    assert seen(library + caller) == ["scale <<<(count + 31) / 32, 32>>> (by=1.0, n=count)"]


def test_what_a_call_writes_through_an_address_is_not_known() -> None:
    (fact,) = launches_of(
        """
        int run(cl_command_queue queue, cl_kernel kernel, cl_device_id device, int n) {
            size_t most = 0, all = n;
            clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(most), &most, nullptr);
            return clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &all, &most, 0, nullptr, nullptr);
        }
        """,
        "t.cpp",
    )
    assert fact.block is not None and fact.block[0].value is None
