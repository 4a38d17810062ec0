"""What findings advise is written in the language of the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernlint.cli import main

CUDA = (
    "__global__ void twice(float *x, {} n) {{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }}"
)
OPENCL = (
    "__kernel void twice(__global float *x, {} n) {{ int i = get_group_id(0) * get_local_size(0) + get_local_id(0); "
    "if (i < n) x[i] *= 2; }}"
)


@pytest.mark.parametrize(
    ("name", "text", "count", "advice"),
    [
        ("a.cu", CUDA, "long long", "(long long)blockIdx.x * blockDim.x + threadIdx.x"),
        ("a.cu", CUDA, "size_t", "(size_t)blockIdx.x * blockDim.x + threadIdx.x"),
        ("a.cl", OPENCL, "long", "(long)get_group_id(0) * get_local_size(0) + get_local_id(0)"),
        ("a.cl", OPENCL, "ulong", "(ulong)get_group_id(0) * get_local_size(0) + get_local_id(0)"),
    ],
)
def test_a_cast_that_the_language_has(
    name: str, text: str, count: str, advice: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(text.format(count))
    main(["check", "--no-cache", "--select", "KL401", "--format", "json", str(tmp_path / name)])
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert found["fix"]["description"] == f"widen before multiplying: {advice}"
