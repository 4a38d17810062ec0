"""Arguments of calls: defaults filled in, template arguments as spelled, objects of methods."""

from __future__ import annotations

import re

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.kinds import TypeKind
from kernlint.frontends.clang.lower.context import Scope
from kernlint.frontends.clang.lower.literals import constant_node, default_value
from kernlint.frontends.clang.lower.printed import is_expression
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import (
    Expr,
    Ref,
)
from kernlint.tree.types import (
    PointerType,
    StructType,
)


def call_arguments(scope: Scope, declaration: Cursor | None, arguments: list[Cursor]) -> tuple[Expr, ...]:
    """Arguments with the defaults of the user's functions filled in; those of known functions are left out."""
    written = [a for a in arguments if not is_default(a)]
    if len(written) == len(arguments) or declaration is None:
        return tuple(scope.expression(a) for a in arguments)
    args = [scope.expression(a) for a in written]
    if scope.lowering.functions.is_users(declaration):
        parameters = [c for c in declaration.canonical.children if c.kind == K.PARM_DECL]
        if len(parameters) != len(arguments):
            parameters = [c for c in declaration.children if c.kind == K.PARM_DECL]
        for argument, parameter in zip(arguments[len(args) :], parameters[len(args) :], strict=False):
            value = constant_node(scope, argument)
            default = next((c for c in reversed(parameter.children) if is_expression(c)), None)
            if value is None and default is not None:
                value = scope.expression(default)
            args.append(value if value is not None else default_value(scope, argument))
    return tuple(args)


def is_default(cursor: Cursor) -> bool:
    """Whether an argument is not in the text."""
    extent = cursor.extent
    return cursor.kind == K.UNEXPOSED_EXPR and extent.start >= extent.end and not cursor.children


_EXPLICIT_ARGUMENTS = pattern(r"<(.*)>\s*$", re.DOTALL)


def template_arguments(scope: Scope, head: Cursor) -> tuple[str, ...]:
    """Explicit template arguments of a call, as spelled."""
    if head.kind not in (K.DECL_REF_EXPR, K.MEMBER_REF_EXPR):
        return ()
    text = scope.lowering.source(head)
    if "<" not in text or not (match := _EXPLICIT_ARGUMENTS.search(text)):
        return ()
    arguments, depth, start = [], 0, 0
    inner = match.group(1)
    for index, char in enumerate(inner):
        depth += (char in "<(") - (char in ">)")
        if char == "," and depth == 0:
            arguments.append(inner[start:index].strip())
            start = index + 1
    arguments.append(inner[start:].strip())
    return tuple(_known_argument(head, text) for text in arguments)


def _known_argument(head: Cursor, text: str) -> str:
    """An argument that is a named constant, as its number."""
    if text.isidentifier():
        for child in head.children:
            if is_expression(child) and child.spelling in (text, ""):
                value = child.evaluate()
                if isinstance(value, int):
                    return str(value)
    return text


def receiver_of(scope: Scope, head: Cursor) -> tuple[Expr | None, str]:
    """The object of a method call and how clang spells its class."""
    bases = [c for c in head.children if is_expression(c)]
    declaration = head.referenced
    static = declaration is not None and declaration.kind == K.CXX_METHOD and declaration.is_static_method
    if static and declaration is not None and scope.lowering.is_made_up(declaration):
        static = not bases  # made up for calls of either kind
    if bases:
        base = bases[0]
        clang = unwrapped(base).type.canonical  # a method of a base class sees its object converted
        if clang.kind == TypeKind.POINTER:
            clang = clang.pointee
        return None if static else scope.expression(base), clang.unqualified.spelling
    if static:
        return None, ""
    if scope.this is not None:
        type_ = scope.this.type
        record = type_.pointee if isinstance(type_, PointerType) else type_
        spelled = record.name if isinstance(record, StructType) else ""
        return Ref(scope.span(head), type_, scope.this), spelled
    return None, ""


def unwrapped(cursor: Cursor) -> Cursor:
    while cursor.kind in (K.UNEXPOSED_EXPR, K.PAREN_EXPR):
        inner = [c for c in cursor.children if is_expression(c)]
        if len(inner) != 1:
            break
        if cursor.kind == K.UNEXPOSED_EXPR and inner[0].extent.end < cursor.extent.end:
            break  # no conversion, but what is left of an expression with an error
        cursor = inner[0]
    return cursor
