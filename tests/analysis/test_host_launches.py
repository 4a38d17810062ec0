"""What launches in sight say of grids, aliases and Python's arrays."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.aliased_restrict_arguments import AliasedRestrictArguments
from kernlint_rules.launch.kernel_argument_mismatch import KernelArgumentMismatch
from kernlint_rules.launch.launch_limits import LaunchLimits

from kernlint.rule import RuleClass
from tests.rules.marked import assert_marked, findings

ROWS = """
__global__ void clear(float *x, int rows, int columns) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && at < columns) x[row * columns + at] = 0.0f;
}
__global__ void wide(float *x, int columns) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t row = blockIdx.y;
    if (at < columns) x[row * columns + at] = 0.0f;
}
__global__ void steps(float *x, int rows, int columns) {
    for (int row = blockIdx.y; row < rows; row += gridDim.y)
        for (int at = threadIdx.x; at < columns; at += blockDim.x) x[row * columns + at] = 0.0f;
}
"""

CASES: dict[str, tuple[RuleClass, str]] = {
    "grids along y": (
        LaunchLimits,
        ROWS
        + """
        void product(float *x, int batch, int heads, int columns) {
            wide<<<dim3((columns + 255) / 256, batch * heads), 256>>>(x, columns); // bad
            clear<<<dim3((columns + 255) / 256, batch * heads), 256>>>(x, batch * heads, columns);
        }
        void three(float *x, int batch, int heads, int length, int columns) {
            const int rows = batch * heads * length;
            clear<<<dim3((columns + 255) / 256, rows), 256>>>(x, rows, columns); // bad
        }
        void capped(float *x, int batch, int heads, int columns) {
            const int rows = batch * heads;
            steps<<<dim3(1, rows < 65535 ? rows : 65535), 256>>>(x, rows, columns);
        }
        void refused(float *x, int batch, int heads, int columns) {
            if (batch * heads > 65535) return;
            clear<<<dim3((columns + 255) / 256, batch * heads), 256>>>(x, batch * heads, columns);
        }
        void image(float *x, int height, int width) {
            clear<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(x, height, width);
        }
        void alone(float *x, int samples) {
            clear<<<dim3(1, (samples + 31) / 32), dim3(32, 32)>>>(x, samples, 32); // bad
        }
        void small(float *x, int batch, int columns) { clear<<<dim3(1, batch), 256>>>(x, batch, columns); }
        void in_steps(float *x, int rows, int columns) {
            steps<<<dim3(1, rows), 256>>>(x, rows, columns); // bad
        }
        """,
    ),
    "one buffer for two": (
        AliasedRestrictArguments,
        """
        struct Image { float *px; int w, h; };
        __global__ void turn(const float *in, float *out, int w, int h) {
            const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
            if (x < w && y < h) out[x * h + y] = in[y * w + x];
        }
        __global__ void scale(const float *in, float *out, int n) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) out[i] = 2.0f * in[i];
        }
        __global__ void fold(const float *in, float *out, int half) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < half) out[i] = in[i] + in[i + half];
        }
        __global__ void flip(const float *in, float *out, int n) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) out[i] = in[n - 1 - i];
        }
        static void launch(const Image &a, Image &b) {
            turn<<<dim3((a.w + 15) / 16, (a.h + 15) / 16), dim3(16, 16)>>>(a.px, b.px, a.w, a.h); // bad
        }
        void rotate(Image &image) { launch(image, image); }
        void others(float *x, int n) {
            scale<<<(n + 63) / 64, 64>>>(x, x, n);
            fold<<<(n / 2 + 63) / 64, 64>>>(x, x, n / 2);
            flip<<<(n + 63) / 64, 64>>>(x, x, n); // bad
        }
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_found(name: str) -> None:
    assert_marked(*CASES[name])


HEAD = '''
import cupy as cp
import numpy as np
import pycuda.driver as drv
from pycuda.compiler import SourceModule

whole = cp.RawKernel(r"""
extern "C" __global__ void pick(const int *at, float *to, const float *from, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[at[i]];
}
""", "pick")
rows = cp.RawKernel(r"""
extern "C" __global__ void sums(const float *x, float *to, int height, int width) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= height) return;
    float sum = 0.0f;
    for (int i = 0; i < width; ++i) sum += x[row * width + i];
    to[row] = sum;
}
""", "sums")
clear = SourceModule("""
__global__ void clear(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.0f;
}
""").get_function("clear")
'''

PYTHON = {
    "indices are of 64 bits": """
    def run(order, values):
        at = cp.argsort(order)
        n = at.size
        to = cp.empty(n, dtype=cp.float32)
        whole((n // 64 + 1,), (64,), (at, to, cp.float32(values), np.int32(n))) # bad
        whole((n // 64 + 1,), (64,), (at.astype(cp.int32), to, cp.float32(values), np.int32(n)))
    """,
    "positions of what holds": """
    def kept(mask, x):
        (at,) = cp.nonzero(mask)
        n = at.size
        to = cp.empty(n, dtype=cp.float32)
        whole((n // 64 + 1,), (64,), (at, to, x.astype(cp.float32), np.int32(n))) # bad
        narrow = at.astype(cp.int32)
        whole((n // 64 + 1,), (64,), (narrow, to, x.astype(cp.float32), np.int32(n)))
    class Positions:
        def __init__(self, mask, keys):
            self.rows, columns = cp.where(mask)
            self.columns = columns.astype(cp.int32)
            self.keys, self.first = cp.unique(keys.astype(cp.int32), return_index=True)
        def run(self, to, x, n):
            x = x.astype(cp.float32)
            whole((n // 64 + 1,), (64,), (self.rows, to, x, np.int32(n))) # bad
            whole((n // 64 + 1,), (64,), (self.columns, to, x, np.int32(n)))
            whole((n // 64 + 1,), (64,), (self.keys, to, x, np.int32(n)))
            whole((n // 64 + 1,), (64,), (self.first, to, x, np.int32(n))) # bad
    """,
    "what callers pass": """
    class Pick:
        def __init__(self, values):
            self.values = cp.asarray(values)
        def run(self, at):
            n = at.size
            to = cp.empty(n, dtype=cp.float32)
            whole((n // 64 + 1,), (64,), (at, to, self.values, np.int32(n))) # bad
    def main(n):
        rng = np.random.default_rng(7)
        Pick(rng.random(n)).run(cp.arange(n, dtype=cp.int32))
    """,
    "what is copied": """
    def run(n):
        host = np.zeros(n, dtype=np.float64)
        x = drv.mem_alloc(host.nbytes)
        clear(x, np.int32(n), block=(64, 1, 1), grid=(n // 64 + 1, 1)) # bad
        drv.memcpy_dtoh(host, x)
        return host
    """,
    "numbers of Python": """
    def run(x, n):
        clear(x, np.int32(7), block=(64, 1, 1), grid=(1, 1))
        clear(x, 7, block=(64, 1, 1), grid=(1, 1)) # bad
    """,
    "views": """
    def sums(x):
        height, width = x.shape
        to = cp.empty(height, dtype=cp.float32)
        rows((height // 64 + 1,), (64,), (x, to, np.int32(height), np.int32(width)))
        return to
    def columns(x):
        return sums(cp.asarray(x, dtype=cp.float32).T) # bad
    def copied(x):
        return sums(cp.ascontiguousarray(x.T, dtype=cp.float32)) + sums(x[3:])
    """,
}


@pytest.mark.parametrize("name", PYTHON)
def test_arrays_of_python(name: str) -> None:
    from textwrap import dedent

    code = HEAD + dedent(PYTHON[name])
    expected = [number for number, line in enumerate(code.splitlines(), 1) if line.endswith("# bad")]
    got = findings(KernelArgumentMismatch, code, "python")
    lines = sorted(code.encode()[: one.span.start].count(b"\n") + 1 for one in got)
    assert lines == expected, [one.message for one in got]


def test_memory_that_is_allocated_if_all_went_well_has_a_size() -> None:
    assert_marked(
        KernelArgumentMismatch,
        """
        __global__ void clear(double *x, int n) {
            const int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) x[i] = 0.0;
        }
        struct Two { double *a, *b; };
        void run(int n) {
            Two two;
            cudaError_t error = cudaMalloc(&two.a, n * sizeof(double));
            if (error == cudaSuccess) error = cudaMalloc(&two.b, n); // bad
            if (error != cudaSuccess) return;
            clear<<<(n + 63) / 64, 64>>>(two.a, n);
            clear<<<(n + 63) / 64, 64>>>(two.b, n);
        }
        """,
    )


def test_blocks_that_callers_give_as_a_whole_are_not_too_large() -> None:
    assert_marked(
        LaunchLimits,
        """
        __global__ void touch(int *x) { x[threadIdx.z * 64 + threadIdx.y * 8 + threadIdx.x] = 1; }
        void given(int *x, dim3 grid, dim3 block) { touch<<<grid, block>>>(x); }
        void sizes(int *x, int width, int height) { touch<<<1, dim3(width, height)>>>(x); } // bad
        """,
    )


def test_a_block_as_large_as_a_size() -> None:
    assert_marked(
        LaunchLimits,
        """
        __global__ void shift(float *x, int columns) {
            const float mine = x[blockIdx.x * columns + threadIdx.x];
            __syncthreads();
            x[blockIdx.x * columns + (threadIdx.x + 1) % columns] = mine;
        }
        void run(float *x, int rows, int columns) { shift<<<rows, columns>>>(x, columns); } // bad
        void checked(float *x, int rows, int columns) {
            if (columns > 1024) return;
            shift<<<rows, columns>>>(x, columns);
        }
        void given(float *x, int columns, int blocks, int threads) { shift<<<blocks, threads>>>(x, columns); }
        """,
    )


def test_groups_as_large_as_the_device_has_them() -> None:
    assert_marked(
        LaunchLimits,
        """
        const char *program = R"(
        kernel void clear(global float *x, int n) { if (get_global_id(0) < n) x[get_global_id(0)] = 0.0f; }
        )";
        struct Device { size_t most, units; };
        cl_int set(cl_kernel clear, cl_mem x, cl_int n) {
            clSetKernelArg(clear, 0, sizeof(cl_mem), &x);
            return clSetKernelArg(clear, 1, sizeof(cl_int), &n);
        }
        cl_int run(cl_program built, cl_command_queue queue, cl_device_id device, cl_mem x, cl_int n) {
            cl_kernel clear = clCreateKernel(built, "clear", nullptr);
            size_t group = 1;
            clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(group), &group, nullptr);
            const size_t all = n, whole = (n + group - 1) / group * group;
            set(clear, x, n);
            clEnqueueNDRangeKernel(queue, clear, 1, nullptr, &whole, &group, 0, nullptr, nullptr);
            return clEnqueueNDRangeKernel(queue, clear, 1, nullptr, &all, &group, 0, nullptr, nullptr); // bad
        }
        cl_int fill(cl_program built, cl_command_queue queue, const Device &device, cl_mem x, cl_int n) {
            cl_kernel clear = clCreateKernel(built, "clear", nullptr);
            const size_t odd = device.units * 1000, all = device.units * device.most;
            set(clear, x, n);
            clEnqueueNDRangeKernel(queue, clear, 1, nullptr, &all, &device.most, 0, nullptr, nullptr);
            return clEnqueueNDRangeKernel(queue, clear, 1, nullptr, &odd, &device.most, 0, nullptr, nullptr); // bad
        }
        cl_int given(cl_program built, cl_command_queue queue, const Device &device, cl_mem x, size_t all) {
            cl_kernel clear = clCreateKernel(built, "clear", nullptr);
            set(clear, x, 64);
            return clEnqueueNDRangeKernel(queue, clear, 1, nullptr, &all, &device.most, 0, nullptr, nullptr);
        }
        """,
    )


def test_a_variable_of_a_type_that_nothing_declares_has_no_width() -> None:
    assert_marked(
        KernelArgumentMismatch,
        """
        extern "C" __global__ void put(float *x, unsigned long long t) { x[threadIdx.x] = t; }
        CUresult run(CUmodule m, CUdeviceptr x, int t) {
            CUfunction f;
            Handle handle;
            cuModuleGetFunction(&f, m, "put");
            void *args[] = {&x, &handle}, *others[] = {&x, &t};
            cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, 0, args, 0);
            return cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, 0, others, 0); // bad
        }
        """,
    )


def test_grids_that_divide_are_tried_with_whole_blocks() -> None:
    from kernlint_rules.bounds.missing_bounds_guard import MissingBoundsGuard

    assert_marked(
        MissingBoundsGuard,
        """
        struct Shape { int rows, columns; };
        __global__ void clear(float *x, int columns) {
            x[(blockIdx.y * blockDim.y + threadIdx.y) * columns + blockIdx.x * blockDim.x + threadIdx.x] = 0.0f;
        }
        void run(const Shape &shape) {
            float *x;
            cudaMalloc(&x, shape.rows * shape.columns * sizeof(float));
            const dim3 block(16, 16), grid(shape.columns / block.x, shape.rows / block.y);
            clear<<<grid, block>>>(x, shape.columns);
        }
        """,
    )


def test_kernels_kept_in_a_table_are_launched() -> None:
    (found,) = findings(
        LaunchLimits,
        '''
from string import Template
import cupy

TEXT = Template(r"""
#define FACTOR ${factor}
extern "C" __global__ void halve(const float *x, float *to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t row = blockIdx.y;
    if (i < n) to[row * n + i] = FACTOR * x[row * n + i];
}
""")

class Halve:
    def __init__(self):
        self.made = {}
    def kernel(self, n):
        if n not in self.made:
            self.made[n] = cupy.RawKernel(TEXT.substitute(factor=1 / n), "halve")
        return self.made[n]
    def run(self, x):
        a, b, n = x.shape
        to = cupy.empty((a, b, n), dtype=cupy.float32)
        self.kernel(n)(((n + 63) // 64, a * b), (64,), (x, to, cupy.int32(n)))
        return to
''',
        "python",
    )
    assert "x.shape[0] * x.shape[1] blocks along y" in found.message


IN_PLACE = '''
import cupy as cp
import numpy as np

shrink = cp.RawKernel(r"""
extern "C" __global__ void shrink(const float *FROM from, float *TO to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = 0.5f * from[i];
}
""", "shrink")

def halve(x, out=None, fresh=True):
    to = CASE
    shrink(((x.size + 127) // 128,), (128,), (x, to, np.int32(x.size)))
    return to
'''


@pytest.mark.parametrize(
    ("case", "promise", "told"),
    [
        ("cp.empty_like(x) if fresh else x", "__restrict__", True),
        ("x if out is None else out", "__restrict__", True),
        ("x if out is None else out", "", False),
        ("cp.empty_like(x) if out is None else out", "__restrict__", False),
    ],
)
def test_an_argument_that_is_another_one_in_one_case(case: str, promise: str, told: bool) -> None:
    code = IN_PLACE.replace("CASE", case).replace("FROM", promise).replace("TO", promise)
    assert bool(findings(AliasedRestrictArguments, code, "python")) is told
