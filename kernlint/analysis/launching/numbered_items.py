"""Blocks that the numbers of items speak for: ``block * 64 + thread < n`` counts the items of blocks of 64 threads.

Blocks of fewer threads would leave out items.  Nothing is said where a thread has more than one item of its block:
where a loop of the kernel goes on inside of it, or a place is far from the thread's own (``x[block * 512 + thread +
256]``).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.trace.events import Trace
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, THREAD, Symbol, SymbolKind, Term, symbols

NEAR = 4
"""Which part of a block's items a place next to a thread's own may be away at most."""

STEP = 8
"""What sides of blocks are multiples of."""

MOST = 1024
"""Threads of a block (CUDA C++ Programming Guide, technical specifications)."""


@lru_cache(maxsize=8)
def of_numbered_items(kernel: Trace) -> tuple[int, int, int] | None:
    """The block of a kernel by the numbers of its items; None where it does not number them, or not along each axis
    along which it tells threads apart."""
    terms = dict.fromkeys(_terms(kernel))
    used = {s for term in terms for s in symbols(term)}
    if any(s in used for s in BLOCK_DIM):
        return None  # any block will do
    sides = [1, 1, 1]
    for axis in (axis for axis in range(3) if THREAD[axis] in used):
        counts = {count for term in _tested(kernel) if (count := _items(term, axis)) is not None}
        if len(counts) != 1:
            return None
        (sides[axis],) = counts
        if sides[axis] % STEP or any(_goes_on(term, axis, sides[axis]) for term in terms):
            return None
    x, y, z = sides
    return (x, y, z) if 1 < x * y * z <= MOST else None


def _terms(kernel: Trace) -> Iterator[Term]:
    for access in kernel.accesses:
        yield access.offset
        for guard in access.guards:
            yield from (arg for part in conjuncts(guard.term) for arg in part.terms)


def _tested(kernel: Trace) -> Iterator[Term]:
    """What is compared with sizes that are passed, or with numbers."""
    for access in kernel.accesses:
        for guard in access.guards:
            for part in conjuncts(guard.term):
                if part.op in ("lt", "le") and not any(s.kind in _OWN for s in symbols(part.args[1])):
                    yield part.args[0]


_OWN = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.COUNTER, SymbolKind.LOAD, SymbolKind.UNKNOWN})


def _items(term: Term, axis: int) -> int | None:
    """Items of a block along an axis, where a number is that of an item, or of one next to it."""
    form = dict(polynomial(term).coefficients)
    form.pop((), None)
    count = form.pop((BLOCK[axis].term,), 0)
    return count if count > 1 and form == {(THREAD[axis].term,): 1} else None


def _goes_on(term: Term, axis: int, count: int) -> bool:
    """Whether a place is that of another item of the thread's block, and no neighbour of its own."""
    form = polynomial(term).coefficients
    unit = form.get((THREAD[axis].term,), 0)
    if unit <= 0 or form.get((BLOCK[axis].term,)) != count * unit:
        return False
    rounds = (abs(value) for mono, value in form.items() if any(s.kind is SymbolKind.COUNTER for s in _of(mono)))
    return count * unit > abs(form.get((), 0)) >= count * unit // NEAR or any(
        STEP * unit <= value < count * unit for value in rounds
    )


def _of(mono: tuple[Term, ...]) -> Iterator[Symbol]:
    return (symbol for atom in mono for symbol in symbols(atom))
