r"""The rule ``float-array-index``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.remarks import remarks
from kernlint.finding import Finding, Severity
from kernlint.rule import Meta, ModuleRule


class FloatArrayIndex(ModuleRule):
    r"""An array that is subscripted with a float.

    ``/`` makes a float of two integers in Python, also in a kernel, and a float is no index: numba finds no
    implementation of ``getitem`` or ``setitem`` for it, and the kernel does not compile. ``//`` divides to an
    integer.

    ```python bad
    from numba import cuda

    @cuda.jit
    def decimate(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[i / 2] = x[i]  # expect: KL808
    ```

    ```python good
    from numba import cuda

    @cuda.jit
    def decimate(x, out):
        i = cuda.grid(1)
        if i < x.size and i % 2 == 0:
            out[i // 2] = x[i]
    ```
    """

    meta = Meta("KL808", "float-array-index", Severity.ERROR, tags=("numba typing",))

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        for remark, related in remarks(facts, "float-index"):
            yield self.finding(
                remark.span,
                "the index is a float: / does not divide to an integer",
                related=related,
                fix="divide with //",
            )
