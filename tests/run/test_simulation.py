"""Simulation files beside OpenCL kernels."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

KERNEL = """kernel void copy(global const int *from, global int *to, int shift)
{
  int i = get_global_id(0);
  to[i] = from[i + shift];
}
kernel void other(global int *to)
{
  to[get_global_id(0)] = 0;
}
"""
LAUNCH = "copy.cl\ncopy\n{whole} 1 1\n{local} 1 1\n\n<size={read} fill=0>\n<size={written} fill=0 dump>\n<size=4>\n0\n"


def check(folder: Path, sim: str | None, *more: str, cache: bool = False) -> str:
    """What a run prints about the kernel with this file beside it."""
    (folder / "copy.cl").write_text(KERNEL)
    if sim is not None:
        (folder / "copy.sim").write_text(sim)
    command = [sys.executable, "-m", "kernlint", "check", "--no-config", "--format", "full", *more, "copy.cl"]
    environment = {**os.environ, "KERNLINT_CACHE_DIR": str(folder / "cache")}
    if not cache:
        command.insert(4, "--no-cache")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def test_buffers_of_the_launch_are_held_against_the_kernel(tmp_path: Path) -> None:
    out = check(tmp_path, LAUNCH.format(whole=8, local=4, read=32, written=28))
    assert "error[KL101]" in out and "copy.cl:4:3" in out
    assert "beyond the extent that is stated" in " ".join(out.split())
    assert "kernel other" not in out, "of other kernels it says nothing"


def test_buffers_that_are_large_enough(tmp_path: Path) -> None:
    assert "error[" not in check(tmp_path, LAUNCH.format(whole=8, local=4, read=32, written=32))


@pytest.mark.parametrize(
    "sim",
    [
        None,
        "",
        "copy.cl\n",
        "copy.cl\nmissing\n8\n4\n<size=4>\n<size=4>\n<size=4>\n",
        "elsewhere.cl\ncopy\n8\n4\n<size=4>\n<size=4>\n<size=4>\n",
        "copy.cl\ncopy\n8\n4\n<size=4>\n<size=4>\n0\n",  # a value without brackets: which argument is which is open
        "copy.cl\ncopy\neight\n4\n<size=5>\n<null>\n<size=4>\n",
        "\0\xff",
    ],
)
def test_files_that_say_nothing_of_the_kernel(tmp_path: Path, sim: str | None) -> None:
    assert "error[" not in check(tmp_path, sim)


def test_what_the_user_says_of_the_launch_counts_for_more(tmp_path: Path) -> None:
    sim = LAUNCH.format(whole=8, local=4, read=32, written=28)
    assert "error[KL101]" in check(tmp_path, sim)
    assert "error[" not in check(tmp_path, sim, "--block", "7", "--grid", "1")


def test_a_changed_file_is_noticed(tmp_path: Path) -> None:
    assert "error[" not in check(tmp_path, None, cache=True)
    assert "error[KL101]" in check(tmp_path, LAUNCH.format(whole=8, local=4, read=32, written=28), cache=True)
    os.utime(tmp_path / "copy.sim", (1, 1))
    assert "error[" not in check(tmp_path, LAUNCH.format(whole=8, local=4, read=32, written=64), cache=True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "copy.sim")
    assert "error[" not in check(tmp_path, None)


def test_a_known_block_counts_where_no_thread_index_stands(tmp_path: Path) -> None:
    text = """kernel void sum(global int *out)
{
  int row[4] = {0};
  int all = 0;
  for (int i = 0; i < 9; i++) all += row[i];
  out[0] = all;
}
"""
    (tmp_path / "sum.cl").write_text(text)
    (tmp_path / "sum.sim").write_text("sum.cl\nsum\n1\n1\n<size=4>\n")
    command = [sys.executable, "-m", "kernlint", "check", "--no-config", "--no-cache", "--format", "concise", "sum.cl"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "sum.cl:5:38: error[KL104]" in done.stdout
