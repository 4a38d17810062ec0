r"""The rule ``aliased-restrict-arguments``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from math import gcd

from kernlint.analysis.base import Facts
from kernlint.analysis.extent.in_place import FEW, kept_apart, meeting
from kernlint.analysis.extent.places import Places, places
from kernlint.analysis.extent.windows import in_common
from kernlint.analysis.hostmodel.places import pointed_to
from kernlint.analysis.launching.launch_context import LaunchView, launch_context
from kernlint.analysis.launching.launches import LaunchFact, launches
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Root, RootKind
from kernlint.analysis.trace.values import PointerValue, Value
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import SymbolKind, Term, symbols
from kernlint.tree.nodes import ParamDecl, Ref, VarDecl
from kernlint.tree.types import PointerType, Space
from kernlint.tree.walk import strip_casts


class AliasedRestrictArguments(Rule):
    r'''One pointer is passed for two parameters that are said not to overlap.

    `__restrict__` promises that what is written through one parameter is touched through no other; loads may then go
    through the read-only cache or be moved past the stores. Reported where a launch in sight passes the same pointer
    for two such parameters, of which the kernel writes one and touches the other. An error where other elements are
    read than are written, a warning where each thread keeps to one place, and a note where it does and has read that
    before it writes it: no copy of the value can be old then. Without that promise too it is a warning
    where a thread reads, through the one, elements a fixed way off those that it writes through the other: which of
    them have been written by then depends on the order of the threads. Two parts of one buffer are as bad where they
    have elements in common, whatever sizes the launch is tried with.

    ```cuda bad
    __global__ void shift(const int *from, int *to, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i + 1 < n) to[i] = from[i + 1];
    }
    void run(int *x, int n) { shift<<<(n + 255) / 256, 256>>>(x, x, n); }  // expect: KL620
    ```

    ```python bad
    import numpy as np
    import pyopencl as cl

    SOURCE = """
    __kernel void shift(__global const float *restrict from, __global float *restrict to, const int n) {
        const int i = get_global_id(0);
        if (i + 1 < n) to[i] = from[i + 1];
    }
    """

    def run(context, queue, x, n):
        kernel = cl.Kernel(cl.Program(context, SOURCE).build(), "shift")
        buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
        kernel(queue, (n,), None, buffer, buffer, np.int32(n))  # expect: KL620
        return buffer
    ```

    ```cuda good
    __global__ void fold(const int *from, int *to, int half) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < half) {
            const int sum = from[i] + from[i + half];
            to[i + half] = from[i] - from[i + half];
            to[i] = sum;
        }
    }
    void run(int *x, int half) { fold<<<(half + 255) / 256, 256>>>(x, x, half); }
    ```

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
        if (i < n) {
            to[i] = 0.0f;
            to[i] += 2.0f * from[i];
        }
    }
    void run(int n) {
        float *x;
        if (hipMalloc(&x, n * sizeof(float)) != hipSuccess) return;
        scale<<<(n + 255) / 256, 256>>>(x, x, n);  // expect: KL620
        hipFree(x);
    }
    ```

    ```cuda bad
    __global__ void move(const float *__restrict__ from, float *__restrict__ to, int n, int rows) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        for (int row = 0; row < rows; ++row) to[row * n + i] = from[row * n + i];
    }
    void forget_first(float *line, int n) {
        move<<<(n + 255) / 256, 256>>>(line + n, line, n, 7);  // expect: KL620
    }
    void forget_half(float *line, int n) {
        move<<<(n + 255) / 256, 256>>>(line + 4 * n, line, n, 4);
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
    '''

    meta = Meta("KL620", "aliased-restrict-arguments", Severity.ERROR, tags=("CUDA-3.5",))
    needs = (trace, launches, launch_context, places)

    def check(self, facts: Facts) -> Iterator[Finding]:
        pointers = [p for p in facts.function.params if isinstance(p.type, PointerType)]
        used = {p: [a for a in facts[trace].accesses if a.root.decl is p and not a.root.path] for p in pointers}
        for one, other in combinations(pointers, 2):
            touched = [*used[one], *used[other]]
            if not used[one] or not used[other] or not any(access.writes for access in touched):
                continue
            promised = all(isinstance(p.type, PointerType) and p.type.restrict for p in (one, other))
            launch = next((at for at in facts[launches] if _alike(at, one, other)), None)
            if launch is None:
                if promised:
                    yield from self._windows(facts, one, other, used)
                continue
            view = next((at for at in facts[launch_context].launches if at.fact is launch), None)
            found = facts[places]
            if (
                promised
                or _interfere(view, used[one], used[other], found)
                or _interfere(view, used[other], used[one], found)
            ):
                yield self._found(launch, one, other, touched, promised)

    def _windows(
        self, facts: Facts, one: ParamDecl, other: ParamDecl, used: Mapping[ParamDecl, list[Access]]
    ) -> Iterator[Finding]:
        """Two parts of one buffer that have elements in common."""
        for view in facts[launch_context].launches:
            first, second = (_place(view.fact.argument(each.name)) for each in (one, other))
            if first is None or second is None or first[0] is not second[0]:
                continue
            if in_common(view, used[one], used[other], first[1], second[1]):
                written = next(access for access in (*used[one], *used[other]) if access.writes)
                yield self.finding(
                    view.fact.span,
                    f"{one.name} and {other.name} are __restrict__, and get parts of one buffer that have elements in "
                    "common, of which some are written",
                    severity=Severity.WARNING,
                    related=[Related(written.span, "written here")],
                    fix="write to another buffer, or take __restrict__ away from both",
                )
                return

    def _found(
        self, launch: LaunchFact, one: VarDecl, other: VarDecl, touched: list[Access], promised: bool
    ) -> Finding:
        written = next(access for access in touched if access.writes)
        called = [Related(at, "called here") for at in launch.stack[:-3:-1]]
        apart = any(access.offset != written.offset for access in touched)
        if not promised:
            return self.finding(
                launch.span,
                f"the same pointer is passed for {one.name} and {other.name}, and other elements are read than written",
                severity=Severity.WARNING,
                related=[Related(written.span, "written here")],
                fix="pass two buffers",
            )
        return self.finding(
            launch.span,
            f"the same pointer is passed for {one.name} and {other.name}, which are __restrict__, and written",
            severity=Severity.ERROR if apart else Severity.NOTE if _read_before(touched) else Severity.WARNING,
            related=[Related(written.span, "written here"), *called],
            fix="pass two buffers, or take __restrict__ away from both",
        )


def _read_before(touched: list[Access]) -> bool:
    """Whether a thread has read all that it reads of its place before it writes it, once."""
    first = min(access.order for access in touched if access.writes)
    return all(not access.loops and (access.kind is AccessKind.WRITE or access.order < first) for access in touched)


def _interfere(view: LaunchView | None, used: list[Access], others: list[Access], found: Places) -> bool:
    """Whether threads read through the first pointer what others write through the second."""
    reads = [access for access in used if not access.writes]
    writes = [access for access in others if access.writes]
    if view is not None and reads and writes:
        if meeting(view, reads, writes, found) is not None:
            return True
        if len(reads) * len(writes) <= FEW and kept_apart(view, reads, writes, found):
            return False
    return _neighbours(used, others)


def _neighbours(reads: list[Access], writes: list[Access]) -> bool:
    """Whether elements are read a way off all that the same thread writes, as far for every thread."""
    written = [polynomial(access.offset) for access in writes if access.writes and access.root.space is Space.GLOBAL]
    own = [place for place in written if _of_thread(place)]
    if not own or len(own) < len(written):
        return False
    for access in reads:
        place = polynomial(access.offset)
        if access.writes or not _of_thread(place):
            continue
        apart = [place - one for one in own]
        if all(way.coefficients and all(_fixed(atom) for atom in way.atoms) for way in apart) and not all(
            _in_own(way, one, access.size) for way, one in zip(apart, own, strict=True)
        ):
            return True
    return False


def _in_own(way: Polynomial, own: Polynomial, size: int | None) -> bool:
    """Whether what lies ``way`` off a place is in the gap up to the next place of any thread, or in the same element:
    another member of it."""
    off = way.constant
    step = gcd(*(by for mono, by in own.coefficients.items() if any(map(_moved, mono))))
    return off is not None and abs(off) < step and size is not None and (off % step) + size <= step


def _moved(atom: Term) -> bool:
    return any(symbol.kind in _INDEX for symbol in symbols(atom))


def _of_thread(place: Polynomial) -> bool:
    return any(map(_moved, place.atoms))


def _fixed(atom: Term) -> bool:
    return all(symbol.kind in (SymbolKind.PARAM, SymbolKind.TEMPLATE, SymbolKind.COUNTER) for symbol in symbols(atom))


_INDEX = (SymbolKind.THREAD, SymbolKind.BLOCK)


def _alike(launch: LaunchFact, one: ParamDecl, other: ParamDecl) -> bool:
    """Whether one pointer is passed for both: the same object and offset, or the same variable by its name."""
    first, second = launch.argument(one.name), launch.argument(other.name)
    if _place(first) is not None:
        return _place(first) == _place(second)
    args = launch.node.args if launch.node.api == "<<<>>>" else ()
    named = [strip_casts(args[at.index]) for at in (one, other) if 0 <= at.index < len(args)]
    decls = {arg.decl for arg in named if isinstance(arg, Ref) and isinstance(arg.decl.type, PointerType)}
    return len(named) == 2 and all(isinstance(arg, Ref) for arg in named) and len(decls) == 1


def _place(value: Value | None) -> tuple[Root, Term] | None:
    """The object and the offset in it that a pointer is sure to have; None where that is not known."""
    if not isinstance(value, PointerValue):
        return None
    roots = pointed_to(value)
    if len(roots) != 1 or roots[0].kind is RootKind.UNKNOWN or value.root is not roots[0]:
        return None
    return roots[0], value.offset
