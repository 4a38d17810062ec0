"""Accesses to OpenCL's images: a pixel is a place of one byte, at a number made of its coordinates."""

from __future__ import annotations

from kernlint.analysis.trace.events import Access, AccessKind, Root, RootKind
from kernlint.analysis.trace.machine import Machine
from kernlint.analysis.trace.values import StructValue, Value, as_term
from kernlint.symbolic.terms import SymbolKind, Term, binary, cast, const
from kernlint.tree.nodes import ImageOp, ParamDecl
from kernlint.tree.types import I64, U8, IntType, OpaqueType, Space, VectorType

WIDEST = 1 << 16
"""More than the pixels of any image along one axis: coordinates are the digits of a place to this base."""


def record_image(m: Machine, e: ImageOp, values: list[Value]) -> None:
    """Record what ``e`` reads or writes, where image and whole coordinates are known; ``values`` of its arguments."""
    if m.state is None or not e.name.startswith(("write_image", "read_image")) or len(values) < 2:
        return
    if e.write and len(values) != 3:  # of another level of detail
        return
    symbol = values[0].symbol if isinstance(values[0], Term) else None
    if symbol is None or symbol.kind is not SymbolKind.PARAM or not isinstance(symbol.origin, ParamDecl):
        return
    whole = [v for v, arg in zip(values[1:], e.args[1:], strict=True) if _whole(v, arg.type)]
    digits = _digits(whole[0]) if whole else None
    if digits is None:
        return
    place: Term = const(0)
    for at, digit in enumerate(digits):
        place = binary("add", place, binary("mul", cast(digit, I64), const(WIDEST**at), I64), I64)
    m.trace.images.append(
        Access(
            **m.common(e.span),
            root=_root(m, symbol.origin),
            offset=place,
            size=1,
            type=U8,
            kind=AccessKind.WRITE if e.write else AccessKind.READ,
            node=e,
            value=as_term(values[2]) if e.write else None,
        )
    )


def _whole(value: Value, type_: object) -> bool:
    element = type_.element if isinstance(type_, VectorType) else type_
    return isinstance(element, IntType) and isinstance(value, (Term, StructValue))


def _digits(coordinates: Value) -> list[Term] | None:
    """The coordinates one by one; the fourth of a vector means nothing."""
    if isinstance(coordinates, Term):
        return [coordinates]
    assert isinstance(coordinates, StructValue)
    lanes = [coordinates.get(str(lane)) for lane in range(min(len(coordinates.fields), 3))]
    digits = [lane for lane in lanes if isinstance(lane, Term)]
    return digits if len(digits) == len(lanes) else None


def _root(m: Machine, decl: ParamDecl) -> Root:
    key = (decl, "image")
    root = m.memory.get(key)
    if root is None:
        root = m.memory[key] = Root(decl.name, RootKind.IMAGE, Space.GLOBAL, decl, U8)
    return root


def pixel(root: Root, place: int) -> tuple[int, ...]:
    """The coordinates of a place in an image."""
    kind = root.decl.type.spelling if root.decl is not None and isinstance(root.decl.type, OpaqueType) else ""
    axes = next((count for text, count in (("image1d", 1), ("image2d", 2)) if text in kind), 3) + ("array" in kind)
    return tuple(place // WIDEST**at % WIDEST for at in range(min(axes, 3)))
