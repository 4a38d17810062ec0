"""Pairs of kernels that were written before anything was run on them: a fault in the way it comes in real fixes, and
beside it a correct twin that is close enough to trap a rule which goes by looks.

``// family:`` names the rule, or ``bounds`` for those about extents; faulty lines end in ``// bad``.
``// open``: the fault is not found yet.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.cli import main

FOLDER = Path(__file__).parent / "fresh"
BOUNDS = {"KL101", "KL102", "KL103", "KL104", "KL105"}
FAMILIES = {
    "bounds": BOUNDS,
    "image": {"KL101", "KL102", "KL106"},
    "index-overflow": {"KL401"},
    "misaligned-vector-access": {"KL503"},
    "uninitialised-private": {"KL506"},
    "uninitialised-shared-memory": {"KL504"},
}


def _told(path: Path, capsys: pytest.CaptureFixture[str]) -> list[tuple[int, str]]:
    """(line, code) of the warnings and errors in a file, those of related places too."""
    import json

    main(["check", "--no-cache", "--format", "json", str(path)])
    report = json.loads(capsys.readouterr().out)
    found = []
    for one in report["findings"]:
        if one["severity"] in ("warning", "error"):
            found.append((one["line"], one["code"]))
    return found


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.bad.*")), ids=lambda path: path.name.split(".")[0])
def test_fault(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = path.read_text().splitlines()
    family = next(line.partition("family: ")[2] for line in lines if "family: " in line)
    bad = {number for number, line in enumerate(lines, 1) if line.endswith("// bad")}
    told = [line for line, code in _told(path, capsys) if code in FAMILIES[family]]
    seen = any(abs(line - wanted) < 2 for line in told for wanted in bad)
    assert seen is ("// open" not in lines)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.good.*")), ids=lambda path: path.name.split(".")[0])
def test_twin(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not _told(path, capsys)
