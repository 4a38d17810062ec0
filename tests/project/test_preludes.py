"""OpenCL programs that a host joins from several files."""

from __future__ import annotations

import os
from pathlib import Path

from kernlint.project import Project
from kernlint.project.preludes import common_parts, joined_before, statements
from tests.project.test_own_headers import check, codes
from tests.project.test_project import write

COMMON = 'R"(\n#ifndef WIDTH\n#define WIDTH 4\n#endif\ntypedef float item;\n)"\n'
PART = 'R"(\nvoid put(__local item *to, const item value) { to[WIDTH] = value; }\n)"\n'
KERNEL = 'R"(\n__kernel void k(__global item *x) {\n  __local item s[WIDTH];\n  put(s, x[0]);\n  x[1] = s[0];\n}\n)"\n'
JOINED = 'const char *text =\n#include "cl/part.opencl"\n#include "cl/k.opencl"\n;\n'
EVERYWHERE = 'std::string start() { return\n#include "cl/common.opencl"\n; }\n'


def test_what_a_host_includes_before_a_program_is_its_beginning(tmp_path: Path) -> None:
    write(tmp_path, {"Makefile": "", "cl/common.opencl": COMMON, "cl/part.opencl": PART, "cl/k.opencl": KERNEL})
    write(tmp_path, {"src/k.cpp": JOINED, "src/start.cpp": EVERYWHERE})
    found = Project(str(tmp_path)).preludes_for(str(tmp_path / "cl/k.opencl"))
    assert [os.path.basename(path) for path in found] == ["common.opencl", "part.opencl"]
    for path in (".", "cl/k.opencl"):
        report = check(tmp_path, path)
        assert codes(report) == ["KL104"] and report.summary.partial == 0


def test_files_that_no_host_joins_stand_alone(tmp_path: Path) -> None:
    write(tmp_path, {"Makefile": "", "cl/common.cl": "typedef float item;\n", "cl/k.cl": "__kernel void k() {}\n"})
    assert Project(str(tmp_path)).preludes_for(str(tmp_path / "cl/k.cl")) == ()


def test_the_host_that_puts_most_before_a_file_counts() -> None:
    joins = [["x.cl", "k.cl"], ["x.cl", "y.cl", "k.cl"], ["k.cl"]]
    assert joined_before("k.cl", joins) == ["x.cl", "y.cl"]
    assert joined_before("other.cl", joins) == []


def test_a_common_part_is_the_only_one_that_defines_a_name() -> None:
    parts = {"a.cl": b"#define N 4\n#define BOTH 1\n", "b.cl": b"typedef int num; // N\n#define BOTH 2\n"}
    parts["c.cl"] = b"#define M 1\n"
    assert common_parts([b"num x = N;"], parts) == ["a.cl", "b.cl"]
    assert common_parts([b"#define N 2\nint x = N + BOTH;"], parts) == []


def test_each_statement_of_a_host_joins_a_program_of_its_own(tmp_path: Path) -> None:
    host = b"""
const char *first = R"x( int a; )x" // one; two
#include "common.cl"
"#define KIND 1; "
#include "first.cl"
;
std::string second() { return
#include "common.cl"
#include <second.cl>
; }
#include "host.h"
"""
    assert statements(host) == [['"common.cl', '"first.cl'], ['"common.cl', "<second.cl"]]
    other = 'R"(\nvoid put(__local item *to, item value, int n) { to[n] = value; }\n)"\n'
    kernel = KERNEL.replace("void k(", "void other(")
    programs = 'const char *a =\n#include "cl/common.opencl"\n#include "cl/part.opencl"\n#include "cl/k.opencl"\n;\n'
    programs += programs.replace("*a", "*b").replace("part.", "wide.").replace("k.op", "other.op")
    write(tmp_path, {"Makefile": "", "cl/common.opencl": COMMON, "cl/part.opencl": PART, "cl/k.opencl": KERNEL})
    write(tmp_path, {"cl/wide.opencl": other, "cl/other.opencl": kernel, "host.cpp": programs})
    found = Project(str(tmp_path)).preludes_for(str(tmp_path / "cl/other.opencl"))
    assert [os.path.basename(path) for path in found] == ["common.opencl", "wide.opencl"]


def test_what_a_host_includes_for_itself_is_no_beginning(tmp_path: Path) -> None:
    body = "__kernel void k(__global item *x) { __local int s[4]; s[4] = 1; x[0] = (item)s[4]; }"
    kernel = f'R"(\n#ifndef HOST_SIDE\n{body}\n#endif\n)"\n'
    host = '#include "routine.hpp"\nconst char *text =\n#include "../cl/k.opencl"\n;\n'
    write(tmp_path, {"Makefile": "", "cl/k.opencl": kernel, "src/k.cpp": host})
    write(tmp_path, {"src/routine.hpp": "#pragma once\n#define HOST_SIDE\nint other();\n"})
    report = check(tmp_path, "cl/k.opencl")
    assert codes(report) == ["KL104"]
