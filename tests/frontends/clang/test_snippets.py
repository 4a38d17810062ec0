"""Kernels that PyOpenCL, PyCUDA and CuPy make of snippets in Python files, and launches there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kernlint.frontends.clang.frontend import ClangFrontend
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.project.ignores import insert
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.source import SourceFile
from kernlint.tree.nodes import Module

OPENCL = """import numpy as np
import pyopencl as cl
import pyopencl.array
from pyopencl.algorithm import ListOfListsBuilder
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import ExclusiveScanKernel, GenericScanKernel, InclusiveScanKernel
from pyopencl.tools import ScalarArg, VectorArg
ctx = cl.create_some_context()
queue = cl.CommandQueue(ctx)
"""
CUDA = """import numpy as np
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel
"""
CUPY = "import cupy as cp\nimport numpy as np\n"


def found(tmp_path: Path, text: str, unsuppressed: bool = False) -> tuple[list[str], int]:
    """Codes with the lines they are on, and the number of kernels that were analysed whole; ``unsuppressed``: those
    alone that no directive silences."""
    path = tmp_path / "program.py"
    path.write_text(text)
    registry = load()
    report = Engine(registry, Selection(registry, Config())).run([str(path)], os.fspath(tmp_path))
    assert not report.summary.failed
    shown = []
    for result in report.results:
        finding = result.finding
        if unsuppressed and result.suppression is not None:
            continue
        if finding.severity.value != "note":
            shown.append(f"{finding.code}:{report.sources.get(finding.span.file).position(finding.span.start).line}")
    partial = sum(note.kind == "partial" for note in report.notifications)
    return sorted(shown), report.summary.kernels - partial


def modules(text: str) -> list[Module]:
    return ClangFrontend().parse_file(SourceFile("x.py", text.encode(), "utf-8"))


@pytest.mark.parametrize(
    ("head", "call", "expected"),
    [
        (OPENCL, 'k = ElementwiseKernel(ctx, "float *x, float *z",\n    "z[i] = x[i+1]")', ["KL102:12"]),
        (OPENCL, 'k = ElementwiseKernel(ctx, "float *z, const float *x",\n    "z[i] = x[i-1]")', ["KL102:12"]),
        (OPENCL, 'k = ElementwiseKernel(ctx, "float *x, float *z", """\n  z[0] +=\n    x[i]""")', ["KL205:12"]),
        (
            OPENCL,
            'k = ElementwiseKernel(ctx, "float *x", """\nfloat p[4];\nfor (int j = 0; j <= 4; ++j)\n'
            '  p[j] = x[i];\nx[i] = p[0]""")',
            ["KL104:14"],
        ),
        (CUDA, 'k = ElementwiseKernel("float *x, float *z",\n    "z[i] = x[i+1]", "shift")', ["KL102:9"]),
        (CUDA, 'k = ElementwiseKernel(operation="z[0] += x[i]", arguments="float *x, float *z")', ["KL205:8"]),
        (CUPY, 'k = cp.ElementwiseKernel("T x", "raw T z",\n    "z[0] += x")', ["KL205:4"]),
        (
            CUPY,
            'k = cp.ElementwiseKernel("float32 x", "float32 z", """\nfloat p[4];\np[4] = x;\nz = p[4];""")',
            ["KL104:5"],
        ),
        (
            OPENCL,
            'k = ReductionKernel(ctx, np.float32, "0", "a+b",\n  "x[i]*x[i+1]", "__global float *x")',
            ["KL102:12"],
        ),
        (
            CUDA,
            'k = ReductionKernel(np.float32, "0", "a+b",\n  map_expr="x[i]*x[i+1]", arguments="float *x")',
            ["KL102:9"],
        ),
        (
            OPENCL,
            'k = GenericScanKernel(ctx, np.int32, "int *x, int *c", "x[i]", "a+b", "0",\n  "c[0] = item;")',
            ["KL205:12"],
        ),
        (
            OPENCL,
            'k = ListOfListsBuilder(ctx, [("out", np.int32)], """\n'
            "void generate(LIST_ARG_DECL USER_ARG_DECL index_type i)\n"
            '{ int p[2]; p[0] = p[2] = x[i];\n  APPEND_out(p[0]); }""", arg_decls=[VectorArg(np.int32, "x")])',
            ["KL104:13"],
        ),
    ],
)
def test_what_is_wrong_in_a_snippet_is_told_on_its_line(
    head: str, call: str, expected: list[str], tmp_path: Path
) -> None:
    assert found(tmp_path, f"{head}{call}\n")[0] == expected


@pytest.mark.parametrize(
    ("head", "call", "kernels"),
    [
        (OPENCL, 'k = ElementwiseKernel(ctx, "float a, float *x, float *z", "z[i] = a * x[i]", "scaled")', 1),
        (OPENCL, 'k = ElementwiseKernel(ctx, [VectorArg(np.float32, "x"), ScalarArg(np.int32, "c")], "x[i] += c")', 1),
        (OPENCL, 'k = ElementwiseKernel(ctx, "float *x, float *z", "if (i > 0 && i < n-1) z[i] = x[i-1] + x[i+1]")', 1),
        (OPENCL, 'k = ElementwiseKernel(ctx, "float *r, float *xyz", "r[i] = xyz[3*i] + xyz[3*i+1] + xyz[3*i+2]")', 1),
        (OPENCL, 'k = ElementwiseKernel(ctx, "float *z, float *y", "z[i] = y[n-1-i]")', 1),
        (OPENCL, 'k = ElementwiseKernel(ctx, "int *z", "if (z[i] < 0) PYOPENCL_ELWISE_CONTINUE; z[i] = i")', 1),
        (CUDA, 'k = ElementwiseKernel("float a, float *x, float *z", "z[i] = a * x[i]", "scaled")', 1),
        (CUDA, 'k = ElementwiseKernel("float *x", "x[i] = twice(x[i])", preamble="""\n__device__ float twice(float v)'
               ' { return 2 * v; }\n""")', 1),
        (CUPY, 'k = cp.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared")', 1),
        (CUPY, 'k = cp.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]")', 1),
        (CUPY, 'k = cp.ElementwiseKernel("int32 x, raw int32 y", "raw int32 f", "if (x > y[i]) f[i+1] = 1")', 1),
        (CUPY, 'k = cp.ElementwiseKernel("T x", "T z", "int n = x; z = n")', 1),
        (CUPY, 'k = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")', 1),
        (OPENCL, 'k = ReductionKernel(ctx, np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*y[i]",\n'
                 '    arguments="__global float *x, __global float *y")', 1),
        (OPENCL, 'k = ReductionKernel(ctx, np.int32, neutral="0", reduce_expr="a+b", map_expr="i", arguments=[])', 1),
        (CUDA, 'k = ReductionKernel(np.float32, "0", "a+b", map_expr="x[i]*y[i]", arguments="float *x, float *y")', 1),
        (OPENCL, 'k = GenericScanKernel(ctx, np.int32, "int *x, int *z", "x[i] > 3 ? 1 : 0", "a+b", "0",\n'
                 '    "if (prev_item != item) z[item-1] = x[i];")', 2),
        (OPENCL, 'k = GenericScanKernel(ctx, np.int32, "int *x", "x[i]", "a+b", "0", "x[i+1] = item;")', 2),
        (OPENCL, 'k = GenericScanKernel(ctx, np.int32, "int *x, char *f, int *z", "x[i]",\n'
                 '    "across_seg_boundary ? b : (a+b)", "0", "z[i] = item", is_segment_start_expr="f[i]",\n'
                 '    input_fetch_exprs=[("before", "x", -1)])', 2),
        (OPENCL, 'k = InclusiveScanKernel(ctx, np.int32, "a+b")', 1),
        (OPENCL, 'k = ExclusiveScanKernel(ctx, np.int32, "a+b", "0")', 1),
        (CUDA, 'k = InclusiveScanKernel(np.int32, "a+b")', 1),
        (OPENCL, 'k = ListOfListsBuilder(ctx, [("out", np.int32)], """\n'
                 "void generate(USER_ARG_DECL LIST_ARG_DECL index_type i)\n"
                 '{ for (int j = 0; j < x[i]; ++j) APPEND_out(j); }""", "__global int *x")', 1),
    ],
)  # fmt: skip
def test_right_snippets_are_silent_and_counted(head: str, call: str, kernels: int, tmp_path: Path) -> None:
    assert found(tmp_path, f"{head}{call}\n") == ([], kernels)


@pytest.mark.parametrize(
    "text",
    [
        'A = "float *x, float *z"\nOP = "z[i] ="\nk = ElementwiseKernel(ctx, A, OP + " x[i+1]")',
        'k = ElementwiseKernel(ctx, "float *x, " "float *z", "z[i]"\n  " = x[i+1]")',
        'k = ElementwiseKernel(ctx, "%(t)s *x, %(t)s *z" % {"t": kind}, "z[i] = x[i+1]"\n)'.replace("%(t)s", "float"),
        'class C:\n  OP = "z[i] = x[i+1]"\n  def f(self):\n    ElementwiseKernel(ctx, "float *x, float *z", self.OP)',
        'from pyopencl.elementwise import ElementwiseKernel as E\nk = E(ctx, "float *x, float *z", "z[i] = x[i+1]")',
        'k = cl.elementwise.ElementwiseKernel(ctx, ", ".join(["float *x", "float *z"]), "z[i] = x[i+1]")',
    ],
)
def test_literals_that_are_joined_and_named(text: str, tmp_path: Path) -> None:
    codes, _ = found(tmp_path, f"{OPENCL}{text}\n")
    assert [code.partition(":")[0] for code in codes] == ["KL102"]


@pytest.mark.parametrize(
    "text",
    [
        'def f(op):\n  return ElementwiseKernel(ctx, "float *x, float *z", op)',
        'op = "z[i] = x[i+1]"\nop = op.upper()\nk = ElementwiseKernel(ctx, "float *x, float *z", op)',
        'op = "z[0] += "\nfor part in parts:\n  op += part\nk = ElementwiseKernel(ctx, "float *x, float *z", op)',
        'k = ElementwiseKernel(ctx, "float *x, float *z", "z[0] += x[i]", preamble=made())',
        'k = ElementwiseKernel(*args, operation="z[0] += x[i]")',
        'k = ElementwiseKernel(ctx, declared(), "z[0] += x[i]")',
        'k = ReductionKernel(ctx, np.float32, "0", reduced, "x[i+1]", "float *x")',
        'k = OtherKernel(ctx, "float *x, float *z", "z[0] += x[i]")',
    ],
)
def test_what_is_no_literal_is_unknown(text: str, tmp_path: Path) -> None:
    assert found(tmp_path, f"{OPENCL}{text}\n") == ([], 0)


def test_a_range_of_elements_is_no_whole_array(tmp_path: Path) -> None:
    text = 'k = ElementwiseKernel(ctx, "float *x, float *z", "z[i] = x[i+1]")\nk(a, b, range=slice(0, 10))\n'
    assert found(tmp_path, OPENCL + text) == ([], 1)


@pytest.mark.parametrize(("x", "told"), [("(n,)", True), ("(n + 1,)", False), ("(400,)", False), ("shape", True)])
def test_arrays_that_a_call_visibly_makes_longer(x: str, told: bool, tmp_path: Path) -> None:
    text = (
        f'{OPENCL}k = ElementwiseKernel(ctx, "float *z, float *x", "z[i] = x[i+1] - x[i]")\ndef run(n, shape):\n'
        f"    z = cl.array.zeros(queue, (n,), np.float32)\n    x = cl.array.zeros(queue, {x}, np.float32)\n"
        "    k(z, x)\n"
    )
    assert found(tmp_path, text)[0] == (["KL102:11"] if told else [])


def test_places_are_those_of_the_snippets() -> None:
    text = (
        OPENCL + 'k = ElementwiseKernel(ctx, "float *x", "x[i] = 1;\\n x[i] = 2", preamble="int f() { return 1; }")\n'
    )
    (module,) = modules(text)
    (kernel,) = module.kernels
    spans = [f.span for f in module.functions if f.name == "f"]
    assert [text[s.start : s.end] for s in spans] == ["int f() { return 1; }"]
    assert text[kernel.function.params[0].span.start :].startswith('float *x", ')
    assert text[kernel.function.span.start : kernel.function.span.end] == "ElementwiseKernel"


@pytest.mark.parametrize(
    ("text", "kernels"),
    [
        ('import pyopencl\nprint "made", 10L\ntry:\n  pass\nexcept ValueError, e:\n  raise KeyError, "no"\n'
         'from pyopencl.elementwise import ElementwiseKernel\n'
         'k = ElementwiseKernel(ctx, "float *x", "x[i] = 1")\n', 1),
        ('from pyopencl.elementwise import ElementwiseKernel\nk = ElementwiseKernel(ctx, "float *x", "x[i] = 1"\n', 0),
        ('from pyopencl.elementwise import ElementwiseKernel\nif x:\nk = ElementwiseKernel(ctx, "float *x", "x[i]=1")\n'
         'p = """__kernel void k(__global int *a) { a[get_global_id(0)] = 1; }"""\n', 1),
        ('# -*- coding: latin-1 -*-\nfrom pyopencl.elementwise import ElementwiseKernel  # \N{SNOWMAN}\n'
         'k = ElementwiseKernel(ctx, "float *x", "x[i] = 1")\n', 1),
        ("from pyopencl.elementwise import ElementwiseKernel\n" + "x = " + "(" * 3000 + "1" + ")" * 3000 + "\n", 0),
    ],
)  # fmt: skip
def test_old_and_broken_programs(text: str, kernels: int) -> None:
    assert sum(len(module.kernels) for module in modules(text)) == kernels


SCALE = 'SourceModule("""\n__global__ void scale(float *a) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  a[i] *= 2;\n}\n""")\n'  # noqa: E501
ADD = 'cl.Program(ctx, """\n__kernel void add(__global float *a) {\n  int i = get_global_id(0);\n  a[i] += 1;\n}\n""").build()\n'  # noqa: E501


@pytest.mark.parametrize(
    ("grid", "wrong"),
    [
        ("block=(256, 1, 1), grid=((N + 255) // 256, 1)", True),
        ("block=(256, 1, 1), grid=(-(-N // 256), 1)", True),
        ("block=(BLOCK, 1, 1), grid=(int(np.ceil(N / float(BLOCK))), 1)", True),
        ("block=(100, 1, 1), grid=(N // 100, 1)", False),
        ("block=(100, 1, 1), grid=(4, 1)", False),
        ("block=(N, 1, 1)", False),
        ("block=(256, 1, 1), grid=sizes(N)", False),
    ],
)
def test_launches_of_pycuda(grid: str, wrong: bool, tmp_path: Path) -> None:
    text = (
        f"{CUDA}N = 400\nBLOCK = 256\nmod = {SCALE}scale = mod.get_function('scale')\n"
        f"a = np.zeros(N, dtype=np.float32)\na_gpu = cuda.mem_alloc(a.nbytes)\nscale(a_gpu, {grid})\n"
    )
    assert found(tmp_path, text)[0] == (["KL101:13"] if wrong else [])


def test_the_forms_of_a_launch() -> None:
    text = (
        f"{CUDA}mod = {SCALE}other = {SCALE}f = mod.get_function('scale')\n"
        "f.prepare('P')\nf.prepared_call((4, 1), (128, 1, 1), a)\n"
        "f.prepared_async_call((4, 2), (64, 2, 1), stream, a)\n"
        "other.get_function('scale')(a, block=(32, 1, 1), grid=(2, 1), shared=16)\n"
    )
    first, second = modules(text)
    assert [f.name for f in first.functions] == ["scale", "module", "module"]
    assert [f.name for f in second.functions] == ["scale", "module"]


@pytest.mark.parametrize(
    ("launch", "wrong"),
    [
        ("prg.add(queue, (512,), (64,), buf)", True),
        ("k = prg.add\nk(queue, (512,), None, buf)", True),
        ("k = cl.Kernel(prg, 'add')\nk(queue, (512,), None, buf)", True),
        ("prg.add(queue, a.shape, None, buf)", False),
        ("prg.add(queue, (400,), (50,), buf)", False),
        ("prg.add(queue, (total,), (64,), buf)", False),
    ],
)
def test_launches_of_pyopencl(launch: str, wrong: bool, tmp_path: Path) -> None:
    text = (
        f"{OPENCL}a = np.zeros((400,), dtype=np.float32)\nprg = {ADD}"
        f"buf = cl.Buffer(ctx, cl.mem_flags.COPY_HOST_PTR, hostbuf=a)\n{launch}\n"
    )
    assert found(tmp_path, text)[0] == (["KL101:15"] if wrong else [])


@pytest.mark.parametrize(("grid", "wrong"), [("(4,), (128,)", True), ("(4,), (100,)", False), ("g, (128,)", False)])
def test_launches_of_cupy(grid: str, wrong: bool, tmp_path: Path) -> None:
    text = (
        f'{CUPY}k = cp.RawKernel(r"""\nextern "C" __global__ void k(float *x) {{\n'
        '  int i = blockDim.x * blockIdx.x + threadIdx.x;\n  x[i] = i;\n}\n""", "k")\n'
        f"x = cp.zeros(400, dtype=cp.float32)\nk({grid}, (x,))\n"
    )
    assert found(tmp_path, text)[0] == (["KL101:6"] if wrong else [])


def test_checks_before_a_launch_hold(tmp_path: Path) -> None:
    def program(check: str) -> str:
        return (
            f"{CUDA}mod = {SCALE}def run(n):\n{check}    f = mod.get_function('scale')\n"
            "    f(cuda.mem_alloc(n * 4), block=(256, 1, 1), grid=((n + 255) // 256, 1))\n"
        )

    assert found(tmp_path, program(""))[0] == ["KL101:11"]
    assert found(tmp_path, program("    assert n % 256 == 0\n"))[0] == []
    assert found(tmp_path, program("    if n % 256: raise ValueError\n"))[0] == []
    assert found(tmp_path, program("    if not suits(n): raise ValueError\n"))[0] == []


def test_sizes_that_the_grid_does_not_rest_on_say_nothing(tmp_path: Path) -> None:
    text = f"{CUDA}mod = {SCALE}def run(n):\n    f = mod.get_function('scale')\n    f(cuda.mem_alloc(n * 4), block=(256, 1, 1), grid=(4, 1))\n"  # noqa: E501
    assert found(tmp_path, text)[0] == []


def test_files_without_snippets_load_no_parser_of_python(tmp_path: Path) -> None:
    import subprocess
    import sys

    source = tmp_path / "k.cu"
    source.write_text("__global__ void k(float *a) { a[threadIdx.x] = 0; }")
    code = (
        "import sys\nfrom kernlint.frontends.clang import ClangFrontend\nfrom kernlint.source import read\n"
        f"ClangFrontend().parse_file(read({str(source)!r}))\n"
        "assert not [m for m in sys.modules if m == 'ast' or m.startswith('kernlint.frontends.clang.python')]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_directives_in_python_are_python_s_comments(tmp_path: Path) -> None:
    call = 'k = ElementwiseKernel(ctx, "float *x, float *z", "z[i] = x[i+1]")'
    assert found(tmp_path, f"{OPENCL}{call}  # kernlint: ignore[KL102] padded\n", unsuppressed=True)[0] == []
    assert found(tmp_path, f"{OPENCL}# kernlint: ignore[KL102] padded\n# really\n{call}\n", unsuppressed=True)[0] == []
    assert found(tmp_path, f"{OPENCL}# kernlint: ignore[KL205] other\n{call}\n", unsuppressed=True)[0] == [
        "KL001:11",
        "KL102:12",
    ]


def test_directives_that_are_added_are_comments_where_they_stand() -> None:
    text = 'a = 1\nk = f("""\nint x;\n""")\n'
    added, left_out = insert(text.encode(), {2: ["KL102"], 3: ["KL205"]}, "so", "program.py")
    assert left_out == []
    assert added.decode().split("\n") == [
        "a = 1",
        "# kernlint: ignore[KL102] so",
        'k = f("""',
        "// kernlint: ignore[KL205] so",
        "int x;",
        '""")',
        "",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("diff = cp.ElementwiseKernel('raw T y', 'T z', 'z = y[i + 1] - y[i]')\n"
         "def rise(signal):\n    y = cp.asarray(signal, dtype=cp.float32)\n"
         "    return diff(y, cp.empty(y.shape, dtype=cp.float32))\n", ["KL102:3"]),
        ("diff = cp.ElementwiseKernel('raw float32 y', 'float32 z', 'z = y[i + 1] - y[i]')\n"
         "def rise(n):\n    y = cp.zeros(n + 1, dtype=cp.float32)\n"
         "    return diff(y, cp.empty(n, dtype=cp.float32))\n", []),
        ("diff = cp.ElementwiseKernel('raw float32 y, int32 n', 'float32 z', 'z = i + 1 < n ? y[i + 1] : 0')\n"
         "def rise(signal):\n    y = cp.asarray(signal, dtype=cp.float32)\n"
         "    return diff(y, y.size, cp.empty_like(y))\n"
         "def again(signal):\n    y = cp.asarray(signal, dtype=cp.float32)\n"
         "    return diff(y, len(y), cp.empty_like(y))\n", []),
        ("turn = cp.ElementwiseKernel('raw float32 a, int32 h, int32 w', 'float32 z', 'z = a[i / h * w + i % h]')\n"
         "def turned():\n    a = cp.zeros((24, 40), dtype=cp.float32)\n"
         "    return turn(a, 24, 40, cp.empty((24, 40), dtype=cp.float32))\n", ["KL102:3"]),
        ("turn = cp.ElementwiseKernel('raw float32 a, int32 h, int32 w', 'float32 z', 'z = a[i / w * w + i % w]')\n"
         "def turned():\n    a = cp.zeros((24, 40), dtype=cp.float32)\n"
         "    return turn(a, 24, 40, cp.empty((24, 40), dtype=cp.float32))\n", []),
        ("rows = cp.ElementwiseKernel('raw float32 a, int32 w', 'raw float32 z',\n"
         "    'for (int k = 0; k < w; ++k) z[i * w + k] = a[i * w + k + 1];')\n"
         "def moved(image):\n    image = cp.ascontiguousarray(image, dtype=cp.float32)\n    h, w = image.shape\n"
         "    rows(image, w, cp.zeros_like(image), size=h)\n", ["KL102:4"]),
        ("rows = cp.ElementwiseKernel('raw float32 a, int32 w', 'raw float32 z',\n"
         "    'for (int k = 0; k < w - 1; ++k) z[i * w + k] = a[i * w + k + 1];')\n"
         "def moved(image):\n    image = cp.ascontiguousarray(image, dtype=cp.float32)\n    h, w = image.shape\n"
         "    rows(image, w, cp.zeros_like(image), size=h)\n", []),
        ("dot = cp.ReductionKernel('float32 x, raw float32 w', 'float32 y', 'x * w[i]', 'a + b', 'y = a', '0')\n"
         "def weighed(n):\n    x, w = cp.zeros(n, dtype=cp.float32), cp.zeros(n - 1, dtype=cp.float32)\n"
         "    return dot(x, w)\n", ["KL102:3"]),
        ("dot = cp.ReductionKernel('float32 x, raw float32 w', 'float32 y', 'x * w[i]', 'a + b', 'y = a', '0')\n"
         "def weighed(n):\n    x, w = cp.zeros(n, dtype=cp.float32), cp.zeros(n, dtype=cp.float32)\n"
         "    return dot(x, w)\n"
         "def columns(x, w):\n    return dot(x, cp.zeros(3, dtype=cp.float32), axis=0)\n", []),
        ("mix = cp.ElementwiseKernel('T a, raw T b', 'T c', 'c = a + b[i]')\ndef both(a, b):\n    return mix(a, b)\n",
         []),
    ],
)  # fmt: skip
def test_calls_say_how_long_raw_arrays_are(text: str, expected: list[str], tmp_path: Path) -> None:
    assert found(tmp_path, CUPY + text)[0] == expected
