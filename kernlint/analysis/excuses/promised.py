"""Excuses by what the author of a kernel promises in comments (see :mod:`kernlint.policy.promises`)."""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.base import Stated
from kernlint.analysis.excuses.excuse import excuse
from kernlint.analysis.excuses.places import of_access
from kernlint.analysis.trace.events import Access
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import SymbolKind, Term, Uniformity, symbols
from kernlint.tree.types import IntType, Space


@excuse("races", of_access)
def said_to_differ(access: Access, promised: Sequence[Stated]) -> bool:
    """A comment at the kernel says that no element occurs twice in the index array.

    It is said of what is in memory: not of what is left of it after a division or a mask; and who counts how often an
    element occurs does not mean it.

    ```cuda excused
    // The indices of one batch are distinct.
    __global__ void add_rows(const int *index, const float *by, float *x, int n, int rows) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && index[i] < rows) x[index[i]] += by[i];
    }
    ```

    ```cuda still-bad
    // The indices of one batch need not be distinct.
    __global__ void add_rows(const int *index, const float *by, float *x, int n, int rows) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n && index[i] < rows) x[index[i]] += by[i];
    }
    ```

    ```cuda still-bad
    // The keys of one batch are distinct.
    __global__ void add_rows(const int *key, const float *by, float *x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[key[i] / 16] += by[i];
    }
    ```
    """
    if not promised or access.root.space is not Space.GLOBAL or _counts(access):
        return False
    atoms = [atom for mono in polynomial(access.offset).coefficients for atom in mono]
    data = [atom for atom in atoms if any(_varies(atom))]
    return bool(data) and all(_as_it_is(atom) for atom in data)


@excuse("bounds", of_access)
def memory_behind(access: Access, said: bool) -> bool:
    """A comment says that there is memory behind the last element of an array, which a vector may cross into.

    ``said``: of this array, by name or with all that are read or written (:mod:`kernlint.policy.spare`).

    ```opencl excused
    // Input buffers are allocated with 4 floats after their last element.
    __kernel void halve(__global const float *in, __global float *out, int n) {
        int i = 4 * get_global_id(0);
        if (i >= n) return;
        float4 v = 0.5f * vload4(0, in + i);
        out[i / 4] = v.x + v.y + v.z + v.w;
    }
    ```

    ```opencl still-bad
    // Input buffers are allocated with 4 floats after their last element.
    __kernel void halve(__global const float *in, __global float *out, int n) {
        int i = 4 * get_global_id(0);
        if (i >= n) return;
        vstore4((float4)(in[i / 4]), 0, out + i);
    }
    ```
    """
    return said


def _counts(access: Access) -> bool:
    """Whether nothing goes into the element but what it held."""
    loads = [s for s in symbols(access.value) if s.kind is SymbolKind.LOAD] if access.value is not None else []
    return bool(loads) and all(symbol.origin == (access.root, access.offset) for symbol in loads)


def _varies(term: Term) -> list[bool]:
    return [s.kind is SymbolKind.LOAD and s.uniformity > Uniformity.GRID for s in symbols(term)]


def _as_it_is(term: Term) -> bool:
    """Whether a term is a whole number from memory, converted or not."""
    while term.op == "cast":
        term = term.args[0]
    return term.symbol is not None and isinstance(term.type, IntType)
