"""Missing headers."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from kernlint.frontends.clang import includes
from kernlint.frontends.clang.includes import VIRTUAL_FOLDER, scan_includes
from kernlint.frontends.clang.options import Language, ParseOptions
from kernlint.frontends.clang.session import parse

KERNEL = b"__global__ void k(int* x) { x[0] = 1; }\n"


def scan(main: Path, text: bytes, *dirs: Path) -> includes.IncludeScan:
    return scan_includes(str(main), text, tuple(map(str, dirs)))


def test_names_are_looked_up_beside_and_in_folders(tmp_path: Path) -> None:
    (tmp_path / "beside.h").write_text('#include "nested.h"\n')
    (tmp_path / "nested.h").write_text("#include <gone.h>\n")
    folder = tmp_path / "include"
    folder.mkdir()
    (folder / "there.h").write_text("")
    found = scan(
        tmp_path / "k.cu",
        b'#include "beside.h"\n  #  include <there.h>\n#include <beside.h>\n#include "../up.h"\n',
        folder,
    )
    assert found.missing == {"gone.h", "beside.h", "../up.h"}
    assert [Path(f).name for f in found.found] == ["beside.h", "there.h", "nested.h"]
    assert f"{VIRTUAL_FOLDER}/gone.h" in found.virtual


def test_a_parse_goes_on_behind_missing_headers(tmp_path: Path) -> None:
    source = b'#include <cuda_runtime.h>\n#include "a/b/c.cuh"\n#include "../up.h"\n' + KERNEL
    with parse(tmp_path / "k.cu", source, Language.CUDA) as parsed:
        assert not list(parsed.errors())
        assert parsed.missing == {"cuda_runtime.h", "a/b/c.cuh", "../up.h"}
        assert [c.spelling for c in parsed.unit.top_level()] == ["k"]


def test_system_folders_are_not_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "planted.h").write_text("#error planted\n")
    for variable in ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"):
        monkeypatch.setenv(variable, str(tmp_path))
    with parse("k.cu", b"#include <planted.h>\n" + KERNEL, Language.CUDA) as parsed:
        assert not parsed.diagnostics
        assert parsed.missing == {"planted.h"}
    assert os.environ["CPATH"] == str(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes")
def test_pipes_folders_and_devices_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.h")
    (tmp_path / "folder.h").mkdir()
    (tmp_path / "device.h").symlink_to("/dev/zero")
    source = b'#include "pipe.h"\n#include "folder.h"\n#include "device.h"\n' + KERNEL
    with parse(tmp_path / "k.cu", source, Language.CUDA) as parsed:
        assert sorted(Path(note.split(":")[0]).name for note in parsed.refused) == ["device.h", "folder.h", "pipe.h"]
        assert not list(parsed.errors())
        assert [c.spelling for c in parsed.unit.top_level()] == ["k"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs symbolic links")
def test_loops_end(tmp_path: Path) -> None:
    (tmp_path / "self.h").write_text('#include "self.h"\n#include "again/self.h"\n')
    (tmp_path / "again").symlink_to(tmp_path)
    found = scan(tmp_path / "k.cu", b'#include "self.h"\n')
    assert [Path(f).name for f in found.found] == ["self.h"]


def test_limits_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(includes, "MAX_FILES", 3)
    for i in range(5):
        (tmp_path / f"{i}.h").write_text("")
    found = scan(tmp_path / "k.cu", b"".join(b'#include "%d.h"\n' % i for i in range(5)))
    assert len(found.found) == 3
    assert len(found.refused) == 2 and "too many" in found.refused[0]


def test_names_through_macros(tmp_path: Path) -> None:
    (tmp_path / "real.h").write_text("#include <behind.h>\n")
    found = scan(tmp_path / "k.cu", b'#define WHICH "real.h"\n#include WHICH\n#include UNKNOWN_MACRO\n')
    assert found.missing == {"behind.h"}


def test_a_tested_header_stays_missing() -> None:
    source = b"""\
#if __has_include(<fancy.h>)
#include <fancy.h>
#else
#define FALLBACK 1
#endif
#ifdef FALLBACK
__global__ void k(int* x) { x[0] = FALLBACK; }
#endif
"""
    with parse("k.cu", source, Language.CUDA) as parsed:
        assert [c.spelling for c in parsed.unit.top_level()] == ["k"]


def test_include_folders_of_the_options(tmp_path: Path) -> None:
    (tmp_path / "value.h").write_text("#define VALUE 7\n")
    options = ParseOptions(include_dirs=(str(tmp_path),))
    source = b"#include <value.h>\n__global__ void k(int* x) { x[0] = VALUE; }\n"
    with parse("elsewhere/k.cu", source, Language.CUDA, options) as parsed:
        assert not parsed.diagnostics and not parsed.missing


def test_forced_includes_may_be_missing(tmp_path: Path) -> None:
    (tmp_path / "there.h").write_text("#define VALUE 7\n")
    options = ParseOptions(
        forced=(str(tmp_path / "there.h"), str(tmp_path / "gone.h"), "nowhere.h"), include_dirs=("",)
    )
    source = b"__global__ void k(int* x) { x[0] = VALUE; }\n"
    with parse("k.cu", source, Language.CUDA, options) as parsed:
        assert not parsed.diagnostics
        assert parsed.missing == {str(tmp_path / "gone.h"), "nowhere.h"}


def test_names_made_by_macros_of_the_build(tmp_path: Path) -> None:
    from kernlint.frontends.base import FrontendOptions
    from kernlint.frontends.clang import ClangFrontend
    from kernlint.project.run import Projects
    from kernlint.source import read

    (tmp_path / "part.h").write_text("#define WORD 3\n")
    main = tmp_path / "a.cl"
    main.write_text("#include NAME(FOLDER/part.h)\n__kernel void k(__global int *p) { p[WORD] = 1; }\n")
    around = Projects([str(tmp_path)], cache=False).questions(str(main))
    (module,) = ClangFrontend().parse_file(read(str(main)), FrontendOptions(cache=False, around=around))
    assert not module.missing_headers and not module.kernels[0].function.losses
