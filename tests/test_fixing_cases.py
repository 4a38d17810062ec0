"""Fixes of known faults, rebuilt from real ones: most faults in bounds and barriers get one, and all of them hold."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CASES = ROOT.parent / "shared" / "cases"

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason=f"no folder {CASES} beside the checkout")


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    import json
    import subprocess

    out = tmp_path_factory.mktemp("fixes") / "rows.json"
    command = [sys.executable, str(ROOT / "bench" / "fixes.py"), "--cases", str(CASES), "--json", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found: list[dict[str, object]] = json.loads(out.read_text())
    assert len(found) >= 50
    return found


def test_every_fix_holds(rows: list[dict[str, object]]) -> None:
    assert [(row["file"], row["problems"]) for row in rows if row["problems"]] == []


@pytest.mark.parametrize(
    ("codes", "least"),
    [(("KL101", "KL102", "KL103", "KL104", "KL105"), 0.4), (("KL201", "KL202", "KL203", "KL206"), 0.8)],
    ids=["bounds", "barriers"],
)
def test_most_faults_get_a_fix(rows: list[dict[str, object]], codes: tuple[str, ...], least: float) -> None:
    # Of bounds more is found than rules know to mend: sizes that other uses tell of, local memory, data as indices.
    found = [row for row in rows if any(code in codes for code in row["found"])]  # type: ignore[attr-defined]
    fixed = [row for row in found if any(code in codes for code, _ in row["fixed"])]  # type: ignore[attr-defined]
    assert len(found) >= 9 and len(fixed) >= least * len(found)
