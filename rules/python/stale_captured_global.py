r"""The rule ``stale-captured-global``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.remarks import remarks
from kernlint.finding import Finding, Severity
from kernlint.rule import Meta, ModuleRule


class StaleCapturedGlobal(ModuleRule):
    r"""A global that a kernel has taken along and the program changes.

    Globals that a kernel uses are "compile-time constants": their values are those at the first launch for the types
    in question, and no later assignment reaches the kernel. What changes has to be an argument. Where a comment beside
    the assignment says that kernels do not see it, this is a note.

    ```python bad
    from numba import cuda

    GAIN = 2.0

    @cuda.jit
    def amplify(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= GAIN  # expect: KL807

    def set_gain(value):
        global GAIN
        GAIN = value
    ```

    ```python good
    from numba import cuda

    @cuda.jit
    def amplify(x, gain):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= gain
    ```
    """

    meta = Meta("KL807", "stale-captured-global", Severity.WARNING, tags=("numba globals",))

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        for remark, related in remarks(facts, "stale-global"):
            told = "told" in remark.words
            yield self.finding(
                remark.span,
                f"{remark.words[0]} is a constant of the compiled kernel: what is assigned to it later does not arrive"
                + ", as is said there" * told,
                Severity.NOTE if told else None,
                related=related,
                fix=f"pass {remark.words[0]} as an argument",
            )
