#!/usr/bin/env python3
"""What of the findings gets a fix, and whether the fixes hold: fixes.py PATH... [--cases] [--show] [--json FILE]

Every file below PATH is copied and fixed until nothing more is to be fixed.  Then it is checked that the findings that
were fixed are gone, that nothing new is found, that a plain parse has no more errors than before (nothing made up for
missing headers), and that every line outside of the edits is the same, byte for byte.

With ``--cases`` the files are ``buggy.*`` alone.  Counted is, by family of rules, how many files with a finding get a
fix for one.  ``--show`` prints the changes.  Exits with 1 when a fix does not hold.
"""

from __future__ import annotations

import argparse
import collections
import difflib
import json
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from kernlint.finding import Finding
from kernlint.frontends.clang.frontend import SUFFIXES, language_of
from kernlint.frontends.clang.session import parse
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.run.fixing import Fixer, Repaired
from kernlint.source import SourceError, SourceFile, read

FAMILIES = {
    "bounds": ("KL101", "KL102", "KL103", "KL104", "KL105"),
    "barriers": ("KL201", "KL202", "KL203", "KL206"),
    "warps": ("KL204", "KL207", "KL209"),
    "global races": ("KL205", "KL704"),
    "indices": ("KL4",),
    "other": ("KL",),
}


@dataclass(slots=True)
class Outcome:
    """What became of one file."""

    path: str
    before: list[Finding]
    after: list[Finding]
    repaired: Repaired
    seconds: float
    problems: list[str] = field(default_factory=list)


class Bench:
    """Fixes copies of files with kernlint's default settings."""

    def __init__(self) -> None:
        registry = load()
        self.selection = Selection(registry, Config())
        self.engine = Engine(registry, self.selection)

    def findings(self, source: SourceFile) -> list[Finding]:
        """What a check of ``source`` reports."""
        results = self.engine.check_source(source, self.selection).results
        return [result.finding for result in results if result.suppression is None]

    def run(self, path: Path) -> Outcome | None:
        """Fix a copy of the file at ``path``; None for what is no text."""
        try:
            source = read(str(path))
        except SourceError:
            return None
        before = self.findings(source)
        started = time.perf_counter()
        repaired = Fixer(self.engine, self.selection).repaired(source, before)
        seconds = time.perf_counter() - started
        after = self.findings(repaired.source) if repaired.fixes else before
        out = Outcome(str(path), before, after, repaired, seconds)
        if repaired.fixes:
            out.problems = problems(source, out)
        return out


def problems(source: SourceFile, out: Outcome) -> list[str]:
    """What is wrong with the fixes of a file."""
    found = []
    new = out.repaired.source
    had = collections.Counter((f.code, f.kernel) for f in out.before)
    more = collections.Counter((f.code, f.kernel) for f in out.after) - had
    if more:
        found.append(f"new findings: {dict(more)}")
    if len(out.after) >= len(out.before):
        found.append("no finding is gone")
    if errors(new) > errors(source):
        found.append("more errors in a plain parse")
    if (lines := strange_lines(source, out)) > 0:
        found.append(f"{lines} lines changed that no edit is on")
    return found


def errors(source: SourceFile) -> int:
    """Errors of the text parsed as it is, with nothing made up for what is missing."""
    language = language_of(source)
    if language is None:
        return 0
    with parse(source.path, source.data, language, synthesise=False) as parsed:
        return sum(1 for _ in parsed.errors())


def strange_lines(source: SourceFile, out: Outcome) -> int:
    """Lines that are gone or new although no edit was on them: the edits are made again, one fix after the other."""
    data = source.data
    for made in out.repaired.fixes:
        for edit in sorted(made.fix.edits, key=lambda edit: -edit.span.start):
            data = data[: edit.span.start] + edit.text.encode() + data[edit.span.end :]
    one, other = data.splitlines(keepends=True), out.repaired.source.data.splitlines(keepends=True)
    return sum(line[:1] in "+-" for line in difflib.ndiff([*map(repr, one)], [*map(repr, other)]))


def files(paths: list[str], cases: bool) -> list[Path]:
    """The files meant by the arguments."""
    found: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            found += [f for f in sorted(path.rglob("buggy.*" if cases else "*")) if f.suffix in SUFFIXES]
        else:
            found.append(path)
    return found


def main() -> int:
    """Run over all files; 1 when a fix does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--cases", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    bench = Bench()
    found: collections.Counter[str] = collections.Counter()
    fixed: collections.Counter[str] = collections.Counter()
    rows: list[dict[str, object]] = []
    wrong, made_in_all, seconds = 0, 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        for number, path in enumerate(files(options.paths, options.cases)):
            copy = Path(folder) / str(number) / path.name
            copy.parent.mkdir()
            copy.write_bytes(path.read_bytes())
            out = bench.run(copy)
            if out is None or not out.before:
                continue
            seconds += out.seconds
            made_in_all += len(out.repaired.fixes)
            for name in {family_of(finding) for finding in out.before}:
                found[name] += 1
                fixed[name] += any(family_of(made.finding) == name for made in out.repaired.fixes)
            rows.append(
                {
                    "file": str(path),
                    "found": [finding.code for finding in out.before],
                    "fixed": [[made.finding.code, made.fix.description] for made in out.repaired.fixes],
                    "left": [finding.code for finding in out.after],
                    "problems": out.problems,
                    "seconds": round(out.seconds, 3),
                }
            )
            for problem in out.problems:
                wrong += 1
                print(f"{path}: {problem}")
            if options.show and out.repaired.fixes:
                show(path, out)
    for name in FAMILIES:
        if found[name]:
            print(f"{name:14s} {fixed[name]:3d} of {found[name]:3d} files with findings get a fix")
    print(f"{made_in_all} fixes in {len(rows)} files, {wrong} that do not hold, {seconds:.1f} s")
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 1 if wrong else 0


def family_of(finding: Finding) -> str:
    """The family that a finding counts for."""
    return next(name for name, codes in FAMILIES.items() if finding.code.startswith(codes))


def show(path: Path, out: Outcome) -> None:
    """Print what was changed."""
    old, new = path.read_bytes(), out.repaired.source.data
    one, other = (data.decode("utf-8", "replace").splitlines(keepends=True) for data in (old, new))
    print("".join(difflib.unified_diff(one, other, str(path), str(path), n=2)))


if __name__ == "__main__":
    sys.exit(main())
