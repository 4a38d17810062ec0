"""Excuses by elements that say where runs of data begin, which lie back to back: one more says where the last ends."""

from __future__ import annotations

from collections.abc import Iterable

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.excuses.excuse import excuse
from kernlint.analysis.excuses.places import of_access
from kernlint.analysis.trace.events import Access, GuardKind
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Term, plain, subterms


@excuse("bounds", of_access)
def begins_of_runs(access: Access, found: Iterable[Access]) -> bool:
    """What is read past the last element has another element of its array taken from it, or ends a loop that begins at
    one.

    ```cuda excused
    __global__ void lengths(const int *starts, int *out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = starts[min(i + 256, n)] - starts[i];
    }
    ```

    ```cuda still-bad
    __global__ void falls(const int *keys, int *out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = keys[min(i + 256, n)] < keys[i];
    }
    ```
    """
    for other in found:
        for term in (other.offset, other.value, *(guard.term for guard in other.guards)):
            for part in subterms(term) if term is not None else ():
                if part.op == "sub" and _loads(part.args[0], access) and _loads(part.args[1], access, other=True):
                    return True
    return ends_a_run(access, found)


def ends_a_run(access: Access, found: Iterable[Access]) -> bool:
    """Whether what an access reads ends a loop that begins at another element of its array."""
    for other in found:
        loops = {guard.term: guard.loop for guard in other.guards if guard.kind is GuardKind.LOOP}
        for term, loop in loops.items():
            for part in conjuncts(term) if loop is not None else ():
                left, end = part.args if part.op == "lt" else (part, part)
                begin = polynomial(left) - polynomial(loop.counter.term) if loop is not None else polynomial(left)
                if _loads(end, access) and any(_loads(atom, access, other=True) for atom in begin.atoms):
                    return True
    return False


def _loads(term: Term, access: Access, other: bool = False) -> bool:
    """Whether a number is what an access reads, or something ``other`` of the same array."""
    symbol = plain(term).symbol
    origin = symbol.origin if symbol is not None else None
    if not isinstance(origin, tuple) or origin[0] is not access.root:
        return False
    return bool((origin[1] != access.offset) is other)
