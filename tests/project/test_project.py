"""Roots, walks, facts and questions."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from kernlint.project import Project, Projects, Questions
from kernlint.project.facts import FileFacts, Includes, Started
from kernlint.project.headers import choose, filled_in
from kernlint.project.root import is_system, root_of
from kernlint.project.tree import walk


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_the_root_is_marked_by_settings_then_version_control_then_build_files(tmp_path: Path) -> None:
    write(tmp_path, {"a/b/c/k.cu": "", "a/b/CMakeLists.txt": "", "a/b/c/CMakeLists.txt": "", "named/x.cu": ""})
    file = str(tmp_path / "a/b/c/k.cu")
    assert root_of(file, "", ()) == (str(tmp_path / "a/b"), True)
    write(tmp_path, {"a/b/c/d/e/Makefile": "", "a/b/c/d/e/f/g/h/Makefile": ""})
    assert root_of(str(tmp_path / "a/b/c/d/e/k.cu"), "", ()) == (str(tmp_path / "a/b"), True)
    assert root_of(str(tmp_path / "a/b/c/d/e/f/g/h/k.cu"), "", ()) == (str(tmp_path / "a/b"), True)
    (tmp_path / "a/.git").mkdir()
    assert root_of(file, "", ()) == (str(tmp_path / "a"), True)
    assert root_of(file, str(tmp_path / "a/b/c"), ()) == (str(tmp_path / "a/b/c"), True)
    assert root_of(file, str(tmp_path / "named"), ()) == (str(tmp_path / "a"), True)  # settings of elsewhere
    lone = str(tmp_path / "named/x.cu")
    assert root_of(lone, "", ()) == (str(tmp_path / "named"), False)
    assert root_of(lone, "", (str(tmp_path / "named"), str(tmp_path / "a"))) == (str(tmp_path), False)


def test_a_folder_that_is_handed_out_by_itself_is_a_project(tmp_path: Path) -> None:
    write(tmp_path, {"one/COPYING": "", "one/device/3d/k.cu": "", "one/include/own/k.h": "", "two/k.cu": ""})
    file = str(tmp_path / "one/device/3d/k.cu")
    assert root_of(file, "", (file,)) == (str(tmp_path / "one"), True)
    assert root_of(file, "", (str(tmp_path),)) == (str(tmp_path / "one"), True)
    assert root_of(str(tmp_path / "two/k.cu"), "", (str(tmp_path),)) == (str(tmp_path), False)
    write(tmp_path, {"one/device/Makefile": ""})  # what is built counts for more
    assert root_of(file, "", ()) == (str(tmp_path / "one/device"), True)


def test_files_that_nothing_marks_belong_to_the_current_folder_above_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"all/device/k.cl": "", "all/host/main.c": "", "elsewhere/x.cl": ""})
    file, other = str(tmp_path / "all/device/k.cl"), str(tmp_path / "elsewhere/x.cl")
    monkeypatch.chdir(tmp_path / "all")
    assert root_of(file, "", (file,)) == (str(tmp_path / "all"), False)
    assert root_of(file, "", (str(tmp_path / "all/device"),)) == (str(tmp_path / "all/device"), False)
    assert root_of(other, "", (other,)) == (str(tmp_path / "elsewhere"), False)
    assert root_of(other, "", (other, file)) == (str(tmp_path), False)
    monkeypatch.chdir(tmp_path / "all/device")
    assert root_of(file, "", (file,)) == (str(tmp_path / "all/device"), False)


def test_folders_of_the_system_are_nobodys_project() -> None:
    assert is_system("/") and is_system("/usr/include/x") and not is_system("/home/me/x")
    assert not Projects().of("/nowhere/a.cu").tree.files
    assert not Projects(["/usr/include/a.cu"]).of("/usr/include/a.cu").tree.files


def test_a_walk_keeps_to_the_root_and_ends(tmp_path: Path) -> None:
    write(tmp_path, {"root/a/x.h": "", "root/b/y.cu": "", "root/.hidden/z.h": "", "out/o.h": "", "root/t.txt": ""})
    os.symlink(tmp_path / "out", tmp_path / "root/outside")
    os.symlink(tmp_path / "out/o.h", tmp_path / "root/o.h")
    os.symlink("../b", tmp_path / "root/a/other")
    os.symlink("..", tmp_path / "root/a/up")
    tree = walk(str(tmp_path / "root"))
    assert set(tree.files) == {"a/x.h", "b/y.cu"} and tree.whole
    assert tree.names["y.cu"] == ["b/y.cu", "a/other/y.cu"]
    assert not walk(str(tmp_path / "root"), most=2).whole


def test_what_git_ignores_is_left_out(tmp_path: Path) -> None:
    os.system(f"git init -q {tmp_path}")
    write(tmp_path, {".gitignore": "made/\n", "made/x.h": "", "src/x.h": ""})
    assert set(walk(str(tmp_path)).files) == {"src/x.h"}


def test_names_are_found_by_suffix_then_nearness() -> None:
    names = {"x.h": ["a/inc/x.h", "b/inc/x.h", "b/src/y/x.h"], "only.h": ["lib/src/only.h"]}
    assert choose("inc/x.h", "b/src", "r", names).path == "b/inc/x.h"  # type: ignore[union-attr]
    assert choose("../inc/x.h", "a", "r", names).path == "a/inc/x.h"  # type: ignore[union-attr]
    nearest = choose("x.h", "b/src", "r", names)
    assert nearest is not None and nearest.path == "b/src/y/x.h" and nearest.others == ("b/inc/x.h", "a/inc/x.h")
    assert choose("other/x.h", "b/src", "r", names) is None  # somebody else's
    assert choose("lib/only.h", "a", "r", names).path == "lib/src/only.h"  # type: ignore[union-attr]
    assert choose("r/only.h", "a", "r", names).path == "lib/src/only.h"  # type: ignore[union-attr]


def test_the_template_of_a_header_stands_for_it() -> None:
    found = choose("gen/config.h", "src", "r", {"config.h.in": ["gen/config.h.in"]})
    assert found is not None and found.template
    template = b'#cmakedefine HAVE_A\n#cmakedefine01 HAVE_B\n#define N @N@\n#define M @M@ // x\n#define S "@S@"\n'
    made = filled_in(template, {"HAVE_A": "ON", "HAVE_B": "OFF", "N": "4"})
    assert made.split(b"\n") == [b"#define HAVE_A", b"#define HAVE_B 0", b"#define N 4", b"", b'#define S "@S@"', b""]


def test_the_template_of_autoconf_takes_nothing_back() -> None:
    template = b"/* Define to use GPUs. */\n#undef USE_GPU\n# undef WIDTH\n#define A 1\n#undef A /* not here */\n"
    made = filled_in(template, {"WIDTH": "64"})
    assert made.split(b"\n")[1:] == [b"", b"#define WIDTH 64", b"#define A 1", b"#undef A /* not here */", b""]


def test_facts_are_names() -> None:
    text = b"""#include "a.h"
    # include <b/c.h>
    #define KERNEL extern "C" __global__ void
    #if defined(WIDE) && N > 2
    template <int N> __global__ void __launch_bounds__(256) scale(float *x) {}
    #endif
    template __global__ void scale<4>(float *);
    void go() { scale<4><<<1, 2>>>(x); cudaLaunchKernel((const void *)other, g, b, a, 0, s); }
    void hip() { hipLaunchKernelGGL(HIP_KERNEL_NAME(third<float, 2>), g, b, 0, 0, x); }"""
    found = FileFacts.of("k.cu", text)
    assert Includes.of("k.cu", text).includes == ('"a.h', "<b/c.h")
    assert "scale" in found.kernels and found.macros == ("KERNEL",) and found.instances == ("scale",)
    assert set(found.launches) == {"scale", "other", "third"}
    assert found.tested == ("WIDE", "N") and found.speaks


def test_opencl_host_code_and_python_name_kernels() -> None:
    text = b'k = clCreateKernel(program, "add", &err); cl::Kernel k2(program, "mul"); cl::Kernel(program_, "sub")'
    assert FileFacts.of("h.cpp", text).launches == ("add", "mul", "sub")
    python = b'import pyopencl as cl\nprg.add_all(queue, n, None, a)\nf = mod.get_function("mul")\nk[grid, block](x)'
    assert {"add_all", "mul"} <= set(FileFacts.of("h.py", python).launches)
    assert Started.of("h.py", python).started == ("k",)


def test_launches_of_python_are_looked_for_where_a_module_has_a_kernel(tmp_path: Path) -> None:
    calls = "from ours import add, sub\nadd[1, 32](x)\nsub.forall(n)(x)\n"
    write(tmp_path, {"ours.py": "def add(x): pass\n", "run.py": calls})
    assert Project(str(tmp_path), cache=False).files_launching("add") == ()
    write(tmp_path, {"ours.py": "from numba import cuda\n@cuda.jit\ndef add(x): pass\n"})
    project = Project(str(tmp_path), cache=False)
    assert project.files_launching("add") == project.files_launching("sub") == (str(tmp_path / "run.py"),)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    write(
        tmp_path,
        {
            "include/lib/types.h": "",
            "src/types.h": "",
            "src/k.cu": '#include "lib/types.h"\n__global__ void add(float *x) {}\n',
            "src/near.cu": '#include "types.h"\n',
            "app/go.cu": "void go() { add<<<1, 2>>>(x); }\n",
            "app/more.cu": "template __global__ void add<4>(float *);\n",
        },
    )
    return Project(str(tmp_path))


def relative(project: Project, paths: tuple[str, ...]) -> list[str]:
    return [os.path.relpath(path, project.root).replace(os.sep, "/") for path in paths]


def test_a_project_answers(project: Project) -> None:
    assert relative(project, project.files_launching("add")) == ["app/go.cu"]
    assert relative(project, project.files_defining("add")) == ["app/more.cu", "src/k.cu"]
    assert relative(project, project.files_instantiating("add")) == ["app/more.cu"]
    assert relative(project, project.files_naming("add")) == ["app/go.cu", "app/more.cu", "src/k.cu"]
    assert relative(project, project.files_including(f"{project.root}/include/lib/types.h")) == ["src/k.cu"]
    assert relative(project, project.files_including(f"{project.root}/src/types.h")) == ["src/near.cu"]
    assert project.files_launching("nobody") == () == project.files_including("/elsewhere/x.h")


def test_questions_are_noted_with_answers_that_can_be_asked_again(project: Project) -> None:
    questions = Questions(project)
    found = questions.header("types.h", f"{project.root}/app/go.cu")
    assert found is not None and questions.choices.keys() == {"types.h"}
    questions.files_launching("add")
    assert len(questions.asked) == 2
    later = Project(project.root)
    assert all(later.digest(question) == answer for question, answer in questions.asked.items())
    write(Path(project.root), {"app/types.h": "", "app/second.cu": "add<<<1, 1>>>(y);"})
    later = Project(project.root)
    assert not any(later.digest(question) == answer for question, answer in questions.asked.items())


def test_facts_are_kept_under_time_and_size(project: Project) -> None:
    path = Path(project.root) / "app/go.cu"
    for file in Path(project.root).rglob("*.*"):
        os.utime(file, (time.time() - 60,) * 2)
    assert project.files_launching("add")
    text = path.read_text()
    status = path.stat()
    path.write_text(text.replace("add", "sub"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert Project(project.root).files_launching("add")  # nobody can tell
    assert not Project(project.root, cache=False).files_launching("add")
    os.utime(path)
    assert not Project(project.root).files_launching("add")


def test_a_file_that_vanishes_says_nothing(project: Project) -> None:
    assert project.tree.files
    os.unlink(os.path.join(project.root, "app/go.cu"))
    assert project.files_launching("add") == ()


def test_a_macro_for_the_keyword_may_stand_on_a_line_that_continues_another() -> None:
    wide = b"#define WIDE \\\n  extern \\\n  __global__ void\n"
    text = wide + b"// define nothing: __global__\n// define the kernel\n#define ONE(n) kernel void n(void) {}\n"
    assert FileFacts.of("k.cuh", text).macros == ("WIDE", "ONE{")


def test_what_few_ask_is_looked_for_when_it_is_asked(tmp_path: Path) -> None:
    write(tmp_path, {"k.cu": '#include "a.h"\n__global__ void k() {}', "a.h": "#define A 1"})
    known = Project(os.path.realpath(tmp_path))
    assert known.files_defining("k") == (os.path.join(known.root, "k.cu"),)
    assert "includes" not in vars(known) and "programs" not in vars(known)
    assert known.files_including(os.path.join(known.root, "a.h")) == (os.path.join(known.root, "k.cu"),)


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_paths_through_links_are_those_of_the_files(tmp_path: Path) -> None:
    write(tmp_path, {"a/k.cu": "", "b/h.h": ""})
    (tmp_path / "link").symlink_to(tmp_path / "a")
    (tmp_path / "b" / "other.cu").symlink_to(tmp_path / "a" / "k.cu")
    known = Project(os.path.realpath(tmp_path))
    for path in ("link/k.cu", "b/other.cu", "a/../a/k.cu", "b/../link/./k.cu"):
        assert known.relative(str(tmp_path / path)) == "a/k.cu"
    assert known.relative(str(tmp_path)) is None


@pytest.mark.parametrize(
    ("text", "kernels"),
    [
        ("__global__ void __launch_bounds__(256, 2) add(int n) {}", ("add",)),
        ("__global__ __launch_bounds__(WIDE * 32) void add(int n) {}", ("add",)),
        ("template <class T> __global__ void __launch_bounds__(pick(A, B)) add(T *x);", ("add",)),
        ("__kernel __attribute__((reqd_work_group_size(WIDE, 1, 1))) void add(__global int *x) {}", ("add",)),
        ("__kernel void KERNEL(add) { x[0] = n; }", ("KERNEL", "add")),
        ("__kernel void KERNEL(add, float) { x[0] = n; }", ("KERNEL", "add")),
        ("__global__ void add(const T n) {}", ("add",)),
    ],
)
def test_the_names_of_kernels_behind_attributes_and_in_macros(text: str, kernels: tuple[str, ...]) -> None:
    assert FileFacts.of("k.cu", text.encode()).kernels == kernels
