"""Launches that round up what the only callers, in Python, have padded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_own_headers import check, codes

CODE = """
#include <torch/extension.h>
__global__ void scale(float *x, float by) { x[blockIdx.x * 128 + threadIdx.x] *= by; }
void scale_rows(at::Tensor x, const int n, const double by) {
    scale<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), (float)by);
}
"""
BINDINGS = """
#include <torch/extension.h>
void scale_rows(at::Tensor x, const int n, const double by);
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("scale_rows", &scale_rows, "scale_rows (CUDA)"); }
"""
PYTHON = """
import torch
import _rows as _backend

UNIT = 256

class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, by):
        n = x.shape[0]
        _backend.scale_rows(x, n, by)
        return x

def scale(x, by, width=64):
    n = x.shape[0]
    PAD
    return Scale.apply(x, by)[:n]
"""
CAT = "x = torch.cat([x, x.new_zeros(pad)])"


@pytest.mark.parametrize(
    ("pad", "told"),
    [
        (f"pad = 128 - (n % 128); {CAT}", False),
        (f"pad = UNIT - n % UNIT; {CAT}", False),
        (f"pad = (-n) % 128; {CAT}", False),
        (f"pad = -x.shape[0] % 128; {CAT}", False),
        (f"pad = (n + 127) // 128 * 128 - n; {CAT}", False),
        ("assert n % 128 == 0", False),
        (f"count = x.numel(); pad = 128 - count % 128; {CAT}".replace("; ", "\n    "), False),
        (f"rows, = x.shape; pad = 128 - rows % 128; {CAT}".replace("; ", "\n    "), False),
        ("pass", True),
        (f"pad = 64 - (n % 64); {CAT}", True),
        (f"pad = 128 - (width % 128); {CAT}", True),
        ("assert width % 128 == 0", True),
        (f"wide = 2 * width; pad = 128 - wide % 128; {CAT}".replace("; ", "\n    "), True),
    ],
)
def test_what_python_pads(pad: str, told: bool, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "rows.cu").write_text(CODE)
    (tmp_path / "bindings.cpp").write_text(BINDINGS)
    (tmp_path / "rows.py").write_text(PYTHON.replace("PAD", pad))
    assert ("KL101" in codes(check(tmp_path, "rows.cu"))) is told


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("other.py", "import torch\nimport _rows\n\ndef run(x):\n    _rows.scale_rows(x, len(x), 2.0)\n"),
        (
            "other.cpp",
            "void scale_rows(at::Tensor x, int n, double by);\nvoid run(at::Tensor x) { scale_rows(x, 3, 2.0); }\n",
        ),
    ],
)
def test_who_else_calls_pads_nothing(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "rows.cu").write_text(CODE)
    (tmp_path / "rows.py").write_text(PYTHON.replace("PAD", f"pad = 128 - (n % 128); {CAT}"))
    (tmp_path / name).write_text(text)
    assert "KL101" in codes(check(tmp_path, "rows.cu"))
