#!/usr/bin/env python3
"""How many kernels are bound to a launch that stands in their tree: bound.py FOLDER... [--sample N]

Each FOLDER is a tree, checked as ``kernlint FOLDER`` would be, with no flags and no settings; of trees with more than
N kernel files, N are drawn with a fixed seed.  A kernel is *launched* when a search of the text of all sources and
scripts of the tree finds its name where launches have it: before ``<<<``, as the first argument of a function that
launches, or in quotes in a file that asks for kernels by name; and *bound* when the analysis of it has a launch.  A
kernel that only a macro or a table launches is found by neither search; one that shares its name with a launched one
counts as launched.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.finding import Finding, Severity
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.project import Projects, discovery
from kernlint.project.tree import SOURCES
from kernlint.registry import Registry
from kernlint.rule import Meta, Rule
from kernlint.run.engine import Engine

CHEVRONS = re.compile(rb"\b([A-Za-z_]\w*)\s*(?:<(?:[^<>;{}]|<[^<>;{}]*>)*>\s*)?\)?\s*<<\s?<")
LAUNCHER = re.compile(
    rb"\b(?:(?:hipLaunchKernelGGL|hipExtLaunchKernelGGL|(?:cuda|hip)Launch\w*Kernel\w*)\s*\(\s*"
    rb"(?:\([^()]*\)\s*|HIP_KERNEL_NAME\s*)?\(?\s*&?)([A-Za-z_]\w*)"
)
ASKS = re.compile(rb"clCreateKernel|cl::Kernel|[kK]ernel\s*\(|get_?[fF]unction|GetFunction|RawKernel")
QUOTED = re.compile(rb"[\"']([A-Za-z_]\w*)[\"']")


class Bound(Rule):
    """Notes for each kernel whether it has a launch."""

    meta = Meta("BND001", "bound-launch", Severity.WARNING)
    needs = (launch_context,)

    def check(self, facts: Facts) -> Iterator[Finding]:
        """One finding for each instance of a kernel."""
        bound = bool(facts[launch_context].launches)
        yield self.finding(facts.function.span, f"{facts.kernel.name} {'bound' if bound else 'alone'}")


def launched(root: str) -> set[str]:
    """Names that stand where launches have them, in the text of the tree."""
    found: set[bytes] = set()
    for folder, _, names in os.walk(root):
        for name in names:
            if os.path.splitext(name)[1].lower() not in (*SOURCES, ".py"):
                continue
            try:
                with open(os.path.join(folder, name), "rb") as handle:
                    text = handle.read()
            except OSError:
                continue
            found.update(CHEVRONS.findall(text), LAUNCHER.findall(text))
            if ASKS.search(text):
                found.update(QUOTED.findall(text))
    return {name.decode() for name in found}


def measure(root: str, sample: int) -> tuple[dict[tuple[str, int, str], bool], set[str]]:
    """Of each kernel (file, place, name) whether it is bound, and the names that are launched by the text."""
    files = sorted(found.path for found in discovery.find([root]))
    if sample and len(files) > sample:
        files = sorted(random.Random(1).sample(files, sample))
    registry = Registry((Bound,), {"BND001": "bench"})
    engine = Engine(registry, Selection(registry, Config()), projects=Projects([root]))
    kernels: dict[tuple[str, int, str], bool] = {}
    for number, path in enumerate(files, 1):
        print(f"\r{number} of {len(files)} files ", end="", file=sys.stderr, flush=True)
        for result in engine.run([path], root).results:
            place = result.finding.span
            name, _, how = result.finding.message.rpartition(" ")
            key = (place.file, place.start, name.rpartition("::")[2].partition("<")[0])
            kernels[key] = kernels.get(key, False) or how == "bound"
    return kernels, launched(root)


def main() -> int:
    """Print a row for each tree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--sample", type=int, default=0, help="files of a tree (0: all)")
    parser.add_argument("-v", "--verbose", action="store_true", help="name the kernels that are launched and not bound")
    options = parser.parse_args()
    print("| tree | kernels | launched | bound of these |")
    print("|---|---:|---:|---:|")
    totals = [0, 0, 0]
    for folder in options.folders:
        kernels, names = measure(os.path.realpath(folder), options.sample)
        there = {key: bound for key, bound in kernels.items() if bound or key[2] in names}
        row = [len(kernels), len(there), sum(there.values())]
        totals = [a + b for a, b in zip(totals, row, strict=True)]
        share = f" ({row[2] / row[1]:.0%})" if row[1] else ""
        print(f"\r| {os.path.basename(folder.rstrip('/'))} | {row[0]} | {row[1]} | {row[2]}{share} |", flush=True)
        if options.verbose:
            for file, _, name in sorted(key for key, bound in there.items() if not bound):
                print(f"    {name} in {os.path.relpath(file, folder)}")
    share = f" ({totals[2] / totals[1]:.0%})" if totals[1] else ""
    print(f"| all | {totals[0]} | {totals[1]} | {totals[2]}{share} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
