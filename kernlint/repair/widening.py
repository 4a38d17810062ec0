"""Indices computed in 64 bits: the first factor of a product converted, and the variable that holds it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.finding import Edit, Finding, Fix
from kernlint.repair.page import Page, within
from kernlint.repair.values import used
from kernlint.source import SourceFile
from kernlint.tree.nodes import (
    Binary,
    Call,
    Cast,
    DeclStmt,
    Expr,
    FunctionDecl,
    IntLit,
    LaunchValue,
    Ref,
    Subscript,
    VarDecl,
)
from kernlint.tree.types import IntType
from kernlint.tree.walk import strip_casts, walk


def widened(facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
    """For ``index-overflow``: the index in the type of the count it is compared with, or products in 64 bits."""
    page = Page(source, facts.module)
    function = page.holder(finding.span)
    if function is None:
        return
    for node in walk(function):
        if isinstance(node, Binary) and node.span == finding.span and node.op in ("<", "<=", ">", ">="):
            yield from _against_count(page, function, node)
            return
    yield from _in_subscript(page, facts, function, finding)


def _against_count(page: Page, function: FunctionDecl, test: Binary) -> Iterator[Fix]:
    """``int i = ...`` made a variable of the type of the parameter that it is compared with."""
    for index, count in ((test.lhs, test.rhs), (test.rhs, test.lhs)):
        at, bound = strip_casts(index), strip_casts(count)
        if not isinstance(at, Ref) or not isinstance(bound, Ref) or at.decl.init is None:
            continue
        kind = _declared(page, bound.decl)
        if kind is None or not isinstance(at.decl.type, IntType) or at.decl.type.bits != 32:
            continue
        edits = _retyped(page, function, at.decl, kind)
        if edits is not None:
            yield Fix(f"compute {at.decl.name} in {kind}", tuple(edits))


def _declared(page: Page, decl: VarDecl) -> str | None:
    """The type of a 64-bit variable as it is written."""
    if decl.span.file != page.source.path or not isinstance(decl.type, IntType) or decl.type.bits != 64:
        return None
    text = page.before_name(decl)
    kind = re.sub(r"\b(?:const|__restrict__|constexpr)\b", " ", text)
    kind = " ".join(kind.split())
    return kind if re.fullmatch(r"[A-Za-z_][\w:]*(?: [A-Za-z_]\w*)*", kind) else None


def _retyped(page: Page, function: FunctionDecl, decl: VarDecl, kind: str) -> list[Edit] | None:
    """``int x = a * b;`` made ``kind x = (kind)a * b;``."""
    stmt = next((n for n in walk(function) if isinstance(n, DeclStmt) and decl in n.decls), None)
    if stmt is None or len(stmt.decls) != 1 or decl.init is None or decl.span.file != page.source.path:
        return None
    head = page.source.data[stmt.span.start : decl.init.span.start].decode("utf-8", "replace")
    found = re.fullmatch(
        r"((?:const\s+)?)(int|unsigned int|unsigned|uint|uint32_t|int32_t)(\s+(?:const\s+)?\w+\s*=\s*)", head
    )
    if found is None:
        return None
    start = stmt.span.start + len(found[1].encode())
    return [Edit(page.span(start, start + len(found[2])), kind), *_converted(page, decl.init, kind)]


def _converted(page: Page, expr: Expr, kind: str) -> list[Edit]:
    """The first factors of the products that are summed in ``expr``, converted."""
    at = strip_casts(expr)
    if isinstance(at, Binary) and at.op in ("+", "-"):
        return [*_converted(page, at.lhs, kind), *_converted(page, at.rhs, kind)]
    if not isinstance(at, Binary) or at.op != "*":
        return []
    first = at.lhs
    while isinstance(strip_casts(first), Binary) and strip_casts(first).op == "*":  # type: ignore[attr-defined]
        first = strip_casts(first).lhs  # type: ignore[attr-defined]
    text = page.text(page.span(at.span.start, first.span.start))
    if isinstance(first, Cast) and first.explicit:
        return []
    inner = strip_casts(first)
    if (
        text
        or first.span.file != page.source.path
        or not isinstance(inner, Ref | LaunchValue | Call | Subscript | IntLit)
    ):
        if text.strip("(") == "" and isinstance(inner, Binary) and text:
            return [page.insertion(at.span.start, f"({kind})")]
        return []
    return [page.insertion(first.span.start, f"({kind})")]


def _in_subscript(page: Page, facts: Facts, function: FunctionDecl, finding: Finding) -> Iterator[Fix]:
    """Products in a subscript, and those of variables in it, in 64 bits."""
    kind = "long" if facts.module.language == "opencl" else "long long"
    inline: list[Edit] = []
    variables: list[Edit] = []
    seen: set[VarDecl] = set()
    for node in walk(function):
        if not isinstance(node, Subscript) or not within(node.span, finding.span):
            continue
        inline += _converted(page, node.index, kind)
        for decl in used(node.index):
            narrow = isinstance(decl.type, IntType) and decl.type.bits == 32 and decl not in seen
            if narrow and decl.init is not None and isinstance(strip_casts(decl.init), Binary):
                seen.add(decl)
                edits = _retyped(page, function, decl, kind)
                if edits is not None and len(edits) > 1:
                    variables += edits
    if variables:
        yield Fix(f"multiply in {kind}, the variables in the subscript too", (*variables, *inline))
    if inline:
        yield Fix(f"multiply in {kind}", tuple(inline))
