#!/usr/bin/env python3
"""Two processes against one on a cold run: jobs.py [DIR...] [--files N] [--rounds N]

Checks the same files with ``-j1`` and ``-j2``, without any cache, in turn; prints the median of the ratios of the
wall-clock times.  Without folders, it writes its own: tiled products, reductions and stencils of different sizes, as
the showcase has them.  Needs two idle CPUs.
"""

from __future__ import annotations

import argparse
import os
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

LIMIT = 1.6

PRODUCT = """
__global__ void product{n}(const float *a, const float *b, float *c, int n) {{
    __shared__ float left[{tile}][{tile}], right[{tile}][{tile}];
    int row = blockIdx.y * {tile} + threadIdx.y, col = blockIdx.x * {tile} + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < (n + {tile} - 1) / {tile}; ++t) {{
        int k = t * {tile};
        left[threadIdx.y][threadIdx.x] = row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : 0.0f;
        right[threadIdx.y][threadIdx.x] = col < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < {tile}; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }}
    if (row < n && col < n) c[row * n + col] = sum;
}}
"""

TOTAL = """
__global__ void total{n}(const float *in, float *out, int n) {{
    __shared__ float part[{block}];
    int i = blockIdx.x * {block} + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int half = {block} / 2; half > 0; half /= 2) {{
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }}
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}}
"""


def write(folder: str, files: int) -> None:
    """Files of one to four kernels."""
    draw = random.Random(1)
    for number in range(files):
        kernels = [
            text.format(n=f"{number}_{index}", tile=draw.choice((8, 16, 32)), block=draw.choice((128, 256, 512)))
            for index in range(draw.randint(1, 2))
            for text in (PRODUCT, TOTAL)
        ]
        with open(os.path.join(folder, f"k{number}.cu"), "w", encoding="utf-8") as handle:
            handle.write("".join(kernels))


def seconds(command: list[str]) -> float:
    """Wall-clock time of one process."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr.decode())
    return time.perf_counter() - started


def main() -> int:
    """Compare; 1 when two processes gain too little."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--files", type=int, default=200, help="how many to write")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--kernlint", default=f"{os.path.dirname(sys.executable)}/kernlint")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if not options.folders:
            write(folder, options.files)
        check = [
            *shlex.split(options.kernlint),
            "check",
            "--no-config",
            "--no-cache",
            "--exit-zero",
            "--format",
            "concise",
        ]
        check += options.folders or [folder]
        seconds([*check, "-j2"])
        times = [(seconds([*check, "-j1"]), seconds([*check, "-j2"])) for _ in range(options.rounds)]
    one, two = (statistics.median(column) for column in zip(*times, strict=True))
    gain = statistics.median(a / b for a, b in times)
    print(f"one process {one:.2f} s, two {two:.2f} s: {gain:.2f} times as fast (at least {LIMIT} asked)")
    return 0 if gain >= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
