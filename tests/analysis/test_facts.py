"""Facts written beside the code of the fixtures, compared with what the trace says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.facts import differences, expectations

FOLDER = Path(__file__).parent.parent.parent / "fixtures" / "facts"
FILES = sorted(path for path in FOLDER.iterdir() if path.suffix in (".cu", ".cl", ".hip"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_trace_says_what_the_fixture_says(path: Path) -> None:
    assert expectations(path.read_text()).facts, "a fixture without facts tests nothing"
    assert differences(path) == []
