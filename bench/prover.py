#!/usr/bin/env python3
"""What the analyses and the prover cost and what the solver adds: prover.py DIR... [--launch BLOCK GRID] [--json FILE]

Every kernel file below DIR is checked in one process, one after the other.  For each the time of the analysis of a
kernel (all but reading and the front end, over the kernels of the file) is set against that of parsing the very file in
the same run, so that the machine's speed drops out: the front end's whole time, and libclang's own part of it (with the
prelude compiled).  All times are of the processor.  Then every kernel is proved with the solver and without it.  Prints

* the median and the 95th percentile of the ratios, the longest analysis of one kernel in seconds, and the slowest;
* the share of kernels for which the solver is asked, by ``check`` and by ``prove``;
* the verdicts of ``prove`` that are lost without the solver, and those among them that speak of a fault.

Limits: median 1, 95th percentile 5, no kernel over 2 s, the solver asked for 5% of the kernels, 2% of the faults lost.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from speed import CUDA, OPENCL

SUFFIXES = (".cu", ".cl", ".hip")

MEDIAN, MOST, LONGEST, ASKED, LOST = 1.0, 5.0, 2.0, 0.05, 0.02


@dataclass(slots=True)
class Cost:
    """One file: seconds of the front end, of libclang in it and of the analysis, kernels, and for how many of them the
    solver was asked."""

    path: str
    kernels: int
    front_end: float
    libclang: float
    analysis: float
    asked_by_check: int = 0
    asked_by_prove: int = 0
    verdicts: int = 0
    faults: int = 0
    lost: list[str] = field(default_factory=list)
    lost_faults: int = 0

    @property
    def each(self) -> float:
        """Seconds of the analysis of one kernel."""
        return self.analysis / max(self.kernels, 1)


class Parses:
    """Adds up the time of libclang's own parse."""

    def __init__(self) -> None:
        compiler: Any = import_module("kernlint.frontends.clang.compiler")
        self.seconds = 0.0
        plain = compiler.LIB.parseTranslationUnit2

        def timed(*args: Any) -> Any:
            began = time.process_time()
            try:
                return plain(*args)
            finally:
                self.seconds += time.process_time() - began

        compiler.LIB.parseTranslationUnit2 = timed


class Solver:
    """Counts questions to the solver, and can leave them unanswered."""

    def __init__(self) -> None:
        smt: Any = import_module("kernlint.prove.smt")
        self.asked = 0
        self.off = False
        plain = smt.ask

        def counted(*args: Any) -> Any:
            self.asked += 1
            return None if self.off else plain(*args)

        smt.ask = counted

    @contextmanager
    def without(self) -> Iterator[None]:
        """Nobody is asked meanwhile."""
        self.off = True
        try:
            yield
        finally:
            self.off = False


@dataclass(slots=True)
class Bench:
    """Measures files with the settings ``config``."""

    config: Any
    parses: Parses
    solver: Solver

    def cost(self, path: str) -> Cost:
        """What one file costs."""
        from kernlint.policy.selection import Selection
        from kernlint.registry import load
        from kernlint.run.engine import Engine

        registry = load()
        selection = Selection(registry, self.config)
        engine = Engine(registry, selection)
        parsed, asked = self.parses.seconds, self.solver.asked
        began = time.process_time()
        outcome = engine.check_file(path, selection)
        whole = time.process_time() - began
        front_end = engine.timings.seconds.get("front end", 0.0)
        rest = whole - front_end - engine.timings.seconds.get("read", 0.0)
        out = Cost(path, outcome.kernels, front_end, self.parses.seconds - parsed, rest)
        out.asked_by_check = min(self.solver.asked - asked, out.kernels)
        self._prove(engine, path, out)
        return out

    def _prove(self, engine: Any, path: str, out: Cost) -> None:
        """The verdicts on the kernels of a file, with the solver and without it."""
        from kernlint.analysis.base import AnalysisFailed, Facts, ModuleFacts
        from kernlint.analysis.verdict.proofs import verdicts
        from kernlint.cli.prove import PROPERTIES
        from kernlint.policy.suppress import statements
        from kernlint.run.engine import analysis_options, default_frontend
        from kernlint.source import read

        source = read(path)
        for module in default_frontend().parse_file(source, engine.frontend_options(path, self.config)):
            options = analysis_options(self.config, statements(source))
            for kernel in module.kernels:
                asked = self.solver.asked
                for variant in kernel.variants:
                    try:
                        found = Facts(ModuleFacts(module, options), kernel, variant)[verdicts]
                        with self.solver.without():
                            less = Facts(ModuleFacts(module, options), kernel, variant)[verdicts]
                    except AnalysisFailed:
                        continue
                    for name in PROPERTIES:
                        told, left = getattr(found, name).status, getattr(less, name).status
                        out.verdicts += told != "unknown"
                        out.faults += told == "refuted"
                        if told != left:
                            out.lost.append(f"{kernel.name}: {name} {told}, without the solver {left}")
                            out.lost_faults += told == "refuted"
                out.asked_by_prove += self.solver.asked > asked


def kernel_files(folders: list[str]) -> Iterator[str]:
    """Kernel files below ``folders``."""
    for folder in folders:
        for at, inner, names in os.walk(folder):
            inner.sort()
            yield from (os.path.join(at, name) for name in sorted(names) if name.endswith(SUFFIXES))


def sizes(text: str) -> tuple[int, int, int]:
    """``64,2`` as three sizes."""
    x, y, z = (*(int(size) for size in text.split(",")), 1, 1)[:3]
    return x, y, z


def main() -> int:
    """Measure; 1 when a limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--launch", nargs=2, metavar=("BLOCK", "GRID"), help="sizes for every kernel, as 64,2 4")
    parser.add_argument("--json")
    options = parser.parse_args()
    from kernlint.policy.config import Config

    timing: Any = import_module("kernlint.timing")
    timing.time = SimpleNamespace(perf_counter=time.process_time)  # other processes are none of a kernel's cost
    config = Config()
    if options.launch:
        config = replace(config, block=sizes(options.launch[0]), grid=sizes(options.launch[1]))
    bench = Bench(config, Parses(), Solver())
    with tempfile.TemporaryDirectory() as folder:  # what is loaded and built only once is no cost of a kernel
        for name, text in (("warm.cu", CUDA), ("warm.cl", OPENCL)):
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as handle:
                handle.write(text)
            bench.cost(path)
    costs = [cost for cost in map(bench.cost, kernel_files(options.folders)) if cost.kernels]
    if not costs:
        print("no kernels", file=sys.stderr)
        return 1
    if options.json:
        with open(options.json, "w", encoding="utf-8") as handle:
            json.dump([asdict(cost) for cost in costs], handle, indent=1)
    return report(costs)


def report(costs: list[Cost]) -> int:
    """Print the figures; 1 when a limit is passed."""
    fine = True
    for name in ("front_end", "libclang"):
        ratios = sorted(cost.each / (getattr(cost, name) or 1.0) for cost in costs)
        median, most = statistics.median(ratios), ratios[min(len(ratios) - 1, int(len(ratios) * 0.95))]
        limits = f"(limits {MEDIAN:g}, {MOST:g})" if name == "front_end" else ""
        print(f"analysis of a kernel against {name.replace('_', ' ')}: median {median:.2f}, 95% {most:.2f} {limits}")
        fine = fine and (name != "front_end" or (median <= MEDIAN and most <= MOST))
    longest = max(cost.each for cost in costs)
    kernels = sum(cost.kernels for cost in costs)
    print(f"{kernels} kernels in {len(costs)} files")
    print(f"longest analysis of a kernel: {longest:.2f} s (limit {LONGEST:g})")
    for cost in sorted(costs, key=lambda cost: cost.each, reverse=True)[:10]:
        times = (cost.each, cost.front_end, cost.libclang)
        print("  {:7.1f} ms, front end {:6.1f} ms, libclang {:6.1f} ms".format(*(1000 * t for t in times)), cost.path)
    check, prove = (sum(getattr(c, name) for c in costs) / kernels for name in ("asked_by_check", "asked_by_prove"))
    print(f"the solver is asked for {check:.1%} of the kernels by check, {prove:.1%} by prove (limit {ASKED:.0%})")
    verdicts, faults = sum(cost.verdicts for cost in costs), sum(cost.faults for cost in costs)
    lost, gone = sum(len(cost.lost) for cost in costs), sum(cost.lost_faults for cost in costs)
    print(f"lost without it: {lost} of {verdicts} verdicts, {gone} of {faults} faults (limit {LOST:.0%})")
    for cost in costs:
        for text in cost.lost:
            print(f"  {cost.path}: {text}")
    fine = fine and longest <= LONGEST and max(check, prove) <= ASKED
    return 0 if fine and gone <= LOST * max(faults, 1) else 1


if __name__ == "__main__":
    sys.exit(main())
