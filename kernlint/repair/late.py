"""Tests of an index moved in front of the access."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.analysis.extent.surplus import Exposed, Tier, surplus
from kernlint.finding import Edit, Finding, Fix
from kernlint.repair.calls import gathers
from kernlint.repair.conditions import balanced, is_pure
from kernlint.repair.guards import chosen, conjuncts, only_under, stripped_block
from kernlint.repair.page import Chain, Page, within
from kernlint.repair.values import changed, used
from kernlint.source import SourceFile, Span
from kernlint.tree.nodes import (
    Binary,
    Block,
    Break,
    Continue,
    DeclStmt,
    Expr,
    ExprStmt,
    FunctionDecl,
    If,
    Return,
    Stmt,
)
from kernlint.tree.walk import strip_casts, walk


def late(facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
    """For ``late-bounds-guard``: the test before the access, or to the left of it."""
    page = Page(source, facts.module)
    for one in facts[surplus]:
        if one.tier is Tier.SIBLING and one.late and one.access.span == finding.span:
            yield from _earlier(page, facts, one)
            return
    if finding.related:
        yield from _reordered(page, facts.function, finding.span, finding.related[0].span)


def _earlier(page: Page, facts: Facts, one: Exposed) -> Iterator[Fix]:
    """The test of ``one`` put in front of its access."""
    assert one.guard is not None
    function = facts.function
    chain, test = page.chain(function, one.access.span), page.chain(function, one.guard.span)
    branch = next((stmt for stmt in reversed(test) if isinstance(stmt, If)), None)
    condition = page.condition(branch) if branch is not None else None
    if branch is None or condition is None or not chain or one.access.stack:
        return
    shared = _common(chain, test)
    if shared is not None:
        block, ours, theirs = shared
        moved = _moved(page, block, ours, theirs) if theirs is branch and page.is_plain(block) else None
        if moved is not None:
            yield Fix("test the index before the access", moved)
    stmt = chain[-1]
    if isinstance(stmt, DeclStmt) and len(stmt.decls) == 1 and _mentions_earlier(branch.cond, stmt.span.start):
        for part in conjuncts(branch.cond):
            text = page.text(part)
            if is_pure(part) and balanced(text) and only_under(page, function, stmt.decls[0], text):
                edit = chosen(page, function, one.access, text)
                if edit is not None:
                    yield Fix(f"read it only where {text}", (edit,))


def _mentions_earlier(expr: Expr, start: int) -> bool:
    return all(decl.span.start < start for decl in used(expr))


def _common(one: Chain, other: Chain) -> tuple[Block, Stmt, Stmt] | None:
    """The innermost block that holds both, and the statements of it that do."""
    found = None
    for level, (a, b) in enumerate(zip(one, other, strict=False)):
        if a is not b:
            break
        if isinstance(a, Block) and len(one) > level + 1 and len(other) > level + 1:
            found = (a, one[level + 1], other[level + 1])
    return found


def _moved(page: Page, block: Block, access: Stmt, test: Stmt) -> tuple[Edit, ...] | None:
    """``if (...) return;`` moved from behind ``access`` to in front of it; None where something between matters."""
    assert isinstance(test, If)
    leaves = stripped_block(test.then)
    if test.other is not None or not isinstance(leaves, Return | Continue | Break) or not is_pure(test.cond):
        return None
    start, end = block.body.index(access), block.body.index(test)
    between = block.body[start:end]
    if start >= end or any(gathers(stmt) for stmt in between):
        return None
    names = {decl for stmt in between if isinstance(stmt, DeclStmt) for decl in stmt.decls}
    names.update(decl for stmt in between for decl in changed(stmt))
    if set(used(test.cond)) & names:
        return None
    text = page.source.data[test.span.start : page.end(test)].decode("utf-8", "replace")
    if "\n" in text or any(isinstance(stmt, ExprStmt) for stmt in between):
        return None
    return page.before(access, text), page.removal(test)


def _reordered(page: Page, function: FunctionDecl, access: Span, test: Span) -> Iterator[Fix]:
    """The operands of the ``&&`` or ``||`` whose left one holds ``access`` and whose right one is a test, swapped."""
    body = function.body
    if body is None or not within(test, body.span):
        return
    for node in walk(body):
        if not (isinstance(node, Binary) and node.op in ("&&", "||") and within(node.span, test)):
            continue
        if not within(access, node.lhs.span) or not is_pure(node.rhs):
            continue
        inner = strip_casts(node.lhs)
        if isinstance(inner, Binary) and inner.op == node.op and within(access, inner.rhs.span):
            pass  # a && t[k] && k < n: the whole left side may go behind the test
        place = page.operator(node.lhs, node.rhs)
        if place is None:
            continue
        left = page.source.data[node.span.start : place.start].decode()
        right = page.source.data[place.end : node.span.end].decode()
        if balanced(left) and balanced(right) and "\n" not in left + right:
            op = page.text(place)
            swapped = Edit(node.span, f"{right.strip()} {op} {left.strip()}")
            yield Fix("test the index first, then the element", (swapped,))
