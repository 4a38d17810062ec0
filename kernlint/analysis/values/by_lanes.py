"""Vectors in memory that are read lane by lane through a reference: ``dot(w4[k], x4[k])`` with ``const float4 &``.

Whoever reads all lanes by one name of a vector lets the compiler make one load of them: the type says that it is
aligned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.trace.events import Access, AccessKind
from kernlint.record import replace
from kernlint.tree.nodes import Member, Ref
from kernlint.tree.types import PointerType, Space, VectorType


def _vector(access: Access) -> VectorType | None:
    """The vector of which an access reads the first lane, by a reference to it."""
    node = access.node
    if not isinstance(node, Member) or node.lanes != (0,) or not isinstance(node.base, Ref):
        return None
    kind = node.base.type
    kind = kind.pointee if isinstance(kind, PointerType) and (kind.reference or node.arrow) else kind
    return kind if isinstance(kind, VectorType) and kind.size else None


def of_lane(access: Access) -> bool:
    """Whether an access is to a lane of a vector: no element that is left over."""
    return isinstance(access.node, Member) and bool(access.node.lanes)


def by_lanes(accesses: Sequence[Access]) -> Iterator[Access]:
    """One read of a whole vector in global memory for each that is read by all of its lanes, where a helper is called
    with it."""
    reads: dict[tuple[object, ...], list[Access]] = {}
    for access in accesses:
        node = access.node
        if access.kind is not AccessKind.READ or access.root.space is not Space.GLOBAL or access.asynchronous:
            continue
        if isinstance(node, Member) and isinstance(node.base, Ref) and node.lanes:
            reads.setdefault((id(node.base.decl), access.root, access.stack), []).append(access)
    for group in reads.values():
        first, kind = next(((one, kind) for one in group if (kind := _vector(one)) is not None), (None, None))
        if first is None or kind is None:
            continue
        if len({lane for one in group if isinstance(one.node, Member) for lane in one.node.lanes}) == kind.lanes:
            span, stack = (first.stack[-1], first.stack[:-1]) if first.stack else (first.span, ())
            yield replace(first, type=kind, size=kind.size, span=span, stack=stack)
