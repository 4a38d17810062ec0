"""``kernlint why FILE:LINE``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kernlint.cli import main

KERNELS = """\
__global__ void find(const int *keys, int key, int *out, int n) {
    __shared__ int where;
    if (threadIdx.x == 0) where = -1;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && keys[i] == key) where = i;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = where;
}
__global__ void late(const float *x, float *out, int n) {
    __shared__ float tile[256];
    tile[threadIdx.x] = x[threadIdx.x];
    out[threadIdx.x] = tile[255 - threadIdx.x];
    report(n);
}
"""


@pytest.fixture
def why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """``why(line, *options)``: exit code, and what is printed."""
    (tmp_path / "k.cu").write_text(KERNELS)

    def run(line: int, *options: str) -> tuple[int, str]:
        code = main(["why", f"{tmp_path}/k.cu:{line}", "--color", "never", *options])
        return code, capsys.readouterr().out

    return run


def test_an_excuse_is_told_with_its_name_and_the_launch(why: Any) -> None:
    code, out = why(6)
    assert code == 0
    assert "if (i < n && keys[i] == key) where = i;" in out.splitlines()[0]
    (line,) = (line for line in out.splitlines() if "excused" in line)
    assert "one of them comes by (single-winner)" in line and "block 128" in line
    assert "where is written (shared memory)" in out


def test_a_line_without_suspicion_says_what_is_proved_under_which_premises(why: Any) -> None:
    _, out = why(8)
    assert "out[blockIdx.x] is written (global memory)" in out
    bounds = [line for line in out.splitlines() if line.strip().startswith("bounds")]
    assert any("proved, if gridDim.x <= len(out)" in line for line in bounds)
    assert "excused" not in out and "reported" not in out
    _, out = why(4)
    assert "__syncthreads is waited at" in out and "barriers proved" in out
    _, out = why(5)
    assert "nothing is suspected" in out


def test_what_is_reported_and_what_is_not_known(why: Any) -> None:
    _, out = why(13)
    assert any("reported" in line and "KL201" in line for line in out.splitlines())
    _, out = why(14)
    assert "not known: call of a function that is not declared: report" in out


def test_as_json(why: Any) -> None:
    code, out = why(6, "--json")
    found = json.loads(out)
    assert code == 0 and found["line"] == 6
    assert [one["excuse"] for one in found["excused"]] == ["single-winner"]
    assert [one["what"] for one in found["kernels"][0]["accesses"]] == [
        "keys[i] is read (global memory)",
        "where is written (shared memory)",
    ]
    assert found["kernels"][0]["accesses"][0]["races"]["verdict"] == "proved"


def test_bad_places(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "k.cu").write_text(KERNELS)
    for place, said in (
        (f"{tmp_path}/k.cu", "is not FILE:LINE"),
        (f"{tmp_path}/k.cu:0", "is not FILE:LINE"),
        (f"{tmp_path}/k.cu:400", "has no line 400; it has 16"),
        (f"{tmp_path}/other.cu:1", "other.cu"),
    ):
        assert main(["why", place]) == 2
        assert said in capsys.readouterr().err
    assert main(["why", f"{tmp_path}/k.cu:6:5", "--color", "never"]) == 0  # as editors and compilers give places


def test_a_line_outside_of_kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "k.cu").write_text("int answer = 42;\n" + KERNELS)
    assert main(["why", f"{tmp_path}/k.cu:1", "--color", "never"]) == 0
    assert "no kernel of this file reaches the line" in capsys.readouterr().out
