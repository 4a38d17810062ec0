r"""The rule ``dynamically-indexed-private-array``."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Root, Trace
from kernlint.finding import Finding, Related, Severity
from kernlint.rule import Meta, Rule
from kernlint.symbolic.terms import SymbolKind, Term, symbols
from kernlint.tree.types import Space

SELECTED = 4
"""A read-only array of up to so many elements becomes selects, without memory (measured with nvcc 13, sm_75 to
sm_100); arrays that are larger or updated in place go to local memory."""

SMALL = 1024
"""From this many bytes on ``oversized-private-array`` speaks for the array."""

UNROLLED = 64
"""Iterations up to which a loop of constant trip count is taken to be unrolled in full."""


class DynamicallyIndexedPrivateArray(Rule):
    r"""A small private array that cannot live in registers because its subscript is not a constant.

    Registers have no addresses. A private array stays in registers only when every subscript is a constant once all
    loops of constant length are unrolled; a subscript that comes from data or from a loop of unknown length puts the
    whole array into local memory, which is as far away as global memory.

    A note: the kernel is right, only slower than it looks.

    ```cuda bad
    __global__ void histogram16(const int *keys, int *out, int n) {
        int bins[16];
        for (int b = 0; b < 16; ++b) bins[b] = 0;
        for (int k = 0; k < n; ++k) bins[keys[k] & 15]++;  // expect: KL303
        for (int b = 0; b < 16; ++b) out[blockIdx.x * 16 + b] = bins[b];
    }
    ```

    ```opencl bad
    __kernel void polynomial(__global const float *c, __global float *out, const int degree) {
        float powers[32];
        powers[0] = 1.0f;
        for (int k = 1; k < degree; ++k)
            powers[k] = powers[k - 1] * c[0];  // expect: KL303
        out[get_global_id(0)] = powers[degree - 1];
    }
    ```

    ```cuda good
    __global__ void stencil(const float *in, float *out) {
        float w[8];
        for (int k = 0; k < 8; ++k) w[k] = in[k];
        float sum = 0;
        for (int k = 0; k < 8; ++k) sum += w[k];
        out[threadIdx.x] = sum;
    }
    ```

    ```opencl good
    __kernel void pick(__global const int *codes, __global const int4 *rows, __global int *out, const int n) {
        for (int k = 0; k < n; ++k) {
            const int4 r = rows[k];
            const int next[4] = {r.x, r.y, r.z, r.w};
            out[k] = next[codes[k] & 3];
        }
    }
    ```
    """

    meta = Meta("KL303", "dynamically-indexed-private-array", Severity.NOTE, tags=("BPG local memory",))
    needs = (trace,)

    def check(self, facts: Facts) -> Iterator[Finding]:
        walked = facts[trace]
        for root in walked.arrays:
            if root.space is not Space.PRIVATE or not root.extent or root.extent >= SMALL:
                continue
            uses = [access for access in walked.accesses if access.root is root]
            dynamic = next((a for a in uses if a.loops and not _unrolls(a.offset, a)), None)
            if dynamic is None or _becomes_selects(root, walked):
                continue
            assert root.decl is not None
            yield self.finding(
                dynamic.span,
                f"{root.name} ({root.extent} bytes) is subscripted by a value known only at run time, so the whole "
                "array goes to local memory",
                related=[Related(root.decl.span, "declared here")],
                fix="subscript it by constants of unrolled loops, or keep it in shared memory",
            )


def _unrolls(offset: Term, access: Access) -> bool:
    """Whether the offset is a constant once the loops of constant length around it are unrolled."""
    for symbol in symbols(offset):
        if symbol.kind in (SymbolKind.TEMPLATE, SymbolKind.SIZEOF):
            continue
        if symbol.kind is not SymbolKind.COUNTER:
            return False
        loop = next((loop for loop in access.loops if loop.counter is symbol), None)
        if loop is None or loop.condition is None or not _short(loop.condition):
            return False
    return True


def _short(condition: Term) -> bool:
    """Whether a loop's condition bounds its counter by constants alone."""
    return all(
        symbol.kind in (SymbolKind.COUNTER, SymbolKind.TEMPLATE, SymbolKind.SIZEOF) for symbol in symbols(condition)
    )


def _becomes_selects(root: Root, walked: Trace) -> bool:
    """Whether the array is small and written once, element by element, before it is read."""
    size = root.element.size or 1
    if (root.extent or 0) > SELECTED * size:
        return False
    return all(symbols_free(a.offset) for a in walked.accesses if a.root is root and a.writes)


def symbols_free(term: Term) -> bool:
    """Whether a term is a constant."""
    return not symbols(term)
