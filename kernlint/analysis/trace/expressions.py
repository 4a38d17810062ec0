"""Evaluation of expressions: values, places, and the events they cause."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from kernlint.analysis.trace import launch
from kernlint.analysis.trace.containers import DATA, SIZE, elsewhere
from kernlint.analysis.trace.events import (
    AccessKind,
    AsyncEvent,
    BarrierEvent,
    ConditionEvent,
    FenceEvent,
    Guard,
    GuardKind,
    LaunchEvent,
    WarpEvent,
)
from kernlint.analysis.trace.images import record_image
from kernlint.analysis.trace.inline import call_function, call_lambda, unresolved_call, with_captured
from kernlint.analysis.trace.machine import Machine
from kernlint.analysis.trace.memory import (
    advance,
    element_place,
    field_place,
    havoc,
    in_memory,
    load,
    null_root,
    pointee_place,
    read_variable,
    record,
    size_term,
    store,
    unsized,
    variable_root,
    write_variable,
)
from kernlint.analysis.trace.packed import of_sequence
from kernlint.analysis.trace.values import (
    FunctionValue,
    LambdaValue,
    MemPlace,
    Place,
    PointerValue,
    ReferenceValue,
    StructValue,
    Value,
    VarPlace,
    as_term,
    fields_of,
    left_out,
    merge,
    own_variable,
    present,
    root_symbol,
    unknown_value,
    zero_value,
)
from kernlint.record import replace
from kernlint.source import Span
from kernlint.symbolic import quotients
from kernlint.symbolic.show import FROM_HEADER
from kernlint.symbolic.terms import (
    FALSE,
    TRUE,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    call,
    cast,
    complement,
    conjunction,
    const,
    disjunction,
    negate,
    negative,
    plain,
    says_truth,
    symbols,
    truth,
    unknown,
)
from kernlint.symbolic.uniformity import WARP, uniformity
from kernlint.text.patterns import pattern
from kernlint.tree import nodes as n
from kernlint.tree.launch_arguments import packed_arguments
from kernlint.tree.types import (
    BOOL,
    I32,
    I64,
    U64,
    ArrayType,
    FloatType,
    IntType,
    OpaqueType,
    PointerType,
    Space,
    StructType,
    Type,
    VectorType,
)
from kernlint.tree.walk import strip_casts, walk

_OPS = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "%": "mod",
    "<<": "shl",
    ">>": "shr",
    "&": "and",
    "|": "or",
    "^": "xor",
}


def evaluate(m: Machine, expr: n.Expr) -> Value:
    """Value of ``expr``; its accesses and barriers are recorded."""
    m.step()
    handler = _VALUES.get(type(expr))
    if handler is None or m.state is None:
        return unknown_value(expr.type, "dead code" if m.state is None else type(expr).__name__)
    return handler(m, expr)


def scalar(m: Machine, expr: n.Expr) -> Term:
    """Value of ``expr`` as one term."""
    return as_term(evaluate(m, expr), expr.type)


def condition(m: Machine, expr: n.Expr) -> Term:
    """Truth of ``expr``; the test is recorded."""
    value = evaluate(m, expr)
    if isinstance(value, PointerValue):
        term = present(value.root)
    elif isinstance(value, ReferenceValue):
        term = TRUE
    else:
        term = truth(as_term(value, expr.type))
    if m.state is not None and term.op != "const":
        m.trace.conditions.append(ConditionEvent(**m.common(expr.span), term=term, node=expr))
    return term


def under(m: Machine, term: Term, span: Span, action: Callable[[], Value]) -> Value | None:
    """Run ``action`` on the path where ``term`` holds too; afterwards the path is as before.  None when it never
    holds.  What the action does to variables is merged under ``term``."""
    if term == FALSE or m.state is None:
        return None
    before = m.state
    base = before.path
    m.state = before.fork()
    m.guarded(term, GuardKind.SHORT, span)
    value = action()
    after = m.state
    if term == TRUE:
        if after is not None:
            after.path = base
        return value
    before.path = (*base, Guard(negate(term), GuardKind.SHORT, span))
    m.state = m.join(term, after, before, base)
    if m.state is not None:
        m.state.path = base
    return value


# ---------------------------------------------------------------------------------------------------- leaves


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


# ---------------------------------------------------------------------------------------------------- places


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
            base = pointee_place(evaluate(m, e.base), _pointee(e.base.type), volatile=_volatile(e.base.type))
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
        _assign(m, e)
        return place(m, e.target)
    if isinstance(e, n.IncDec) and e.prefix:
        _incdec(m, e)
        return place(m, e.target)
    if isinstance(e, n.Binary) and e.op == ",":
        evaluate(m, e.lhs)
        return place(m, e.rhs)
    if isinstance(e, n.Conditional):
        return _chosen_place(m, e)
    if isinstance(e, n.Call):
        function = m.followed(e.function) if m.state is not None else None
        if function is not None:
            value = _followed(m, e, function)
        else:
            value = unresolved_call(m, e) if m.on_host and _by_reference(e) else evaluate(m, e)
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


def _pointee(type_: Type) -> Type:
    return type_.pointee if isinstance(type_, PointerType) else type_


def _is_reference(type_: Type) -> bool:
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


def _ref(m: Machine, e: n.Ref) -> Value:
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


def _lvalue(m: Machine, e: n.Expr) -> Value:
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


def _member(m: Machine, e: n.Member) -> Value:
    if len(e.lanes) > 1:
        return _project(evaluate(m, e.base), e)
    lvalue = isinstance(e.base, (n.Ref, n.Subscript, n.Deref, n.Member, n.Cast))
    if not e.arrow and not lvalue and not (isinstance(e.base, n.Call) and _by_reference(e.base)):
        base = evaluate(m, e.base)
        if isinstance(base, StructValue):
            return _project(base, e)
    return _lvalue(m, e)


def _address_of(m: Machine, e: n.AddressOf) -> Value:
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


# -------------------------------------------------------------------------------------------------- operators


def _unary(m: Machine, e: n.Unary) -> Value:
    value = evaluate(m, e.operand)
    if isinstance(value, StructValue):
        return _lanewise(e.type, [value], lambda parts, kind: _unary_term(e.op, parts[0], kind))
    if e.op == "!" and isinstance(value, PointerValue):
        return cast(negate(present(value.root)), e.type)
    return _unary_term(e.op, as_term(value, e.operand.type), e.type)


def _unary_term(op: str, term: Term, type_: Type) -> Term:
    if op == "!":
        return cast(negate(truth(term)), type_)
    if op == "-":
        return negative(cast(term, type_), type_)
    return complement(cast(term, type_), type_) if op == "~" else cast(term, type_)


def _lanewise(type_: Type, parts: list[Value], make: Callable[[list[Term], Type], Term]) -> Value:
    """Apply an operation lane by lane; scalars stand for every lane."""
    if not isinstance(type_, VectorType):
        return call("vector", tuple(as_term(p) for p in parts), type_)
    out = []
    for lane in range(type_.lanes):
        terms = []
        for part in parts:
            value = part.get(str(lane)) if isinstance(part, StructValue) else part
            terms.append(as_term(value, type_.element) if value is not None else unknown("lane", type_.element))
        out.append((str(lane), make(terms, type_.element)))
    return StructValue(type_, tuple(out))


def arithmetic(op: str, a: Term, b: Term, type_: Type) -> Term:
    """``a op b`` for C operator ``op`` computed in ``type_`` (the result type of a comparison: int or bool)."""
    if op in _OPS:
        if op in ("<<", ">>"):
            return binary(_OPS[op], cast(a, type_), b, type_)
        return binary(_OPS[op], cast(a, type_), cast(b, type_), type_)
    name, left, right = {
        "<": ("lt", a, b),
        ">": ("lt", b, a),
        "<=": ("le", a, b),
        ">=": ("le", b, a),
        "==": ("eq", a, b),
        "!=": ("ne", a, b),
    }[op]
    floats = isinstance(left.type, FloatType) or isinstance(right.type, FloatType)
    counted = quotients.compared(name, left, right) if floats else None
    return cast(binary(name, left, right, BOOL) if counted is None else counted, type_)


def _binary(m: Machine, e: n.Binary) -> Value:
    op = e.op
    if op == ",":
        evaluate(m, e.lhs)
        return evaluate(m, e.rhs)
    if op in ("&&", "||") and isinstance(e.type, VectorType):
        join = conjunction if op == "&&" else disjunction
        sides = [evaluate(m, e.lhs), evaluate(m, e.rhs)]
        return _lanewise(e.type, sides, lambda parts, kind: cast(join(*map(truth, parts)), kind))
    if op in ("&&", "||"):
        left = condition(m, e.lhs)
        wanted = left if op == "&&" else negate(left)
        right = under(m, wanted, e.lhs.span, lambda: condition(m, e.rhs))
        if right is None:
            return cast(left, e.type)
        assert isinstance(right, Term)
        return cast(conjunction(left, right) if op == "&&" else disjunction(left, right), e.type)
    a, b = evaluate(m, e.lhs), evaluate(m, e.rhs)
    return _combine(m, op, a, b, e.lhs.type, e.rhs.type, e.type)


def _combine(m: Machine, op: str, a: Value, b: Value, left: Type, right: Type, type_: Type) -> Value:
    if isinstance(a, ReferenceValue) and isinstance(b, Term) and op in "+-":
        a = _decay(m, a)
    if isinstance(a, PointerValue) and isinstance(b, Term) and op in "+-":
        count = cast(b, I64)
        return advance(a, negative(count, I64) if op == "-" else count, a.pointee)
    if isinstance(b, PointerValue) and isinstance(a, Term) and op == "+":
        return advance(b, a, b.pointee)
    if isinstance(a, PointerValue) and isinstance(b, PointerValue):
        return _pointers(op, a, b, type_)
    if isinstance(a, StructValue) or isinstance(b, StructValue):
        if isinstance(type_, VectorType):
            return _lanewise(type_, [a, b], lambda parts, kind: arithmetic(op, parts[0], parts[1], kind))
        return call(f"operator{op}", (as_term(a), as_term(b)), type_)
    return arithmetic(op, as_term(a, left), as_term(b, right), type_)


def _decay(m: Machine, value: ReferenceValue) -> PointerValue:
    at = in_memory(m, value.place)
    return at.pointer.typed(at.type)


def _pointers(op: str, a: PointerValue, b: PointerValue, type_: Type) -> Value:
    if a.root is b.root:
        if op == "-":
            delta = binary("sub", a.offset, b.offset, I64)
            return cast(binary("div", delta, size_term(a.pointee), I64), type_)
        if op in ("<", ">", "<=", ">=", "==", "!="):
            return arithmetic(op, a.offset, b.offset, type_)
    for one, other in ((a, b), (b, a)):
        if other.root.name == "?null" and op in ("==", "!="):
            term = present(one.root)
            return cast(term if op == "!=" else negate(term), type_)
    return call(f"pointers{op}", (as_term(a), as_term(b)), type_)


def _bind_field(m: Machine, target: n.Member, value: n.Expr) -> Value:
    """A constructor binds a field that is a C++ reference."""
    at = place(m, value)
    bound = ReferenceValue(at) if at is not None else evaluate(m, value)
    if m.state is None:
        return bound
    owner = evaluate(m, target.base) if target.arrow else None
    holder = pointee_place(owner, _pointee(target.base.type)) if owner is not None else place(m, target.base)
    if isinstance(holder, VarPlace):
        write_variable(m, VarPlace(holder.decl, (*holder.path, target.field), target.type), bound)
    else:
        m.gap("statement", "a reference is bound in an object in memory", target.span)
        m.doubt()
    return bound


def _assign(m: Machine, e: n.Assign) -> Value:
    if not e.op and isinstance(e.target, n.Member) and _is_reference(e.target.type):
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
    new = coerce(m, _combine(m, e.op, old, value, e.target.type, e.value.type, kind), e.target.type)
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


def _incdec(m: Machine, e: n.IncDec) -> Value:
    at = place(m, e.target)
    if at is None:
        _part_of_unknown(m, e.target)
        return unknown_value(e.type, "increment")
    old = load(m, at, e.target)
    one = const(1, I32)
    new = coerce(
        m, _combine(m, "+" if e.op == "++" else "-", old, one, e.target.type, I32, e.target.type), e.target.type
    )
    store(m, at, new, e)
    return new if e.prefix else old


def coerce(m: Machine, value: Value, type_: Type) -> Value:
    """``value`` as C converts it when it is stored in an object of ``type_``."""
    if isinstance(value, Term) and isinstance(type_, (IntType, FloatType)):
        if isinstance(type_, IntType) and isinstance(value.type, FloatType) and value.op != "const":
            counted = quotients.whole(value, type_, counts=m.on_host)
            if counted is not None:
                return counted
        return cast(value, type_)
    if isinstance(value, Term) and isinstance(type_, VectorType):
        lane = cast(value, type_.element)
        return StructValue(type_, tuple((str(i), lane) for i in range(type_.lanes)))
    if isinstance(value, PointerValue) and isinstance(type_, PointerType) and not type_.reference:
        return value.typed(type_.pointee)
    if isinstance(value, Term) and isinstance(type_, PointerType):
        return value if text_of(value) is not None else _pointer_from_int(value, type_)
    return elsewhere(value, type_) if isinstance(value, StructValue) else value


def text_of(value: Value | None) -> str | None:
    """The text that a value of host code is a pointer to, where it is a literal."""
    if not isinstance(value, Term) or value.op != "call" or not str(value.args[0]).startswith('"'):
        return None
    return str(value.args[0])[1:-1]


@functools.lru_cache(maxsize=1 << 10)
def _addressed(term: Term) -> bool:
    """Whether an integer is made from an address: it is one, or a sum with one."""
    term = plain(term)
    if term.op == "add":
        return any(map(_addressed, term.args))
    return term.op == "call" and term.args[0] == "address"


def _pointer_from_int(value: Term, type_: PointerType) -> Value:
    if value.value == 0:
        return PointerValue(null_root(type_.space, type_.pointee), const(0), type_.pointee)
    base, offset = value, const(0)
    while base.op in ("add", "cast"):
        if base.op == "cast":
            base = base.args[0]
            continue
        kept, added = base.args if not _addressed(base.args[1]) else base.args[::-1]
        base, offset = kept, binary("add", offset, cast(added, I64), I64)
    if base.op == "call" and base.args[0] == "address":
        root = base.args[1].args[0].origin
        total = binary("add", base.args[2], offset, I64)
        return PointerValue(root, total, type_.pointee)
    return unknown_value(type_, "pointer from integer")


def _conditional(m: Machine, e: n.Conditional) -> Value:
    cond_value = evaluate(m, e.cond)
    if isinstance(cond_value, StructValue):
        parts: list[Value] = [cond_value, evaluate(m, e.then), evaluate(m, e.other)]
        return _lanewise(e.type, parts, lambda terms, kind: call("select", tuple(terms), kind))
    term = truth(as_term(cond_value, e.cond.type)) if isinstance(cond_value, Term) else _pointer_truth(cond_value)
    if m.state is not None and term.op != "const":
        m.trace.conditions.append(ConditionEvent(**m.common(e.cond.span), term=term, node=e.cond))
    then = under(m, term, e.cond.span, lambda: evaluate(m, e.then))
    other = under(m, negate(term), e.cond.span, lambda: evaluate(m, e.other))
    if then is None or other is None:
        chosen = then if then is not None else other
        return chosen if chosen is not None else unknown_value(e.type, "dead code")
    return merge(term, coerce(m, then, e.type), coerce(m, other, e.type))


def _pointer_truth(value: Value) -> Term:
    return present(value.root) if isinstance(value, PointerValue) else TRUE


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
            pointer = _decay(m, value)
            return pointer.typed(type_.pointee)
        return value
    if isinstance(value, Term):
        if e.bits and isinstance(type_, PointerType) and _addressed(value):
            return _pointer_from_int(value, type_)
        if e.bits and value.type != type_:
            return call("bits", (value,), type_)
        return coerce(m, value, type_) if isinstance(type_, (IntType, FloatType, VectorType, PointerType)) else value
    if isinstance(value, StructValue) and isinstance(type_, VectorType) and not e.bits:
        return _lanewise(type_, [value], lambda parts, kind: cast(parts[0], kind))
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
        bound = place(m, element) if len(parts) < len(fields) and _is_reference(fields[len(parts)][1]) else None
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


# ------------------------------------------------------------------------------------------------------- calls


def _call(m: Machine, e: n.Call) -> Value:
    if e.receiver is not None and e.function is None:
        callee = evaluate(m, e.receiver) if not isinstance(e.receiver, n.Ref) else _peek(m, e.receiver)
        if isinstance(callee, LambdaValue):
            return call_lambda(m, callee, e)
    if (function := m.followed(e.function)) is not None:
        result = _followed(m, e, function)
        return load(m, result.place, e) if isinstance(result, ReferenceValue) and _by_reference(e) else result
    if e.pure_math:
        return _pure(m, e)
    found = unresolved_call(m, e)
    return load(m, found.place, e) if isinstance(found, ReferenceValue) and _by_reference(e) else found


def _by_reference(e: n.Call) -> bool:
    """Whether a call yields a place (its function returns a C++ reference)."""
    kind = e.function.result if e.function is not None else None
    return isinstance(kind, PointerType) and kind.reference


def _followed(m: Machine, e: n.Call, function: n.FunctionDecl) -> Value:
    """Result of a call that is walked; a :class:`ReferenceValue` when it returns a reference."""
    callee = _peek(m, e.receiver) if isinstance(e.receiver, n.Ref) else None
    if isinstance(callee, LambdaValue):
        return with_captured(m, callee, lambda: call_function(m, e, function))
    return call_function(m, e, function)


def _peek(m: Machine, ref: n.Ref) -> Value | None:
    return m.state.env.get(ref.decl) if m.state is not None else None


def _pure(m: Machine, e: n.Call) -> Value:
    values = [evaluate(m, arg) for arg in e.args]
    type_ = e.type
    if isinstance(type_, VectorType):
        return _lanewise(type_, values, lambda parts, kind: _math(e.name, parts, kind))
    if e.name in ("all", "any") and len(values) == 1 and isinstance(values[0], StructValue):
        found = _of_lanes(e.name, [as_term(value) for _, value in values[0].fields])
        if found is not None:
            return cast(found, type_)
    return _math(e.name, [as_term(v, a.type) for v, a in zip(values, e.args, strict=True)], type_)


def _of_lanes(name: str, lanes: list[Term]) -> Term | None:
    """Whether all lanes of a vector, or any, are true; None where they are no truths (OpenCL looks at their signs)."""
    if not lanes or not all(map(says_truth, lanes)):
        return None
    return functools.reduce(conjunction if name == "all" else disjunction, map(truth, lanes))


def _math(name: str, args: list[Term], type_: Type) -> Term:
    if isinstance(type_, IntType):
        if name in ("min", "max") and len(args) == 2:
            return binary(name, cast(args[0], type_), cast(args[1], type_), type_)
        if name == "clamp" and len(args) == 3:
            low = binary("max", cast(args[0], type_), cast(args[1], type_), type_)
            return binary("min", low, cast(args[2], type_), type_)
        if name == "mul24" and len(args) == 2:
            return binary("mul", cast(args[0], type_), cast(args[1], type_), type_)
        if name == "mad24" and len(args) == 3:
            product = binary("mul", cast(args[0], type_), cast(args[1], type_), type_)
            return binary("add", product, cast(args[2], type_), type_)
        if name in ("rotate", "rotate_right") and len(args) == 2 and args[1].value is not None:
            return _rotated(cast(args[0], type_), args[1].value * (1 if name == "rotate" else -1), type_)
    return call(name, tuple(args), type_)


def _rotated(value: Term, left: int, type_: IntType) -> Term:
    """A number of which the bits move to the left, those that leave it coming in again on the right."""
    bits, plain_ = left % type_.bits, replace(type_, signed=False)
    if not bits:
        return value
    whole = cast(value, plain_)
    high = binary("shl", whole, const(bits, plain_), plain_)
    low = binary("shr", whole, const(type_.bits - bits, plain_), plain_)
    return cast(binary("or", high, low, plain_), type_)


def _barrier(m: Machine, e: n.Barrier) -> Value:
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


def _fence(m: Machine, e: n.Fence) -> Value:
    if m.state is not None:
        m.trace.fences.append(FenceEvent(**m.common(e.span), scope=e.scope, spaces=e.spaces, name=e.name))
    return unknown_value(e.type, "fence")


def _atomic(m: Machine, e: n.Atomic) -> Value:
    pointer = evaluate(m, e.pointer)
    operands = [scalar(m, operand) for operand in e.operands]
    at = pointee_place(pointer, _pointee(e.pointer.type))
    if isinstance(at, VarPlace):
        havoc(m, at, e.name)
    elif isinstance(at, MemPlace):
        value = operands[0] if operands else None
        new = operands[1] if e.op == "cas" and len(operands) > 1 else None
        record(m, at, AccessKind.ATOMIC, e, value, scope=e.scope, atomic_op=e.op, new=new)
    if isinstance(e.type, (IntType, FloatType)):
        return unknown(e.name, e.type, span=e.span, origin=e)
    return unknown_value(e.type, e.name)


def _warp_op(m: Machine, e: n.WarpOp) -> Value:
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


def _async_copy(m: Machine, e: n.AsyncCopy) -> Value:
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


def _async_wait(m: Machine, e: n.AsyncWait) -> Value:
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


def _assume(m: Machine, e: n.Assume) -> Value:
    term = condition(m, e.cond)
    if m.state is not None and term != FALSE:
        m.guarded(term, GuardKind.ASSERT, e.cond.span)
    return unknown_value(e.type, "assume")


def _image(m: Machine, e: n.ImageOp) -> Value:
    values = [evaluate(m, arg) for arg in e.args]
    record_image(m, e, values)
    terms = tuple(as_term(value, arg.type) for value, arg in zip(values, e.args, strict=True))
    if isinstance(e.type, VectorType):
        lanes = tuple((str(i), call(f"{e.name}.{i}", terms, e.type.element)) for i in range(e.type.lanes))
        return StructValue(e.type, lanes)
    return call(e.name, terms, e.type)


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


def _launch(m: Machine, e: n.Launch) -> Value:
    """A launch: recorded in host code; from inside a kernel (dynamic parallelism) it is opaque."""
    parts = {
        name: _sizes(m, expr) if expr is not None else None
        for name, expr in (("grid", e.grid), ("block", e.block), ("global", e.global_size), ("shared", e.shared))
    }
    operands = e.args or _packed(m, e)
    args = tuple(_no_gap(m, arg) for arg in operands)
    values = tuple(evaluate(m, value) for value in e.values)
    called = evaluate(m, e.callee) if e.callee is not None else None
    functions = called.all if isinstance(called, FunctionValue) else (FunctionValue(e.kernel, ""),)
    named = [(one.function, one.when) for one in functions if one.function is not None]
    if m.function.kind is n.FunctionKind.HOST and m.state is not None:
        shared = parts["shared"]
        m.trace.launches.append(
            LaunchEvent(
                **m.common(e.span),
                node=e,
                grid=extent(parts["grid"]),
                block=extent(parts["block"]),
                global_size=extent(parts["global"]),
                shared=shared if isinstance(shared, Term) else None,
                args=args,
                values=values,
                host=m.function,
                kernels=tuple(kernel for kernel, _ in named),
                chosen=tuple(when for _, when in named),
                stream=evaluate(m, e.stream) if e.stream is not None else None,
                early=e.attributes is not None and launch.begins_early(m, evaluate(m, e.attributes)),
                handle=called,
                listed=operands,
                moved=(
                    launch.moved_axes(_sizes(m, e.offset), extent(parts["global"]))
                    if e.offset is not None
                    else frozenset()
                ),
            )
        )
    else:
        m.gap("call", "launch from a kernel", e.span)
    return unknown_value(e.type, "launch")


def _sizes(m: Machine, expr: n.Expr) -> Value:
    """The extents of a launch; elements of an array as they were last stored, or as its declaration has them."""
    value = evaluate(m, expr)
    if isinstance(value, StructValue) and (data := value.get(DATA)) is not None:
        return _elements(m, expr, data, value.get(SIZE))
    if not (isinstance(value, StructValue) and isinstance(expr, n.InitList)):
        return value
    fields = []
    for (name, size), element in zip(value.fields, expr.elements, strict=False):
        fields.append((name, as_declared(m, element, size)))
    return replace(value, fields=(*fields, *value.fields[len(fields) :]))


def _elements(m: Machine, expr: n.Expr, data: Value, size: Value | None) -> Value:
    """The few sizes that a sequence holds."""
    count = size.value if isinstance(size, Term) else None
    if count is None or not 1 <= count <= 3 or not isinstance(data, PointerValue):
        return unknown_value(expr.type, "sizes in a sequence")
    at = (PointerValue(data.root, const(8 * index), U64) for index in range(count))
    held = (load(m, MemPlace(one, U64, const(index)), expr) for index, one in enumerate(at))
    return StructValue(expr.type, tuple((f"#{index}", value) for index, value in enumerate(held)))


def as_declared(m: Machine, element: n.Expr, size: Value) -> Value:
    """The ``size`` that an element of an array gives, or what its declaration has where no store to it is in sight."""
    listed = _declared(strip_casts(element))
    held = plain(size).symbol if listed is not None and isinstance(size, Term) and size.value is None else None
    return evaluate(m, listed) if listed is not None and held is not None and held.kind is SymbolKind.LOAD else size


def _declared(expr: n.Expr) -> n.Expr | None:
    """What the declaration of an array has for its element ``expr``."""
    if isinstance(expr, n.Subscript) and isinstance(expr.base, n.Ref) and isinstance(expr.index, n.IntLit):
        listed = expr.base.decl.init
        if isinstance(listed, n.InitList) and expr.index.value < len(listed.elements):
            return listed.elements[expr.index.value]
    return None


def _packed(m: Machine, e: n.Launch) -> tuple[n.Expr, ...]:
    """The arguments of a launch that is given an array of their addresses, by the list that it begins with."""
    value = evaluate(m, e.packed) if e.packed is not None else None
    decl = value.root.decl if isinstance(value, PointerValue) and value.offset.value == 0 else None
    listed = decl.init if decl is not None else None
    if isinstance(listed, n.InitList):
        return packed_arguments(listed)
    return of_sequence(e.packed, [frame.function for frame in m.frames], m.stack)


def _no_gap(m: Machine, arg: n.Expr) -> Value:
    return unknown_value(arg.type, arg.reason) if isinstance(arg, n.Opaque) and not arg.children else evaluate(m, arg)


def extent(value: Value | None) -> tuple[Term, Term, Term] | None:
    """Three sizes out of a dim3, an array of sizes or a plain number; None when they are not known."""
    if isinstance(value, StructValue):
        sizes = [v for _, v in value.fields[:3] if isinstance(v, Term)]
        while 0 < len(sizes) < 3:
            sizes.append(const(1))
        return (sizes[0], sizes[1], sizes[2]) if sizes else None
    if isinstance(value, Term) and isinstance(value.type, IntType):
        return value, const(1), const(1)
    return None


_VALUES: dict[type, Callable[[Machine, Any], Value]] = {
    n.IntLit: _int,
    n.FloatLit: _float,
    n.StringLit: _string,
    n.SizeOf: _sizeof,
    n.Ref: _ref,
    n.FunctionRef: _function_ref,
    n.LaunchValue: _launch_value,
    n.Unary: _unary,
    n.IncDec: _incdec,
    n.Binary: _binary,
    n.Assign: _assign,
    n.Conditional: _conditional,
    n.Subscript: _lvalue,
    n.Deref: _lvalue,
    n.AddressOf: _address_of,
    n.Member: _member,
    n.Cast: _cast,
    n.InitList: _init_list,
    n.Call: _call,
    n.Lambda: _lambda,
    n.Barrier: _barrier,
    n.Fence: _fence,
    n.Atomic: _atomic,
    n.WarpOp: _warp_op,
    n.AsyncCopy: _async_copy,
    n.AsyncWait: _async_wait,
    n.Assume: _assume,
    n.ImageOp: _image,
    n.Launch: _launch,
    n.Opaque: _opaque,
}
