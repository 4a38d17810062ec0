"""Offsets of copies, which are in bytes, given in elements.

``cudaMemcpyToSymbol`` and the functions of OpenCL take an offset beside the symbol or buffer (CUDA runtime API, memory
management; OpenCL 3.0 API, 5.2).  That it counts elements is told by the other side, where a pointer is moved by as
many elements, and by the pieces that a loop copies, which lie as many bytes apart as each has elements.
"""

from __future__ import annotations

from kernlint.analysis.hostmodel.operations import Copy, widths
from kernlint.analysis.hostmodel.places import as_pointer
from kernlint.analysis.hostmodel.written import by_size
from kernlint.analysis.trace.values import as_term
from kernlint.apis import Moves, api_of
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import SymbolKind, cast
from kernlint.tree.types import I64


def offset_of_elements(one: Copy) -> int:
    """The bytes of the elements that an offset counts; 0 where none does."""
    event = one.event
    moves = api_of(event.name, event.receiver is not None)
    if not isinstance(moves, Moves):
        return 0
    given = (event.receiver, *event.args) if event.receiver is not None else event.args
    nodes = (event.node.receiver, *event.node.args) if event.receiver is not None else event.node.args
    for at, other in ((moves.target_offset, one.source), (moves.source_offset, one.target)):
        node, value = (nodes[at], given[at]) if at is not None and at < min(len(nodes), len(given)) else (None, None)
        if node is None or value is None or by_size(node):
            continue
        offset = polynomial(cast(as_term(value), I64))
        if not any(offset.coefficients):
            continue
        pointer = as_pointer(other)
        beside, size = polynomial(pointer.offset) if pointer is not None else None, polynomial(one.size)
        for width in sorted(widths(one) - {1}):
            if beside == offset.scaled(width) or _one_after_the_other(offset, size, width):
                return width
    return 0


def _one_after_the_other(offset: Polynomial, size: Polynomial, width: int) -> bool:
    """Whether the pieces that a loop copies are ``width`` times as long as they lie apart."""
    for mono, value in offset.coefficients.items():
        moving = [a for a in mono if a.symbol is not None and a.symbol.kind in (SymbolKind.COUNTER, SymbolKind.PHI)]
        if len(moving) == 1:
            rest = list(mono)
            rest.remove(moving[0])
            if Polynomial({tuple(rest): value}).scaled(width) == size:
                return True
    return False
