"""Names that stand for one array here and for another there: a pointer with its extents, as a variable.

numba gives such a name one type: elements, axes and layout of the arrays are the same.  What is not of one type is
left to the caller.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from kernlint.frontends.python.arrays import pointer_to, strides_of
from kernlint.frontends.python.context import Function, assignment
from kernlint.frontends.python.values import ArrayValue
from kernlint.source import Span
from kernlint.tree.nodes import Conditional, DeclStmt, Expr, IntLit, ParamDecl, Ref, Stmt, VarDecl
from kernlint.tree.types import I64, PointerType, Space, Type

AXES = 4
"""Axes of an array that is kept in variables."""

WORDS = tuple(f"{word}[{axis}]" for word in ("shape", "strides") for axis in range(AXES))
"""What stands behind the name of an array in the names of the variables for its extents and strides."""


def _parts(array: ArrayValue) -> list[tuple[str, Expr]]:
    """What has to be kept of an array, each with the end of its variable's name; strides only of one with gaps."""
    out = [(f".shape[{axis}]", extent) for axis, extent in enumerate(array.shape)]
    if array.strides is not None:
        out += [(f".strides[{axis}]", stride) for axis, stride in enumerate(array.strides)]
    return out


def to_variable(f: Function, name: str, found: ArrayValue, node: ast.AST) -> list[Stmt] | None:
    """Statements that make the variable ``name`` stand for an array; None where it cannot."""
    type_ = PointerType(found.element, found.space)
    known = f.known.types.get(name)
    if found.rank > AXES or known not in (None, type_):
        return None
    mine = [(part, value) for part, value in _parts(found)]
    was = f.known.kept.get(name)
    if was is not None and was != len(mine):
        if found.strides is not None or was != 2 * found.rank:
            return None
        mine += [(f".strides[{axis}]", stride) for axis, stride in enumerate(strides_of(found))]
    f.known.kept[name] = len(mine)
    out = _kept(f, name, type_, pointer_to(found), node)
    for part, value in mine:
        out += _kept(f, name + part, I64, value, node)
    span = f.span(node)
    base, *rest = [Ref(span, f.decls[at].type, f.decls[at]) for at in (name, *(name + part for part, _ in mine))]
    refs: Sequence[Expr] = rest
    strides = tuple(refs[found.rank :]) or None
    f.env[name] = ArrayValue(base, found.element, tuple(refs[: found.rank]), found.space, strides)
    return out


def _kept(f: Function, name: str, type_: Type, value: Expr, node: ast.AST) -> list[Stmt]:
    span = f.span(node)
    f.assigns(name, type_, 0 if type_ == I64 else None)
    decl = f.decls.get(name)
    if decl is not None and not isinstance(decl, ParamDecl):
        return [assignment(Ref(span, decl.type, decl), value, span)]
    made = f.decls[name] = VarDecl(span, name, type_, Space.PRIVATE, value)
    if type_ == I64:
        f.low[made] = 0
    return [DeclStmt(span, (made,))]


def chosen(f: Function, cond: Expr, then: ArrayValue, other: ArrayValue, node: ast.AST) -> ArrayValue | None:
    """``then if cond else other`` of two arrays; None where they are not of one type."""
    if (then.element, then.space, then.rank) != (other.element, other.space, other.rank):
        return None
    span = f.span(node)
    type_ = PointerType(then.element, then.space)
    base = Conditional(span, type_, cond, pointer_to(then), pointer_to(other))
    shape = tuple(_either(span, cond, a, b) for a, b in zip(then.shape, other.shape, strict=True))
    strides: tuple[Expr, ...] | None = None
    if then.strides is not None or other.strides is not None:
        both = zip(strides_of(then), strides_of(other), strict=True)
        strides = tuple(_either(span, cond, a, b) for a, b in both)
    return ArrayValue(base, then.element, shape, then.space, strides)


def _either(span: Span, cond: Expr, a: Expr, b: Expr) -> Expr:
    same = isinstance(a, IntLit) and isinstance(b, IntLit) and a.value == b.value
    return a if same or a is b else Conditional(span, I64, cond, a, b)
