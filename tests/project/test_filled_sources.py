"""Sources of kernels into which a Python program, or the build, puts values before they are compiled."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.project.cmake import Reader
from tests.project.test_launches_elsewhere import found

BODY = """extern "C" __global__ void peaks(const FLOAT *x, float *out, int n)
{
    __shared__ float part[<CELLS>];
    const int t = threadIdx.x;
    const int i = blockIdx.x * <LOCAL> + t;
    part[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int h = <LOCAL> / 2; h > 0; h /= 2) {
        if (t < h)
            part[t] = fmaxf(part[t], part[t + h]);
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}
"""
SHAPE = """class Shape:
    LOCAL = 128
    CELLS = {cells}
"""
USE = """import numpy as np
from .library import load
from .shape import Shape

class Peaks:
    def __init__(self, kind="float"):
        self.peaks = load("peaks", {VALUES, "FLOAT": kind})

    def __call__(self, x, out, n):
        groups = (n + Shape.LOCAL - 1) // Shape.LOCAL
        self.peaks(x, out, np.int32(n), block=(Shape.LOCAL, 1, 1), grid=(groups, 1))
"""
HEAD = """import os
import string
from pathlib import Path
from pycuda.compiler import SourceModule

HERE = os.path.join(os.path.dirname(__file__), "cuda")

def load(name, values):
"""
END = '    return SourceModule(text.replace("FLOAT", values["FLOAT"]), no_extern_c=True).get_function(name)\n'

STYLES = {
    "words": (
        "_CELLS_",
        '    with open(os.path.join(HERE, name + ".cu")) as handle:\n        text = handle.read()\n'
        "    for word, value in values.items():\n        text = text.replace('_%s_' % word, str(value))\n",
    ),
    "braces": (
        "{{ CELLS }}",
        '    text = (Path(HERE) / f"{name}.cu").read_text()\n'
        '    for word, value in values.items():\n        text = text.replace("{{ " + word + " }}", str(value))\n',
    ),
    "dollars": (
        "${CELLS}",
        '    text = string.Template(open(HERE + "/" + name + ".cu").read()).safe_substitute(**values)\n',
    ),
    "percent": (
        "%(CELLS)d",
        '    text = Path(HERE).joinpath(name + ".cu").read_text() % values\n',
    ),
}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("cells", "said"), [("LOCAL", []), ("64", ["p/cuda/peaks.cu:array-index-out-of-range"])])
def test_what_a_program_puts_into_a_source_that_it_reads(
    tmp_path: Path, style: str, cells: str, said: list[str]
) -> None:
    hole, body = STYLES[style]
    source = BODY.replace("<CELLS>", hole).replace("<LOCAL>", hole.replace("CELLS", "LOCAL"))
    files = {
        "p/__init__.py": "",
        "p/shape.py": SHAPE.replace("{cells}", cells),
        "p/library.py": HEAD + body + END,
        "p/use.py": USE.replace("VALUES", '"CELLS": Shape.CELLS, "LOCAL": Shape.LOCAL'),
        "p/cuda/peaks.cu": source,
    }
    assert found(tmp_path, files) == said


def test_functions_that_an_object_gives_itself(tmp_path: Path) -> None:
    library = (
        "import pkgutil\nfrom pycuda.compiler import SourceModule\n\n\nclass Kernels:\n"
        "    def __init__(self, file, names, **numbers):\n"
        '        module = SourceModule(pkgutil.get_data(__package__, "cuda/" + file).decode() % numbers)\n'
        "        for name in names:\n            setattr(self, name, module.get_function(name))\n"
    )
    use = (
        "import numpy as np\nfrom .library import Kernels\nfrom .shape import Shape\n\n"
        'K = Kernels("peaks.cu", ["peaks"], CELLS=Shape.CELLS, LOCAL=Shape.LOCAL)\n\n\n'
        "def peaks(x, out, n):\n"
        "    K.peaks(x, out, np.int32(n), block=(Shape.LOCAL, 1, 1), grid=(-(-n // Shape.LOCAL), 1))\n"
    )
    source = BODY.replace("<CELLS>", "%(CELLS)s").replace("<LOCAL>", "%(LOCAL)s").replace("FLOAT", "float")
    for cells, said in (("LOCAL", []), ("64", ["p/cuda/peaks.cu:array-index-out-of-range"])):
        files = {"p/__init__.py": "", "p/library.py": library, "p/use.py": use, "p/cuda/peaks.cu": source}
        shape = SHAPE.replace("{cells}", cells)
        assert found(tmp_path / cells, files | {"p/shape.py": shape}) == said


RUNS = """#cmakedefine WITH_TAIL
#cmakedefine01 KEEP

__global__ void sum_runs_${RUN}(const float *x, float *y, int n)
{
    __shared__ float part[${CELLS}];
    const int t = threadIdx.x;
    const int i = blockIdx.x * ${THREADS} + t;
    part[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (t < ${THREADS} / ${RUN}) {
        float s = 0.0f;
        for (int k = 0; k < ${RUN}; ++k)
            s += part[t * ${RUN} + k];
#ifdef WITH_TAIL
        if (blockIdx.x * (${THREADS} / ${RUN}) + t < (n + ${RUN} - 1) / ${RUN})
#endif
            y[blockIdx.x * (${THREADS} / ${RUN}) + t] = s;
    }
}

void sum_runs_${RUN}_of(const float *x, float *y, int n, cudaStream_t stream)
{
    sum_runs_${RUN}<<<(n + ${THREADS} - 1) / ${THREADS}, ${THREADS}, 0, stream>>>(x, y, n);
}
"""
LISTS = """project(runs LANGUAGES CXX CUDA)
option(WITH_TAIL "ends that are no whole run" ON)
set(THREADS 256 CACHE STRING "threads of a block")
set(WAYS 2 4 8)
foreach(RUN IN LISTS WAYS)
  math(EXPR CELLS "SIZE")
  configure_file(src/runs.cu.in ${CMAKE_CURRENT_BINARY_DIR}/runs_${RUN}.cu)
endforeach()
"""
FUNCTION = """project(runs LANGUAGES CXX CUDA)
option(WITH_TAIL "ends that are no whole run" ON)
set(THREADS 256)
function(add_runs target)
  foreach(RUN ${ARGN})
    math(EXPR CELLS "SIZE")
    set(out "${CMAKE_CURRENT_BINARY_DIR}/gen/runs_${RUN}.cu")
    configure_file("${CMAKE_CURRENT_SOURCE_DIR}/src/runs.cu.in" "${out}")
    target_sources(${target} PRIVATE "${out}")
  endforeach()
endfunction()
add_library(runs src/host.cpp)
add_runs(runs 2 4 8)
"""


@pytest.mark.parametrize("lists", [LISTS, FUNCTION])
@pytest.mark.parametrize(
    ("size", "said"),
    [("${THREADS}", []), ("${THREADS} / ${RUN} * 2", ["src/runs.cu.in:array-index-out-of-range"])],
)
def test_sources_that_a_build_makes_of_a_template(tmp_path: Path, lists: str, size: str, said: list[str]) -> None:
    files = {"CMakeLists.txt": lists.replace("SIZE", size), "src/runs.cu.in": RUNS}
    assert found(tmp_path, files) == said


def test_a_template_of_which_nothing_is_known_is_read(tmp_path: Path) -> None:
    source = (
        "__kernel void turn(__global const @TYPE@ *in, __global @TYPE@ *out)\n{\n"
        "    __local @TYPE@ cell[64];\n    const int l = get_local_id(0);\n    cell[l] = in[get_global_id(0)];\n"
        "BARRIER    out[get_global_id(0)] = cell[l ^ 1] + @BIAS@;\n}\n"
    )
    whole = {"a.cl.in": source.replace("BARRIER", "    barrier(CLK_LOCAL_MEM_FENCE);\n")}
    assert found(tmp_path / "whole", whole) == []
    assert found(tmp_path / "without", {"a.cl.in": source.replace("BARRIER", "")}) == ["a.cl.in:shared-memory-race"]


def test_loops_functions_and_numbers_of_cmake() -> None:
    text = """
macro(both name)
  target_compile_definitions(${name} PRIVATE NAME_${name} "SIDE=${side}")
endmacro()
foreach(one RANGE 2 6 2)
  list(APPEND made ${one})
endforeach()
function(down out)
  math(EXPR half "${ARGV1} / 2")
  set(${out} ${half} PARENT_SCOPE)
  set(hidden 1)
endfunction()
down(side 16 32)
add_library(a a.cu)
both(a)
foreach(arch 70 80)
  target_compile_definitions(a PRIVATE ARCH=${arch} ALWAYS=1)
endforeach()
"""
    reader = Reader({"CMakeLists.txt": text}.get, lambda name: None)  # type: ignore[arg-type]
    found = {(one.text, one.certain, one.files) for one in reader.read("CMakeLists.txt")}
    assert reader.variables["made"] == "2;4;6"
    assert "hidden" not in reader.variables
    assert ("NAME_a", True, ("a.cu",)) in found
    assert ("SIDE=8", True, ("a.cu",)) in found
    assert {("ARCH=70", False, ("a.cu",)), ("ARCH=80", False, ("a.cu",)), ("ALWAYS=1", True, ("a.cu",))} <= found
