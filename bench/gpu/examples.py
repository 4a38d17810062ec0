#!/usr/bin/env python3
"""The examples of the rules on synchronisation as programs for a real GPU: examples.py [--out FOLDER]

Each example in CUDA is run in the block emulator under small launches.  A good one must have a launch under which it
ends without a fault; a bad one must show a fault under one.  Those whose arguments a ``main`` can make are written to
FOLDER for ``run.sh``, with the launch that tells; ``compare.py`` compares.  Prints what the emulator says of each, and
the sums.
"""

from __future__ import annotations

import argparse
import collections
import json
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from generate import described, expressible, program
from mutants import BUDGET, Chosen, clean_launches, content, faults_of, launches_to_try, parse, wave

from kernlint import registry
from kernlint.prove.emulate import Argument, Buffer, Fault, LaunchSpec, run
from kernlint.rule import Example
from kernlint.testing import examples
from kernlint.tree.nodes import FunctionDecl
from kernlint.tree.types import PointerType

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


def main() -> int:
    """Run, write, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="folder for programs that run.sh runs")
    options = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    programs = []
    for name, example in chosen():
        module = parse("example.cu", example.code.encode())
        for kernel in module.kernels if module is not None else ():
            function = kernel.variants[0]
            told = faulty(function, "cuda") if example.bad else None
            clean = None if example.bad else next(clean_launches(function, "cuda"), None)
            verdict = "faulty" if told else "clean" if clean else "nothing shown"
            counts[f"{'bad' if example.bad else 'good'}: {verdict}"] += 1
            print(f"{verdict:14} {name} {kernel.name}", flush=True)
            launch = told[0] if told else clean
            if options.out is None or launch is None or not expressible(function):
                continue
            options.out.mkdir(parents=True, exist_ok=True)
            faults = sorted({described(fault) for fault in told[1]}) if told else []
            (options.out / f"{name}_{kernel.name}.cu").write_text(
                program(example.code.encode(), function, launch), encoding="utf-8"
            )
            kind = "example" if told else "original"
            programs.append(
                {"name": f"{name}_{kernel.name}", "kernel": kernel.name, "kind": kind, "line": 0, "faults": faults}
                | {"kernlint": [name[:5]] if example.bad else []}
            )
    if options.out is not None:
        (options.out / "manifest.json").write_text(json.dumps({"programs": programs}, indent=1), encoding="utf-8")
    print(dict(counts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
