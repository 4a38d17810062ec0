"""What a run that is ended early leaves: the report of what it had finished."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

STUCK = """
import os, sys, time
from kernlint.run import engine
usual = engine.default_frontend()
class Stuck:
    def parse_file(self, source, options):
        if b"stuck" in source.data:
            while not os.path.exists("good.txt"):
                time.sleep(0.01)
            print("stuck", file=sys.stderr, flush=True)
            time.sleep(60)
        modules = usual.parse_file(source, options)
        if b"good" in source.data:
            open("good.txt", "w").close()
        return modules
    def headers(self, source, options):
        return usual.headers(source, options)
engine.default_frontend = Stuck
from kernlint.cli import main
sys.exit(main(sys.argv[1:]))
"""

GOOD = "__global__ void good(float *x, int n) { if (threadIdx.x < n) __syncthreads(); }\n"
"""Has a finding."""


def ended(tmp_path, number, *args):
    """What a run says that is ended by a signal while it is at the longest of three files."""
    (tmp_path / "a.cu").write_text("__global__ void stuck(float *x) { x[0] = 1.0f; }\n" + "// long\n" * 200)
    (tmp_path / "b.cu").write_text(GOOD)
    environment = {**os.environ, "KERNLINT_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    child = subprocess.Popen(
        [sys.executable, "-c", STUCK, *args, "a.cu", "b.cu"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )
    assert child.stderr is not None and child.stderr.readline() == "stuck\n"
    time.sleep(0.5)  # what another process has finished is on its way
    child.send_signal(number)
    out, err = child.communicate(timeout=30)
    with pytest.raises(ProcessLookupError):
        os.killpg(child.pid, 0)
    return child.returncode, out, err


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("jobs", ["-j1", "-j2"])
@pytest.mark.parametrize(("number", "code", "word"), [(signal.SIGTERM, 143, "terminated"), (2, 130, "interrupted")])
def test_what_was_finished_is_reported(tmp_path, jobs, number, code, word):
    returned, out, err = ended(tmp_path, number, jobs, "--format", "json", "--format", "sarif=o.sarif")
    assert returned == code and err.splitlines()[-1] == f"kernlint: {word}"
    report = json.loads(out)
    assert report["summary"]["files"] == 1 and report["summary"]["unreached"] == 1
    assert {finding["file"] for finding in report["findings"]} == {"b.cu"}
    assert [note["kind"] for note in report["notifications"]] == ["interrupted"]
    [run] = json.loads((tmp_path / "o.sarif").read_text())["runs"]
    assert not run["invocations"][0]["executionSuccessful"] and run["invocations"][0]["exitCode"] == code
    assert run["results"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_the_summary_says_what_was_not_reached_and_the_next_run_knows_the_rest(tmp_path):
    _, out, _ = ended(tmp_path, signal.SIGTERM, "-j1", "--format", "concise")
    assert out.splitlines()[-1].startswith("1 kernel in 1 file (1 file not reached): ")
    assert "the run was ended early: 1 of 2 files were not reached" in out
    (tmp_path / "a.cu").write_text("")
    code = STUCK.replace("usual.parse_file(source, options)", "sys.exit('read again')")
    environment = {**os.environ, "KERNLINT_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    again = subprocess.run([sys.executable, "-c", code, "b.cu"], cwd=tmp_path, env=environment, capture_output=True)
    assert again.returncode == 1, again.stderr


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("changes", [["--write-baseline", "w.json"], ["--add-ignores", "known"], ["--diff-fixes"]])
def test_nothing_is_made_of_a_part(tmp_path, changes):
    returned, out, _ = ended(tmp_path, signal.SIGTERM, "-j1", "--format", "concise=o.txt", *changes)
    assert returned == 143 and not out
    assert sorted(os.listdir(tmp_path)) == ["a.cu", "b.cu", "cache", "good.txt"]
    assert (tmp_path / "b.cu").read_text() == GOOD
