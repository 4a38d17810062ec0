"""Barriers, fences, atomics, operations of warps, asynchronous copies and images."""

from __future__ import annotations

from kernlint.analysis.trace.evaluation import condition, evaluate, scalar
from kernlint.analysis.trace.events import (
    AccessKind,
    AsyncEvent,
    BarrierEvent,
    FenceEvent,
    GuardKind,
    WarpEvent,
)
from kernlint.analysis.trace.images import record_image
from kernlint.analysis.trace.machine import Machine
from kernlint.analysis.trace.memory import (
    advance,
    havoc,
    pointee_place,
    read_variable,
    record,
)
from kernlint.analysis.trace.places import pointee_type
from kernlint.analysis.trace.values import (
    MemPlace,
    PointerValue,
    ReferenceValue,
    StructValue,
    Value,
    VarPlace,
    as_term,
    unknown_value,
)
from kernlint.symbolic.terms import (
    FALSE,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    call,
    cast,
    const,
    unknown,
)
from kernlint.symbolic.uniformity import WARP
from kernlint.tree import nodes as n
from kernlint.tree.types import (
    I64,
    FloatType,
    IntType,
    VectorType,
)


def barrier_value(m: Machine, e: n.Barrier) -> Value:
    mask = scalar(m, e.mask) if e.mask is not None else None
    predicate = scalar(m, e.predicate) if e.predicate is not None else None
    rest = [evaluate(m, arg) for arg in e.args if arg is not e.predicate]
    flags = as_term(rest[0]) if rest and m.language == "opencl" else None
    named = e.count is not None or (e.barrier_id is not None and _named(m, e.barrier_id))
    if e.part != "arrive":
        split = named or e.part != "both"
        at = evaluate(m, e.storage) if e.storage is not None else None
        storage = (at.root, at.offset) if isinstance(at, PointerValue) else None
        m.barrier(e.span, e.scope, e.fences, e.name, named=split, mask=mask, node=e, flags=flags, storage=storage)
    elif m.state is not None:
        m.trace.arrivals.append(
            BarrierEvent(**m.common(e.span), scope=e.scope, spaces=e.fences, name=e.name, named=True, node=e)
        )
    if named and m.state is not None:
        made = (m.trace.arrivals if e.part == "arrive" else m.trace.barriers)[-1]
        made.number = scalar(m, e.barrier_id) if e.barrier_id is not None and _is_number(e.barrier_id) else None
        made.count = scalar(m, e.count) if e.count is not None and _is_number(e.count) else None
    level = Uniformity.VARYING
    if predicate is not None:  # what it combines is the same for all; a scan's or a block reduction's result is not
        level = Uniformity.WARP if e.scope in (n.Scope.WARP, n.Scope.TILE) else Uniformity.BLOCK
    if isinstance(e.type, (IntType, FloatType)):
        return unknown(e.name, e.type, level, e.span, e)
    return unknown_value(e.type, e.name, level)


def _is_number(expr: n.Expr) -> bool:
    return isinstance(expr.type, IntType)


def _named(m: Machine, expr: n.Expr) -> bool:
    if not _is_number(expr):
        return True  # a barrier object: waiting at it reads nothing of the kernel's own
    return scalar(m, expr).value != 0


def fence_value(m: Machine, e: n.Fence) -> Value:
    if m.state is not None:
        m.trace.fences.append(FenceEvent(**m.common(e.span), scope=e.scope, spaces=e.spaces, name=e.name))
    return unknown_value(e.type, "fence")


def atomic_value(m: Machine, e: n.Atomic) -> Value:
    pointer = evaluate(m, e.pointer)
    operands = [scalar(m, operand) for operand in e.operands]
    at = pointee_place(pointer, pointee_type(e.pointer.type))
    if isinstance(at, VarPlace):
        havoc(m, at, e.name)
    elif isinstance(at, MemPlace):
        value = operands[0] if operands else None
        new = operands[1] if e.op == "cas" and len(operands) > 1 else None
        record(m, at, AccessKind.ATOMIC, e, value, scope=e.scope, atomic_op=e.op, new=new)
    if isinstance(e.type, (IntType, FloatType)):
        return unknown(e.name, e.type, span=e.span, origin=e)
    return unknown_value(e.type, e.name)


def warp_op_value(m: Machine, e: n.WarpOp) -> Value:
    mask = scalar(m, e.mask) if e.mask is not None else None
    width = scalar(m, e.width) if e.width is not None else None
    operands = tuple(as_term(evaluate(m, operand), operand.type) for operand in e.operands)
    if m.state is None:
        return unknown_value(e.type, e.name)
    event = WarpEvent(**m.common(e.span), node=e, mask=mask, width=width, operands=operands)
    m.trace.warp_ops.append(event)
    if e.synchronising:
        m.warp_sync(None, e.span)
    level = Uniformity.VARYING
    full = e.scope is n.Scope.WARP and width is None
    full = full or (e.scope in (n.Scope.WARP, n.Scope.TILE) and width is not None and width.value == WARP)
    to_all = e.kind in ("any", "all", "ballot", "broadcast", "elect")
    if full and (to_all or (e.kind == "reduce" and "::" not in e.name)):  # a class of a library gives it to lane 0
        level = Uniformity.WARP
    if full and e.kind == "shuffle" and len(operands) > 1 and operands[1].op == "const":
        level = Uniformity.WARP
    if isinstance(e.type, (IntType, FloatType)):
        return unknown(e.name, e.type, level, e.span, event)
    return unknown_value(e.type, e.name, level)


def async_copy_value(m: Machine, e: n.AsyncCopy) -> Value:
    destination, source = evaluate(m, e.destination), evaluate(m, e.source)
    size = scalar(m, e.size) if e.size is not None else None
    given = as_term(evaluate(m, e.event), e.event.type) if e.event is not None else None
    result: Value = unknown_value(e.type, e.name, Uniformity.BLOCK)
    handle: Term | None = None
    if e.mechanism == "event" and isinstance(result, Term):
        # An event that is passed in comes back, and stands for both copies.
        fresh = given is None or given.value == 0
        handle = result if fresh else given if given is not None and _is_handle(given) else None
        result = handle or result
    root = None
    for pointer, kind in ((source, AccessKind.READ), (destination, AccessKind.WRITE)):
        if isinstance(pointer, PointerValue):
            at = MemPlace(pointer, pointer.pointee)
            count = size.value if size is not None else None
            bytes_ = count if count is not None else -1
            record(m, at, kind, e, asynchronous=True, size=bytes_, handle=handle)
            last = pointer.pointee.size
            if size is not None and last and count != last and e.mechanism == "event":  # its end is an element too
                shift = binary("sub", cast(size, I64), const(last), I64)
                end = PointerValue(pointer.root, binary("add", pointer.offset, shift, I64), pointer.pointee)
                record(m, MemPlace(end, pointer.pointee), kind, e, asynchronous=True, size=last, handle=handle)
            root = pointer.root if kind is AccessKind.WRITE else None
    if m.state is not None:
        words, operands = _operands((("destination", destination), ("source", source), ("size", size)))
        event = AsyncEvent(**m.common(e.span), node=e, destination=root, operands=operands, words=words)
        m.trace.asyncs.append(event)
    return result


def _is_handle(term: Term) -> bool:
    symbol = term.symbol
    return symbol is not None and symbol.kind is SymbolKind.UNKNOWN and symbol.uniformity is Uniformity.BLOCK


def _operands(stated: tuple[tuple[str, Value | None], ...]) -> tuple[tuple[str, ...], tuple[Term, ...]]:
    """Names and values of those arguments ``stated`` that are known: numbers, and of pointers the offset."""
    known: dict[str, Term] = {}
    for name, value in stated:
        if isinstance(value, PointerValue):
            known[name] = value.offset
        elif isinstance(value, Term):
            known[name] = value
    return tuple(known), tuple(known.values())


def async_wait_value(m: Machine, e: n.AsyncWait) -> Value:
    pending = scalar(m, e.pending) if e.pending is not None else None
    values = [evaluate(m, arg) for arg in e.args]
    if m.state is not None:
        event = AsyncEvent(**m.common(e.span), node=e, pending=pending)
        if e.mechanism == "event" and len(values) == 2:
            event.words, event.operands = _operands((("number of events", values[0]), ("list of events", values[1])))
            event.awaits = _awaited(m, values[0], values[1])
        m.trace.asyncs.append(event)
    return unknown_value(e.type, e.name, Uniformity.BLOCK)


LISTED = 16
"""Events in a list that are told apart."""


def _awaited(m: Machine, number: Value, events: Value) -> frozenset[Term] | None:
    """The ``number`` of events at ``events``; None when they are not known."""
    count = number.value if isinstance(number, Term) else None
    if count is None or not 0 < count <= LISTED:
        return None
    if isinstance(events, ReferenceValue) and count == 1 and isinstance(events.place, VarPlace):
        held = read_variable(m, events.place)
        return frozenset((held,)) if isinstance(held, Term) and _is_handle(held) else None
    if not isinstance(events, PointerValue) or events.root.decl is None:
        return None
    first = PointerValue(events.root, const(0), events.pointee)
    slots = {advance(first, const(at), events.pointee).offset: at for at in range(LISTED)}
    held_at: dict[int, Term | None] = {}
    for access in m.trace.accesses:
        if access.root is events.root and access.writes:
            slot = slots.get(access.offset)
            if slot is None or access.loops:
                return None
            held_at[slot] = None if access.guards else access.value
    begin = slots.get(events.offset)
    if begin is None:
        return None
    found = [held_at.get(at) for at in range(begin, begin + count)]
    if any(term is None or not _is_handle(term) for term in found):
        return None
    return frozenset(term for term in found if term is not None)


def assume_value(m: Machine, e: n.Assume) -> Value:
    term = condition(m, e.cond)
    if m.state is not None and term != FALSE:
        m.guarded(term, GuardKind.ASSERT, e.cond.span)
    return unknown_value(e.type, "assume")


def image_value(m: Machine, e: n.ImageOp) -> Value:
    values = [evaluate(m, arg) for arg in e.args]
    record_image(m, e, values)
    terms = tuple(as_term(value, arg.type) for value, arg in zip(values, e.args, strict=True))
    if isinstance(e.type, VectorType):
        lanes = tuple((str(i), call(f"{e.name}.{i}", terms, e.type.element)) for i in range(e.type.lanes))
        return StructValue(e.type, lanes)
    return call(e.name, terms, e.type)
