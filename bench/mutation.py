#!/usr/bin/env python3
"""What kernlint finds of faults put into clean kernels: mutation.py PATH... [--sample N] [--json FILE]

Kernels are taken that kernlint has nothing to say about and that the block emulator runs clean under small launches.
Then one barrier is deleted, one guard is dropped, or one ``<`` becomes ``<=`` (see ``mutants.py``).  A mutant counts
when the emulator sees a fault in it under those launches, and is found when kernlint, which knows nothing of the
launches, reports something of the families of bounds, synchronisation or shared memory.

Prints for each kind how many mutants there are, how many are faulty, how many of those are found, and how many with a
witness; then all that were missed.  Apart from the rest stand mutants that do no more than reach behind an argument's
memory: the emulator knows how long a buffer the unchanged kernel needs, the text does not say it.  kernlint is asked
twice about these: as about the others, and ``told`` the launch, the scalars and the extents as a user may do it
(``--block``, ``--grid``, ``--assume``).
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mutants import Chosen, Mutant, Subject, beyond_arguments_only, judge, mutants, subjects

from kernlint.config import Config
from kernlint.engine import Engine
from kernlint.finding import Finding, Severity
from kernlint.registry import load
from kernlint.selection import Selection
from kernlint.source import SourceFile, read

SUFFIXES = (".cu", ".cl", ".hip")
FAMILIES = ("KL1", "KL2", "KL504")
KINDS = ("barrier", "guard", "compare")


@dataclass(frozen=True, slots=True)
class Judged:
    """A faulty mutant and what kernlint says of it."""

    mutant: Mutant
    findings: tuple[Finding, ...]
    told: tuple[Finding, ...] = ()

    @property
    def beyond(self) -> bool:
        """Whether the fault is only one of an argument's extent."""
        return beyond_arguments_only(self.mutant.faults)

    @property
    def witness(self) -> bool:
        """Whether a finding names threads and values."""
        return any(finding.witness is not None for finding in self.findings)


class Checker:
    """kernlint with its default settings, the families at stake alone."""

    def __init__(self) -> None:
        self.registry = load()
        self.selection = Selection(self.registry, Config(select=FAMILIES))
        self.engine = Engine(self.registry, self.selection)

    def findings(self, path: str, text: bytes, kernel: str, chosen: Chosen | None = None) -> tuple[Finding, ...]:
        """Warnings and errors of one kernel, told about the launch when there is one ``chosen``."""
        selection = self.selection
        if chosen is not None:
            statements = tuple(stated(chosen))
            config = Config(select=FAMILIES, block=chosen.block, grid=chosen.grid, assume=statements)
            selection = Selection(self.registry, config)
        results = self.engine.check_source(SourceFile(path, text), selection).results
        return tuple(
            result.finding
            for result in results
            if result.finding.severity is not Severity.NOTE and result.finding.kernel in (kernel, "")
        )


def stated(chosen: Chosen) -> Iterator[str]:
    """Scalars and extents of a launch in the language of ``--assume``."""
    for name, value in chosen.scalars.items():
        if isinstance(value, int):
            yield f"assume({name} == {value})"
    for name, extent in chosen.extents.items():
        yield f"extent({name}, {extent // chosen.elements[name]})"


def files(paths: Sequence[str], sample: int) -> list[str]:
    """Kernel files under ``paths``, at most ``sample`` of them (0: all), drawn with a fixed seed."""
    found = sorted(
        str(file)
        for path in map(Path, paths)
        for file in ([path] if path.is_file() else path.rglob("*"))
        if file.suffix in SUFFIXES
    )
    return sorted(random.Random(1).sample(found, sample)) if sample and len(found) > sample else found


def clean_subjects(paths: Sequence[str], checker: Checker, sample: int = 0) -> Iterator[Subject]:
    """Kernels that both kernlint and the emulator find nothing wrong with."""
    for path in files(paths, sample):
        for subject in subjects(path, read(path).data):
            if not checker.findings(path, subject.text, subject.name):
                yield subject


def faulty(subject: Subject, checker: Checker, counts: collections.Counter[tuple[str, str]]) -> Iterator[Judged]:
    """The faulty mutants of a kernel; ``counts`` gets the emulator's verdicts on all by (kind, verdict)."""
    for mutant in mutants(subject):
        verdict, faults = judge(mutant)
        counts[mutant.kind, verdict] += 1
        if verdict == "faulty":
            found = checker.findings(subject.path, mutant.whole, subject.name)
            told: tuple[Finding, ...] = ()
            if beyond_arguments_only(faults):
                for chosen in subject.launches:
                    told += checker.findings(subject.path, mutant.whole, subject.name, chosen)
            yield Judged(replace(mutant, faults=faults), found, told)


def table(judged: Sequence[Judged], counts: collections.Counter[tuple[str, str]]) -> Iterator[str]:
    """The result by kind, as Markdown."""
    yield (
        "| kind | mutants | undecided | faulty | found | with a witness "
        "| only beyond an argument | found | found when told | with a witness |"
    )
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for kind in (*KINDS, "all"):
        these = [each for each in judged if kind in (each.mutant.kind, "all")]
        own = [each for each in these if not each.beyond]
        rest = [each for each in these if each.beyond]
        total = sum(n for (k, verdict), n in counts.items() if kind in (k, "all") and verdict != "unreadable")
        undecided = sum(n for (k, verdict), n in counts.items() if kind in (k, "all") and verdict == "undecided")
        found, shown = sum(bool(each.findings) for each in own), sum(each.witness for each in own)
        yield (
            f"| {kind} | {total} | {undecided} | {len(own)} | {_share(found, len(own))} | {_share(shown, len(own))} | "
            f"{len(rest)} | {_share(sum(bool(each.findings) for each in rest), len(rest))} | "
            f"{_share(sum(bool(each.told) for each in rest), len(rest))} | "
            f"{_share(sum(any(f.witness for f in each.told) for each in rest), len(rest))} |"
        )


def _share(part: int, whole: int) -> str:
    return f"{part} ({part / whole:.0%})" if whole else "0"


def described(each: Judged) -> str:
    """One line for a mutant: place, kind, kernel, the edit, what is wrong with it."""
    mutant = each.mutant
    old = mutant.subject.text[mutant.start : mutant.end].decode(errors="replace").strip()
    fault = mutant.faults[0]
    kinds = ",".join(sorted({fault.kind.value for fault in mutant.faults}))
    pairs = [fault for fault in mutant.faults if fault.second is not None]
    warp = " (one warp)" if pairs and all(fault.same_warp for fault in pairs) else ""
    new = mutant.text.decode().strip()
    place = f"{os.path.relpath(mutant.subject.path)}:{mutant.line}"
    return f"{place} {mutant.kind} {mutant.subject.name}: `{old}` -> `{new}`: {kinds} of {fault.name}{warp}"


def document(each: Judged) -> dict[str, Any]:
    """A mutant for ``--json``."""
    return {
        "mutant": described(each),
        "beyond": each.beyond,
        "findings": [f"{finding.code} {finding.severity.value}: {finding.message}" for finding in each.findings],
        "witness": each.witness,
    }


def main() -> int:
    """Run over all paths."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--sample", type=int, default=0, help="files (0: all)")
    parser.add_argument("--json", help="write all faulty mutants to this file")
    options = parser.parse_args()
    checker = Checker()
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    judged: list[Judged] = []
    kernels = 0
    for subject in clean_subjects(options.paths, checker, options.sample):
        kernels += 1
        judged += faulty(subject, checker, counts)
        print(
            f"{subject.path} {subject.name} {subject.launches[0].block} {subject.launches[0].scalars}", file=sys.stderr
        )
    print(f"{kernels} kernels\n")
    print("\n".join(table(judged, counts)))
    for title, beyond in (("Missed", False), ("Missed, only beyond an argument", True)):
        missed = [each for each in judged if each.beyond is beyond and not each.findings]
        lines = (f"- {described(each)}" + ("; found when told" if each.told else "") for each in missed)
        print(f"\n{title}:\n" + "\n".join(lines))
    print("\nFound without a witness:")
    print("\n".join(f"- {described(j)}: {j.findings[0].code}" for j in judged if j.findings and not j.witness))
    if options.json:
        Path(options.json).write_text(json.dumps([document(each) for each in judged], indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
