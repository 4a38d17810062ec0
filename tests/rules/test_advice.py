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


ROUNDS = """
from numba import cuda

@cuda.jit
def rounds(table, ready, columns):
    row = cuda.threadIdx.x
    column = 0
    while column < columns:
        if row == 0:
            table[column, 0] = column{release}
            cuda.atomic.add(ready, 1, 1)
            column += 1
        elif cuda.atomic.add(ready, row, 0) > 0:{acquire}
            if column == 0:
                table[0, row] = table[0, row - 1] + 1
            else:
                table[column, row] = table[column - 1, row] + table[column, row - 1]{release}
            cuda.atomic.add(ready, row, -1)
            cuda.atomic.add(ready, row + 1, 1)
            column += 1
"""
FENCE = "\n            cuda.threadfence()"


@pytest.mark.parametrize(
    ("release", "acquire", "advice"),
    [
        ("", "", "between the store and the change of ready and between the wait for ready and what is read behind it"),
        (FENCE, FENCE, None),
    ],
)
def test_a_fence_where_a_word_tells_that_something_is_there(
    release: str, acquire: str, advice: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = ROUNDS.format(release=release, acquire=acquire)
    text += "\ndef run(table, ready):\n    rounds[1, 64](table, ready, 100)\n"
    (tmp_path / "a.py").write_text(text)
    main(["check", "--no-cache", "--select", "KL205", "--format", "json", str(tmp_path / "a.py")])
    found = json.loads(capsys.readouterr().out)["findings"]
    assert [one["fix"]["description"] for one in found] == (
        [] if advice is None else [f"put cuda.threadfence() {advice}"]
    )
