"""Arrays that carry their extents (numba): a test that keeps threads off the rim is no sign of threads beyond it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernlint.cli import main

KERNEL = """
import numpy as np
from numba import cuda, float32

@cuda.jit
def average(field, out):
    tile = cuda.shared.array((18, 18), float32)
    row, column = cuda.grid(2)
    y, x = cuda.threadIdx.x + 1, cuda.threadIdx.y + 1
    tile[y, x] = field[row, column]
    if cuda.threadIdx.x == 0 and row > 0:
        tile[0, x] = field[row - 1, column]
    cuda.syncthreads()
    if TEST:
        out[row, column] = tile[y, x] + tile[y - 1, x]
"""
HOST = """
def run(rounds):
    there = cuda.to_device(np.zeros((256, 256), dtype=np.float32))
    other = cuda.to_device(np.zeros((256, 256), dtype=np.float32))
    for _ in range(rounds):
        average[GRID, (16, 16)](there, other)
        kept = there
        there = other
        other = kept
"""
INNER = "0 < row < field.shape[0] - 1 and 0 < column < field.shape[1] - 1"
ALL = "row < field.shape[0] and column < field.shape[1]"


@pytest.mark.parametrize(
    ("test", "grid", "lines"),
    [
        (INNER, None, []),
        (INNER, "(16, 16)", []),
        (INNER, "(17, 16)", [10]),
        (ALL, None, [10]),
        (ALL, "(16, 16)", []),
        (ALL, "(17, 16)", [10]),
    ],
)
def test_a_tile_loaded_before_the_test(
    test: str, grid: str | None, lines: list[int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = KERNEL.replace("TEST", test) + ("" if grid is None else HOST.replace("GRID", grid))
    (tmp_path / "a.py").write_text(text)
    main(["check", "--no-cache", "--select", "KL101,KL102,KL103", "--format", "json", str(tmp_path / "a.py")])
    found = json.loads(capsys.readouterr().out)["findings"]
    told = sorted({one["line"] for one in found if one["severity"] != "note"})
    assert told[:1] == lines
