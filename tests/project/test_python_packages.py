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
