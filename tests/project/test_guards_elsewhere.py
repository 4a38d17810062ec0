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
