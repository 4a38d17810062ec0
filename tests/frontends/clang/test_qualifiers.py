"""Macros before functions that nothing in reach defines: on which side the functions run."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.frontends.clang.qualifiers import linked_names, qualifiers
from kernlint.project.definitions import Definition
from tests.project.test_own_headers import check, codes
from tests.project.test_project import write

MARKS = "#ifdef __CUDACC__\n#define WORK __global__ static\n#else\n#define WORK static\n#endif\n"

SUMS = """
#include <elsewhere/marks.cuh>
HERE float twice(float x) { return 2 * x; }
WORK void sums(float *out, const float *in, int tiles) {
  __shared__ float part[128];
  for (int t = 0; t < tiles; ++t) {
    part[threadIdx.x] = twice(in[t * 128 + threadIdx.x]);
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 128; ++k) sum += part[k];
    out[t * 128 + threadIdx.x] = sum;
    LAST
  }
}
"""
"""``WORK`` and ``HERE`` are macros of a header that is not there."""


def test_a_word_is_of_the_device_where_a_function_behind_it_is() -> None:
    assert qualifiers(SUMS, ("HERE", "WORK"), ()) == ("#define HERE __host__ __device__", "#define WORK __device__")
    assert qualifiers("KIND f(int x) { return x; }\nMARK void g() { h(); }\n", ("KIND", "MARK"), ()) == ()


def test_what_the_project_says_comes_first() -> None:
    own = Definition("WORK", "marks.hpp", "#define WORK __global__ static")
    assert own.text in qualifiers(SUMS, ("HERE", "WORK"), (own,))
    assert qualifiers(SUMS, ("WORK",), (Definition("WORK", "marks.hpp", "#define WORK 3"),)) == (
        "#define WORK __device__",
    )


@pytest.mark.parametrize("marks", ["", MARKS])
@pytest.mark.parametrize(("last", "expected"), [("", ["KL201"]), ("__syncthreads();", [])])
def test_functions_behind_such_a_word_are_looked_at(tmp_path: Path, marks: str, last: str, expected: list[str]) -> None:
    write(tmp_path, {"Makefile": "", "src/sums.cuh": SUMS.replace("LAST", last), "inc/words.hpp": marks})
    report = check(tmp_path, "src/sums.cuh")
    assert (codes(report), report.summary.kernels) == (expected, 1)


LAUNCHED = """
#include <elsewhere/marks.cuh>
template <int N> BOUNDS ROUTINE void scaled(float *out, const float *in, long count) {
  long i = long(blockIdx.x) * N + threadIdx.x;
  out[i] = 2 * in[i];
}
void run(float *out, const float *in, long count, cudaStream_t stream) {
  scaled<256><<<(count + 255) / 256, 256, 0, stream>>>(out, in, count);
}
"""


def test_a_word_is_a_kernels_where_one_is_launched_or_bounded(tmp_path: Path) -> None:
    plain = LAUNCHED.replace("BOUNDS", "")
    bounded = LAUNCHED.replace("BOUNDS", "__launch_bounds__(N)").replace("<<<", "(").replace(">>>", ")+")
    kernel = ("#define ROUTINE static __global__",)
    assert qualifiers(plain, ("ROUTINE",), ()) == qualifiers(bounded, ("ROUTINE",), ()) == kernel
    assert qualifiers(plain.replace("<<<", "(").replace(">>>", ")+"), ("ROUTINE",), ()) == (
        "#define ROUTINE __device__",
    )
    write(tmp_path, {"Makefile": "", "src/scaled.cu": plain})
    assert (codes(report := check(tmp_path, "src/scaled.cu")), report.summary.kernels) == (["KL101"], 1)
    write(tmp_path, {"src/scaled.cu": plain.replace("out[i] =", "if (i < count) out[i] =")})
    assert (codes(report := check(tmp_path, "src/scaled.cu")), report.summary.kernels) == ([], 1)


MANGLED = """
__global__ void add(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  GUARD out[i] += in[i];
}
extern "C" void F_NAME(add_all,
                       ADD_ALL)(float *host, int *n) {
  float *out;
  cudaMalloc(&out, *n * sizeof(float));
  cudaMemset(out, 0, *n * sizeof(float));
  add<<<(*n + 127) / 128, 128>>>(out, out, *n);
  cudaMemcpy(host, out, *n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(out);
}
"""


@pytest.mark.parametrize(("guard", "expected"), [("", ["KL101"]), ("if (i < n)", [])])
def test_names_for_another_linker_hide_no_host_code(tmp_path: Path, guard: str, expected: list[str]) -> None:
    text = MANGLED.replace("GUARD", guard)
    assert len(linked_names(text, ("add_all", "ADD_ALL"))) == 1
    assert not linked_names(text, ("ADD_ALL",))
    assert not linked_names(text.replace("ADD_ALL", "ALL_ADD"), ("add_all", "ALL_ADD"))
    write(tmp_path, {"Makefile": "", "src/add.cu": text})
    assert codes(check(tmp_path, "src/add.cu")) == expected
