"""Daily use: standard input, directives added, the bar, interrupts, and findings that do not depend on how one asks."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kernlint.project.ignores import IgnoreError, insert

ROOT = Path(__file__).parents[2]
BAD = "__global__ void k() { bad(); }\n"


class Bytes:
    def __init__(self, data):
        self.buffer = io.BytesIO(data)


@pytest.fixture
def piped(kernlint, monkeypatch):
    def run(data, *args):
        monkeypatch.setattr(sys, "stdin", Bytes(data if isinstance(data, bytes) else data.encode()))
        return kernlint("-q", "--format", "concise", *args)

    return run


# ------------------------------------------------------------------------------------------ standard input


@pytest.mark.parametrize("data", [BAD.encode(), b"\xef\xbb\xbf" + BAD.encode(), b"// gr\xfcn\n" + BAD.encode(), b""])
def test_standard_input_is_as_good_as_the_file(kernlint, piped, tmp_path, data):
    (tmp_path / "a.cu").write_bytes(data)
    from_file = kernlint("-q", "-v", "--format", "concise", "a.cu")
    (tmp_path / "a.cu").write_text("__global__ void k() { something_else(); }\n")
    assert piped(data, "-v", "--stdin-filename", "a.cu") == from_file
    (tmp_path / "a.cu").unlink()
    assert piped(data, "-v", "--stdin-filename", "a.cu", "-") == from_file


def test_the_name_decides_on_the_settings(piped, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "kernlint.toml").write_text('ignore = ["TST101"]\n')
    assert piped(BAD, "--stdin-filename", "a.cu")[0] == 1
    assert piped(BAD, "--stdin-filename", "sub/a.cu")[0] == 0


@pytest.mark.parametrize(
    ("data", "args", "message"),
    [
        (BAD, ["b.cu"], "no PATH can go with it"),
        (BAD, ["--diff", "HEAD"], "--diff is about files"),
        (BAD, ["--write-baseline", "b.json"], "--write-baseline is about files"),
        (BAD, ["--add-ignores", "why"], "--add-ignores is about files"),
        (b"a\0b", [], "a.cu: binary file"),
    ],
)
def test_what_does_not_go_with_it(piped, data, args, message):
    code, out, err = piped(data, "--stdin-filename", "a.cu", *args)
    assert (code, out) == (2, "") and message in err and len(err.splitlines()) == 1


def test_a_folder_has_no_content(piped):
    assert "is a folder" in piped(BAD, "--stdin-filename", ".")[2]


# -------------------------------------------------------------------------------------- the same findings


def plain(done):
    data = json.loads(done.stdout)
    return sorted(
        (os.path.basename(f["file"]), f["line"], f["column"], f["code"], f["message"], f["fingerprint"])
        for f in data["findings"]
    )


def test_findings_do_not_depend_on_how_one_asks(tmp_path):
    source = tmp_path / "top" / "sub"
    shutil.copytree(ROOT / "fixtures" / "showcase", source)
    (tmp_path / "top" / "kernlint.toml").write_text("pedantic = true\n")
    environment = {**os.environ, "KERNLINT_CACHE_DIR": str(tmp_path / "cache")}

    def run(*args, cwd, **more):
        command = [sys.executable, "-m", "kernlint", "--format", "json", *args]
        environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
        done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, **more)
        assert done.returncode in (0, 1), done.stderr
        return plain(done)

    reference = run("--no-cache", "-j1", cwd=tmp_path / "top")
    assert reference
    ways = [
        run("--no-cache", "-j2", cwd=tmp_path / "top"),
        run("-j2", cwd=tmp_path / "top"),
        run(cwd=tmp_path / "top"),
        run(cwd=source),
        run("top/sub", cwd=tmp_path),
    ]
    assert all(way == reference for way in ways)
    for path in sorted(source.iterdir()):
        if path.suffix in (".cu", ".cl", ".hip"):
            piped = run("--stdin-filename", f"sub/{path.name}", cwd=tmp_path / "top", input=path.read_text())
            assert piped == [item for item in reference if item[0] == path.name]


# ----------------------------------------------------------------------------------------- adding directives


def test_directives_are_added_and_hold(kernlint, tmp_path):
    text = "__global__ void k() {\r\n\tbad(); suspect();\r\n}\r\n__global__ void m() { bad(); }\r\n"
    (tmp_path / "a.cu").write_bytes(text.encode())
    (tmp_path / "b.cu").write_text(BAD)
    code, out, err = kernlint("--add-ignores", " the old code ", "--format", "concise")
    assert code == 0 and "(4 ignored)" in out and err == "kernlint: 3 directives added to 2 files\n"
    assert (tmp_path / "a.cu").read_bytes().decode() == (
        "__global__ void k() {\r\n\t// kernlint: ignore[TST101, TST102] the old code\r\n\tbad(); suspect();\r\n}\r\n"
        "// kernlint: ignore[TST101] the old code\r\n__global__ void m() { bad(); }\r\n"
    )
    assert kernlint()[0] == 0
    before = (tmp_path / "a.cu").read_bytes()
    assert kernlint("--add-ignores", "again")[0] == 0 and (tmp_path / "a.cu").read_bytes() == before


def test_a_place_that_takes_no_directive(kernlint, tmp_path):
    text = "__global__ void k() { bad(); \\\n bad(); }\n"
    (tmp_path / "a.cu").write_text(text)
    code, _, err = kernlint("--add-ignores", "why", "-q")
    assert code == 1 and "a.cu:2: there is no place for a directive" in err
    assert (tmp_path / "a.cu").read_text() == "// kernlint: ignore[TST101] why\n" + text


def test_a_file_in_which_directives_do_not_hold_is_left_alone(kernlint, tmp_path):
    text = 'const char *s = R"(\n__global__ void k() { bad(); }\n)";\n'
    (tmp_path / "a.cu").write_text(text)
    code, _, err = kernlint("--add-ignores", "why", "-q")
    assert code == 1 and "the file is left as it was" in err and (tmp_path / "a.cu").read_text() == text


@pytest.mark.parametrize("reason", ["", "  ", "two\nlines", "ends in \\"])
def test_a_reason_is_one_line(kernlint, reason):
    code, _, err = kernlint("--add-ignores", reason)
    assert code == 2 and "needs a reason of one line" in err


def test_only_what_is_reported_gets_a_directive(kernlint, tmp_path):
    (tmp_path / "a.cu").write_text(BAD)
    kernlint("--write-baseline", "base.json")
    (tmp_path / "b.cu").write_text(BAD)
    assert kernlint("--baseline", "base.json", "--add-ignores", "why")[0] == 0
    assert (tmp_path / "a.cu").read_text() == BAD and "ignore" in (tmp_path / "b.cu").read_text()


def test_encodings_stay():
    assert insert(b"\xef\xbb\xbfx\n", {1: ["A1"]}, "y")[0] == b"\xef\xbb\xbf// kernlint: ignore[A1] y\nx\n"
    assert insert(b"\xfc\nx", {2: ["A1"]}, "gr\xfcn")[0] == b"\xfc\n// kernlint: ignore[A1] gr\xfcn\nx"
    with pytest.raises(IgnoreError, match="latin-1"):
        insert(b"\xfc\nx", {2: ["A1"]}, "\N{GREEK SMALL LETTER PI}")
    with pytest.raises(IgnoreError, match="UTF-16"):
        insert("x".encode("utf-16"), {1: ["A1"]}, "y")
    with pytest.raises(IgnoreError, match="binary"):
        insert(b"\0", {1: ["A1"]}, "y")


# --------------------------------------------------------------------------------- the bar and interrupts

MANY = """
import sys, time
from kernlint import registry
from kernlint.run import engine
class Slow:
    def parse_file(self, source, options):
        time.sleep(0.05)
        return []
    def headers(self, source, options):
        return ()
registry.load = lambda: registry.Registry((), {})
engine.default_frontend = Slow
from kernlint.cli import main
sys.exit(main(sys.argv[1:]))
"""


def on_a_terminal(folder, *args):
    """Standard error of a run that has a terminal for it."""
    import pty  # POSIX only

    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "PYTHONPATH": str(ROOT)}
    child = subprocess.Popen(
        [sys.executable, "-c", MANY, *args], cwd=folder, stdout=subprocess.DEVNULL, stderr=slave, env=environment
    )
    os.close(slave)
    seen = b""
    while True:
        try:
            more = os.read(master, 4096)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        seen += more
    os.close(master)
    assert child.wait(timeout=60) == 0
    return seen.decode()


@pytest.mark.skipif(os.name == "nt", reason="POSIX terminals")
@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_a_bar_for_many_files_on_a_terminal(tmp_path, jobs):
    for number in range(60):
        (tmp_path / f"f{number}.cu").write_text("int x;")
    seen = on_a_terminal(tmp_path, jobs, "--no-cache")
    assert "analysing" in seen and "/60" in seen
    assert "analysing" not in on_a_terminal(tmp_path, jobs, "--no-cache", "-q")
    assert "analysing" not in on_a_terminal(tmp_path, jobs, "--no-cache", *(f"f{n}.cu" for n in range(20)))


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
def test_an_interrupt_leaves_no_files_and_no_processes(tmp_path, jobs):
    for number in range(80):
        (tmp_path / f"f{number}.cu").write_text("int x;")
    cache = tmp_path / "cache"
    environment = {**os.environ, "KERNLINT_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    code = MANY.replace("0.05", "0.2")
    command = [sys.executable, "-c", code, jobs, "--write-baseline", "b.json", "--format", "sarif=o.sarif", "."]
    child = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, start_new_session=True
    )
    deadline = time.monotonic() + 30
    while not (cache / "results").is_dir() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(1.0)
    os.killpg(child.pid, signal.SIGINT)
    _, err = child.communicate(timeout=30)
    assert child.returncode == 130 and err == b"kernlint: interrupted\n"
    assert not [name for name in os.listdir(tmp_path) if not name.endswith(".cu") and name != "cache"]
    assert all(name.startswith("code-") for name in os.listdir(cache / "results"))
    with pytest.raises(ProcessLookupError):
        os.killpg(child.pid, 0)
