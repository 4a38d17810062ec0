#!/usr/bin/env python3
"""The examples of the rules on synchronisation as programs for a real GPU: examples.py [--twins REGEX] [--out FOLDER]

Each example in CUDA is run in the block emulator under small launches.  A good one must have a launch under which it
ends without a fault; a bad one must show a fault under one.  With ``--twins`` the kernels of the tests that come in a
faulty and a correct version take the examples' place: a pair counts where both have a launch that tells, the same one
if there is such.  Those whose arguments a ``main`` can make are written to FOLDER for ``run.sh``, with the launch that
tells; ``compare.py`` compares.  Prints what the emulator says of each, and the sums.
"""

from __future__ import annotations

import argparse
import collections
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from generate import described, expressible, program
from mutants import BUDGET, Chosen, clean_launches, content, faults_of, kernel_of, launches_to_try, parse, wave
from mutation import Checker

from kernlint import registry
from kernlint.prove.emulate import Argument, Buffer, Fault, LaunchSpec, run
from kernlint.rule import Example
from kernlint.testing import examples
from kernlint.tree.nodes import FunctionDecl
from kernlint.tree.types import PointerType
from tests.analysis.order.twins import PAIRS, twin
from tests.rules.synchronisation import reuse_pairs

ROOM = 1 << 16
"""Bytes behind each pointer of a program whose fault is no access out of bounds."""


def faulty(function: FunctionDecl, language: str) -> tuple[Chosen, tuple[Fault, ...]] | None:
    """The first small launch under which a kernel shows a fault, with memory that never ends."""
    pointers = [param for param in function.params if isinstance(param.type, PointerType)]
    for block, grid, scalars in launches_to_try(function):
        args: dict[str, Argument] = {**scalars, **{param.name: Buffer(None, content) for param in pointers}}
        outcome = run(function, LaunchSpec(block, grid), args, BUDGET, language, wave(language))
        found = faults_of(outcome)
        if found:
            extents = {param.name: ROOM for param in pointers}
            elements = {p.name: p.type.pointee.size or 1 for p in pointers if isinstance(p.type, PointerType)}
            return Chosen(block, grid, scalars, extents, elements, ROOM // 4, {}), found
    return None


def chosen() -> Iterator[tuple[str, Example]]:
    """The examples, each with a name."""
    for rule in registry.load().rules:
        if rule.meta.code.startswith("KL2"):
            for example in examples(rule):
                if example.language == "cuda":
                    yield f"{rule.meta.code}_{'bad' if example.bad else 'good'}_{example.number}", example


@dataclass(frozen=True, slots=True)
class Told:
    """A kernel in its text, and the launch that tells with what the emulator saw; no launch: nothing shown."""

    name: str
    text: str
    bad: bool
    function: FunctionDecl
    launch: Chosen | None
    faults: tuple[Fault, ...]
    kernlint: list[str]


def of_rules() -> Iterator[Told]:
    """The kernels of the rules' examples."""
    for name, example in chosen():
        module = parse("example.cu", example.code.encode())
        for kernel in module.kernels if module is not None else ():
            function = kernel.variants[0]
            told = faulty(function, "cuda") if example.bad else None
            launch = told[0] if told else None if example.bad else next(clean_launches(function, "cuda"), None)
            says = [name[:5]] if example.bad else []
            yield Told(
                f"{name}_{kernel.name}", example.code, example.bad, function, launch, told[1] if told else (), says
            )


def twins() -> Iterator[tuple[str, str, str]]:
    """Name, faulty and correct text of the tests' kernels in CUDA."""
    for path in sorted(PAIRS.glob("*.cu")):
        yield path.stem, twin(path, broken=True), twin(path, broken=False)
    for one in reuse_pairs.PAIRS:
        if one.language == "cuda":
            yield "".join(c if c.isalnum() else "_" for c in one.name[:40]), one.faulty, one.correct


def of_twins(pattern: str) -> Iterator[Told]:
    """The kernels of the tests' twins whose names match, each twice, with a launch that tells of both if there is."""
    checker = Checker()
    for name, broken, whole in twins():
        if not re.search(pattern, name):
            continue
        texts = (broken, whole)
        modules = [parse(f"{name}.cu", text.encode()) for text in texts]
        if any(module is None for module in modules):
            continue
        for kernel in modules[1].kernels if modules[1] is not None else ():
            other = kernel_of(modules[0], kernel.name) if modules[0] is not None else None
            if other is None:
                continue
            functions = (other.variants[0], kernel.variants[0])
            launches = [replace(one, extents=_roomy(one)) for one in clean_launches(functions[1], "cuda")]
            runs = [(one, faults_of(one.outcome(functions[0], "cuda", endless=True))) for one in launches]
            launch, faults = next((run for run in runs if run[1]), (None, ()))
            for bad, function, text in zip((True, False), functions, texts, strict=True):
                findings = checker.findings(f"{name}.cu", text.encode(), kernel.name)
                codes = sorted({finding.code for finding in findings})
                title = f"{name}_{kernel.name}_{'bad' if bad else 'good'}"
                yield Told(title, text, bad, function, launch, faults if bad else (), codes)


def _roomy(launch: Chosen) -> dict[str, int]:
    return {name: max(ROOM, extent) for name, extent in launch.extents.items()}


def main() -> int:
    """Run, write, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="folder for programs that run.sh runs")
    parser.add_argument("--twins", metavar="REGEX", help="pairs of kernels in the tests, not the rules' examples")
    options = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    programs = []
    for one in of_twins(options.twins) if options.twins else of_rules():
        verdict = "nothing shown" if one.launch is None else "faulty" if one.bad else "clean"
        counts[f"{'bad' if one.bad else 'good'}: {verdict}"] += 1
        print(f"{verdict:14} {one.name}", flush=True)
        if options.out is None or one.launch is None or not expressible(one.function):
            continue
        options.out.mkdir(parents=True, exist_ok=True)
        text = program(one.text.encode(), one.function, one.launch)
        (options.out / f"{one.name}.cu").write_text(text, encoding="utf-8")
        kind = "example" if one.bad else "original"
        programs.append(
            {"name": one.name, "kernel": one.function.name, "kind": kind, "line": 0, "kernlint": one.kernlint}
            | {"faults": sorted({described(fault) for fault in one.faults})}
        )
    if options.out is not None:
        (options.out / "manifest.json").write_text(json.dumps({"programs": programs}, indent=1), encoding="utf-8")
    print(dict(counts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
