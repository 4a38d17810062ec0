"""What operators, conversions and functions without effects make of values."""

from __future__ import annotations

import functools
from collections.abc import Callable

from kernlint.analysis.trace.containers import elsewhere
from kernlint.analysis.trace.machine import Machine
from kernlint.analysis.trace.memory import (
    advance,
    in_memory,
    null_root,
    size_term,
)
from kernlint.analysis.trace.values import (
    PointerValue,
    ReferenceValue,
    StructValue,
    Value,
    as_term,
    present,
    unknown_value,
)
from kernlint.record import replace
from kernlint.symbolic import quotients
from kernlint.symbolic.terms import (
    TRUE,
    Term,
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
    truth,
    unknown,
)
from kernlint.tree.types import (
    BOOL,
    I64,
    FloatType,
    IntType,
    PointerType,
    Type,
    VectorType,
)

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


def unary_term(op: str, term: Term, type_: Type) -> Term:
    if op == "!":
        return cast(negate(truth(term)), type_)
    if op == "-":
        return negative(cast(term, type_), type_)
    return complement(cast(term, type_), type_) if op == "~" else cast(term, type_)


def lanewise(type_: Type, parts: list[Value], make: Callable[[list[Term], Type], Term]) -> Value:
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


def combined(m: Machine, op: str, a: Value, b: Value, left: Type, right: Type, type_: Type) -> Value:
    if isinstance(a, ReferenceValue) and isinstance(b, Term) and op in "+-":
        a = decayed(m, a)
    if isinstance(a, PointerValue) and isinstance(b, Term) and op in "+-":
        count = cast(b, I64)
        return advance(a, negative(count, I64) if op == "-" else count, a.pointee)
    if isinstance(b, PointerValue) and isinstance(a, Term) and op == "+":
        return advance(b, a, b.pointee)
    if isinstance(a, PointerValue) and isinstance(b, PointerValue):
        return _pointers(op, a, b, type_)
    if isinstance(a, StructValue) or isinstance(b, StructValue):
        if isinstance(type_, VectorType):
            return lanewise(type_, [a, b], lambda parts, kind: arithmetic(op, parts[0], parts[1], kind))
        return call(f"operator{op}", (as_term(a), as_term(b)), type_)
    return arithmetic(op, as_term(a, left), as_term(b, right), type_)


def decayed(m: Machine, value: ReferenceValue) -> PointerValue:
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
        return value if text_of(value) is not None else pointer_from_int(value, type_)
    return elsewhere(value, type_) if isinstance(value, StructValue) else value


def text_of(value: Value | None) -> str | None:
    """The text that a value of host code is a pointer to, where it is a literal."""
    if not isinstance(value, Term) or value.op != "call" or not str(value.args[0]).startswith('"'):
        return None
    return str(value.args[0])[1:-1]


@functools.lru_cache(maxsize=1 << 10)
def is_address(term: Term) -> bool:
    """Whether an integer is made from an address: it is one, or a sum with one."""
    term = plain(term)
    if term.op == "add":
        return any(map(is_address, term.args))
    return term.op == "call" and term.args[0] == "address"


def pointer_from_int(value: Term, type_: PointerType) -> Value:
    if value.value == 0:
        return PointerValue(null_root(type_.space, type_.pointee), const(0), type_.pointee)
    base, offset = value, const(0)
    while base.op in ("add", "cast"):
        if base.op == "cast":
            base = base.args[0]
            continue
        kept, added = base.args if not is_address(base.args[1]) else base.args[::-1]
        base, offset = kept, binary("add", offset, cast(added, I64), I64)
    if base.op == "call" and base.args[0] == "address":
        root = base.args[1].args[0].origin
        total = binary("add", base.args[2], offset, I64)
        return PointerValue(root, total, type_.pointee)
    return unknown_value(type_, "pointer from integer")


def pointer_truth(value: Value) -> Term:
    return present(value.root) if isinstance(value, PointerValue) else TRUE


def truth_of_lanes(name: str, lanes: list[Term]) -> Term | None:
    """Whether all lanes of a vector, or any, are true; None where they are no truths (OpenCL looks at their signs)."""
    if not lanes or not all(map(says_truth, lanes)):
        return None
    return functools.reduce(conjunction if name == "all" else disjunction, map(truth, lanes))


def computed(name: str, args: list[Term], type_: Type) -> Term:
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
