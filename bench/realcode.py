#!/usr/bin/env python3
"""What kernlint reports on real code: realcode.py CORPORA.json DIR [--only NAMES] [--sample N] [--json FILE]

CORPORA.json and DIR are those of ``wholeness.py``.  Every kernel file of a package is checked with the package's
include folders and macros, as ``kernlint check`` would, each with a time limit.  Prints for each package how many
kernels have a warning or an error, the share of them, and the counts by rule; then draws from all findings a sample of
40 with a fixed seed, to be judged by reading the code.  Of Python programs the kernels in string literals count, and
those that a library makes of snippets there; functions that numba compiles are not read.
"""

from __future__ import annotations

import argparse
import collections
import json
import multiprocessing
import os
import random
import re
import sys
from dataclasses import asdict, dataclass, field
from typing import Any

from wholeness import files_of, options_of

SECONDS = 240
"""A file that takes longer is stopped and counted as a failure."""

DRAWN = 40
"""How many findings are drawn to be judged."""


@dataclass(frozen=True, slots=True)
class Found:
    """One finding; ``via`` is the analysed file that led to it."""

    package: str
    file: str
    line: int
    rule: str
    severity: str
    kernel: str
    message: str
    via: str


@dataclass(slots=True)
class Checked:
    """One file: its kernels, its findings, and what went wrong."""

    path: str
    kernels: int = 0
    found: list[Found] = field(default_factory=list)
    failure: str = ""


def check(job: tuple[str, str, tuple[str, ...], tuple[str, ...], bool]) -> Checked:
    """Check one file in this process."""
    package, path, includes, defines, notes = job
    from kernlint.policy.config import Config
    from kernlint.policy.selection import Selection
    from kernlint.registry import load
    from kernlint.result import Level
    from kernlint.run.engine import Engine

    config = Config(defines=defines, include=includes, pedantic=notes)
    registry = load()
    report = Engine(registry, Selection(registry, config)).run([path], os.path.dirname(path))
    out = Checked(path, report.summary.kernels + report.summary.missed)
    for result in report.results:
        if result.suppression is None:
            finding = result.finding
            line = report.sources.get(finding.span.file).position(finding.span.start).line
            rest = (finding.severity.value, finding.kernel, finding.message, path)
            out.found.append(Found(package, finding.span.file, line, finding.code, *rest))
    out.failure = "; ".join(n.message for n in report.notifications if n.level is Level.ERROR)
    return out


def speaks_of_kernels(path: str) -> bool:
    """Whether a file's text has a word that marks kernels; headers that others include are files of their own.

    Of a Python file, what ``kernlint check`` looks for in a folder: kernels in strings, or made of snippets.
    """
    from kernlint.project import discovery

    with open(path, "rb") as handle:
        data = handle.read()
    if path.endswith(".py"):
        return discovery.speaks_of_kernels(path, data)
    return re.search(rb"__global__|\b(__)?kernel\b|\bKERNEL_FQ\b", data) is not None


def run(package: dict[str, Any], folder: str, sample: int, jobs: int, notes: bool) -> list[Checked]:
    """Check the files of one package."""
    root, files = files_of(package, folder, True)
    files = [path for path in files if speaks_of_kernels(path)]
    if sample and len(files) > sample:
        files = sorted(random.Random(1).sample(files, sample))
    includes, defines = options_of(package, root)
    rocm = tuple(w[2:] for text in package["defines"] if "for csrc/rocm only" in text for w in text.split()[3:])
    out: list[Checked] = []
    with multiprocessing.get_context("spawn").Pool(jobs, maxtasksperchild=25) as pool:
        waiting = []
        for path in files:
            own = rocm if rocm and os.path.relpath(path, root).startswith(os.path.join("csrc", "rocm")) else defines
            waiting.append((path, pool.apply_async(check, ((package["name"], path, includes, own, notes),))))
        for path, result in waiting:
            print(f"\r{len(out)} of {len(files)} files ", end="", file=sys.stderr, flush=True)
            try:
                out.append(result.get(SECONDS))
            except multiprocessing.TimeoutError:
                out.append(Checked(path, failure=f"no answer within {SECONDS} s"))
            except Exception as error:  # a crash is what this looks for
                out.append(Checked(path, failure=f"{type(error).__name__}: {error}"))
            for found in out[-1].found:
                print(f"{found.file}:{found.line}: {found.severity} {found.rule} {found.message}", file=sys.stderr)
    return out


def distinct(results: list[Checked]) -> list[Found]:
    """Findings once each, though several files may include the header that one is in."""
    seen = {}
    for result in results:
        for found in result.found:
            seen.setdefault((found.file, found.line, found.rule), found)
    return list(seen.values())


def row(name: str, results: list[Checked]) -> str:
    """A line of the table."""
    loud = [f for r in results for f in r.found if f.severity != "note"]
    kernels, hit = sum(r.kernels for r in results), len({(f.via, f.kernel) for f in loud})
    rules = collections.Counter(f.rule for f in distinct(results) if f.severity != "note")
    share = f"{hit / kernels:.1%}" if kernels else ""
    counts = ", ".join(f"{rule} {count}" for rule, count in sorted(rules.items()))
    failed = sum(bool(r.failure) for r in results)
    return f"| {name} | {len(results)} | {kernels} | {hit} | {share} | {sum(rules.values())} | {counts} | {failed} |"


def main() -> int:
    """Check all packages; 1 when a file failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora")
    parser.add_argument("folder")
    parser.add_argument("--only", default="", help="comma-separated package names")
    parser.add_argument("--sample", type=int, default=0, help="files of a package (0: all; packages over 1000: 60)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--pedantic", action="store_true", help="list notes too; they count for nothing")
    parser.add_argument("--json", help="write all findings to this file; findings of other packages there stay")
    options = parser.parse_args()
    with open(options.corpora, encoding="utf-8") as handle:
        packages = json.load(handle)["corpora"]
    wanted = set(options.only.split(",")) if options.only else None
    everything: list[Found] = []
    if options.json and wanted is not None and os.path.exists(options.json):
        with open(options.json, encoding="utf-8") as handle:
            everything = [Found(**f) for f in json.load(handle) if f["package"] not in wanted]
    print("| package | files | kernels | with a finding | share | findings | by rule | failures |")
    print("|---|---:|---:|---:|---:|---:|---|---:|", flush=True)
    failures = []
    for package in packages:
        name = package["name"]
        if (wanted is not None and name not in wanted) or not os.path.isdir(os.path.join(options.folder, name)):
            continue
        if package["languages"] == ["python: @cuda.jit"]:
            continue  # kernels in Python itself, which kernlint does not read
        sample = options.sample or (60 if package["files_with_kernels"] > 1000 else 0)
        results = run(package, options.folder, sample, options.jobs, options.pedantic)
        print(row(name, results), flush=True)
        everything += distinct(results)
        if options.json:
            with open(options.json, "w", encoding="utf-8") as handle:
                json.dump([asdict(f) for f in everything], handle, indent=1)
        failures += [f"{os.path.basename(r.path)}: {r.failure}" for r in results if r.failure]
    loud = sorted((f for f in everything if f.severity != "note"), key=lambda f: (f.package, f.file, f.line, f.rule))
    drawn = set(random.Random(1).sample(range(len(loud)), min(DRAWN, len(loud))))
    print(f"\n{len(loud)} findings, {len(drawn)} drawn (*):\n")
    for index, found in enumerate(loud):
        place = f"{found.package} {os.path.basename(found.file)}:{found.line}"
        print(
            f"{'*' if index in drawn else ' '} {place}: {found.severity} {found.rule} [{found.kernel}] {found.message}"
        )
    for failure in failures:
        print(f"failure: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
