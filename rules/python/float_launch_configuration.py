r"""The rule ``float-launch-configuration``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.remarks import remarks
from kernlint.finding import Finding, Severity
from kernlint.rule import Meta, ModuleRule


class FloatLaunchConfiguration(ModuleRule):
    r"""A grid or block whose size is a float.

    ``/`` divides to a float in Python, and ``np.ceil`` returns one. numba takes integers only, and raises
    ``TypeError`` ("griddim must be a sequence of integers").

    ```python bad
    from numba import cuda

    @cuda.jit
    def clear(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = 0

    def run(x):
        clear[x.size / 32, 32](x)  # expect: KL803
    ```

    ```python bad
    import numpy as np
    from numba import cuda

    @cuda.jit
    def clear(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = 0

    def run(x):
        blocks = np.ceil(x.size / 32)
        clear[blocks, 32](x)  # expect: KL803
    ```

    ```python good
    import math
    from numba import cuda

    @cuda.jit
    def clear(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = 0

    def run(x):
        clear[math.ceil(x.size / 32), 32](x)
    ```
    """

    meta = Meta("KL803", "float-launch-configuration", Severity.ERROR, tags=("numba kernel invocation",))

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        for remark, related in remarks(facts, "float-size"):
            yield self.finding(
                remark.span,
                f"the {remark.words[0]} of {remark.kernel} has a size that is a float: numba takes integers only",
                related=related,
                fix="divide with //, or round up with math.ceil()",
            )
