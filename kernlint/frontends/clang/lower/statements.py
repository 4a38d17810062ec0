"""Statements."""

from __future__ import annotations

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.intrinsics import TRAPS
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.lower.asm import inline_assembly
from kernlint.frontends.clang.lower.context import Scope, lost_statement, lowers_statement
from kernlint.frontends.clang.lower.dropped import dropped, returns, returns_lost
from kernlint.frontends.clang.lower.literals import folded
from kernlint.frontends.clang.lower.printed import is_expression
from kernlint.frontends.clang.lower.variables import declare
from kernlint.frontends.clang.unknowns import IDENTIFIER
from kernlint.record import replace
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import (
    Block,
    Break,
    Call,
    Case,
    Continue,
    DeclStmt,
    Expr,
    ExprStmt,
    Goto,
    If,
    InitList,
    IntLit,
    Label,
    Loss,
    Member,
    Opaque,
    OpaqueStmt,
    Ref,
    Return,
    Stmt,
    Subscript,
    Switch,
    Trap,
    VarDecl,
)
from kernlint.tree.types import I32, UNKNOWN, VOID, ArrayType, PointerType, StructType, VectorType


@lowers_statement(K.UNEXPOSED_EXPR)
def expression_statement(scope: Scope, cursor: Cursor) -> Stmt:
    """An expression for its effect (registered for every expression kind)."""
    value = scope.expression(cursor)
    if isinstance(value, Call) and value.name.rpartition("::")[2] in TRAPS and _is_bodyless(value):
        thrown = value.name == "throw"
        return Trap(value.span, thrown, thrown and not scope.lowering.source(cursor).startswith("throw"))
    if isinstance(value, Call) and value.function is None and scope.losses and scope.losses[-1].kind == "given":
        # Called for what it does, which may be anything.
        scope.losses[-1] = Loss("call", f"call of a function that is not declared: {value.name}", value.span)
    return ExprStmt(scope.span(cursor), value)


def _is_bodyless(call: Call) -> bool:
    return call.function is None or call.function.body is None


@lowers_statement(K.COMPOUND_STMT)
def block(scope: Scope, cursor: Cursor) -> Block:
    return _body(scope, cursor)


def _body(scope: Scope, cursor: Cursor) -> Block:
    span = scope.span(cursor)
    errors = scope.lowering.errors_in(span.file, span.start, span.end)
    if (errors or scope.lowering.broken) and not cursor.extent.in_macro:
        return Block(span, _with_gaps(scope, span, cursor.children, errors))
    body = sequence(scope, cursor.children)
    if errors and cursor.extent.in_macro and returns_lost(scope.lowering, cursor):
        body = (*body, Return(span, Opaque(span, UNKNOWN, f"what a macro returns: {errors[0][1]}")))
    return Block(span, body)


def _with_gaps(scope: Scope, span: Span, cursors: list[Cursor], errors: list[tuple[int, str]]) -> tuple[Stmt, ...]:
    """Statements of a block that may lack some: one that the compiler dropped leaves an opaque one in its place.

    An error outside every statement that is left belongs to a statement that is gone, and so does text that is one.
    """
    result: list[Stmt] = []
    at = span.start + 1
    for cursor in [*cursors, None]:
        until = span.end - 1 if cursor is None else scope.span(cursor).start
        if gone := [message for offset, message in errors if at <= offset < until]:
            _lose(scope, Span(span.file, at, until), gone[0], result)
        else:
            for start, end in dropped(scope.lowering, span.file, at, until):
                _lose(scope, Span(span.file, start, end), "it left nothing", result)
        if cursor is not None:
            append(scope, cursor, result)
            at = max(at, scope.span(cursor).end)
    return tuple(result)


def _lose(scope: Scope, place: Span, why: str, result: list[Stmt]) -> None:
    """An opaque statement for a ``place``, and where its text returns, the return: what it gives back is not known."""
    reason = f"statement the compiler could not read: {why}"
    scope.losses.append(Loss("statement", reason, place))
    at = place.start
    for start, end in returns(scope.lowering, place.file, place.start, place.end):
        if scope.lowering.slice(place.file, at, start).strip(_BETWEEN):
            result.append(_lost(scope, Span(place.file, at, start), reason))
        span = Span(place.file, start, end)
        gone = _lost(scope, span, reason)
        words = frozenset(IDENTIFIER.findall(scope.lowering.slice(span.file, start, end))) - {"return"}
        result.append(replace(gone, leaves=False))
        result.append(Return(span, Opaque(span, UNKNOWN, reason, words=words)))
        at = end
    if at == place.start or scope.lowering.slice(place.file, at, place.end).strip(_BETWEEN):
        result.append(_lost(scope, Span(place.file, at, place.end), reason))


_BETWEEN = " \t\r\n;"


def _lost(scope: Scope, place: Span, reason: str) -> OpaqueStmt:
    return lost_statement(place, reason, scope.lowering.slice(place.file, place.start, place.end))


def sequence(scope: Scope, cursors: list[Cursor]) -> tuple[Stmt, ...]:
    """Statements in order; labels and cases stand before what they label, hoisted statements before their user."""
    result: list[Stmt] = []
    for cursor in cursors:
        append(scope, cursor, result)
    return tuple(result)


def append(scope: Scope, cursor: Cursor, result: list[Stmt]) -> None:
    """Lower one statement of a block onto ``result``."""
    while True:
        if cursor.kind in (K.CASE_STMT, K.DEFAULT_STMT):
            labels = [] if cursor.kind == K.DEFAULT_STMT else cursor.children[:-1]
            values = [folded(scope, c) for c in labels]
            if cursor.kind == K.CASE_STMT and not values:
                break
            span = scope.span(cursor)
            result.append(Case(span, values[0] if values else None, values[1] if len(values) > 1 else None))
            if not cursor.children:
                return
            cursor = cursor.children[-1]
        elif cursor.kind == K.LABEL_STMT and cursor.children:
            result.append(Label(scope.span(cursor), cursor.spelling))
            cursor = cursor.children[-1]
        else:
            break
    if cursor.kind == K.NULL_STMT:
        return
    if cursor.kind >= K.UNEXPOSED_ATTR:
        return
    if (passed := scope.passed_over(cursor)) is not None:
        result.append(passed)
        return
    saved, scope.hoisted = scope.hoisted, []
    try:
        if is_expression(cursor) or cursor.kind in (K.DECL_STMT, K.RETURN_STMT):
            lowered = scope.unhoisted_statement(cursor)
            result.extend(scope.hoisted)
            if _is_spent(lowered):
                return
        else:
            lowered = scope.statement(cursor)
    finally:
        scope.hoisted = saved
    if isinstance(lowered, DeclStmt) and not lowered.decls:
        return
    result.append(lowered)


def _is_spent(statement: Stmt) -> bool:
    """Whether nothing is left of a statement expression whose statements have been put before it."""
    return (
        isinstance(statement, ExprStmt)
        and isinstance(statement.expr, InitList)
        and statement.expr.type == VOID
        and not statement.expr.elements
    )


@lowers_statement(K.NULL_STMT)
def nothing(scope: Scope, cursor: Cursor) -> Stmt:
    return Block(scope.span(cursor), ())


@lowers_statement(K.CASE_STMT, K.DEFAULT_STMT, K.LABEL_STMT)
def labelled(scope: Scope, cursor: Cursor) -> Stmt:
    return Block(scope.span(cursor), sequence(scope, [cursor]))


@lowers_statement(K.DECL_STMT)
def declarations(scope: Scope, cursor: Cursor) -> Stmt:
    decls: list[VarDecl] = []
    for child in cursor.children:
        if child.kind == K.VAR_DECL:
            before = len(scope.losses)
            node = declare(scope, child)
            if node.init is None:
                _lost_initialiser(scope, cursor, child, node)
            if _is_decomposition(child):
                decls.append(node)
                decls.extend(_bindings(scope, child, node))
            else:
                decls.append(node)
            if child.is_invalid_declaration and scope.lowering.errors and len(scope.losses) == before:
                scope.lose("statement", f"declaration with an error: {child.spelling}", child)
        elif child.kind == K.UNEXPOSED_DECL:
            if any(c.kind == K.UNEXPOSED_DECL for c in child.children):
                node = declare(scope, child)
                decls.append(node)
                decls.extend(_bindings(scope, child, node))
        elif is_expression(child) or child.kind == K.CUDA_SHARED_ATTR:
            continue
    return DeclStmt(scope.span(cursor), tuple(decls))


_STARTS_INITIALISER = pattern(r"\s*(?:\[[^\]]*\]\s*)*[=({]")
_EQUALS = pattern(r"\s*(?:\[[^\]]*\]\s*)*=")


def _lost_initialiser(scope: Scope, statement: Cursor, cursor: Cursor, node: VarDecl) -> None:
    """A variable whose initialiser the compiler dropped must not look as if it had none."""
    whole = statement.extent
    errors = scope.lowering.errors_in(whole.file, node.span.end, whole.end)
    text = scope.lowering.slice(whole.file, node.span.end, whole.end)
    # (a call of what a header declares with an error is left out without an error of its own)
    if _STARTS_INITIALISER.match(text) if errors else _EQUALS.match(text):
        reason = f"initialiser with an error: {errors[0][1]}" if errors else "initialiser with an error"
        scope.lose("statement", reason, statement)
        words = scope.lowering.names_in(statement)
        object.__setattr__(node, "init", Opaque(node.span, node.type, reason, words=words))


def _is_decomposition(cursor: Cursor) -> bool:
    return not cursor.spelling and any(c.kind == K.UNEXPOSED_DECL for c in cursor.children)


def _bindings(scope: Scope, cursor: Cursor, whole: VarDecl) -> list[VarDecl]:
    """``auto [a, b] = whole``: each name is a variable that starts as its part of the whole."""
    found = []
    record = whole.type.pointee if isinstance(whole.type, PointerType) else whole.type
    for index, child in enumerate(c for c in cursor.children if c.kind == K.UNEXPOSED_DECL):
        span = scope.span(child)
        type_ = scope.type(child)
        init: Expr | None = None
        base = Ref(span, record, whole)
        if isinstance(record, StructType) and index < len(record.fields):
            part = record.fields[index]
            type_, init = part.type, Member(span, part.type, base, part.name, False)
        elif isinstance(record, VectorType) and index < min(record.lanes, 4):
            type_, init = record.element, Member(span, record.element, base, "xyzw"[index], False, (index,))
        elif isinstance(record, ArrayType):
            type_, init = record.element, Subscript(span, record.element, base, IntLit(span, I32, index))
        else:
            scope.lose("statement", "structured binding of an unknown type", child)
            init = Opaque(span, UNKNOWN, "structured binding", (base,))
        node = VarDecl(span, child.spelling, type_, scope.local_space, init)
        scope.lowering.variables[child.key] = node
        found.append(node)
    return found


# ---------------------------------------------------------------------------------------------------- branching


@lowers_statement(K.IF_STMT)
def if_statement(scope: Scope, cursor: Cursor) -> Stmt:
    parts = list(cursor.children)
    init, variable = _heads(scope, cursor, parts)
    if len(parts) < 2:
        return scope.opaque_statement(cursor, "if without a condition", "guard")
    constexpr = _is_constexpr(scope, cursor)
    known = parts[0].evaluate() if constexpr else None
    if constexpr and scope.lowering.mentions_made_up(parts[0]):
        scope.lose("macro", "branch chosen by a name that is not declared", parts[0])
        known = None
    cond = scope.expression(parts[0])
    then: Stmt | None = None
    other: Stmt | None = None
    if known is None or known:
        then = scope.statement(parts[1])
    if len(parts) > 2 and not known:
        other = scope.statement(parts[2])
    node = If(scope.span(cursor), cond, then, other, constexpr, init)
    if variable is None:
        return node
    return Block(node.span, (DeclStmt(variable.span, (variable,)), node))


def _heads(scope: Scope, cursor: Cursor, parts: list[Cursor]) -> tuple[Stmt | None, VarDecl | None]:
    """Take the init statement and the condition's variable off ``parts``."""
    init: Stmt | None = None
    variable: VarDecl | None = None
    if parts and (parts[0].kind == K.DECL_STMT or _ends_with_semicolon(scope, parts)):
        init = scope.statement(parts.pop(0))
    if parts and parts[0].kind == K.VAR_DECL:
        variable = declare(scope, parts.pop(0))
    return init, variable


def _ends_with_semicolon(scope: Scope, parts: list[Cursor]) -> bool:
    return len(parts) > 2 and is_expression(parts[0]) and _between(scope, parts[0], parts[1]).lstrip().startswith(";")


def _between(scope: Scope, left: Cursor, right: Cursor) -> str:
    if left.extent.file != right.extent.file or left.extent.in_macro or right.extent.in_macro:
        return ""
    return scope.lowering.slice(left.extent.file, left.extent.end, right.extent.start)


_CONSTEXPR = pattern(r"if\s+constexpr\b")


def _is_constexpr(scope: Scope, cursor: Cursor) -> bool:
    if scope.lowering.opencl:
        return False
    if _CONSTEXPR.match(scope.lowering.source(cursor)):
        return True
    written = scope.lowering.written(cursor)[:200]
    return cursor.extent.in_macro and "constexpr" in written.partition("(")[0].lower()


@lowers_statement(K.SWITCH_STMT)
def switch(scope: Scope, cursor: Cursor) -> Stmt:
    parts = list(cursor.children)
    init, variable = _heads(scope, cursor, parts)
    if len(parts) < 2:
        return scope.opaque_statement(cursor, "switch without a condition", "guard")
    cond = scope.expression(parts[0])
    inside = parts[1].kind == K.COMPOUND_STMT
    body = _body(scope, parts[1]) if inside else Block(scope.span(parts[1]), sequence(scope, [parts[1]]))
    node = Switch(scope.span(cursor), cond, body)
    before: list[Stmt] = [init] if init is not None else []
    if variable is not None:
        before.append(DeclStmt(variable.span, (variable,)))
    return Block(node.span, (*before, node)) if before else node


# --------------------------------------------------------------------------------------------------------- jumps


@lowers_statement(K.BREAK_STMT)
def break_statement(scope: Scope, cursor: Cursor) -> Stmt:
    return Break(scope.span(cursor))


@lowers_statement(K.CONTINUE_STMT)
def continue_statement(scope: Scope, cursor: Cursor) -> Stmt:
    return Continue(scope.span(cursor))


@lowers_statement(K.RETURN_STMT)
def return_statement(scope: Scope, cursor: Cursor) -> Stmt:
    values = [c for c in cursor.children if is_expression(c)]
    return Return(scope.span(cursor), scope.expression(values[0]) if values else None)


@lowers_statement(K.GOTO_STMT)
def goto_statement(scope: Scope, cursor: Cursor) -> Stmt:
    label = next((c.spelling for c in cursor.children if c.kind == K.LABEL_REF), "")
    return Goto(scope.span(cursor), label)


@lowers_statement(K.ASM_STMT)
def assembly(scope: Scope, cursor: Cursor) -> Stmt:
    return inline_assembly(scope, cursor)


# ------------------------------------------------------------------------------------------------ everything else


@lowers_statement(K.CXX_TRY_STMT)
def try_statement(scope: Scope, cursor: Cursor) -> Stmt:
    """The guarded block; handlers are left out, as what throws is a call that ends the path."""
    body = next((c for c in cursor.children if c.kind == K.COMPOUND_STMT), None)
    scope.lose("handler", "what handles exceptions is not followed", cursor)
    return scope.statement(body) if body is not None else OpaqueStmt(scope.span(cursor), "try without a body")


@lowers_statement(K.STATIC_ASSERT, K.TYPE_ALIAS_DECL, K.TYPEDEF_DECL, K.USING_DECLARATION, K.USING_DIRECTIVE)
def no_code(scope: Scope, cursor: Cursor) -> Stmt:
    return Block(scope.span(cursor), ())
