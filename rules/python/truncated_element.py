r"""The rule ``truncated-element``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.remarks import remarks
from kernlint.finding import Finding, Severity
from kernlint.rule import Meta, ModuleRule


class TruncatedElement(ModuleRule):
    r"""A float that is stored in a shared or local array of integers.

    What is stored is converted to the type that the array was made with: behind the point everything is lost, without
    a word. Reported where the array's type is written in the kernel and the value is a float whatever is passed: by a
    signature, by what a launch in sight passes, or by a division. ``int(...)`` says that it is meant.

    ```python bad
    from numba import cuda, int32

    @cuda.jit("void(float32[:], float32[:])")
    def turn(x, y):
        part = cuda.shared.array(64, int32)
        t = cuda.threadIdx.x
        part[t] = x[t]  # expect: KL812
        cuda.syncthreads()
        y[t] = part[63 - t]
    ```

    ```python good
    from numba import cuda, float32

    @cuda.jit("void(float32[:], float32[:])")
    def turn(x, y):
        part = cuda.shared.array(64, float32)
        t = cuda.threadIdx.x
        part[t] = x[t]
        cuda.syncthreads()
        y[t] = part[63 - t]
    ```
    """

    meta = Meta("KL812", "truncated-element", Severity.WARNING, tags=("numba memory management",))

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        for remark, related in remarks(facts, "truncated-element"):
            name, space = remark.words
            yield self.finding(
                remark.span,
                f"a float is stored in {name}, a {space} array of integers: what is behind the point is lost",
                related=related,
                fix="make the array of floats, or convert with int() where that is meant",
            )
