"""Loops, and the pragmas over them."""

from __future__ import annotations

import re

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.lower.context import Scope, lowers_statement
from kernlint.frontends.clang.lower.conversions import convert
from kernlint.frontends.clang.lower.literals import constant_node
from kernlint.frontends.clang.lower.printed import is_expression
from kernlint.frontends.clang.lower.ranges import through_iterators
from kernlint.frontends.clang.lower.variables import declare
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import (
    Binary,
    Block,
    Break,
    DeclStmt,
    DoWhile,
    Expr,
    For,
    If,
    IncDec,
    IntLit,
    Opaque,
    Ref,
    Stmt,
    Subscript,
    Unary,
    VarDecl,
    While,
)
from kernlint.tree.types import BOOL, I32, ArrayType, PointerType


@lowers_statement(K.FOR_STMT)
def for_statement(scope: Scope, cursor: Cursor) -> Stmt:
    parts = list(cursor.children)
    if not parts:
        return scope.opaque_statement(cursor, "for without a body")
    body_cursor = parts.pop()
    slots = _for_slots(scope, cursor, parts)
    if slots is None:
        return scope.opaque_statement(cursor, "for whose parts could not be told apart", "guard")
    init_cursor, cond_cursor, step_cursor = slots
    init = scope.statement(init_cursor) if init_cursor is not None else None
    with scope.no_hoisting():
        if cond_cursor is not None and cond_cursor.kind == K.VAR_DECL:
            return scope.opaque_statement(cursor, "declaration in a loop condition", "guard")
        cond = scope.expression(cond_cursor) if cond_cursor is not None else None
        step = scope.expression(step_cursor) if step_cursor is not None else None
        body = scope.statement(body_cursor)
    return For(scope.span(cursor), init, cond, step, body)


def _for_slots(
    scope: Scope, cursor: Cursor, parts: list[Cursor]
) -> tuple[Cursor | None, Cursor | None, Cursor | None] | None:
    """Which of init, condition and step the given children are: clang leaves out the missing ones without a word."""
    if len(parts) == 3:
        return parts[0], parts[1], parts[2]
    if not parts:
        return None, None, None
    slots: list[Cursor | None] = [None, None, None]
    ends = _semicolons(scope, cursor)
    if ends is not None and not any(p.extent.in_macro for p in parts):
        for part in parts:
            at = part.extent.start
            slots[0 if at < ends[0] else 1 if at < ends[1] else 2] = part
        if sum(s is not None for s in slots) == len(parts):
            return slots[0], slots[1], slots[2]
        slots = [None, None, None]
    for part in parts:  # in macros: by the look of them
        if part.kind == K.DECL_STMT:
            slots[0] = part
        elif part.kind in (K.UNARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR):
            slots[2] = part
        elif scope.type(part) in (BOOL, I32) and slots[1] is None:
            slots[1] = part
        else:
            slots[2 if slots[1] is not None else 0] = part
    return (slots[0], slots[1], slots[2]) if sum(s is not None for s in slots) == len(parts) else None


_HEAD_TOKEN = pattern(rb"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[;(){}\[\]]""", re.DOTALL)


def _semicolons(scope: Scope, cursor: Cursor) -> tuple[int, int] | None:
    """Offsets of the two semicolons in a ``for`` written out in the main file."""
    extent = cursor.extent
    if extent.in_macro or extent.file != scope.lowering.path:
        return None
    depth = 0
    found: list[int] = []
    for match in _HEAD_TOKEN.finditer(scope.lowering.text, extent.start, extent.end):
        token = match.group()
        if token in b"({[":
            depth += 1
        elif token in b")}]":
            depth -= 1
            if depth == 0:
                break
        elif token == b";" and depth == 1:
            found.append(match.start())
    return (found[0], found[1]) if len(found) == 2 else None


@lowers_statement(K.WHILE_STMT)
def while_statement(scope: Scope, cursor: Cursor) -> Stmt:
    parts = list(cursor.children)
    span = scope.span(cursor)
    with scope.no_hoisting():
        variable = declare(scope, parts.pop(0)) if parts and parts[0].kind == K.VAR_DECL else None
        if len(parts) != 2:
            return scope.opaque_statement(cursor, "while without a condition", "guard")
        cond = scope.expression(parts[0])
        body = scope.statement(parts[1])
    if variable is None:
        return While(span, cond, body)
    leave = If(cond.span, Unary(cond.span, BOOL, "!", cond), Break(cond.span), None)
    inside = Block(body.span, (DeclStmt(variable.span, (variable,)), leave, body))
    return While(span, IntLit(cond.span, BOOL, 1), inside)


@lowers_statement(K.DO_STMT)
def do_statement(scope: Scope, cursor: Cursor) -> Stmt:
    if len(cursor.children) != 2:
        return scope.opaque_statement(cursor, "do without a condition", "guard")
    with scope.no_hoisting():
        body = scope.statement(cursor.children[0])
        cond = scope.expression(cursor.children[1])
    return DoWhile(scope.span(cursor), body, cond)


@lowers_statement(K.CXX_FOR_RANGE_STMT)
def range_for(scope: Scope, cursor: Cursor) -> Stmt:
    """Over an array: a counting loop.  Over anything else: a loop with an opaque condition."""
    element = next((c for c in cursor.children if c.kind == K.VAR_DECL), None)
    ranges = [c for c in cursor.children if is_expression(c)]
    if element is None or not ranges or cursor.children[-1] is element:
        return scope.opaque_statement(cursor, "range-based for", "guard")
    over = scope.expression(ranges[0])
    span = over.span
    type_ = scope.type(element)
    node = VarDecl(scope.span(element), element.spelling, type_, scope.local_space, const=element.type.is_const)
    scope.lowering.variables[element.key] = node
    with scope.no_hoisting():
        body = scope.statement(cursor.children[-1])
    reference = isinstance(type_, PointerType) and type_.reference
    if isinstance(over.type, ArrayType) and over.type.extent is not None:
        count = VarDecl(span, "", I32, scope.local_space, IntLit(span, I32, 0))
        index = Ref(span, I32, count)
        value: Expr = Subscript(span, over.type.element, over, index)
        object.__setattr__(node, "init", value if reference else convert(value, type_))
        inside = Block(body.span, (DeclStmt(node.span, (node,)), body))
        return For(
            scope.span(cursor),
            DeclStmt(span, (count,)),
            Binary(span, BOOL, "<", index, IntLit(span, I32, over.type.extent)),
            IncDec(span, I32, "++", True, index),
            inside,
        )
    walked = through_iterators(scope, cursor, ranges[0], over, node, body)
    if walked is not None:
        return walked
    scope.lose("guard", "range-based for over a class", ranges[0])
    reason = "range-based for"
    object.__setattr__(node, "init", Opaque(span, type_, reason, (over,)))
    inside = Block(body.span, (DeclStmt(node.span, (node,)), body))
    return While(scope.span(cursor), Opaque(span, BOOL, reason, (over,)), inside)


_UNROLL = pattern(r"(?:#\s*pragma\s+unroll\b|opencl_unroll_hint|_Pragma\s*\(\s*\"unroll)\s*\(*\s*(\w+)?")


@lowers_statement(K.UNEXPOSED_STMT)
def attributed(scope: Scope, cursor: Cursor) -> Stmt:
    """A statement under attributes: ``#pragma unroll``, ``[[likely]]``."""
    inner = [c for c in cursor.children if c.kind < K.UNEXPOSED_ATTR]
    if not inner:
        return scope.opaque_statement(cursor, "statement of an unknown kind")
    statement = next((c for c in reversed(inner) if not is_expression(c)), inner[-1])
    lowered = scope.statement(statement)
    match = _UNROLL.search(scope.lowering.source(cursor)[:200])
    if match is None or not isinstance(lowered, For):
        return lowered
    factor = 0
    if (text := match.group(1)) and text not in ("for", "while", "do"):
        if text.isdigit():
            factor = int(text)
        else:
            value = constant_node(scope, inner[0]) if is_expression(inner[0]) else None
            factor = value.value if isinstance(value, IntLit) else 0
    return For(lowered.span, lowered.init, lowered.cond, lowered.step, lowered.body, factor)
