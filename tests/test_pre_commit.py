"""The hook, driven by the real pre-commit on a repository of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kernlint.frontends.clang.frontend import SUFFIXES
from kernlint.project.tree import HOST_SUFFIXES, KERNEL_SUFFIXES

ROOT = Path(__file__).parents[1]

KERNEL = """\
__global__ void half_sum(float *data) {
    __shared__ float part[256];
    part[threadIdx.x] = data[threadIdx.x];
    if (threadIdx.x < 128) {
        __syncthreads();
        data[threadIdx.x] = part[threadIdx.x + 128];
    }
}
"""


def git(folder: Path, *args: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *identity, *args], cwd=folder, check=True, capture_output=True)


def test_the_hook_takes_every_file_that_kernlint_reads() -> None:
    """pre-commit's own tags know no OpenCL, so the hook goes by name."""
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    pattern = re.search(r"files: (\S+)", text)
    assert pattern is not None and "require_serial: true" in text and "types: [text]" in text
    read = {*SUFFIXES, *KERNEL_SUFFIXES, *HOST_SUFFIXES}
    assert {suffix for suffix in read if not re.search(pattern[1], f"a{suffix}")} == set()
    assert not any(re.search(pattern[1], name) for name in ("notes.txt", "h.cute", "Makefile", "a.cubin"))


def test_pre_commit_runs_the_hook(tmp_path: Path) -> None:
    pytest.importorskip("pre_commit")
    if not (ROOT / ".git").exists():
        pytest.skip("pre-commit installs hooks from a git repository")
    user = tmp_path / "user"
    user.mkdir()
    git(user, "init")
    (user / "bad.cu").write_text(KERNEL)
    (user / "notes.txt").write_text("__global__")
    git(user, "add", ".")
    environment = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-m", "pre_commit", "try-repo", str(ROOT), "kernlint", "--ref", "HEAD", "--all-files"]
    done = subprocess.run(
        [*command, "--verbose"], cwd=user, env=environment, capture_output=True, text=True, timeout=600
    )
    said = done.stdout + done.stderr
    if "No matching distribution" in said or "Could not fetch" in said:
        pytest.skip("the hook's environment cannot be installed here")
    assert done.returncode == 1, said
    assert "KL203" in said and "bad.cu:5" in said and "1 kernel in 1 file" in said, said
