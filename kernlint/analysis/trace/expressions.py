"""Evaluation of expressions: values, places, and the events they cause."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kernlint.analysis.trace import launch
from kernlint.analysis.trace.containers import DATA
from kernlint.analysis.trace.device_calls import (
    assume_value,
    async_copy_value,
    async_wait_value,
    atomic_value,
    barrier_value,
    fence_value,
    image_value,
    warp_op_value,
)
from kernlint.analysis.trace.evaluation import condition, evaluate, scalar, under
from kernlint.analysis.trace.events import (
    AccessKind,
    ConditionEvent,
    JoinedTests,
)
from kernlint.analysis.trace.host_calls import kernel_launch
from kernlint.analysis.trace.inline import call_lambda, unresolved_call
from kernlint.analysis.trace.machine import Machine
from kernlint.analysis.trace.memory import (
    load,
    null_root,
    record,
    size_term,
)
from kernlint.analysis.trace.operators import (
    coerce,
    combined,
    computed,
    decayed,
    is_address,
    lanewise,
    pointer_from_int,
    pointer_truth,
    truth_of_lanes,
    unary_term,
)
from kernlint.analysis.trace.places import (
    address_value,
    assign_value,
    followed_call,
    gives_reference,
    incdec_value,
    is_reference_type,
    member_value,
    peek,
    place,
    ref_value,
    value_at,
)
from kernlint.analysis.trace.values import (
    FunctionValue,
    LambdaValue,
    MemPlace,
    PointerValue,
    ReferenceValue,
    StructValue,
    Value,
    as_term,
    fields_of,
    left_out,
    merge,
    present,
    root_symbol,
    unknown_value,
    zero_value,
)
from kernlint.symbolic.terms import (
    Term,
    Uniformity,
    call,
    cast,
    conjunction,
    const,
    disjunction,
    negate,
    truth,
    unknown,
)
from kernlint.tree import nodes as n
from kernlint.tree.types import (
    I64,
    ArrayType,
    FloatType,
    IntType,
    PointerType,
    Space,
    StructType,
    VectorType,
)
from kernlint.tree.walk import walk


def _int(m: Machine, e: n.IntLit) -> Value:
    if isinstance(e.type, IntType):
        return const(e.value, e.type)
    if isinstance(e.type, PointerType):
        return PointerValue(null_root(e.type.space, e.type.pointee), const(0), e.type.pointee)
    return Term("const", (e.value,), e.type)


def _float(m: Machine, e: n.FloatLit) -> Value:
    return Term("const", (e.value,), e.type)


def _string(m: Machine, e: n.StringLit) -> Value:
    if m.on_host:  # it may name a kernel
        return call(f'"{e.value}"', (), e.type)
    return unknown("string", e.type, Uniformity.GRID)


def _sizeof(m: Machine, e: n.SizeOf) -> Value:
    return cast(size_term(e.of), e.type)


def _function_ref(m: Machine, e: n.FunctionRef) -> Value:
    return FunctionValue(e.function, e.name)


def _lambda(m: Machine, e: n.Lambda) -> Value:
    if e.by_reference or m.state is None:
        return LambdaValue(e)
    used = dict.fromkeys(at.decl for at in walk(e.body) if isinstance(at, n.Ref))
    env = m.state.env
    return LambdaValue(e, tuple((decl, env[decl]) for decl in used if decl in env))


def _launch_value(m: Machine, e: n.LaunchValue) -> Value:
    if e.axis is None and e.axis_expr is not None:
        axis = scalar(m, e.axis_expr)
        if axis.value is None:
            level = Uniformity.VARYING
            if e.quantity in (n.Quantity.BLOCK_DIM, n.Quantity.GRID_DIM, n.Quantity.GLOBAL_SIZE):
                level = Uniformity.GRID
            elif e.quantity is n.Quantity.BLOCK_ID:
                level = Uniformity.BLOCK
            return unknown(f"{e.quantity.value} of a computed axis", e.type, level)
        return launch.quantity(m, e.quantity, axis.value, e.extent, e.type)
    return launch.quantity(m, e.quantity, e.axis, e.extent, e.type)


def _unary(m: Machine, e: n.Unary) -> Value:
    value = evaluate(m, e.operand)
    if isinstance(value, StructValue):
        return lanewise(e.type, [value], lambda parts, kind: unary_term(e.op, parts[0], kind))
    if e.op == "!" and isinstance(value, PointerValue):
        return cast(negate(present(value.root)), e.type)
    return unary_term(e.op, as_term(value, e.operand.type), e.type)


def _binary(m: Machine, e: n.Binary) -> Value:
    op = e.op
    if op == ",":
        evaluate(m, e.lhs)
        return evaluate(m, e.rhs)
    if op in ("&&", "||") and isinstance(e.type, VectorType):
        join = conjunction if op == "&&" else disjunction
        sides = [evaluate(m, e.lhs), evaluate(m, e.rhs)]
        return lanewise(e.type, sides, lambda parts, kind: cast(join(*map(truth, parts)), kind))
    if op in ("&&", "||"):
        left = condition(m, e.lhs)
        wanted = left if op == "&&" else negate(left)
        right = under(m, wanted, e.lhs.span, lambda: condition(m, e.rhs))
        if right is None:
            return cast(left, e.type)
        assert isinstance(right, Term)
        m.trace.joined.append(JoinedTests(**m.common(e.span), left=e.lhs, term=right, both=op == "&&"))
        return cast(conjunction(left, right) if op == "&&" else disjunction(left, right), e.type)
    a, b = evaluate(m, e.lhs), evaluate(m, e.rhs)
    return combined(m, op, a, b, e.lhs.type, e.rhs.type, e.type)


def _conditional(m: Machine, e: n.Conditional) -> Value:
    cond_value = evaluate(m, e.cond)
    if isinstance(cond_value, StructValue):
        parts: list[Value] = [cond_value, evaluate(m, e.then), evaluate(m, e.other)]
        return lanewise(e.type, parts, lambda terms, kind: call("select", tuple(terms), kind))
    term = truth(as_term(cond_value, e.cond.type)) if isinstance(cond_value, Term) else pointer_truth(cond_value)
    if m.state is not None and term.op != "const":
        m.trace.conditions.append(ConditionEvent(**m.common(e.cond.span), term=term, node=e.cond))
    then = under(m, term, e.cond.span, lambda: evaluate(m, e.then))
    other = under(m, negate(term), e.cond.span, lambda: evaluate(m, e.other))
    if then is None or other is None:
        chosen = then if then is not None else other
        return chosen if chosen is not None else unknown_value(e.type, "dead code")
    return merge(term, coerce(m, then, e.type), coerce(m, other, e.type))


def _cast(m: Machine, e: n.Cast) -> Value:
    value = evaluate(m, e.operand)
    type_ = e.type
    if isinstance(value, PointerValue):
        if isinstance(type_, PointerType):
            return value.typed(type_.pointee)
        if isinstance(type_, IntType):
            if type_.bits == 1:
                return present(value.root)
            address = call("address", (root_symbol(value.root).term, value.offset), I64)
            return cast(address, type_)
        return unknown_value(type_, "pointer cast")
    if isinstance(value, ReferenceValue):
        handle = m.on_host and isinstance(value.place.type, PointerType) and isinstance(type_, PointerType)
        if handle and isinstance(type_, PointerType) and isinstance(type_.pointee, PointerType):
            return value  # (void **)&pointer: where a pointer is to be stored
        if isinstance(type_, PointerType) and value.place.type != type_.pointee:
            if m.on_host and isinstance(type_.pointee, PointerType) and isinstance(value.place.type, PointerType):
                return value  # ``(void **)&x``: the pointer is stored in the variable, whatever it points to
            pointer = decayed(m, value)
            return pointer.typed(type_.pointee)
        return value
    if isinstance(value, Term):
        if e.bits and isinstance(type_, PointerType) and is_address(value):
            return pointer_from_int(value, type_)
        if e.bits and value.type != type_:
            return call("bits", (value,), type_)
        return coerce(m, value, type_) if isinstance(type_, (IntType, FloatType, VectorType, PointerType)) else value
    if isinstance(value, StructValue) and isinstance(type_, VectorType) and not e.bits:
        return lanewise(type_, [value], lambda parts, kind: cast(parts[0], kind))
    if isinstance(value, StructValue) and isinstance(type_, StructType) and isinstance(value.type, StructType):
        return value
    if isinstance(value, StructValue):
        return call("bits", tuple(as_term(v) for _, v in value.fields), type_)
    return value


def _init_list(m: Machine, e: n.InitList) -> Value:
    type_ = e.type
    if isinstance(type_, ArrayType):
        held = [evaluate(m, element) for element in e.elements]
        if m.on_host:
            m.listed[e] = held
        return unknown_value(type_, "array")
    fields = fields_of(type_)
    if not fields:
        values = [evaluate(m, element) for element in e.elements]
        return coerce(m, values[0], type_) if len(values) == 1 else unknown_value(type_, "initialiser")
    parts: list[Value] = []
    for element in e.elements:
        bound = place(m, element) if len(parts) < len(fields) and is_reference_type(fields[len(parts)][1]) else None
        value = ReferenceValue(bound) if bound is not None else evaluate(m, element)
        if isinstance(type_, VectorType) and isinstance(value, StructValue):
            parts.extend(v for _, v in value.fields)
        else:
            parts.append(value)
    if isinstance(type_, VectorType) and len(parts) == 1:
        parts = parts * type_.lanes
    made: list[tuple[str, Value]] = []
    for index, (name, kind, _) in enumerate(fields):
        if index < len(parts):
            part = parts[index]
            made.append((name, part if isinstance(part, ReferenceValue) else coerce(m, part, kind)))
        else:
            made.append((name, const(1, kind) if left_out(type_) else zero_value(kind)))
    return StructValue(type_, tuple(made))


def _call(m: Machine, e: n.Call) -> Value:
    if e.receiver is not None and e.function is None:
        callee = evaluate(m, e.receiver) if not isinstance(e.receiver, n.Ref) else peek(m, e.receiver)
        if isinstance(callee, LambdaValue):
            return call_lambda(m, callee, e)
    if (function := m.followed(e.function)) is not None:
        result = followed_call(m, e, function)
        return load(m, result.place, e) if isinstance(result, ReferenceValue) and gives_reference(e) else result
    if e.pure_math:
        return _pure(m, e)
    found = unresolved_call(m, e)
    return load(m, found.place, e) if isinstance(found, ReferenceValue) and gives_reference(e) else found


def _pure(m: Machine, e: n.Call) -> Value:
    values = [evaluate(m, arg) for arg in e.args]
    type_ = e.type
    if isinstance(type_, VectorType):
        return lanewise(type_, values, lambda parts, kind: computed(e.name, parts, kind))
    if e.name in ("all", "any") and len(values) == 1 and isinstance(values[0], StructValue):
        found = truth_of_lanes(e.name, [as_term(value) for _, value in values[0].fields])
        if found is not None:
            return cast(found, type_)
    return computed(e.name, [as_term(v, a.type) for v, a in zip(values, e.args, strict=True)], type_)


def _opaque(m: Machine, e: n.Opaque) -> Value:
    terms: list[Term] = []
    for child in e.children:
        value = evaluate(m, child)
        data = value.get(DATA) if m.on_host and isinstance(value, StructValue) else None
        if isinstance(data, PointerValue):  # a loop over a sequence reads it
            record(m, MemPlace(data, data.pointee), AccessKind.READ, e, size=-1)
        terms.append(as_term(value, child.type))
        if e.writes and m.state is not None:
            decl = _target(child)
            if decl is not None and decl in m.state.env:
                m.state.env[decl] = unknown_value(decl.type, e.reason)
    m.gap("call" if not e.may_sync else "barrier", e.reason, e.span)
    if e.writes:
        m.epoch += 1
    if e.may_sync:
        m.barrier(e.span, n.Scope.BLOCK, frozenset(Space), e.reason, certain=False, node=e)
    if not terms and not e.may_sync:
        return unknown_value(e.type, e.reason)
    if isinstance(e.type, (PointerType, StructType, VectorType)):
        return unknown_value(e.type, e.reason)
    return call(f"opaque{m.order}", tuple(terms), e.type) if terms else unknown(e.reason, e.type)


def _target(expr: n.Expr) -> n.VarDecl | None:
    from kernlint.analysis.trace.loops import target_variable

    return target_variable(expr)


VALUES: dict[type, Callable[[Machine, Any], Value]] = {
    n.IntLit: _int,
    n.FloatLit: _float,
    n.StringLit: _string,
    n.SizeOf: _sizeof,
    n.Ref: ref_value,
    n.FunctionRef: _function_ref,
    n.LaunchValue: _launch_value,
    n.Unary: _unary,
    n.IncDec: incdec_value,
    n.Binary: _binary,
    n.Assign: assign_value,
    n.Conditional: _conditional,
    n.Subscript: value_at,
    n.Deref: value_at,
    n.AddressOf: address_value,
    n.Member: member_value,
    n.Cast: _cast,
    n.InitList: _init_list,
    n.Call: _call,
    n.Lambda: _lambda,
    n.Barrier: barrier_value,
    n.Fence: fence_value,
    n.Atomic: atomic_value,
    n.WarpOp: warp_op_value,
    n.AsyncCopy: async_copy_value,
    n.AsyncWait: async_wait_value,
    n.Assume: assume_value,
    n.ImageOp: image_value,
    n.Launch: kernel_launch,
    n.Opaque: _opaque,
}
"""What evaluates an expression of each kind."""
