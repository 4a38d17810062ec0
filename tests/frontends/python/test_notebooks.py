"""Notebooks: cells in order, findings at cell and line, cells that are files, files that are no notebooks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernlint.cli.entry import main
from kernlint.source import SourceError, read

KERNEL = "@cuda.jit\ndef halve(x):\n    i = cuda.grid(1)\n    x[i] = x[i] * 0.5\n"
FILE = "%%writefile k.cu\n__global__ void k(float *x) {\n  __shared__ float s[32];\n  s[threadIdx.x + 32] = x[0];\n}\n"


def notebook(folder: Path, *cells: str) -> Path:
    path = folder / "n.ipynb"
    made = [
        {"cell_type": "markdown" if cell.startswith("# ") else "code", "source": cell.splitlines(keepends=True)}
        for cell in cells
    ]
    path.write_text(json.dumps({"nbformat": 4, "cells": made}))
    return path


def results(path: Path, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, int, int]]:
    main(["check", "--format", "json", "--no-cache", str(path)])
    found = json.loads(capsys.readouterr().out)["findings"]
    return [(one["code"], one["cell"], one["line"]) for one in found]


def test_findings_are_at_cell_and_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    launch = "def run(host):\n    d = cuda.to_device(host)\n    halve.forall(len(d))(d)\n"
    path = notebook(tmp_path, "# title", "%matplotlib inline\nfrom numba import cuda", KERNEL, launch)
    assert ("KL101", 3, 4) in results(path, capsys)


def test_sarif_names_the_cell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = notebook(tmp_path, "from numba import cuda", FILE)
    main(["check", "--format", "sarif", "--no-cache", str(path)])
    found = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    region = found[0]["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["properties"]) == (4, {"cell": 2})


@pytest.mark.parametrize(
    "head", ["%%writefile k.cu", "%%cu", "%%cuda", "%%cuda_group_save -n k.cu -g x", "%%file k.cu"]
)
def test_cells_that_are_files(head: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = notebook(tmp_path, FILE.replace("%%writefile k.cu", head))
    assert ("KL104", 1, 4) in results(path, capsys)


def test_cells_of_other_magics_are_no_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    launch = "%%time\nhalve.forall(n)(cuda.to_device(np.zeros(n)))\n"
    path = notebook(
        tmp_path, "import numpy as np\nfrom numba import cuda\nn = int(input())", "%%bash\nls )(", KERNEL, launch
    )
    assert ("KL101", 3, 4) in results(path, capsys)


def test_the_frame_counts_lines_of_the_cell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = notebook(tmp_path, "from numba import cuda", FILE)
    main(["check", "--no-cache", str(path)])
    out = capsys.readouterr().out
    assert "n.ipynb:cell 2:4:3" in out
    assert "4 |   s[threadIdx.x + 32]" in out


@pytest.mark.parametrize(
    ("text", "message"),
    [("@cuda.jit {", "not JSON"), ("[1]", "no cells"), ("[" * 100_000, "not JSON"), ('{"cells": 3}', "no cells")],
)
def test_what_is_no_notebook_is_one_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    path.write_text(text)
    with pytest.raises(SourceError, match=message) as error:
        read(str(path))
    assert "\n" not in str(error.value)


def test_a_notebook_is_left_as_it_is_by_fixes(tmp_path: Path) -> None:
    path = notebook(tmp_path, "from numba import cuda", FILE)
    before = path.read_bytes()
    main(["check", "--fix", "--no-cache", str(path)])
    assert path.read_bytes() == before


def test_what_is_said_to_ipython_is_no_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = "files = !ls\nhalve?\nhalve.inspect_types??\n?halve\ntook = %timeit -o f()\na[0]?\n"
    launch = "halve.forall(n)(cuda.to_device(np.zeros(n)))\n"
    path = notebook(tmp_path, "import numpy as np\nfrom numba import cuda\nn = int(input())", KERNEL, said + launch)
    assert ("KL101", 2, 4) in results(path, capsys)


def test_a_cell_that_nobody_reads_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    launch = "halve.forall(n)(cuda.to_device(np.zeros(n)))\n"
    head = "import numpy as np\nfrom numba import cuda\nn = int(input())"
    path = notebook(tmp_path, head, "print 'a' 'b' c d", "@cuda.jit\ndef lost(x):\n    x[0 = 1", KERNEL, launch)
    assert ("KL101", 4, 4) in results(path, capsys)
    main(["check", "--no-cache", str(path)])
    told = capsys.readouterr()
    assert "cell 2 is no Python that can be read" in told.err + told.out
    assert "kernel lost is not analysed: cell 3 is no Python that can be read" in told.err + told.out


def test_a_notebook_of_a_folder_is_looked_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    launch = "def run(host):\n    d = cuda.to_device(host)\n    halve.forall(len(d))(d)\n"
    notebook(tmp_path, "from numba import cuda", KERNEL, launch)
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'ours'\n")
    assert ("KL101", 2, 4) in results(tmp_path, capsys)


def test_commands_that_go_on_in_the_next_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    launch = "def run(host):\n    d = cuda.to_device(host)\n    halve.forall(len(d))(d)\n"
    command = "!nvcc -O2 \\\n  -o k k.cu \\\n  && ./k\nfrom numba import cuda"
    path = notebook(tmp_path, command, KERNEL, launch)
    assert ("KL101", 2, 4) in results(path, capsys)
    assert "no Python" not in capsys.readouterr().err


def test_cells_that_a_python_of_its_own_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    launch = "def run(host):\n    d = cuda.to_device(host)\n    halve.forall(len(d))(d)\n"
    path = notebook(tmp_path, f"%%script python\nfrom numba import cuda\n{KERNEL}{launch}")
    assert ("KL101", 1, 6) in results(path, capsys)


def test_a_notebook_without_code_is_not_called_empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = notebook(tmp_path, "# title", "")
    assert results(path, capsys) == []
    main(["check", "--no-cache", str(path)])
    assert "empty" not in capsys.readouterr().err
