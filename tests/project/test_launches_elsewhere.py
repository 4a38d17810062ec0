"""Launches in other files of the project bind to the kernels of a file, and what is stated there holds for them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kernlint.frontends.base import FrontendOptions
from kernlint.frontends.clang.frontend import ClangFrontend
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.source import SourceFile
from kernlint.tree.nodes import Module

HEADER = """#pragma once
__global__ void totals(const float *x, float *y, int n);
"""

KERNEL = """#include "totals.cuh"
__global__ void __launch_bounds__(1024) totals(const float *x, float *y, int n) {
    __shared__ float part[4];
    const float s = threadIdx.x < n ? x[threadIdx.x] : 0.0f;
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}
"""

LAUNCH = """#include "../gpu/totals.cuh"
void run(const float *x, float *y, int n) { totals<<<1, THREADS>>>(x, y, n); }
"""


def found(root: Path, files: dict[str, str], *named: str) -> list[str]:
    """``file:rule`` for what is found when ``named`` files (all of them) are checked."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / ".git").mkdir(exist_ok=True)
    registry = load()
    engine = Engine(registry, Selection(registry, Config()), trace_headers=True)
    report = engine.run([str(root / name) for name in named] or [str(root)], os.fspath(root))
    assert not report.summary.failed
    shown = [result.finding for result in report.results if result.finding.severity.value != "note"]
    return sorted(f"{os.path.relpath(one.span.file, root)}:{one.rule}" for one in shown)


@pytest.mark.parametrize("named", [(), ("gpu/totals.cu",)])
@pytest.mark.parametrize(("threads", "bad"), [("128", False), ("256", True), ("n < 128 ? n : 128", False)])
def test_a_launch_in_another_file(tmp_path: Path, named: tuple[str, ...], threads: str, bad: bool) -> None:
    files = {"gpu/totals.cuh": HEADER, "gpu/totals.cu": KERNEL, "app/run.cu": LAUNCH.replace("THREADS", threads)}
    assert found(tmp_path, files, *named) == ["gpu/totals.cu:array-index-out-of-range"] * bad


def test_another_kernel_of_the_same_name_is_not_meant(tmp_path: Path) -> None:
    other = KERNEL.replace('#include "totals.cuh"', "").replace("part[4]", "part[32]")
    example = other + "void run(const float *x, float *y, int n) { totals<<<1, 64>>>(x, y, n); }\n"
    files = {"gpu/totals.cuh": HEADER, "gpu/totals.cu": KERNEL, "examples/one.cu": example}
    assert found(tmp_path, files) == ["gpu/totals.cu:array-index-out-of-range"]  # by its launch bounds


def test_other_parameters_are_another_kernel(tmp_path: Path) -> None:
    launch = "__global__ void totals(const float *x, float *y, float *z, long n);\n"
    launch += "void run(float *x, long n) { totals<<<1, 64>>>(x, x, x, n); }\n"
    assert found(tmp_path, {"a/totals.cuh": HEADER, "a/totals.cu": KERNEL, "a/run.cu": launch}) == [
        "a/totals.cu:array-index-out-of-range"
    ]


@pytest.mark.parametrize(("result", "bad"), [("float2", True), ("float", False), ("double", False)])
def test_an_overload_for_other_elements_is_another_kernel(tmp_path: Path, result: str, bad: bool) -> None:
    header = "".join(f"__global__ void fill({kind} *y);\n" for kind in ("float", "float2", "double"))
    kernel = '#include "fill.cuh"\n' + "".join(
        f"__global__ void fill({kind} *y) {{ y[threadIdx.x]{member} = 1; }}\n"
        for kind, member in (("float", ""), ("float2", ".x"), ("double", ""))
    )
    run = f"""#include "fill.cuh"
void run() {{
    {result} *y;
    cudaMalloc(&y, 64 * sizeof({"float" if bad else result}));
    fill<<<1, 64>>>(y);
    cudaFree(y);
}}
"""
    files = {"fill.cuh": header, "fill.cu": kernel, "run.cu": run}
    assert [one for one in found(tmp_path, files) if "bounds" in one] == ["fill.cu:missing-bounds-guard"] * bad


def test_parameters_go_by_their_places(tmp_path: Path) -> None:
    header = "__global__ void fill(float *, int, int);\n"
    kernel = """#include "fill.cuh"
__global__ void fill(float *row, int first, int bins) {
    __shared__ float edge[256];
    if (threadIdx.x == 0)
        for (int b = 0; b < bins; ++b) edge[b] = b;
    __syncthreads();
    row[threadIdx.x] = edge[threadIdx.x];
}
"""
    launch = '#include "fill.cuh"\nvoid run(float *x) { fill<<<1, 256>>>(x, 7, BINS); }\n'
    files = {"fill.cuh": header, "fill.cu": kernel, "run.cu": launch.replace("BINS", "256")}
    assert not found(tmp_path, files)
    files["run.cu"] = launch.replace("BINS", "100")
    assert found(tmp_path, files) == ["fill.cu:uninitialised-shared-memory"]


def test_host_files_that_do_not_parse_or_vanish(tmp_path: Path) -> None:
    files = {"gpu/totals.cuh": HEADER, "gpu/totals.cu": KERNEL, "app/run.cu": "void run( {{{ totals<<<1, 2>>>(;"}
    assert "gpu/totals.cu:array-index-out-of-range" in found(tmp_path, files, "gpu/totals.cu")
    os.unlink(tmp_path / "app/run.cu")
    assert found(tmp_path, {}, "gpu/totals.cu") == ["gpu/totals.cu:array-index-out-of-range"]


OWN = "__global__ void totals(float *y) { y[threadIdx.x] = 1.0f; }\nvoid run(float *y) { totals<<<1, 256>>>(y); }\n"


@pytest.mark.parametrize(
    ("other", "read"),
    [
        (OWN, False),
        ('#include "../gpu/totals.cuh"\n' + OWN.replace("float *y)", "float *y, char c)", 1), True),
        ("void totals(const float *x, float *y, int n);\n" + OWN, True),
        ("DECLARE_KERNEL(totals)\n" + OWN, True),
        ('static const char *name = "totals";\n' + OWN, True),
    ],
)
def test_a_file_that_can_only_launch_a_kernel_of_its_own_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str, read: bool
) -> None:
    parsed: list[str] = []
    parse = ClangFrontend.parse_file

    def noted(self: ClangFrontend, source: SourceFile, options: FrontendOptions | None = None) -> list[Module]:
        parsed.append(os.path.basename(source.path))
        return parse(self, source, options)

    monkeypatch.setattr(ClangFrontend, "parse_file", noted)
    found(tmp_path, {"gpu/totals.cuh": HEADER, "gpu/totals.cu": KERNEL, "app/run.cu": other}, "gpu/totals.cu")
    assert ("run.cu" in parsed) == read


def test_a_header_that_cmake_makes_elsewhere(tmp_path: Path) -> None:
    cmake = """
set(REACH 2)
configure_file(cmake/reach.h.in ${CMAKE_CURRENT_BINARY_DIR}/made/plate/reach.h @ONLY)
add_library(plate plate.cu)
"""
    kernel = """#include "plate/reach.h"
__global__ void edges(const float *x, float *y, int n) {
    __shared__ float cell[WIDE + 2];
    int i = blockIdx.x * WIDE + threadIdx.x;
    cell[threadIdx.x + REACH] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i < n) y[i] = cell[threadIdx.x + REACH];
}
void run(const float *x, float *y, int n) { edges<<<(n + WIDE - 1) / WIDE, WIDE>>>(x, y, n); }
"""
    files = {"CMakeLists.txt": cmake, "plate.cu": kernel}
    files["cmake/reach.h.in"] = "#define REACH @REACH@\n#define WIDE 32\n"
    assert found(tmp_path / "two", files) == []
    files["CMakeLists.txt"] = cmake.replace("REACH 2", "REACH 3")
    assert found(tmp_path / "three", files) == ["plate.cu:array-index-out-of-range"]
