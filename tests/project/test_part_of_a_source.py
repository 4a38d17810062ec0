"""Headers that have their place in the middle of the source that includes them."""

from __future__ import annotations

from pathlib import Path

from tests.project.test_own_headers import check
from tests.project.test_project import write

KERNEL = """__global__ void k(unsigned *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = low(i, BITS);
}
"""
MAIN = """#include <cstdio>
#define BITS 3
#ifndef ONCE
#define ONCE
__device__ inline unsigned low(unsigned x, int bits) { return x & ((1u << bits) - 1); }
#include "NAME"
#endif
int main() { unsigned *p; cudaMalloc(&p, 400); k<<<1, 100>>>(p, 100); cudaDeviceSynchronize(); cudaFree(p); return 0; }
"""


def test_what_stands_before_the_include_stands_before_the_header(tmp_path: Path) -> None:
    write(tmp_path, {"kernel.h": KERNEL, "main.cu": MAIN.replace("NAME", "kernel.h")})
    report = check(tmp_path, "kernel.h")
    assert (report.summary.kernels, report.summary.partial) == (1, 0)


def test_a_header_between_the_two(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"kernel.h": KERNEL, "all.h": '#include "kernel.h"\n', "main.cu": MAIN.replace("NAME", "all.h")},
    )
    report = check(tmp_path, "kernel.h")
    assert (report.summary.kernels, report.summary.partial) == (1, 0)


def test_a_source_within_another_has_the_macros_of_the_headers_before_it(tmp_path: Path) -> None:
    constants = "#define N 4\n#define ROW state[0]\n#define OUT(q) OUT[N * blockIdx.x + q]\n"
    kernels = "__global__ void k(float *OUT) { float state[N]; ROW = 1.0f; OUT(0) = ROW; OUT(N - 1) = ROW; }\n"
    main = '#include "constants.h"\n#include "kernels.cu"\nint main() { float *p; k<<<1, 1>>>(p); }\n'
    write(tmp_path, {"constants.h": constants, "kernels.cu": kernels, "main.cu": main})
    report = check(tmp_path, "kernels.cu")
    assert (report.summary.kernels, report.summary.partial) == (1, 0)


def test_a_source_behind_another_lacks_nothing_where_a_header_of_another_library_is_missing(tmp_path: Path) -> None:
    names = "#define each(i, n) for (int i = threadIdx.x; i < n; i += 64)\n"
    kernels = "__global__ void k(float *x, int n) { each(i, n) { if (x[i] < 0.0f) continue; x[i] = 1.0f; } }\n"
    loops = '#include <away/launcher.h>\n#include "loops_kernel.cu"\nvoid run(float *p) { k<<<1, 64>>>(p, 64); }\n'
    main = '#include "names.h"\n#include "loops.cu"\nint main() { run(0); }\n'
    write(tmp_path, {"names.h": names, "loops_kernel.cu": kernels, "loops.cu": loops, "main.cu": main})
    for name in ("loops_kernel.cu", "loops.cu"):
        report = check(tmp_path, name)
        assert (report.summary.kernels, report.summary.partial) == (1, 0)


def test_a_header_that_speaks_of_another_one_does_not_include_it(tmp_path: Path) -> None:
    head = "/* Operators, after those of helper_math.h */\n"
    vectors = """static __device__ float4 operator-(const float4 &a) { return make_float4(-a.x, -a.y, -a.z, -a.w); }
    static __device__ float4 operator*(const float4 &a, float b) { return make_float4(a.x * b, a.y, a.z, a.w); }
    static __device__ float dot(const float4 &a, const float4 &b) { return a.x * b.x + a.w * b.w; }
    """
    kernel = '#include "vectors.h"\n__global__ void k(float4 *x) { x[threadIdx.x] = -x[0] * dot(x[1], x[2]); }\n'
    write(tmp_path, {"vectors.h": head + vectors, "k.cu": kernel})
    report = check(tmp_path, "k.cu")
    assert (report.summary.kernels, report.summary.partial) == (1, 0)
