"""Structs and vectors that are read whole, of which a part is used.

``const float2 there = map[i + 1];`` of which only ``there.x`` is looked at does not see a store to ``map[i + 1].y``:
what a thread makes of it is the same whether the store came first.  So for the question whether two accesses meet, the
read is as wide as what is used of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernlint.analysis.trace.events import Access, AccessKind
from kernlint.record import replace
from kernlint.symbolic.terms import binary, const
from kernlint.tree.nodes import AddressOf, Assign, Expr, FunctionDecl, Member, Node, Ref, VarDecl
from kernlint.tree.types import I64, StructType, Type, VectorType
from kernlint.tree.walk import strip_casts, walk

Part = tuple[int, int]
"""First byte, and the one behind the last."""


def as_used(accesses: Sequence[Access], functions: Iterable[FunctionDecl]) -> list[Access]:
    """``accesses`` with reads of whole objects as wide as what the ``functions`` use of their copies."""
    if not any(_whole_read(access) for access in accesses):
        return list(accesses)
    used: dict[int, Part] = {}
    for function in functions:
        used.update(_used(function))
    return [_narrowed(access, used) for access in accesses]


def _whole_read(access: Access) -> bool:
    kind = access.type
    parts = isinstance(kind, VectorType) or (isinstance(kind, StructType) and not kind.union)
    return parts and access.kind is AccessKind.READ and access.size is not None and access.size == kind.size


def _narrowed(access: Access, used: dict[int, Part]) -> Access:
    part = used.get(id(access.node)) if _whole_read(access) else None
    if part is None or part == (0, access.size):
        return access
    offset = binary("add", access.offset, const(part[0], I64), I64) if part[0] else access.offset
    return replace(access, offset=offset, size=part[1] - part[0])


def _used(function: FunctionDecl) -> dict[int, Part]:
    """By the expression that is copied into a local variable, the bytes of it that are used."""
    copied: dict[VarDecl, list[Expr]] = {}
    parts: dict[VarDecl, Part | None] = {}
    seen: set[int] = set()
    """References that are spoken for by what they stand in."""
    for node in walk(function.body) if function.body is not None else ():
        if isinstance(node, VarDecl) and node.init is not None and not node.static:
            copied.setdefault(node, []).append(strip_casts(node.init))
        elif isinstance(node, Assign) and not node.op and isinstance(node.target, Ref):
            seen.add(id(node.target))
            copied.setdefault(node.target.decl, []).append(strip_casts(node.value))
        elif isinstance(node, AddressOf):
            _taken(node, parts)
        elif isinstance(node, Member) and isinstance(node.base, Ref) and not node.arrow:
            seen.add(id(node.base))
            _use(node.base.decl, _part_of(node), parts)
        elif isinstance(node, Ref) and id(node) not in seen:
            parts[node.decl] = None
    return {
        id(value): part
        for decl, values in copied.items()
        if (part := parts.get(decl)) is not None
        for value in values
        if value.type == decl.type  # what is converted on its way has its parts elsewhere
    }


def _taken(node: AddressOf, parts: dict[VarDecl, Part | None]) -> None:
    """Through a pointer to a part the others are within reach."""
    inner: Node = node.operand
    while isinstance(inner, Member):
        inner = inner.base
    if isinstance(inner, Ref):
        parts[inner.decl] = None


def _use(decl: VarDecl, part: Part | None, parts: dict[VarDecl, Part | None]) -> None:
    before = parts.get(decl, part)
    parts[decl] = None if part is None or before is None else (min(part[0], before[0]), max(part[1], before[1]))


def _part_of(member: Member) -> Part | None:
    kind: Type = member.base.type
    if isinstance(kind, VectorType):
        one = kind.element.size
        return (min(member.lanes) * one, (max(member.lanes) + 1) * one) if member.lanes and one else None
    field = kind.field(member.field) if isinstance(kind, StructType) and not kind.union else None
    size = field.type.size if field is not None else None
    return (field.offset, field.offset + size) if field is not None and size and field.offset is not None else None
