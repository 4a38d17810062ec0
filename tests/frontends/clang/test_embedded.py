"""Programs in string literals of C++ and Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kernlint.frontends.clang.embedded import programs, unwrapped
from kernlint.frontends.clang.frontend import ClangFrontend
from kernlint.source import SourceFile

KERNEL = "__global__ void k(float *a, int n) { int i = threadIdx.x; if (i < n) a[i] = 0.0f; }"
OPENCL = "__kernel void k(__global float *a, int n) { int i = get_global_id(0); if (i < n) a[i] = 0.0f; }"


def modules(name: str, text: str) -> list[tuple[str, list[str]]]:
    """The language of each module of a file, and its kernels that lost nothing but names left open."""
    found = ClangFrontend().parse_file(SourceFile(name, text.encode(), "utf-8"))
    return [
        (m.language, [k.name for k in m.kernels if all(loss.kind in ("name", "given") for loss in k.function.losses)])
        for m in found
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f'mod = SourceModule("""{KERNEL}""")\n', [("cuda", ["k"])]),
        (f"prg = cl.Program(ctx, '''{OPENCL}''').build()\n", [("opencl", ["k"])]),
        (f'code = r"""{KERNEL}"""\nother = """{OPENCL}"""\n', [("cuda", ["k"]), ("opencl", ["k"])]),
        (f'code = ("{KERNEL[:60]}"\n        "{KERNEL[60:]}\\n")\n', [("cuda", ["k"])]),
        (f"# '''{KERNEL}'''\nx = 'it is // no comment'\n", []),
        ('"""About __global__ void functions."""\n__global__ = 1\n', []),
        ("def f(a):\n    return a // 2  # '\n" + f"s = '''{KERNEL}'''\n", [("cuda", ["k"])]),
    ],
)
def test_python(text: str, expected: list[tuple[str, list[str]]]) -> None:
    assert modules("x.py", text) == expected


@pytest.mark.parametrize(
    "filled",
    [
        '"""{}""" % {{"size": 4}}'.format(KERNEL.replace("0.0f", "%(size)s")),
        '"""{}"""\ncode = code % {{"size": 4}}'.format(KERNEL.replace("0.0f", "%(size)s")),
        '"""{}""" % 4'.format(KERNEL.replace("0.0f", "%d")),
        'f"""{}"""'.format(KERNEL.replace("{", "{{").replace("}", "}}").replace("0.0f", "{size}")),
        '"""{}""".format(size=4)'.format(KERNEL.replace("{", "{{").replace("}", "}}").replace("0.0f", "{size}")),
        'Template("""{}""").render(size=4)'.format(KERNEL.replace("0.0f", "${size}")),
        f'Template("""\n% for j in range(3):\n{KERNEL}\n% endfor\n""")',
    ],
)
def test_what_templates_leave_open_is_a_name(filled: str) -> None:
    assert modules("x.py", f"code = {filled}\n") == [("cuda", ["k"])]


@pytest.mark.parametrize(
    "head",
    [
        "__kernel void",
        '__kernel   \\n"\n"void',
        '__kernel __attribute__((reqd_work_group_size(32, 1, 1)))    \\n"\n"void',
        '__kernel\\n"\n"__attribute__((reqd_work_group_size(32, 1, 1)))\\n"\n"void\\n"\n"',
    ],
)
def test_the_head_of_a_kernel_may_be_several_literals(head: str) -> None:
    text = f'#include <CL/cl.h>\nstatic const char *source =\n"{OPENCL.replace("__kernel void", head)}\\n";\n'.encode()
    (program,) = programs(text)
    assert program.language.value == "opencl"
    assert b"include" not in program.text
    assert len(program.text) == len(text) and b"get_global_id(0)" in program.text


def test_offsets_are_those_of_the_file() -> None:
    text = f'# \N{SNOWMAN}\ncode = f"""{KERNEL.replace("{", "{{").replace("}", "}}")}"""\n'.encode()
    (program,) = programs(text, python=True)
    assert len(program.text) == len(text)
    assert program.text.index(b"threadIdx") == text.index(b"threadIdx")


def test_a_finding_in_a_python_file_stands_on_its_line(tmp_path: Path) -> None:
    source = tmp_path / "run.py"
    source.write_text(
        'mod = SourceModule("""\n'
        "__global__ void k(float *a, int n) {\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i <= n) a[i] = 0.0f;\n"
        '}\n""")\n'
    )
    command = [sys.executable, "-m", "kernlint", "check", "--format", "concise", "--no-config", "--no-cache"]
    done = subprocess.run([*command, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "run.py:4:" in done.stdout and "wrong-bounds-guard" in done.stdout


def test_names_that_a_template_fills_in() -> None:
    body = "(__global float *a, int n) {{ int i = get_global_id(0); if (i < n) a[i] = 0.0f; }}"
    assert modules("x.py", f'src = """kernel void {{name}}{body}""".format(name=name)\n') == [("opencl", ["name"])]
    assert modules("x.py", f'src = f"""__kernel void {{name}}{body}"""\n') == [("opencl", ["name"])]
    plain = body.replace("{{", "{").replace("}}", "}")
    assert modules("x.py", f'src = """__kernel void ${{name}}{plain}"""\n') == [("opencl", ["name"])]
    assert modules("x.py", f'src = """__kernel void %(name)s{plain}""" % values\n') == [("opencl", ["name"])]


CHOICES = '''
sort = """//CL//
__kernel void run\\\\
% if argsort:
(__global float *data, __global int *index)\\\\
% else:
(__global float *data)\\\\
% endif
{
  int i = get_global_id(0);
  % for k in range(n):
  % if k % 2:
  data[i + 1] = 1.0f;
  % elif k:
  data[i + 2] = 1.0f;
  % else:
  data[i + 3] = 1.0f;
  % endif
  data[i] = 0.0f;
  % endfor
}
"""
'''


def test_choices_of_a_template() -> None:
    """The first branch is taken, and offsets stay those of the file."""
    (module,) = ClangFrontend().parse_file(SourceFile("x.py", CHOICES.encode(), "utf-8"))
    (kernel,) = module.kernels
    assert not kernel.function.losses
    assert [param.name for param in kernel.function.params] == ["data", "index"]
    (program,) = programs(CHOICES.encode(), python=True)
    assert b"i + 1" in program.text and b"i + 2" not in program.text and b"i + 3" not in program.text
    assert program.text.index(b"i + 1") == CHOICES.index("i + 1")


def test_a_file_of_raw_literals_is_the_program_in_them() -> None:
    text = '// a program\nR"(\n__kernel void k(__global int *x) {\n  x[get_global_id(0)] = 1;\n)" R"(\n}\n)"\n// end\n'
    for name in ("k.opencl", "k.cl"):
        (module,) = ClangFrontend().parse_file(SourceFile(name, text.encode(), "utf-8"))
        (kernel,) = module.kernels
        assert kernel.name == "k" and not kernel.function.losses
        assert text.encode()[kernel.function.span.start :].startswith(b"__kernel void k")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("#define STRINGIFY(...) #__VA_ARGS__\nstatic const char *source = STRINGIFY(", ");"),
        ("namespace compute = boost::compute;\nconst char source[] = BOOST_COMPUTE_STRINGIZE_SOURCE(", ");"),
        ('auto program = make_program("-O2", OPENCL_SOURCE(', "));"),
        ('const char *source = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable" MULTI_LINE(float g(float x);', ");"),
    ],
)
def test_the_argument_of_a_macro_that_holds_a_kernel_is_a_program(before: str, after: str) -> None:
    kernel = "__kernel void shift(__global int *a, int n) { // a ) in a comment\na[get_global_id(0) + n] = 0; }"
    text = f"{before}\n{kernel}\n{after}\nvoid host(int n) {{ run(n); }}\n"
    found = ClangFrontend().parse_file(SourceFile("host.cpp", text.encode()))
    kernels = [(kernel.name, kernel.function.span.start) for module in found for kernel in module.kernels]
    assert kernels == [("shift", text.index("__kernel"))]
    assert not [missed for module in found for missed in module.missed]


def test_a_macro_around_the_whole_file_is_no_part_of_the_program() -> None:
    text = "MSTRINGIFY(\n__kernel void twice(__global int *a) { a[get_global_id(0)] *= 2; }\n);\n"
    (module,) = ClangFrontend().parse_file(SourceFile("twice.cl", text.encode()))
    assert [k.name for k in module.kernels] == ["twice"] and not module.kernels[0].function.losses


def test_a_macro_of_the_file_around_a_kernel_stays() -> None:
    text = b"#define BOTH(K) K\nBOTH(__kernel void f(__global int *a) { a[0] = 1; })\n"
    assert unwrapped(text) == text


def test_line_breaks_that_are_written_out_in_the_argument_of_a_macro() -> None:
    text = """const char *source = STRINGIFY(
#define SIZE 16 \\n
__kernel void fill(\\n
    __global int *a)\\n
{ \\n
    a[get_global_id(0)] = SIZE; \\n
}
);
"""
    (host, module) = ClangFrontend().parse_file(SourceFile("host.cpp", text.encode()))
    assert not host.kernels and [k.name for k in module.kernels] == ["fill"]
    assert not module.kernels[0].function.losses and not module.compiler


def test_a_file_that_a_script_takes_for_one_literal() -> None:
    text = """// "kernels" of the library
static const char *FILL = "
__kernel void fill(__global int *a) { a[get_global_id(0)] = 1; }  // the "last" one
";
static const char * const CLEAR = "
__kernel void clear(__global int *a) { a[get_global_id(0)] = 0; }
";
"""
    (module,) = ClangFrontend().parse_file(SourceFile("fill.cl", text.encode()))
    assert [k.name for k in module.kernels] == ["fill", "clear"] and not module.compiler


def test_what_a_template_leaves_open_is_no_error_of_the_language() -> None:
    for open_ in ("%TYPE", "${type}", "@TYPE@", "{{ type }}"):
        text = f"__kernel void scale(__global {open_} *a, const int n) {{ a[get_global_id(0)] *= n; }}"
        (module,) = ClangFrontend().parse_file(SourceFile("scale.cl", text.encode()))
        assert not module.compiler, open_
