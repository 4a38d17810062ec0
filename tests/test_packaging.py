"""The wheel holds everything: it is built, installed elsewhere, and run there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

SOURCE = (
    "__kernel void copy(__global float *x, __global const float *y) { x[get_global_id(0)] = y[get_global_id(0)]; }\n"
)


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel and an sdist built from a copy of the tree."""
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode and "No matching distribution" in done.stdout + done.stderr:
        pytest.skip("the build back end cannot be fetched here")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_wheel_carries_code_rules_and_data(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {str(p.relative_to(ROOT)) for p in (ROOT / "kernlint").rglob("*.py")}
    wanted |= {str(p.relative_to(ROOT)) for p in (ROOT / "kernlint").rglob("*.h")}
    wanted |= {f"kernlint_rules/{p.relative_to(ROOT / 'rules')}" for p in (ROOT / "rules").rglob("*.py")}
    wanted |= {"kernlint/data/targets.json", "kernlint/data/directives.lark", "kernlint/py.typed"}
    assert wanted - names == set()
    assert not any(name.startswith(("tests/", "rules/", "fixtures/")) for name in names)


def _environment(folder: Path, *packages: Path) -> tuple[str, dict[str, str]]:
    """The Python of a new virtual environment with ``packages``, and environment variables that let it see the
    dependencies of this one, but not this checkout."""
    venv.create(folder, with_pip=True)
    python = str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")
    install = [python, "-m", "pip", "install", "-q", "--no-deps", *map(str, packages)]
    subprocess.run(install, check=True, timeout=300)
    import clang
    import lark
    import rich

    paths = {str(Path(m.__path__[0]).parent) for m in (clang, lark, rich)}
    return python, {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONNOUSERSITE": "1"}


def test_the_wheel_runs_elsewhere(dist: Path, tmp_path: Path) -> None:
    """In an environment of its own that sees this one's dependencies, but not this checkout."""
    (wheel,) = dist.glob("*.whl")
    python, environment = _environment(tmp_path / "env", wheel)
    (tmp_path / "copy.cl").write_text(SOURCE)
    probe = "import kernlint, kernlint_rules; print(kernlint.__file__, kernlint_rules.__file__)"
    where = subprocess.run([python, "-c", probe], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert where.stdout.count(str(tmp_path)) == 2, where.stderr
    rules = subprocess.run(
        [python, "-m", "kernlint", "rules"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert rules.returncode == 0 and "KL203" in rules.stdout, rules.stderr
    command = [python, "-m", "kernlint", "check", "--format", "concise", "copy.cl"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode in (0, 1) and "1 kernel in 1 file" in done.stdout, done.stdout + done.stderr


def test_the_example_of_a_rule_pack(dist: Path, tmp_path: Path) -> None:
    """Installed beside kernlint it is found, documented, configured, silenced and tested like the built-in rules."""
    (wheel,) = dist.glob("*.whl")
    shutil.copytree(ROOT / "examples" / "rule-pack", tmp_path / "pack")
    python, environment = _environment(tmp_path / "env", wheel, tmp_path / "pack")

    def kernlint(*args: str) -> tuple[int, str]:
        command = [python, "-m", "kernlint", *args]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout + done.stderr

    body = """__shared__ int seen;
        if (threadIdx.x == 0) seen = 0;
        __syncthreads();
        atomicAdd(&seen, 1);
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) atomicAdd(total, 1);
        if (threadIdx.x == 0) atomicAdd(total, seen);
        if (i < n) {
            // kernlint: ignore[contended-atomic] one update in a million
            atomicMax(&total[blockIdx.x], 1);
        }"""
    (tmp_path / "k.cu").write_text(f"__global__ void k(int *total, int n) {{\n        {body}\n}}\n")
    found = "atomicAdd(total, 1);"
    code, out = kernlint("check", "--no-cache", "--select", "atomics", "k.cu")
    assert code == 1 and out.count("CTN101") == 2 and found in out and "1 warning (1 ignored)" in out, out
    (tmp_path / "kernlint.toml").write_text("rules.contended-atomic.shared = true\n")
    code, out = kernlint("check", "--no-cache", "--select", "atomics", "--format", "concise", "k.cu")
    assert code == 1 and out.count("CTN101") == 2 and "k.cu:5:" in out and "k.cu:7:" in out, out
    (tmp_path / "kernlint.toml").write_text("rules.contended-atomic.shred = true\n")
    code, out = kernlint("check", "k.cu")
    assert code == 2 and "did you mean shared?" in out
    (tmp_path / "kernlint.toml").unlink()
    code, out = kernlint("rule", "contended-atomic")
    assert code == 0 and "All threads of a block" in out and "shared" in out
    code, out = kernlint("rules", "--family", "atomics")
    assert code == 0 and out.splitlines()[0] == "atomics" and "CTN101" in out

    import _pytest
    import iniconfig
    import pluggy

    tools = {str(Path(m.__path__[0]).parent) for m in (_pytest, iniconfig, pluggy)}
    environment["PYTHONPATH"] = os.pathsep.join({environment["PYTHONPATH"], *tools})
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "pack/tests"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "...." in done.stdout, done.stdout + done.stderr


def test_the_page_on_rule_packs_shows_what_is_there() -> None:
    page = (ROOT / "docs" / "rule-packs.md").read_text()
    example = ROOT / "examples" / "rule-pack"
    rule = (example / "kernlint_contention" / "atomics" / "contended_atomic.py").read_text()
    for line in ("meta = Meta(", "needs = (", "Options = Options"):
        (shown,) = {text.strip() for text in rule.splitlines() if text.strip().startswith(line)}
        assert shown in page
    test = (example / "tests" / "test_examples.py").read_text().partition("import pytest")[2]
    assert test.strip() in page
    entry = (example / "pyproject.toml").read_text().partition('[project.entry-points."kernlint.rules"]')[2]
    assert entry.strip().splitlines()[0] in page
