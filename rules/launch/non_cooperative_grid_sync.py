r"""The rule ``non-cooperative-grid-sync``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.launches import launches
from kernlint.analysis.trace import trace
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.tree.nodes import Scope

PLAIN = ("<<<>>>", "cudaLaunchKernel", "hipLaunchKernelGGL", "hipLaunchKernel")
"""Ways to launch that do not make a launch cooperative."""


class NonCooperativeGridSync(Rule):
    r"""A kernel that synchronises the whole grid, launched in a way that does not allow it.

    ``grid.sync()`` works only when all blocks are resident at once, which ``cudaLaunchCooperativeKernel`` (or the
    cooperative launch attribute) guarantees. After an ordinary launch the behaviour is undefined: the call returns an
    error, or the kernel hangs.

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
    needs = (trace, launches)

    def check(self, facts: Facts) -> Iterator[Finding]:
        barrier = next((b for b in facts[trace].barriers if b.scope is Scope.GRID and b.certain), None)
        if barrier is None:
            return
        for launch in facts[launches]:
            if launch.node.api in PLAIN:
                yield self.finding(
                    launch.span,
                    f"{facts.kernel.name} waits for the whole grid; {launch.node.api} does not launch cooperatively",
                    related=[Related(barrier.span, "the grid is synchronised here")],
                    fix="launch it with cudaLaunchCooperativeKernel",
                )
