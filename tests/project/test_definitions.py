"""Texts that host code puts before a program are found by what they define."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from kernlint.frontends.base import FrontendOptions
from kernlint.frontends.clang import ClangFrontend
from kernlint.project import Projects
from kernlint.source import read
from kernlint.tree.dump import module_text
from kernlint.tree.nodes import Module

SCALE = """KERNEL void scale(GLOBAL real *x, int n) {
    int i = get_global_id(0);
    if (i < n) x[i] = twice(x[i]);
}
__kernel void plain(__global real *x, int n) { int i = get_global_id(0); if (i < n) x[i] = twice(x[i]); }
"""
COMMON = """#define KERNEL __kernel
#define GLOBAL __global
#ifndef WIDE
#define WIDE 0
#endif
#if WIDE
typedef double real;
#else
typedef float real;
#endif
"""


def read_in(folder: Path, files: dict[str, str], path: str) -> Module:
    """The module of one file of a project of ``files``, as it is read first."""
    return read_all(folder, files, path)[0]


def read_all(folder: Path, files: dict[str, str], path: str) -> Sequence[Module]:
    """The modules of one file of a project of ``files``."""
    for name, text in {".git/HEAD": "", **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    main = str(folder / path)
    around = Projects([str(folder)], cache=False).questions(main)
    return ClangFrontend().parse_file(read(main), FrontendOptions(around=around))


def losses(found: Module) -> list[str]:
    return [loss.reason for function in found.functions for loss in function.losses]


def test_a_file_without_kernels_goes_before_the_program(tmp_path: Path) -> None:
    files = {"k/scale.cl": SCALE, "k/common.cl": COMMON, "k/twice.cl": "real twice(real x) { return x + x; }\n"}
    found = read_in(tmp_path, files, "k/scale.cl")
    assert [kernel.name for kernel in found.kernels] == ["scale", "plain"]
    assert not losses(found) and not found.synthesised
    assert "twice(f32 x)" in module_text(found)


def test_files_that_are_raw_strings(tmp_path: Path) -> None:
    quoted = {name: f'\nR"(\n{text}\n)"\n' for name, text in (("scale", SCALE), ("common", COMMON))}
    files = {
        "scale.opencl": quoted["scale"],
        "common.opencl": quoted["common"] + '\nR"(\n#define twice(x) (x + x)\n)"\n',
    }
    assert not losses(read_in(tmp_path, files, "scale.opencl"))


def test_strings_of_the_host(tmp_path: Path) -> None:
    host = """void make(bool wide) {
        if (wide) source << "typedef double real;\\n";
        else source << "typedef float real;\\n#define KERNEL __kernel\\n";
        defines["twice"] = "exp";
        defines["n2"] = number(n);
    }"""
    files = {"src/scale.cl": SCALE.replace("GLOBAL", "__global"), "host/make.cpp": host}
    found = read_in(tmp_path, files, "src/scale.cl")
    assert not losses(found)


SHAPED = "__kernel void fill(__global float *x) { switch (SHAPE) { case 0: x[get_global_id(0)] = EDGE; } }\n"


@pytest.mark.parametrize(("shape", "taken"), [('"round"', False), ('"a" "b"', False), ("2", True)])
def test_a_text_of_the_host_is_no_number_of_the_device(tmp_path: Path, shape: str, taken: bool) -> None:
    names = f"#define SHAPE {shape}\n#define EDGE 0.5f\n"
    found = read_in(tmp_path, {"k/fill.cl": SHAPED, "host/names.h": names}, "k/fill.cl")
    assert not losses(found) or not taken
    assert not any("integer type" in loss for loss in losses(found))
    assert ("SHAPE" in found.synthesised) is not taken and "EDGE" not in found.synthesised


TABLE = """// whoever calls this may define scaled for himself
void make(bool wide, bool fast) {
    if (wide) source << "typedef double scaled;\\n";
    else source << "typedef float scaled;\\n";
    if (fast)
        macros["MOVE(v, by)"] = "{"
            "scaled half_way = v + by; \\\\\\n"
            "v = half_way + by;}";
    macros["ROOT"] = wide ? "sqrt" : "sqrtf";
    macros["JOIN"] = "__syncwarp();";
    if (fast) macros["JOIN"] = "";
}"""


def test_tables_of_macros_with_parameters_and_alternatives(tmp_path: Path) -> None:
    program = """extern "C" __global__ void k(float* x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        JOIN
        if (i < n) {
            scaled v = x[i];
            MOVE(v, 2)
            x[i] = ROOT(v);
        }
    }"""
    files = {"k/move.cu": program, "host/make.cpp": TABLE, "host/api.h": "// programs define scaled\n"}
    found = read_in(tmp_path, files, "k/move.cu")
    assert not losses(found) and not found.synthesised
    text = module_text(found)
    assert "half_way" in text and "sqrtf!" in text and "syncwarp" in text


def test_names_that_only_a_setting_shows_are_looked_for_besides(tmp_path: Path) -> None:
    program = """extern "C" __global__ void k(float* x) {
        scaled v = x[threadIdx.x];
    #ifdef SHIFTED
        MOVE(v, 1)
    #endif
        x[threadIdx.x] = v;
    }"""
    modules = read_all(tmp_path, {"k/move.cu": program, "host/make.cpp": TABLE}, "k/move.cu")
    assert len(modules) == 2 and not any(map(losses, modules))
    assert "half_way" in module_text(modules[1])


def test_a_function_known_for_other_arguments_is_looked_for(tmp_path: Path) -> None:
    program = """extern "C" __global__ void k(float2* x) {
        float2 v = make_float2(1.0f);
        x[threadIdx.x] = v + x[threadIdx.x];
    }"""
    pairs = """inline __device__ float2 make_float2(float a) { return make_float2(a, a); }
inline __device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
"""
    found = read_in(tmp_path, {"k/pair.cu": program, "k/pairs.cu": pairs}, "k/pair.cu")
    assert not losses(found) and not found.synthesised


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("other.cl", COMMON + SCALE),  # a program of its own
        ("other.cu", COMMON),  # another language
        ("other.txt", COMMON),
    ],
)
def test_what_does_not_go_before_it(tmp_path: Path, name: str, text: str) -> None:
    found = read_in(tmp_path, {"scale.cl": SCALE, name: text}, "scale.cl")
    assert "real" in found.synthesised


def test_numbers_that_differ_are_nobodys(tmp_path: Path) -> None:
    program = "__kernel void k(__global int *x) { x[get_global_id(0)] = WIDTH; }"
    files = {"k.cl": program, "a.h": "#define WIDTH 16\n", "b.h": "#define WIDTH 32\n"}
    assert read_in(tmp_path, files, "k.cl").synthesised == {"WIDTH"}
    (tmp_path / "b.h").unlink()
    assert not read_in(tmp_path, {"k.cl": program, "a.h": "#define WIDTH 16\n"}, "k.cl").synthesised


def test_with_a_header_missing_nothing_is_looked_for(tmp_path: Path) -> None:
    files = {"scale.cl": '#include "away.h"\n' + SCALE, "common.cl": COMMON}
    assert "real" in read_in(tmp_path, files, "scale.cl").synthesised


def test_kernels_that_only_a_macro_shows(tmp_path: Path) -> None:
    program = """KERNEL void shift(GLOBAL real* x, real step, int n) {
        int i = get_global_id(0);
        if (i < n) x[i] += step;
    }"""
    host = 'void make() { source << "#define step 2\\n"; }'
    files = {"k/shift.cc": program, "common.cl": COMMON, "make.cpp": host}
    found = read_in(tmp_path, files, "k/shift.cc")
    assert [kernel.name for kernel in found.kernels] == ["shift"] and not losses(found)


TUNED = """__kernel void rows(__global float *x, const int pitch) {
    const int first = get_group_id(0) * (TILE + pitch * TILE);
    __local float t[TILE];
    t[get_local_id(0)] = x[first + get_local_id(0)];
}
"""


def test_tables_of_tuned_numbers_give_names_their_value(tmp_path: Path) -> None:
    table = 'const Table kTuned = {"default", {{"TILE", %d}, {"WIDE", 8}}};\n'
    files = {"k/rows.cl": TUNED, "host/tuned.hpp": table % 16, "host/tuned_too.hpp": table % 16}
    found = read_in(tmp_path, files, "k/rows.cl")
    assert not losses(found)
    assert "f32[16]" in module_text(found)


def test_tables_that_differ_give_none(tmp_path: Path) -> None:
    files = {"k/rows.cl": TUNED, "host/tuned.hpp": '{"TILE", 16}', "host/tuned_too.hpp": '{"TILE", 32}'}
    assert read_in(tmp_path, files, "k/rows.cl").setting == "TILE = 64"


def test_products_of_unknown_names_end(tmp_path: Path) -> None:
    text = TUNED.replace("TILE + pitch * TILE", "(WIDE * TILE) + (TILE * WIDE)")
    assert read_in(tmp_path, {"k/rows.cl": text}, "k/rows.cl").setting == "TILE = 64"
