r"""The rule ``non-cooperative-grid-sync``."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.launching.launches import LaunchFact, launches
from kernlint.analysis.order import order
from kernlint.analysis.order.words import waits_for_all
from kernlint.analysis.trace import trace
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.symbolic.terms import SymbolKind, Term, symbols
from kernlint.tree.nodes import Scope

PLAIN = ("<<<>>>", "cudaLaunchKernel", "hipLaunchKernelGGL", "hipLaunchKernel")
"""Ways to launch that do not make a launch cooperative."""


class NonCooperativeGridSync(Rule):
    r"""A kernel that synchronises the whole grid, launched in a way that does not allow it.

    ``grid.sync()`` works only when all blocks are resident at once, which ``cudaLaunchCooperativeKernel`` (or the
    cooperative launch attribute) guarantees. After an ordinary launch the behaviour is undefined: the call returns an
    error, or the kernel hangs.

    A barrier that the kernel makes itself, of a counter and a loop that waits until all blocks have come, needs the
    same: where the grid grows with the work, or is larger than any device, the blocks that run wait for others that
    cannot start.

    ```cuda bad
    #include <cooperative_groups.h>
    __global__ void relax(float *x, int n) {
        cooperative_groups::grid_group grid = cooperative_groups::this_grid();
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= 0.5f;
        grid.sync();
        if (i + 1 < n) x[n + i] = x[i + 1];
    }
    void run(float *x, int n) {
        relax<<<64, 256>>>(x, n);  // expect: KL615
    }
    ```

    ```cuda bad
    __device__ unsigned arrived;
    __global__ void step(float *x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= 0.5f;
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(&arrived, 1u);
            while (atomicAdd(&arrived, 0u) < gridDim.x) {}
            __threadfence();
        }
        __syncthreads();
        if (i < n - 1) x[n + i] = x[i + 1];
    }
    void run(float *x, int n) {
        step<<<(n + 255) / 256, 256>>>(x, n);  // expect: KL615
    }
    ```

    ```cuda good
    #include <cooperative_groups.h>
    __global__ void relax(float *x, int n) {
        cooperative_groups::grid_group grid = cooperative_groups::this_grid();
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] *= 0.5f;
        grid.sync();
        if (i + 1 < n) x[n + i] = x[i + 1];
    }
    void run(float *x, int n) {
        void *args[] = {&x, &n};
        cudaLaunchCooperativeKernel((const void *)relax, dim3(64), dim3(256), args, 0, 0);
    }
    ```
    """

    meta = Meta("KL615", "non-cooperative-grid-sync", Severity.ERROR, tags=("CUDA PG cooperative groups",))
    needs = (trace, launches, order)

    def check(self, facts: Facts) -> Iterator[Finding]:
        barrier = next((b for b in facts[trace].barriers if b.scope is Scope.GRID and b.certain), None)
        home_made = waits_for_all(facts[trace], facts[order].words) if barrier is None else None
        for launch in facts[launches] if barrier is not None or home_made is not None else ():
            if launch.node.api not in PLAIN:
                continue
            if barrier is not None:
                yield self.finding(
                    launch.span,
                    f"{facts.kernel.name} waits for the whole grid; {launch.node.api} does not launch cooperatively",
                    related=[Related(barrier.span, "the grid is synchronised here")],
                    fix="launch it with cudaLaunchCooperativeKernel",
                )
            elif home_made is not None and not _may_fit(launch):
                yield self.finding(
                    launch.span,
                    f"the blocks of {facts.kernel.name} wait for each other, and nothing makes sure that all of them "
                    "fit on the device at once: those that run wait for others that cannot start",
                    Severity.WARNING,
                    related=[Related(home_made.access.span, "each block waits for all others here")],
                    fix="launch it with cudaLaunchCooperativeKernel, with as many blocks as fit",
                )


MOST = 160 * 2048
"""Threads that no device holds at once (160 multiprocessors of 2048 threads: more than a B200 has)."""


def _may_fit(launch: LaunchFact) -> bool:
    """Whether all blocks may be on the device at once: the grid is a number that is small enough, or not one that
    follows from the size of the work alone."""
    if launch.grid is None:
        return True
    numbers = [term.value for term in (*launch.grid, *(launch.block or ()))]
    if None not in numbers:
        return bool(math.prod(number or 1 for number in numbers) <= MOST)
    free = [symbol for term in launch.grid for symbol in symbols(term)]
    grows = any(map(_divides, launch.grid))
    return not grows or any(symbol.kind is not SymbolKind.PARAM for symbol in free)


def _divides(term: Term) -> bool:
    """Whether a term is a share of something, with no limit to it."""
    if term.op in ("min", "select"):
        return False
    return term.op in ("div", "shr") or any(map(_divides, term.terms))
