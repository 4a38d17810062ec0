"""Launchers whose callers in other files choose the device."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernlint.cli import main

LAUNCHER = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
__global__ void clear(float *x, long n) { if (threadIdx.x < n) x[threadIdx.x] = 0.0f; }
KIND void launch_clear(at::Tensor x) {
    clear<<<1, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), x.numel());
}
"""
CALLER = """
#include <torch/extension.h>
void launch_clear(at::Tensor x);
void clear_all(at::Tensor x) { GUARD launch_clear(x); }
"""


@pytest.mark.parametrize(
    ("kind", "guard", "told"),
    [
        ("", "const at::cuda::OptionalCUDAGuard guard(device_of(x));", False),
        ("", "", True),
        ("static", "const at::cuda::OptionalCUDAGuard guard(device_of(x));", True),
    ],
)
def test_callers(tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, guard: str, told: bool) -> None:
    (tmp_path / "clear.cu").write_text(LAUNCHER.replace("KIND", kind))
    (tmp_path / "ops.cpp").write_text(CALLER.replace("GUARD", guard))
    main(["check", "--no-cache", "--format", "json", str(tmp_path)])
    codes = [finding["code"] for finding in json.loads(capsys.readouterr().out)["findings"]]
    assert ("KL621" in codes) is told


HELPERS = """
#pragma once
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
__global__ void negate(float *x, long n) { if (threadIdx.x < n) x[threadIdx.x] = -x[threadIdx.x]; }
template <typename T>
void launch_negate_t(const torch::Tensor &x) {
    negate<<<1, 256, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), x.numel());
}
inline void launch_negate(const torch::Tensor &x) { launch_negate_t<float>(x); }
"""
USER = """
#include "negate.cuh"
void fold(torch::Tensor x) {
    TORCH_CHECK(x.is_cuda());
    GUARD
    for (int i = 0; i < 3; ++i) { launch_negate(x); }
}
"""
REGISTERED = """
void launch_clear(at::Tensor x);
void clear_impl(at::Tensor x);
REGISTER_DEVICE_IMPL(clear_impl, CUDA, launch_clear);
"""
DISPATCHED = """
void clear_impl(at::Tensor x) { DISPATCH_DEVICE_IMPL(clear_impl, x); }
void clear_all(at::Tensor x) { GUARD clear_impl(x); }
void other(at::Tensor x) { OTHER }
"""


@pytest.mark.parametrize(
    ("guard", "other", "told"),
    [
        ("at::DeviceGuard guard(x.device());", "", False),
        ("", "", True),
        ("", "at::DeviceGuard guard(x.device());", True),
    ],
)
def test_callers_further_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], guard: str, other: str, told: bool
) -> None:
    (tmp_path / "clear.cu").write_text(LAUNCHER.replace("KIND", ""))
    (tmp_path / "bind.cpp").write_text(REGISTERED)
    (tmp_path / "ops.cpp").write_text(DISPATCHED.replace("GUARD", guard).replace("OTHER", other))
    main(["check", "--no-cache", "--format", "json", str(tmp_path)])
    codes = [finding["code"] for finding in json.loads(capsys.readouterr().out)["findings"]]
    assert ("KL621" in codes) is told


@pytest.mark.parametrize("guard", ["const c10::cuda::OptionalCUDAGuard guard(x.device());", ""])
def test_callers_of_callers(tmp_path: Path, capsys: pytest.CaptureFixture[str], guard: str) -> None:
    (tmp_path / "negate.cuh").write_text(HELPERS)
    (tmp_path / "fold.cu").write_text(USER.replace("GUARD", guard))
    main(["check", "--no-cache", "--format", "json", str(tmp_path)])
    codes = [finding["code"] for finding in json.loads(capsys.readouterr().out)["findings"]]
    assert ("KL621" in codes) is (not guard)
