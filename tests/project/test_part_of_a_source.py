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
