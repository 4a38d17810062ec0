#!/usr/bin/env python3
"""What kernlint finds of faults put into clean kernels: mutation.py PATH... [--kernels N] [--most N] [--json FILE]

Kernels are taken that kernlint has nothing to say about and that the block emulator runs clean under small launches.
Then one barrier is deleted, one guard is dropped, or one ``<`` becomes ``<=`` (see ``mutants.py``).  A mutant counts
when the emulator sees a fault in it under those launches.  kernlint is asked twice about it:

* *told* what the emulator was told, and no more, as a user may tell it: ``--block``, ``--grid``, and with ``--assume``
  the scalar arguments and the elements behind each pointer (and in dynamic shared memory);
* from the *text* alone.  This is fair only where the text holds the fault: where the emulator sees it even when memory
  whose size the launch decides never ends.  Otherwise the fault is one only because the harness, not the text, said
  how much memory there is; such a mutant stands apart.

Apart stand the faults that rest on *data*: those that do not show with other contents of memory.

It is found when kernlint reports something of the families of bounds, synchronisation or shared memory.  Prints a table
for each source (a PATH), then all that was missed.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import json
import os
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mutants import Chosen, Mutant, Subject, judge, mutants, subjects

from kernlint.finding import Finding, Severity
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import load
from kernlint.run.engine import Engine
from kernlint.source import SourceFile, read

SUFFIXES = (".cu", ".cuh", ".cl", ".hip")
FAMILIES = ("KL1", "KL2", "KL504")
KINDS = ("barrier", "guard", "compare")
LARGEST = 100_000
"""Bytes of the largest file taken: each kernel of a file is parsed on its own."""
FROM_ONE_FILE = 3
"""Kernels taken from one file, where their number is limited."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A faulty mutant and what kernlint says of it: from the text alone, and told about each launch that is faulty."""

    mutant: Mutant
    by_data: bool
    in_text: bool
    findings: tuple[Finding, ...]
    told: tuple[Finding, ...]


def shown(findings: Iterable[Finding]) -> bool:
    """Whether a finding names threads and values."""
    return any(finding.witness is not None for finding in findings)


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
    if chosen.shared:
        for name, size in chosen.dynamic.items():
            yield f"extent({name}, {chosen.shared // size})"


def files(path: Path) -> list[str]:
    """Kernel files under ``path``, in an order drawn with a fixed seed."""
    found = sorted(
        str(file)
        for file in ([path] if path.is_file() else path.rglob("*"))
        if file.suffix in SUFFIXES and file.is_file() and file.stat().st_size <= LARGEST
    )
    return random.Random(1).sample(found, len(found))


def clean_subjects(paths: Sequence[str], checker: Checker, kernels: int = 0) -> Iterator[Subject]:
    """Kernels that both kernlint and the emulator find nothing wrong with, at most ``kernels`` (0: all)."""
    each = FROM_ONE_FILE if kernels else None
    found = (
        subject
        for name in paths
        for path in files(Path(name))
        for subject in itertools.islice(_clean(path, checker), each)
    )
    return itertools.islice(found, kernels or None)


def _clean(path: str, checker: Checker) -> Iterator[Subject]:
    for subject in subjects(path, read(path).data):
        if not checker.findings(path, subject.text, subject.name):
            yield subject


def sampled(found: Iterable[Mutant], most: int) -> list[Mutant]:
    """At most ``most`` mutants of each kind (0: all), drawn with a fixed seed."""
    found = list(found)
    if not most:
        return found
    out = []
    for kind in KINDS:
        these = [mutant for mutant in found if mutant.kind == kind]
        out += random.Random(1).sample(these, min(most, len(these)))
    return out


Counts = collections.Counter[tuple[str, str]]
"""The emulator's verdicts on all mutants, by (kind, verdict)."""


def faulty(subject: Subject, checker: Checker, counts: Counts, most: int = 0) -> Iterator[Judged]:
    """The faulty mutants of a kernel."""
    for mutant in sampled(mutants(subject), most):
        judgement = judge(mutant)
        counts[mutant.kind, judgement.verdict] += 1
        if judgement.verdict == "faulty":
            found = checker.findings(subject.path, mutant.whole, subject.name)
            told: tuple[Finding, ...] = ()
            for chosen in judgement.launches:
                told += checker.findings(subject.path, mutant.whole, subject.name, chosen)
            broken = replace(mutant, faults=judgement.faults)
            yield Judged(broken, judgement.by_data, judgement.in_text, found, told)


def table(judged: Sequence[Judged], counts: Counts) -> Iterator[str]:
    """The result by kind, as Markdown."""
    yield (
        "| kind | mutants | undecided | faulty | by data | told: the others found | with a witness | in the text "
        "| found | with a witness | by memory's size alone | found from the text |"
    )
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for kind in (*KINDS, "all"):
        every = [each for each in judged if kind in (each.mutant.kind, "all")]
        these = [each for each in every if not each.by_data]
        own = [each for each in these if each.in_text]
        rest = [each for each in these if not each.in_text]
        total = sum(n for (k, verdict), n in counts.items() if kind in (k, "all") and verdict != "unreadable")
        undecided = sum(n for (k, verdict), n in counts.items() if kind in (k, "all") and verdict == "undecided")
        cells = (
            str(total),
            str(undecided),
            str(len(every)),
            str(len(every) - len(these)),
            _share(sum(bool(each.told) for each in these), len(these)),
            _share(sum(shown(each.told) for each in these), len(these)),
            str(len(own)),
            _share(sum(bool(each.findings) for each in own), len(own)),
            _share(sum(shown(each.findings) for each in own), len(own)),
            str(len(rest)),
            _share(sum(bool(each.findings) for each in rest), len(rest)),
        )
        yield f"| {kind} | {' | '.join(cells)} |"


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
        "path": each.mutant.subject.path,
        "kernel": each.mutant.subject.name,
        "text": each.mutant.whole.decode(errors="replace"),
        "launches": [
            {"block": chosen.block, "grid": chosen.grid, "stated": list(stated(chosen))}
            for chosen in each.mutant.subject.launches
        ],
        "by_data": each.by_data,
        "in_text": each.in_text,
        "findings": [f"{finding.code} {finding.severity.value}: {finding.message}" for finding in each.findings],
        "witness": shown(each.findings),
        "told": [f"{finding.code} {finding.severity.value}: {finding.message}" for finding in each.told],
        "told_witness": shown(each.told),
    }


def main() -> int:
    """Run over all paths."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--kernels", type=int, default=0, help="kernels of each path (0: all)")
    parser.add_argument("--most", type=int, default=0, help="mutants of one kernel and kind (0: all)")
    parser.add_argument("--json", help="write all faulty mutants to this file")
    options = parser.parse_args()
    checker = Checker()
    judged: list[Judged] = []
    for path in options.paths:
        counts: Counts = collections.Counter()
        found: list[Judged] = []
        kernels = 0
        for subject in clean_subjects([path], checker, options.kernels):
            kernels += 1
            found += faulty(subject, checker, counts, options.most)
            print(f"{subject.path} {subject.name} {len(found)}", file=sys.stderr, flush=True)
        print(f"{path}: {kernels} kernels\n")
        print("\n".join(table(found, counts)), flush=True)
        judged += found
        if options.json:
            Path(options.json).write_text(json.dumps([document(each) for each in judged], indent=1), encoding="utf-8")
        _missed("Missed when told", (each for each in found if not each.by_data and not shown(each.told)))
        _missed("In the text, and missed", _unseen(found))
        _missed("By data, and missed", (each for each in found if each.by_data and not shown(each.told)))
    return 0


def _unseen(found: Iterable[Judged]) -> Iterator[Judged]:
    return (each for each in found if each.in_text and not each.by_data and not shown(each.findings))


def _missed(title: str, missed: Iterable[Judged]) -> None:
    print(f"\n{title}:")
    for each in missed:
        codes = ", ".join(sorted({finding.code for finding in (*each.findings, *each.told)}))
        print(f"- {described(each)}" + (f" ({codes})" if codes else ""))
    print()


if __name__ == "__main__":
    sys.exit(main())
