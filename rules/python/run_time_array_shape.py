r"""The rule ``run-time-array-shape``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.remarks import remarks
from kernlint.finding import Finding, Severity
from kernlint.rule import Meta, ModuleRule


class RunTimeArrayShape(ModuleRule):
    r"""A shared or local array whose shape is known only when the kernel runs.

    The shape of ``cuda.shared.array`` and ``cuda.local.array`` must be "either an integer or a tuple of integers",
    known when the kernel is compiled: numbers, or names from around the kernel. An argument, a shape of an argument
    or ``blockDim`` is not, and compilation fails. Shared memory whose size the launch decides is an array of shape 0,
    and its bytes are the fourth part of the launch configuration.

    ```python bad
    from numba import cuda, float32

    @cuda.jit
    def reverse(x, width):
        tile = cuda.shared.array(width, dtype=float32)  # expect: KL804
        t = cuda.threadIdx.x
        tile[t] = x[t]
        cuda.syncthreads()
        x[t] = tile[width - 1 - t]
    ```

    ```python good
    from numba import cuda, float32

    WIDTH = 128

    @cuda.jit
    def reverse(x):
        tile = cuda.shared.array(WIDTH, dtype=float32)
        t = cuda.threadIdx.x
        tile[t] = x[t]
        cuda.syncthreads()
        x[t] = tile[WIDTH - 1 - t]
    ```
    """

    meta = Meta("KL804", "run-time-array-shape", Severity.ERROR, tags=("numba memory management",))

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        for remark, related in remarks(facts, "run-time-shape"):
            yield self.finding(
                remark.span,
                f"the shape of a {remark.words[0]} array is not known when the kernel is compiled",
                related=related,
                fix="take the shape from a constant outside the kernel"
                + (", or make it 0 and give the bytes at the launch" if remark.words[0] == "shared" else ""),
            )
