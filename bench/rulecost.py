#!/usr/bin/env python3
"""What each rule adds to a run over real code: rulecost.py CORPORA.json DIR [--part P] [--only NAMES]

CORPORA.json and DIR are those of ``wholeness.py``.  The same part of the files of each package, drawn with a fixed
seed and four at least, is checked in one process, and the time is put down to the front end, the analyses and the
rules.  A rule adds its own time and that of the analyses which no other rule needs; what several rules share is listed
by analysis.  Shares are of the whole run over all packages; the limit is one twentieth for a rule.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from typing import Any

from realcode import speaks_of_kernels
from wholeness import files_of, options_of

from kernlint.analysis.base import AnyAnalysis
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import Registry, load
from kernlint.run.engine import Engine

LIMIT = 0.05
SEED = 1


def needed(rule: Any) -> set[str]:
    """The names of all analyses a rule rests on."""
    found: set[str] = set()
    waiting: list[AnyAnalysis] = list(rule.needs)
    while waiting:
        analysis = waiting.pop()
        if analysis.name not in found:
            found.add(analysis.name)
            waiting.extend(analysis.needs)
    return found


def measure(package: dict[str, Any], folder: str, part: float, registry: Registry) -> tuple[dict[str, float], float]:
    """Seconds by name, and in all, over a sample of one package."""
    root, files = files_of(package, folder, True)
    files = [path for path in files if not path.endswith(".py") and speaks_of_kernels(path)]
    count = max(4, round(part * len(files)))
    if len(files) > count:
        files = sorted(random.Random(SEED).sample(files, count))
    includes, defines = options_of(package, root)
    engine = Engine(registry, Selection(registry, Config(defines=defines, include=includes)))
    seconds: dict[str, float] = {}
    started = time.perf_counter()
    for number, path in enumerate(files, 1):
        print(f"\r{package['name']} {number} of {len(files)} files ", end="", file=sys.stderr, flush=True)
        for name, spent in engine.run([path], os.path.dirname(path)).timings.items():
            seconds[name] = seconds.get(name, 0.0) + spent
        engine.timings.seconds.clear()
    return seconds, time.perf_counter() - started


def main() -> int:
    """Measure; 1 when a rule adds more than the limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora")
    parser.add_argument("folder")
    parser.add_argument("--only", default="", help="comma-separated package names")
    parser.add_argument("--part", type=float, default=0.05, help="of the files of each package")
    options = parser.parse_args()
    with open(options.corpora, encoding="utf-8") as handle:
        packages = json.load(handle)["corpora"]
    wanted = set(filter(None, options.only.split(",")))
    registry = load()
    seconds: dict[str, float] = {}
    whole = 0.0
    for package in packages:
        if all(glob.endswith(".py") for glob in package["kernel_globs"]):
            continue
        if (wanted and package["name"] not in wanted) or not os.path.isdir(
            os.path.join(options.folder, package["name"])
        ):
            continue
        spent, took = measure(package, options.folder, options.part, registry)
        whole += took
        print(f"\n{package['name']}: {took:.1f} s", file=sys.stderr)
        for name, one in spent.items():
            seconds[name] = seconds.get(name, 0.0) + one
    needs = {rule: needed(rule) for rule in registry.rules}
    print(f"whole {whole:.1f} s, front end {seconds.get('front end', 0.0) / whole:.1%}")
    fine = True
    print("\nadded by one rule: its own time, and analyses nothing else needs")
    rows = []
    for rule, names in needs.items():
        alone = names - set().union(*(other for one, other in needs.items() if one is not rule))
        added = seconds.get(f"rule {rule.meta.name}", 0.0) + sum(seconds.get(f"analysis {name}", 0.0) for name in alone)
        rows.append((added / whole, rule.meta.code, rule.meta.name, sorted(alone)))
    for share, code, name, alone in sorted(rows, reverse=True)[:12]:
        fine = fine and share <= LIMIT
        print(f"{share:6.2%}  {code} {name}  {' '.join(alone)}{'' if share <= LIMIT else '  TOO MUCH'}")
    print("\nanalyses")
    for name, spent_on in sorted(seconds.items(), key=lambda item: -item[1])[:16]:
        if name.startswith("analysis "):
            users = sum(name.partition(" ")[2] in names for names in needs.values())
            print(f"{spent_on / whole:6.2%}  {name.partition(' ')[2]}, needed by {users} rules")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
