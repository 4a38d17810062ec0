"""What expressions are worth: the events that they cause are recorded on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kernlint.analysis.trace.events import (
    ConditionEvent,
    Guard,
    GuardKind,
)
from kernlint.analysis.trace.machine import Machine
from kernlint.analysis.trace.values import (
    PointerValue,
    ReferenceValue,
    Value,
    as_term,
    present,
    unknown_value,
)
from kernlint.source import Span
from kernlint.symbolic.terms import (
    FALSE,
    TRUE,
    Term,
    negate,
    truth,
)
from kernlint.tree import nodes as n


def evaluate(m: Machine, expr: n.Expr) -> Value:
    """Value of ``expr``; its accesses and barriers are recorded."""
    m.step()
    handler = (_HANDLERS or _handlers()).get(type(expr))
    if handler is None or m.state is None:
        return unknown_value(expr.type, "dead code" if m.state is None else type(expr).__name__)
    return handler(m, expr)


def scalar(m: Machine, expr: n.Expr) -> Term:
    """Value of ``expr`` as one term."""
    return as_term(evaluate(m, expr), expr.type)


def condition(m: Machine, expr: n.Expr) -> Term:
    """Truth of ``expr``; the test is recorded."""
    value = evaluate(m, expr)
    if isinstance(value, PointerValue):
        term = present(value.root)
    elif isinstance(value, ReferenceValue):
        term = TRUE
    else:
        term = truth(as_term(value, expr.type))
    if m.state is not None and term.op != "const":
        m.trace.conditions.append(ConditionEvent(**m.common(expr.span), term=term, node=expr))
    return term


def under(m: Machine, term: Term, span: Span, action: Callable[[], Value]) -> Value | None:
    """Run ``action`` on the path where ``term`` holds too; afterwards the path is as before.  None when it never
    holds.  What the action does to variables is merged under ``term``."""
    if term == FALSE or m.state is None:
        return None
    before = m.state
    base = before.path
    m.state = before.fork()
    m.guarded(term, GuardKind.SHORT, span)
    value = action()
    after = m.state
    if term == TRUE:
        if after is not None:
            after.path = base
        return value
    before.path = (*base, Guard(negate(term), GuardKind.SHORT, span))
    m.state = m.join(term, after, before, base)
    if m.state is not None:
        m.state.path = base
    return value


_HANDLERS: dict[type, Callable[[Machine, Any], Value]] = {}
"""What to do with each kind of expression, from the first one on."""


def _handlers() -> dict[type, Callable[[Machine, Any], Value]]:
    from kernlint.analysis.trace.expressions import VALUES

    _HANDLERS.update(VALUES)
    return _HANDLERS
