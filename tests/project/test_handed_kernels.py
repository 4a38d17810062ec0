"""Kernels that Python programs hand to functions and classes of other modules, which launch them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_launches_elsewhere import found

NUMBA = """from math import sqrt
from numba import cuda, float32
from .tables import CELLS

@cuda.jit
def block_sums(x, sums):
    part = cuda.shared.array(CELLS, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    if t == 0:
        sums[cuda.blockIdx.x] = part[0] + part[CELLS - 1]

@cuda.jit
def roots(x):
    i = cuda.grid(1)
    GUARDx[i] = sqrt(x[i])
"""
IN_CLASS = """import math

class Start:
    def __init__(self, kernel, threads):
        self.kernel = kernel
        self.threads = threads

    def over(self, count, *args):
        self.kernel[math.ceil(count / self.threads), self.threads](*args)

class Filter:
    kernel = None
    threads = 64

    def __call__(self, count, *args):
        self.kernel[math.ceil(count / self.threads), self.threads](*args)

def over(kernel, threads, count, *args):
    return _over(kernel, threads, count, args)

def _over(kernel, threads, count, args):
    kernel[-(-count // threads), threads](*args)
"""
BY_CLASS = """import numpy as np
from numba import cuda
from . import tables
from .kern import block_sums, roots
from .start import Start

SUMS = Start(block_sums, SIZE)

def sums(d):
    out = cuda.device_array(-(-d.size // tables.CELLS), np.float32)
    SUMS.over(d.size, d, out)
    return out

def root(d):
    Start(roots, tables.CELLS).over(d.size, d)
"""
BY_BASE = """import numpy as np
from numba import cuda
from . import kern, tables
from .start import Filter

class Sums(Filter):
    kernel = kern.block_sums
    threads = SIZE

class Roots(Filter):
    kernel = kern.roots
    threads = tables.CELLS

def sums(d):
    out = cuda.device_array(-(-d.size // tables.CELLS), np.float32)
    Sums()(d.size, d, out)
    return out

def root(d):
    Roots()(d.size, d)
"""
BY_KEY = """import numpy as np
from numba import cuda
from . import tables
from .registry import run

def sums(d):
    out = cuda.device_array(-(-d.size // tables.CELLS), np.float32)
    run("sums", d.size, d, out)
    return out

def root(d):
    run("roots", d.size, d)
"""
REGISTRY = """from . import tables
from .kern import block_sums, roots

KERNELS = {"sums": (block_sums, SIZE), "roots": (roots, tables.CELLS)}

def run(name, count, *args):
    kernel, threads = KERNELS[name]
    kernel[(count + threads - 1) // threads, threads](*args)
"""
BY_FUNCTION = """import numpy as np
from numba import cuda
from . import kern, tables
from .start import over

def sums(d):
    out = cuda.device_array(-(-d.size // tables.CELLS), np.float32)
    over(kern.block_sums, SIZE, d.size, d, out)
    return out

def root(d):
    over(kern.roots, tables.CELLS, d.size, d)
"""


@pytest.mark.parametrize("main", [BY_CLASS, BY_BASE, BY_KEY, BY_FUNCTION])
@pytest.mark.parametrize(
    ("size", "guard", "said"),
    [
        ("tables.CELLS", "if i < x.size:\n        ", []),
        ("2 * tables.CELLS", "if i < x.size:\n        ", ["nb/kern.py:array-index-out-of-range"]),
        ("tables.CELLS", "", ["nb/kern.py:missing-bounds-guard"]),
    ],
)
def test_numba_kernels_that_are_handed_to_what_launches_them(
    tmp_path: Path, main: str, size: str, guard: str, said: list[str]
) -> None:
    files = {
        "nb/__init__.py": "",
        "nb/tables.py": "CELLS = 128\n",
        "nb/kern.py": NUMBA.replace("GUARD", guard),
        "nb/start.py": IN_CLASS,
        "nb/registry.py": REGISTRY.replace("SIZE", size),
        "nb/main.py": main.replace("SIZE", size),
    }
    assert found(tmp_path, files) == said


SOURCE = """extern "C" __global__ void lines(const float *x, float *y, int n)
{
    __shared__ float cell[64];
    const int t = threadIdx.x;
    float s = 0.0f;
    for (int i = t; i < n; i += blockDim.x)
        s += x[(size_t)blockIdx.x * n + i];
    cell[t] = s;
    __syncwarp();
    if (t == 0) {
        for (int k = 1; k < blockDim.x; ++k)
            s += cell[k];
        y[blockIdx.x] = s;
    }
}

extern "C" __global__ void columns(const float *x, float *y, int n, int m)
{
    __shared__ float cell[64];
    const int t = threadIdx.x;
    float s = 0.0f;
    for (int i = t; i < m; i += blockDim.x)
        s += x[(size_t)i * n + blockIdx.x];
    cell[t] = s;
    __syncwarp();
    if (t == 0) {
        for (int k = 1; k < blockDim.x; ++k)
            s += cell[k];
        y[blockIdx.x] = s;
    }
}
"""
COMPILED = """from pathlib import Path
import cupy

NAMES = ("lines", "columns")

def kernel(file, name):
    return cupy.RawModule(code=(Path(__file__).parent / file).read_text()).get_function(name)

def all_of(file):
    module = cupy.RawModule(code=(Path(__file__).parent / file).read_text())
    return {name: module.get_function(name) for name in NAMES}
"""
RUN = """def run_blocks(kernel, blocks, threads, *args):
    if blocks > 0:
        kernel((blocks,), (threads,), args)
"""
CALLED = """import cupy
from .gpu import kernel, run_blocks

def lines(x):
    y = cupy.empty(x.shape[0], cupy.float32)
    run_blocks(kernel("lines.cu", "lines"), x.shape[0], LINES, x, y, cupy.int32(x.shape[1]))

def columns(x):
    m, n = x.shape
    y = cupy.empty(n, cupy.float32)
    run_blocks(kernel("lines.cu", "columns"), n, COLUMNS, x, y, cupy.int32(n), cupy.int32(m))
"""
BY_TABLE = """import cupy
from .gpu import run_blocks
from .gpu.compiled import all_of

KERNELS = all_of("lines.cu")

def lines(x):
    y = cupy.empty(x.shape[0], cupy.float32)
    run_blocks(KERNELS["lines"], x.shape[0], LINES, x, y, cupy.int32(x.shape[1]))

def columns(x):
    m, n = x.shape
    y = cupy.empty(n, cupy.float32)
    run_blocks(KERNELS["columns"], n, COLUMNS, x, y, cupy.int32(n), cupy.int32(m))
"""


@pytest.mark.parametrize("called", [CALLED, BY_TABLE])
@pytest.mark.parametrize(
    ("lines", "columns", "said"),
    [
        ("32", "32", []),
        ("32", "64", ["p/gpu/lines.cu:shared-memory-race"]),
        ("128", "32", ["p/gpu/lines.cu:array-index-out-of-range", "p/gpu/lines.cu:shared-memory-race"]),
    ],
)
def test_kernels_that_a_program_gets_by_name_and_hands_on(
    tmp_path: Path, called: str, lines: str, columns: str, said: list[str]
) -> None:
    files = {
        "p/__init__.py": "",
        "p/gpu/__init__.py": "from .compiled import kernel\nfrom .run import run_blocks\n",
        "p/gpu/compiled.py": COMPILED,
        "p/gpu/run.py": RUN,
        "p/gpu/lines.cu": SOURCE,
        "p/use.py": called.replace("LINES", lines).replace("COLUMNS", columns),
    }
    assert found(tmp_path, files) == said


STARTED = """import os
import cupy
from . import sizes

class Module:
    def __init__(self, file, *names):
        with open(os.path.join(os.path.dirname(__file__), file), "r") as f:
            code = f.read()
        module = cupy.RawModule(code=code, options=(f"-DCELLS={sizes.CELLS}",))
        self.functions = {name: module.get_function(name) for name in names}

    def start(self, name, count, threads, *args):
        self.functions[name]((-(-count // threads),), (threads,), args)
"""
STARTS = """import cupy
from .lib import Module

MODULE = Module("k.cu", "sums")

def sums(x):
    y = cupy.empty(-(-x.size // THREADS), cupy.float32)
    MODULE.start("sums", x.size, THREADS, x, y, cupy.int32(x.size))
    return y
"""
SUMS = """extern "C" __global__ void sums(const float *x, float *y, int n)
{
    __shared__ float part[CELLS];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (threadIdx.x == 0)
        y[blockIdx.x] = part[0] + part[CELLS - 1];
}
"""


@pytest.mark.parametrize(("threads", "said"), [("128", []), ("256", ["m/k.cu:array-index-out-of-range"])])
def test_an_object_that_starts_kernels_by_name_and_the_macros_it_compiles_with(
    tmp_path: Path, threads: str, said: list[str]
) -> None:
    files = {
        "m/__init__.py": "",
        "m/sizes.py": "CELLS = 128\n",
        "m/k.cu": SUMS,
        "m/lib.py": STARTED,
        "m/use.py": STARTS.replace("THREADS", threads),
    }
    assert found(tmp_path, files) == said


def test_a_table_that_the_program_changes_says_nothing(tmp_path: Path) -> None:
    for more, said in (("", ["nb/kern.py:array-index-out-of-range"]), ("KERNELS['sums'] = (block_sums, 128)\n", [])):
        files = {
            "nb/__init__.py": "",
            "nb/tables.py": "CELLS = 128\n",
            "nb/kern.py": NUMBA.replace("GUARD", "if i < x.size:\n        "),
            "nb/registry.py": REGISTRY.replace("SIZE", "256") + more,
            "nb/main.py": BY_KEY,
        }
        assert found(tmp_path / f"c{len(more)}", files) == said


def test_checks_of_the_caller_hold_for_the_launch(tmp_path: Path) -> None:
    kern = "from numba import cuda\n\n@cuda.jit\ndef twice(x):\n    i = cuda.grid(1)\n    x[i] *= 2.0\n"
    start = "def over(kernel, count, *args):\n    kernel[(count + 127) // 128, 128](*args)\n"
    main = "from .kern import twice\nfrom .start import over\n\n\ndef go(x, n):\nCHECK    over(twice, n, x)\n"
    files = {"q/__init__.py": "", "q/kern.py": kern, "q/start.py": start}
    checked = "    if n % 128 != 0:\n        raise ValueError(n)\n"
    assert found(tmp_path / "a", files | {"q/main.py": main.replace("CHECK", checked)}) == []
    assert found(tmp_path / "b", files | {"q/main.py": main.replace("CHECK", "")}) == ["q/kern.py:missing-bounds-guard"]
