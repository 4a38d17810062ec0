"""Accesses in words: the element as it is written in the source, short enough for a message."""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.replay import Replayed
from kernlint.analysis.trace.events import Access, AccessKind, Root
from kernlint.finding import Related, Step, Witness
from kernlint.prove.query import Refuted
from kernlint.symbolic.show import show, words
from kernlint.symbolic.terms import SymbolKind
from kernlint.tree import nodes as n
from kernlint.tree.types import ArrayType

LONGEST = 48
"""Longer texts are not put into messages."""

_QUANTITIES = {
    n.Quantity.THREAD_ID: "threadIdx",
    n.Quantity.BLOCK_ID: "blockIdx",
    n.Quantity.BLOCK_DIM: "blockDim",
    n.Quantity.GRID_DIM: "gridDim",
}


def expression(node: n.Expr) -> str | None:
    """C-like text of a simple expression, without conversions; None for anything else."""
    if isinstance(node, n.Cast):
        return expression(node.operand)
    if isinstance(node, n.IntLit):
        return str(node.value)
    if isinstance(node, n.Ref):
        return node.decl.name
    if isinstance(node, n.Unary):
        inner = expression(node.operand)
        return None if inner is None else f"{node.op}{inner}"
    if isinstance(node, n.Member):
        inner = expression(node.base)
        return None if inner is None else f"{inner}{'->' if node.arrow else '.'}{node.field}"
    if isinstance(node, n.LaunchValue) and node.axis is not None:
        name = _QUANTITIES.get(node.quantity)
        return f"{name}.{'xyz'[node.axis]}" if name is not None else f"{node.quantity.value}({node.axis})"
    if isinstance(node, n.Subscript):
        base, index = expression(node.base), expression(node.index)
        return None if base is None or index is None else f"{base}[{index}]"
    if isinstance(node, n.IncDec):
        inner = expression(node.target)
        return None if inner is None else f"{node.op}{inner}" if node.prefix else f"{inner}{node.op}"
    if isinstance(node, n.Binary):
        return _binary(node)
    return None


def _binary(node: n.Binary) -> str | None:
    left, right = expression(node.lhs), expression(node.rhs)
    if left is None or right is None:
        return None
    if node.op not in ("+", "-") or isinstance(_bare(node.rhs), n.Binary):
        left = f"({left})" if _loose(node.lhs, node.op) else left
        right = f"({right})" if isinstance(_bare(node.rhs), n.Binary) else right
    return f"{left} {node.op} {right}"


def _bare(node: n.Expr) -> n.Expr:
    while isinstance(node, n.Cast):
        node = node.operand
    return node


def _loose(node: n.Expr, op: str) -> bool:
    inner = _bare(node)
    return isinstance(inner, n.Binary) and not (op == inner.op == "*")


def _place(access: Access) -> n.Node:
    node = access.node
    while isinstance(node, n.Assign | n.IncDec | n.Cast):
        node = node.operand if isinstance(node, n.Cast) else node.target
    return node


def index(access: Access) -> str:
    """The index of an access as written, or as a term; ``the index`` when both are too long."""
    node = _place(access)
    if isinstance(node, n.Subscript):
        text = expression(node.index)
        if text is not None and len(text) <= LONGEST:
            return text
    if access.index is not None and len(show(access.index)) <= LONGEST:
        return words(access.index)
    return "the index"


def element(access: Access) -> str:
    """``data[i]``, or ``an element of data``; a plain variable by its name."""
    if access.offset.value == 0 and access.root.extent is not None and access.size == access.root.extent:
        return access.root.name
    node = _place(access)
    if isinstance(node, n.Expr):
        text = expression(node)
        if text is not None and len(text) <= LONGEST and "[" in text:
            return text
    at = index(access)
    return f"an element of {access.root.name}" if at == "the index" else f"{access.root.name}[{at}]"


def verb(access: Access) -> str:
    """``read``, ``written`` or ``updated``."""
    if not access.writes:
        return "read"
    return "updated" if access.kind is AccessKind.ATOMIC else "written"


def element_size(access: Access) -> int:
    """Bytes of one element of what is accessed, for counting elements in a message; at least 1."""
    kind = access.root.element
    while isinstance(kind, ArrayType):
        kind = kind.element
    return kind.size or access.size or 1


def witness_of(access: Access, refuted: Refuted, size: int, replayed: Replayed | None = None) -> Witness:
    """What the prover found, for people; ``size``: bytes of an element; whether it was ``replayed``."""
    first = refuted.first
    at = first.offset // size
    named = ((s.name, value) for s, value in (*refuted.values, *first.counters) if s.kind is not SymbolKind.UNKNOWN)
    values = tuple(dict.fromkeys(named))  # one value may be that of a kernel's symbol and of the host's
    step = Step(first.block, first.thread, access.span, f"{present(access)} element {at} of {access.root.name}", at)
    return Witness(refuted.block, refuted.grid, values, (step,), replayed is not None)


def present(access: Access) -> str:
    """``reads``, ``writes`` or ``updates``."""
    return {"read": "reads", "written": "writes", "updated": "updates"}[verb(access)]


def takes(root: Root) -> Related:
    """The declaration of an array, and the bytes that it takes."""
    assert root.decl is not None
    return Related(root.decl.span, f"{root.name} takes {root.extent} bytes")


def also(accesses: Sequence[Access], where: str, related: list[Related]) -> None:
    """Add the other accesses of one array that leave it ``where`` the first does, up to four related places in all."""
    seen = {accesses[0].span}
    for other in accesses:
        if other.span not in seen and len(related) < 4:
            seen.add(other.span)
            related.append(Related(other.span, f"{element(other)} is {where} it too"))
