"""Launch quantities as terms over the symbols of the three axes."""

from __future__ import annotations

from kernlint.analysis.trace.machine import Machine
from kernlint.analysis.trace.values import NULL, PointerValue, ReferenceValue, StructValue, Value, VarPlace
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    GRID_DIM,
    OFFSET,
    THREAD,
    WARP_SIZE,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    cast,
    const,
    unknown,
)
from kernlint.tree.nodes import Assign, Member, Node, ParamDecl, Quantity
from kernlint.tree.types import U64, IntType, Type

_PER_AXIS = {
    Quantity.THREAD_ID: THREAD,
    Quantity.BLOCK_ID: BLOCK,
    Quantity.BLOCK_DIM: BLOCK_DIM,
    Quantity.GRID_DIM: GRID_DIM,
    Quantity.GLOBAL_OFFSET: OFFSET,
}

UNIFORM_GROUPS = "the global size is a multiple of the work-group size"
NO_OFFSET = "the global offset is zero"


def quantity(m: Machine, what: Quantity, axis: int | None, extent: int | None, type_: Type) -> Term:
    """The term of a launch quantity, converted to ``type_``.

    ``get_global_size`` is taken to be blocks times block size, and the global offset to be zero; both premises
    are noted in the trace.
    """
    kind = type_ if isinstance(type_, IntType) else U64
    if axis is not None and not 0 <= axis <= 2:
        # OpenCL defines out-of-range axes: index 0, size 1.
        sizes = (Quantity.BLOCK_DIM, Quantity.GRID_DIM, Quantity.GLOBAL_SIZE)
        return const(1 if what in sizes else 0, kind)
    if what is Quantity.GLOBAL_OFFSET and m.language == "opencl":
        m.trace.assumptions.add(NO_OFFSET)
        return const(0, kind)
    if axis is not None and what in _PER_AXIS:
        return cast(_PER_AXIS[what][axis].term, kind)
    if axis is not None and what in (Quantity.GLOBAL_ID, Quantity.GLOBAL_SIZE):
        size = cast(BLOCK_DIM[axis].term, kind)
        if what is Quantity.GLOBAL_SIZE:
            m.trace.assumptions.add(UNIFORM_GROUPS)
            return binary("mul", cast(GRID_DIM[axis].term, kind), size, kind)
        m.trace.assumptions.add(NO_OFFSET)
        start = binary("mul", cast(BLOCK[axis].term, kind), size, kind)
        return binary("add", start, cast(THREAD[axis].term, kind), kind)
    return _whole(m, what, extent, kind)


def _product(symbols: tuple[Symbol, ...], kind: IntType) -> Term:
    x, y, z = (cast(symbol.term, kind) for symbol in symbols)
    return binary("mul", binary("mul", x, y, kind), z, kind)


def linear(ids: tuple[Symbol, ...], sizes: tuple[Symbol, ...], kind: IntType) -> Term:
    """The linear index (z * size_y + y) * size_x + x, in type ``kind``."""
    x, y, z = (cast(symbol.term, kind) for symbol in ids)
    plane = binary("add", binary("mul", z, cast(sizes[1].term, kind), kind), y, kind)
    return binary("add", binary("mul", plane, cast(sizes[0].term, kind), kind), x, kind)


def warp_size(m: Machine, kind: IntType) -> Term:
    """Threads of a warp: 32 in CUDA, a symbol (32 or 64) elsewhere."""
    return const(32, kind) if m.language == "cuda" else cast(WARP_SIZE.term, kind)


def _whole(m: Machine, what: Quantity, extent: int | None, kind: IntType) -> Term:
    if what is Quantity.LINEAR_THREAD_ID:
        return linear(THREAD, BLOCK_DIM, kind)
    if what is Quantity.LINEAR_BLOCK_ID:
        return linear(BLOCK, GRID_DIM, kind)
    if what is Quantity.BLOCK_THREADS:
        return _product(BLOCK_DIM, kind)
    if what is Quantity.GRID_BLOCKS:
        return _product(GRID_DIM, kind)
    if what is Quantity.GRID_THREADS:
        return binary("mul", _product(GRID_DIM, kind), _product(BLOCK_DIM, kind), kind)
    if what is Quantity.LINEAR_GLOBAL_ID:
        block = binary("mul", linear(BLOCK, GRID_DIM, kind), _product(BLOCK_DIM, kind), kind)
        return binary("add", block, linear(THREAD, BLOCK_DIM, kind), kind)
    if what is Quantity.WARP_SIZE:
        return warp_size(m, kind)
    if what in (Quantity.LANE_ID, Quantity.WARP_ID, Quantity.WARPS):
        size = warp_size(m, kind)
        if what is Quantity.WARPS:
            threads = _product(BLOCK_DIM, kind)
            up = binary("add", threads, binary("sub", size, const(1, kind), kind), kind)
            return binary("div", up, size, kind)
        op = "mod" if what is Quantity.LANE_ID else "div"
        return binary(op, linear(THREAD, BLOCK_DIM, kind), size, kind)
    if what in (Quantity.TILE_RANK, Quantity.TILE_ID) and extent:
        op = "mod" if what is Quantity.TILE_RANK else "div"
        return binary(op, linear(THREAD, BLOCK_DIM, kind), const(extent, kind), kind)
    level = Uniformity.GRID if what is Quantity.WORK_DIM else Uniformity.VARYING
    return unknown(what.value, kind, level)


_TEMPLATES: dict[int, tuple[ParamDecl, Symbol]] = {}


def template_symbol(decl: ParamDecl) -> Symbol:
    """The symbol of a template parameter whose value is not known."""
    known = _TEMPLATES.get(id(decl))
    if known is None or known[0] is not decl:
        if len(_TEMPLATES) > 4096:
            _TEMPLATES.clear()
        symbol = Symbol(SymbolKind.TEMPLATE, decl.name, decl.type, uniformity=Uniformity.GRID, origin=decl)
        known = _TEMPLATES[id(decl)] = (decl, symbol)
    return known[1]


def moved_axes(offset: Value, sizes: tuple[Term, Term, Term] | None) -> frozenset[int]:
    """The axes along which global ids need not begin at zero, by the ``offset`` that a launch of OpenCL gives beside
    the ``sizes`` of all threads.  What neither of the two names is filled up with ones."""
    if isinstance(offset, StructValue):
        starts = [value for _, value in offset.fields[:3]]
        named = [size.value != 1 for size in sizes] if sizes is not None else [True] * 3
        return frozenset(at for at, start in enumerate(starts) if not _is_zero(start) and named[at])
    null = isinstance(offset, PointerValue) and offset.root.name == NULL
    return frozenset() if null or _is_zero(offset) else frozenset(range(3))


def _is_zero(value: Value) -> bool:
    return isinstance(value, Term) and value.value == 0


EARLY = 6
"""``cudaLaunchAttributeProgrammaticStreamSerialization`` (driver_types.h)."""


def begins_early(m: Machine, attributes: Value) -> bool:
    """Whether one of the attributes of a launch lets it begin before the kernel ahead of it has ended."""
    if isinstance(attributes, ReferenceValue) and isinstance(attributes.place, VarPlace):
        assert m.state is not None
        held = m.state.env.get(attributes.place.decl)
        return isinstance(held, StructValue) and _is_early(held.get("id"))
    if not isinstance(attributes, PointerValue):
        return False
    stored = (a for a in m.trace.accesses if a.root is attributes.root and a.writes)
    return any(_is_early(access.value) for access in stored if _names_id(access.node))


def _names_id(node: Node) -> bool:
    target = node.target if isinstance(node, Assign) else node
    return isinstance(target, Member) and target.field == "id"


def _is_early(value: Value | None) -> bool:
    return isinstance(value, Term) and value.value == EARLY
