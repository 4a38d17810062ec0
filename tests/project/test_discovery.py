from __future__ import annotations

import os
from pathlib import Path

import pytest

from kernlint.project.discovery import (
    MOST_HOSTS,
    find,
    holds_kernels,
    makes_kernels,
    works_in_python,
    works_with_devices,
)


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {
        "b.cu": "",
        "a.CL": "",
        "sub/z.hip": "",
        "sub/y.cuh": "",
        "plain.h": "int x;",
        "kernels.hpp": "__global__ void k();",
        "strings.cpp": 'R"(__kernel void k())"',
        "old.cc": "kernel __attribute__((reqd_work_group_size(64,1,1))) void k()",
        "kernel_void.md": "kernel void",
        ".git/x.cu": "",
        "node_modules/x.cu": "",
        "build/x.cu": "",
        "skip/x.cu": "",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def names(paths, **more):
    return [os.path.normpath(f.path) for f in find(paths, **more)]


def test_a_folder_is_walked_in_order(tree):
    expected = ["a.CL", "b.cu", "kernels.hpp", "old.cc", "strings.cpp", "skip/x.cu", "sub/y.cuh", "sub/z.hip"]
    assert names(["."]) == expected


def test_exclusion_is_for_what_was_not_named(tree):
    excluded = lambda path, is_file: "skip" in path or path.endswith("b.cu")  # noqa: E731
    assert "skip/x.cu" not in names(["."], excluded=excluded)
    assert names(["b.cu", "build"], excluded=excluded) == ["b.cu", "build/x.cu"]


def test_named_files_are_handed_on_whatever_they_are(tree):
    found = list(find(["plain.h", "nowhere.cu", "sub"]))
    assert [(f.path, f.named) for f in found] == [
        ("plain.h", True),
        ("nowhere.cu", True),
        ("sub/y.cuh", False),
        ("sub/z.hip", False),
    ]


def test_loops_of_links_end(tree):
    (tree / "sub" / "up").symlink_to(tree)
    (tree / "sub" / "self").symlink_to("self")
    (tree / "sub" / "twin.cu").symlink_to(tree / "b.cu")
    found = names(["sub"])
    assert found[:3] == ["sub/twin.cu", "sub/y.cuh", "sub/z.hip"]
    assert len(found) == len({os.path.realpath(f) for f in found})


def test_a_file_that_cannot_be_read_holds_no_kernels(tree):
    assert holds_kernels("kernels.hpp") and not holds_kernels("plain.h") and not holds_kernels("nowhere.h")


def test_host_code_that_works_with_devices_is_looked_at_up_to_a_number(tree):
    (tree / "host").mkdir()
    for index in range(MOST_HOSTS + 2):
        (tree / "host" / f"h{index:03}.cpp").write_text("void f(void **p) { cudaMalloc(p, 4); }")
    (tree / "host" / "plain.cpp").write_text("int cudaMallocs;")
    (tree / "host" / "own.h").write_text("void f(void **p) { cudaMalloc(p, 4); }")
    (tree / "host" / "copy.py").write_text("import pyopencl as cl\ncl.enqueue_copy(q, a, b)\n")

    def works(path: str, real: str) -> bool:
        data = Path(path).read_bytes()
        return works_in_python(data) if path.endswith(".py") else works_with_devices(data)

    passed: list[str] = []
    found = [os.path.basename(one.path) for one in find(["host"], works=works, passed=passed)]
    assert found == ["copy.py", *(f"h{index:03}.cpp" for index in range(MOST_HOSTS - 1))]
    assert [os.path.basename(path) for path in passed] == [f"h{MOST_HOSTS + index - 1:03}.cpp" for index in range(3)]
    assert [one.path for one in find(["host"])] == []


@pytest.mark.parametrize(
    ("text", "held"),
    [
        (b"from numba import cuda as gpu\n@gpu.jit\ndef f(a): ...\n", True),
        (b"from numba import (float32,\n    cuda as gpu)\n@gpu.jit('void(int32[:])')\ndef f(a): ...\n", True),
        (b"from numba.hip import jit\n@jit\ndef f(a): ...\n", True),
        (b"from numba import cuda as gpu\nif gpu.is_available(): ...\n", False),
        (b"from numba import jit, cuda as gpu\n@jit\ndef f(a): ...\n", False),
    ],
)
def test_numbas_compilers_by_another_name(text: bytes, held: bool) -> None:
    assert makes_kernels(text) is held
