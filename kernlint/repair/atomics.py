"""Plain updates that threads collide in, made atomic operations."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts
from kernlint.finding import Edit, Finding, Fix
from kernlint.repair.conditions import balanced
from kernlint.repair.page import Page, within
from kernlint.repair.values import used
from kernlint.source import SourceFile
from kernlint.tree.nodes import Assign, Binary, Deref, Expr, ExprStmt, IncDec, Member, Ref, Subscript, VarDecl
from kernlint.tree.types import FloatType, IntType, PointerType, Space, Type
from kernlint.tree.walk import strip_casts, walk

_CUDA = {"+": "atomicAdd", "-": "atomicSub", "&": "atomicAnd", "|": "atomicOr", "^": "atomicXor"}
_OPENCL = {"+": "atomic_add", "-": "atomic_sub", "&": "atomic_and", "|": "atomic_or", "^": "atomic_xor"}
OLDEST = 60
"""Compute capability from which on there is ``atomicAdd`` of a double."""


def updates(facts: Facts, finding: Finding, source: SourceFile) -> Iterator[Fix]:
    """For races of updates (``a[k] += v``): the atomic operation; then those of all updates of the same array."""
    page = Page(source, facts.module)
    function = page.holder(finding.span)
    if function is None:
        return
    chain = page.chain(function, finding.span)
    stmt = chain[-1] if chain else None
    mine = _atomic(page, facts, stmt) if isinstance(stmt, ExprStmt) else None
    steps = finding.witness.steps if finding.witness is not None else ()
    if mine is None or stmt is None or not all(within(step.span, stmt.span) for step in steps):
        return
    edit, root = mine
    yield Fix(f"use an atomic operation: {edit.text}", (edit,))
    all_: dict[int, Edit] = {}
    for node in walk(function):
        if isinstance(node, ExprStmt):
            other = _atomic(page, facts, node)
            if other is not None and other[1] is root:
                all_[node.span.start] = other[0]
    if len(all_) > 1:
        yield Fix("use atomic operations for all updates of the array", tuple(all_.values()))


def _atomic(page: Page, facts: Facts, stmt: ExprStmt) -> tuple[Edit, VarDecl] | None:
    """An update as an atomic operation, and the variable that is updated or points there."""
    found = _update(page, stmt.expr)
    if found is None:
        return None
    target, op, value = found
    root, name = _root(target), _name(facts, target.type, op)
    if root in {decl for node in _operands(stmt.expr) for decl in used(node)}:
        return None  # what others update is read beside it
    text = page.text(target)
    if root is None or name is None or not balanced(text) or not balanced(value) or text in value or "\n" in text:
        return None
    if page.source.data[stmt.span.start : stmt.span.end].decode("utf-8", "replace") != page.text(stmt.expr):
        return None
    if name == "-":
        name, value = "atomicAdd", f"-({value})"
    place = text[1:].strip() if text.startswith("*") else f"&{text}"
    return Edit(stmt.expr.span, f"{name}({place}, {value})"), root


def _operands(expr: Expr) -> Iterator[Expr]:
    """What is added to the target of an update."""
    if isinstance(expr, Assign):
        sum_ = strip_casts(expr.value)
        yield sum_.rhs if not expr.op and isinstance(sum_, Binary) else sum_


def _update(page: Page, expr: Expr) -> tuple[Expr, str, str] | None:
    """Target, operator and operand (its text) of ``a += v``, ``a++`` or ``a = a + v``."""
    if isinstance(expr, IncDec):
        return expr.target, expr.op[0], "1"
    if not isinstance(expr, Assign):
        return None
    place = page.operator_of(expr)
    if place is None:
        return None
    right = page.text(page.span(place.end, expr.span.end)).strip()
    if expr.op:
        return expr.target, expr.op, right
    sum_ = strip_casts(expr.value)
    if isinstance(sum_, Binary) and sum_.op in _CUDA and page.text(sum_.lhs) == page.text(expr.target):
        at = page.operator(sum_.lhs, sum_.rhs)
        if at is not None and page.text(sum_) == right:
            return expr.target, sum_.op, page.text(page.span(at.end, sum_.span.end)).strip()
    return None


def _root(target: Expr) -> VarDecl | None:
    while isinstance(target, Subscript | Member | Deref):
        target = strip_casts(target.pointer if isinstance(target, Deref) else target.base)
        while isinstance(target, Binary) and target.op == "+":
            target = strip_casts(target.lhs)
    if not isinstance(target, Ref):
        return None
    shared = target.decl.space in (Space.SHARED, Space.GLOBAL) or isinstance(target.decl.type, PointerType)
    return target.decl if shared else None


def _name(facts: Facts, kind: Type, op: str) -> str | None:
    """The atomic operation; ``-`` for the addition of what is subtracted."""
    if facts.module.language == "opencl":
        return _OPENCL.get(op) if isinstance(kind, IntType) and kind.bits == 32 else None
    if isinstance(kind, FloatType):
        old = any(t.vendor == "nvidia" and _capability(t.name) < OLDEST for t in facts.options.targets)
        if kind.bits not in (32, 64) or (kind.bits == 64 and old):
            return None
        return {"+": "atomicAdd", "-": "-"}.get(op)
    if not isinstance(kind, IntType) or kind.bits not in (32, 64):
        return None
    if kind.bits == 64:
        return "atomicAdd" if op == "+" and not kind.signed else None
    return _CUDA.get(op)


def _capability(name: str) -> int:
    digits = name.removeprefix("sm_").rstrip("af")
    return int(digits) if digits.isdigit() else OLDEST
