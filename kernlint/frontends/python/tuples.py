"""Several values that a device function returns, as one of the tree."""

from __future__ import annotations

import ast

from kernlint.frontends.python.context import Function
from kernlint.frontends.python.values import TupleValue, Value
from kernlint.tree.nodes import Expr, InitList, Member, Opaque
from kernlint.tree.types import Field, StructType


def packed(f: Function, found: TupleValue, node: ast.AST) -> Expr:
    """Several values as one of the tree."""
    parts = [packed(f, item, node) if isinstance(item, TupleValue) else item for item in found.items]
    items = [item for item in parts if isinstance(item, Expr) and not isinstance(item, Opaque)]
    if len(items) != len(found.items):
        return f.opaque(node, "a tuple of arrays")
    fields: list[Field] = []
    at = 0
    for index, item in enumerate(items):
        fields.append(Field(f"item{index}", item.type, at))
        at += item.type.size or 8 if isinstance(item.type, StructType) else 8
    return InitList(f.span(node), StructType("tuple", tuple(fields), at, 8), tuple(items))


def unpacked(f: Function, call: Expr, node: ast.AST) -> Value:
    """What a device function returned: a number, or several."""
    if not isinstance(call.type, StructType) or call.type.name != "tuple":
        return call
    whole = call if isinstance(call, Member) else f.temporary(node, call.type, call)
    items = (Member(f.span(node), at.type, whole, at.name, False) for at in call.type.fields)
    return TupleValue(tuple(unpacked(f, item, node) for item in items))
