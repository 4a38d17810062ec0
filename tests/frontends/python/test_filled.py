"""Texts of kernels that the program fills in, names of instances, launches in helpers that are given the kernel."""

from __future__ import annotations

import pytest

from tests.frontends.python.test_spellings import found

BODY = (
    "__kernel void turn(__global {0} *x) {{ __local {0} s[{1}]; int i = get_local_id(0); "
    "s[i] = x[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); x[get_global_id(0)] = s[{2}]; }}"
)
HEAD = "import numpy as np\nimport pyopencl as cl\nfrom string import Template\n\nN = 512\nkind = 'float'\n"
PLAIN = BODY.format("%(T)s", "%(N)s", "AT")
BRACED = BODY.replace("{0}", "{T}").replace("{1}", "{N}").replace("{2}", "AT")

STYLES = {
    "percent": f'S = """{PLAIN}"""\np = cl.Program(ctx, S % {{"T": kind, "N": N, "AT": AT}})',
    "places": f'S = """{BODY.format("%s", "%d", "%d")}"""\np = cl.Program(ctx, S % (kind, kind, N, AT))',
    "format": f'S = """{BRACED.replace("AT", "{AT}")}"""\np = cl.Program(ctx, S.format(T=kind, N=N, AT=AT))',
    "locals": f'S = """{PLAIN.replace("(T)", "(kind)")}"""\np = cl.Program(ctx, S % globals())',
    "f-string": f'p = cl.Program(ctx, f"""{BRACED.replace("{T}", "{kind}").replace("AT", "{AT}")}""")',
    "template": f'S = Template("""{BODY.format("$T", "${N}", "$AT")}""")\n'
    "p = cl.Program(ctx, S.substitute(T=kind, N=N, AT=AT))",
    "replace": f'S = """{BODY.format("float", "@N@", "AT")}"""\n'
    'p = cl.Program(ctx, S.replace("@N@", str(N)).replace("AT", str(AT)))',
    "default": f"def make(size=N, at=AT):\n"
    f'    return f"""{BRACED.replace("{T}", "{kind}").replace("{N}", "{size}").replace("AT", "{at}")}"""',
    "callers": f"def make(size, at):\n"
    f'    return f"""{BRACED.replace("{T}", "{kind}").replace("{N}", "{size}").replace("AT", "{at}")}"""\n\n'
    "p = cl.Program(ctx, make(2 * N, 2 * AT))",
}


@pytest.mark.parametrize("style", STYLES)
def test_what_is_filled_in_is_known(style: str) -> None:
    last = "AT = N - 1\n" if style != "callers" else "AT = N // 2 - 1\n"
    text = STYLES[style]
    if style == "locals":
        text = text.replace("s[AT]", "s[%(AT)s]")
    if style == "percent":
        text = text.replace("s[AT]", "s[%(AT)s]")
    assert [rule for rule, _, _ in found(HEAD + "AT = N\n" + text + "\n")] == ["array-index-out-of-range"]
    assert not found(HEAD + last + text + "\n")


def test_what_differs_from_use_to_use_is_not_known() -> None:
    text = f'AT = N\nS = """{PLAIN.replace("AT", "%(AT)s")}"""\n'
    uses = "".join(f'p{n} = cl.Program(ctx, S % {{"T": kind, "N": {n}, "AT": N}})\n' for n in (512, 1024))
    assert not found(HEAD + text + uses)


RAW = """
import cupy as cp
code = r'''
template <typename T, int B>
__global__ void put(T *x) {
    __shared__ T s[B];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[B - 1 - threadIdx.x];
}
'''
names = [f"put<{t}, {b}>" for t in ("float", "double") for b in (64, 128)]
module = cp.RawModule(code=code, name_expressions=names)
x = cp.ones(128, dtype=cp.float32)
module.get_function("put<float, 64>")((1,), (BLOCK,), (x,))
"""


def test_name_expressions_are_instances() -> None:
    assert "array-index-out-of-range" in {rule for rule, _, _ in found(RAW.replace("BLOCK", "128"))}
    assert not found(RAW.replace("BLOCK", "64"))


HELPERS = """
import math
import numpy as np
from numba import cuda

@cuda.jit
def scale(x, a):
    i = cuda.grid(1)
    GUARDx[i] *= a

class Runner:
    threads = 128

    def blocks(self, n):
        return (n + self.threads - 1) // self.threads

    def go(self, kernel, n, *args):
        kernel[self.blocks(n), self.threads](*args)

    def run(self, x):
        d = cuda.to_device(x)
        self.go(scale, x.size, d, 2.0)
        return d.copy_to_host()
"""

DRIVEN = """
import numpy as np
import pycuda.driver as drv
from pycuda.compiler import SourceModule

mod = SourceModule('''
__global__ void add(float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    GUARDx[i] += y[i];
}
''')

def call(func, n, block, *args):
    func(*args, block=(block, 1, 1), grid=((n + block - 1) // block, 1))

def main(n):
    x, y = drv.mem_alloc(n * 4), drv.mem_alloc(n * 4)
    call(mod.get_function("add"), n, 128, x, y, np.int32(n))
"""


@pytest.mark.parametrize(("program", "guard"), [(HELPERS, "if i < x.size: "), (DRIVEN, "if (i < n) ")])
def test_helpers_launch_what_their_callers_give_them(program: str, guard: str) -> None:
    (one,) = found(program.replace("GUARD", ""))
    assert one[0] == "missing-bounds-guard" and "allocation" in one[2]
    assert not found(program.replace("GUARD", guard))


@pytest.mark.parametrize(
    "made",
    ["np.random.rand(1000)", "rng.random(1000, dtype=np.float32)", "np.random.uniform(0, 1, size=1000)"],
)
def test_random_arrays_have_their_size(made: str) -> None:
    code = (
        HELPERS.partition("class")[0]
        + f"\nrng = np.random.default_rng(1)\nd = cuda.to_device({made})\nscale[8, 128](d, 1.0)\n"
    )
    assert any("element 1000 of 1000" in message for _, _, message in found(code.replace("GUARD", "")))


JINJA = """
import pyopencl as cl
from jinja2 import Template

S = Template('''
{% if wide %}
__kernel void turn(__global float2 *x) {
{% else %}
__kernel void turn(__global float *x) {
{% endif %}
    __local float s[64];
    s[get_local_id(0)] = {{ factor }};
    x[0].x = s[64];
}
''')
p = cl.Program(ctx, S.render(wide=True, factor=2))
"""


def test_templates_of_jinja_take_the_first_branch() -> None:
    assert "array-index-out-of-range" in {rule for rule, _, _ in found(JINJA)}
    assert "language-error" not in {rule for rule, _, _ in found(JINJA)}


LOCAL = """
import numpy as np
import pyopencl as cl

p = cl.Program(ctx, '''
__kernel void turn(__global float *x, __local float *l) {
    int g = get_global_id(0), i = get_local_id(0), n = get_local_size(0);
    l[i] = x[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[g] = l[n - 1 - i];
}
''').build()
x = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, 4 * 1024)
p.turn(queue, (1024,), (128,), x, cl.LocalMemory(SIZE))
"""


def test_local_memory_has_the_size_that_is_passed() -> None:
    assert [rule for rule, _, _ in found(LOCAL.replace("SIZE", "128"))] == ["local-size-mismatch"]
    assert not found(LOCAL.replace("SIZE", "4 * 128"))
