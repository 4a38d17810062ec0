"""Code that whoever wrote it has switched off by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.cli.entry import main

CODE = """
DEFINED
__global__ void scale(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2.0f;
}
#ifdef FUSED
__global__ void total(const float *x, float *out) {
    __shared__ float part[64];
    part[threadIdx.x] = x[threadIdx.x];
    out[threadIdx.x] = part[63 - threadIdx.x];
}
#endif
"""


@pytest.mark.parametrize(
    ("defined", "told"),
    [
        ("// #define FUSED", False),
        ("//#define FUSED  // slower", False),
        ("/* #define FUSED */", False),
        ("#define FUSED", True),
        ("", True),
        ("// #define OTHER", True),
    ],
)
def test_findings_under_a_definition_in_a_comment_are_notes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], defined: str, told: bool
) -> None:
    file = tmp_path / "kernels.cu"
    file.write_text(CODE.replace("DEFINED", defined))
    main(["check", "--no-cache", str(file)])
    assert ("KL201" in capsys.readouterr().out) is told
    main(["check", "--no-cache", "--pedantic", str(file)])
    assert "KL201" in capsys.readouterr().out
