"""Rows that data choose: where the next one begins, and what the length of one says of the alignment of all.

A counter that threads add 1 to hands out every number, and what an index array names may be any: of rows that are no
multiple of a vector long, some are misaligned.  Where the length is a power of two elements, or the place is counted in
single elements, the numbers may be meant to be even.
"""

from __future__ import annotations

from kernlint.analysis.trace.events import Access
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, subterms, symbols
from kernlint.tree.nodes import Atomic, Cast, Expr, IntLit
from kernlint.tree.types import Space


def odd_row(access: Access, align: int) -> int | None:
    """The length in bytes of rows in global memory that are no multiple of ``align``, where a number that takes every
    value says which row an access is in, and nothing else in its place is uneven."""
    uneven = [(mono, value) for mono, value in polynomial(access.offset).coefficients.items() if value % align]
    size = access.root.element.size
    if access.root.space is not Space.GLOBAL or len(uneven) != 1 or not size:
        return None
    ((mono, length),) = uneven
    row = mono[0].symbol if len(mono) == 1 else None
    if row is None or length <= 0 or any(_asked_for_parts(guard.term, row) for guard in access.guards):
        return None
    if row.kind is SymbolKind.UNKNOWN:
        return length if _counted_singly(row) else None
    data = row.kind is SymbolKind.LOAD and isinstance(row.origin, tuple)
    elements, rest = divmod(length, size)
    return length if data and not rest and elements & (elements - 1) else None


def _counted_singly(slot: Symbol) -> bool:
    """Whether a value is what a counter has given to which each thread adds 1."""
    origin = slot.origin
    if not isinstance(origin, Atomic):
        return False
    by: Expr | None = origin.operands[0] if origin.operands else None
    while isinstance(by, Cast):
        by = by.operand
    return origin.op == "inc" or (origin.op == "add" and isinstance(by, IntLit) and by.value == 1)


def _asked_for_parts(test: Term, row: Symbol) -> bool:
    """Whether a test is about the remainder of a row's number."""
    return any(part.op in ("mod", "and") and row in symbols(part) for part in subterms(test))


def chosen_starts(access: Access, align: int) -> tuple[int, int] | None:
    """Two distances in bytes of which data choose one, neither a multiple of ``align``, where nothing can make up for
    both: ``at + (tag & 1 ? 1 : 4)``.  None where what chooses is a part of the rest of the place too, which may be
    uneven as it takes."""
    whole = polynomial(access.offset)
    for mono, value in whole.coefficients.items():
        choice = mono[0] if len(mono) == 1 else None
        while choice is not None and choice.op == "cast":
            choice = choice.args[0]
        if choice is None or choice.op != "select":
            continue
        one, other = (arg.value for arg in choice.args[1:])
        if one is None or other is None:
            continue
        one, other = one * value, other * value
        fixed = whole.coefficients.get((), 0)
        if not (one - other) % align or not (fixed + one) % align or not (fixed + other) % align:
            continue
        by = set(symbols(choice.args[0]))
        rest = {symbol for atoms in whole.coefficients if atoms != mono for atom in atoms for symbol in symbols(atom)}
        if by and by.isdisjoint(rest) and all(symbol.kind is SymbolKind.LOAD for symbol in by):
            return fixed + one, fixed + other
    return None


def ends_at_next(access: Access, start: Symbol) -> bool:
    """Whether an access is made up to another value of the array that ``start`` comes from."""
    todo = [loop.condition for loop in access.loops if loop.condition is not None]
    todo += [guard.term for guard in access.guards]
    seen: set[Symbol] = set()
    while todo:
        for symbol in symbols(todo.pop()):
            if symbol in seen:
                continue
            seen.add(symbol)
            data = symbol is not start and symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple)
            if data and symbol.origin[0] is start.origin[0]:
                return True
            todo += [term for term in (symbol.init,) if term is not None]
            if symbol.kind in (SymbolKind.EXIT, SymbolKind.TRIPS) and symbol.origin is not None:
                condition = getattr(symbol.origin, "condition", None)
                todo += [condition] if condition is not None else []
    return False
