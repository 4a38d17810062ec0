"""Excuses by what a word says: one that is only ever raised."""

from __future__ import annotations

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.excuses.excuse import excuse
from kernlint.analysis.excuses.places import of_accesses
from kernlint.analysis.trace.events import Access, AccessKind, Trace
from kernlint.symbolic.terms import SymbolKind, Term, Uniformity, symbols


@excuse("races", of_accesses)
def raised_flag(pair: tuple[Access, Access], of: Trace) -> bool:
    """One word for the whole grid is only ever set to one number, and looked at before by those who may as well go on:
    who comes late, or sees it late, does work that is thrown away.  Not where somebody waits for it, takes its value
    over, sets it without a look, does something because it is set, or something more after having set it.

    ```cuda excused
    __global__ void check(const float *x, int *failed, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n || *failed > 0) return;
        if (x[i] < 0.0f) *failed = 1;
    }
    void run(const float *x, int *failed, int n) {
        check<<<(n + 63) / 64, 64>>>(x, failed, n);
    }
    ```

    ```cuda still-bad
    __global__ void check(const float *x, float *first, int *failed, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n || *failed > 0) return;
        if (x[i] < 0.0f) {
            *failed = 1;
            *first = x[i];
        }
    }
    void run(const float *x, float *first, int *failed, int n) {
        check<<<(n + 63) / 64, 64>>>(x, first, failed, n);
    }
    ```
    """
    if AccessKind.READ not in {access.kind for access in pair}:
        return False
    root = pair[0].root
    uses = [access for access in of.accesses if access.root is root]
    writes = [access for access in uses if access.kind is AccessKind.WRITE]
    if any(access.kind not in (AccessKind.WRITE, AccessKind.READ) or not _one_word(access) for access in uses):
        return False
    reads = [access for access in uses if access.kind is AccessKind.READ]
    if any(read.loops or any(read.order > write.order for write in writes) for read in reads):
        return False
    numbers = {access.value.value if access.value is not None else None for access in writes}
    if len(numbers) != 1 or None in numbers:
        return False
    asked = [_conditions(access, root) for access in writes]
    if not all(asked) or any(len(set(symbols(part))) > 1 for parts in asked for part in parts):
        return False  # it is set by who has not asked for it, or compared with something of each thread's own
    others = [_conditions(access, root) for access in of.accesses if access.writes and access.root is not root]
    if any(found and found != asked[0] for found in (*asked, *others)):
        return False  # something is done because it has been raised
    return not any(
        _rests_on(access, root) or any(_goes_on(access, write) for write in writes) for access in of.accesses
    )


def _conditions(access: Access, root: object) -> frozenset[Term]:
    """The conditions of an access that speak of what the object holds."""
    parts = (part for guard in access.guards for part in conjuncts(guard.term))
    return frozenset(
        part for part in parts if any(s.kind is SymbolKind.LOAD and s.origin[0] is root for s in symbols(part))
    )


def _one_word(access: Access) -> bool:
    return all(symbol.uniformity is Uniformity.GRID for symbol in symbols(access.offset))


def _rests_on(access: Access, root: object) -> bool:
    """Whether the place of an access, or what it writes, comes from the object."""
    terms = [access.offset] if access.value is None else [access.offset, access.value]
    return any(s.kind is SymbolKind.LOAD and s.origin[0] is root for term in terms for s in symbols(term))


def _goes_on(access: Access, write: Access) -> bool:
    """Whether something is written, elsewhere, by who has come by the ``write``."""
    if access.root is write.root or not access.writes or access.order < write.order:
        return False
    reached = [guard.term for guard in access.guards]
    return all(guard.term in reached for guard in write.guards)
