"""Members of a class that one of its functions expects to be 0, and leaves for, while another launches with them.

``if (count_ == 0) return;`` in a function without a result, or a constructor, says that there may be nothing to do.  A
way out that throws, asserts or tells of an error says the opposite, and is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.analysis.launching.launches import LaunchFact
from kernlint.analysis.launching.members import struct_of
from kernlint.source import Span
from kernlint.symbolic.terms import Symbol, symbols
from kernlint.tree.nodes import (
    Binary,
    Block,
    Call,
    Expr,
    FunctionDecl,
    If,
    IntLit,
    Launch,
    Member,
    Node,
    Ref,
    Return,
    Unary,
)
from kernlint.tree.nodes import FunctionKind as Kind
from kernlint.tree.types import IntType, VoidType
from kernlint.tree.walk import strip_casts, walk

Key = tuple[str, str]


def _compute(facts: ModuleFacts) -> dict[Key, Span]:
    found: dict[Key, Span] = {}
    for function in facts.module.functions:
        ours = function.kind in (Kind.HOST, Kind.BOTH) and function.this is not None
        if not ours or function.body is None or not isinstance(function.result, VoidType):
            continue
        for node in function.body.body:
            if isinstance(node, If) and node.other is None and _leaves(node.then):
                for member in _asked(node.cond):
                    of = struct_of(member.base.type)
                    if of is not None and isinstance(member.type, IntType):
                        found.setdefault((of.name, member.field), node.cond.span)
    return found


def _leaves(then: Node | None) -> bool:
    """Whether a branch is a return and nothing else."""
    inner = then.body if isinstance(then, Block) else (then,)
    return len(inner) == 1 and isinstance(inner[0], Return) and inner[0].value is None


def _asked(cond: Expr) -> Iterator[Member]:
    """The members of which a condition says that one of them is 0: by itself, in a product, or one of several."""
    cond = strip_casts(cond)
    if isinstance(cond, Binary) and cond.op == "||":
        yield from _asked(cond.lhs)
        yield from _asked(cond.rhs)
    elif isinstance(cond, Unary) and cond.op == "!":
        yield from _factors(cond.operand)
    elif isinstance(cond, Binary) and cond.op in ("==", "<=", "<"):
        number = strip_casts(cond.rhs)
        if isinstance(number, IntLit) and number.value == (1 if cond.op == "<" else 0):
            yield from _factors(cond.lhs)


def _factors(expr: Expr) -> Iterator[Member]:
    """The members that a number is the product of, through a variable that is made of them."""
    expr = strip_casts(expr)
    if isinstance(expr, Member):
        yield expr
    elif isinstance(expr, Binary) and expr.op == "*":
        yield from _factors(expr.lhs)
        yield from _factors(expr.rhs)
    elif isinstance(expr, Ref) and expr.decl.init is not None and expr.decl.const:
        yield from _factors(expr.decl.init)


emptied = ModuleAnalysis("emptied", _compute)
"""The members of classes that a function leaves for where they are 0, by class and name, with where it asks."""


def may_be_empty(fact: LaunchFact, facts: ModuleFacts) -> frozenset[Symbol]:
    """The size that a launch's grid rests on, where that is made of a member which another function expects to be 0.
    Functions that somebody in sight calls are left out: he may have asked before."""
    members, grid = facts[emptied], fact.node.grid
    if fact.grid is None or not members or grid is None:
        return frozenset()
    sizes = {symbol for size in fact.grid for symbol in symbols(size)}
    keys = {(of.name, member.field) for member in _within(grid) if (of := struct_of(member.base.type)) is not None}
    if len(sizes) != 1 or len(keys) != 1 or not keys <= members.keys():
        return frozenset()
    return frozenset() if _called(fact.node, facts.module.functions) else frozenset(sizes)


def _within(expr: Expr, depth: int = 3) -> Iterator[Member]:
    """The members that an expression names, through variables of the function."""
    for node in walk(expr):
        if isinstance(node, Member) and isinstance(node.type, IntType):
            yield node
        elif isinstance(node, Ref) and node.decl.init is not None and depth:
            yield from _within(node.decl.init, depth - 1)


def _called(launch: Launch, functions: Sequence[FunctionDecl]) -> bool:
    """Whether somebody in sight calls the function that a launch stands in."""
    bodies = {function: list(walk(function.body)) for function in functions if function.body is not None}
    own = [function for function, nodes in bodies.items() if any(node is launch for node in nodes)]
    return any(isinstance(node, Call) and node.function in own for nodes in bodies.values() for node in nodes)
