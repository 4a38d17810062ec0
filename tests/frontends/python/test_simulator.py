"""Lowered kernels do what numba's simulator says: the same results, the same accesses out of range."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from math import prod
from pathlib import Path
from textwrap import indent

import pytest

from kernlint.frontends.clang.python.program import program_of
from kernlint.frontends.python.functions import Array, Finder, Stated
from kernlint.frontends.python.instances import Instances
from kernlint.frontends.python.values import SCALARS
from kernlint.prove.emulate import run
from kernlint.prove.emulate.report import Argument, Buffer, FaultKind, Filler, LaunchSpec
from kernlint.tree.nodes import FunctionDecl
from kernlint.tree.types import F64
from tests.frontends.python.simulated import CASES, HEAD, contents

pytestmark = pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="numba is not installed")


@pytest.fixture(scope="module")
def simulated() -> dict[str, object]:
    script = Path(__file__).with_name("simulated.py")
    env = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=env, timeout=300)
    if done.returncode:
        pytest.skip(f"numba's simulator does not run here: {done.stderr.strip().splitlines()[-1]}")
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


CHECK = """
    cuda.syncthreads()
    if cuda.blockIdx.x == cuda.gridDim.x - 1:
        x_, y_ = x.ravel(), y.ravel()
        for q in range(cuda.threadIdx.x, x_.size, cuda.blockDim.x):
            assert abs(x_[q] - want_x[q]) < 1e-9
        for q in range(cuda.threadIdx.x, y_.size, cuda.blockDim.x):
            assert abs(y_[q] - want_y[q]) < 1e-9
"""
"""The last block, which the emulator runs last, compares what is there with what the simulator has."""

END = "        # end\n"
"""Where a kernel ends that is not the end of the text."""


def kernel(name: str) -> FunctionDecl:
    code, _, arrays = CASES[name]
    checking = code.replace("def k(x, y)", "def k(x, y, want_x, want_y)")
    if END in checking:
        checking = checking.replace(END, indent(CHECK, " " * 4))
    else:
        checking += CHECK.lstrip("\n")
    program = program_of((HEAD + checking).encode())
    assert program is not None
    finder = Finder(program)
    (jitted,) = [one for one in finder.found if one.name == "k"]
    kinds = [*((SCALARS[type_], len(shape)) for type_, shape in arrays), (F64, 1), (F64, 1)]
    hints: dict[str, Stated] = {
        parameter: Array(type_, rank, "C") for parameter, (type_, rank) in zip(jitted.parameters, kinds, strict=True)
    }
    function = Instances("k.py", program, finder).kernel(jitted, hints)
    assert not function.losses
    return function


@pytest.mark.parametrize("name", CASES)
def test_as_the_simulator_has_it(name: str, simulated: dict[str, object]) -> None:
    _, (blocks, threads), arrays = CASES[name]
    function = kernel(name)
    wanted = simulated[name]
    fills: list[Filler] = [contents, contents]
    for at in range(2):
        values = wanted[at] if isinstance(wanted, list) else []
        fills.append(lambda index, values=values: float(values[index]) if index < len(values) else 0.0)
    shapes = [shape for _, shape in arrays]
    shapes += [(prod(shape),) for shape in shapes]
    args: dict[str, Argument] = {}
    sizes = [SCALARS[type_].size or 8 for type_, _ in arrays] + [8, 8]
    for param, shape, size, fill in zip([p for p in function.params if p.shape], shapes, sizes, fills, strict=True):
        args[param.name] = Buffer(prod(shape) * size, fill)
        args.update({axis.name: extent for axis, extent in zip(param.shape, shape, strict=True)})
    outcome = run(function, LaunchSpec((threads, 1, 1), (blocks, 1, 1)), args)
    assert not outcome.unsupported
    if wanted == "out of range":
        assert outcome.of(FaultKind.OUT_OF_BOUNDS)
    else:
        assert not outcome.of(FaultKind.OUT_OF_BOUNDS, FaultKind.ASSERTION), outcome.faults
