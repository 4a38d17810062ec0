"""Macros of build files, of host code that builds programs, and of files that include a header."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.project import Project
from kernlint.project.before import defines_before, includes_before
from kernlint.project.cmake import Reader
from kernlint.project.hostoptions import options_in, words_in
from kernlint.project.scripts import makefile, script
from tests.project.test_own_headers import check, codes, kinds
from tests.project.test_project import write


def cmake(text: str) -> dict[str, bool]:
    return {d.text: d.certain for d in Reader(lambda path: text, lambda name: None).read("CMakeLists.txt")}


def test_definitions_of_cmake() -> None:
    assert cmake(
        'add_definitions(-DA -DB=2 -Wall)\nadd_compile_definitions(C D="x y") # -DE\n#[[ add_definitions(-DF) ]]'
    ) == {
        "A": True,
        "B=2": True,
        "C": True,
        'D="x y"': True,
    }
    assert cmake('target_compile_definitions(t PRIVATE A PUBLIC B=1)\nset(CMAKE_CUDA_FLAGS "${X} -O3 -DC=3")') == {
        "A": True,
        "B=1": True,
        "C=3": True,
    }
    assert cmake("set(N 4)\nadd_definitions(-DN=${N} -DM=${unknown})") == {"N=4": True}
    text = "target_compile_definitions(t PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:A=1> $<$<CONFIG:Debug>:B>)"
    assert cmake(text) == {"A=1": True, "B": False}
    assert cmake('set_target_properties(t PROPERTIES COMPILE_DEFINITIONS "A;B=1")') == {"A": True, "B=1": True}


def test_conditions_of_cmake() -> None:
    text = 'option(GPU "" ON)\noption(OTHER "")\nif(GPU)\nadd_definitions(-DA)\n'
    text += "if(UNKNOWN)\nadd_definitions(-DB)\nelse()\n"
    text += "add_definitions(-DC)\nendif()\nelseif(X)\nadd_definitions(-DD)\nendif()\nif(OTHER)\nadd_definitions(-DE)\n"
    text += "else()\nadd_definitions(-DF)\nendif()\nif(WIN32 OR NOT GPU)\nadd_definitions(-DG)\nendif()\n"
    assert cmake(text) == {"A": True, "B": False, "C": False, "F": True}


def test_makefiles() -> None:
    text = "N := 4\nFLAGS += -DA -D B=$(N) -DC=$(X) \\\n  -DD='1 2'\nifdef DEBUG\nFLAGS += -DE\nendif\n"
    text += "k.o: k.cu\n\tnvcc -DF -c $<\n"
    found = {d.text: (d.certain, d.files) for d in makefile(text, "src") if not d.open}
    assert found == {
        "A": (True, ()),
        "B=4": (True, ()),
        "D=1 2": (True, ()),
        "E": (False, ()),
        "F": (True, ("src/k.cu",)),
    }


def test_makefiles_that_a_makefile_includes() -> None:
    texts = {"src/sizes.mk": "N ?= 4\ninclude more/$(KIND).mk\n", "src/more/gpu.mk": "FLAGS += -DA=$(N)\nM := 8\n"}
    text = "KIND = gpu\n-include sizes.mk away.mk\nifdef X\ninclude late.mk\nendif\nFLAGS += -DB=$(M)$(N) -DC=$(L)\n"
    found = {d.text: (d.certain, d.folder, d.open) for d in makefile(text, "src", lambda path: texts.get(path, ""))}
    assert found == {"A=4": (True, "src", False), "B=84": (True, "src", False), "C": (True, "src", True)}
    endless = {"Makefile": "include Makefile\nF = -DA\n"}
    assert {d.text for d in makefile(endless["Makefile"], "", endless.__getitem__)} == {"A"}


@pytest.mark.parametrize(("threads", "told"), [("64", False), ("128", True)])
def test_a_block_that_an_included_makefile_gives(tmp_path: Path, threads: str, told: bool) -> None:
    kernel = """__global__ void k(float *x) {
        __shared__ float own[64];
        own[threadIdx.x] = x[blockIdx.x * THREADS + threadIdx.x];
        __syncthreads();
        x[blockIdx.x * THREADS + threadIdx.x] = own[THREADS - 1 - threadIdx.x];
    }
    void go(float *x) { k<<<4, THREADS>>>(x); }
    """
    make = "include sizes.mk\nNVCCFLAGS += -DTHREADS=$(THREADS)\n"
    write(tmp_path, {"Makefile": make, "sizes.mk": f"THREADS ?= {threads}\n", "src/k.cu": kernel})
    assert ("KL104" in {one.finding.code for one in check(tmp_path, "src/k.cu").results}) is told


def test_what_who_builds_gives_a_macro_of_a_makefile_is_open() -> None:
    text = "LENGTH =\nSIZE = 4\nk.o:\n\tnvcc -Xcompiler -Wall,-DLENGTH=$(LENGTH),-DCODE=$(CODE) -DSIZE=$(SIZE) -c $<\n"
    assert {d.text: d.open for d in makefile(text, "")} == {"LENGTH": True, "CODE": True, "SIZE=4": False}


def test_a_number_that_who_builds_gives_is_a_symbol_of_the_build(tmp_path: Path) -> None:
    kernel = """#include "away.h"
    __global__ void k(int *x) { __shared__ int s[LENGTH]; int t = threadIdx.x; if (t < LENGTH) s[t] = x[t]; }
    """
    write(tmp_path, {"Makefile": "k.o:\n\tnvcc -DLENGTH=$(LENGTH) -c k.cu\n", "k.cu": kernel})
    assert Project(str(tmp_path)).numbers_for(str(tmp_path / "k.cu")) == ("LENGTH",)
    assert check(tmp_path, "k.cu").summary.partial == 0
    write(tmp_path, {"Makefile": "k.o:\n\tnvcc -c k.cu\n"})
    assert Project(str(tmp_path)).numbers_for(str(tmp_path / "k.cu")) == ()


def test_options_of_cmake_are_no_macros() -> None:
    assert not list(makefile("CMAKE_ARGS += -DA=ON\nall:\n\tcmake -DB=ON ..\n", ""))
    found = list(script("run(['cmake', '-DA=ON'])\nargs = ['-DB']\n", ""))
    assert [(d.text, d.certain) for d in found] == [("A=ON", False), ("B", False)]


def test_scripts() -> None:
    text = "args = ['-O3', '-DA=1', \"-DB\"]\nif debug:\n    args.append('-DC')\n"
    text += "ext = Extension('x', define_macros=[('D', '2'), ('E', None)], extra_compile_args=args)\n"
    found = {d.text: d.certain for d in script(text, "")}
    assert found == {"A=1": True, "B": True, "C": False, "D=2": True, "E": True}


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("n = 96\nadd_project_arguments('-DN=@0@'.format(n), language: ['cpp', 'cuda'])", ["N=96"]),
        ("n = 96\nadd_project_arguments('-DN=' + n.to_string(), language: 'cuda')", ["N=96"]),
        ("n = 96\nargs = [f'-DN=@n@']", ["N=96"]),
        ("add_project_arguments('-DN=@0@'.format(get_option('pulses')), language: 'cuda')", ["N=48"]),
        ("p = get_option('pulses')\nargs = ['-DN=@0@'.format(p)]", ["N=48"]),
        ("n = 96\nn = 32\nargs = ['-DN=@0@'.format(n)]", ["N?"]),
        ("WIDTH = 12\nargs = [f'-DW={WIDTH}', '-DV=%d' % WIDTH, '-DU=' + str(WIDTH), '-DT={}'.format(WIDTH)]",
         ["W=12", "V=12", "U=12", "T=12"]),
        ("args = [f'-DW={width()}']", ["W?"]),
        ("WIDTH = 12\ndefine_macros=[('W', str(WIDTH)), ('V', f'{WIDTH}'), ('U', None), ('T', other)]",
         ["W=12", "V=12", "U", "T?"]),
        ('cuda_library(name = "k", local_defines = ["N=96", "FAST"], copts = ["-DM=4"])', ["M=4", "N=96", "FAST"]),
        ("env = Environment(CPPDEFINES={'N': 96, 'M': '4'})", ["N=96", "M=4"]),
        ("env.Append(CPPDEFINES=[('N', 96), 'FAST'])", ["N=96", "FAST"]),
        ('cc::Build::new().cuda(true).define("N", "96").flag("-DM=4");', ["M=4", "N=96"]),
        ('add_defines("N=96")', ["N=96"]),
    ],
)  # fmt: skip
def test_values_that_scripts_put_into_definitions(text: str, made: list[str]) -> None:
    options = "option('pulses', type: 'integer', min: 1, value: 48)"
    assert [d.text + "?" * d.open for d in script(text, "", options)] == made


def test_a_number_that_meson_defines_goes_before_the_default_of_a_header(tmp_path: Path) -> None:
    (tmp_path / "meson.build").write_text("project('p')\nadd_project_arguments('-DN=@0@'.format(get_option('n')))\n")
    (tmp_path / "meson.options").write_text("option('n', type: 'integer', value: 96)\n")
    text = "#ifndef N\n#define N 128\n#endif\n__global__ void k(float *x) {\n    __shared__ float row[96];\n"
    text += "    row[threadIdx.x] = x[threadIdx.x];\n    x[threadIdx.x] = 2 * row[threadIdx.x];\n}\n"
    (tmp_path / "k.cu").write_text(text + "void run(float *x) { k<<<1, N>>>(x); }\n")
    assert [result.finding.rule for result in check(tmp_path, "k.cu").results] == []
    (tmp_path / "meson.options").write_text("option('n', type: 'integer', value: 100)\n")
    assert [result.finding.rule for result in check(tmp_path, "k.cu").results] == ["array-index-out-of-range"]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ('clBuildProgram(p, 1, &d, "-cl-std=CL1.2 -DA=4 -D B -I src/cl", 0, 0);', ["DA=4", "DB", "Isrc/cl"]),
        ('const int N = 8; sprintf(o, "-DN=%d -DM=%d -DK=3", N, other()); ', ["DN=8", "NM", "DK=3"]),
        ('#define W (8 * 2)  // wide\nconst char *o = "-DA=%d " "-DW=%d" \n "-DN=%d", a, (int)W, W / 4 - 1u;',
         ["WA=a", "DW=16", "DN=3"]),
        ('constexpr std::size_t kW{1 << 4}; o << "-DW=" << cfg::kW << " -DV=" << there::kV << " -DU=" STR(kU) " -DT";',
         ["DW=16", "MV=there::kV", "WU=kU", "DT"]),
        ('#define W 16\nstd::string o = "-DW=" + std::to_string(W) + " -DX=1"; ', ["DW=16", "DX=1"]),
        ('void f(bool b) { o = "-DA"; if (b) { o += " -DB"; } if (b) o += " -DC"; o += b ? " -DD" : ""; }',
         ["DA", "?DB", "?DC", "?DD"]),
    ],
)  # fmt: skip
def test_options_of_host_code(text: str, options: list[str]) -> None:
    assert list(options_in(text.encode(), False)[0]) == options


def test_options_of_python() -> None:
    text = b"prg = cl.Program(ctx, src).build(options=['-DA=4', '-DN=%d' % n])\nif half:\n    o += ['-DB']\n"
    assert list(options_in(text, True)[0]) == ["DA=4", "WN=n", "?DB"]


@pytest.mark.parametrize(
    ("text", "options", "sources"),
    [
        ("N = 4\nif big:\n    N = 64\nload('e', ['a.cu'], extra_cuda_cflags=[f'-DN={N}'])", ["@a.cu|DN=64"], ["a.cu"]),
        ("T, N = 8, 4\nS = N // 2\nf = [f'-D_N_={S}', f'-DM={T}'];l(f'k_{v}.cu')", ["D_N_=2", "DM=8"], ["k_%s.cu"]),
        ("load(sources=['k_v' + str(version) + '.cu'], extra_cuda_cflags=['-DN=2'])", ["DN=2"], ["k_v%s.cu"]),
        ("def f(n):\n    load(sources=['k.cu'], extra_cuda_cflags=[f'-DN={n}'])", ["@k.cu|MN=n"], ["k.cu"]),
    ],
)  # fmt: skip
def test_values_that_python_puts_into_options(text: str, options: list[str], sources: list[str]) -> None:
    assert options_in(text.encode(), True) == (tuple(options), tuple(sources))


RACY = """#ifdef GPU
__global__ void __launch_bounds__(BLOCK) k(float *x) {
  __shared__ float s[BLOCK];
  s[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = s[BLOCK - 1 - threadIdx.x];
}
#endif
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("CMakeLists.txt", "add_library(l src/k.cu)\ntarget_compile_definitions(l PRIVATE GPU BLOCK=64)\n"),
        ("Makefile", "NVCCFLAGS = -DGPU -DBLOCK=64\n"),
        ("setup.py", "CUDAExtension('e', ['src/k.cu'], extra_compile_args={'nvcc': ['-DGPU', '-DBLOCK=64']})\n"),
    ],
)
def test_a_file_gets_what_its_build_defines(tmp_path: Path, name: str, text: str) -> None:
    write(tmp_path, {name: text, "src/k.cu": RACY})
    for path in (".", "src/k.cu"):
        report = check(tmp_path, path)
        assert (codes(report), report.summary.partial, report.summary.missed) == (["KL201"], 0, 0)


LOADED = """from torch.utils.cpp_extension import load
SIZE = 64
flags = ["-DGPU"]
if "train" in sys.argv:
    net = load(name="net", sources=["k.cpp", f"src/k{half}.cu"], extra_cuda_cflags=[*flags, f"-DBLOCK={SIZE}"])
"""


def test_a_source_that_python_loads_gets_its_options(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"Makefile": "", "net/run.py": LOADED, "net/src/k16.cu": RACY, "old/run.py": LOADED.replace("64", "32")},
    )
    for path in (".", "net/src/k16.cu"):
        report = check(tmp_path, path)
        assert (codes(report), report.summary.partial, report.summary.missed) == (["KL201"], 0, 0)
    assert Project(str(tmp_path)).given(str(tmp_path / "net/src/k16.cu")).defines == ("GPU", "BLOCK=64")


def test_what_a_target_defines_is_for_its_sources(tmp_path: Path) -> None:
    text = "add_library(a a.cu)\nadd_library(b b.cu)\ntarget_compile_definitions(a PRIVATE A)\n"
    write(tmp_path, {"CMakeLists.txt": text, "a.cu": "", "b.cu": ""})
    project = Project(str(tmp_path))
    assert project.defines_for(str(tmp_path / "a.cu")) == ("A",)
    assert project.defines_for(str(tmp_path / "b.cu")) == ()


def test_a_compile_database_counts_for_more(tmp_path: Path) -> None:
    entry = f'[{{"directory": "{tmp_path}", "file": "src/k.cu", "command": "nvcc -DBLOCK=32 -DGPU -c src/k.cu"}}]'
    write(tmp_path, {"Makefile": "F = -DGPU -DBLOCK=64\n", "src/k.cu": RACY, "compile_commands.json": entry})
    assert check(tmp_path, ".").results[0].finding.witness.block[0] == 32  # type: ignore[union-attr]


OPENCL = """__kernel void turn(__global float *x) {
  __local float s[TILE];
  const int l = get_local_id(0);
  s[l] = x[l];
  x[l] = s[TILE - 1 - l];
}
"""


@pytest.mark.parametrize(
    "host",
    [
        'const char *f = "cl/turn.cl"; void b() { clBuildProgram(p, 1, &d, "-DTILE=64", 0, 0); }',
        'void b() { clBuildProgram(p, 1, &d, "-DTILE=64", 0, 0); k = clCreateKernel(p, "turn", &e); }',
        'void b() { program.build(devices, "-DTILE=64"); cl::Kernel k(program, "turn"); }',
        'void b(cl_program p) { clBuildProgram(p, 1, &d, "-DTILE=64", 0, 0); }',
    ],
)
def test_opencl_text_gets_the_options_of_its_host(tmp_path: Path, host: str) -> None:
    write(tmp_path, {"cl/turn.cl": OPENCL, "host.cpp": host, "Makefile": ""})
    report = check(tmp_path, ".")
    assert codes(report) == ["KL201"] and report.summary.partial == 0


@pytest.mark.parametrize(
    ("files", "given"),
    [
        ({"s/h.c": '#include "sizes.h"\n%s snprintf(o, 9, "-DTILE=%%d " "-DROW=%%d", 2 * WIDTH, WIDTH + n); }',
          "include/sizes.h": '#include "deep.h"\n', "include/deep.h": "#define WIDTH 32 /* items */\n"}, ["TILE=64"]),
        ({"h.cpp": '#include <t/sizes.hpp>\n%s o = "-DTILE=" + std::to_string(t::kTile) + " -DROW=" + name(t); }',
          "t/sizes.hpp": "namespace t { constexpr int kRow{32}; enum { kTile = kRow * 2, kMore }; }"}, ["TILE=64"]),
        ({"h.cpp": '#include "o.hpp"\n%s o << "-DTILE=" << kTile << " -DROW=" << row; }',
          "o.hpp": "static const unsigned kTile = 64;\nstruct O { int row = 4; };"}, ["TILE=64"]),
        ({"p/h.py": "import pyopencl as cl\nfrom . import sizes\nfrom .sizes import Shape as S\nf = 'turn.cl'\n"
                    "o = [f'-DTILE={sizes.TILE}', '-DROW=%d' % (S.rows // 2), f'-DOPEN={n}']\n",
          "p/sizes.py": "TILE = 64\n\nclass Shape:\n    rows: int = 8\n", "p/__init__.py": ""},
         ["TILE=64", "ROW=4"]),
        ({"p/h.py": "import pyopencl as cl\nfrom .sizes import SIZES as S\nf = 'turn.cl'\nOWN = dict(ROW=2 * 4, N=n)\n"
                    "o = ['-D{}={}'.format(k, v) for k, v in S.items()]\n"
                    "for k, v in OWN.items():\n    o.append(f'-D{k}={v}')\n",
          "p/sizes.py": "N = 32\nSIZES = {'TILE': N * 2, 'real': 'float', **more}\n", "p/__init__.py": ""},
         ["TILE=64", "ROW=8"]),
    ],
)  # fmt: skip
def test_options_are_worked_out_with_the_constants_of_other_files(
    files: dict[str, str], given: list[str], tmp_path: Path
) -> None:
    host = 'void b(int n) { k = clCreateKernel(p, "turn", &e); clBuildProgram(p, 1, &d, o, 0, 0);'
    write(tmp_path, {"Makefile": "", "cl/turn.cl": OPENCL})
    write(tmp_path, {name: text.replace("%s", host).replace("%%", "%") for name, text in files.items()})
    assert list(Project(str(tmp_path)).defines_for(str(tmp_path / "cl/turn.cl"))) == given
    report = check(tmp_path, ".")
    assert codes(report) == ["KL201"] and report.summary.partial == 0


def test_options_for_another_program_are_not_taken(tmp_path: Path) -> None:
    host = 'const char *f = "other.cl"; void b() { clBuildProgram(p, 1, &d, "-DTILE=64", 0, 0); }'
    write(tmp_path, {"cl/turn.cl": OPENCL, "cl/other.cl": "", "host.cpp": host, "Makefile": ""})
    project = Project(str(tmp_path))
    assert project.defines_for(str(tmp_path / "cl/turn.cl")) == ()
    assert project.defines_for(str(tmp_path / "cl/other.cl")) == ("TILE=64",)


FENCED = """#include "meet.clh"
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void %s(__global float *x) {
  __local float s[64];
  const int l = get_local_id(0);
  s[l] = x[l];
  MEET();
  x[l] = s[63 - l];
}
"""


@pytest.mark.parametrize(
    ("host", "wrong"),
    [
        ('a = built(c, "a.cl", ""); b = built(c, "b.cl", "-DALONE");', ["b.cl"]),
        ('struct P p[] = {{"cl/a.cl", "-DALONE -DMORE"}, {"cl/b.cl", "-DMORE"}};', ["a.cl"]),
        ('a = built(text_of("b.cl"), o("-DALONE")); b = built(text_of("a.cl"), o("-DMORE"));', ["b.cl"]),
        ('a = built("a.cl"); b = built("b.cl", more); o = "-DALONE";', ["a.cl", "b.cl"]),
        ('a = built({"a.cl", "b.cl"}, "-DALONE");', ["a.cl", "b.cl"]),
        ('a = built("parts.cl", "-DALONE"); b = read("a.cl", "b.cl");', ["a.cl", "b.cl"]),  # of no source here
    ],
)
def test_options_that_stand_with_a_source_are_for_that_one(host: str, wrong: list[str], tmp_path: Path) -> None:
    meet = "#ifdef ALONE\n#define MEET() mem_fence(CLK_LOCAL_MEM_FENCE)\n#else\n"
    meet += "#define MEET() barrier(CLK_LOCAL_MEM_FENCE)\n#endif\n"
    write(tmp_path, {"cl/meet.clh": meet, "cl/a.cl": FENCED % "a", "cl/b.cl": FENCED % "b", "Makefile": ""})
    write(tmp_path, {"host.c": f"void go(void) {{ {host} clBuildProgram(p, 1, &d, o, 0, 0); }}"})
    report = check(tmp_path, ".")
    found = [Path(one.finding.span.file).name for one in report.results if one.finding.code == "KL201"]
    assert sorted(found) == wrong


def test_a_macro_for_one_program_is_no_name_that_another_declares(tmp_path: Path) -> None:
    host = 'o = "-DSTRIDE=64 -DROWS=4"; p = program("a.cl", o); clBuildProgram(p, 1, &d, o, 0, 0);\n'
    host += 'o = "-DSTRIDE=64"; q = program("b.cl", o); clBuildProgram(q, 1, &d, o, 0, 0);\n'
    body = "kernel void %s(global int *x, int n) {\n%s  x[get_global_id(0) * STRIDE] = ROWS;\n}\n"
    (tmp_path / "host.c").write_text(host)
    (tmp_path / "a.cl").write_text(body % ("a", ""))
    (tmp_path / "b.cl").write_text(
        body % ("b", "  uint STRIDE = n / 2;\n#ifndef ROWS\n  const int ROWS = 2;\n#endif\n")
    )
    (tmp_path / "setup.py").write_text("")
    project = Project(str(tmp_path))
    assert set(project.defines_for(str(tmp_path / "a.cl"))) == {"STRIDE=64", "ROWS=4"}
    assert set(project.defines_for(str(tmp_path / "b.cl"))) == {"ROWS=4"}


def test_numbers_that_a_host_works_out_are_symbols_of_the_build(tmp_path: Path) -> None:
    host = """void build (int mode) {
      snprintf (options, 99, "%s -D WORDS=%u -D KIND=%s -DTILE=8", base, words, kind);
      snprintf (source, 99, "%s/cl/turn_%02d.cl", folder, mode);
      clBuildProgram (p, 1, &d, options, 0, 0);
    }"""
    kernel = """#include "away.h"
    __kernel void k(__global int *x) { int i = get_global_id(0); if (i < WORDS) x[i] = TILE; }
    """
    write(tmp_path, {"cl/turn_03.cl": kernel, "cl/turn.cl": kernel, "cl/return_3.clh": "", "host.c": host})
    write(tmp_path, {"Makefile": ""})
    project = Project(str(tmp_path))
    assert project.numbers_for(str(tmp_path / "cl/turn_03.cl")) == ("WORDS",)
    assert project.defines_for(str(tmp_path / "cl/turn_03.cl")) == ("TILE=8",)
    assert project.numbers_for(str(tmp_path / "cl/turn.cl")) == ()
    assert check(tmp_path, "cl/turn_03.cl").summary.partial == 0


TYPED = """#define VEC_(type, size) type##size
#define VEC(type, size) VEC_(type, size)
#define REAL4 VEC(REAL, 4)
#define READ_(suffix) read_image##suffix
#define READ__(suffix) READ_(suffix)
#define READ READ__(REAL_SUFFIX)
__kernel void scale(__read_only image2d_t from, __global REAL4 *to, int n) {
    const sampler_t nearest = CLK_FILTER_NEAREST;
    int i = get_global_id(0);
    if (i < n) to[i] = READ(from, nearest, (int2)(i, 0)) * (REAL)2;
}
"""


def test_words_that_a_host_works_out_are_the_types_of_the_program(tmp_path: Path) -> None:
    host = """void Scale::compile(Type type) {
      std::set<std::string> options;
      options.insert("-DREAL=" + name_of(type));
      options.insert("-DREAL_SUFFIX=" + suffix_of(type));
      options.insert("-DELSEWHERE=" + name_of(type));
      kernel_ = runtime->build("scale", options);
    }"""
    write(tmp_path, {"cl/scale.cl": TYPED, "ops/scale.cc": host, "Makefile": ""})
    texts = Project(str(tmp_path)).texts_for(str(tmp_path / "cl/scale.cl"))
    assert texts == ("REAL=float", "REAL_SUFFIX=float", "ELSEWHERE=float")
    assert check(tmp_path, "cl/scale.cl").summary.partial == 0
    write(tmp_path, {"ops/scale.cc": host.replace("-DREAL=", "-DOTHER=")})
    assert check(tmp_path, "cl/scale.cl").summary.partial == 1


def test_a_word_that_hosts_write_out_is_taken() -> None:
    assert words_in(["?DREAL=half", "DSIZE=4", "TKIND", "NWIDTH", "Iinclude"]) == ("REAL=half", "KIND")


def test_what_is_defined_before_an_include() -> None:
    text = b"#ifndef G\n#define G\n#define A 1\n#ifdef X\n#define B 2\n#endif\n#define C(x) (x) // c\n"
    text += b"#undef A\n#define D\n"
    text += b'#include "k.inc"\n#define E\n#endif\n'
    found = defines_before(text, b"A B C D E", lambda written: written == '"k.inc')
    assert found == ("C(x)=(x)", "D=")


def test_a_header_takes_what_its_includer_defines(tmp_path: Path) -> None:
    body = "__global__ void NAME(float *x) { __shared__ float s[N]; s[N] = x[0]; x[1] = s[N]; }\n"
    host = '#define NAME scale\n#define N 4\n#include "body.cuh"\n'
    write(tmp_path, {"Makefile": "", "src/body.cuh": body, "src/k.cu": host})
    report = check(tmp_path, "src/body.cuh")
    assert codes(report) == ["KL104"] and not kinds(report)


def test_a_header_that_includes_nothing_takes_what_its_includer_includes(tmp_path: Path) -> None:
    word = "#pragma once\nunion Word { unsigned all; float one; };\n"
    body = "__global__ void k(Word *x) { __shared__ Word s[4]; s[4] = x[0]; x[1] = s[4]; }\n"
    host = '#include "word.h"\n#ifdef NEVER\n#include "away.h"\n#endif\n#include "body.cuh"\n'
    write(
        tmp_path, {"Makefile": "", "src/word.h": word, "src/body.cuh": body, "src/k.cu": host, "src/away.h": "#error"}
    )
    report = check(tmp_path, "src/body.cuh")
    assert codes(report) == ["KL104"] and not kinds(report)
    assert includes_before(host.encode(), lambda written: written == '"body.cuh') == ('"word.h',)
    assert includes_before(host.encode(), lambda written: False) == ()


PART = """__global__ void blur(Row *x) { __shared__ Row s[WIDTH]; s[WIDTH] = x[0]; x[1] = s[weight * 0]; }
"""


@pytest.mark.parametrize("known", [True, False])
def test_a_header_is_read_behind_what_leads_to_it(known: bool, tmp_path: Path) -> None:
    middle = """#ifndef MIDDLE
    #define MIDDLE
    __constant__ int weight;
    #include "parts/first.cuh"
    #include "parts/blur.cuh"
    #include "parts/last.cuh"
    #endif
    """
    first = "__global__ void first(Row *x) { x[0] = make(weight); }\n"
    top = "struct Row { int all; };\n#define WIDTH 4\n" if known else ""
    host = f'{top}#include "middle.h"\nvoid f(Row *x) {{ blur<<<1, 1>>>(x); }}\n'
    write(tmp_path, {"Makefile": "", "middle.h": middle, "parts/first.cuh": first, "parts/blur.cuh": PART})
    write(tmp_path, {"parts/last.cuh": "", "main.cu": host})
    report = check(tmp_path, "parts/blur.cuh")
    assert report.summary.partial == 0
    assert ("KL104" in codes(report)) == known


def test_a_header_of_an_installation_is_the_toolkits(tmp_path: Path) -> None:
    kernel = "__global__ void k(float *x) { x[threadIdx.x] = WIDTH; }\n"
    for folder, missing in (("/usr/local/cuda-10.1/targets/x86_64-linux/include/cuda_runtime.h", 0), ("/opt/own.h", 1)):
        write(tmp_path, {"k.cu": f'#include "{folder}"\n{kernel}', "Makefile": ""})
        assert [note.kind for note in check(tmp_path, "k.cu").notifications].count("missing-header") == missing


def test_a_header_takes_the_command_of_its_includer(tmp_path: Path) -> None:
    entry = f'[{{"directory": "{tmp_path}", "file": "k.cu", "command": "nvcc -DBLOCK=64 -DGPU -c k.cu"}}]'
    write(tmp_path, {"k.cuh": RACY, "mid.h": '#include "k.cuh"\n', "k.cu": '#include "mid.h"\n'})
    write(tmp_path, {"compile_commands.json": entry, "Makefile": ""})
    assert codes(check(tmp_path, "k.cuh")) == ["KL201"]


def test_kernels_under_macros_of_the_project_are_met_in_a_folder(tmp_path: Path) -> None:
    macros = '#pragma once\n#define MY_KERNEL extern "C" __global__ void\n'
    kernel = (
        '#include "macros.h"\nMY_KERNEL k(float *x) {\n  __shared__ float s[4];\n  s[4] = x[0];\n  x[1] = s[4];\n}\n'
    )
    write(tmp_path, {"Makefile": "", "lib/macros.h": macros, "src/k.hpp": kernel, "src/plain.hpp": "int x;\n"})
    for path in (".", "src/k.hpp"):
        report = check(tmp_path, path)
        assert codes(report) == ["KL104"] and report.summary.kernels == 1


def test_a_header_that_the_build_makes_is_read_from_its_template(tmp_path: Path) -> None:
    template = "#cmakedefine GPU\n#define BLOCK @BLOCK@\n"
    build = 'set(BLOCK 64)\noption(GPU "" ON)\nconfigure_file(config.h.in config.h)\n'
    write(tmp_path, {"CMakeLists.txt": build, "config.h.in": template, "src/k.cu": '#include "config.h"\n' + RACY})
    report = check(tmp_path, ".")
    assert codes(report) == ["KL201"] and report.summary.partial == 0


def test_what_a_build_may_define_is_tried_first(tmp_path: Path) -> None:
    build = "if(SOMETHING)\nadd_definitions(-DDEPTH=4)\nendif()\n"
    kernel = "__global__ void k(float *x) {\n#if DEPTH\n  __shared__ float s[DEPTH];\n  s[4] = x[0];\n"
    kernel += "  x[1] = s[4];\n#endif\n}\n"
    write(tmp_path, {"CMakeLists.txt": build, "k.cu": kernel})
    project = Project(str(tmp_path))
    assert project.choices_for(str(tmp_path / "k.cu")) == ("DEPTH=4",)
    (result,) = check(tmp_path, ".").results
    assert "4 of 4" in result.finding.message or "element 4" in result.finding.message


TILED = """
#ifndef TILE
#define TILE 16
#endif
#define LIMIT 4096
__global__ void blur(const float *in, float *out, int n) {
    __shared__ float rows[SIZE][48];
#if TILE > LIMIT
    rows[threadIdx.x][0] = 0.0f;
#endif
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    rows[threadIdx.x % 16][threadIdx.x % 48] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (i < n) out[i] = rows[threadIdx.x % 16][threadIdx.x % 48];
}
"""


@pytest.mark.parametrize(("size", "told"), [("TILE", False), ("4096", True)])
def test_a_size_that_only_a_number_made_up_for_a_test_makes_is_not_told(size: str, told: bool, tmp_path: Path) -> None:
    path = tmp_path / "blur.cu"
    path.write_text(TILED.replace("SIZE", size))
    found = check(tmp_path, "blur.cu")
    assert ("KL302" in codes(found)) is told


@pytest.mark.parametrize(
    ("said", "given"),
    [
        ('WHERE="${CMAKE_SOURCE_DIR}/cl"', ('WHERE="./cl"',)),
        ('WHERE=\\"${OUT}\\"', ('WHERE="."',)),
        ("WHERE=${OUT}", ()),
        ('WHERE="a"${OUT}', ()),
    ],
)
def test_a_text_that_cmake_puts_a_folder_into_is_a_text(said: str, given: tuple[str, ...], tmp_path: Path) -> None:
    cmake = f"add_executable(a a.cpp)\ntarget_compile_definitions(a PRIVATE {said})\n"
    write(tmp_path, {"CMakeLists.txt": cmake, "a.cpp": ""})
    assert Project(str(tmp_path)).defines_for(str(tmp_path / "a.cpp")) == given
