r"""The rule ``aliased-restrict-arguments``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from kernlint.analysis.base import Facts
from kernlint.analysis.hostmodel.places import pointed_to
from kernlint.analysis.launching.launches import LaunchFact, launches
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, RootKind
from kernlint.analysis.trace.values import PointerValue, Value
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.tree.nodes import VarDecl
from kernlint.tree.types import PointerType


class AliasedRestrictArguments(Rule):
    r"""One pointer is passed for two parameters that are said not to overlap.

    `__restrict__` promises that what is written through one parameter is touched through no other; loads may then go
    through the read-only cache or be moved past the stores. Reported where a launch in sight passes the same pointer
    for two such parameters, of which the kernel writes one and touches the other. An error where other elements are
    read than are written, a warning where each thread keeps to one place.

    ```cuda bad
    __global__ void smooth(const float *__restrict__ from, float *__restrict__ to, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i > 0 && i < n) to[i] = 0.5f * (from[i] + from[i - 1]);
    }
    void run(float *x, int n) {
        smooth<<<(n + 255) / 256, 256>>>(x, x, n);  // expect: KL620
    }
    ```

    ```hip bad
    #include <hip/hip_runtime.h>
    __global__ void scale(const float *__restrict__ from, float *__restrict__ to, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) to[i] = 2.0f * from[i];
    }
    void run(int n) {
        float *x;
        if (hipMalloc(&x, n * sizeof(float)) != hipSuccess) return;
        scale<<<(n + 255) / 256, 256>>>(x, x, n);  // expect: KL620
        hipFree(x);
    }
    ```

    ```cuda good
    __global__ void smooth(const float *__restrict__ from, float *__restrict__ to, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i > 0 && i < n) to[i] = 0.5f * (from[i] + from[i - 1]);
    }
    void run(float *x, float *y, int n) {
        smooth<<<(n + 255) / 256, 256>>>(x, y, n);
        smooth<<<(n + 255) / 256, 256>>>(y, x, n);
    }
    ```

    ```hip good
    #include <hip/hip_runtime.h>
    __global__ void dot(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ to, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) to[i] = a[i] * b[i];
    }
    void run(float *x, float *y, int n) { dot<<<(n + 255) / 256, 256>>>(x, x, y, n); }
    ```
    """

    meta = Meta("KL620", "aliased-restrict-arguments", Severity.ERROR, tags=("CUDA-3.5",))
    needs = (trace, launches)

    def check(self, facts: Facts) -> Iterator[Finding]:
        promised = [p for p in facts.function.params if isinstance(p.type, PointerType) and p.type.restrict]
        used = {p: [a for a in facts[trace].accesses if a.root.decl is p and not a.root.path] for p in promised}
        for one, other in combinations(promised, 2):
            touched = [*used[one], *used[other]]
            if not used[one] or not used[other] or not any(access.writes for access in touched):
                continue
            launch = next((at for at in facts[launches] if _alike(at, one, other)), None)
            if launch is not None:
                yield self._found(launch, one, other, touched)

    def _found(self, launch: LaunchFact, one: VarDecl, other: VarDecl, touched: list[Access]) -> Finding:
        written = next(access for access in touched if access.writes)
        apart = any(access.offset != written.offset for access in touched)
        return self.finding(
            launch.span,
            f"the same pointer is passed for {one.name} and {other.name}, which are __restrict__, and written",
            severity=Severity.ERROR if apart else Severity.WARNING,
            related=[Related(written.span, "written here")],
            fix="pass two buffers, or take __restrict__ away from both",
        )


def _alike(launch: LaunchFact, one: VarDecl, other: VarDecl) -> bool:
    first, second = launch.argument(one.name), launch.argument(other.name)
    return _place(first) is not None and _place(first) == _place(second)


def _place(value: Value | None) -> object:
    """The object and the offset in it that a pointer is sure to have; None where that is not known."""
    if not isinstance(value, PointerValue):
        return None
    roots = pointed_to(value)
    if len(roots) != 1 or roots[0].kind is RootKind.UNKNOWN or value.root is not roots[0]:
        return None
    return roots[0], value.offset
