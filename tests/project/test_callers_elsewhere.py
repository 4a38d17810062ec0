"""What other files say of a launcher's sizes, and of which file's kernel a program launches by its name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernlint.cli import main


def codes(folder: Path, files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> set[tuple[str, str]]:
    """Files and the codes of what is found in them."""
    for name, text in files.items():
        (folder / name).write_text(text)
    main(["check", "--no-cache", "--format", "json", str(folder)])
    found = json.loads(capsys.readouterr().out)["findings"]
    return {(Path(one["file"]).name, one["code"]) for one in found if one["severity"] != "note"}


LAUNCHER = """
__global__ void k(float *x, int r, int n) { x[threadIdx.y * blockDim.x + threadIdx.x] = n; }
void launch(float *x, int r, int n) { k<<<1, dim3(2 * r + 1, 2 * r + 1)>>>(x, r, n); }
"""


@pytest.mark.parametrize(
    ("caller", "told"), [("", True), ("#define R 4\nvoid go(float *x) { launch(x, R, 3); }", False)]
)
def test_who_calls_a_launcher_knows_its_block(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caller: str, told: bool
) -> None:
    files = {"launcher.cu": LAUNCHER}
    if caller:
        files["main.cpp"] = "void launch(float *x, int r, int n);\n" + caller
    assert (("launcher.cu", "KL601") in codes(tmp_path, files, capsys)) is told


HOST = """
#include <CL/cl.h>
void set(cl_kernel k, cl_mem x) { clSetKernelArg(k, 0, sizeof(cl_mem), &x); }
void run(cl_context c, cl_command_queue q, cl_mem x, size_t n) {
    cl_program p = load(c, "FILE.cl");
    cl_kernel k = clCreateKernel(p, "step", nullptr);
    clSetKernelArg(k, 0, sizeof(cl_mem), &x);
    clEnqueueNDRangeKernel(q, k, 1, nullptr, &n, nullptr, 0, nullptr, nullptr);
}
"""
ONE = "kernel void step(global float *x) { x[get_global_id(0)] = 1.0f; }"
TWO = "kernel void step(global float *x, global float *y) { x[get_global_id(0)] = y[get_global_id(0)]; }"


@pytest.mark.parametrize(("named", "told"), [("one", False), ("two", True)])
def test_a_name_that_several_files_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], named: str, told: bool
) -> None:
    files = {"host.cpp": HOST.replace("FILE", named), "one.cl": ONE, "two.cl": TWO}
    assert ("KL617" in {code for _, code in codes(tmp_path, files, capsys)}) is told


ROWS = """
__global__ void level(float *x, int columns) {
    float *row = x + (size_t)(blockIdx.x * blockDim.y + threadIdx.y) * columns;
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
        row[c] *= 0.5f;
}
void launch(float *x, int rows, int columns) { level<<<(rows + 3) / 4, dim3(32, 4)>>>(x, columns); }
"""


@pytest.mark.parametrize(("check", "told"), [("if (rows % 4 != 0) return;", False), ("if (rows % 2) return;", True)])
def test_rows_that_only_a_caller_elsewhere_keeps_to_whole_blocks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], check: str, told: bool
) -> None:
    caller = "void launch(float *x, int rows, int columns);\n"
    caller += f"void go(float *x, int rows, int columns) {{ {check} launch(x, rows, columns); }}\n"
    found = codes(tmp_path, {"rows.cu": ROWS, "go.cpp": caller, "Makefile": ""}, capsys)
    assert found == ({("rows.cu", "KL101")} if told else set())


FLUENT = """#pragma once
#include "away.h"
class Launch {
    unsigned items_, threads_ = 64;
public:
    explicit Launch(unsigned items) : items_(items) {}
    Launch &threads(unsigned count) { threads_ = count; return *this; }
    template <class... Params, class... Args> void operator()(void (*kernel)(Params...), Args... args) const {
        kernel<<<(items_ + threads_ - 1) / threads_, threads_>>>(args...);
    }
};
#define START(kernel, count, threads, ...) kernel<<<((count) + (threads) - 1) / (threads), threads>>>(__VA_ARGS__)
"""
CLIP = """#include "kernels.h"
__global__ void clip(float *x, int n) {
    __shared__ float held[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    held[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i < n) x[i] = held[blockDim.x - 1 - threadIdx.x];
}
"""


@pytest.mark.parametrize("start", ["Launch(n).threads(COUNT)(clip, x, n);", "START(clip, n, COUNT, x, n);"])
@pytest.mark.parametrize(("count", "told"), [("64", False), ("128", True)])
def test_a_kernel_that_another_file_hands_to_what_a_header_launches_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], start: str, count: str, told: bool
) -> None:
    user = '#include "launch.cuh"\n#include "kernels.h"\nvoid go(float *x, int n) { ' + start + " }\n"
    files = {"launch.cuh": FLUENT, "kernels.h": "__global__ void clip(float *x, int n);\n", "clip.cu": CLIP}
    found = codes(tmp_path, {**files, "go.cu": user.replace("COUNT", count), "Makefile": ""}, capsys)
    assert found == ({("clip.cu", "KL104")} if told else set())


CHOOSING = HOST.replace('load(c, "FILE.cl")', "load(c)")
WIDER = "kernel void step(global float *x, int wide) { x[get_global_id(0)] = wide; }"
SETS_WIDE = CHOOSING.replace("&x);\n    clEnq", "&x);\n    clSetKernelArg(k, 1, sizeof(int), &n);\n    clEnq")


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (WIDER, False),  # of both kernels nobody says which is meant
        (ONE, True),  # they take the same
        ("kernel void other(global float *x, int wide) { x[get_global_id(0)] = wide; }", True),
    ],
)
def test_an_argument_that_one_of_two_kernels_of_a_name_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], other: str, told: bool
) -> None:
    files = {"host.cpp": SETS_WIDE, "step.cl": ONE, "flat.cl": other}
    assert (("host.cpp", "KL617") in codes(tmp_path, files, capsys)) is told


MADE = """
#define STEP(name) name(global float *x, int wide)
kernel void STEP(step) { x[get_global_id(0)] = wide; }
"""


@pytest.mark.parametrize(("near", "told"), [("b", False), ("a", True)])
def test_a_kernel_whose_name_and_parameters_a_macro_makes_is_defined_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], near: str, told: bool
) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    files = {f"{near}/host.cpp": SETS_WIDE, "a/one.cl": ONE, "b/two.cl": MADE}
    assert (("host.cpp", "KL617") in codes(tmp_path, files, capsys)) is told


@pytest.mark.parametrize(("wide", "told"), [("ulong", True), ("int", False)])
def test_a_host_means_the_kernel_that_it_holds_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wide: str, told: bool
) -> None:
    other = {"ulong": "int", "int": "ulong"}[wide]
    text = WIDER.replace("kernel void", "__kernel void").replace("global float", "__global float")
    held = f'static const char *text = R"CLC(\n{text.replace("int wide", f"{wide} wide")}\n)CLC";\n'
    files = {
        "host.cpp": held + SETS_WIDE.replace("size_t n", "int n"),
        "flat.cl": WIDER.replace("int wide", f"{other} wide"),
    }
    assert (("host.cpp", "KL617") in codes(tmp_path, files, capsys)) is told
