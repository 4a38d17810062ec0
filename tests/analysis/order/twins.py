"""Kernels in two twins in one file: lines that end in ``//-`` are those of the broken one, ``//+`` of the correct one.

The first line names the rules that may find the fault: ``// kinds: wrong-fence global-memory-race``.
"""

from __future__ import annotations

from pathlib import Path

from kernlint.finding import Severity
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.source import SourceFile

PAIRS = Path(__file__).with_name("pairs")


def twin(path: Path, broken: bool) -> str:
    """The text of one of the two; the lines of the other are left empty, so that places agree."""
    drop, keep = ("//+", "//-") if broken else ("//-", "//+")
    lines = []
    for line in path.read_text().splitlines():
        bare = line.rstrip()
        lines.append("" if bare.endswith(drop) else bare.removesuffix(keep).rstrip())
    return "\n".join(lines) + "\n"


def kinds(path: Path) -> set[str]:
    """The rules of which one has to find the fault."""
    return set(path.read_text().splitlines()[0].partition("kinds:")[2].split())


def said(path: Path, text: str) -> list[tuple[str, Severity, int]]:
    """What is said of a text that stands in a file like ``path``: the rule's name, the severity, the line."""
    registry = load()
    source = SourceFile(path.name, text.encode())
    selection = Selection(registry, Config())
    outcome = Engine(registry, selection).check_source(source, selection)
    return [(r.finding.rule, r.finding.severity, source.line_of(r.finding.span.start)) for r in outcome.results]
