r"""The rule ``signature-mismatch``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.remarks import remarks
from kernlint.finding import Finding, Severity
from kernlint.rule import Meta, ModuleRule


class SignatureMismatch(ModuleRule):
    r"""An array that no signature of the kernel takes.

    A kernel that is declared with signatures is compiled for those, and for no others. numba converts numbers that are
    passed, but no arrays: elements of another type (NumPy makes ``float64`` where nothing is said) or another number
    of axes raise ``TypeError`` ("No matching definition for argument type(s)").

    ```python bad
    import numpy as np
    from numba import cuda

    @cuda.jit("void(float32[:], float32)")
    def scale(x, by):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= by

    def run(n):
        x = np.zeros(n)
        scale[(n + 127) // 128, 128](x, 2.0)  # expect: KL810
    ```

    ```python good
    import numpy as np
    from numba import cuda

    @cuda.jit("void(float32[:], float32)")
    def scale(x, by):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= by

    def run(n):
        x = np.zeros(n, dtype=np.float32)
        scale[(n + 127) // 128, 128](x, 2.0)
    ```
    """

    meta = Meta("KL810", "signature-mismatch", Severity.ERROR, tags=("numba kernel declaration",))

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        for remark, related in remarks(facts, "undefined-types"):
            name, given, stated = remark.words
            yield self.finding(
                remark.span,
                f"{given} is passed for {name}, and the signature of {remark.kernel} says {stated}",
                related=related,
                fix="give the array the type of the signature, or declare the kernel without one",
            )
