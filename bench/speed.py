#!/usr/bin/env python3
"""Speed as ratios within one run: speed.py [--kernlint CMD] [--runs N]

* cold check of one file (.cu, .cl) against a Python process that only loads libclang and parses the same file with the
  same flags and prelude (through the public clang.cindex bindings, headers of the prelude as text);
* ``kernlint --version`` against ``python -c pass``;
* a file of 3,000 lines: seconds on this machine.

Each pair is run in turn, so that a drifting machine hits both alike; medians are printed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

PARSE_ONLY = """
import json, sys
from clang.cindex import Index
arguments, path = json.loads(sys.argv[1]), sys.argv[2]
assert Index.create().parse(path, args=arguments, options=0x201) is not None
"""

CUDA = """
#define TILE 16
__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int t = 0; t < (n + TILE - 1) / TILE; ++t) {
        int k = t * TILE;
        left[threadIdx.y][threadIdx.x] = row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : 0.0f;
        right[threadIdx.y][threadIdx.x] = col < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = sum;
}
"""

OPENCL = """
__kernel void total(__global const float *in, __global float *out, __local float *part, const int n) {
    const int lid = get_local_id(0), i = get_global_id(0);
    part[lid] = i < n ? in[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_ = get_local_size(0) / 2; half_ > 0; half_ /= 2) {
        if (lid < half_) part[lid] += part[lid + half_];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) out[get_group_id(0)] = part[0];
}
"""


def big(copies: int) -> str:
    """A file of many distinct kernels."""
    return "\n".join(CUDA.replace("product", f"product{n}").replace("#define TILE 16\n", "") for n in range(copies))


def flags(language: str) -> list[str]:
    """The flags kernlint parses with, the prelude included as text."""
    from kernlint.frontends.clang.options import Language, ParseOptions, base_arguments
    from kernlint.frontends.clang.prelude import prelude_headers, text_arguments

    kind = Language(language)
    return [*base_arguments(kind, ParseOptions()), *text_arguments(prelude_headers(kind))]


_runs = itertools.count()


def seconds(command: list[str], fresh: str | None = None) -> float:
    """Wall time of one process; ``fresh`` is a source that is changed before, so that no result of it is known."""
    if fresh is not None:
        with open(fresh, "a", encoding="utf-8") as handle:
            handle.write(f"// {next(_runs)}\n")
    started = time.perf_counter()
    # Compiled modules are kept, as in any installation.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, env=environment)
    return time.perf_counter() - started


def pair(name: str, one: list[str], other: list[str], runs: int, limit: float, fresh: str | None = None) -> bool:
    """Print medians of both and their ratio; whether the ratio is within the limit."""
    seconds(one, fresh), seconds(other)
    times = [(seconds(one, fresh), seconds(other)) for _ in range(runs)]
    ratios = [a / b for a, b in times]
    a, b = (statistics.median(column) for column in zip(*times, strict=True))
    ratio = statistics.median(ratios)
    verdict = "ok" if ratio <= limit else "TOO SLOW"
    print(f"{name:34s} {a * 1000:7.1f} ms against {b * 1000:7.1f} ms: ratio {ratio:.2f} (limit {limit:g}) {verdict}")
    return ratio <= limit


def main() -> int:
    """Run all comparisons; 1 when one of them is over its limit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernlint", default=f"{os.path.dirname(sys.executable)}/kernlint")
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    kernlint = shlex.split(options.kernlint)
    fine = True
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("product.cu", CUDA), ("total.cl", OPENCL), ("big.cu", "#define TILE 16\n" + big(190))):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as handle:
                handle.write(text)
        out = os.path.join(folder, "out.sarif")
        for name, language in (("product.cu", "cuda"), ("total.cl", "opencl")):
            path = os.path.join(folder, name)
            check = [*kernlint, "check", "--no-config", "--format", "sarif", "--output", out, path]
            parse = [sys.executable, "-c", PARSE_ONLY, json.dumps(flags(language)), path]
            fine = pair(f"cold check of {name}", check, parse, options.runs, 3.0, path) and fine
            uncached = [*check[:-1], "--no-cache", path]
            pair(f"the same with --no-cache {name}", uncached, parse, options.runs, 3.0)
        fine = pair("--version", [*kernlint, "--version"], [sys.executable, "-c", "pass"], options.runs, 5.0) and fine
        path = os.path.join(folder, "big.cu")
        with open(path, encoding="utf-8") as handle:
            lines = sum(1 for _ in handle)
        took = statistics.median(
            seconds([*kernlint, "check", "--no-config", "--format", "sarif", "--output", out, path], path)
            for _ in range(3)
        )
        print(f"{lines} lines of {path.rpartition('/')[2]}: {took:.2f} s (limit 3)")
        fine = fine and took < 3.0
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
