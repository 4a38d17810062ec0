"""Architectures that build files name, and what warps do on them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernlint.cli import main
from kernlint.project.architectures import named

FOLD = """
__global__ void total(int *in, int *out) {
    __shared__ volatile int part[128];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    if (t < 32) {
        part[t] += part[t + 32];
        part[t] += part[t + 16];
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
void run(int *in, int *out) { total<<<64, 128>>>(in, out); }
"""
IN_PLACE = """
__global__ void total(int *in, int *out) {
    int t = threadIdx.x;
    int *own = in + blockIdx.x * 128;
    __syncthreads();
    if (t < SOME) {
        volatile int *part = own;
        part[t] += part[t + SOME];
        part[t] += part[t + SOME / 2];
    }
    if (t == 0) out[blockIdx.x] = own[0];
}
void run(int *in, int *out) { total<<<64, 128>>>(in, out); }
"""
OLD = 'set(CMAKE_CUDA_FLAGS "-arch=compute_35 -O3")\n'


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("sums.vcxproj", "<CodeGeneration>compute_30,sm_30;compute_52,sm_52</CodeGeneration>", "note"),
        ("sums.vcxproj", "<CodeGeneration>compute_30,sm_30;compute_75,sm_75</CodeGeneration>", "warning"),
        ("configure", 'NVCC_FLAGS="-gencode arch=compute_61,code=sm_61"', "note"),
        ("configure", 'NVCC_FLAGS="-gencode arch=compute_${ARCH},code=sm_${ARCH}"', "warning"),
        ("notes.txt", "built for sm_35", "warning"),
    ],
)
def test_what_builds_elsewhere_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, told: str
) -> None:
    (tmp_path / "Makefile").write_text("all: total.o\n")
    (tmp_path / name).write_text(text)
    (tmp_path / "total.cu").write_text(FOLD)
    main(["check", "--no-cache", "--pedantic", "--format", "json", str(tmp_path / "total.cu")])
    found = {one["severity"] for one in json.loads(capsys.readouterr().out)["findings"] if one["code"] == "KL204"}
    assert found == {told}


@pytest.mark.parametrize(
    ("build", "told"),
    [
        (OLD, "note"),
        ("", "warning"),
        (OLD + '#set(CMAKE_CUDA_FLAGS "-arch=sm_75")\n', "warning"),
        (OLD + 'set(CMAKE_CUDA_FLAGS "-gencode arch=compute_${ARCH},code=sm_${ARCH}")\n', "warning"),
    ],
)
@pytest.mark.parametrize(("text", "code"), [(FOLD, "KL204"), (IN_PLACE.replace("SOME", "16"), "KL205")])
def test_warps_of_old_builds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], build: str, told: str, text: str, code: str
) -> None:
    (tmp_path / "CMakeLists.txt").write_text("project(sums CUDA)\n" + build)
    (tmp_path / "total.cu").write_text(text)
    main(["check", "--no-cache", "--pedantic", "--format", "json", str(tmp_path / "total.cu")])
    found = {one["severity"] for one in json.loads(capsys.readouterr().out)["findings"] if one["code"] == code}
    assert found and (found <= {"note"}) is (told == "note")


def test_two_warps_of_old_builds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "CMakeLists.txt").write_text("project(sums CUDA)\n" + OLD)
    (tmp_path / "total.cu").write_text(IN_PLACE.replace("SOME", "64"))
    main(["check", "--no-cache", "--pedantic", "--format", "json", str(tmp_path / "total.cu")])
    found = [one["severity"] for one in json.loads(capsys.readouterr().out)["findings"] if one["code"] == "KL205"]
    assert found and set(found) <= {"warning", "error"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NVCCFLAGS = -gencode arch=compute_30,code=sm_35", (30, 35)),
        ("#NVCCFLAGS = -arch=sm_30", ()),
        ("NVCCFLAGS = -arch=sm_50\n#NVCCFLAGS = -arch=sm_75", (50, 75)),
        ("SMS ?= 35 50\nNVCCFLAGS = -arch=sm_50", ()),
        ("set(CMAKE_CUDA_ARCHITECTURES 60)\n# sm_50", ()),
        ('set(CMAKE_CXX_FLAGS "-march=native")\nset(OLD sm_50)', (50,)),
        ("cuda_select_nvcc_arch_flags(FLAGS Auto)\nset(OLD sm_50)", ()),
    ],
)
def test_named(text: str, expected: tuple[int, ...]) -> None:
    assert named([text]) == expected


EDGES = """
__global__ void edges(const float *in, float *out, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    out[x] = in[x];
    if (in[x] < 0.0f && x > 0) out[x - 1] = 0.0f;
}
void run(const float *in, float *out, int width) { edges<<<(width + 63) / 64, 64>>>(in, out, width); }
"""


def test_neighbours_are_of_other_warps_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "Makefile").write_text("NVCCFLAGS = -arch=sm_35\n")
    (tmp_path / "edges.cu").write_text(EDGES)
    main(["check", "--no-cache", "--pedantic", "--format", "json", str(tmp_path / "edges.cu")])
    found = json.loads(capsys.readouterr().out)["findings"]
    assert "warning" in {one["severity"] for one in found if one["code"] == "KL205"}
