"""OpenCL programs in several files that one of them includes, or in literals of another file than the host's."""

from __future__ import annotations

from pathlib import Path

from kernlint.project.model import Project
from tests.project.test_own_headers import check
from tests.project.test_project import write

TYPES = """#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define words JOIN(uint, LANES)
"""
WHOLE = """#include "types.h"
words blend(words a, words b) { return amd_bitalign(a, b, (words)7); }
#ifdef SIEVED
#include "sieve.cl"
#endif
#include "round.cl"
"""
PART = """#ifdef SIEVED
__kernel void sieved(__global uint *out) { out[get_global_id(0)] = sieve(get_global_id(0)); }
#else
__kernel void NAME(__global words *out) { words a = 1, b = 2; out[get_global_id(0)] = blend(a, b); }
#endif
"""
HOST = """void build() {
  sprintf(options, "-I. -DLANES=%d", lanes);
  if (sieved) strcat(options, " -DSIEVED");
  program = clCreateProgramWithSource(context, 1, &text_of("whole.cl"), 0, 0);
  clBuildProgram(program, 1, &device, options, 0, 0);
}
void other() { clBuildProgram(second, 1, &device, "-DFAST", 0, 0); f("second.cl"); }
"""


def _write(folder: Path) -> None:
    parts = {
        "types.h": TYPES,
        "whole.cl": WHOLE,
        "round.cl": PART,
        "sieve.cl": "uint sieve(uint x) { return x / 3; }\n",
    }
    write(folder, {**parts, "host.c": HOST, "Makefile": ""})


def test_a_part_of_a_program_is_read_behind_what_stands_before_it(tmp_path: Path) -> None:
    _write(tmp_path)
    report = check(tmp_path, "round.cl")
    assert (report.summary.kernels, report.summary.partial) == (2, 0)


def test_a_part_of_a_program_has_the_options_of_the_whole(tmp_path: Path) -> None:
    _write(tmp_path)
    part = str(tmp_path / "round.cl")
    assert Project(str(tmp_path)).numbers_for(part) == ("LANES",)
    write(tmp_path, {"whole.cl": WHOLE.replace('#include "round.cl"', "")})
    assert Project(str(tmp_path)).numbers_for(part) == ()


LITERALS = r"""const char *text =
"#if defined(RED)                             \n" \
"#  define CHANNELS 1                         \n" \
"#elif defined(ALL)                           \n" \
"#  define CHANNELS 3                         \n" \
"#endif                                       \n" \
"__kernel                                     \n" \
"void blur(__global float *x, const int n) {  \n" \
"   int i = (int) get_global_id(0);           \n" \
"   if (i >= n) return;                       \n" \
"#if defined(RED)                             \n" \
"   float sum = x[CHANNELS * i];              \n" \
"#elif defined(ALL)                           \n" \
"   float sum = x[CHANNELS * i + 2];          \n" \
"#endif                                       \n" \
"   x[CHANNELS * i] = sum / (2 * REACH + 1);  \n" \
"}                                            \n";
"""
BUILDS = """void build() {
  snprintf(options, 99, "-D %s -D REACH=%d -D WEIGHT=%f", channels, reach, weight);
  clBuildProgram(program, 1, &device, options, 0, 0);
  kernel = clCreateKernel(program, "blur", 0);
}
"""


def test_a_program_in_literals_has_the_options_of_the_host_that_asks_for_its_kernels(tmp_path: Path) -> None:
    write(tmp_path, {"text.cpp": LITERALS, "host.cpp": BUILDS, "Makefile": ""})
    assert Project(str(tmp_path)).numbers_for(str(tmp_path / "text.cpp")) == ("REACH", "WEIGHT")
    report = check(tmp_path, "text.cpp")
    assert (report.summary.kernels, report.summary.partial) == (1, 0)


def test_a_host_itself_is_not_read_under_the_macros_of_its_programs(tmp_path: Path) -> None:
    write(tmp_path, {"text.cpp": BUILDS.replace('"-D %s -D REACH=%d', '"-D REACH=4') + LITERALS, "Makefile": ""})
    project = Project(str(tmp_path))
    assert project.defines_for(str(tmp_path / "text.cpp")) == ()
    assert project.choices_for(str(tmp_path / "text.cpp")) == ("REACH=4",)
