"""What a run says of a folder without kernels, with little code, is what the whole program says of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kernlint.cli import main, quick
from kernlint.project import words

PLAIN = "import os\n\n\ndef twice(n):\n    return 2 * n\n"
KERNEL = "from numba import cuda\n\n\n@cuda.jit\ndef fill(a):\n    a[cuda.grid(1)] = 1\n"
TEXT = 'CODE = """__global__ void fill(int *a) { a[threadIdx.x] = 1; }"""\n'
HOST = "import pyopencl as cl\n\n\ndef send(queue, a, b):\n    cl.enqueue_copy(queue, a, b)\n"


def both(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *args: str) -> tuple[bool, bool]:
    """Whether little code was enough, and whether both ways say the same."""
    seen = quick.check(args)
    capfd.readouterr()
    said = []
    for way in (quick.check, lambda args: False):
        with monkeypatch.context() as patched:
            patched.setattr(quick, "check", way)
            code = main(args)
        out, err = capfd.readouterr()
        said.append((code, out.rpartition(" in ")[0] if "findings" in out else out, err))
    return seen is True, said[0] == said[1]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KERNLINT_CACHE_DIR", str(tmp_path / "cache"))
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name in ("src/one.py", "src/deep/two.py", "three.py"):
        (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / name).write_text(PLAIN)
    (tmp_path / "tree" / "LICENSE").write_text("yours\n")
    monkeypatch.chdir(tmp_path / "tree")
    return tmp_path / "tree"


@pytest.mark.parametrize(
    ("args", "enough"),
    [
        ([], True),
        (["."], True),
        (["check"], True),
        (["check", "src"], True),
        (["check", "./src/", "--no-cache"], True),
        (["-q", "src"], True),
        (["src", "--quiet"], True),
        (["src", "three.py"], False),
        (["three.py"], False),
        (["src", "-v"], True),
        (["src", "--verbose", "-q"], True),
        (["src", "--format", "json"], False),
        (["src", "--exit-zero"], True),
        (["src", "--pedantic"], False),
        (["src", "--nonsense"], False),
        (["nowhere"], False),
        (["rules", "--json"], False),
        (["--", "src"], False),
    ],
)
def test_both_ways_agree_on_the_command_line(
    args: list[str], enough: bool, tree: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if "json" not in args:
        assert both(capfd, monkeypatch, *args) == (enough, True)
    else:
        assert quick.check(args) is False


def test_a_command_wins_over_a_folder_of_its_name(tree: Path) -> None:
    (tree / "rules").mkdir()
    assert quick.check(["rules"]) is False and quick.check(["check", "rules"]) is True


@pytest.mark.parametrize(
    ("name", "text", "enough"),
    [
        ("src/gpu.py", KERNEL, False),
        ("src/text.py", TEXT, False),
        ("src/host.py", HOST, False),
        ("src/notes.py", "# the kernel of a Gaussian, and its numbats\n", True),
        ("src/empty.cu", "", False),
        ("src/plain.c", "int twice(int n) { return 2 * n; }\n", True),
        ("src/book.ipynb", "{}", True),
        ("src/copy.h", "__global__ void copy(int *a) { a[threadIdx.x] = 1; }\n", False),
        (".hidden/gpu.py", KERNEL, True),
        ("build/gpu.py", KERNEL, True),
        ("src/pyproject.toml", "[tool.kernlint]\nexclude = ['*.cu']\n", False),
        ("src/pyproject.toml", "[project]\nname = 'kernlint-user'\n", True),
        ("src/kernlint.toml", "nonsense = 1\n", False),
        ("kernlint.toml", "pedantic = true\n", False),
    ],
)
def test_both_ways_agree_on_what_is_there(
    name: str,
    text: str,
    enough: bool,
    tree: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tree / name).parent.mkdir(exist_ok=True)
    (tree / name).write_text(text)
    assert both(capfd, monkeypatch, "check", ".") == (enough, True)
    assert both(capfd, monkeypatch, "check", ".") == (enough, True), "also with what the first run has kept"
    if name == "src/gpu.py":
        (tree / name).write_text(PLAIN)
        assert both(capfd, monkeypatch, "check", ".") == (True, True), "what has changed is read again"


def test_folders_that_a_walk_passes_over_are_looked_at_when_named(
    tree: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (".hidden", "build"):
        (tree / name).mkdir()
        (tree / name / "gpu.py").write_text(KERNEL)
        assert both(capfd, monkeypatch, "check", name) == (False, True)


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_to_folders_are_followed_by_the_whole_program(
    tree: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "gpu.py").write_text(KERNEL)
    os.symlink(tmp_path / "elsewhere", tree / "src" / "link")
    assert both(capfd, monkeypatch, "check", ".") == (False, True)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_folder_that_git_ignores_is_looked_at_when_named(
    tree: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    (tree / ".gitignore").write_text("made/\n")
    (tree / "made").mkdir()
    (tree / "made" / "gpu.py").write_text(KERNEL)
    assert both(capfd, monkeypatch, "check", ".") == (True, True)
    assert both(capfd, monkeypatch, "check", "made") == (False, True)


@pytest.mark.parametrize(
    "text",
    [
        "from numba import cuda",
        "import numba.cuda",
        "import numba",
        "import cupy as cp",
        "import cupyx",
        "import pyopencl",
        "import pycuda.driver",
        "from cuda.core import Program",
        "@cuda_jit",
        'CODE = "__global__ void f() {}"',
        'CODE = "kernel void f() {}"',
    ],
)
def test_no_program_that_may_hold_a_kernel_is_silent(text: str) -> None:
    assert not words.silent(f"# a\n{text}\nn = 1\n".encode())


def test_little_code_is_loaded(tree: Path) -> None:
    code = "import sys\nfrom kernlint.cli import main\nmain(['.'])\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tree)
    loaded = [name for name in done.stdout.split() if name.startswith("kernlint")]
    assert len(loaded) < 20 and "kernlint.project.model" not in loaded
    assert "argparse" not in done.stdout.split()
