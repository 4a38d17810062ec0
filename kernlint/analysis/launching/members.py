"""What host code in sight stores in members of structs and classes: a pitch that is rounded up where it is made.

Where all that a file stores in a member is a multiple of a number, so is the member, whichever function launches with
it; and what a caller's numbers make of it, it may be (:func:`held`).  A member whose address is taken, or that is
stored in by ``+=``, may be anything.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection, Iterator, Mapping

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term
from kernlint.tree.nodes import (
    AddressOf,
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    DeclStmt,
    Expr,
    FloatLit,
    FunctionDecl,
    IncDec,
    InitList,
    IntLit,
    Member,
    ParamDecl,
    Ref,
    Return,
    Unary,
    VarDecl,
)
from kernlint.tree.types import FloatType, IntType, PointerType, StructType, Type
from kernlint.tree.walk import walk

DEEP = 8
"""Expressions, calls and callers that are followed, one in the other."""

MOST = 16
"""Values of a member that are told apart."""

Number = int | float


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """A value that a function stores in a member; None: one that nobody knows."""

    by: FunctionDecl
    value: Expr | None


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """``stores``: what is stored, by struct and member.  ``callers``: who calls a function, with which call."""

    stores: Mapping[tuple[str, str], tuple[Stored, ...]]
    callers: Mapping[FunctionDecl, tuple[tuple[FunctionDecl, Call], ...]]

    def multiple(self, kind: StructType, field: str) -> int:
        """The number that all that is stored in a member is a multiple of; 1: of none, or nobody knows."""
        found = 0
        for one in self.stores.get((kind.name, field), ()):
            found = math.gcd(found, 1 if one.value is None else _multiple(one.value, _Where(one.by), DEEP))
        return found or 1

    def values(self, kind: StructType, field: str) -> tuple[int, ...]:
        """Whole numbers that come to be stored in a member, where the callers in sight pass numbers."""
        found: dict[int, None] = {}
        for one in self.stores.get((kind.name, field), ()):
            if one.value is not None and len(found) < MOST:
                for value in self._reached(one.by, one.value, 3):
                    if value == int(value):
                        found.setdefault(int(value))
        return tuple(found)

    def passed(self, params: Collection[VarDecl]) -> Iterator[dict[Span, Number]]:
        """The numbers that callers in sight pass for parameters of one function, by where these are declared."""
        wanted = {param.span for param in params}
        for function, calls in self.callers.items():
            if not wanted <= {param.span for param in function.params}:
                continue
            for caller, call in calls[:MOST]:
                found: dict[Span, Number] = {}
                for param, arg in zip(function.params, call.args, strict=False):
                    known = next(self._reached(caller, arg, 2), None) if param.span in wanted else None
                    if known is not None:
                        found[param.span] = _converted(known, param.type)
                if len(found) == len(wanted):
                    yield found

    def _reached(self, by: FunctionDecl, value: Expr, deep: int) -> Iterator[Number]:
        """The values of an expression of a function, by what its callers pass."""
        own = _number(value, {}, DEEP)
        if own is not None:
            yield own
        elif deep:
            for caller, call in self.callers.get(by, ())[:MOST]:
                passed: dict[ParamDecl, Number] = {}
                for param, arg in zip(by.params, call.args, strict=False):
                    known = next(self._reached(caller, arg, deep - 1), None)
                    if known is not None:
                        passed[param] = _converted(known, param.type)
                found = _number(value, passed, DEEP) if passed else None
                if found is not None:
                    yield found


@dataclass(frozen=True, slots=True, eq=False)
class _Where:
    """The function that an expression stands in, and the call that it is followed from."""

    function: FunctionDecl
    call: Call | None = None
    outer: _Where | None = None


def _multiple(expr: Expr, where: _Where, deep: int) -> int:
    """What an expression is a multiple of, whatever its variables are; 0 for zero."""
    if deep <= 0:
        return 1
    if isinstance(expr, IntLit):
        return abs(expr.value)
    if isinstance(expr, Cast):
        return _multiple(expr.operand, where, deep) if isinstance(expr.type, IntType) else 1
    if isinstance(expr, Conditional):
        return math.gcd(_multiple(expr.then, where, deep - 1), _multiple(expr.other, where, deep - 1))
    if isinstance(expr, Binary):
        return _of_binary(expr, where, deep)
    if isinstance(expr, Ref):
        return _of_variable(expr, where, deep)
    if isinstance(expr, Call):
        return _of_call(expr, where, deep)
    return 1


def _of_binary(expr: Binary, where: _Where, deep: int) -> int:
    left, right = (_multiple(side, where, deep - 1) for side in (expr.lhs, expr.rhs))
    if expr.op == "*":
        return left * right
    if expr.op in ("+", "-"):
        return math.gcd(left, right)
    by = _number(expr.rhs, {}, DEEP)
    if expr.op == "<<" and isinstance(by, int) and 0 <= by < 31:
        return left << by
    if expr.op == "&":
        mask = by if isinstance(by, int) else None
        if mask is not None and mask != 0:
            return max(left, mask & -mask)
        unary = expr.rhs.operand if isinstance(expr.rhs, Cast) else expr.rhs
        if isinstance(unary, Unary) and unary.op == "~":
            inner = unary.operand  # ~(unit - 1): a power of two
            less = inner.operand if isinstance(inner, Cast) else inner
            if isinstance(less, Binary) and less.op == "-" and _number(less.rhs, {}, DEEP) == 1:
                unit = _multiple(less.lhs, where, deep - 1)
                return max(left, unit & -unit)
    return 1


def _of_variable(expr: Ref, where: _Where, deep: int) -> int:
    decl = expr.decl
    if decl.value is not None:
        return abs(decl.value)
    if isinstance(decl, ParamDecl):
        if where.call is None or where.outer is None or not 0 <= decl.index < len(where.call.args):
            return 1
        return _multiple(where.call.args[decl.index], where.outer, deep - 1)
    if not isinstance(decl, VarDecl) or decl.init is None or _changed(decl, where.function):
        return 1
    return _multiple(decl.init, where, deep - 1)


def _of_call(expr: Call, where: _Where, deep: int) -> int:
    if expr.name.rpartition("::")[2] in ("min", "max") and len(expr.args) == 2:
        return math.gcd(*(_multiple(arg, where, deep - 1) for arg in expr.args))
    called = expr.function
    if called is None or called.body is None:
        return 1
    given = [node.value for node in walk(called.body) if isinstance(node, Return)]
    inside = _Where(called, expr, where)
    return math.gcd(*(1 if one is None else _multiple(one, inside, deep - 1) for one in given)) or 1


def _changed(decl: VarDecl, function: FunctionDecl) -> bool:
    """Whether a variable gets another value than the first."""
    if decl.const or function.body is None:
        return not decl.const
    for node in walk(function.body):
        target = node.target if isinstance(node, (Assign, IncDec)) else None
        target = node.operand if isinstance(node, AddressOf) else target
        if isinstance(target, Ref) and target.decl is decl:
            return True
    return False


_MATH: Mapping[str, Callable[..., Number]] = {
    "ceil": math.ceil,
    "ceilf": math.ceil,
    "floor": math.floor,
    "floorf": math.floor,
    "sqrt": math.sqrt,
    "sqrtf": math.sqrt,
    "cbrt": lambda x: math.copysign(abs(x) ** (1 / 3), x),
    "log2": math.log2,
    "pow": math.pow,
    "powf": math.pow,
    "round": lambda x: math.floor(x + 0.5),
    "lround": lambda x: math.floor(x + 0.5),
    "min": min,
    "max": max,
    "abs": abs,
    "fabs": abs,
}


def constant(expr: Expr) -> Number | None:
    """The value of an expression that no parameter has a part in."""
    return _number(expr, {}, DEEP)


def _number(expr: Expr, known: Mapping[ParamDecl, Number], deep: int) -> Number | None:
    """The value of an expression where parameters have the values ``known``."""
    if isinstance(expr, (IntLit, FloatLit)):
        return expr.value
    if deep <= 0:
        return None
    if isinstance(expr, Cast):
        inner = _number(expr.operand, known, deep)
        return None if inner is None else _converted(inner, expr.type)
    if isinstance(expr, Ref):
        return _of_ref(expr, known, deep)
    if isinstance(expr, Unary):
        inner = _number(expr.operand, known, deep - 1)
        if expr.op == "~":
            return ~inner if isinstance(inner, int) else None
        return None if inner is None or expr.op not in "+-" else -inner if expr.op == "-" else inner
    if isinstance(expr, Binary):
        left, right = (_number(side, known, deep - 1) for side in (expr.lhs, expr.rhs))
        return None if left is None or right is None else _worked_out(expr.op, left, right)
    return _called(expr, known, deep) if isinstance(expr, Call) else None


def _of_ref(expr: Ref, known: Mapping[ParamDecl, Number], deep: int) -> Number | None:
    if isinstance(expr.decl, ParamDecl) and not expr.decl.is_template:
        return known.get(expr.decl)
    if expr.decl.value is not None:
        return expr.decl.value
    if expr.decl.const and expr.decl.init is not None:
        inner = _number(expr.decl.init, known, deep - 1)
        return None if inner is None else _converted(inner, expr.decl.type)
    return None


def _worked_out(op: str, left: Number, right: Number) -> Number | None:
    if op in ("+", "-", "*"):
        return left + right if op == "+" else left - right if op == "-" else left * right
    whole = isinstance(left, int) and isinstance(right, int)
    if op == "/" and right:
        return int(left / right) if whole else left / right
    if op == "%" and whole and right:
        return int(math.fmod(left, right))
    if op in ("<<", ">>") and isinstance(left, int) and isinstance(right, int) and 0 <= right < 31:
        return left << right if op == "<<" else left >> right
    return None


_TRUTHS: Mapping[str, Callable[..., bool]] = {
    "lt": operator.lt,
    "le": operator.le,
    "eq": operator.eq,
    "ne": operator.ne,
    "land": lambda a, b: bool(a and b),
    "lor": lambda a, b: bool(a or b),
}


def value_of(term: Term, known: Mapping[Symbol, Number]) -> Number | None:
    """The value of a host term, in floating point where it is one."""
    if term.op == "const":
        number: Number = term.args[0]
        return number
    if term.op == "sym":
        return known.get(term.args[0])
    parts = [value_of(part, known) for part in term.terms]
    values = [part for part in parts if part is not None]
    if len(values) < len(parts) or not values:
        return None
    if term.op == "cast":
        return _converted(values[0], term.type)
    if term.op in ("min", "max", "call"):
        return _by_name(term.op if term.op != "call" else str(term.args[0]), values, term.type)
    if term.op == "select":
        return values[1] if values[0] else values[2]
    if term.op == "lnot":
        return int(not values[0])
    if term.op in _TRUTHS:
        return int(_TRUTHS[term.op](*values))
    if len(values) == 2:
        by = {"add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%", "shl": "<<", "shr": ">>"}.get(term.op)
        return None if by is None else _wrapped(_worked_out(by, *values), term.type)
    return -values[0] if term.op == "neg" else None


def _wrapped(value: Number | None, kind: Type) -> Number | None:
    """A result of unsigned arithmetic as its type holds it: one less is the largest number more (ISO C 6.2.5)."""
    if isinstance(value, int) and isinstance(kind, IntType) and not kind.signed:
        return kind.wrap(value)
    return value


def _by_name(name: str, numbers: list[Number], kind: Type) -> Number | None:
    does = _MATH.get(name.rpartition("::")[2])
    try:
        return None if does is None or not numbers else _converted(does(*numbers), kind)
    except (TypeError, ValueError, OverflowError):
        return None


def _called(expr: Call, known: Mapping[ParamDecl, Number], deep: int) -> Number | None:
    args = [_number(arg, known, deep - 1) for arg in expr.args]
    numbers = [arg for arg in args if arg is not None]
    if len(numbers) < len(args):
        return None
    known_function = _by_name(expr.name, numbers, expr.type)
    if known_function is not None:
        return known_function
    body = expr.function.body.body if expr.function is not None and expr.function.body is not None else ()
    last = body[-1] if body else None
    if expr.function is None or not isinstance(last, Return) or last.value is None:
        return None
    if not all(isinstance(one, DeclStmt) for one in body[:-1]):
        return None
    passed = {p: _converted(n, p.type) for p, n in zip(expr.function.params, numbers, strict=False)}
    return _number(last.value, passed, deep - 1)


def _converted(value: Number, kind: Type) -> Number:
    if isinstance(kind, PointerType) and kind.reference:
        kind = kind.pointee
    if isinstance(kind, IntType):
        return int(value)
    return float(value) if isinstance(kind, FloatType) else value


def number_of(expr: Expr) -> Number | None:
    """The value of an expression of constants."""
    return _number(expr, {}, DEEP)


def largest_of(one: Stored, tops: Mapping[str, int]) -> tuple[str, int] | None:
    """The largest value of an expression of one parameter (its name) that is at most as large as ``tops`` says, where
    it grows with the parameter."""
    value = one.value
    mentioned = {n.decl for n in walk(value) if isinstance(n, Ref) and isinstance(n.decl, ParamDecl)} if value else ()
    if value is None or len(mentioned) != 1:
        return None
    (param,) = mentioned
    if param.name not in tops:
        return None
    found = [_number(value, {param: at}, DEEP) for at in range(tops[param.name] + 1)]
    numbers = [at for at in found if at is not None]
    if len(numbers) != len(found) or numbers[-1] != max(numbers):
        return None
    return param.name, int(numbers[-1])


def struct_of(kind: Type) -> StructType | None:
    """The struct that a type is, or points to."""
    return _struct(kind)


def _stored(function: FunctionDecl) -> Iterator[tuple[StructType, str, Expr | None]]:
    """What a function stores in members: (struct, member, value)."""
    if function.body is None:
        return
    for node in walk(function.body):
        if isinstance(node, (Assign, IncDec)) and isinstance(node.target, Member):
            kind = node.target.base.type
            plain = isinstance(node, Assign) and not node.op
            value = node.value if isinstance(node, Assign) and plain else None
            yield from [(one, node.target.field, value) for one in [_struct(kind)] if one is not None]
        elif isinstance(node, AddressOf) and isinstance(node.operand, Member):
            kind = node.operand.base.type
            yield from [(one, node.operand.field, None) for one in [_struct(kind)] if one is not None]
        elif isinstance(node, InitList) and isinstance(node.type, StructType):
            yield from (
                (node.type, field.name, value)
                for field, value in zip(node.type.fields, node.elements, strict=False)
                if isinstance(field.type, IntType)
            )


def _struct(kind: Type) -> StructType | None:
    kind = kind.pointee if isinstance(kind, PointerType) else kind
    return kind if isinstance(kind, StructType) else None


def _compute(facts: ModuleFacts) -> Members:
    stores: dict[tuple[str, str], list[Stored]] = {}
    callers: dict[FunctionDecl, list[tuple[FunctionDecl, Call]]] = {}
    for function in facts.module.functions:
        for kind, field, value in _stored(function):
            stores.setdefault((kind.name, field), []).append(Stored(function, value))
        for node in walk(function.body) if function.body is not None else ():
            if isinstance(node, Call) and node.function is not None:
                callers.setdefault(node.function, []).append((function, node))
    return Members(
        {name: tuple(found) for name, found in stores.items()}, {one: tuple(by) for one, by in callers.items()}
    )


members = ModuleAnalysis("members", _compute)
"""What functions of the file store in members of structs."""


def _within(offset: Term, size: int | None) -> int | None:
    """Where in an object of ``size`` bytes a place is, whichever of several such objects it is in."""
    form = polynomial(offset).coefficients
    if not size or any(value % size for mono, value in form.items() if mono):
        return offset.value
    return form.get((), 0) % size


def member_of(symbol: Symbol, function: FunctionDecl | None = None) -> tuple[StructType, str] | None:
    """The struct and member that a host's or kernel's symbol is the value of; None: it is no member."""
    if symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple):
        root, offset = symbol.origin
        kind = _struct(root.decl.type) if root.decl is not None else None
        at = _within(offset, kind.size) if isinstance(offset, Term) and kind is not None else None
        found = [field.name for field in kind.fields if field.offset == at] if kind is not None else []
        return (kind, found[0]) if kind is not None and len(found) == 1 else None
    if symbol.kind is not SymbolKind.PARAM or function is None:
        return None
    name, *path = symbol.name.split(".")
    kind = next((_struct(param.type) for param in function.params if param.name == name), None)
    for place, part in enumerate(path):
        field = kind.field(part) if kind is not None else None
        if kind is None or field is None:
            return None
        if place == len(path) - 1:
            return kind, part
        kind = _struct(field.type)
    return None
