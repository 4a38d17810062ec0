"""Arguments for clang."""

from __future__ import annotations

import pytest

from kernlint.frontends.clang.options import (
    Language,
    ParseOptions,
    base_arguments,
    cpp_standard,
    cuda_target,
    hip_target,
    opencl_standard,
    source_arguments,
)
from kernlint.frontends.clang.session import parse


@pytest.mark.parametrize(
    ("given", "used"),
    [
        (None, "sm_80"),
        ("sm_90a", "sm_90a"),
        ("sm_75", "sm_75"),
        ("sm_100", "sm_90"),
        ("sm_120a", "sm_90"),
        ("sm_77", "sm_80"),
        ("native", "sm_80"),
        ("gfx90a", "sm_80"),
    ],
)
def test_cuda_targets(given: str | None, used: str) -> None:
    assert cuda_target(given) == used


@pytest.mark.parametrize(
    ("given", "used"),
    [(None, "gfx942"), ("gfx90a:xnack-:sramecc+", "gfx90a"), ("gfx1100", "gfx1100"), ("gfx9999", "gfx942")],
)
def test_hip_targets(given: str | None, used: str) -> None:
    assert hip_target(given) == used


@pytest.mark.parametrize(
    ("given", "used"),
    [(None, "c++17"), ("c++11", "c++17"), ("c++20", "c++20"), ("gnu++2b", "gnu++2b"), ("nonsense", "c++17")],
)
def test_cpp_standards(given: str | None, used: str) -> None:
    assert cpp_standard(given) == used


@pytest.mark.parametrize(
    ("given", "used"),
    [(None, "CL3.0"), ("cl1.2", "CL1.2"), ("CL2.0", "CL2.0"), ("CL", "CL3.0"), ("clc++", "clc++"), ("c99", "CL3.0")],
)
def test_opencl_standards(given: str | None, used: str) -> None:
    assert opencl_standard(given) == used


def test_source_arguments_keep_their_order() -> None:
    options = ParseOptions(defines=("A=1", "B"), undefines=("C",), include_dirs=("x", "y"), forced=("f.h",))
    assert source_arguments(options) == ["-DA=1", "-DB", "-UC", "-Ix", "-Iy", "-include", "f.h"]


@pytest.mark.parametrize("target", [None, "sm_35", "sm_90a", "sm_103"])
@pytest.mark.parametrize("std", [None, "c++14", "c++20", "c++23"])
def test_every_cuda_configuration_parses_a_kernel(target: str | None, std: str | None) -> None:
    source = b"__global__ void k(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }"
    with parse("k.cu", source, Language.CUDA, ParseOptions(target=target, std=std), use_cache=False) as parsed:
        assert not parsed.diagnostics


@pytest.mark.parametrize("std", ["CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0", "clc++"])
def test_every_opencl_version_parses_a_kernel(std: str) -> None:
    source = b"__kernel void k(__global float4* x) { x[get_global_id(0)].x = 1.0f; barrier(CLK_LOCAL_MEM_FENCE); }"
    with parse("k.cl", source, Language.OPENCL, ParseOptions(std=std), use_cache=False) as parsed:
        assert not parsed.diagnostics


def test_defines_reach_the_source_past_the_precompiled_prelude() -> None:
    options = ParseOptions(defines=("WIDTH=8", "FLAG"))
    source = (
        b"#ifdef FLAG\n__global__ void k(int* x) { __shared__ int t[WIDTH]; }\n#endif\n#ifndef FLAG\nerror\n#endif\n"
    )
    with parse("k.cu", source, Language.CUDA, options) as parsed:
        (kernel,) = parsed.unit.top_level()
        array = next(node for node in kernel.walk() if node.spelling == "t")
        assert array.type.count == 8
        assert not parsed.diagnostics
        ((start, end),) = parsed.skipped
        assert source[start:end].startswith(b"#ifndef FLAG") and b"error" in source[start:end]


def test_the_host_is_the_same_everywhere() -> None:
    """Sizes do not depend on the machine that kernlint runs on."""
    for language in (Language.CUDA, Language.HIP):
        assert "x86_64-unknown-linux-gnu" in base_arguments(language, ParseOptions())
        with parse("k.cu", b"__device__ long a; __device__ void* p;", language) as parsed:
            assert [c.type.size for c in parsed.unit.top_level()] == [8, 8]
