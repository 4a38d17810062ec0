"""Kernels, what they call, their constants and their launches in different files of a project."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.finding import Severity
from kernlint.frontends.clang.python.program import program_of
from kernlint.frontends.python.functions import Finder
from kernlint.frontends.python.neighbours import Neighbours
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.project import Projects
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.source import read

FILES = {
    "pkg/__init__.py": "",
    "pkg/config.py": "TPB = 16\nWIDE = TPB * 2\n",
    "pkg/device.py": """
from numba import cuda

@cuda.jit(device=True)
def put(x, i, v):
    x[i] = v
""",
    "pkg/kernels.py": """
from numba import cuda, float32
from .config import TPB
from pkg.device import put
from . import device

@cuda.jit
def stage(a, out):
    tile = cuda.shared.array((TPB, TPB), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x, y = cuda.grid(2)
    tile[tx, ty] = a[x, y] if x < a.shape[0] and y < a.shape[1] else 0.0
    cuda.syncthreads()
    if x < out.shape[0] and y < out.shape[1]:
        out[x, y] = tile[tx, ty]

@cuda.jit
def fill(x, v):
    put(x, cuda.grid(1), v)

@cuda.jit
def clear(x):
    device.put(x, cuda.grid(1), 0)
""",
    "main.py": """
import math
import numpy as np
from pkg.kernels import stage, fill
from pkg import kernels
from pkg.config import WIDE

def stages(n):
    a = np.zeros((n, n), dtype=np.float32)
    out = np.zeros_like(a)
    stage[(math.ceil(n / WIDE), math.ceil(n / WIDE)), (WIDE, WIDE)](a, out)

def fills(n):
    x = np.zeros(n, dtype=np.float32)
    fill[(n + 127) // 128, 128](x, 1.0)
    kernels.clear.forall(x.size)(x)

def halves(n):
    x = np.zeros(n, dtype=np.float32)
    kernels.fill[n / 128, 128](x, 1.0)
""",
}


def found(folder: Path, files: dict[str, str]) -> dict[tuple[str, str], set[str]]:
    """Rules that report on ``kernels.py``, by kernel, each with the names of the files of its findings."""
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    registry = load()
    selection = Selection(registry, Config())
    engine = Engine(registry, selection, projects=Projects([str(folder)]))
    outcome = engine.check_source(read(str(folder / "pkg" / "kernels.py")), selection)
    out: dict[tuple[str, str], set[str]] = {}
    for result in outcome.results:
        one = result.finding
        if one.severity is not Severity.NOTE:
            out.setdefault((one.rule, one.kernel or ""), set()).add(Path(one.span.file).name)
    return out


def test_what_stands_elsewhere_counts(tmp_path: Path) -> None:
    got = found(tmp_path, FILES)
    assert got["array-index-out-of-range", "stage"] == {"kernels.py"}  # by the launch and the constant
    assert got["missing-bounds-guard", "fill"] == {"device.py"}  # by the launch, in the function that is called
    assert got["missing-bounds-guard", "clear"] == {"device.py"}
    assert got["float-launch-configuration", ""] == {"main.py"}


def test_the_same_put_right_is_silent(tmp_path: Path) -> None:
    files = dict(FILES)
    files["pkg/config.py"] = "TPB = 32\nWIDE = TPB\n"
    files["pkg/device.py"] = files["pkg/device.py"].replace("    x[i] = v", "    if i < x.size:\n        x[i] = v")
    files["main.py"] = files["main.py"].replace("n / 128, 128", "n // 128 + 1, 128")
    assert not found(tmp_path, files)


@pytest.mark.parametrize("name", ["main.py", "pkg/device.py"])
def test_a_file_that_is_no_python_costs_only_itself(tmp_path: Path, name: str) -> None:
    got = found(tmp_path, {**FILES, name: "def broken(:\n"})
    assert "signature-mismatch" not in {rule for rule, _ in got}


ALONE = """
from numba import cuda, float32

@cuda.jit(device=True)
def block_sum(v):
    s = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    s[t] = v
    BARRIER
    total = float32(0)
    for k in range(64):
        total += s[k]
    return total

@cuda.jit(device=True)
def raised(x, i, low):
    x[i] = max(x[i], low)
"""


def test_device_functions_of_a_file_without_kernels_are_looked_at(tmp_path: Path) -> None:
    barrier = "cuda.syncthreads()"
    for text, rules in (
        (barrier, set()),
        ("pass", {"shared-memory-race"}),
        (f"if t < 32: {barrier}", {"barrier-divergence"}),
    ):
        got = {rule for rule, _ in found(tmp_path, {"pkg/kernels.py": ALONE.replace("BARRIER", text)})}
        assert rules <= got and (rules or not got), (text, got)


def test_a_package_that_imports_its_own_module_is_no_circle(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "from . import core\n",
        "pkg/core.py": "from numba import cuda\n\n@cuda.jit(device=True)\ndef put(x, i):\n    x[i] = i\n",
        "pkg/kernels.py": "from numba import cuda\nfrom pkg import core\n\n@cuda.jit\ndef count(x):\n"
        "    core.put(x, cuda.grid(1))\n\ndef run(n):\n    x = cuda.device_array(n)\n"
        "    count[(n + 63) // 64, 64](x)\n",
    }
    assert "missing-bounds-guard" in {rule for rule, _ in found(tmp_path, files)}


HANDED_ON = {
    "pkg/__init__.py": "",
    "pkg/optional.py": """
try:
    from numba import cuda
    from numba.cuda import jit as cuda_jit
except ImportError:
    def cuda_jit(*args, **kwargs):
        return lambda function: function
""",
    "pkg/kernels.py": """
import numpy as np
from pkg.optional import cuda, cuda_jit

@cuda_jit("void(float32[:], int32)")
def halve(x, n):
    i = cuda.grid(1)
    TEST
        x[i] = x[i] * np.float32(0.5)
""",
}


def test_names_of_numba_that_a_file_hands_on(tmp_path: Path) -> None:
    for test, rules in (("if i < x.size:", set()), ("if i <= x.size:", {"wrong-bounds-guard"})):
        files = {name: text.replace("TEST", test) for name, text in HANDED_ON.items()}
        assert {rule for rule, _ in found(tmp_path, files)} == rules
        device = str(tmp_path / "pkg/kernels.py")
        assert Projects([str(tmp_path)]).holds_kernels(device, device)


def test_a_program_that_was_looked_at_alone_gets_to_know_its_project(tmp_path: Path) -> None:
    for name, text in HANDED_ON.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text.replace("TEST", "if i < x.size:"))
    path = tmp_path / "pkg/kernels.py"
    program = program_of(path.read_bytes())
    assert program is not None and not Finder(program).found
    Neighbours().attach(str(path), program)
    assert [one.name for one in Finder(program).found] == ["halve"]
