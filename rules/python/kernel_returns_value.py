r"""The rule ``kernel-returns-value``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.remarks import remarks
from kernlint.finding import Finding, Severity
from kernlint.rule import Meta, ModuleRule


class KernelReturnsValue(ModuleRule):
    r"""A kernel that returns a value.

    A kernel "cannot explicitly return a value; all result data must be written to an array passed to the function".
    numba refuses to compile it ("CUDA kernel must have void return type"). A function that other kernels call is
    declared with ``device=True``.

    ```python bad
    from numba import cuda

    @cuda.jit
    def largest(x, out):
        i = cuda.grid(1)
        if i < x.size:
            cuda.atomic.max(out, 0, x[i])
        return out[0]  # expect: KL805
    ```

    ```python good
    from numba import cuda

    @cuda.jit(device=True)
    def clamp(v, low, high):
        return min(max(v, low), high)

    @cuda.jit
    def clip(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = clamp(x[i], 0, 1)
    ```
    """

    meta = Meta("KL805", "kernel-returns-value", Severity.ERROR, tags=("numba kernel declaration",))

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        for remark, related in remarks(facts, "returned-value"):
            yield self.finding(
                remark.span,
                f"the kernel {remark.kernel} returns a value: results have to be written to an array",
                related=related,
                fix="write to an array that is passed, or declare a device function with device=True",
            )
