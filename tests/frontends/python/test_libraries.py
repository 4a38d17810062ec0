"""Kernels that cuda.core, cuda.bindings and cupyx.jit launch, kernels in files beside the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.finding import Severity
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.project import Projects
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.source import SourceFile, read

SCALE = """
code = r'''
template <typename T>
__global__ void scale(T *x, T by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    GUARDx[i] *= by;
}
extern "C" __global__ void clear(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.0f;
}
'''
"""

CORE = (
    """
import cupy as cp
from cuda.core.experimental import Device, LaunchConfig, Program, ProgramOptions, launch
"""
    + SCALE
    + """
def run(n):
    device = Device()
    stream = device.create_stream()
    program = Program(code, code_type="c++", options=ProgramOptions(std="c++17"))
    module = program.compile("cubin", name_expressions=("scale<float>",))
    x = cp.ones(n, dtype=cp.float32)
    config = LaunchConfig(grid=GRID, block=256)
    launch(stream, config, module.get_kernel("scale<float>"), x.data.ptr, cp.float32(2), cp.int32(n))
    launch(stream, LaunchConfig(grid=(n + 255) // 256, block=256), module.get_kernel("clear"), x.data.ptr, LENGTH)
"""
)

RAW = (
    """
import cupy as cp
"""
    + SCALE
    + """
module = cp.RawModule(code=code, options=("--std=c++17",), name_expressions=["scale<float>", "scale<double>"])
scale = module.get_function("scale<float>")

def run(n):
    x = cp.ones(n, dtype=cp.float32)
    scale((GRID,), (256,), (x, cp.float32(2), cp.int32(n)))
    module.get_function("clear")(((n + 255) // 256,), (256,), (x, LENGTH))
"""
)

BINDINGS = (
    """
from cuda.bindings import driver, nvrtc
"""
    + SCALE
    + """
def run(n, module, stream, args):
    kernel = checked(driver.cuModuleGetFunction(module, b"clear"))
    checked(driver.cuLaunchKernel(kernel, 1, 1, 1, BLOCK, 1, 1, 0, stream, args, 0))
"""
)

RAWKERNEL = """
import cupy
from cupyx import jit

@jit.rawkernel()
def turn(x, out):
    s = jit.shared_memory(cupy.float32, CELLS)
    t = jit.threadIdx.x
    i = jit.grid(1)
    s[t] = x[i] if i < x.size else cupy.float32(0)
    BARRIER
    total = cupy.float32(0)
    for k in jit.range(128, unroll=4):
        total += s[k]
    if t == 0:
        jit.atomic_add(out, 0, total)

def run(n):
    x = cupy.ones((n,), dtype=cupy.float32)
    out = cupy.zeros((1,), dtype=cupy.float32)
    LAUNCH
"""


def rules(code: str) -> set[str]:
    registry = load()
    selection = Selection(registry, Config())
    outcome = Engine(registry, selection).check_source(SourceFile("program.py", code.encode()), selection)
    return {r.finding.rule for r in outcome.results if r.finding.severity is not Severity.NOTE}


@pytest.mark.parametrize("program", [CORE, RAW], ids=["cuda.core", "RawModule"])
def test_launches_of_compiled_programs(program: str) -> None:
    good = program.replace("GUARD", "if (i < n) ").replace("GRID", "(n + 255) // 256").replace("LENGTH", "cp.int32(n)")
    assert not rules(good)
    assert rules(good.replace("if (i < n) x[i] *=", "x[i] *=")) == {"missing-bounds-guard"}
    assert rules(good.replace("(n + 255) // 256", "n // 256")) == {"uncovered-tail"}
    assert "kernel-argument-mismatch" in rules(good.replace("(float *x, int n)", "(float *x, float n)"))


def test_the_first_version_of_cuda_core_took_the_kernel_first() -> None:
    good = CORE.replace("GUARD", "if (i < n) ").replace("GRID", "(n + 255) // 256").replace("LENGTH", "cp.int32(n)")
    first = good.replace("launch(stream, config, ", "launch(").replace('>"), x', '>"), config, x')
    assert not rules(first)
    assert "missing-bounds-guard" in rules(first.replace("if (i < n) x[i] *=", "x[i] *="))
    told = first.replace("block=256)\n    launch", "block=256, stream=stream)\n    launch", 1)
    assert not rules(told)
    assert rules(told.replace("cp.float32(2), ", "")) == {"kernel-argument-mismatch"}
    assert not rules(first.replace("cp.float32(2), ", ""))  # one of those may be the stream
    assert not rules(told.replace("stream=stream", "stream=stream, local_bytes=64").replace("cp.float32(2), ", ""))


def test_launches_of_the_driver() -> None:
    good = BINDINGS.replace("GUARD", "if (i < n) ")
    assert not rules(good.replace("BLOCK", "1024"))
    assert "launch-limits" in rules(good.replace("BLOCK", "2048"))


@pytest.mark.parametrize(
    "launch", ["turn[(n + 127) // 128, 128](x, out)", "turn(((n + 127) // 128,), (128,), (x, out))"]
)
def test_raw_kernels_of_cupy(launch: str) -> None:
    good = RAWKERNEL.replace("LAUNCH", launch).replace("CELLS", "128").replace("BARRIER", "jit.syncthreads()")
    assert not rules(good)
    assert "shared-memory-race" in rules(good.replace("jit.syncthreads()", "pass"))
    assert "array-index-out-of-range" in rules(good.replace("cupy.float32, 128", "cupy.float32, 64"))


HOST = """
from pathlib import Path
import cupy as cp
import numpy as np

HERE = Path(__file__).parent
invert = cp.RawModule(code=(HERE / "invert.cu").read_text()).get_function("invert")

def run(n):
    x = cp.ones(n, dtype=cp.float32)
    invert((GRID,), (256,), (x, np.int32(n)))
"""

OPENCL = """
import numpy as np
import pyopencl as cl

def run(context, queue, n):
    with open("invert.cl") as file:
        program = cl.Program(context, file.read()).build()
    x = cl.Buffer(context, cl.mem_flags.READ_WRITE, size=4 * n)
    program.invert(queue, (GRID,), (64,), x, np.int32(n))
"""


CUDA_KERNEL = """
extern "C" __global__ void invert(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    GUARDx[i] = 1.0f / x[i];
}
"""

OPENCL_KERNEL = """
__kernel void invert(__global float *x, const int n) {
    int i = get_global_id(0);
    GUARDx[i] = 1.0f / x[i];
}
"""


@pytest.mark.parametrize(
    ("host", "kernel", "kernel_file", "grid"),
    [
        (HOST, CUDA_KERNEL, "invert.cu", "(n + 255) // 256"),
        (OPENCL, OPENCL_KERNEL, "invert.cl", "(n + 63) // 64 * 64"),
    ],
    ids=["CuPy", "PyOpenCL"],
)  # fmt: skip
def test_a_kernel_in_a_file_beside_its_program(
    tmp_path: Path, host: str, kernel: str, kernel_file: str, grid: str
) -> None:
    (tmp_path / "run.py").write_text(host.replace("GRID", grid))
    registry = load()
    selection = Selection(registry, Config())
    for guard in ("", "if (i < n) "):
        path = tmp_path / kernel_file
        path.write_text(kernel.replace("GUARD", guard))
        outcome = Engine(registry, selection, projects=Projects([str(tmp_path)])).check_source(
            read(str(path)), selection
        )
        loud = [r.finding for r in outcome.results if r.finding.severity is not Severity.NOTE]
        assert [f.rule for f in loud] == ([] if guard else ["missing-bounds-guard"])
        assert guard or any(related.span.file.endswith("run.py") for related in loud[0].related)
