"""Arguments of a launch that are passed as an array of addresses."""

from __future__ import annotations

from kernlint.tree.nodes import AddressOf, Cast, Expr, InitList, Opaque
from kernlint.tree.types import VOID, FloatType, IntType, PointerType, Type

BY_POINTER = "argument by pointer"
"""Why nothing is known of an argument but its type: its address comes from elsewhere."""

NO_ADDRESS = "a value where an address is needed"
"""Why an argument is none: what is passed as its address is a number."""


def packed_arguments(listed: InitList) -> tuple[Expr, ...]:
    """What the addresses in ``{&a, &b}`` are of."""
    found: list[Expr] = []
    for item in listed.elements:
        inner = item
        while isinstance(inner, Cast):
            inner = inner.operand
        if isinstance(inner, AddressOf):
            found.append(inner.operand)
        elif isinstance(inner.type, (IntType, FloatType)) and getattr(inner, "value", None) != 0:
            found.append(Opaque(item.span, VOID, NO_ADDRESS))
        else:
            found.append(Opaque(item.span, _led_to(inner.type), BY_POINTER))
    return tuple(found)


def _led_to(kind: Type) -> Type:
    """What a pointer says that it leads to: one to bytes may lead to anything, and an array is no variable."""
    inner = kind.pointee if isinstance(kind, PointerType) else VOID
    return VOID if isinstance(inner, IntType) and inner.bits <= 8 else inner
