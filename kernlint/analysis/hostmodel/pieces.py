"""Pieces of memory that are told apart by the number of their elements, and copied by that number of bytes; and
numbers of which not all bytes are copied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.analysis.hostmodel.operations import Copy, Fill, counted, widths
from kernlint.analysis.hostmodel.places import as_pointer
from kernlint.analysis.hostmodel.sizes import piece_of_elements, rows_of_elements
from kernlint.analysis.hostmodel.written import in_bytes
from kernlint.analysis.trace.values import Value
from kernlint.apis import Moves, api_of
from kernlint.tree.nodes import AddressOf, Binary, Cast, Expr, Member, Ref, Subscript
from kernlint.tree.types import FloatType, IntType, PointerType, Type
from kernlint.tree.walk import strip_casts


def element_apart(one: Copy | Fill, values: Iterable[Value]) -> int:
    """The bytes of an element where the pieces of a loop, or rows, lie so many times further apart than they are long;
    0 where they do not."""
    for pointer in (as_pointer(value) for value in values if not in_bytes(one)):
        if pointer is not None:
            known = widths(one)
            element = piece_of_elements(one.size, pointer.offset, known)
            element = element or rows_of_elements(one.size, pointer.offset, known)
            if element:
                return element
    return 0


def piece_by_name(one: Copy) -> int:
    """The bytes of an element where a copy of ``n`` bytes begins at the element ``i * n`` of what has larger elements,
    ``n`` being one variable or constant by its name; 0 where it does not."""
    size = counted(one)
    name = _named(size) if size is not None else None
    if name is None:
        return 0
    for arg in one.event.node.args:
        for element, step in _steps(strip_casts(arg)):
            width = element.size if isinstance(element, (IntType, FloatType)) else None
            factors = list(_factors(step))
            if width is not None and width > 1 and len(factors) > 1 and any(_named(f) == name for f in factors):
                return width
    return 0


def part_of_number(one: Copy) -> int:
    """The bytes of a number, where a copy from one of that size to another moves fewer; 0 where it does not.  A pointer
    that is cast says that another number is meant."""
    size, moves = one.size.value, api_of(one.event.name)
    if not size or not isinstance(moves, Moves) or one.event.receiver is not None:
        return 0
    args = one.event.node.args
    ends = [moves.symbol if at is None else at for at in (moves.target, moves.source)]
    if any(at is None or at >= len(args) for at in ends):
        return 0
    widths_ = {_width(args[at], at == moves.symbol) for at in ends if at is not None}
    width = widths_.pop()
    return width if not widths_ and size < width else 0


def _width(end: Expr, symbol: bool) -> int:
    """The bytes of the number that one end of a copy is, or begins with; 0 where it is none."""
    while isinstance(end, Cast) and not end.explicit:
        end = end.operand
    led = end.type.pointee if isinstance(end.type, PointerType) else end.type if symbol else None
    return (led.size or 0) if isinstance(led, (IntType, FloatType)) else 0


def _steps(expr: Expr) -> Iterator[tuple[Type, Expr]]:
    """The elements that a pointer is moved by, and how many of them: ``p + i``, ``&p[i]``."""
    if isinstance(expr, Binary) and expr.op == "+" and isinstance(expr.lhs.type, PointerType):
        yield expr.lhs.type.pointee, expr.rhs
    elif isinstance(expr, AddressOf) and isinstance(expr.operand, Subscript):
        base = expr.operand.base.type
        if isinstance(base, PointerType):
            yield base.pointee, expr.operand.index


def _factors(expr: Expr) -> Iterator[Expr]:
    expr = strip_casts(expr)
    if isinstance(expr, Binary) and expr.op == "*":
        yield from _factors(expr.lhs)
        yield from _factors(expr.rhs)
    else:
        yield expr


def _named(expr: Expr) -> object:
    """The variable or member that an expression is."""
    expr = strip_casts(expr)
    if isinstance(expr, Ref):
        return expr.decl
    if isinstance(expr, Member):
        base = _named(expr.base)
        return (base, expr.field) if base is not None else None
    return None
