#!/usr/bin/env python3
"""What whole trees cost: repositories.py DIR... [--sample N] [--seed N] [--growth] [--markdown FILE] [--json FILE]

Each DIR is a tree, checked as it stands: no flags, no settings, the files that ``kernlint DIR`` would look at (N drawn
from them with a fixed seed, all unless told otherwise).  Each tree is checked by one process of its own, file by file,
in which every file is first parsed once by libclang alone, with the same flags, headers and prelude.  Printed are

* processor seconds for 1,000 lines of the files that were named, and how many times the bare parse that is, for the
  front end and for the whole;
* processor seconds of a kernel: median, 95th and 99th percentile, the longest;
* peak memory, and memory at the end over that after a tenth of the files (what a file took and did not give back).

``--growth``: a made-up file of 1, 4 and 16 copies of some kernels, and 1, 4 and 16 such files, each against the bare
parse of itself: the multiples should not grow.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Tree:
    """What a tree cost: processor seconds, bytes of memory, and seconds of each kernel by file and name."""

    name: str
    files: int = 0
    lines: int = 0
    parse: float = 0.0
    front: float = 0.0
    whole: float = 0.0
    project: float = 0.0
    peak: int = 0
    early: int = 0
    late: int = 0
    kernels: dict[str, float] = field(default_factory=dict)
    slow: dict[str, tuple[float, float, float]] = field(default_factory=dict)


def memory() -> int:
    """Bytes that this process holds now; 0 where nobody says."""
    try:
        with open("/proc/self/statm", encoding="ascii") as handle:
            return int(handle.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


class Meter:
    """Adds up the processor time of calls."""

    def __init__(self) -> None:
        self.spent = 0.0
        self._deep = 0

    def around(self, call: Any) -> Any:
        """``call``, measured; calls within calls count once."""

        def measured(*args: Any, **named: Any) -> Any:
            self._deep += 1
            started = time.process_time()
            try:
                return call(*args, **named)
            finally:
                self._deep -= 1
                if not self._deep:
                    self.spent += time.process_time() - started

        return measured


def bare(engine: Any, source: Any, config: Any) -> float:
    """Processor seconds of one parse by libclang, given what kernlint gives it; 0 for what libclang does not read."""
    from kernlint.frontends.clang.frontend import language_of
    from kernlint.frontends.clang.options import ParseOptions
    from kernlint.frontends.clang.session import parse

    options = engine.frontend_options(source.path, config)
    language = language_of(source)
    if language is None:
        return 0.0
    own = ParseOptions(
        options.defines, options.undefines, options.include_dirs, options.forced, options.std, options.target,
        options.extra, options.around,
    )  # fmt: skip
    parse(source.path, source.data, language, own, synthesise=False).close()  # its headers are in memory from now on
    started = time.process_time()
    parse(source.path, source.data, language, own, synthesise=False).close()
    return time.process_time() - started


def measure(folder: str, sample: int, seed: int) -> Tree:
    """Check one tree in this process."""
    from kernlint.frontends.clang.frontend import ClangFrontend
    from kernlint.policy.config import Config
    from kernlint.policy.selection import Selection
    from kernlint.project import Projects, discovery
    from kernlint.registry import load
    from kernlint.run.engine import Engine
    from kernlint.source import SourceError, read

    registry = load()
    config = Config()
    engine = Engine(registry, Selection(registry, config))
    engine.projects = Projects([folder], cache=False)
    out = Tree(os.path.basename(folder.rstrip(os.sep)))
    started = time.process_time()
    files = [found.path for found in discovery.find([folder], holds=engine.projects.holds_kernels)]
    out.project = time.process_time() - started
    if sample and len(files) > sample:
        files = sorted(random.Random(seed).sample(files, sample))
    front = Meter()
    ClangFrontend.parse_file = front.around(ClangFrontend.parse_file)  # type: ignore[method-assign]
    check_kernel = Engine._check_kernel

    def timed(self: Any, kernel: Any, *args: Any, **named: Any) -> Any:
        began = time.process_time()
        try:
            return check_kernel(self, kernel, *args, **named)
        finally:
            name = f"{os.path.basename(kernel.function.span.file)} {kernel.name}"
            out.kernels[name] = out.kernels.get(name, 0.0) + time.process_time() - began

    Engine._check_kernel = timed  # type: ignore[method-assign]
    for number, path in enumerate(files, 1):
        print(f"\r{out.name} {number} of {len(files)} files ", end="", file=sys.stderr, flush=True)
        try:
            source = read(path)
        except SourceError:
            continue
        parse = bare(engine, source, config)
        before, front.spent = time.process_time(), 0.0
        engine.check_file(path, engine.selection)
        spent = time.process_time() - before
        out.files += 1
        out.lines += source.data.count(b"\n") + 1
        out.parse += parse
        out.front += front.spent
        out.whole += spent
        out.slow[path] = parse, front.spent, spent
        if number == max(1, len(files) // 10):
            out.early = memory()
    out.late = memory()
    out.peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    out.slow = dict(sorted(out.slow.items(), key=lambda item: -item[1][2])[:10])
    return out


def measured(folder: str, sample: int, seed: int) -> Tree:
    """Check one tree in a process of its own."""
    command = [sys.executable, os.path.abspath(__file__), "--one", folder, "--sample", str(sample), "--seed", str(seed)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return Tree(**json.loads(done.stdout))


def percentile(times: list[float], share: float) -> float:
    """The time that ``share`` of the kernels stay under."""
    return sorted(times)[min(len(times) - 1, int(share * len(times)))] if times else 0.0


HEAD = (
    "| tree | files | lines | CPU s per 1,000 lines | front end | whole | kernels | median | 95% | 99% | longest "
    "| peak MB | end / early |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
)
"""``front end`` and ``whole`` are multiples of the bare parse, times of kernels are in seconds."""


def row(tree: Tree) -> str:
    """A line of the table."""
    times = list(tree.kernels.values())
    lines, parse = max(tree.lines, 1) / 1000, max(tree.parse, 1e-9)
    spread = (
        statistics.median(times or [0.0]),
        percentile(times, 0.95),
        percentile(times, 0.99),
        max(times, default=0),
    )
    return (
        f"| {tree.name} | {tree.files} | {tree.lines} | {tree.whole / lines:.2f} | {tree.front / parse:.1f} "
        f"| {tree.whole / parse:.1f} | {len(times)} | " + " | ".join(f"{each:.2f}" for each in spread) + " "
        f"| {tree.peak / 1e6:.0f} | {tree.late / max(tree.early, 1):.2f} |"
    )


KERNEL = """
__global__ void sums{n}(const float *x, float *y, int n) {{
    __shared__ float part[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {{
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }}
    if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}}
void run{n}(const float *x, float *y, int n) {{ sums{n}<<<(n + 255) / 256, 256>>>(x, y, n); }}
"""

COPIES = 12
"""Kernels of the smallest made-up file."""


def growth() -> list[str]:
    """Lines on how cost grows with the length of a file and with the number of files."""
    lines = []
    for what in ("length", "files"):
        for times in (1, 4, 16):
            with tempfile.TemporaryDirectory() as folder:
                for file in range(times if what == "files" else 1):
                    count = COPIES * (times if what == "length" else 1)
                    with open(os.path.join(folder, f"made{file}.cu"), "w", encoding="utf-8") as handle:
                        handle.write("".join(KERNEL.format(n=n + file * count) for n in range(count)))
                tree = measured(folder, 0, 0)
            each = tree.whole / max(len(tree.kernels), 1)
            lines.append(
                f"{what} x {times}: {tree.whole:.2f} s, {each * 1000:.1f} ms for a kernel, "
                f"{tree.whole / max(tree.parse, 1e-9):.1f} times the bare parse, peak {tree.peak / 1e6:.0f} MB"
            )
    return lines


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--sample", type=int, default=0, help="files of each tree (0: all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--markdown", help="write the table to this file")
    parser.add_argument("--json", help="write all figures, with the slowest files, to this file")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        json.dump(asdict(measure(os.path.realpath(options.folders[0]), options.sample, options.seed)), sys.stdout)
        return
    trees = []
    print(HEAD, flush=True)
    for folder in options.folders:
        trees.append(measured(os.path.realpath(folder), options.sample, options.seed))
        print(row(trees[-1]), flush=True)
    if len(trees) > 1:
        whole = Tree("all", *(sum(getattr(t, name) for t in trees) for name in ("files", "lines", "parse", "front")))
        whole.whole = sum(tree.whole for tree in trees)
        whole.peak = max(tree.peak for tree in trees)
        whole.early, whole.late = sum(tree.early for tree in trees), sum(tree.late for tree in trees)
        whole.kernels = {f"{tree.name} {name}": spent for tree in trees for name, spent in tree.kernels.items()}
        trees.append(whole)
        print(row(whole))
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as handle:
            handle.write("\n".join([HEAD, *map(row, trees), ""]))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as handle:
            json.dump([asdict(tree) for tree in trees], handle, indent=1)
    for line in growth() if options.growth else ():
        print(line, flush=True)


if __name__ == "__main__":
    main()
