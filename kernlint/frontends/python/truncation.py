"""Floats that are stored in an array of integers that the kernel has made itself: what is behind the point is lost."""

from __future__ import annotations

import ast

from kernlint.frontends.python.context import Function
from kernlint.tree.nodes import Binary, Call, Expr, FloatLit, Member, Opaque, ParamDecl, Ref, Subscript
from kernlint.tree.types import ArrayType, FloatType, IntType, Space
from kernlint.tree.walk import traverse


def note_truncation(f: Function, place: Expr, value: Expr, node: ast.AST) -> None:
    """A remark where ``value`` is a float for certain, and ``place`` an integer in shared or local memory."""
    if not isinstance(place, Subscript) or not isinstance(place.type, IntType) or not isinstance(value.type, FloatType):
        return
    decl = _array(place)
    if decl is None or not _certain(f, value):
        return
    f.remark("truncated-element", node, decl, "shared" if _shared(place) else "local")


def _array(place: Expr) -> str | None:
    base = place
    while isinstance(base, (Subscript, Member)):
        base = base.base
    made = isinstance(base, Ref) and not isinstance(base.decl, ParamDecl) and isinstance(base.decl.type, ArrayType)
    return base.decl.name if made and isinstance(base, Ref) else None


def _shared(place: Expr) -> bool:
    return any(isinstance(at, Ref) and at.decl.space is Space.SHARED for at in traverse(place))


def _certain(f: Function, value: Expr) -> bool:
    """Whether the type of a value is no guess, and something may stand behind the point."""
    if isinstance(value, FloatLit):
        return not value.value.is_integer()
    if isinstance(value, Binary) and value.op in ("+", "-", "*", "/"):
        fraction = any(isinstance(side, FloatLit) and not side.value.is_integer() for side in (value.lhs, value.rhs))
        if fraction or value.op == "/":
            return True  # whatever the other side is
    whole = True
    for at in traverse(value):
        if isinstance(at, (Opaque, Call)) or (isinstance(at, Ref) and not _known(f, at)):
            return False
        whole = whole and isinstance(at, FloatLit)
    return not whole


def _known(f: Function, ref: Ref) -> bool:
    decl = ref.decl
    if isinstance(decl, ParamDecl):
        return decl in f.lowering.stated or decl.implicit
    return isinstance(decl.type, (IntType, ArrayType))
