from __future__ import annotations

import json

import pytest

from kernlint.policy.config import Config
from kernlint.project import compiledb
from kernlint.project.compiledb import DatabaseError, Flags, read_flags


def test_nvcc():
    words = "nvcc -forward-unknown-to-host-compiler -DN=4 -D FAST -Uold -I../inc -isystem /usr/include -isystem=dep"
    words += " --generate-code=arch=compute_80,code=[sm_80] -arch=compute_86 -std=c++17 -Xcompiler -fPIC -c a.cu"
    assert read_flags(words.split(), "/src/build") == Flags(
        defines=("N=4", "FAST"),
        undefines=("old",),
        include=("/src/inc", "/src/build/=dep"),
        std="c++17",
        target="sm_86",
    )


def test_hipcc_and_clang():
    words = "hipcc --offload-arch=gfx90a:xnack- --offload-arch=gfx942 -include pre.h -iquote q --std=c++20 -O3 a.hip"
    assert read_flags(words.split(), "/b") == Flags(
        include=("/b/q",), forced=("/b/pre.h",), std="c++20", target="gfx90a"
    )
    assert read_flags(["clang", "-cl-std=CL2.0", "-D"], "/b") == Flags(std="CL2.0")


def test_the_command_of_a_file_is_found_by_its_real_path(tmp_path):
    (tmp_path / "build").mkdir()
    (tmp_path / "a.cu").write_text("")
    (tmp_path / "link.cu").symlink_to("a.cu")
    entries = [
        {"directory": str(tmp_path / "build"), "file": "../a.cu", "command": "nvcc '-DNAME=\"x y\"' ../a.cu"},
        {"directory": str(tmp_path / "build"), "file": "../a.cu", "arguments": ["nvcc", "-DSECOND"]},
    ]
    (tmp_path / "build" / "compile_commands.json").write_text(json.dumps(entries))
    found = compiledb.find(str(tmp_path))
    assert found is not None
    database = compiledb.load(found)
    assert database.flags(str(tmp_path / "link.cu")).defines == ('NAME="x y"',)
    assert database.flags(str(tmp_path / "other.cu")) == Flags()
    assert compiledb.load(str(tmp_path / "build")).commands == database.commands


def test_the_search_ends_at_the_repository(tmp_path):
    (tmp_path / "compile_commands.json").write_text("[]")
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "src").mkdir()
    assert compiledb.find(str(tmp_path / "repo" / "src")) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", r"compile_commands.json:1:2: Expecting value"),
        ("{}", "is not a list of commands"),
        ("[1]", "command 1 is not of the known form"),
        ('[{"file": "x", "directory": "y"}]', "command 1 is not of the known form"),
        ('[{"file": "x", "directory": "y", "command": "\'"}]', "No closing quotation"),
    ],
)
def test_a_broken_database_says_where(tmp_path, text, message):
    path = tmp_path / "compile_commands.json"
    path.write_text(text)
    with pytest.raises(DatabaseError, match=message):
        compiledb.load(str(path))
    with pytest.raises(DatabaseError, match="cannot be read"):
        compiledb.load(str(tmp_path / "nowhere.json"))


def test_a_broken_database_is_a_warning_and_the_run_goes_on(check):
    text = "__global__ void k() { bad(); }"
    report = check({"a.cu": text, "b.cu": text, "compile_commands.json": "["}, paths=["a.cu", "b.cu"])
    assert [n.kind for n in report.notifications] == ["compile-commands"] and len(report.results) == 2


def test_a_named_database_reaches_the_front_end(kernlint, tmp_path):
    from kernlint.run import engine

    (tmp_path / "a.cu").write_text("__global__ void k() { good(); }")
    entry = {"directory": str(tmp_path), "file": "a.cu", "command": "nvcc -DA=1 -Iinc -arch=sm_80 -std=c++14 a.cu"}
    (tmp_path / "db.json").write_text(json.dumps([entry]))
    assert kernlint("a.cu", "--compile-commands", "db.json", "-D", "B", "--std", "c++20")[0] == 0
    options = engine.default_frontend().seen[-1][1]
    assert (options.defines, options.std, options.target) == (("A=1", "B"), "c++20", "sm_80")
    assert options.include_dirs == (str(tmp_path / "inc"),)
    assert Config().compile_commands is None
