"""Parts that changes to tests of an index have in common."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.trace.events import Access
from kernlint.finding import Edit
from kernlint.repair.calls import called
from kernlint.repair.conditions import balanced, operand
from kernlint.repair.page import Chain, Page, within
from kernlint.source import Span
from kernlint.symbolic.polynomial import Polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind
from kernlint.tree.nodes import (
    Binary,
    Block,
    DeclStmt,
    Expr,
    ExprStmt,
    FunctionDecl,
    If,
    Ref,
    Stmt,
    VarDecl,
)
from kernlint.tree.types import FloatType, IntType
from kernlint.tree.walk import strip_casts, walk


def stripped_block(stmt: Stmt | None) -> Stmt | None:
    """The only statement of a block, or the statement itself."""
    if isinstance(stmt, Block) and len(stmt.body) == 1:
        return stmt.body[0]
    return stmt


def under(page: Page, chain: Chain, condition: str) -> list[Edit] | None:
    """The innermost statement of ``chain`` made to happen only under ``condition``."""
    stmt, parent = chain[-1], chain[-2] if len(chain) > 1 else None
    if isinstance(stmt, If) and (inside := page.condition(stmt)) is not None:
        if stmt.other is not None:
            return None
        text = page.text(inside)
        edits = [page.insertion(inside.start, f"{condition} && ")]
        if operand(text) != text:
            edits = [
                page.insertion(inside.start, f"{condition} && ("),
                page.insertion(inside.end, ")"),
            ]
        return edits
    if isinstance(stmt, ExprStmt) and page.is_single(stmt):
        if isinstance(parent, Block) and page.is_plain(parent):
            return [page.insertion(stmt.span.start, f"if ({condition}) ")]
        if isinstance(parent, If) and parent.other is None and (inside := page.condition(parent)) is not None:
            text = page.text(inside)
            joined = f" && {condition}" if operand(text) == text else f") && {condition}"
            first = [] if operand(text) == text else [page.insertion(inside.start, "(")]
            return [*first, page.insertion(inside.end, joined)]
    return None


def chosen(page: Page, function: FunctionDecl, access: Access, condition: str) -> Edit | None:
    """A read that initialises a variable made ``condition ? read : 0``; None where the read is more than that."""
    chain = page.chain(function, access.span)
    stmt = chain[-1] if chain else None
    if not isinstance(stmt, DeclStmt) or len(stmt.decls) != 1 or access.stack:
        return None
    decl = stmt.decls[0]
    if decl.init is None or decl.init.span != access.span:
        return None
    kind = decl.type
    if isinstance(kind, FloatType):
        zero = "0.0f" if kind.bits == 32 else "0.0" if kind.bits == 64 else None
    else:
        zero = "0" if isinstance(kind, IntType) else None
    if zero is None:
        return None
    text = page.text(decl.init)
    return Edit(decl.init.span, f"{condition} ? {text} : {zero}") if balanced(text) else None


def only_under(page: Page, function: FunctionDecl, decl: VarDecl, condition: str) -> bool:
    """Whether every use of a variable stands under an ``if`` that has ``condition`` among its parts."""
    body = function.body
    assert body is not None
    for node in walk(body):
        if isinstance(node, Ref) and node.decl is decl:
            held = False
            for stmt in page.chain(function, node.span):
                if isinstance(stmt, If) and stmt.then is not None and within(node.span, stmt.then.span):
                    inside = page.condition(stmt)
                    text = page.text(inside) if inside is not None else ""
                    held = held or ("||" not in text and condition in [part.strip() for part in text.split("&&")])
            if not held:
                return False
    return True


def conjuncts(expr: Expr) -> Iterator[Expr]:
    at = strip_casts(expr)
    if isinstance(at, Binary) and at.op == "&&":
        yield from conjuncts(at.lhs)
        yield from conjuncts(at.rhs)
    else:
        yield expr


def size_text(size: Polynomial | None) -> str | None:
    """A size as the kernel writes it: the name of a parameter, or a product of some."""
    if size is None or len(size.coefficients) != 1:
        return None
    mono, factor = next(iter(size.coefficients.items()))
    if factor != 1 or not mono or any(atom.op != "sym" for atom in mono):
        return None
    found: list[Symbol] = [atom.args[0] for atom in mono]
    if any(s.kind not in (SymbolKind.PARAM, SymbolKind.TEMPLATE) or not s.name.isidentifier() for s in found):
        return None
    return " * ".join(s.name for s in found)


def comparisons(function: FunctionDecl, span: Span) -> Iterator[Binary]:
    """The comparisons in a condition of a function or of one that it calls."""
    seen: set[Span] = set()
    for holder in called(function):
        if holder.body is None or not within(span, holder.body.span):
            continue
        for node in walk(holder.body):
            if not isinstance(node, Binary) or node.op not in ("<", "<=", ">", ">="):
                continue
            if within(node.span, span) and node.span not in seen:
                seen.add(node.span)
                yield node
