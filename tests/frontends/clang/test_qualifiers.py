"""Macros before functions that nothing in reach defines: on which side the functions run."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.frontends.clang.qualifiers import qualifiers
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
