r"""The rule ``swapped-launch-arguments``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.launching.launches import launches
from kernlint.finding import Finding, Fix, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.source import SourceFile
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Term, plain, symbols


class SwappedLaunchArguments(Rule):
    r"""Grid and block in each other's place.

    The first launch argument is the number of blocks, the second the number of threads of a block. With the two
    swapped a small input works, since the product is the same; as soon as the number of blocks passes 1024 the launch
    fails.

    Reported where the grid is a constant that the block is computed from by a rounding division: the number of blocks
    for that block size stands where the block size belongs.

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

    ```cuda good
    __global__ void twice(float *x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= 2.0f;
    }
    void run(float *x, int n) {
        twice<<<(n + 255) / 256, 256>>>(x, n);
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
            grid, block = launch.grid[0].value, launch.block[0]
            if grid is not None and grid > 1 and _rounds_up_by(block, grid):
                yield self.finding(
                    launch.span,
                    f"the block is {words(block)}, the number of blocks of {grid} threads, and the grid is {grid}: the "
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


def _rounds_up_by(term: Term, divisor: int) -> bool:
    """Whether ``term`` is a division by ``divisor`` of something that is not constant, perhaps held between limits."""
    term = plain(term)
    while term.op in ("min", "max") and any(arg.value is not None for arg in term.terms):
        term = plain(next(arg for arg in term.terms if arg.value is None))
    return term.op == "div" and term.args[1].value == divisor and bool(tuple(symbols(term)))
