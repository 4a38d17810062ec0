"""The wheel holds everything: it is built, installed elsewhere, and run there."""

from __future__ import annotations

import os
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


def test_the_wheel_runs_elsewhere(dist: Path, tmp_path: Path) -> None:
    """In an environment of its own that sees this one's dependencies, but not this checkout."""
    (wheel,) = dist.glob("*.whl")
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    install = [str(python), "-m", "pip", "install", "-q", "--no-deps", str(wheel)]
    subprocess.run(install, check=True, timeout=300)
    import clang
    import lark
    import rich

    paths = {str(Path(m.__path__[0]).parent) for m in (clang, lark, rich)}
    (tmp_path / "copy.cl").write_text(SOURCE)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONNOUSERSITE": "1"}
    probe = "import kernlint, kernlint_rules; print(kernlint.__file__, kernlint_rules.__file__)"
    where = subprocess.run([str(python), "-c", probe], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert where.stdout.count(str(tmp_path)) == 2, where.stderr
    rules = subprocess.run(
        [str(python), "-m", "kernlint", "rules"], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert rules.returncode == 0 and "KL203" in rules.stdout, rules.stderr
    command = [str(python), "-m", "kernlint", "check", "--format", "concise", "copy.cl"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode in (0, 1) and "1 kernel in 1 file" in done.stdout, done.stdout + done.stderr
