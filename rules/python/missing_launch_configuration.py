r"""The rule ``missing-launch-configuration``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.remarks import remarks
from kernlint.finding import Finding, Severity
from kernlint.rule import Meta, ModuleRule


class MissingLaunchConfiguration(ModuleRule):
    r"""A kernel that is called like a function.

    A kernel has no launch of its own: ``kernel(x)`` raises ``ValueError`` ("Kernel launch configuration was not
    specified"). Grid and block stand in brackets before the arguments, both of them.

    ```python bad
    from numba import cuda

    @cuda.jit
    def negate(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = -x[i]

    def run(x):
        negate(x)  # expect: KL802
    ```

    ```python good
    from numba import cuda

    @cuda.jit
    def negate(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = -x[i]

    def run(x):
        negate[(x.size + 127) // 128, 128](x)
    ```
    """

    meta = Meta("KL802", "missing-launch-configuration", Severity.ERROR, tags=("numba kernel invocation",))

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        for remark, related in remarks(facts, "unconfigured"):
            yield self.finding(
                remark.span,
                f"the kernel {remark.kernel} is launched with one number: grid and block both have to be there"
                if remark.words
                else f"the kernel {remark.kernel} is called without a launch configuration",
                related=related,
                fix=f"{remark.kernel}[blocks, threads](...)",
            )
