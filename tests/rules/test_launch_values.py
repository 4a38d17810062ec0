"""Sizes and arguments of launches: what stands in the text, and what is passed with its value."""

from __future__ import annotations

import pytest
from kernlint_rules.launch.byte_count_mismatch import ByteCountMismatch
from kernlint_rules.launch.dynamic_shared_memory_omitted import DynamicSharedMemoryOmitted
from kernlint_rules.launch.kernel_argument_mismatch import KernelArgumentMismatch
from kernlint_rules.launch.launch_limits import LaunchLimits
from kernlint_rules.launch.uncovered_tail import UncoveredTail
from kernlint_rules.launch.wrong_copy_direction import WrongCopyDirection

from tests.rules.marked import findings

SIZES = """
__global__ void k(float *x) { x[blockIdx.x * 256 + threadIdx.x] = 0.0f; }
int made(int *count);
void run(float *x) {
    SIZES
}
"""


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ("const int blocks = 100 / 256; k<<<blocks, 256>>>(x);", True),
        ("k<<<dim3(4, 0), 256>>>(x);", True),
        ("constexpr int wide = WARP_SIZE_OF_THE_BUILD; dim3 block(wide, 8); k<<<4, block>>>(x);", False),
        ("constexpr int wide = 0; k<<<4, dim3(wide, 8)>>>(x);", False),
        ("int blocks = 0; made(&blocks); k<<<blocks, 256>>>(x);", False),
    ],
)
def test_empty_launches(sizes: str, told: bool) -> None:
    assert bool(findings(LaunchLimits, SIZES.replace("SIZES", sizes))) is told


VALUES = """
#include <array>
__global__ void k(const float *x, KIND c, float *y) { y[threadIdx.x] = x[threadIdx.x] * c[0]; }
void run(const float *x, float *y) {
    VALUE;
    k<<<1, 256>>>(x, c, y);
}
"""


@pytest.mark.parametrize(
    ("kind", "value", "told"),
    [("std::array<float, 4>", "std::array<float, 4> c{}", False), ("const float *", "float c[4] = {}", True)],
)
def test_arrays_by_value(kind: str, value: str, told: bool) -> None:
    assert bool(findings(WrongCopyDirection, VALUES.replace("KIND", kind).replace("VALUE", value))) is told


def test_elements_of_a_device_vector_are_fetched() -> None:
    """Its subscript gives a reference that copies; a plain pointer to its memory is another matter."""
    code = """
#include <thrust/device_vector.h>
__global__ void k(int *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }
int run(int n) {
    thrust::device_vector<int> v(n);
    int *plain = thrust::raw_pointer_cast(&v[0]);
    k<<<1, 256>>>(plain, n);
    v[1] = 4;
    int sum = v[n - 1] + v.back();
    sum += plain[2];
    return sum;
}
"""
    assert len(findings(WrongCopyDirection, code)) <= 1
    assert not findings(WrongCopyDirection, code.replace("sum += plain[2];", ""))


FURTHER = """
__global__ void pad(int n, float *x
#ifdef SHARED
    , int *w
#endif
) {
#ifdef SHARED
    extern __shared__ int l[];
    l[threadIdx.x] = w[threadIdx.x];
    x[threadIdx.x] = l[threadIdx.x];
#else
    x[threadIdx.x] = n;
#endif
}
void call(int n, float *x, int bytes, int *w) {
    pad<<<n, 256
#ifdef SHARED
        , GIVEN
#endif
    >>>(n, x
#ifdef SHARED
        , w
#endif
    );
}
"""


@pytest.mark.parametrize(("given", "told"), [("bytes", False), ("0", True)])
def test_a_launch_is_read_under_the_settings_of_its_kernel(given: str, told: bool) -> None:
    assert bool(findings(DynamicSharedMemoryOmitted, FURTHER.replace("GIVEN", given))) is told


BY_TYPE = """
template <class T> void send(T *d, const float *a, const double *b, int n) {
    T *x;
    cudaMalloc(&x, 64 * sizeof(T));
    if (n > 3) cudaMemcpy(x, a, 64 * sizeof(float), cudaMemcpyHostToDevice);
    else cudaMemcpy(x, b, 64 * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(d, x, COUNT * sizeof(T), cudaMemcpyDeviceToDevice);
    cudaFree(x);
}
template void send<float>(float *, const float *, const double *, int);
template void send<double>(double *, const float *, const double *, int);
"""


@pytest.mark.parametrize(("count", "told"), [("64", False), ("100", True)])
def test_branches_for_the_types_of_other_instances(count: str, told: bool) -> None:
    assert bool(findings(ByteCountMismatch, BY_TYPE.replace("COUNT", count))) is told


@pytest.mark.parametrize(
    ("made", "filled", "told"),
    [
        ("256 * sizeof(unsigned)", "256", True),
        ("256 * sizeof(unsigned)", "256 * sizeof(unsigned)", False),
        ("256 * sizeof(unsigned)", "64 * 4", False),
        ("1024", "256", False),  # of bytes, nothing says what is counted
    ],
)
def test_elements_of_a_number_that_is_written(made: str, filled: str, told: bool) -> None:
    code = f"void run() {{ unsigned *x; cudaMalloc(&x, {made}); cudaMemset(x, 0, {filled}); cudaFree(x); }}"
    assert bool(findings(ByteCountMismatch, code)) is told


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("cudaMemcpyFromSymbol(&found, &r, sizeof(int))", True),
        ("cudaMemcpyFromSymbol(&r, found, sizeof(int))", False),
        ("cudaMemcpyToSymbol(found, &r, sizeof(int))", False),
    ],
)
def test_symbols_of_the_device(call: str, told: bool) -> None:
    code = f"__device__ int found;\nint run() {{ int r = 0; {call}; return r; }}"
    assert bool(findings(WrongCopyDirection, code)) is told


DEEP = """
__global__ void k(float *x, int p, int n) {
    const int e = blockIdx.x * blockDim.z + threadIdx.z;
    if (e < n) x[(e * p + threadIdx.y) * p + threadIdx.x] = 0.0f;
}
void run(float *x, int p, int n) {
    CHECK;
    const int each = DEPTH;
    k<<<(n + each - 1) / each, dim3(p, p, each)>>>(x, p, n);
}
"""


@pytest.mark.parametrize(
    ("depth", "check", "told"),
    [
        ("256 / (p * p) > 0 ? 256 / (p * p) : 1", "", False),
        ("1024 / (p * p) > 0 ? 1024 / (p * p) : 1", "", True),
        ("512 / (p * p)", "if (p < 2 || p > 16) return", True),
        ("512 / (p * p)", "if (p < 3 || p > 16) return", False),
        ("std::min(64, 1024 / (p * p))", "", False),
    ],
)
def test_what_small_sizes_leave_along_z(depth: str, check: str, told: bool) -> None:
    assert bool(findings(LaunchLimits, DEEP.replace("DEPTH", depth).replace("CHECK", check))) is told


ASKED = """
#include <algorithm>
__global__ void __launch_bounds__(BOUND) k(float *x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = 0.0f;
}
struct shape { int blocks, threads; };
static shape fit(int n, int most) {
    int device = 0, allowed = 0;
    cudaGetDevice(&device);
    ASK;
    const int threads = most > 0 ? std::min(allowed, most) : allowed;
    return {(n + threads - 1) / threads, threads};
}
void run(float *x, int n) {
    const shape s = fit(n, MOST);
    k<<<s.blocks, s.threads>>>(x, n);
}
"""


@pytest.mark.parametrize(
    ("bound", "most", "ask", "told"),
    [
        (256, 0, "cudaDeviceGetAttribute(&allowed, cudaDevAttrMaxThreadsPerBlock, device)", True),
        (256, 256, "cudaDeviceGetAttribute(&allowed, cudaDevAttrMaxThreadsPerBlock, device)", False),
        (1024, 0, "cudaDeviceGetAttribute(&allowed, cudaDevAttrMaxThreadsPerBlock, device)", False),
        (256, 0, "cudaDeviceGetAttribute(&allowed, cudaDevAttrWarpSize, device)", False),
        (512, 0, "cudaDeviceProp p; cudaGetDeviceProperties(&p, device); allowed = p.maxThreadsPerBlock", True),
        (512, 0, "cudaDeviceProp p; cudaGetDeviceProperties(&p, device); allowed = p.warpSize", False),
    ],
)
def test_as_many_threads_as_the_device_allows(bound: int, most: int, ask: str, told: bool) -> None:
    code = ASKED.replace("BOUND", str(bound)).replace("MOST", str(most)).replace("ASK", ask)
    assert bool(findings(LaunchLimits, code)) is told


WIDE = """
__global__ void k(float *x, ROWS rows, int columns) {
    const INDEX row = blockIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && column < columns) x[row * columns + column] = 0.0f;
}
void run(float *x, ROWS rows, int columns) {
    CHECK;
    k<<<dim3((columns + 255) / 256, rows), 256>>>(x, rows, columns);
}
"""


@pytest.mark.parametrize(
    ("rows", "index", "check", "told"),
    [
        ("long long", "long long", "", True),
        ("size_t", "size_t", "if (rows > 65535) return", False),
        ("int", "int", "", False),
        ("int", "long long", "", False),
    ],
)
def test_rows_of_64_bits_along_y(rows: str, index: str, check: str, told: bool) -> None:
    code = WIDE.replace("ROWS", rows).replace("INDEX", index).replace("CHECK", check)
    assert bool(findings(LaunchLimits, code)) is told


INNER = """
__global__ void smooth(float *to, const float *from, int width, int last) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x < width - 1 && y < last) to[y * width + x] = 0.5f * (from[y * width + x - 1] + from[y * width + x + 1]);
}
void run(float *to, const float *from, int width, int height) {
    CHECK;
    const dim3 block(32, 8), grid((width + 31) / 32, ROWS);
    smooth<<<grid, block>>>(to, from, width, height - 1);
}
"""


@pytest.mark.parametrize(
    ("rows", "check", "told"),
    [
        ("height / 8", "", True),
        ("height / block.y", "if (height < 64) return", True),
        ("height / 8", "if (height % 8) return", False),
        ("(height - 2 + 7) / 8", "", False),
        ("height / 8 + 1", "", False),
    ],
)
def test_a_field_within_its_borders(rows: str, check: str, told: bool) -> None:
    assert bool(findings(UncoveredTail, INNER.replace("ROWS", rows).replace("CHECK", check))) is told


COUNTED = """
#include <complex>
#include <vector>
template <class T> class Rows {
    T *x = nullptr;
    size_t n;
  public:
    explicit Rows(size_t count) : n(count) { cudaMalloc(&x, n * sizeof(T)); }
    Rows(const Rows &) = delete;
    ~Rows() { cudaFree(x); }
    std::vector<T> read() const {
        std::vector<T> out(n);
        cudaMemcpy(out.data(), x, n * sizeof(READ), cudaMemcpyDeviceToHost);
        return out;
    }
};
std::vector<double> through(size_t n) { Rows<double> rows(n); return rows.read(); }
void lock(std::vector<std::complex<double>> &v) {
    cudaHostRegister(v.data(), LOCKED, cudaHostRegisterDefault);
}
void ahead(int n) {
    float4 *x = nullptr;
    cudaMallocManaged(&x, n * sizeof(float4));
    cudaMemPrefetchAsync(x, AHEAD, 0, 0);
    cudaFree(x);
}
"""


@pytest.mark.parametrize(
    ("read", "locked", "ahead", "times"),
    [
        ("T", "v.size() * sizeof(v[0])", "n * sizeof(float4)", 0),
        ("float", "v.size() * 16", "n * 16", 1),
        ("T", "v.size()", "n * sizeof(float4) / 2", 1),
        ("T", "v.size() * sizeof(double)", "n * sizeof(float)", 2),
    ],
)
def test_elements_for_bytes(read: str, locked: str, ahead: str, times: int) -> None:
    code = COUNTED.replace("READ", read).replace("LOCKED", locked).replace("AHEAD", ahead)
    assert len(findings(ByteCountMismatch, code)) == times


FILLED = """
__global__ void histogram(const int *x, unsigned int *bins, int n, int classes, int width) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[blockIdx.y * width + x[i] % width], 1u);
}
__global__ void level(const unsigned char *mask, float *to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && mask[i]) to[i] += 1.0f;
}
void run(const int *x, unsigned int *bins, unsigned char *mask, float *to, int n, int classes, int width,
         cudaStream_t s) {
    cudaMemsetAsync(bins, 0, BINS, s);
    histogram<<<dim3((n + 255) / 256, classes), 256, 0, s>>>(x, bins, n, classes, width);
    cudaMemset(mask, 1, n);
    cudaMemset(to, 0, TO);
    level<<<(n + 255) / 256, 256>>>(mask, to, n);
}
"""


@pytest.mark.parametrize(
    ("bins", "to", "times"),
    [
        ("(size_t)classes * width * sizeof(unsigned int)", "n * sizeof(float)", 0),
        ("(size_t)classes * width", "n * 4", 1),
        ("sizeof(*bins) * width * classes", "n", 1),
        ("classes * width", "(size_t)n", 2),
        ("classes * 16", "n / 2", 0),
    ],
)
def test_fills_of_elements(bins: str, to: str, times: int) -> None:
    code = FILLED.replace("BINS", bins).replace("TO", to)
    assert len(findings(KernelArgumentMismatch, code)) == times


DEEP_IN_PYTHON = """
from numba import cuda

@cuda.jit
def clear(x, n, side):
    e = cuda.blockIdx.x * cuda.blockDim.z + cuda.threadIdx.z
    if e < n:
        x[e, cuda.threadIdx.y, cuda.threadIdx.x] = 0.0

class Cells:
    def __init__(self, side):
        self.side = side

    def sizes(self, n):
        each = DEPTH
        return (n + each - 1) // each, (self.side, self.side, each)

    def clear(self, x):
        side = self.side
        if CHECK:
            raise ValueError("side")
        n = x.shape[0]
        grid, block = self.sizes(n)
        clear[grid, block](x, n, self.side)
"""


@pytest.mark.parametrize(
    ("depth", "check", "told"),
    [
        ("512 // (self.side * self.side)", "x.shape[1:] != (self.side, self.side)", True),
        ("512 // (self.side * self.side)", "not 2 <= side <= 16", True),
        ("512 // (self.side * self.side)", "not 3 <= self.side <= 16", False),
        ("min(64, 1024 // (self.side * self.side))", "x.shape != (64, self.side, self.side)", False),
    ],
)
def test_checks_of_several_sizes_in_python(depth: str, check: str, told: bool) -> None:
    code = DEEP_IN_PYTHON.replace("DEPTH", depth).replace("CHECK", check)
    assert bool(findings(LaunchLimits, code, "python")) is told


def test_shared_memory_that_assembly_declares_is_not_left_out() -> None:
    text = """
__global__ void flip(float *x) {
    extern __shared__ float tile[];
    DECLARED
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
void run(float *x) { flip<<<1, 32>>>(x); }
"""
    declared = 'asm(".shared .align 16 .b32 pool[32];" ::);'
    assert findings(DynamicSharedMemoryOmitted, text.replace("DECLARED", ""))
    assert not findings(DynamicSharedMemoryOmitted, text.replace("DECLARED", declared))
