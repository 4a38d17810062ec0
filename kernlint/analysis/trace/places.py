"""Places that expressions name, what is read there, and what assignments write."""

from __future__ import annotations

from kernlint.analysis.trace import launch
from kernlint.analysis.trace.evaluation import condition, evaluate, scalar, under
from kernlint.analysis.trace.events import (
    AccessKind,
)
from kernlint.analysis.trace.inline import call_function, unresolved_call, with_captured
from kernlint.analysis.trace.machine import Machine
from kernlint.analysis.trace.memory import (
    advance,
    element_place,
    field_place,
    havoc,
    in_memory,
    load,
    pointee_place,
    record,
    store,
    unsized,
    variable_root,
    write_variable,
)
from kernlint.analysis.trace.operators import coerce, combined
from kernlint.analysis.trace.values import (
    LambdaValue,
    MemPlace,
    Place,
    PointerValue,
    ReferenceValue,
    StructValue,
    Value,
    VarPlace,
    merge,
    own_variable,
    unknown_value,
)
from kernlint.symbolic.show import FROM_HEADER
from kernlint.symbolic.terms import (
    TRUE,
    SymbolKind,
    Term,
    Uniformity,
    const,
    negate,
    symbols,
    unknown,
)
from kernlint.symbolic.uniformity import uniformity
from kernlint.text.patterns import pattern
from kernlint.tree import nodes as n
from kernlint.tree.types import (
    I32,
    ArrayType,
    IntType,
    OpaqueType,
    PointerType,
    Space,
    Type,
    VectorType,
)


def place(m: Machine, e: n.Expr) -> Place | None:
    """The place that an lvalue names; None when it is no place the walk knows."""
    m.step()
    if isinstance(e, n.Ref):
        return _ref_place(m, e.decl)
    if isinstance(e, n.Subscript):
        return _subscript_place(m, e)
    if isinstance(e, n.Deref):
        pointer = evaluate(m, e.pointer)
        return pointee_place(pointer, e.type, volatile=_volatile(e.pointer.type))
    if isinstance(e, n.Member):
        if e.arrow:
            base = pointee_place(evaluate(m, e.base), pointee_type(e.base.type), volatile=_volatile(e.base.type))
        else:
            base = place(m, e.base)
        if base is None:
            return None
        found = field_place(m, base, e.field, e.lanes)
        if found is None:
            value = load_if_variable(m, base, e)
            if isinstance(value, ReferenceValue):
                return value.place
        return found
    if isinstance(e, n.Cast) and not e.bits:
        inner = place(m, e.operand)
        if isinstance(inner, MemPlace) and inner.type.size == e.type.size:
            return MemPlace(inner.pointer, e.type, inner.index, inner.volatile)
        return inner if isinstance(inner, VarPlace) and inner.type == e.type else None
    if isinstance(e, n.Assign):
        assign_value(m, e)
        return place(m, e.target)
    if isinstance(e, n.IncDec) and e.prefix:
        incdec_value(m, e)
        return place(m, e.target)
    if isinstance(e, n.Binary) and e.op == ",":
        evaluate(m, e.lhs)
        return place(m, e.rhs)
    if isinstance(e, n.Conditional):
        return _chosen_place(m, e)
    if isinstance(e, n.Call):
        function = m.followed(e.function) if m.state is not None else None
        if function is not None:
            value = followed_call(m, e, function)
        else:
            value = unresolved_call(m, e) if m.on_host and gives_reference(e) else evaluate(m, e)
        if isinstance(value, ReferenceValue):
            return value.place
        if isinstance(value, PointerValue) and not isinstance(e.type, PointerType):
            return MemPlace(value.typed(e.type), e.type)
    return None


def _chosen_place(m: Machine, e: n.Conditional) -> Place | None:
    """The place that ``cond ? a : b`` names: one of two in memory, else not known."""
    term = condition(m, e.cond)
    found: list[Place | None] = []
    for wanted, side in ((term, e.then), (negate(term), e.other)):

        def look(side: n.Expr = side) -> Value:
            found.append(place(m, side))
            return TRUE

        if under(m, wanted, e.cond.span, look) is None:
            found.append(None)
    then, other = found
    if then is None or other is None:
        return (then or other) if term.op == "const" else None
    chosen = merge(term, ReferenceValue(then), ReferenceValue(other))
    return chosen.place if isinstance(chosen, ReferenceValue) else None


def load_if_variable(m: Machine, base: Place, e: n.Member) -> Value | None:
    """Value of a field that is a C++ reference, kept with the variable."""
    if not isinstance(base, VarPlace) or m.state is None:
        return None
    value: Value | None = m.state.env.get(base.decl)
    for name in (*base.path, e.field):
        value = value.get(name) if isinstance(value, StructValue) else None
    return value


def pointee_type(type_: Type) -> Type:
    return type_.pointee if isinstance(type_, PointerType) else type_


def is_reference_type(type_: Type) -> bool:
    return isinstance(type_, PointerType) and type_.reference


def _volatile(type_: Type) -> bool:
    return isinstance(type_, PointerType) and type_.volatile


def _ref_place(m: Machine, decl: n.VarDecl) -> Place | None:
    state = m.state
    assert state is not None
    if isinstance(decl.type, PointerType) and decl.type.reference:
        value = state.env.get(decl)
        if isinstance(value, ReferenceValue):
            return value.place
        pointee = decl.type.pointee
        if isinstance(value, PointerValue):
            return MemPlace(value.typed(pointee), pointee)
        return VarPlace(decl, (), pointee)
    if own_variable(decl):
        return VarPlace(decl, (), decl.type)
    if isinstance(decl, n.ParamDecl):
        return VarPlace(decl, (), decl.type)
    root = variable_root(m, decl)
    return MemPlace(PointerValue(root, const(0), decl.type, unsized(decl)), decl.type, volatile=decl.volatile)


def ref_value(m: Machine, e: n.Ref) -> Value:
    decl = e.decl
    state = m.state
    assert state is not None
    if decl.value is not None and isinstance(decl.type, IntType):
        return const(decl.value, decl.type)
    if decl in m.watched:
        record(m, MemPlace(PointerValue(variable_root(m, decl), const(0), decl.type), decl.type), AccessKind.READ, e)
    known = state.env.get(decl)
    if known is not None and not (isinstance(decl.type, PointerType) and decl.type.reference):
        return known
    if isinstance(decl, n.ParamDecl) and decl.is_template:
        return launch.template_symbol(decl).term
    if decl.synthesised and decl.space is not Space.SHARED:  # an object whose type alone is out of sight is read
        if decl not in m.parameters:
            level = Uniformity.GRID if _CONSTANT.fullmatch(decl.name) else Uniformity.VARYING
            m.parameters[decl] = unknown_value(decl.type, f"{decl.name}{FROM_HEADER}", level)
        return m.parameters[decl]
    at = _ref_place(m, decl)
    return unknown_value(e.type, decl.name) if at is None else load(m, at, e)


_CONSTANT = pattern(r"[A-Z]\w*|[a-z][A-Z]\w*|\w*[_:]\w*")
"""Names without a declaration that are spelled as constants are: ``WIDTH``, ``kWidth``, ``warp_size``.  Others may
well be macros, or variables whose declaration was lost, that each thread has a value of its own for."""


def _subscript_place(m: Machine, e: n.Subscript) -> Place | None:
    if isinstance(e.base.type, (ArrayType, VectorType)):
        base = place(m, e.base)
        index = scalar(m, e.index)
        if base is None:
            return None
        if isinstance(base, VarPlace) and isinstance(base.type, VectorType) and index.value is not None:
            return field_place(m, base, "", (index.value,))
        return element_place(m, base, index)
    base_value = evaluate(m, e.base)
    index = scalar(m, e.index)
    if isinstance(base_value, PointerValue):
        return pointee_place(advance(base_value, index, e.type), e.type, index, _volatile(e.base.type))
    if isinstance(base_value, ReferenceValue):
        if index.value == 0:
            return base_value.place
        at = in_memory(m, base_value.place)
        return pointee_place(advance(at.pointer, index, e.type), e.type, index)
    return None


def value_at(m: Machine, e: n.Expr) -> Value:
    at = place(m, e)
    if at is None:
        if isinstance(e, n.Member) and not e.arrow:
            base = evaluate(m, e.base)
            return _project(base, e)
        if isinstance(e, n.Subscript):
            return unknown_value(e.type, "subscript", max(_level(evaluate(m, e.base)), _level(scalar(m, e.index))))
        return unknown_value(e.type, type(e).__name__.lower())
    return load(m, at, e)


def _level(value: Value) -> Uniformity:
    """How alike a value is for threads, where no loop has a say in it."""
    if not isinstance(value, Term) or not {s.kind for s in symbols(value)} <= _SETTLED:
        return Uniformity.VARYING
    return uniformity(value)


_SETTLED = frozenset({SymbolKind.UNKNOWN, SymbolKind.PARAM, SymbolKind.TEMPLATE})


def _project(base: Value, e: n.Member) -> Value:
    """A field or swizzle of a value that has no place."""
    if isinstance(base, StructValue):
        if len(e.lanes) > 1:
            lanes = tuple((str(i), base.get(str(lane)) or unknown("lane", I32)) for i, lane in enumerate(e.lanes))
            return StructValue(e.type, lanes)
        found = base.get(str(e.lanes[0]) if e.lanes else e.field)
        if found is not None:
            return found
    return unknown_value(e.type, f"field {e.field}", _level(base))


def member_value(m: Machine, e: n.Member) -> Value:
    if len(e.lanes) > 1:
        return _project(evaluate(m, e.base), e)
    lvalue = isinstance(e.base, (n.Ref, n.Subscript, n.Deref, n.Member, n.Cast))
    if not e.arrow and not lvalue and not (isinstance(e.base, n.Call) and gives_reference(e.base)):
        base = evaluate(m, e.base)
        if isinstance(base, StructValue):
            return _project(base, e)
    return value_at(m, e)


def address_value(m: Machine, e: n.AddressOf) -> Value:
    if isinstance(e.operand, n.FunctionRef):
        return evaluate(m, e.operand)
    at = place(m, e.operand)
    if isinstance(at, MemPlace):
        return at.pointer.typed(at.type)
    if isinstance(at, VarPlace):
        if isinstance(at.type, ArrayType):
            inner = in_memory(m, at)
            return inner.pointer.typed(at.type)
        return ReferenceValue(at)
    return unknown_value(e.type, "address")


def _bind_field(m: Machine, target: n.Member, value: n.Expr) -> Value:
    """A constructor binds a field that is a C++ reference."""
    at = place(m, value)
    bound = ReferenceValue(at) if at is not None else evaluate(m, value)
    if m.state is None:
        return bound
    owner = evaluate(m, target.base) if target.arrow else None
    holder = pointee_place(owner, pointee_type(target.base.type)) if owner is not None else place(m, target.base)
    if isinstance(holder, VarPlace):
        write_variable(m, VarPlace(holder.decl, (*holder.path, target.field), target.type), bound)
    else:
        m.gap("statement", "a reference is bound in an object in memory", target.span)
        m.doubt()
    return bound


def assign_value(m: Machine, e: n.Assign) -> Value:
    if not e.op and isinstance(e.target, n.Member) and is_reference_type(e.target.type):
        return _bind_field(m, e.target, e.value)
    if not e.op:
        at = place(m, e.target) if not isinstance(e.target, n.Ref) else None
        value = evaluate(m, e.value)
        if m.state is None:
            return value
        if isinstance(e.target, n.Ref):
            at = place(m, e.target)
        value = coerce(m, value, e.target.type)
        if at is None and isinstance(e.target, n.Member) and len(e.target.lanes) > 1:
            _assign_lanes(m, e.target, value)
        elif at is not None or not _part_of_unknown(m, e.target):
            store(m, at, value, e)
        return value
    at = place(m, e.target)
    value = evaluate(m, e.value)
    if at is None:
        _part_of_unknown(m, e.target)
        if isinstance(e.target, n.Member) and len(e.target.lanes) > 1:
            _assign_lanes(m, e.target, unknown_value(e.target.type, "lanes"))
        return unknown_value(e.type, "assignment")
    old = load(m, at, e.target)
    kind = e.compute if e.compute is not None else e.target.type
    new = coerce(m, combined(m, e.op, old, value, e.target.type, e.value.type, kind), e.target.type)
    store(m, at, new, e)
    return new


def _part_of_unknown(m: Machine, target: n.Expr) -> bool:
    """Whether a place is a member, or an element of constant number, of a variable whose type is not known, which is
    forgotten then."""
    if not isinstance(target, (n.Member, n.Subscript)) or not isinstance(target.base.type, OpaqueType):
        return False
    if isinstance(target, n.Subscript) and scalar(m, target.index).value is None:
        return False
    whole = place(m, target.base)
    if isinstance(whole, VarPlace):
        havoc(m, whole, "a part of it is written")
        return True
    return whole is None and _part_of_unknown(m, target.base)


def _assign_lanes(m: Machine, target: n.Member, value: Value) -> None:
    base = place(m, target.base)
    if base is None:
        return
    for i, lane in enumerate(target.lanes):
        part = value.get(str(i)) if isinstance(value, StructValue) else value
        store(m, field_place(m, base, "", (lane,)), part if part is not None else unknown("lane", I32), target)


def incdec_value(m: Machine, e: n.IncDec) -> Value:
    at = place(m, e.target)
    if at is None:
        _part_of_unknown(m, e.target)
        return unknown_value(e.type, "increment")
    old = load(m, at, e.target)
    one = const(1, I32)
    new = coerce(
        m, combined(m, "+" if e.op == "++" else "-", old, one, e.target.type, I32, e.target.type), e.target.type
    )
    store(m, at, new, e)
    return new if e.prefix else old


def gives_reference(e: n.Call) -> bool:
    """Whether a call yields a place (its function returns a C++ reference)."""
    kind = e.function.result if e.function is not None else None
    return isinstance(kind, PointerType) and kind.reference


def followed_call(m: Machine, e: n.Call, function: n.FunctionDecl) -> Value:
    """Result of a call that is walked; a :class:`ReferenceValue` when it returns a reference."""
    callee = peek(m, e.receiver) if isinstance(e.receiver, n.Ref) else None
    if isinstance(callee, LambdaValue):
        return with_captured(m, callee, lambda: call_function(m, e, function))
    return call_function(m, e, function)


def peek(m: Machine, ref: n.Ref) -> Value | None:
    return m.state.env.get(ref.decl) if m.state is not None else None
