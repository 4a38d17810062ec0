r"""The rule ``swapped-launch-arguments``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.launching.launches import launches
from kernlint.finding import Finding, Fix, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import SourceFile
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import SymbolKind, Term, plain, subterms, symbols

MAX_THREADS = 1024
"""Threads that a block has at the most (CUDA C++ Programming Guide, technical specifications)."""


class SwappedLaunchArguments(Rule):
    r"""Grid and block in each other's place.

    The first launch argument is the number of blocks, the second the number of threads of a block. With the two
    swapped a small input works, since the product is the same; as soon as the number of blocks passes 1024 the launch
    fails.

    Reported where the block is computed from the grid by a rounding division, and the grid is a constant, or a number
    that the host keeps below what a block may have: the number of blocks for that block size stands where the block
    size belongs.

    ```cuda bad
    __global__ void twice(float *x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= 2.0f;
    }
    void run(float *x, int n) {
        twice<<<256, (n + 255) / 256>>>(x, n);  // expect: KL611
    }
    ```

    ```cuda bad
    __global__ void twice(float *x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= 2.0f;
    }
    void run(float *x, int n) {
        const int threads = 128;
        const int blocks = (n + threads - 1) / threads;
        twice<<<threads, blocks>>>(x, n);  // expect: KL611
    }
    ```

    ```cuda bad
    __global__ void twice(float *x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= 2.0f;
    }
    void run(float *x, int n) {
        int threads = 1;
        while (threads < n && threads < 512) threads <<= 1;
        const int blocks = (n + threads - 1) / threads;
        twice<<<threads, blocks>>>(x, n);  // expect: KL611
    }
    ```

    ```cuda good
    __global__ void twice(float *x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= 2.0f;
    }
    void run(float *x, int n) {
        twice<<<(n + 255) / 256, 256>>>(x, n);
    }
    void shared_out(float *x, int n, int parts) {
        twice<<<parts, (n + parts - 1) / parts>>>(x, n);
    }
    ```

    ```opencl good
    __kernel void twice(__global float *x, const int n) {
        const int i = get_global_id(0);
        if (i < n) x[i] *= 2.0f;
    }
    ```
    """

    meta = Meta("KL611", "swapped-launch-arguments", Severity.ERROR)
    needs = (launches,)

    def check(self, facts: Facts) -> Iterator[Finding]:
        for launch in facts[launches]:
            if launch.grid is None or launch.block is None:
                continue
            grid, block = plain(launch.grid[0]), launch.block[0]
            if grid.value is None:
                swapped, size = _kept_small(grid) and _rounds_up_by(block, grid), words(grid)
            else:
                swapped, size = grid.value > 1 and _rounds_up_by(block, grid), str(grid.value)
            if swapped:
                yield self.finding(
                    launch.span,
                    f"the block is {words(block)}, the number of blocks of {size} threads, and the grid is {size}: the "
                    "two are swapped",
                    related=[
                        *(Related(at, "called here") for at in launch.stack[-1:]),
                        Related(facts.kernel.function.span, "the kernel"),
                    ],
                    fix="swap the two launch arguments",
                )

    def fixes(self, facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
        """Grid and block exchanged."""
        from kernlint.repair.launching import exchanged

        return exchanged(facts, finding, source)


def _rounds_up_by(term: Term, divisor: Term) -> bool:
    """Whether ``term`` is a division by ``divisor`` of something that is not constant, perhaps held between limits."""
    term = plain(term)
    while term.op in ("min", "max") and any(arg.value is not None for arg in term.terms):
        term = plain(next(arg for arg in term.terms if arg.value is None))
    if term.op != "div" or not tuple(symbols(term.args[0])):
        return False
    by = plain(term.args[1])
    return by.value == divisor.value and polynomial(by) == polynomial(divisor)


def _kept_small(size: Term) -> bool:
    """Whether a number that is not constant is kept below what a block may have: by a minimum, or by a loop that
    doubles it."""
    for part in subterms(size):
        limits = part.args if part.op == "min" else ()
        if part.symbol is not None and part.symbol.kind is SymbolKind.TRIPS:
            condition = getattr(part.symbol.origin, "condition", None)
            tests = conjuncts(condition) if condition is not None else ()
            limits = tuple(test.args[1] for test in tests if test.op in ("lt", "le"))
        if any(1 < (limit.value or 0) <= MAX_THREADS for limit in limits):
            return True
    return False
