"""Static shared memory of a kernel that a launch asks for once more, as dynamic shared memory.

``cudaFuncAttributes::sharedSizeBytes`` and ``CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES`` are "the size in bytes of
statically-allocated shared memory per block required by this function.  This does not include dynamically-allocated
shared memory requested by the user at runtime" (CUDA runtime and driver API; HIP names the same two).  A block has that
memory anyway.
"""

from __future__ import annotations

from collections.abc import Iterable

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.source import Span
from kernlint.tree.nodes import (
    AddressOf,
    Assign,
    Binary,
    Call,
    Expr,
    FunctionDecl,
    IntLit,
    Launch,
    Member,
    Node,
    ParamDecl,
    Ref,
    VarDecl,
)
from kernlint.tree.types import PointerType, StructType
from kernlint.tree.walk import strip_casts, walk

_FIELD = "sharedSizeBytes"
_ASKS = frozenset({"cuFuncGetAttribute", "hipFuncGetAttribute", "cuKernelGetAttribute"})
_STATIC = 1
"""``CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES``, and that of HIP."""

DEPTH = 4
"""Variables, members and parameters that are followed one after the other."""

Holder = VarDecl | tuple[str, str]
"""A variable, or a member by its class and name."""


def _holder(expr: Expr | None) -> Holder | None:
    bare = strip_casts(expr)
    if isinstance(bare, Ref):
        return bare.decl
    if isinstance(bare, Member):
        kind = bare.base.type.pointee if isinstance(bare.base.type, PointerType) else bare.base.type
        return (kind.name, bare.field) if isinstance(kind, StructType) else None
    return None


class _Flow:
    """What the variables and members of a file are given."""

    def __init__(self, functions: Iterable[FunctionDecl]) -> None:
        self.given: dict[Holder, list[Expr]] = {}
        self.asked: dict[Holder, Span] = {}
        self.launches: list[Launch] = []
        self.mentioned = False
        """Whether any function speaks of the size of a kernel's own shared memory."""
        for function in functions:
            for node in walk(function.body) if function.body is not None else ():
                self._note(node)
        self.mentioned = self.mentioned or bool(self.asked)

    def _note(self, node: Node) -> None:
        if isinstance(node, Launch):
            self.launches.append(node)
        elif isinstance(node, Member):
            self.mentioned = self.mentioned or node.field == _FIELD
        elif isinstance(node, VarDecl) and node.init is not None:
            self.given.setdefault(node, []).append(node.init)
        elif isinstance(node, Assign):
            at = _holder(node.target)
            if at is not None:
                self.given.setdefault(at, []).append(node.value)
        elif isinstance(node, Call):
            for param, arg in zip(node.function.params if node.function is not None else (), node.args, strict=False):
                self.given.setdefault(param, []).append(arg)
            what = strip_casts(node.args[1]) if len(node.args) > 2 and node.name in _ASKS else None
            place = strip_casts(node.args[0]) if isinstance(what, IntLit) and what.value == _STATIC else None
            at = _holder(place.operand) if isinstance(place, AddressOf) else None
            if at is not None:
                self.asked[at] = node.span

    def source(self, expr: Expr | None, depth: int = 0) -> Span | None:
        """Where a size that is a kernel's own shared memory, or has it in a sum, is asked for; None for another."""
        bare = strip_casts(expr)
        if isinstance(bare, Member) and bare.field == _FIELD:
            return bare.span
        if isinstance(bare, Binary) and bare.op == "+":
            return self.source(bare.lhs, depth) or self.source(bare.rhs, depth)
        at = _holder(bare)
        if at is None or depth >= DEPTH:
            return None
        values = [one for one in self.given.get(at, ()) if not _nothing(one)]
        if at in self.asked:
            return self.asked[at] if not values else None
        if isinstance(at, ParamDecl) and not values:
            return None
        found = [self.source(one, depth + 1) for one in values]
        return found[0] if found and None not in found else None


def _nothing(expr: Expr) -> bool:
    bare = strip_casts(expr)
    return isinstance(bare, IntLit) and bare.value == 0


def _compute(facts: ModuleFacts) -> tuple[tuple[Span, Span], ...]:
    flow = _Flow(facts.module.functions)
    found: dict[Span, Span] = {}
    for launch in flow.launches if flow.mentioned else ():
        at = flow.source(launch.shared) if launch.shared is not None else None
        if at is not None:
            found.setdefault(launch.span, at)
    return tuple(found.items())


asked_twice = ModuleAnalysis("asked_twice", _compute)
"""Launches that ask for a kernel's static shared memory as dynamic one, each with where that size is asked for."""
