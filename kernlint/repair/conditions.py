"""Conditions as text: their opposites, and whether they may be written a second time further down."""

from __future__ import annotations

import re

from kernlint.repair.page import Page
from kernlint.repair.values import changed, used
from kernlint.source import Span
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import (
    Assign,
    Atomic,
    Barrier,
    Binary,
    Call,
    Deref,
    Expr,
    IncDec,
    Member,
    Node,
    Opaque,
    Ref,
    Subscript,
    Unary,
    WarpOp,
)
from kernlint.tree.types import ArrayType, PointerType, Space
from kernlint.tree.walk import strip_casts, walk

_OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
_ATOM = pattern(r"[\w.:]+(?:\([^()]*\))?|\([^()]*\)|!\s*[\w.]+|[\w.]+\[[^\[\]]*\]")
MIXED = pattern(r"\|\||&&|\?|,|[^=!<>]=[^=]")


def is_pure(expr: Node) -> bool:
    """Whether an expression only computes: it reads no memory but the thread's own variables, calls nothing unknown and
    changes nothing."""
    for node in walk(expr):
        if isinstance(node, Assign | IncDec | Atomic | Barrier | WarpOp | Deref | Opaque):
            return False
        if isinstance(node, Call) and not node.pure_math:
            return False
        if isinstance(node, Member) and node.arrow:
            return False
        if isinstance(node, Ref) and node.decl.space in (Space.SHARED, Space.GLOBAL):
            return False
        if isinstance(node, Subscript) and isinstance(node.base.type, ArrayType | PointerType):
            return False
    return True


def is_stable(expr: Expr, region: Node) -> bool:
    """Whether ``expr`` has the same value wherever it is evaluated in ``region``."""
    return is_pure(expr) and not (set(used(expr)) & changed(region))


def opposite(page: Page, expr: Expr, span: Span | None = None) -> str | None:
    """The text of the condition that holds when ``expr`` does not; ``span``: the text to take for ``expr``, with the
    parentheses around it.  None where the text does not show the operators."""
    text = page.text(span or expr)
    at = strip_casts(expr)
    if isinstance(at, Unary) and at.op == "!" and text.startswith("!"):
        inner = page.text(at.operand)
        if text[1:].strip() == inner or text[1:].strip() == f"({inner})":
            return inner
    if isinstance(at, Binary):
        operator = page.operator(at.lhs, at.rhs)
        if operator is None:
            return None
        left, right = _sides(page, at, operator, span)
        if at.op in _OPPOSITE and left is not None and right is not None:
            return f"{left} {_OPPOSITE[at.op]} {right}"
        if at.op == "||":
            one, other = opposite(page, at.lhs), opposite(page, at.rhs)
            if one is not None and other is not None:
                return f"{one} && {other}"
    if "\n" in text or not balanced(text):
        return None
    return f"!{text}" if _ATOM.fullmatch(text) else f"!({text})"


def _sides(page: Page, expr: Binary, operator: Span, span: Span | None) -> tuple[str | None, str | None]:
    """The text on both sides of an operator, parentheses included."""
    start, end = (span.start, span.end) if span is not None else (expr.span.start, expr.span.end)
    sides = page.text(page.span(start, operator.start)).strip(), page.text(page.span(operator.end, end)).strip()
    return (sides[0] if balanced(sides[0]) else None), (sides[1] if balanced(sides[1]) else None)


def balanced(text: str) -> bool:
    """Whether the parentheses and brackets of a text are closed in order."""
    depth = 0
    for char in re.sub(r"'(?:\\.|[^'])*'", "", text):
        depth += (char in "([{") - (char in ")]}")
        if depth < 0:
            return False
    return depth == 0


def operand(text: str) -> str:
    """A condition as an operand of ``&&``: in parentheses where it needs them."""
    bare = re.sub(r"\([^()]*\)", "", re.sub(r"\([^()]*\)", "", text))
    return f"({text})" if MIXED.search(bare.replace("&&", "")) else text
