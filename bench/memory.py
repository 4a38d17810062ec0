#!/usr/bin/env python3
"""Memory over many files: memory.py [DIR...] [--files N] [--seed N]

One process checks N files (1,000 unless told otherwise): kernels made up by the script, each file another, or files
drawn from the trees that are named.  Printed are the bytes that the process holds after each tenth, its peak, and the
memory at the end over that after the first tenth, which should stay under 1.2.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import sys
import tempfile

LIMIT = 1.2
"""Memory at the end over that after the first tenth."""

KERNEL = """
__global__ void sums{n}(const float *x, float *y, int n) {{
    __shared__ float part[{size}];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {{
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }}
    if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}}
void run{n}(const float *x, float *y, int n) {{ sums{n}<<<(n + {size} - 1) / {size}, {size}>>>(x, y, n); }}
"""


def made(folder: str, files: int) -> list[str]:
    """Paths of made-up files."""
    paths = []
    for number in range(files):
        paths.append(os.path.join(folder, f"made{number:04}.cu"))
        with open(paths[-1], "w", encoding="utf-8") as handle:
            handle.write("".join(KERNEL.format(n=number * 4 + n, size=64 << n) for n in range(4)))
    return paths


def drawn(folders: list[str], files: int, seed: int) -> list[str]:
    """Paths of kernel sources in trees."""
    from kernlint.project import Projects, discovery

    projects = Projects(folders, cache=False)
    found = sorted(each.path for each in discovery.find(folders, holds=projects.holds_kernels))
    return sorted(random.Random(seed).sample(found, files)) if len(found) > files else found


def memory() -> int:
    """Bytes that this process holds now."""
    with open("/proc/self/statm", encoding="ascii") as handle:
        return int(handle.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Measure and print; the exit code says whether memory stays within the limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    from kernlint.policy.config import Config
    from kernlint.policy.selection import Selection
    from kernlint.project import Projects
    from kernlint.registry import load
    from kernlint.run.engine import Engine

    with tempfile.TemporaryDirectory() as folder:
        folders = [os.path.realpath(each) for each in options.folders]
        paths = drawn(folders, options.files, options.seed) if folders else made(folder, options.files)
        registry = load()
        engine = Engine(registry, Selection(registry, Config()))
        engine.projects = Projects(folders or [folder], cache=False)
        tenth = max(1, len(paths) // 10)
        held = []
        for number, path in enumerate(paths, 1):
            engine.check_file(path, engine.selection)
            if number % tenth == 0:
                held.append(memory())
                print(f"{number:6} files {held[-1] / 1e6:8.0f} MB", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    ratio = held[-1] / held[0]
    print(f"peak {peak / 1e6:.0f} MB, end over first tenth {ratio:.2f}")
    sys.exit(ratio > LIMIT)


if __name__ == "__main__":
    main()
