"""Hosts in Python that check a size to be a number, and stores on both sides of a branch on data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernlint.cli import main


def told(text: str, codes: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, int]]:
    (tmp_path / "a.py").write_text(text)
    main(["check", "--no-cache", "--select", codes, "--format", "json", str(tmp_path / "a.py")])
    found = json.loads(capsys.readouterr().out)["findings"]
    return [(one["code"], one["line"]) for one in found if one["severity"] != "note"]


LEVELS = """
import numpy as np
from numba import cuda

LINES, SAMPLES = 1000, 512

@cuda.jit
def levels(traces, out):
    line, sample = cuda.grid(2)
    if line < traces.shape[0] and sample < traces.shape[1]:
        out[line, sample] = abs(traces[line, sample])

def run(traces):
    if traces.shape != (LINES, SAMPLES):
        raise ValueError("another survey")
    out = cuda.device_array(traces.shape, dtype=np.float32)
    levels[BLOCKS, (32, 8)](cuda.to_device(traces), out)
    return out.copy_to_host()
"""


@pytest.mark.parametrize(
    ("blocks", "lines"),
    [
        ("(int(LINES / 32), SAMPLES // 8)", [("KL602", 17)]),
        ("(31, 64)", [("KL602", 17)]),
        ("(-(-LINES // 32), SAMPLES // 8)", []),
    ],
)
def test_a_size_that_the_host_checks_to_be_a_number(
    blocks: str, lines: list[tuple[str, int]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(LEVELS.replace("BLOCKS", blocks), "KL602", tmp_path, capsys) == lines


CHOICE = """
import numpy as np
from numba import cuda

@cuda.jit
def choose(x, keep, out):
    i = cuda.grid(1)
    if keep[i] > 0:
        out[i] = x[i]
    ELSE

def run(x, keep):
    out = cuda.device_array(1000, dtype=np.float32)
    choose[BLOCKS, 128](x, keep, out)
    return out.copy_to_host()
"""
ELSE = "else:\n        out[i] = 0"


@pytest.mark.parametrize(
    ("blocks", "other", "codes"),
    [
        (8, ELSE, ["KL101"]),
        (8, "", []),  # data may keep them away
        (8, "elif i < 1000:\n        out[i] = 0", []),
        (7, ELSE, []),
    ],
)
def test_one_of_two_stores_is_made_whatever_the_data_are(
    blocks: int, other: str, codes: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = CHOICE.replace("BLOCKS", str(blocks)).replace("ELSE", other)
    assert [code for code, _ in told(text, "KL101,KL102", tmp_path, capsys)][:1] == codes


ROWS = """
import cupy as cp

scale = cp.ElementwiseKernel(
    "raw float32 x, int32 width", "raw float32 y",
    "for (int j = 0; j < width; ++j) { INDEX; y[at] = 2.0f * x[at]; }", "scale")
"""


@pytest.mark.parametrize(("index", "count"), [("int at = i * width + j", 0), ("int at = (long long)width * j + i", 1)])
def test_the_index_of_cupy_has_64_bits_whoever_asks(
    index: str, count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told(ROWS.replace("INDEX", index), "KL401", tmp_path, capsys)
    assert (len(found) > 0) == bool(count)


FLOW = '''
import numpy as np
import pyopencl as cl

SRC = """
__kernel void flow(__global const float *h, __global float *q, const int across, const int down) {
    const int x = get_global_id(0), y = get_global_id(1);
    if (TEST) q[y * across + x] = h[(y + 1) * across + x] - h[y * across + x];
}
"""

def run(ctx, queue, h):
    h = np.ascontiguousarray(h, dtype=np.float32)
    down, across = h.shape
    at = cl.Buffer(ctx, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, hostbuf=h)
    to = cl.Buffer(ctx, cl.mem_flags.WRITE_ONLY, h.nbytes)
    prg = cl.Program(ctx, SRC).build()
    prg.flow(queue, (across, down), None, at, to, np.int32(across), np.int32(down))
    out = np.empty_like(h)
    cl.enqueue_copy(queue, out, to)
    return out
'''


@pytest.mark.parametrize(("test", "codes"), [("x < across && y < down", ["KL102"]), ("x < across && y < down - 1", [])])
def test_axes_of_an_array_whose_shape_is_taken_apart(
    test: str, codes: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told(FLOW.replace("TEST", test), "KL101,KL102", tmp_path, capsys)
    assert [code for code, _ in found][:1] == codes


RATES = """
import numpy as np
from numba import cuda

def damped():
    RATE = 0.5

    @cuda.jit
    def scale(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= RATE

    x = cuda.to_device(np.ones(32))
    scale[1, 32](x)

    # COMMENT
    RATE = 0.75
    scale[1, 32](x)
    return x.copy_to_host()
"""


@pytest.mark.parametrize(
    ("comment", "lines"),
    [
        ("Kernels that are compiled do not see this.", []),
        ("This has no effect on the second launch.", []),
        ("The second half is damped less.", [12]),
    ],
)
def test_a_change_of_which_the_author_says_that_it_does_not_arrive(
    comment: str, lines: list[int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told(RATES.replace("COMMENT", comment), "KL807", tmp_path, capsys)
    assert [line for _, line in found] == lines


CLIPPED = """
import numpy as np
from numba import cuda

@cuda.jit
def clipped(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = max(x[i], 0.0)

def shape_of(n, threads=192):
    return GRID, threads

def run(values):
    x = cuda.to_device(values)
    clipped[shape_of(x.size)](x)
    return x.copy_to_host()
"""


@pytest.mark.parametrize(
    ("grid", "codes"),
    [
        ("n / threads + 1", ["KL803"]),
        ("n // threads", ["KL602"]),
        ("(n + threads - 1) // threads", []),
    ],
)
def test_a_function_that_returns_the_configuration(
    grid: str, codes: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [code for code, _ in told(CLIPPED.replace("GRID", grid), "KL6,KL8", tmp_path, capsys)] == codes


SIDES = """
from numba import cuda

@cuda.jit
def product(a, b, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = a[i] * b[j]

class Product:
    def __init__(self, wide=32, high=SIDE):
        self.block = (wide, high)

    def __call__(self, a, b):
        out = cuda.device_array((a.size, b.size))
        grid = tuple((n + s - 1) // s for n, s in zip(out.shape, self.block))
        product[grid, self.block](cuda.to_device(a), cuda.to_device(b), out)
        return out

def square(a):
    return Product(CALL)(a, a)
"""


@pytest.mark.parametrize(
    ("side", "call", "codes"), [("40", "", ["KL601"]), ("32", "", []), ("40", "16, 16", []), ("None", "", [])]
)
def test_sides_of_a_block_by_their_defaults(
    side: str, call: str, codes: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = SIDES.replace("SIDE", side).replace("CALL", call)
    assert [code for code, _ in told(text, "KL601", tmp_path, capsys)] == codes
