#!/usr/bin/env python3
"""What the model of a project costs: model.py [DIR] [--files N] [--rounds N]

Without DIR a tree of N files (10,000 unless told otherwise) is made in a temporary folder, a git work tree: sources of
C++, CUDA and Python of a few kilobytes each, in folders of fifty.  Measured, best of some rounds:

* reading: every source of the tree opened and read, without looking at it;
* cold: a project that nothing is known of, until the first question is answered;
* git status: of the same tree;
* warm: a project whose facts an earlier run has kept.

Cold should be at most twice reading, warm at most twice ``git status``.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Callable

WORDS = ("int", "float", "index", "count", "size", "data", "offset", "stride", "width", "height", "thread", "value")


def make(folder: str, files: int) -> None:
    """Write a tree."""
    draw = random.Random(1)
    for number in range(files):
        at = os.path.join(folder, f"part{number // 50:04}")
        os.makedirs(at, exist_ok=True)
        kind = draw.choice(("cpp", "cpp", "h", "h", "cu", "py"))
        lines = [f'#include "part{draw.randrange(files // 50):04}/file{draw.randrange(files)}.h"' for _ in range(8)]
        lines = [] if kind == "py" else lines
        lines += [" ".join(draw.choices(WORDS, k=9)) + ";" for _ in range(draw.randrange(20, 200))]
        if kind == "cu":
            lines.append(f"__global__ void k{number}(float *x) {{ x[threadIdx.x] = 1; }}")
            lines.append(f"void go{number}() {{ k{number}<<<1, 64>>>(x); }}")
        with open(os.path.join(at, f"file{number}.{kind}"), "w", encoding="utf-8") as handle:
            handle.write("\n".join(lines))
    for command in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", "-C", folder, *command], check=True)


def best(rounds: int, work: Callable[[], object]) -> float:
    """The shortest of some times, in seconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made, tempfile.TemporaryDirectory() as cache:
        os.environ["KERNLINT_CACHE_DIR"] = cache
        folder = os.path.realpath(options.folder or made)
        if not options.folder:
            make(folder, options.files)
        from kernlint.project import Project
        from kernlint.project.tree import SOURCES

        names = [os.path.join(folder, name) for name in Project(folder, cache=False).tree.files]
        sources = [name for name in names if os.path.splitext(name)[1].lower() in SOURCES]

        def read() -> None:
            for name in sources:
                with open(name, "rb") as handle:
                    handle.read()

        def ask(cache: bool) -> None:
            Project(folder, cache=cache).files_launching("k1")

        reading = best(options.rounds, read)
        cold = best(options.rounds, lambda: ask(False))
        git = best(options.rounds, lambda: subprocess.run(["git", "-C", folder, "status", "-s"], capture_output=True))
        time.sleep(0.1)
        ask(True)
        warm = best(options.rounds, lambda: ask(True))
        print(f"{len(sources)} sources of {len(names)} files")
        print(f"reading     {reading * 1000:8.1f} ms")
        print(f"cold        {cold * 1000:8.1f} ms, {cold / reading:.1f} times reading")
        print(f"git status  {git * 1000:8.1f} ms")
        print(f"warm        {warm * 1000:8.1f} ms, {warm / git:.1f} times git status")


if __name__ == "__main__":
    main()
