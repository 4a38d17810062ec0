"""Sizes of a launch that are numbers by what stands in the text, and zeros that a caller passes.

A size that comes out as zero is most often a number that is not in sight, or that a function writes.  Where it is
written out, or a caller works a zero out of the constants that it names (``insert(rest, kKeys % kBatch)``), the launch
has no blocks.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.launching.launches import LaunchFact
from kernlint.tree.nodes import (
    Binary,
    Call,
    Cast,
    Expr,
    InitList,
    IntLit,
    Member,
    Module,
    ParamDecl,
    Ref,
    Unary,
    VarDecl,
)
from kernlint.tree.types import StructType
from kernlint.tree.walk import walk


def written(sizes: Expr | None) -> bool:
    """Whether sizes are numbers that stand in the text: what comes out as zero otherwise is most often a number that is
    not in sight, or that a function writes."""
    if sizes is None:
        return False
    for node in walk(sizes):
        if isinstance(node, Ref):
            fixed = node.decl.const or isinstance(node.decl.type, StructType)
            if not fixed or node.decl.init is None or not written(node.decl.init):
                return False
            if isinstance(node.decl.init, IntLit) and not node.decl.init.value:
                return False  # nobody names a size that is zero: what made it is not in sight
        elif not isinstance(node, (IntLit, Cast, Binary, Unary, InitList, Member)) and not (
            isinstance(node, Call) and node.function is None and isinstance(node.type, StructType)
        ):
            return False
    return True


def passed_zero(launch: LaunchFact, module: Module) -> bool:
    """Whether the zero along an axis of a grid is what callers in sight pass: an operation on constants."""
    wanted = dict.fromkeys(_params(launch.node.grid))
    for at in reversed(launch.stack):
        call = next((call for call in _calls(module) if call.span == at), None)
        if call is None or call.function is None:
            return False
        index = {param: place for place, param in enumerate(call.function.params)}
        given = [call.args[index[one]] for one in wanted if one in index and index[one] < len(call.args)]
        if any(_worked_out(one) for one in given):
            return True
        wanted = dict.fromkeys(param for one in given for param in _params(one))
    return False


def _calls(module: Module) -> Iterator[Call]:
    for function in module.functions:
        if function.body is not None:
            yield from (node for node in walk(function.body) if isinstance(node, Call))


def _worked_out(given: Expr) -> bool:
    """Whether an argument is a remainder or difference of named constants."""
    while isinstance(given, Cast):
        given = given.operand
    return isinstance(given, Binary) and given.op in ("%", "-", "/") and written(given)


def _params(sizes: Expr | None) -> Iterator[ParamDecl]:
    """The parameters of a function that sizes are made of, by way of its variables."""
    left, seen = [sizes], set[VarDecl]()
    while left:
        expr = left.pop()
        for node in walk(expr) if expr is not None else ():
            if isinstance(node, Ref) and isinstance(node.decl, ParamDecl):
                yield node.decl
            elif isinstance(node, Ref) and isinstance(node.decl, VarDecl) and node.decl not in seen:
                seen.add(node.decl)
                left.append(node.decl.init)
