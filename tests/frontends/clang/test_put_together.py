"""Kernels whose text a Python program puts together while it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.frontends.base import FrontendOptions
from kernlint.frontends.clang.frontend import ClangFrontend
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.project import Projects
from kernlint.registry import Registry
from kernlint.run.engine import Engine
from kernlint.source import SourceFile, read
from kernlint.tree.nodes import Kernel
from tests.frontends.python.test_spellings import found


def kernels(text: str, options: FrontendOptions | None = None) -> list[Kernel]:
    modules = ClangFrontend().parse_file(SourceFile("x.py", text.encode(), "utf-8"), options)
    return [kernel for module in modules for kernel in module.kernels]


def lost(kernel: Kernel) -> list[str]:
    return [f"{loss.kind}: {loss.reason}" for loss in kernel.function.losses if loss.kind != "given"]


def given(kernel: Kernel) -> list[str]:
    return sorted(loss.reason.rpartition(": ")[2] for loss in kernel.function.losses if loss.kind == "given")


WHOLE = {
    "a type that a table of types has for what the caller passes": '''
from pycuda.compiler import SourceModule
NAMES = {"single": "float", "twice": "double"}
def build(kind):
    return SourceModule("""
__global__ void shift(%(real)s *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  %(real)s by = %(by)s;
  if (i < n) x[i] += by;
}""" % dict(real=NAMES[kind], by=repr(0.5)))
def run():
    build("twice")
''',
    "types and helpers in another literal before the source": '''
import pyopencl as cl
HEAD = """
typedef struct { float x, y; int next; } cell_t;
inline float far(cell_t c) { return c.x * c.x + c.y * c.y; }
"""
BODY = """
__kernel void lengths(__global const cell_t *cells, __global float *out, int n) {
  int i = get_global_id(0);
  if (i < n) out[i] = far(cells[i]) + SCALE;
}"""
def program(ctx, more=""):
    source = "#define SCALE 3\\n" + HEAD
    if more:
        source += more
    source += BODY
    return cl.Program(ctx, source).build()
''',
    "lines that a loop writes": '''
import cupy
def make(count):
    loads = "\\n".join("  float v{0} = x[i * {1} + {0}];".format(j, count) for j in range(count))
    total = " + ".join(f"v{j}" for j in range(count))
    code = r"""
extern "C" __global__ void sums(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
""" + loads + "\\n  y[i] = " + total + ";\\n}\\n"
    return cupy.RawKernel(code, "sums")
k = make(4)
''',
    "a class that is made with a part of the source": '''
import pycuda.compiler as compiler
class Base:
    source = """
__global__ void step(%(state)s *s, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) advance(s + i);
}"""
    def __init__(self, state, before):
        text = before + self.source
        self.module = compiler.SourceModule(text % {"state": state})
class Counter(Base):
    def __init__(self):
        super().__init__("int", "__device__ void advance(int *p) { *p += 1; }")
''',
    "a template of Jinja with a loop and names that it sets": '''
from jinja2 import Template
from pycuda.compiler import SourceModule
steps, width = 3, 32
code = Template("""
__global__ void add({{ kind }} *to, const {{ kind }} *from) {
  int at = threadIdx.x + {{ width * steps }} * blockIdx.x;
{% for i in range(steps) %}{% set by = i * width %}
  to[at + {{ by }}] += from[at + {{ by }}];
{% endfor %}
{% if steps > 5 %}  this is no C {% else %}  __syncthreads(); {% endif %}
}""").render(kind="float", steps=steps, width=width)
mod = SourceModule(code)
''',
    "a template of Mako with a choice and a part of its own": '''
import pyopencl as cl
from mako.template import Template
def make(ctx, ordered):
    text = Template("""
<%def name="take(a)">x[${a}]</%def>
__kernel void both(__global ${kind} *x, __global ${kind} *y) {
  int i = get_global_id(0);
% if ordered:
  y[i] = min(${take("i")}, ${take("i + 1")});
% else:
  nothing of this is C
% endif
}""").render(kind="float", ordered=ordered)
    return cl.Program(ctx, text).build()
make(None, True)
''',
    "macros in the compiler's options": '''
import pyopencl as cl
TILE = 16
def make(ctx):
    return cl.Program(ctx, """
__kernel void copy(__global const float *x, __global float *y) {
  __local float part[TILE];
  part[get_local_id(0)] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  y[get_global_id(0)] = part[TILE - 1 - get_local_id(0)];
}""").build(options=["-D", "FAST", f"-DTILE={TILE}"])
''',
    "string.Template, and a marker that is replaced": '''
from string import Template
from pycuda.compiler import SourceModule
TEXT = Template("""
__global__ void scale(${kind} *x, int n) {
  int i = threadIdx.x;
  if (i < n) BODY
}""")
def build(kind="float"):
    source = TEXT.substitute(kind=kind).replace("BODY", "{ x[i] *= 2; }")
    return SourceModule(source)
''',
}


@pytest.mark.parametrize("what", WHOLE)
def test_what_the_program_says_stands_in_the_text(what: str) -> None:
    (kernel,) = kernels(WHOLE[what])
    assert not lost(kernel) and not given(kernel)


def test_tables_that_another_module_has(tmp_path: Path) -> None:
    (tmp_path / "kinds.py").write_text('REAL = {4: "float", 8: "double"}\nHELP = "#define HALF(v) ((v) / 2)\\n"\n')
    (tmp_path / "made.py").write_text(
        "from pycuda.compiler import SourceModule\nfrom kinds import REAL\nimport kinds\n"
        'TEXT = """\n__global__ void k(%s *x, int n) { int i = threadIdx.x; if (i < n) x[i] = HALF(x[i]); }\n"""\n'
        "def go():\n    return SourceModule(kinds.HELP + TEXT % REAL[8])\n"
    )
    (kernel,) = of_project(tmp_path, "made.py")
    assert not lost(kernel) and not given(kernel)


def test_templates_that_another_module_fills_in(tmp_path: Path) -> None:
    (tmp_path / "texts.py").write_text(
        'HEAD = "#define WIDE {wide}\\n"\n'
        'ONE = """__kernel void one(__global {kind} *x) {{ x[get_global_id(0)] = WIDE; }}"""\n'
        'TWO = """__kernel void two(__global {kind} *x) {{ x[get_global_id(0)] += WIDE; }}"""\n'
    )
    (tmp_path / "using.py").write_text(
        "import pyopencl as cl\nimport texts\nALL = {'one': texts.ONE, 'two': texts.TWO}\n"
        "def make(ctx, which):\n    text = texts.HEAD.format(wide=4) + ALL[which].format(kind='double')\n"
        "    return cl.Program(ctx, text).build()\n"
    )
    one, two = of_project(tmp_path, "texts.py")
    assert (one.name, two.name) == ("one", "two")
    assert not [lost(each) + given(each) for each in (one, two) if lost(each) or given(each)]


def of_project(folder: Path, name: str) -> list[Kernel]:
    config = Config()
    engine = Engine(Registry((), {}), Selection(Registry((), {}), config), projects=Projects([str(folder)]))
    path = str(folder / name)
    modules = ClangFrontend().parse_file(read(path), engine.frontend_options(path, config))
    return [kernel for module in modules for kernel in module.kernels]


OPEN = '''
from pycuda.compiler import SourceModule
def build(kind, operation, more, count, start, name):
    return SourceModule("""
%(more)s
__global__ void k(%(kind)s *x, %(others)s, int n)
{
  __shared__ %(kind)s part[%(count)s];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  %(begin)s;
  for (int at = i; at < n; at += %(count)s) {
    %(operation)s
  }
  %(kind)s sum = (%(kind)s) %(start)s;
  if (i < n) x[i] = sum + f%(name)s(sizeof(%(kind)s));
}
""" % dict(kind=kind, operation=operation, more=more, count=count, start=start, name=name, others=more, begin=more))
'''


def test_what_is_not_known_is_of_the_kind_that_the_grammar_says() -> None:
    (kernel,) = kernels(OPEN)
    assert not lost(kernel)
    assert {"KL_OPEN_COUNT", "KL_OPEN_START", "kl_open_type_kind"} <= set(given(kernel))
    assert [param.name for param in kernel.function.params] == ["x", "n"]


def test_a_type_that_is_not_known_counts_where_it_is_a_subscript() -> None:
    text = '''
import pyopencl as cl
def make(ctx, index, real):
    return cl.Program(ctx, f"""
__kernel void pick(__global const {index} *which, __global {real} *x, int n) {{
  int i = get_global_id(0);
  if (i < n) x[i] = x[which[i]];
}}""").build()
'''
    (kernel,) = kernels(text)
    assert not lost(kernel) and given(kernel) == ["kl_open_type_index", "kl_open_type_real"]


LAUNCHED = '''
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

def build(block):
    text = """
#define BLOCK %(block)d
__global__ void turn(const float *x, float *y) {
  __shared__ float part[BLOCK];
  part[threadIdx.x] = x[blockIdx.x * BLOCK + threadIdx.x];
  __syncthreads();
  y[blockIdx.x * BLOCK + threadIdx.x] = part[BLOCK - 1 - threadIdx.x];
}""" % dict(block=block)
    return SourceModule("// made\\n" + text)

def run(x, y):
    build(64).get_function("turn")(x, y, block=(64, 1, 1), grid=(4, 1))
    build(THEIRS).get_function("turn")(x, y, block=(OTHER, 1, 1), grid=(4, 1))
'''


def test_numbers_that_differ_from_time_to_time_are_not_known() -> None:
    text = LAUNCHED.replace("THEIRS", "128").replace("OTHER", "128")
    (kernel,) = kernels(text)
    assert not lost(kernel)
    assert not found(text)


GUARDED = '''
from pycuda.compiler import SourceModule
PRELUDE = "__device__ float twice(float v) { return 2 * v; }\\n"
def build(kind):
    return SourceModule(PRELUDE + """
__global__ void smooth(const %(kind)s *x, %(kind)s *y, int n) {
  __shared__ %(kind)s part[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  BARRIER
  if (i < n) y[i] = twice(part[63 - threadIdx.x]);
}""" % dict(kind=kind))
'''


@pytest.mark.parametrize("kind", ["kind", "'float'"])
def test_faults_of_such_kernels_stand_at_their_lines(kind: str) -> None:
    text = GUARDED.replace("kind=kind", f"kind={kind}")
    ((rule, lines, _),) = found(text.replace("BARRIER", ""))
    assert rule == "shared-memory-race" and {9, 11} <= lines
    assert not found(text.replace("BARRIER", "__syncthreads();"))


LEFT_OPEN = '''
KERNEL = """
// a model's kernel
#define EXP exp%(fletter)s
__device__ %(real)s weight%(id)s(%(real)s v) { return EXP(-v) %(operation)s (v); }

__global__ void update%(id)s_cells(
    /* always there */
    const long t, const %(real)s dt
    /* what the model adds */
    %(more_args)s,
    int n, %(last_args)s%(others)s )
{
%(declared)s
%(begin)s
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        %(real)s sum = %(input)s
        %(index)s at = i %% %(period)s;
        // what the model says
%(event)s
        total[at] += func%(id)s(sum, dt) + weight%(id)s(sum);
    }
}
"""
'''


def test_parts_that_stand_side_by_side_or_within_words() -> None:
    (kernel,) = kernels(LEFT_OPEN)
    assert not lost(kernel)
    assert [param.name for param in kernel.function.params] == ["t", "dt", "n"]
    assert {"KL_OPEN_INPUT", "KL_OPEN_PERIOD", "kl_open_type_index", "total"} <= set(given(kernel))
