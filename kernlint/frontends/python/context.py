"""What lowering one function keeps in hand: its variables and their types, places, losses, and the way to others.

A function is lowered again until the types of its variables no longer change: Python names have no type of their own,
and what is assigned at the end of a loop may decide what is computed at its head.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from kernlint.frontends.clang.python.program import PythonProgram, Scope
from kernlint.frontends.python.constants import Constants
from kernlint.frontends.python.functions import Finder, Jitted, has_twin
from kernlint.frontends.python.signs import Order, bounds_of, lower_bound, orders_of
from kernlint.frontends.python.uses import assigned_in
from kernlint.frontends.python.values import ArrayValue, TupleValue, Value, unified
from kernlint.record import dataclass, field
from kernlint.source import Span
from kernlint.tree.nodes import (
    Assign,
    Binary,
    Cast,
    DeclStmt,
    Expr,
    ExprStmt,
    FloatLit,
    FunctionDecl,
    IntLit,
    Loss,
    Opaque,
    OpaqueStmt,
    ParamDecl,
    Ref,
    Remark,
    Stmt,
    Unary,
    VarDecl,
)
from kernlint.tree.types import BOOL, I64, UNKNOWN, FloatType, IntType, Space, Type
from kernlint.tree.walk import traverse

PASSES = 5
"""Times that a function is lowered at most until its types hold still."""

DEPTH = 40
"""Expressions inside each other that are lowered."""


class Places(Protocol):
    """Says where nodes of one file stand."""

    def span(self, node: ast.AST) -> Span:
        """The place of a node."""
        ...


@dataclass(slots=True, eq=False)
class Lowering:
    """One file: ``device`` makes the instance of a function for given arguments; ``rank`` tells with how many indices a
    function subscripts a name."""

    path: str
    program: PythonProgram
    finder: Finder
    constants: Constants
    device: Callable[[Jitted, tuple[Value, ...], Span], tuple[FunctionDecl | None, tuple[Expr, ...], Type]]
    rank: Callable[[Jitted, str], int]
    symbols: dict[tuple[int, str], ParamDecl] = field(default_factory=dict)
    stated: set[ParamDecl] = field(default_factory=set)
    """Parameters of kernels whose types a signature or a launch states."""

    def span(self, node: ast.AST) -> Span:
        """The place of a node."""
        return Span(self.path, self.program.start(node), self.program.end(node))


@dataclass(slots=True, eq=False)
class Variables:
    """What is learnt of a function's variables from pass to pass: types, least values, those that are mixed, those
    that something is taken away from (``falling``), and those that stand for several arrays in turn (``pointers``;
    ``kept``: numbers that are kept of each)."""

    types: dict[str, Type] = field(default_factory=dict)
    lows: dict[str, int | None] = field(default_factory=dict)
    mixed: set[str] = field(default_factory=set)
    falling: set[str] = field(default_factory=set)
    assigned: dict[str, int] = field(default_factory=dict)
    pointers: set[str] = field(default_factory=set)
    kept: dict[str, int] = field(default_factory=dict)


class Function:
    """The lowering of one function in one pass."""

    def __init__(self, lowering: Lowering, jitted: Jitted, variables: Variables) -> None:
        self.lowering = lowering
        self.jitted = jitted
        self.scope: Scope = jitted.inner
        self.known = variables
        self.env: dict[str, Value] = {}
        self.decls: dict[str, VarDecl] = {}
        self.losses: list[Loss] = []
        self.before: list[Stmt] | None = []
        self.low: dict[VarDecl, int] = {}
        self.orders: tuple[Order, ...] = ()
        self.types: dict[str, Type] = {}
        self.lows: dict[str, int | None] = {}
        self.result: Type | None = None
        self.places: dict[str, tuple[int, int]] = {}
        self.depth = 0
        self.made = 0
        self.naming = ""
        self.loops: list[ast.stmt] = []
        self.broken: dict[ast.stmt, VarDecl] = {}
        """For loops with an ``else``: the variable that says whether a ``break`` has left them."""
        self.conditions: dict[ast.stmt, Expr] = {}
        self.loop_variables: frozenset[str] = frozenset()
        self.remarks: list[Remark] = []
        self.divided: set[str] = set()

    # --------------------------------------------------------------------------------------------------- places

    def span(self, node: ast.AST) -> Span:
        """The place of a node."""
        return self.lowering.span(node)

    # ----------------------------------------------------------------------------------------------------- gaps

    def lose(self, kind: str, reason: str, node: ast.AST) -> None:
        """Note something that does not reach the tree, once for each place."""
        if kind == "unsupported" and has_twin(self.jitted.node, self.jitted.scope):
            kind = "expression"  # what stands in the other branch may be what is compiled
        loss = Loss(kind, reason, self.span(node))
        if loss not in self.losses:
            self.losses.append(loss)

    def opaque(self, node: ast.AST, reason: str, type_: Type = UNKNOWN, *, kind: str = "expression") -> Expr:
        """An expression that is not understood."""
        self.lose(kind, reason, node)
        return Opaque(self.span(node), type_, reason, (), writes=True)

    def opaque_statement(self, node: ast.AST, reason: str, *, kind: str = "statement", sync: bool = False) -> Stmt:
        """A statement that is not understood."""
        self.lose(kind, reason, node)
        return OpaqueStmt(self.span(node), reason, (), sync)

    def remark(self, kind: str, node: ast.AST, *words: str) -> None:
        """Note something that a rule may speak of."""
        self.remarks.append(Remark(kind, self.span(node), self.jitted.name, words))

    # ------------------------------------------------------------------------------------------------ conditions

    def suppose(self, cond: Expr, holds: bool) -> None:
        """From here on a condition holds, or does not."""
        for decl, low in bounds_of(cond, holds, dict(self.low)):
            self.low[decl] = max(low, self.low.get(decl, low))
        self.orders = (*self.orders, *orders_of(cond, holds))[-40:]

    @contextmanager
    def supposing(self, cond: Expr, holds: bool) -> Iterator[None]:
        """Within, a condition holds, or does not."""
        low, orders = dict(self.low), self.orders
        self.suppose(cond, holds)
        try:
            yield
        finally:
            self.low = {**self.low, **low}
            self.orders = orders

    def forget(self, name: str) -> None:
        """What is known of a variable is no longer so: it is assigned."""
        if self.orders:
            self.orders = tuple(one for one in self.orders if not _mentions(one, name))

    # ------------------------------------------------------------------------------------------------ variables

    def inside(self, name: str) -> bool:
        """Whether the place is in a loop that assigns ``name``, so that it stands for several things in turn."""
        return any(name in assigned_in(getattr(loop, "body", [])) for loop in self.loops)

    def assigns(self, name: str, type_: Type, low: int | None) -> None:
        """Note that a value of ``type_``, not less than ``low``, is assigned to a variable."""
        was = self.types.get(name)
        if was is not None and isinstance(was, IntType) != isinstance(type_, IntType):
            self.known.mixed.add(name)
        self.types[name] = unified(was, type_)
        if name not in self.lows:
            self.lows[name] = low
        else:
            known = self.lows[name]
            self.lows[name] = None if low is None or known is None else min(low, known)

    def variable(self, name: str, node: ast.AST, type_: Type) -> VarDecl:
        """The declaration of a scalar variable, made at the first use."""
        found = self.decls.get(name)
        if found is None:
            kind = self.known.types.get(name, type_)
            found = self.decls[name] = VarDecl(self.span(node), name, kind, Space.PRIVATE)
            low = self.known.lows.get(name)
            if low is not None:
                self.low[found] = low
        return found

    def temporary(self, node: ast.AST, type_: Type, init: Expr, name: str = "") -> Expr:
        """A value kept for several uses; as it is where statements cannot stand."""
        if isinstance(init, (IntLit, FloatLit)) or (isinstance(init, Ref) and isinstance(init.decl, ParamDecl)):
            return init
        if self.before is None:
            return init
        self.made += 1
        decl = VarDecl(self.span(node), name or f"tmp{self.made}", type_, Space.PRIVATE, init)
        low = least(self, init)
        if low is not None:
            self.low[decl] = low
        self.before.append(DeclStmt(self.span(node), (decl,)))
        return Ref(self.span(node), type_, decl)

    @contextmanager
    def no_statements(self) -> Iterator[None]:
        """No temporaries may be made within: what is lowered is evaluated more than once, or perhaps never."""
        saved, self.before = self.before, None
        try:
            yield
        finally:
            self.before = saved


def _mentions(order: Order, name: str) -> bool:
    return any(re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text) for text in order[:2])


# ------------------------------------------------------------------------------------------------- small builders


def literal(span: Span, value: int, type_: Type = I64) -> Expr:
    """A whole number."""
    return IntLit(span, type_, value)


def converted(expr: Expr, type_: Type) -> Expr:
    """``expr`` as a value of ``type_``."""
    if expr.type == type_ or type_ == UNKNOWN:
        return expr
    if isinstance(expr, IntLit) and isinstance(type_, IntType):
        return IntLit(expr.span, type_, type_.wrap(expr.value))
    if isinstance(expr, IntLit) and isinstance(type_, FloatType):
        return FloatLit(expr.span, type_, float(expr.value))
    if isinstance(expr, FloatLit) and isinstance(type_, FloatType):
        return FloatLit(expr.span, type_, expr.value)
    return Cast(expr.span, type_, expr, False)


def truth(expr: Expr) -> Expr:
    """``expr`` as a condition."""
    if expr.type == BOOL:
        return expr
    if isinstance(expr.type, (IntType, FloatType)):
        zero = converted(IntLit(expr.span, I64, 0), expr.type)
        return Binary(expr.span, BOOL, "!=", expr, zero)
    return expr


def integer(op: str, left: Expr, right: Expr, span: Span | None = None) -> Expr:
    """``left op right`` in 64 bits, worked out where both are numbers."""
    left, right = converted(left, I64), converted(right, I64)
    where = span if span is not None else left.span.join(right.span)
    if isinstance(left, IntLit) and isinstance(right, IntLit):
        a, b = left.value, right.value
        value = {"+": a + b, "-": a - b, "*": a * b}.get(op)
        if value is None and b > 0 and a >= 0:
            value = a // b if op == "/" else a % b if op == "%" else None
        if value is not None and abs(value) < 1 << 62:
            return IntLit(where, I64, value)
    for one, other in ((left, right), (right, left)):
        if isinstance(one, IntLit) and ((op == "+" and one.value == 0) or (op == "*" and one.value == 1)):
            return other
    return Binary(where, I64, op, left, right)


def assignment(target: Expr, value: Expr, span: Span) -> Stmt:
    """``target = value;``."""
    return ExprStmt(span, Assign(span, target.type, "", target, converted(value, target.type)))


def least(f: Function, expr: Expr) -> int | None:
    """A number that ``expr`` is never below, as far as its form and the tests around it say."""
    return lower_bound(f.low, expr)


def falls(f: Function, expr: Expr) -> bool:
    """Whether something is taken away in an expression, or was in a variable of it; data and arguments count as what
    they are meant to be."""
    for at in traverse(expr):
        if isinstance(at, Unary) or (isinstance(at, Binary) and at.op == "-"):
            return True
        if isinstance(at, Ref) and at.decl.name in f.known.falling:
            return True
    return False


def is_scalar(value: Value) -> bool:
    """Whether a value is one of the tree's own."""
    return isinstance(value, Expr)


def flat(value: Value) -> Iterator[Value]:
    """The parts of a value, tuples taken apart."""
    if isinstance(value, TupleValue):
        for item in value.items:
            yield from flat(item)
    else:
        yield value


def array_or_none(value: Value) -> ArrayValue | None:
    """The value when it is an array."""
    return value if isinstance(value, ArrayValue) else None
