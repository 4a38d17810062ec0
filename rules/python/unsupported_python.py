r"""The rule ``unsupported-python``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.finding import Finding, Severity
from kernlint.rule import Meta, ModuleRule
from kernlint.source import Span
from kernlint.tree.walk import reached_from


class UnsupportedPython(ModuleRule):
    r"""Python in a kernel that numba does not compile for the GPU.

    numba's documentation names what has no place in a CUDA kernel: exceptions that are handled (``try``), contexts
    (``with``), comprehensions, generators (``yield``) and ``async``; dicts and sets; functions of NumPy that make an
    array ("Numba disallows any memory allocating features"), or rest on the host's libraries (``np.dot`` of arrays,
    ``np.linalg``, ``np.random``). Compilation fails at the first launch. Nothing else is looked for in such a kernel.

    ```python bad
    from numba import cuda

    @cuda.jit
    def safe_divide(a, b, out):
        i = cuda.grid(1)
        if i < out.size:
            try:  # expect: KL806
                out[i] = a[i] / b[i]
            except ZeroDivisionError:
                out[i] = 0.0
    ```

    ```python bad
    import numpy as np
    from numba import cuda

    @cuda.jit
    def spread(x, out):
        i = cuda.grid(1)
        if i < out.size:
            part = np.zeros(4)  # expect: KL806
            for k in range(4):
                part[k] = x[i] * k
            out[i] = part[3]
    ```

    ```python good
    from numba import cuda

    @cuda.jit
    def safe_divide(a, b, out):
        i = cuda.grid(1)
        if i < out.size:
            if b[i] != 0:
                out[i] = a[i] / b[i]
            else:
                out[i] = 0.0
    ```
    """

    meta = Meta("KL806", "unsupported-python", Severity.ERROR, tags=("numba supported Python",))

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        said: set[Span] = set()
        for kernel in facts.module.kernels if facts.module.written_in == "python" else ():
            for function in reached_from(kernel.variants, facts.callees):
                for loss in function.losses:
                    if loss.kind == "unsupported" and loss.span not in said:
                        said.add(loss.span)
                        yield self.finding(loss.span, f"{loss.reason}: numba does not compile it for the GPU")
