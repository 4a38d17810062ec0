"""The bench that takes barriers out: what it calls wrong, right and not run, and what it draws."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kernlint.prove.emulate import Budget

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench" / "gpu")]

from generate import standing_alone  # noqa: E402
from mutants import content  # noqa: E402
from removals import Removal, verdict, with_barriers, without, written  # noqa: E402
from trials import Reader, Trial, trials  # noqa: E402

TWICE = """
__global__ void __launch_bounds__(256) mirrored(float *out, const float *in, int n) {
    __shared__ float row[256];
    row[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();  // needed
    float v = row[255 - threadIdx.x];
    if (threadIdx.x == 0) out[gridDim.x * 256 + blockIdx.x] = v;
    __syncthreads();  // not needed
    if (threadIdx.x < n) out[blockIdx.x * 256 + threadIdx.x] = v;
}
__global__ void alone(float *out, int n) {
    if (threadIdx.x < n) out[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}
"""


def removal(path: Path, word: str) -> Removal:
    text = path.read_text()
    end = text.index(word)
    start = text.rindex("__syncthreads()", 0, end)
    return Removal(str(path), "mirrored", text[:start].count("\n") + 1, start, start + len("__syncthreads()"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mirrored.cu"
    path.write_text(TWICE)
    return path


def test_a_barrier_that_is_needed_is_wrong_to_remove(file: Path) -> None:
    assert verdict(Reader(str(file.parent)), removal(file, "// needed")).says == "wrong"


def test_one_that_is_not_is_right_under_the_block_that_the_kernel_asks_for(file: Path) -> None:
    found = verdict(Reader(str(file.parent)), removal(file, "// not needed"))
    assert found.says == "right"
    assert found.why.startswith("block 256x1x1") and found.why.endswith("clean")


def test_a_barrier_that_no_run_passes_is_not_judged(tmp_path: Path) -> None:
    path = tmp_path / "never.cu"
    path.write_text(TWICE.replace("__syncthreads();  // needed", "if (n < 0) { __syncthreads(); }  // needed"))
    found = verdict(Reader(str(tmp_path)), removal(path, "// needed"))
    assert (found.says, found.why) == ("not run", "no run passes the barrier")


def test_the_reason_is_said_where_no_run_ends(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Trial.run, "__defaults__", (content, Budget(steps=100)))
    found = verdict(Reader(str(file.parent)), removal(file, "// not needed"))
    assert (found.says, found.why) == ("not run", "more steps than the budget has")


def test_headers_of_the_project_are_read(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "row.h").write_text("template <class T> __device__ T same(T v) { return v; }\n")
    path = tmp_path / "mirrored.cu"
    path.write_text('#include "include/row.h"\n' + TWICE.replace("float v = row", "float v = same(1.0f) * row"))
    assert verdict(Reader(str(tmp_path)), removal(path, "// not needed")).says == "right"


def test_places_stay_where_they_were(file: Path) -> None:
    text = file.read_bytes()
    changed = without(text, removal(file, "// needed"))
    assert len(changed) == len(text) and b"(void)0        ;  // needed" in changed


def test_blocks_of_the_finding_and_of_the_template_come_first(tmp_path: Path) -> None:
    text = b"""template <int ROWS> __global__ void rows(int *out) {
        out[(blockIdx.x * ROWS + threadIdx.y) * 32 + threadIdx.x] = 0; }
        void go(int *out) { rows<4><<<dim3(2), dim3(32, 4)>>>(out); }"""
    [(function, _)] = Reader(str(tmp_path)).variants(str(tmp_path / "rows.cu"), text, "rows")
    assert next(iter(trials(function, ("block = 64 x 2 (a launch in sight)",)))).block == (64, 2, 1)
    assert next(iter(trials(function))).block == (32, 4, 1)


def test_kernels_with_a_barrier_are_drawn_by_seed(file: Path) -> None:
    assert [name for _, _, name in with_barriers([str(file.parent)], 0, 1)] == ["mirrored"]
    command = [sys.executable, str(ROOT / "bench" / "removals.py"), str(file.parent), "--kernels", "1", "--seed", "1"]
    out = subprocess.run(command, capture_output=True, text=True, check=False)
    assert out.returncode == 0, out.stderr
    assert out.stdout.splitlines()[-1].startswith("1 kernels, 1 removals: {'right': 1}"), out.stdout


def test_programs_hold_their_own_headers(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("#pragma once\nint own;\n")
    text = b'#include "own.h"\n#include "own.h"\n#include <hip/hip_fp16.h>\n#include <torch/all.h>\n#include <cmath>\n'
    out = standing_alone(text, str(tmp_path / "a.hip"), ("USE_ROCM defined", "n > 0"))
    assert out.count(b"int own;") == 1 and b"torch" not in out and b"hip" not in out
    assert b"#define USE_ROCM 1" in out and b"<cuda_fp16.h>" in out and b"<cmath>" in out


def test_a_program_holds_what_the_kernel_needs_and_no_more(tmp_path: Path) -> None:
    path = tmp_path / "mirrored.cu"
    text = """#include <torch/all.h>
template <class T> __device__ T same(T v) { return v; }
extern "C" void other(float *out, const float *in) { torch::check(out); }
"""
    path.write_text(text + TWICE.replace("float v = row", "float v = same(1.0f) * row"))
    one = removal(path, "// not needed")
    found = verdict(Reader(str(tmp_path)), one)
    assert found.chosen is not None
    [entry] = written(one, *found.chosen, tmp_path / "out")
    program = (tmp_path / "out" / f"{entry['name']}.cu").read_text()
    assert "T same(T v)" in program and "torch" not in program and 'extern "C"' not in program
    assert "mirrored<<<dim3(2, 1, 1), dim3(256, 1, 1), 0>>>(filled<float>(" in program
    assert program.count("__syncthreads()") == 1 and "(void)0        ;  // not needed" in program
