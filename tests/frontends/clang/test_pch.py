"""Precompiled preludes."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from kernlint.frontends.clang import pch, prelude
from kernlint.frontends.clang.options import Language
from kernlint.frontends.clang.pch import PreludeCache, digest
from kernlint.frontends.clang.session import parse
from kernlint.project.cachefolder import CACHE_VARIABLE, cache_folder

KERNEL = b"__global__ void k(float* x) { x[threadIdx.x] = 0; }\n"


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> PreludeCache:
    fresh = PreludeCache()
    monkeypatch.setattr(prelude, "CACHE", fresh)
    monkeypatch.setattr("kernlint.frontends.clang.session.CACHE", fresh)
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    return fresh


def kernels(use_cache: bool = True) -> list[str]:
    with parse("k.cu", KERNEL, Language.CUDA, use_cache=use_cache) as parsed:
        assert not parsed.diagnostics
        return [c.spelling for c in parsed.unit.top_level()]


def stored(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "cache" / "preludes"
    return sorted(folder.iterdir()) if folder.is_dir() else []


def test_it_is_made_once_and_found_again(cache: PreludeCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kernels() == ["k"]
    (path,) = stored(tmp_path)
    made = path.stat().st_mtime_ns
    monkeypatch.setattr(prelude, "CACHE", PreludeCache())
    assert kernels() == ["k"]
    assert stored(tmp_path) == [path] and path.stat().st_mtime_ns == made


def test_a_damaged_file_is_replaced(cache: PreludeCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernels()
    (path,) = stored(tmp_path)
    good = path.read_bytes()
    for bad in (b"", b"garbage", good[: len(good) // 2], good[:-1] + b"!"):
        path.write_bytes(bad)
        monkeypatch.setattr(prelude, "CACHE", PreludeCache())
        assert kernels() == ["k"]
        assert [digest([p.read_bytes()]) for p in stored(tmp_path)] == [p.stem.split("-")[1] for p in stored(tmp_path)]


def test_a_file_that_vanishes_costs_nothing_but_time(cache: PreludeCache, tmp_path: Path) -> None:
    kernels()
    for path in stored(tmp_path):
        path.unlink()
    assert kernels() == ["k"]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="permissions do not bind")
def test_an_unwritable_folder_is_a_note(cache: PreludeCache, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert kernels() == ["k"]
        assert cache.problem
    finally:
        folder.chmod(stat.S_IRWXU)


def test_a_file_in_the_folders_place_is_a_note(cache: PreludeCache, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("in the way")
    for _ in range(pch.PAYS_AFTER + 2):
        assert kernels() == ["k"]
    assert cache.problem


FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
from kernlint.frontends.clang import prelude, pch
from kernlint.frontends.clang.options import Language
from kernlint.frontends.clang.session import parse
for number in range(pch.PAYS_AFTER + 2):
    with parse("k.cu", b"__global__ void k(float* x) {}", Language.CUDA) as parsed:
        assert any(c.spelling == "k" for c in parsed.unit.top_level())
print(prelude.CACHE.problem)
"""


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="no way to reserve space")
def test_a_full_disk_is_a_note(tmp_path: Path) -> None:
    """libclang would end the process when it cannot write."""
    environment = {**os.environ, CACHE_VARIABLE: str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-c", FULL], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0 and "File too large" in done.stdout, done.stderr
    assert not list((tmp_path / "preludes").iterdir())


def test_without_the_cache_nothing_is_written_there(cache: PreludeCache, tmp_path: Path) -> None:
    for _ in range(pch.PAYS_AFTER + 2):
        assert kernels(use_cache=False) == ["k"]
    assert not stored(tmp_path)
    assert cache.temporary is not None and os.listdir(cache.temporary)


def test_old_files_go(cache: PreludeCache, tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "preludes"
    folder.mkdir(parents=True)
    for number in range(pch.KEEP + 5):
        old = folder / f"{number}.pch"
        old.write_bytes(b"old")
        os.utime(old, (number, number))
    kernels()
    assert len(stored(tmp_path)) == pch.KEEP


def test_the_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    assert Path(cache_folder()) == tmp_path
    monkeypatch.delenv(CACHE_VARIABLE)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert Path(cache_folder()) == tmp_path / "xdg" / "kernlint"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Path(cache_folder()) == tmp_path / ".cache" / "kernlint"


def test_digests_tell_sequences_apart() -> None:
    assert digest(["ab", "c"]) != digest(["a", "bc"])
    assert digest([]) != digest([""])
