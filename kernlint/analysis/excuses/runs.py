"""Excuses by what a program does with a kernel: it never runs, or is there to be compiled."""

from __future__ import annotations

from kernlint.analysis.excuses.excuse import excuse
from kernlint.finding import Finding
from kernlint.source import Span
from kernlint.tree.nodes import Remark

_VALUES = ("KL201", "KL202", "KL204", "KL205", "KL504")
"""Rules of what can go wrong with values alone: races, and reads of what nobody has set."""
_AT_RUN_TIME = ("KL1", "KL2", "KL3", "KL4", "KL5")


def of_finding(finding: Finding) -> tuple[Span, ...]:
    """The place of a finding."""
    return (finding.span,)


@excuse("runs", of_finding)
def never_launched(finding: Finding, remark: Remark) -> bool:
    """The program only asks what was compiled of the kernel, and launches it nowhere: nothing goes wrong at run time.

    ```python excused
    from numba import cuda, float32, void

    def test_size():
        @cuda.jit(void(float32[::1]))
        def staged(x):
            part = cuda.shared.array(64, dtype=float32)
            x[cuda.threadIdx.x] = part[cuda.threadIdx.x]

        assert staged.get_shared_mem_per_block() == 256
    ```

    ```python still-bad
    from numba import cuda, float32, void

    def make():
        @cuda.jit(void(float32[::1]))
        def staged(x):
            part = cuda.shared.array(64, dtype=float32)
            x[cuda.threadIdx.x] = part[cuda.threadIdx.x]

        assert staged.get_shared_mem_per_block() == 256
        return staged
    ```
    """
    return remark.words == ("inspected",) and finding.code.startswith(_AT_RUN_TIME)


@excuse("runs", of_finding)
def only_compiled(finding: Finding, remark: Remark) -> bool:
    """The kernel works on shared memory that nothing in it fills, so that no value could be right, and all that it is
    passed is made for its launch and looked at by nobody: it is there to be compiled. A place beyond an array does
    harm all the same.

    ```python excused
    import numpy as np
    from numba import cuda, float32

    @cuda.jit
    def staged(x):
        part = cuda.shared.array(64, dtype=float32)
        x[cuda.threadIdx.x] = part[cuda.threadIdx.x]

    def test_launch():
        x = np.zeros(64, dtype=np.float32)
        staged[1, 64](x)
    ```

    ```python still-bad
    import numpy as np
    from numba import cuda, float32

    @cuda.jit
    def staged(x):
        part = cuda.shared.array(64, dtype=float32)
        x[cuda.threadIdx.x] = part[cuda.threadIdx.x]

    def test_launch():
        x = np.zeros(64, dtype=np.float32)
        staged[1, 64](x)
        return x
    ```
    """
    return remark.words == ("unread",) and finding.code.startswith(_VALUES)


ALL = (never_launched, only_compiled)
