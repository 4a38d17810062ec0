"""The rule ``contended-atomic``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kernlint.analysis.base import Facts
from kernlint.analysis.launching.agreement import agreement
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind
from kernlint.finding import Finding, Severity
from kernlint.rule import Meta, Rule
from kernlint.symbolic.terms import SymbolKind, Term, Uniformity, symbols
from kernlint.symbolic.uniformity import uniformity
from kernlint.tree.nodes import ExprStmt
from kernlint.tree.types import Space
from kernlint.tree.walk import functions_of, walk

COMBINING = frozenset({"add", "sub", "min", "max", "and", "or", "xor"})
"""Operations of which a block can combine many into one."""

INDICES = frozenset(
    {SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM, SymbolKind.COUNTER}
)
"""What the index of a thread's work is made of."""


@dataclass(frozen=True)
class Options:
    """``shared``: report atomics on shared memory too, where waiting is shorter."""

    shared: bool = False


class ContendedAtomic(Rule):
    """All threads of a block update one word atomically, one after the other.

    Updates of one address are done in turn. When every thread of a block makes one, most of the kernel's time may go
    by in that queue. Combine the values of the block first, with shuffles or in shared memory, and let one thread
    make the update.

    Silent where the result is used (each thread needs its own), where only some threads get there (a test that
    compares the thread's index with anything but a size), and for blocks of a single thread.

    ```cuda bad
    __global__ void sum(const float *x, float *total, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) atomicAdd(total, x[i]);  // expect: CTN101
    }
    ```

    ```opencl bad
    __kernel void largest(__global const int *x, __global int *best, int n) {
        for (int i = get_global_id(0); i < n; i += get_global_size(0))
            atomic_max(&best[get_group_id(0)], x[i]);  // expect: CTN101
    }
    ```

    ```cuda good
    __global__ void sum(const float *x, float *total, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        float part = i < n ? x[i] : 0.0f;
        for (int d = 16; d > 0; d /= 2) part += __shfl_down_sync(0xffffffff, part, d);
        if (threadIdx.x % 32 == 0) atomicAdd(total, part);
    }
    ```

    ```cuda good
    __global__ void keep_positive(const float *x, float *kept, int *count, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && x[i] > 0.0f) kept[atomicAdd(count, 1)] = x[i];
    }
    ```
    """

    meta = Meta("CTN101", "contended-atomic", Severity.WARNING, tags=("performance",), precision="medium")
    needs = (trace, agreement)
    Options = Options

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Findings for one variant of one kernel."""
        if facts[agreement].visible and all(block == (1, 1, 1) for block in facts[agreement].blocks):
            return
        # A statement of its own: nobody looks at the old value.
        unused = {
            id(node.expr)
            for function in functions_of(facts.kernel)
            for node in walk(function)
            if isinstance(node, ExprStmt)
        }
        spaces = {Space.GLOBAL, Space.SHARED} if self.options.shared else {Space.GLOBAL}
        for access in facts[trace].accesses:
            if (
                access.kind is AccessKind.ATOMIC
                and access.atomic_op in COMBINING
                and access.root.space in spaces
                and id(access.node) in unused
                and uniformity(access.offset) <= Uniformity.BLOCK
                and _whole_block(access)
            ):
                yield self.finding(
                    access.span,
                    f"every thread of a block updates the same word of {access.root.name}, one after the other",
                    fix="combine the values of the block first, and let one thread make the update",
                )


def _whole_block(access: Access) -> bool:
    """Whether nothing but sizes decides which threads get there."""
    return all(_agreed(part) or _bound(part) for guard in access.guards for part in _parts(guard.term))


def _parts(condition: Term) -> Iterator[Term]:
    if condition.op == "land":
        for part in condition.terms:
            yield from _parts(part)
    else:
        yield condition


def _agreed(term: Term) -> bool:
    return uniformity(term) <= Uniformity.BLOCK


def _bound(condition: Term) -> bool:
    """Whether a condition compares the index of a thread's work with a size: ``i < n``."""
    if condition.op not in ("lt", "le"):
        return False
    index, size = sorted(condition.terms, key=_agreed)
    return _agreed(size) and size.value is None and {symbol.kind for symbol in symbols(index)} <= INDICES
