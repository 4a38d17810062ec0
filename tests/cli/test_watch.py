"""``--watch``: what has changed is analysed again, reports are replaced, and an interrupt ends it."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from kernlint.cli import watch
from kernlint.run import engine

GOOD = "__global__ void k() { good(); }\n"
BAD = "__global__ void k() { bad(); }\n"
FAULT = "__global__ void k(int *x) { int a[4]; a[SIZE] = 1; x[0] = a[0]; }\n"


@pytest.fixture
def script(monkeypatch, tmp_path):
    """``script(step, ...)``: what happens while the files are watched, one step per round, then an interrupt."""

    def run(*steps):
        waiting = list(steps)

        def sleep(seconds):
            if seconds == watch.SETTLE:
                return
            if not waiting:
                raise KeyboardInterrupt
            waiting.pop(0)()

        monkeypatch.setattr(watch.time, "sleep", sleep)

    return run


def later(path: Path, text: str) -> None:
    """Write a file so that its time differs from what it was, however coarse the clock of the file system is."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(text)
    os.utime(path, ns=(before + 10**9, before + 10**9))


def test_only_what_changed_is_analysed_again(kernlint, script, tmp_path, monkeypatch):
    for name in ("a.cu", "b.cu"):
        later(tmp_path / name, GOOD)
    parsed = []
    frontend = engine.default_frontend()
    parse = type(frontend).parse_file
    monkeypatch.setattr(
        type(frontend),
        "parse_file",
        lambda self, source, options: parsed.append(source.path) or parse(self, source, options),
    )
    script(
        lambda: None,
        lambda: later(tmp_path / "b.cu", BAD),
        lambda: None,
        lambda: later(tmp_path / "c.cu", BAD),
        lambda: (tmp_path / "b.cu").unlink(),
    )
    code, out, err = kernlint("--watch", "--format", "sarif=report.sarif")
    assert code == 130 and err.splitlines()[-1] == "kernlint: interrupted"
    assert parsed == ["a.cu", "b.cu", "b.cu", "c.cu"]
    assert [line for line in err.splitlines() if line.startswith("--")] == [
        line for line in err.splitlines() if line.endswith(("b.cu changed", "c.cu changed"))
    ]
    rounds = [line.partition(" in ")[2].partition(" in ")[0] for line in out.splitlines() if " kernel" in line[:12]]
    assert rounds == ["2 files: no findings", "2 files: 1 error", "3 files: 2 errors", "2 files: 1 error"]
    results = json.loads((tmp_path / "report.sarif").read_text())["runs"][0]["results"]
    assert [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results] == ["c.cu"]


def test_wrong_settings_are_waited_out(kernlint, script, tmp_path):
    later(tmp_path / "a.cu", BAD)
    script(
        lambda: later(tmp_path / "kernlint.toml", "selekt = []\n"),
        lambda: later(tmp_path / "kernlint.toml", 'ignore = ["TST101"]\n'),
    )
    code, out, err = kernlint("--watch", "a.cu")
    assert code == 130 and err.count("did you mean select?") == 1
    assert out.count("bad is called") == 1 and out.splitlines()[-1].startswith("1 kernel in 1 file: no findings")


def test_wrong_settings_at_first_end_it(kernlint, tmp_path):
    (tmp_path / "kernlint.toml").write_text("selekt = []\n")
    assert kernlint("--watch")[0] == 2


@pytest.mark.parametrize(
    "option",
    ["--stdin-filename=a.cu", "--write-baseline=b", "--add-ignores=why", "--show-settings", "--show-files"],
)
def test_what_is_about_one_run(kernlint, option):
    code, _, err = kernlint("--watch", option)
    assert code == 2 and "--watch cannot go with it" in err


def test_formats_are_as_without(kernlint, script, tmp_path):
    later(tmp_path / "a.cu", BAD)
    script()
    _, out, _ = kernlint("--watch", "-q", "--format", "json-lines", "a.cu")
    assert [json.loads(line)["code"] for line in out.splitlines()] == ["TST101"]
    _, out, _ = kernlint("--watch", "-q", "--output", "full.txt", "a.cu")
    assert out.startswith("a.cu:1:") and "TST101" in (tmp_path / "full.txt").read_text()


# ------------------------------------------------------------------------------------------- a real process


class Watching:
    """``kernlint --watch`` in a process of its own, its lines as they come."""

    def __init__(self, folder: Path, *args: str) -> None:
        command = [sys.executable, "-c", "from kernlint.cli.entry import entry; entry()", "check", "--watch", *args]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=folder, stdout=pipe, stderr=subprocess.STDOUT, text=True)
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)

    def until(self, text: str) -> list[str]:
        """The lines up to one with ``text``."""
        seen = []
        while not seen or text not in seen[-1]:
            seen.append(self.lines.get(timeout=60))
        return seen


def test_a_real_process(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "include").mkdir()
    report = tmp_path / "k.sarif"
    (tmp_path / "src" / "k.cu").write_text('#include "size.cuh"\n' + FAULT)
    (tmp_path / "src" / "other.cu").write_text("__global__ void other(int *x) { x[0] = 1; }\n")
    args = ["-I", "include", "--select", "KL104", "--format", f"sarif={report}", "src"]
    watching = Watching(tmp_path, *args)
    broken = []
    stop = threading.Event()

    def read() -> None:
        """Whoever reads the report finds a whole one, at any time."""
        while not stop.is_set():
            try:
                json.loads(report.read_text() if report.exists() else "{}")
            except ValueError as error:
                broken.append(error)
            time.sleep(0.001)

    def results() -> int:
        return len(json.loads(report.read_text())["runs"][0]["results"])

    reader = threading.Thread(target=read)
    reader.start()
    try:
        watching.until("Ctrl-C ends it")
        assert results() == 0
        (tmp_path / "include" / "size.cuh").write_text("#define SIZE 4\n")  # outside of src, and missing until now
        assert any("KL104" in line for line in watching.until(" in 2 files"))
        assert results() == 1
        (tmp_path / "include" / "size.cuh").write_text("#define SIZE 3 // the last one\n")
        watching.until("no findings")
        assert results() == 0
        watching.process.send_signal(signal.SIGINT)
        watching.until("interrupted")
        assert watching.process.wait(timeout=60) == 130
    finally:
        stop.set()
        reader.join()
        watching.process.kill()
    assert broken == [] and sorted(os.listdir(tmp_path)) == ["include", "k.sarif", "src"]


def test_only_the_files_to_check_are_counted(kernlint, script, tmp_path):
    (tmp_path / "a.cu").write_text('#include "h.h"\n' + GOOD)
    (tmp_path / "h.h").write_text("#define N 1\n")
    (tmp_path / "kernlint.toml").write_text("")
    (tmp_path / ".gitignore").write_text("")
    for args, told in ((["a.cu"], "watching 1 file;"), (["."], "watching 2 files;")):
        script()
        code, _, err = kernlint("--watch", *args)
        assert code == 130 and told in err
