"""``--fix``, ``--diff-fixes`` and ``--fixes``: files replaced whole or not at all, patches that git takes."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kernlint.cli import main
from kernlint.run import fixing
from kernlint.text import writing

Run = Callable[..., tuple[int, str, str]]

SCALE = """\
// é
__global__ void scale(float *data, float by, int n) {
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    data[at] *= by;
}
"""
FIXED = SCALE.replace("threadIdx.x;\n", "threadIdx.x;\n    if (at >= n) return;\n")
SWAP = """\
__global__ void swap(int *data) {
    __shared__ int cells[128];
    cells[threadIdx.x] = data[threadIdx.x];
    data[threadIdx.x] = cells[127 - threadIdx.x];
}
"""
UNFIXABLE = "__kernel void f(__global float *a) { float rows[9000]; rows[get_local_id(0)] = a[0]; a[1] = rows[3]; }\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """``run("check", "a.cu")`` in a fresh folder with the built-in rules: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)

    def ran(*args: str) -> tuple[int, str, str]:
        code = main(["check", "--no-config", *args])
        return code, *capfd.readouterr()

    return ran


def results(sarif: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(sarif)["runs"][0]["results"]
    return found


# ------------------------------------------------------------------------------------------------------- --fix


@pytest.mark.parametrize(
    ("encoding", "newline"),
    [("utf-8", "\n"), ("utf-8", "\r\n"), ("utf-8-sig", "\n"), ("latin-1", "\r\n"), ("utf-16", "\n")],
)
def test_fix_keeps_encoding_mark_and_line_breaks(run: Run, tmp_path: Path, encoding: str, newline: str) -> None:
    file = tmp_path / "a.cu"
    file.write_bytes(SCALE.replace("\n", newline).encode(encoding))
    code, out, err = run("--fix", "a.cu")
    assert code == 0 and "no findings" in out and "1 fix made in 1 file" in err
    assert file.read_bytes() == FIXED.replace("\n", newline).encode(encoding)
    assert [path.name for path in tmp_path.iterdir()] == ["a.cu"]


def test_fix_keeps_the_mode_and_follows_links(run: Run, tmp_path: Path) -> None:
    real = tmp_path / "real.cu"
    real.write_text(SCALE, encoding="utf-8")
    real.chmod(0o751)
    (tmp_path / "a.cu").symlink_to(real)
    assert run("--fix", "a.cu")[0] == 0
    assert (tmp_path / "a.cu").is_symlink() and real.read_text(encoding="utf-8") == FIXED
    assert stat.S_IMODE(real.stat().st_mode) == 0o751


def test_what_has_no_fix_is_left_and_reported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(SCALE + SWAP, encoding="utf-8")
    (tmp_path / "b.cl").write_text(UNFIXABLE)
    before = os.stat(tmp_path / "b.cl")
    code, out, err = run("--fix", "--format", "concise", ".")
    assert code == 1 and "2 fixes made in 1 file" in err
    assert "KL301" in out and "a.cu" not in out
    after = os.stat(tmp_path / "b.cl")  # which has been read, so the time of that may differ
    assert (after.st_ino, after.st_mode, after.st_mtime_ns) == (before.st_ino, before.st_mode, before.st_mtime_ns)
    code, _, err = run("--fix", "--format", "concise", ".")
    assert code == 1 and "0 fixes made in 0 files" in err


def test_only_what_is_reported_is_fixed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(SCALE + SWAP, encoding="utf-8")
    assert run("--fix", "--ignore", "KL201", "a.cu")[0] == 0
    assert (tmp_path / "a.cu").read_text(encoding="utf-8") == FIXED + SWAP
    run("--write-baseline", "base.json", "a.cu")
    assert run("--fix", "--baseline", "base.json", "a.cu")[0] == 0
    assert (tmp_path / "a.cu").read_text(encoding="utf-8") == FIXED + SWAP


def test_a_header_is_not_touched_for_a_file_that_includes_it(run: Run, tmp_path: Path) -> None:
    helper = """\
__device__ int swapped(int *cells, int value) {
    cells[threadIdx.x] = value;
    return cells[127 - threadIdx.x];
}
"""
    kernel = """\
#include "swap.cuh"
__global__ void swap(int *data) {
    __shared__ int cells[128];
    data[threadIdx.x] = swapped(cells, data[threadIdx.x]);
}
"""
    (tmp_path / "swap.cuh").write_text(helper)
    (tmp_path / "a.cu").write_text(kernel)
    for paths in (["a.cu"], ["a.cu", "swap.cuh"]):
        code, out, err = run("--fix", "--format", "concise", *paths)
        assert code == 1 and "swap.cuh:3:" in out and "0 fixes" in err
    assert ((tmp_path / "swap.cuh").read_text(), (tmp_path / "a.cu").read_text()) == (helper, kernel)


def test_a_file_that_cannot_be_replaced_stays_whole(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.cu").write_text(SCALE, encoding="utf-8")

    def full(*paths: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.os, "replace", full)
    code, _, err = run("--fix", "a.cu")
    assert code == 1 and "a.cu: not fixed: No space left on device" in err and "0 fixes" in err
    assert [path.name for path in tmp_path.iterdir()] == ["a.cu"]
    assert (tmp_path / "a.cu").read_text(encoding="utf-8") == SCALE


def test_a_file_that_changes_meanwhile_is_left_alone(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.cu"
    file.write_text(SCALE, encoding="utf-8")
    real = fixing.Fixer.repaired

    def slow(*args: Any) -> fixing.Repaired:
        done = real(*args)
        file.write_text(SCALE + "// more\n", encoding="utf-8")
        return done

    monkeypatch.setattr(fixing.Fixer, "repaired", slow)
    code, _, err = run("--fix", "a.cu")
    assert code == 1 and "a.cu: not fixed: it was changed meanwhile" in err
    assert file.read_text(encoding="utf-8") == SCALE + "// more\n"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--fix", "--diff-fixes"], "not allowed with"),
        (["--fix", "--write-baseline", "b.json"], "choose one"),
        (["--diff-fixes", "--add-ignores", "why"], "choose one"),
        (["--fix", "--stdin-filename", "a.cu"], "--fix is about files"),
        (["--fix", "--watch"], "--watch cannot go with it"),
    ],
)
def test_what_does_not_go_together(run: Run, tmp_path: Path, args: list[str], said: str) -> None:
    (tmp_path / "a.cu").write_text(SCALE, encoding="utf-8")
    code, out, err = run(*args)
    assert (code, out) == (2, "") and said in err


# ------------------------------------------------------------------------------------------------ --diff-fixes


def git(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *args], capture_output=True, text=True, check=False)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("text", [SCALE, SCALE.replace("\n", "\r\n"), SCALE.rstrip("\n")])
@pytest.mark.parametrize("name", ["a.cu", "sub folder/a b.cu"])
def test_git_takes_the_diff(run: Run, tmp_path: Path, name: str, text: str, inside: bool) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(text.encode("latin-1"))
    if inside:
        git("init", "-q", ".")
    code, out, err = run("--diff-fixes", ".")
    assert code == 1 and "1 fix to be made in 1 file" in err
    assert file.read_bytes() == text.encode("latin-1")
    patch = tmp_path / "fixes.patch"
    raw = subprocess.run(
        [sys.executable, "-m", "kernlint", "check", "--no-config", "--diff-fixes", "."],
        capture_output=True,
        check=False,
    )
    patch.write_bytes(raw.stdout)
    assert out.replace("\ufffd", "?").count("\n+") == 2 and raw.returncode == 1
    done = git("apply", "--check", str(patch))
    assert done.returncode == 0, done.stderr
    git("apply", str(patch))
    written = file.read_bytes()
    assert main(["check", "--no-config", "-q", "."]) == 0
    file.write_bytes(text.encode("latin-1"))
    assert main(["check", "--no-config", "-q", "--fix", "."]) == 0
    assert file.read_bytes() == written


def test_the_diff_leaves_the_reports_that_have_a_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(SCALE, encoding="utf-8")
    code, out, _ = run("--diff-fixes", "--format", "concise=c.txt", "--format", "full", "a.cu")
    assert code == 1 and out.startswith("--- a/a.cu\n+++ b/a.cu\n@@") and "warning" not in out
    assert "KL101" in (tmp_path / "c.txt").read_text()


def test_no_fixes_no_diff(run: Run, tmp_path: Path) -> None:
    (tmp_path / "b.cl").write_text(UNFIXABLE)
    code, out, err = run("--diff-fixes", "b.cl")
    assert (code, out) == (1, "") and "0 fixes to be made in 0 files" in err


# ----------------------------------------------------------------------------------------------------- reports


def test_sarif_carries_fixes_that_hold(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.cu"
    file.write_text(SCALE, encoding="utf-8")
    code, out, _ = run("--format", "sarif", "a.cu")
    (result,) = results(out)
    (fix,) = result["fixes"]
    assert code == 1 and fix["description"]["text"] == "return early where at >= n."
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "a.cu"
    (replacement,) = change["replacements"]
    region = replacement["deletedRegion"]
    lines = SCALE.splitlines(keepends=True)
    at = (region["startLine"], region["startColumn"])
    assert at == (region["endLine"], region["endColumn"])
    line = lines[at[0] - 1]
    lines[at[0] - 1] = line[: at[1] - 1] + replacement["insertedContent"]["text"] + line[at[1] - 1 :]
    assert "".join(lines) == FIXED


def test_fixes_can_be_left_out_and_asked_for(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(SCALE, encoding="utf-8")
    assert "fixes" not in results(run("--no-fixes", "--format", "sarif", "a.cu")[1])[0]

    def edits(*args: str) -> list[Any]:
        found: list[Any] = json.loads(run(*args, "--format", "json", "a.cu")[1])["findings"][0]["fix"]["edits"]
        return found

    assert edits() == [] and len(edits("--fixes")) == 1
    code, out, _ = run("--fixes", "a.cu")
    assert code == 1 and "4 +     if (at >= n) return;\n" in out
    assert "+     if" not in run("a.cu")[1]


def test_fixes_are_the_same_from_the_cache(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.cu"
    file.write_text(SCALE, encoding="utf-8")
    os.utime(file, (1_700_000_000, 1_700_000_000))
    plain = [run("--format", "concise", "-q", "a.cu") for _ in range(2)]
    fresh = run("--format", "sarif", "--no-cache", "a.cu")[1]
    runs = [results(run("--format", "sarif", "a.cu")[1]) for _ in range(3)]
    assert runs == [results(fresh)] * 3 and runs[0][0]["fixes"]
    again = [run("--format", "concise", "-q", "a.cu"), run("--format", "concise", "-q", "--no-cache", "a.cu")]
    assert plain + again == [plain[0]] * 4
    edits = [
        json.loads(run("--format", "json", *args, "a.cu")[1])["findings"][0]["fix"] for args in ([], ["--no-cache"])
    ]
    assert edits[0] == edits[1] and edits[0]["edits"] == []


def test_a_warm_run_with_fixes_loads_no_engine(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.cu"
    file.write_text(SCALE, encoding="utf-8")
    os.utime(file, (1_700_000_000, 1_700_000_000))
    run("--format", "sarif", "a.cu")
    program = (
        "import sys; from kernlint.cli import main; main(sys.argv[1:]); "
        "sys.exit(any(f'kernlint.{name}' in sys.modules for name in ('run.engine', 'run.fixing', 'repair')))"
    )
    command = [
        sys.executable,
        "-c",
        program,
        "check",
        "--no-config",
        "--format",
        "sarif",
        "--output",
        "o.sarif",
        "a.cu",
    ]
    assert subprocess.run(command, check=False).returncode == 0
    assert results((tmp_path / "o.sarif").read_text(encoding="utf-8"))[0]["fixes"]
