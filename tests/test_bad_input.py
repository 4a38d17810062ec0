"""Input of every bad kind through the whole program: a clear line, a notification in the SARIF report, the right exit
status, and the other files are analysed all the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from kernlint.analysis import base
from kernlint.analysis.launching.agreement import agreement
from kernlint.cli import main
from kernlint.frontends.base import FrontendError
from kernlint.frontends.clang import ClangFrontend
from kernlint.frontends.clang.lower.module import TABLES
from kernlint.frontends.clang.unit import MOST_PARTS
from kernlint.run import engine, parallel
from kernlint.source import SourceError, SourceFile, decode, read

GOOD = """\
__global__ void good(float *x, const float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float samples[4096];
    for (int k = 0; k < 4096; k++) samples[k] = y[k];
    if (i < n) x[i] = samples[i % 4096];
}
"""
"""A kernel with one finding, KL301."""

posix = pytest.mark.skipif(os.name == "nt", reason="needs named pipes and symbolic links")


@dataclass
class Ran:
    """What a run said: its code, its lines on standard error, and its SARIF run."""

    code: int
    err: str
    run: dict[str, Any]

    @property
    def found(self) -> set[tuple[str, str]]:
        return {
            (r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], r["ruleId"]) for r in self.run["results"]
        }

    def said(self, uri: str) -> list[str]:
        """Texts of the notifications about a file."""
        notes = self.run["invocations"][0].get("toolExecutionNotifications", [])
        return [
            n["message"]["text"]
            for n in notes
            if n.get("locations") and n["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri
        ]


Sarif = Callable[..., Ran]


@pytest.fixture
def sarif(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Sarif:
    """``sarif("a.cu", ...)``: a run in a fresh folder that holds ``good.cu``."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.cu").write_text(GOOD)

    def run(*args: str) -> Ran:
        code = main(["check", "--format", "sarif", *args])
        out, err = capfd.readouterr()
        return Ran(code, err, json.loads(out)["runs"][0])

    return run


def process(folder: Path, *args: str, seconds: float = 30) -> subprocess.CompletedProcess[str]:
    """A run of its own, for what could hang or kill a process."""
    command = [sys.executable, "-m", "kernlint", *args]
    there = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    return subprocess.run(command, cwd=folder, env=there, capture_output=True, text=True, timeout=seconds)


# ------------------------------------------------------------------------------------------------ files


def the_folder(path: Path) -> None:
    path.mkdir()


def dangling(path: Path) -> None:
    path.symlink_to("nowhere.cu")


def looping(path: Path) -> None:
    path.symlink_to(path.name)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@posix
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (dangling, "is a dangling link or a loop of links"),
        (looping, "is a dangling link or a loop of links"),
        (os.mkfifo, "is not a regular file"),
        (device, "is not a regular file"),
        (lambda path: None, "does not exist"),
        (lambda path: path.write_bytes(b"\x7fELF\0\1"), "binary file"),
        (lambda path: path.write_bytes(GOOD.encode("utf-16-le")), "binary file"),
        (lambda path: path.write_bytes(GOOD.encode("utf-32")), "UTF-32"),
        (lambda path: path.write_bytes(b"\xff\xfea"), "not valid UTF-16 text"),
    ],
    ids=["dangling", "loop", "fifo", "device", "missing", "binary", "utf-16 without a mark", "utf-32", "half a unit"],
)
def test_files_that_are_no_text(sarif: Sarif, tmp_path: Path, make: Callable[[Path], object], message: str) -> None:
    make(tmp_path / "bad.cu")
    ran = sarif("bad.cu", "good.cu")
    assert ran.code == 1 and ran.found == {("good.cu", "KL301")}
    assert [text for text in ran.said("bad.cu") if message in text]
    assert [line for line in ran.err.splitlines() if line.startswith("kernlint: bad.cu: error: ") and message in line]
    assert sarif("bad.cu").code == 2


def test_a_file_nobody_may_read(sarif: Sarif, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bad.cu").write_text(GOOD)
    real = open

    def refuse(path: Any, *args: Any, **more: Any) -> Any:
        if str(path) == "bad.cu":
            raise PermissionError(13, "Permission denied", path)
        return real(path, *args, **more)

    monkeypatch.setattr("builtins.open", refuse)
    ran = sarif("bad.cu", "good.cu")
    assert ran.code == 1 and ran.found == {("good.cu", "KL301")}
    assert ran.said("bad.cu") == ["cannot be read: Permission denied"]


def test_a_folder_with_the_name_of_a_kernel_file(tmp_path: Path) -> None:
    the_folder(tmp_path / "a.cu")
    with pytest.raises(SourceError, match="is a folder"):
        read(str(tmp_path / "a.cu"))


@pytest.mark.parametrize(
    ("data", "message", "findings"),
    [
        (b"", "the file is empty", 0),
        (b" \n\n", "the file is empty", 0),
        (b"\xef\xbb\xbf", "the file is empty", 0),
        (b"\xef\xbb\xbf" + GOOD.encode(), "the file begins with a byte-order mark", 1),
        (b"// caf\xe9\n" + GOOD.encode(), "it is read as latin-1", 1),
        (GOOD.encode("utf-16"), "it is read as utf-16", 1),
        (b"\xfe\xff" + GOOD.encode("utf-16-be"), "it is read as utf-16", 1),
        (b"<<<<<<< ours\n" + GOOD.encode() + b"=======\nint b;\n>>>>>>> theirs\n", "unresolved merge conflict", 1),
        (GOOD.rstrip()[:-1].encode(), "expected '}'", 1),
        (GOOD.encode() + b"}\n", "line 7: extraneous closing brace", 1),
        (GOOD.encode() + b"/* open", "line 7: unterminated", 1),
        (GOOD.encode() + b"#if 1\n", "line 7: unterminated", 1),
        (b"__global__ void k(int *x) { x[0] = %b1%b; }\n" % (b"(" * 5000, b")" * 5000), "nesting level exceeded", 0),
        (b"(" * 100_000, "nesting level exceeded", 0),
        (b'#include "bad.cu"\n' + GOOD.encode(), "#include nested too deeply", None),
    ],
    ids=[
        *["empty", "blank", "only a mark", "mark", "latin-1", "utf-16-le", "utf-16-be", "conflict", "missing brace"],
        *["surplus brace", "open comment", "open #if", "parentheses", "only parentheses", "itself"],
    ],
)
def test_odd_texts(sarif: Sarif, tmp_path: Path, data: bytes, message: str, findings: int | None) -> None:
    (tmp_path / "bad.cu").write_bytes(data)
    ran = sarif("bad.cu", "good.cu", "-v")
    assert ran.code == 1 and ("good.cu", "KL301") in ran.found
    assert [text for text in ran.said("bad.cu") if message in text], ran.said("bad.cu")
    assert [line for line in ran.err.splitlines() if line.startswith("kernlint: bad.cu") and message in line]
    if findings is not None:
        assert [path for path, code in ran.found if code == "KL301"].count("bad.cu") == findings


def test_utf32_is_named() -> None:
    for name in ("utf-32-le", "utf-32-be"):
        with pytest.raises(SourceError, match="UTF-32"):
            decode("\ufeffint x;".encode(name))


DEEP = {
    "parentheses": "x[0] = " + "(" * 5000 + "1" + ")" * 5000 + ";",
    "prefix operators": "x[0] = " + "- " * 20_000 + "1;",
    "casts": "x[0] = " + "(int)" * 3000 + "1;",
    "assignments": "x[0] = " * 5000 + "1;",
    "choices": "x[0] = " + "n ? 1 : " * 5000 + "2;",
    "sums": "x[0] = 1" + " + n" * 3000 + ";",
    "branches": "".join(f"if (n == {i}) x[{i}] = 1; else " for i in range(2000)) + ";",
}


@pytest.mark.parametrize("statement", DEEP.values(), ids=DEEP)
def test_deep_nesting_does_not_kill(tmp_path: Path, statement: str) -> None:
    (tmp_path / "deep.cu").write_text(f"__global__ void k(int *x, int n) {{ {statement} }}\n")
    (tmp_path / "good.cu").write_text(GOOD)
    done = process(tmp_path, "deep.cu", "good.cu", "--format", "concise", "-v")
    assert done.returncode == 1 and "good.cu:3:5: warning[KL301]" in done.stdout, done.stderr
    assert "deep.cu:1: " in done.stdout or "deep.cu: " in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace("\n", " ") + "// " + "a" * 2_000_000,
        GOOD.replace("\n", " ") + "const int table[] = {" + "1,2,3,4,5,6,7,8," * 5_000 + "};" + " " * 1_900_000,
    ],
    ids=["comment", "table"],
)
def test_two_megabytes_on_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "long.cu").write_text(text)
    done = process(tmp_path, "long.cu")
    assert done.returncode == 1 and "oversized-private-array" in done.stdout
    assert max(map(len, done.stdout.splitlines())) < 200  # the frame cuts the line


@pytest.mark.parametrize(
    "table",
    ["table[{count}] = {{{numbers}}}", "table[2][{half}] = {{ {{{numbers_of_half}}}, {{{numbers_of_half}}} }}"],
    ids=["list", "rows"],
)
@pytest.mark.parametrize(("more", "cut"), [(-8, False), (8, True)], ids=["as many as are read", "more"])
def test_numbers_of_large_tables(sarif: Sarif, tmp_path: Path, table: str, more: int, cut: bool) -> None:
    """A table is read, or it is said that it is not: never as if the rest of it were zero."""
    count, half = MOST_PARTS + more, (MOST_PARTS + more) // 2
    text = table.format(count=count, half=half, numbers="1," * count, numbers_of_half="1," * half)
    (tmp_path / "table.cu").write_text(f"__constant__ int {text};\n{GOOD}")
    ran = sarif("table.cu")
    assert ran.found == {("table.cu", "KL301")}
    assert (TABLES in " ".join(ran.said("table.cu"))) is cut


@posix
def test_a_loop_of_folders_ends(sarif: Sarif, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    (tmp_path / "sub" / "a.cu").write_text(GOOD)
    ran = sarif(".")
    assert ran.found == {("good.cu", "KL301"), ("sub/a.cu", "KL301")}


def test_a_file_that_vanishes(sarif: Sarif, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is there when the folder is walked and gone when it is its turn."""
    (tmp_path / "z.cu").write_text(GOOD)
    real = engine.read

    def vanish(path: str) -> Any:
        if path == "z.cu":
            os.unlink(path)
        return real(path)

    monkeypatch.setattr(engine, "read", vanish)
    ran = sarif(".")
    assert ran.code == 1 and ran.found == {("good.cu", "KL301")} and ran.said("z.cu") == ["does not exist"]


# ---------------------------------------------------------------------------------------------- headers


@posix
@pytest.mark.parametrize(
    "lines",
    [
        '#include "fifo.h"',
        "#include <fifo.h>",
        '#import "fifo.h"',
        '# /* odd */ include /**/ "fifo.h"',
        '%:include "fifo.h"',
        '#inc\\\nlude "fifo.h"',
        '#define NAME "fifo.h"\n#include NAME',
        "#define TEXT(x) #x\n#include TEXT(fifo.h)",
        "#define IN(x) <x>\n#include IN(/dev/zero)",
        '#include "/dev/zero"',
        "#include </dev/zero>",
        '#if __has_include("/dev/zero")\n#include "/dev/zero"\n#endif',
        '#include "sub/../fifo.h"',
        '#include "sub/to_fifo.h"',
        '#include "link.h"',
        '#embed "/dev/zero"',
    ],
)
def test_pipes_and_devices_as_headers(tmp_path: Path, lines: str) -> None:
    os.mkfifo(tmp_path / "fifo.h")
    (tmp_path / "link.h").symlink_to("/dev/zero")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "to_fifo.h").write_text('#include "../fifo.h"\n')
    (tmp_path / "a.cu").write_text(lines + "\n" + GOOD)
    done = process(tmp_path, "a.cu", "-I", ".", "--format", "concise", "-v")
    assert done.returncode == 1 and "warning[KL301]" in done.stdout, done.stdout + done.stderr


@posix
def test_a_refused_header_is_told(sarif: Sarif, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.h")
    (tmp_path / "a.cu").write_text('#include "fifo.h"\n' + GOOD)
    ran = sarif("a.cu")
    assert ran.said("a.cu") == ["fifo.h: not a regular file; the header is not read"]
    assert "kernlint: a.cu: warning: fifo.h: not a regular file" in ran.err


def test_headers_are_looked_for_beside_the_file_then_in_the_folders(sarif: Sarif, tmp_path: Path) -> None:
    text = (
        '#include "size.h"\n__global__ void k(float *x) { float a[SIZE]; for (int i = 0; i < SIZE; i++) a[i] = x[i]; '
    )
    text += "x[0] = a[threadIdx.x]; }\n"
    for folder, size in (("beside", 4096), ("other", 2), ("include", 2)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "size.h").write_text(f"#define SIZE {size}\n")
    (tmp_path / "beside" / "a.cu").write_text(text)
    (tmp_path / "b.cu").write_text(text)
    assert ("beside/a.cu", "KL301") in sarif("beside/a.cu", "-I", "other").found
    assert ("b.cu", "KL301") not in sarif("b.cu", "-I", "include", "-I", "beside").found
    assert ("b.cu", "KL301") in sarif("b.cu", "-I", "beside", "-I", "include").found
    missing = sarif("b.cu", "-v")  # of three that could be meant one is taken
    assert [text for text in missing.said("b.cu") if "header size.h is read from" in text]


# ---------------------------------------------------------------------------------------------- crashes


def test_a_crash_in_an_analysis_costs_what_needs_it(sarif: Sarif, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(facts: object) -> object:
        raise ZeroDivisionError("injected")

    real = base._Store.get

    def get(self: Any, analysis: Any, facts: Any, timings: Any) -> Any:
        return real(self, replace(analysis, compute=broken) if analysis is agreement else analysis, facts, timings)

    monkeypatch.setattr(base._Store, "get", get)
    ran = sarif("good.cu")
    assert ran.code == 1 and ran.found == {("good.cu", "KL301")}
    (said,) = ran.said("good.cu")
    assert said.startswith("analysis agreement crashed on kernel good: ZeroDivisionError: injected; rules that need it")
    assert f"kernlint: good.cu: error: {said}" in ran.err and "Traceback" not in ran.err


def test_a_crash_in_a_rule_costs_that_rule(sarif: Sarif, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kernlint_rules.synchronisation.barrier_divergence import BarrierDivergence

    def broken(self: object, facts: object) -> object:
        raise ZeroDivisionError("injected")

    monkeypatch.setattr(BarrierDivergence, "check", broken)
    ran = sarif("good.cu")
    assert ran.code == 1 and ran.found == {("good.cu", "KL301")}
    (said,) = ran.said("good.cu")
    assert said == "rule barrier-divergence crashed on kernel good: ZeroDivisionError: injected"
    assert f"kernlint: good.cu: error: {said}" in ran.err and "Traceback" not in ran.err


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("injected"), RecursionError("injected"), FrontendError("injected")]
)
def test_a_crash_in_the_front_end_costs_the_file(
    sarif: Sarif, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    (tmp_path / "bad.cu").write_text(GOOD)
    real = ClangFrontend.parse_file

    def parse_file(self: ClangFrontend, source: Any, options: Any = None) -> Any:
        if source.path == "bad.cu":
            raise error
        return real(self, source, options)

    monkeypatch.setattr(ClangFrontend, "parse_file", parse_file)
    ran = sarif("bad.cu", "good.cu")
    assert ran.code == 2 and ran.found == {("good.cu", "KL301")}
    (said,) = ran.said("bad.cu")
    assert "injected" in said and "kernlint: bad.cu: error: " in ran.err and "Traceback" not in ran.err


def test_dump_goes_on_behind_a_bad_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    real = ClangFrontend.parse_file

    def parse_file(self: ClangFrontend, source: Any, options: Any = None) -> Any:
        if source.path == "bad.cu":
            raise ZeroDivisionError("injected")
        return real(self, source, options)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ClangFrontend, "parse_file", parse_file)
    for name in ("bad.cu", "good.cu"):
        (tmp_path / name).write_text(GOOD)
    assert main(["dump", "accesses", "bad.cu", "missing.cu", "good.cu"]) == 2
    out, err = capfd.readouterr()
    assert "kernel good" in out and err.splitlines() == [
        "kernlint: bad.cu: internal failure: ZeroDivisionError: injected",
        "kernlint: missing.cu: does not exist",
    ]


# ------------------------------------------------------------------------------- command line and settings


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--selct", "KL1"], "unrecognized arguments: --selct; did you mean --select?"),
        (["--no-cache", "check"], "the command comes first: kernlint check ..."),
        (["chek", "good.cu"], "'chek' is neither a file nor a command; did you mean check?"),
        (["--select", "barier-divergence"], "unknown rule 'barier-divergence'; did you mean barrier-divergence?"),
        (["rule", "barier-divergence"], "did you mean barrier-divergence?"),
        (["rules", "--family", "bonds"], "did you mean bounds?"),
        (["--target", "h10"], "unknown target 'h10'; did you mean h100"),
        (["--format", "sarff"], "unknown format 'sarff'; did you mean sarif?"),
        (["--std", "c++177"], "unknown standard 'c++177'; did you mean c++17?"),
        (["-D", "1x"], "'1x' is not NAME or NAME=VALUE"),
        (["-D", ""], "'' is not NAME or NAME=VALUE"),
        (["-D", "=3"], "'=3' is not NAME or NAME=VALUE"),
        (["-D", "A B"], "'A B' is not NAME or NAME=VALUE"),
        (["-j", "0"], "'0' is not a positive integer"),
        (["-j", "many"], "'many' is not a positive integer"),
        (["--block", "1x2x3x4"], "is not one to three positive integers"),
        (["--format", "sarif=a", "--format", "json=./a"], "two reports would go to the same place"),
        (["--format", "sarif", "--output", "."], "is a folder"),
        (["--format", "sarif", "--output", "no/such/a.sarif"], "there is no folder"),
        (["dump", "accesses"], "the following arguments are required: FILE"),
    ],
)
def test_usage_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], args: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.cu").write_text(GOOD)
    code = main(args if args[0] in ("rule", "rules", "dump") else [*args, "good.cu"])
    out, err = capfd.readouterr()
    assert code == 2 and out == "" and err.startswith("kernlint: ") and message in err.splitlines()[0], err
    assert len(err.splitlines()) <= 2


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ('selct = ["KL1"]', ":1: unknown key selct; did you mean select?"),
        ('select = ["KL1"\n[rules]', ":2:1: Unclosed array"),
        ('pedantic = true\nselect = "KL1"', ":2: select: expected a list of strings, got a string ('KL1')"),
        ('target = "sm_8x"', "unknown target 'sm_8x'; did you mean sm_8"),
        ("[rules.oversized-private-aray]\nwarn-bytes = 3", "did you mean oversized-private-array?"),
        ("[rules.oversized-private-array]\nwarn-byts = 3", "no option warn-byts; did you mean warn-bytes?"),
        ('[rules.oversized-private-array]\nwarn-bytes = "x"', "warn-bytes: expected an integer"),
        ('ignore = ["barier-divergence"]', "did you mean barrier-divergence?"),
        ('defines = ["1x"]', ":1: defines: expected macros as NAME or NAME=VALUE"),
        ('std = "c++177"', ":1: std: unknown standard 'c++177'; did you mean c++17?"),
        ('extend = "nowhere.toml"', "nowhere.toml: cannot be read"),
        ('extend = "kernlint.toml"', "extends itself"),
    ],
)
def test_settings_that_are_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], toml: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.cu").write_text(GOOD)
    (tmp_path / "kernlint.toml").write_text(toml)
    code = main(["good.cu"])
    out, err = capfd.readouterr()
    assert code == 2 and out == "" and message in err and len(err.splitlines()) == 1
    assert err.startswith(f"kernlint: {tmp_path}/") or os.name == "nt"


@pytest.mark.parametrize(
    ("directive", "marked", "message"),
    [
        ("ignor[KL301]", "ignor", "unknown directive 'ignor'; did you mean ignore?"),
        ("ignore[barier-divergence]", "barier-divergence", "did you mean barrier-divergence?"),
        ("ignore[KL301", "", "a ] is missing here"),
        ("ignore[KL301 KL302]", "K", "a comma or ] is expected here"),
        ("ignore[]", "]", "a rule is expected here"),
        ("assume(n >> )", ">", "is expected here"),
    ],
)
def test_a_directive_with_a_typo_gets_a_caret(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    directive: str,
    marked: str,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.cu").write_text(f"// kernlint: {directive}\n{GOOD}")
    assert main(["good.cu", "--select", "KL002"]) == 1
    lines = capfd.readouterr().out.splitlines()
    assert message in " ".join(line.strip() for line in lines[:2])
    (at,) = [n for n, line in enumerate(lines) if "// kernlint:" in line]
    caret = lines[at + 1]
    start = caret.index("^")
    assert lines[at][start:].startswith(marked) and caret.count("^") == max(len(marked), 1)


def test_outputs_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(text: str, path: str | None) -> None:
        raise PermissionError(30, "Read-only file system")

    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.cu").write_text(GOOD)
    monkeypatch.setattr("kernlint.report.write", refuse)
    assert main(["good.cu", "--format", "json=a.json"]) == 2
    err = capfd.readouterr().err
    assert "kernlint: a.json: cannot be written: Read-only file system" in err and "Traceback" not in err
    assert not (tmp_path / "a.json").exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk(tmp_path: Path) -> None:
    (tmp_path / "good.cu").write_text(GOOD)
    done = process(tmp_path, "good.cu", "--format", "json=/dev/full")
    assert done.returncode == 2 and "/dev/full: cannot be written: No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_processes_are_limited() -> None:
    assert parallel.processes(10**12, 10**9) == parallel.MOST


def test_nothing_to_do(sarif: Sarif, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    ran = sarif("empty")
    assert ran.code == 0 and "kernlint: warning: no kernel sources under empty" in ran.err
    monkeypatch.chdir(empty)
    assert main([]) == 0


# ---------------------------------------------------------------------------------------- kernels of odd shape

ODD = {
    "recursion": """
__device__ int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
__device__ int odd(int n);
__device__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__device__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }
__global__ void k(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = fact(i) + even(i);
}""",
    "function pointers": """
typedef float (*op)(float, float);
__device__ float add(float a, float b) { return a + b; }
__device__ op table[2] = {add, add};
struct Run { virtual __device__ float run(float) = 0; };
__global__ void k(float *x, int n, op f, int w, Run *r) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = f(x[i], 1.0f) + table[w](x[i], 2.0f) + (*f)(1.0f, 2.0f) + r->run(x[i]);
}""",
    "goto": """
__global__ void k(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, c = 0;
    if (i >= n) goto done;
again:
    if (c < 4) { x[i] += c; c++; goto again; }
done:
    return;
}""",
    "barrier behind a backward goto": """
__global__ void k(int *x) {
    __shared__ int s[64];
    s[threadIdx.x] = x[threadIdx.x];
    goto add;
out:
    __syncthreads();
    x[threadIdx.x] = s[63 - threadIdx.x];
    return;
add:
    s[threadIdx.x] += 1;
    goto out;
}""",
    "irreducible": """
__global__ void k(int *x, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (m) goto inside;
    while (m < 10) { m += 2; inside: x[i] += m; m++; }
}""",
    "duff": """
__global__ void k(int *x, int n) {
    int c = (n + 3) / 4;
    if (threadIdx.x == 0 && blockIdx.x == 0)
        switch (n % 4) {
            case 0: do { *x++ = 1;
            case 3: *x++ = 1;
            case 2: *x++ = 1;
            case 1: *x++ = 1; } while (--c > 0);
        }
}""",
    "computed goto": """
__global__ void k(int *x, int n) {
    void *to[] = {&&one, &&two};
    goto *to[n & 1];
one: x[0] = 1; return;
two: x[1] = 2;
}""",
    "unknown assembly": """
__global__ void k(int *x, int n) {
    __shared__ int s[64];
    int r;
    s[threadIdx.x] = x[threadIdx.x];
    asm volatile("bar.magic 7, %0;" :: "r"(n));
    asm volatile("frobnicate.async.u32 %0, [%1], %2;" : "=r"(r) : "l"(x), "r"(n) : "memory");
    x[threadIdx.x] = s[63 - threadIdx.x] + r;
    asm volatile("garbage %5 {{{");
    asm("");
}""",
    "loops without an end": """
__global__ void k(int *x) { while (1) { } }
__global__ void l(int *x) { for (;;) { x[threadIdx.x]++; } }
__global__ void m(int *x, int n) { for (int i = threadIdx.x; i < n; i += 0) x[i] = i; }
__global__ void p(int *queue, int *out, int n) {
    __shared__ int job;
    while (true) {
        if (threadIdx.x == 0) job = atomicAdd(queue, 1);
        __syncthreads();
        int j = job;
        __syncthreads();
        if (j >= n) break;
        out[j * blockDim.x + threadIdx.x] = j;
    }
}""",
    "unknown names": """
__global__ void k(int *x, int n) {
    mystery(x, n);
    x[blockIdx.x * blockDim.x + threadIdx.x] = riddle(n)[3];
}""",
}


@pytest.mark.parametrize("kernel", ODD.values(), ids=ODD)
def test_odd_kernels_cause_no_alarm(sarif: Sarif, tmp_path: Path, kernel: str) -> None:
    (tmp_path / "odd.cu").write_text(kernel)
    started = time.process_time()
    ran = sarif("odd.cu")
    assert ran.code == 0 and ran.found == set() and "error" not in ran.err, (ran.found, ran.err)
    assert time.process_time() - started < 10


def test_front_end_threads_do_not_stay() -> None:
    before = threading.active_count()
    ClangFrontend().parse_file(SourceFile("a.cu", GOOD.encode()))
    assert threading.active_count() == before and threading.stack_size() == 0
