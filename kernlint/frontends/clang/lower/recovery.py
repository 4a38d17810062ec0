"""Expressions with an error in them: what clang kept of one is put together again as far as it goes."""

from __future__ import annotations

import re
from itertools import pairwise

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.intrinsics import CallContext, lower_call
from kernlint.frontends.clang.intrinsics.atomics import is_builtin, written_order
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.lower.context import Scope
from kernlint.frontends.clang.lower.launches import launch_function, launches
from kernlint.frontends.clang.lower.members import MEMBER_NAME, member, shorten
from kernlint.frontends.clang.lower.operators import result_type
from kernlint.tree.nodes import (
    Assign,
    Binary,
    Call,
    Conditional,
    Expr,
    FunctionRef,
    Ref,
    VarDecl,
)
from kernlint.tree.types import (
    UNKNOWN,
    OpaqueType,
)


def recovered(scope: Scope, cursor: Cursor, children: list[Cursor]) -> Expr:
    """What clang kept of an expression with an error in it."""
    text = scope.lowering.source(cursor)
    if children and children[0].kind in (K.DECL_REF_EXPR, K.MEMBER_REF_EXPR, K.UNEXPOSED_EXPR):
        head = children[0].extent
        whole = cursor.extent
        if head.start == whole.start and scope.lowering.slice(whole.file, head.end, whole.end).lstrip().startswith("("):
            return unresolved_call(scope, cursor, children)
    if len(children) == 1 and isinstance(scope.type(children[0]), OpaqueType):
        rest = scope.lowering.slice(cursor.extent.file, children[0].extent.end, cursor.extent.end)
        if (match := MEMBER_NAME.fullmatch(rest)) is not None:
            return member(scope, cursor, scope.expression(children[0]), match.group(2), UNKNOWN)
    if (rebuilt := _rebuilt(scope, cursor, children)) is not None:
        return rebuilt
    if text.isidentifier() and (decl := _variable_named(scope, text)) is not None:
        scope.recovered.append(scope.span(cursor))
        return Ref(scope.span(cursor), decl.type, decl)  # its declaration has an error, but it is there
    match = re.match(r"((?:\w+\s*::\s*)*\w+)\s*(?:<[^;(]*>)?\s*\(", text)
    if match and text.rstrip().endswith(")"):
        name = match.group(1)
        args = tuple(scope.expression(c) for c in children)
        if (known := _atomic_builtin(scope, cursor, name, args)) is not None:
            return known
        scope.lose("call", f"call that could not be resolved: {name}", cursor)
        return Call(scope.span(cursor), scope.type(cursor), name, None, args)
    return scope.opaque(cursor, f"expression clang could not make sense of: {shorten(text)}")


def _atomic_builtin(scope: Scope, cursor: Cursor, name: str, parts: tuple[Expr, ...]) -> Expr | None:
    """``__atomic_store_n(p, v, order)`` and its like: no call for clang, which shows their operands alone."""
    if not is_builtin(name):
        # A macro that stands for one.
        spelled = re.findall(r"\b__\w*atomic_\w+(?=\s*\()", scope.lowering.macro_body(name))
        if len(spelled) != 1 or not is_builtin(spelled[0]):
            return None
        name = spelled[0]
    args = written_order(name, parts)
    span, type_ = scope.span(cursor), scope.type(cursor)
    return lower_call(CallContext(name, name, args, type_, span, language=scope.lowering.language))


def _rebuilt(scope: Scope, cursor: Cursor, children: list[Cursor]) -> Expr | None:
    """An operation whose operands are all there and whose operator is read from the text between them.

    Clang gives such an operation up when the types of its operands do not fit, which is no matter where one of them is
    unknown anyway.
    """
    file = cursor.extent.file
    if any(c.extent.file != file or c.extent.in_macro for c in (cursor, *children)):
        return None
    between = [
        scope.lowering.slice(file, left.extent.end, right.extent.start).strip(" \t\r\n()")
        for left, right in pairwise(children)
    ]
    span = scope.span(cursor)
    if len(children) == 3 and between == ["?", ":"]:
        cond = scope.expression(children[0])
        then, other = (scope.conditional_expression(c) for c in children[1:])
        scope.recovered.append(span)
        type_ = then.type if not isinstance(then.type, OpaqueType) else other.type
        return Conditional(span, type_, cond, then, other)
    if len(children) != 2 or not between or between[0] not in _OPERATORS:
        return None
    return _operation(scope, cursor, between[0], *children)


def open_operator(scope: Scope, cursor: Cursor, parts: list[Cursor]) -> Expr | None:
    """``a < b`` where a template leaves open which operator of that name it is, and clang shows it as a call with the
    operator's name among its operands: what it means for numbers."""
    if len(parts) != 3 or parts[1].kind not in (K.DECL_REF_EXPR, K.OVERLOADED_DECL_REF):
        return None
    op = scope.lowering.source(parts[1]).strip()
    return _operation(scope, cursor, op, parts[0], parts[2]) if op in _OPERATORS else None


def _operation(scope: Scope, cursor: Cursor, op: str, one: Cursor, other: Cursor) -> Expr:
    span = scope.span(cursor)
    left = scope.expression(one)
    right = scope.conditional_expression(other) if op in ("&&", "||") else scope.expression(other)
    scope.recovered.append(span)
    if op == "=" or op in _ASSIGNMENTS:
        return Assign(span, left.type, op[:-1], left, right)
    return Binary(span, result_type(op, left.type, right.type, UNKNOWN), op, left, right)


_ASSIGNMENTS = frozenset({"+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="})
_OPERATORS = _ASSIGNMENTS | frozenset({
    "=", "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||", "<", "<=", ">", ">=", "==", "!=", ",",
})  # fmt: skip


def _variable_named(scope: Scope, name: str) -> VarDecl | None:
    """The variable called ``name`` that the current function declared last, or else the only global of that name."""
    if scope.function is None:
        return None
    whole = scope.function.span
    for decl in reversed(scope.lowering.variables.values()):
        if decl.name == name and decl.span.file == whole.file and whole.start <= decl.span.start < whole.end:
            return decl
    found = [decl for decl in scope.lowering.globals if decl.name == name]
    return found[0] if len(found) == 1 else None


def unresolved_call(scope: Scope, cursor: Cursor, children: list[Cursor]) -> Expr:
    """``name(args)`` where no overload fits or the choice depends on a template argument."""
    callee = scope.expression(children[0])
    name = callee.name if isinstance(callee, FunctionRef) else scope.lowering.source(children[0]).strip()
    if launches(name):
        return launch_function(scope, cursor, name, children[1:])
    args = tuple(scope.expression(c) for c in children[1:])
    if re.fullmatch(r"[\w:]+", name):
        # A compiler's builtin whose type hangs on a template argument has no declaration either.
        leaf, span, type_ = name.rpartition("::")[2], scope.span(cursor), scope.type(cursor)
        known = lower_call(CallContext(leaf, name, args, type_, span, language=scope.lowering.language))
        if known is not None:
            return known
    scope.lose("call", f"call that could not be resolved: {shorten(name)}", cursor)
    return Call(scope.span(cursor), scope.type(cursor), name, None, args)
