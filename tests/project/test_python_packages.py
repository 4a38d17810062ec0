"""Packages in Python of which one module compiles a source file and others launch its kernels."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_launches_elsewhere import found

SOURCE = """extern "C" __global__ void loudest(const float *x, float *y, int length)
{
    __shared__ float part[BLOCK / 32];
    float top = 0.0f;
    for (int i = threadIdx.x; i < length; i += blockDim.x)
        top = fmaxf(top, fabsf(x[(size_t)blockIdx.x * length + i]));
    for (int d = 16; d > 0; d /= 2)
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = top;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; ++w)
            top = fmaxf(top, part[w]);
        y[blockIdx.x] = top;
    }
}

extern "C" __global__ void quieten(float *x, float least, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && fabsf(x[i]) < least)
        x[i] = 0.0f;
}
"""

COMPILED = """from functools import lru_cache
from pathlib import Path

import cupy as cp

from .sizes import BLOCK


@lru_cache(maxsize=None)
def _module():
    code = (Path(__file__).parent / "tones.cu").read_text()
    return cp.RawModule(code=code, options=("-std=c++17", f"-DBLOCK={BLOCK}"))


def kernel(name):
    return _module().get_function(name)
"""

LAUNCHED = """import cupy as cp
import numpy as np

from .compiled import kernel
from .sizes import BLOCK


def loudest(x):
    rows, length = x.shape
    y = cp.empty(rows, dtype=cp.float32)
    kernel("loudest")((rows,), (THREADS,), (x, y, np.int32(length)))
    return y


def quieten(x, least=0.1):
    n = x.size
    kernel("quieten")(((n + BLOCK - 1) // BLOCK,), (BLOCK,), (x, LEAST, np.int32(n)))
    return x
"""


@pytest.mark.parametrize(
    ("threads", "least", "said"),
    [
        ("BLOCK", "np.float32(least)", []),
        ("BLOCK", "least", []),  # who calls may pass a number of NumPy
        ("2 * BLOCK", "np.float32(least)", ["tones/tones.cu:array-index-out-of-range"]),
        ("BLOCK", "float(least)", ["tones/launched.py:kernel-argument-mismatch"]),
    ],
)
def test_kernels_that_a_helper_of_another_module_gives(
    tmp_path: Path, threads: str, least: str, said: list[str]
) -> None:
    files = {
        "tones/__init__.py": "from .launched import loudest, quieten\n",
        "tones/sizes.py": "BLOCK = 128  # threads\n",
        "tones/compiled.py": COMPILED,
        "tones/launched.py": LAUNCHED.replace("THREADS", threads).replace("LEAST", least),
        "tones/tones.cu": SOURCE,
    }
    assert found(tmp_path, files) == said


HELD = '''class Sizes:
    GROUP = 64

SRC = """
__kernel void peaks(__global const float *x, __global float *out, const int n) {
    __local float part[64];
    const int l = get_local_id(0);
    part[l] = x[min((int)get_global_id(0), n - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) out[get_group_id(0)] = part[0] + part[63];
}
"""
'''
RUNS = """import numpy as np
import pyopencl as cl
from .held import SRC, Sizes

class Peaks:
    def __init__(self, ctx, queue):
        self.queue = queue
        self.prg = cl.Program(ctx, SRC).build()

    def run(self, x, out, n):
        groups = -(-n // Sizes.GROUP)
        self.prg.peaks(self.queue, (groups * Sizes.GROUP,), (Sizes.GROUP,), x, out, np.int32(n))
"""


@pytest.mark.parametrize(("group", "told"), [("64", []), ("2 * 64", ["p/held.py:array-index-out-of-range"])])
def test_a_text_and_a_size_that_another_module_holds(tmp_path: Path, group: str, told: list[str]) -> None:
    held = HELD.replace("GROUP = 64", f"GROUP = {group}")
    assert found(tmp_path, {"setup.py": "", "p/__init__.py": "", "p/held.py": held, "p/run.py": RUNS}) == told


FILLED = '''from string import Template
from .sizes import Shape

SRC = Template("""
__kernel void peaks(__global const float *x, __global float *out, const int n) {
    __local float part[$cells];
    part[get_local_id(0)] = x[min((int)get_global_id(0), n - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) out[get_group_id(0)] = part[0] + part[$cells - 1];
}
""").substitute(cells=Shape.CELLS)
'''


@pytest.mark.parametrize(("cells", "told"), [("64", []), ("32", ["p/held.py:array-index-out-of-range"])])
def test_a_text_that_is_filled_in_with_what_another_module_holds(tmp_path: Path, cells: str, told: list[str]) -> None:
    sizes = f"class Shape:\n    CELLS = {cells}\n"
    run = RUNS.replace("import SRC, Sizes", "import SRC").replace("Sizes.GROUP", "64")
    files = {"setup.py": "", "p/__init__.py": "", "p/held.py": FILLED, "p/sizes.py": sizes, "p/run.py": run}
    assert found(tmp_path, files) == told


SPELT = '''"""Kernels of the two families."""

RUNS_OF = r"""
__global__ void crests(const float *wave, float *crest, int n)
{
    __shared__ float part[%(cells)d];
    const int t = threadIdx.x;
    part[t] = wave[min(blockIdx.x * blockDim.x + t, n - 1)];
    __syncthreads();
    if (t == 0)
        crest[blockIdx.x] = part[0] + part[blockDim.x - 1];
}
"""

PLAIN = r"""
__global__ void damp(float *wave, int n, float by)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        wave[i] *= by;
}
"""
'''
CHOOSING = """import pycuda.autoinit
from pycuda.compiler import SourceModule

from . import spelt
from .numbers import CELLS

def made(name, fast=False):
    options = []
    if fast:
        options += ["-use_fast_math"]
    if name == "crests":
        module = SourceModule(spelt.RUNS_OF % {"cells": CELLS}, options=options)
    else:
        module = SourceModule(spelt.PLAIN, options=options)
    return module.get_function(NAMED)
"""
USING = """import numpy as np
from pycuda import gpuarray

from .choosing import made
from .numbers import CELLS

def crests(wave, groups):
    crest = gpuarray.empty(groups, np.float32)
    made("crests")(wave, crest, np.int32(wave.size), block=(THREADS, 1, 1), grid=(groups, 1))
    return crest

def damp(wave, by):
    made("damp")(wave, COUNT, BY, block=(64, 1, 1), grid=((wave.size + 63) // 64, 1))
"""
OUTSIDE, OTHER = "waves/spelt.py:array-index-out-of-range", "waves/using.py:kernel-argument-mismatch"
COUNT, BY = "np.int32(wave.size)", "np.float32(by)"


@pytest.mark.parametrize(
    ("threads", "count", "by", "named", "said"),
    [
        ("CELLS", COUNT, BY, "name", []),
        ("2 * CELLS", COUNT, BY, "name", [OUTSIDE]),
        ("CELLS", "np.int64(wave.size)", BY, "name", [OTHER]),
        ("CELLS", "np.uint32(wave.size)", BY, "name", []),
        ("CELLS", COUNT, "np.float64(by)", "name", [OTHER]),
        ("CELLS", COUNT, "np.int32(by)", "name", []),  # as large
        ("CELLS", COUNT, "0.5", "name", [OTHER]),
        ("CELLS", "wave.count", "by", "name", []),
        ("2 * CELLS", "np.int64(wave.size)", BY, "'crests' if fast else name", []),
    ],
)
def test_a_helper_that_chooses_the_module_of_a_text_of_a_third_one(
    tmp_path: Path, threads: str, count: str, by: str, named: str, said: list[str]
) -> None:
    using = USING.replace("THREADS", threads).replace("COUNT", count).replace("BY", by)
    files = {
        "setup.py": "",
        "waves/__init__.py": "from .using import crests, damp\n",
        "waves/numbers.py": "CELLS = 64\n",
        "waves/spelt.py": SPELT,
        "waves/choosing.py": CHOOSING.replace("NAMED", named),
        "waves/using.py": using,
    }
    assert found(tmp_path, files) == said


def test_what_stands_for_a_type_may_be_as_large_as_what_is_passed(tmp_path: Path) -> None:
    spelt = SPELT.replace("__global__ void damp", "typedef float real;\n__global__ void damp").replace(
        "float by", "real by"
    )
    using = USING.replace("THREADS", "CELLS").replace("COUNT", COUNT).replace("BY", "np.float64(by)")
    files = {
        "setup.py": "",
        "waves/__init__.py": "",
        "waves/numbers.py": "CELLS = 64\n",
        "waves/spelt.py": spelt,
        "waves/choosing.py": CHOOSING.replace("NAMED", "name"),
        "waves/using.py": using,
    }
    assert not found(tmp_path, files)


CARD = """import numpy as np
import pyopencl as cl
from .numbers import CELLS


class Card:
    def __init__(self, context):
        self.context = context
        self.queue = cl.CommandQueue(context)
        text = open("rows.cl").read()
        self.program = cl.Program(context, text).build(options=[f"-DSTEP={CELLS // 8}"])

    def floats(self, count):
        return cl.Buffer(self.context, cl.mem_flags.READ_WRITE, size=4 * count)
MORE

def whole(count):
    return -(-count // CELLS) * CELLS
"""

ROWS = """
__kernel void first_of(__global const float *z, __global float *out, const int n)
{
    const int i = get_global_id(0);
    if (i * STEP >= n) return;
    out[i] = z[i * STEP];
}
__kernel void turned(__global const float *z, __global float *out, __local float *own, const int n)
{
    const int i = get_global_id(0), l = get_local_id(0);
    own[l + 1] = i < n ? z[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) out[i] = own[get_local_size(0) - l];
}
"""

USES = """import numpy as np
import pyopencl as cl
from .held import whole
from .numbers import CELLS


def first_of(card, z):
    n = len(z)
    count = COUNT
    out = card.floats(count)
    card.program.first_of(card.queue, (whole(count),), (CELLS,), z, out, np.int32(n))
    return out


def turned(card, z, out):
    n = len(z)
    own = cl.LocalMemory(4 * LOCAL)
    card.program.turned(card.queue, (whole(n),), (CELLS,), z, out, own, np.int32(n))
"""
OTHER_CLASS = """
class Fake:
    def __init__(self):
        self.program = self.queue = None

    def floats(self, count):
        return None
"""
SHORT, SMALL = "cards/rows.cl:wrong-bounds-guard", "cards/rows.cl:local-size-mismatch"


@pytest.mark.parametrize(
    ("count", "local", "more", "said"),
    [
        ("-(-n // (CELLS // 8))", "(CELLS + 1)", "", []),
        ("n // (CELLS // 8)", "(CELLS + 1)", "", [SHORT]),
        ("n // (CELLS // 8)", "(CELLS + 1)", OTHER_CLASS, []),  # of which class it is, nothing says
        ("-(-n // (CELLS // 8))", "CELLS", "", [SMALL]),
    ],
)
def test_methods_of_an_object_that_is_passed_and_imported_functions(
    tmp_path: Path, count: str, local: str, more: str, said: list[str]
) -> None:
    files = {
        "setup.py": "",
        "cards/__init__.py": "from .uses import first_of, turned\n",
        "cards/numbers.py": "CELLS = 64\n",
        "cards/held.py": CARD.replace("MORE", more),
        "cards/rows.cl": ROWS,
        "cards/uses.py": USES.replace("COUNT", count).replace("LOCAL", local),
    }
    assert found(tmp_path, files) == said
