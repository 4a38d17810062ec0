r"""The rule ``implicit-array-copy``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import ModuleFacts
from kernlint.analysis.remarks import remarks
from kernlint.finding import Finding, Severity
from kernlint.rule import Meta, ModuleRule


class ImplicitArrayCopy(ModuleRule):
    r"""Host arrays that are copied to the GPU and back for every launch of a loop.

    A NumPy array that is passed to a numba kernel is copied to the device before the launch, and copied back when the
    kernel has finished, whether it was changed or not: numba "can only do so conservatively by always transferring
    device memory back to the host". Each launch also waits for its copies. ``cuda.to_device`` once before the loop,
    and ``copy_to_host`` once behind it, do the same work with two copies.

    Reported where the array is made by NumPy before the loop, and the loop does nothing with it but pass it.

    ```python bad
    import numpy as np
    from numba import cuda

    @cuda.jit
    def step(u, f):
        i = cuda.grid(1)
        if i < u.size:
            u[i] = 0.5 * (u[i] + f[i])

    def solve(n):
        u = np.zeros(n)
        f = np.ones(n)
        for _ in range(100):
            step[(n + 127) // 128, 128](u, f)  # expect: KL801
        return u
    ```

    ```python good
    import numpy as np
    from numba import cuda

    @cuda.jit
    def step(u, f):
        i = cuda.grid(1)
        if i < u.size:
            u[i] = 0.5 * (u[i] + f[i])

    def solve(n):
        u = cuda.to_device(np.zeros(n))
        f = cuda.to_device(np.ones(n))
        for _ in range(100):
            step[(n + 127) // 128, 128](u, f)
        return u.copy_to_host()
    ```
    """

    meta = Meta("KL801", "implicit-array-copy", Severity.WARNING, tags=("numba NumbaPerformanceWarning",))

    def check_module(self, facts: ModuleFacts) -> Iterator[Finding]:
        for remark, related in remarks(facts, "copied-in-loop"):
            names = " and ".join(remark.words)
            what = "is an array" if len(remark.words) == 1 else "are arrays"
            yield self.finding(
                remark.span,
                f"{names} {what} of the host: copied to the device and back for every launch of the loop",
                related=related,
                fix="cuda.to_device() before the loop, copy_to_host() behind it",
            )
