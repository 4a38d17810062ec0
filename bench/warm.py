#!/usr/bin/env python3
"""A run over files that have not changed, against a process that stats and hashes them: warm.py [--files N]

Both walk the same tree of small kernels, in turn, so that a drifting machine hits both alike; the ratio of the median
processor times and of the median wall-clock times is printed.  The first run, which fills the cache, takes its time.
"""

from __future__ import annotations

import argparse
import os
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

HASH = """
import hashlib, os, sys
whole = hashlib.blake2b()
for folder, folders, files in os.walk(sys.argv[1]):
    for name in files:
        path = os.path.join(folder, name)
        status = os.stat(path)
        with open(path, "rb") as handle:
            whole.update(hashlib.blake2b(handle.read()).digest())
print(whole.hexdigest())
"""

KERNEL = """#include "common.h"
#include <cuda_runtime.h>

// Adds two vectors, number {n}.
__global__ void add{n}(const float *a, const float *b, float *c, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + {n}.0f * b[i];
}}
"""

LIMIT = 3.0


def tree(folder: str, files: int) -> None:
    """Kernels in twenty folders, each with a header."""
    for number in range(20):
        os.makedirs(os.path.join(folder, f"part{number}"))
        with open(os.path.join(folder, f"part{number}", "common.h"), "w", encoding="utf-8") as handle:
            handle.write("#pragma once\n#define WIDTH 4\n")
    for number in range(files):
        path = os.path.join(folder, f"part{number % 20}", f"add{number}.cu")
        with open(path, "w", encoding="utf-8") as handle:
            handle.write(KERNEL.format(n=number))


def seconds(command: list[str], environment: dict[str, str], folder: str) -> tuple[float, float]:
    """Processor and wall-clock time of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, env=environment, cwd=folder, check=True)
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def main() -> int:
    """Measure; 1 when the ratio is over the limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernlint", default=f"{shlex.quote(sys.executable)} -m kernlint")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    # Compiled modules are kept, as in any installation.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        environment["KERNLINT_CACHE_DIR"] = os.path.join(folder, "cache")
        source = os.path.join(folder, "source")
        tree(source, options.files)
        warm = [*shlex.split(options.kernlint), "check", "."]
        other = [sys.executable, "-c", HASH, source]
        print(f"first run: {seconds(warm, environment, source)[1]:.1f} s")
        seconds(other, environment, source)
        times = [(seconds(warm, environment, source), seconds(other, environment, source)) for _ in range(options.runs)]
    ratios = []
    for index, name in enumerate(("processor", "wall clock")):
        ours = statistics.median(pair[0][index] for pair in times)
        theirs = statistics.median(pair[1][index] for pair in times)
        ratios.append(ours / theirs)
        print(f"{name:10s}: {ours * 1000:6.1f} ms against {theirs * 1000:6.1f} ms: ratio {ours / theirs:.2f}")
    print(f"limit {LIMIT:g} on {options.files} files: {'ok' if ratios[1] <= LIMIT else 'TOO SLOW'}")
    return int(ratios[1] > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
