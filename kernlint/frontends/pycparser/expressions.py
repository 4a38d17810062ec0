"""C expressions as expressions of the tree, with C's conversions written out."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from pycparser import c_ast

from kernlint.frontends.clang.intrinsics import CallContext, lower_call
from kernlint.frontends.clang.lower.conversions import COMPARISONS, balanced, common_type, convert, promoted
from kernlint.frontends.pycparser import builtins
from kernlint.frontends.pycparser.types import UnknownType, lanes_of, signed_like
from kernlint.record import replace
from kernlint.tree.nodes import (
    AddressOf,
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Deref,
    Expr,
    FloatLit,
    IncDec,
    InitList,
    IntLit,
    Member,
    Ref,
    SizeOf,
    StringLit,
    Subscript,
    Unary,
)
from kernlint.tree.types import (
    F16,
    F32,
    F64,
    I8,
    I32,
    I64,
    U32,
    U64,
    UNKNOWN,
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

if TYPE_CHECKING:
    from kernlint.frontends.pycparser.functions import Body

Handler = Callable[["Body", c_ast.Node], Expr]

NUMBERS = (IntType, FloatType)
MAX_DEPTH = 220
"""Expressions within expressions; what is deeper is not read."""


def expression(body: Body, node: c_ast.Node) -> Expr:
    """Lower an expression; what cannot be understood becomes opaque, with the loss on record."""
    handler = _HANDLERS.get(type(node))
    if handler is None:
        return body.opaque(node, f"expression of kind {type(node).__name__}")
    body.depth += 1
    try:
        if body.depth > MAX_DEPTH:
            return body.opaque(node, "nested too deeply")
        return handler(body, node)
    except UnknownType as error:
        return body.opaque(node, f"type that is not declared: {error}", "type")
    finally:
        body.depth -= 1


# ---------------------------------------------------------------------------------------------------- leaves


def _identifier(body: Body, node: c_ast.ID) -> Expr:
    span = body.span(node)
    if (found := body.variable(node.name)) is not None:
        kind = found.type.pointee if isinstance(found.type, PointerType) and found.type.reference else found.type
        if isinstance(kind, OpaqueType) and kind.spelling == "sampler_t" and found.init is not None:
            return found.init  # a constant of the program (OpenCL C 3.0, 6.15.15.1)
        return Ref(span, kind, found)
    if (known := body.module.types.enumerators.get(node.name)) is not None:
        return IntLit(span, known[1], known[0])
    body.lose(node, "name", f"name that is not declared: {node.name}")
    return Ref(span, I32, body.module.made_up(node.name, span))


_INTEGER = re.compile(r"(0[xX][\da-fA-F]+|0[bB][01]+|\d+)([uUlL]*)\Z")
_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11, "\\": 92, "'": 39, '"': 34, "?": 63}


_ESCAPE = re.compile(r"\\(x[\da-fA-F]+|[0-7]{1,3}|.)")


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda match: chr(character(f"'{match[0]}'") & 0xFF), text)


def _constant(body: Body, node: c_ast.Constant) -> Expr:
    span = body.span(node)
    text = str(node.value)
    if node.type == "string":
        return StringLit(span, PointerType(I8, Space.CONSTANT, const=True), _unescaped(text.strip('"')))
    if node.type == "char":
        return IntLit(span, I8 if text.startswith("'") else I32, character(text))
    if (match := _INTEGER.match(text)) is not None:
        digits, suffix = match[1], match[2].lower()
        octal = digits.startswith("0") and digits.isdigit() and len(digits) > 1
        value = int(digits, 8) if octal and set(digits) <= set("01234567") else int(digits, 0 if not octal else 10)
        return IntLit(span, integer_type(value, suffix, digits[:2].lower() == "0x" or octal), value)
    kind: FloatType = F64
    original = body.text(node)
    if (text[-1] in "fF" and not text.lower().startswith("0x")) or (text[-1] in "fF" and "p" in text.lower()):
        kind, text = (F16 if original[-1:] in ("h", "H") else F32), text[:-1]
    text = text.rstrip("lL")
    try:
        number = float.fromhex(text) if text.lower().startswith("0x") else float(text)
    except ValueError:
        return body.opaque(node, f"number that is none: {text}")
    return FloatLit(span, kind, rounded(number, kind))


def rounded(value: float, kind: FloatType) -> float:
    """``value`` as a float of ``kind`` holds it."""
    import struct

    code = {16: "e", 32: "f"}.get(kind.bits)
    if code is None:
        return value
    try:
        return float(struct.unpack(code, struct.pack(code, value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def character(text: str) -> int:
    """The value of a character constant."""
    inner = text[text.index("'") + 1 : -1]
    if not inner.startswith("\\"):
        return ord(inner[0]) if inner else 0
    if inner[1:2] == "x":
        return int(inner[2:] or "0", 16)
    if inner[1:].isdigit():
        return int(inner[1:], 8)
    return _ESCAPES.get(inner[1:2], ord(inner[1:2] or "\0"))


def integer_type(value: int, suffix: str, any_sign: bool) -> IntType:
    """The type of an integer constant (C11 6.4.4.1, with OpenCL's 64 bits of ``long``)."""
    for kind in (I32, U32, I64, U64):
        if "u" in suffix and kind.signed:
            continue
        if "l" in suffix and kind.bits < 64:
            continue
        if not kind.signed and "u" not in suffix and not any_sign:
            continue
        if kind.low <= value <= kind.high:
            return kind
    return U64


# ------------------------------------------------------------------------------------------------- operators


def _unary(body: Body, node: c_ast.UnaryOp) -> Expr:
    op = node.op
    if op in ("sizeof", "_Alignof", "__alignof__"):
        return _size(body, node)
    operand = expression(body, node.expr)
    span = body.span(node)
    if op in ("p++", "p--", "++", "--"):
        return IncDec(span, operand.type, op[-2:], not op.startswith("p"), operand)
    if op == "*":
        if isinstance(operand, AddressOf):
            return operand.operand
        return Deref(span, pointee_of(operand.type) or UNKNOWN, operand)
    if op == "&":
        if isinstance(operand, Deref):
            return operand.pointer
        return AddressOf(span, PointerType(operand.type, space_of(operand)), operand)
    if op not in ("-", "+", "~", "!"):
        return body.opaque(node, f"operator {op}")
    if op == "!":
        return Unary(span, signed_like(operand.type), op, operand)
    operand = convert(operand, promoted(operand.type))
    return Unary(span, operand.type, op, operand)


def _size(body: Body, node: c_ast.UnaryOp) -> Expr:
    span = body.span(node)
    if isinstance(node.expr, c_ast.Typename):
        kind = body.module.types.of(node.expr).type
    else:
        kind = expression(body, node.expr).type
    size = kind.size if node.op == "sizeof" else kind.align
    return IntLit(span, U64, size) if size is not None else SizeOf(span, U64, kind)


def pointee_of(kind: Type) -> Type | None:
    """What a pointer, array or vector is made of."""
    if isinstance(kind, PointerType):
        return kind.pointee
    return kind.element if isinstance(kind, ArrayType | VectorType) else None


def space_of(lvalue: Expr) -> Space:
    """The address space of the object that ``lvalue`` is, or is in."""
    while True:
        if isinstance(lvalue, Ref):
            return lvalue.decl.space
        if isinstance(lvalue, Deref):
            kind = lvalue.pointer.type
            return kind.space if isinstance(kind, PointerType) else Space.GENERIC
        if isinstance(lvalue, Subscript | Member):
            kind = lvalue.base.type
            if isinstance(kind, PointerType):
                return kind.space
            lvalue = lvalue.base
        else:
            return Space.GENERIC


_LONGEST_CHAIN = 120


def _binary(body: Body, node: c_ast.BinaryOp) -> Expr:
    chain = [node]
    while isinstance(chain[-1].left, c_ast.BinaryOp):
        chain.append(chain[-1].left)
    if len(chain) > _LONGEST_CHAIN:
        return body.opaque(node, "nested too deeply")
    result = expression(body, chain[-1].left)
    for one in reversed(chain):
        result = arithmetic(body, one, one.op, result, expression(body, one.right))
    return result


def arithmetic(body: Body, node: c_ast.Node, op: str, left: Expr, right: Expr) -> Expr:
    """``left op right`` with both in their common type."""
    span = body.span(node)
    if isinstance(left.type, VectorType) or isinstance(right.type, VectorType):
        vector = left.type if isinstance(left.type, VectorType) else right.type
        assert isinstance(vector, VectorType)
        left, right = (
            _widened(one, vector) if op not in ("<<", ">>") or one is right else one for one in (left, right)
        )
        kind = signed_like(vector) if op in COMPARISONS or op in ("&&", "||") else vector
        return Binary(span, kind, op, left, right)
    left, right = balanced(op, left, right)
    return Binary(span, _result(op, decayed(left), decayed(right)), op, left, right)


def decayed(expr: Expr) -> Type:
    """The type of a value: of an array, a pointer to its first element in the address space that the array is in."""
    kind = expr.type
    return PointerType(kind.element, space_of(expr)) if isinstance(kind, ArrayType) else kind


def _widened(expr: Expr, vector: VectorType) -> Expr:
    """A scalar operand of a vector operation: converted to the lanes' type, then to all lanes."""
    if not isinstance(expr.type, NUMBERS):
        return expr
    return Cast(expr.span, vector, convert(expr, vector.element), False)


def _result(op: str, left: Type, right: Type) -> Type:
    if op in COMPARISONS or op in ("&&", "||"):
        return I32
    if op == ",":
        return right
    if op in ("<<", ">>"):
        return left
    if op == "-" and isinstance(left, PointerType) and isinstance(right, PointerType):
        return I64
    for one in (left, right):
        if isinstance(one, PointerType):
            return one
    return common_type(left, right) or (right if isinstance(right, OpaqueType) else left)


def _assignment(body: Body, node: c_ast.Assignment) -> Expr:
    target, value = expression(body, node.lvalue), expression(body, node.rvalue)
    span = body.span(node)
    op = node.op[:-1]
    if not op:
        return Assign(span, target.type, "", target, converted(value, target.type))
    compute: Type | None = None
    if isinstance(target.type, VectorType):
        value = _widened(value, target.type)
    elif op in ("<<", ">>"):
        value = convert(value, promoted(value.type))
        compute = promoted(target.type)
    elif (compute := common_type(target.type, value.type)) is not None:
        value = convert(value, compute)
    return Assign(span, target.type, op, target, value, None if compute == target.type else compute)


def converted(value: Expr, kind: Type) -> Expr:
    """``value`` as it is stored in, or passed as, a ``kind``: numbers are converted, a scalar fills a vector."""
    if isinstance(kind, VectorType) and isinstance(value.type, NUMBERS):
        return _widened(value, kind)
    if isinstance(kind, NUMBERS) and isinstance(value.type, NUMBERS):
        return convert(value, kind)
    return value


def _conditional(body: Body, node: c_ast.TernaryOp) -> Expr:
    cond = expression(body, node.cond)
    then, other = expression(body, node.iftrue), expression(body, node.iffalse)
    kind = common_type(then.type, other.type)
    if kind is not None:
        then, other = convert(then, kind), convert(other, kind)
    elif isinstance(then.type, VectorType) or isinstance(other.type, VectorType):
        kind = then.type if isinstance(then.type, VectorType) else other.type
        then, other = converted(then, kind), converted(other, kind)
    else:
        kind = other.type if isinstance(then.type, OpaqueType) or isinstance(then, IntLit) else then.type
    return Conditional(body.span(node), kind, cond, then, other)


def _comma(body: Body, node: c_ast.ExprList) -> Expr:
    parts = [expression(body, one) for one in node.exprs]
    result = parts[0]
    for one in parts[1:]:
        result = Binary(body.span(node), one.type, ",", result, one)
    return result


# -------------------------------------------------------------------------------------------------- accesses


def _subscript(body: Body, node: c_ast.ArrayRef) -> Expr:
    base, index = expression(body, node.name), expression(body, node.subscript)
    if isinstance(base.type, IntType) and isinstance(index.type, PointerType | ArrayType):
        base, index = index, base
    return Subscript(body.span(node), pointee_of(base.type) or UNKNOWN, base, index)


def _member(body: Body, node: c_ast.StructRef) -> Expr:
    base = expression(body, node.name)
    name = node.field.name
    arrow = node.type == "->"
    span = body.span(node)
    kind = pointee_of(base.type) if arrow else base.type
    if isinstance(kind, VectorType) and (lanes := lanes_of(name, kind.lanes)) is not None:
        element = kind.element if len(lanes) == 1 else VectorType(kind.element, len(lanes), kind.padded)
        return Member(span, element, base, name, arrow, lanes)
    found: Type = UNKNOWN
    if isinstance(kind, OpaqueType):
        known = body.module.types.records.get(kind.spelling)
        kind = known if known is not None else kind
    if isinstance(kind, StructType) and (part := kind.field(name)) is not None:
        found = part.type
    elif isinstance(kind, OpaqueType):
        body.lose(node, "type", f"member of a type that is not known: {name}")
    return Member(span, found, base, name, arrow)


def _cast(body: Body, node: c_ast.Cast) -> Expr:
    kind = body.module.types.of(node.to_type).type
    span = body.span(node)
    if isinstance(kind, VectorType) and isinstance(node.expr, c_ast.ExprList):
        parts = tuple(expression(body, one) for one in node.expr.exprs)
        return InitList(span, kind, tuple(_lane(one, kind) for one in parts))
    operand = expression(body, node.expr)
    if operand.type == kind and not isinstance(kind, OpaqueType):
        return operand
    if isinstance(kind, VectorType) and isinstance(operand.type, NUMBERS):
        return Cast(span, kind, convert(operand, kind.element), True)
    return Cast(span, kind, operand, True)


def _lane(expr: Expr, vector: VectorType) -> Expr:
    return convert(expr, vector.element) if isinstance(expr.type, NUMBERS) else expr


def _literal(body: Body, node: c_ast.CompoundLiteral) -> Expr:
    return initialiser(body, node.init, body.module.types.of(node.type).type)


def initialiser(body: Body, node: c_ast.Node, kind: Type) -> Expr:
    """What a variable or member of type ``kind`` starts as."""
    if not isinstance(node, c_ast.InitList):
        value = expression(body, node)
        return replace(value, type=kind) if isinstance(value, StringLit) else converted(value, kind)
    if isinstance(kind, (*NUMBERS, PointerType)) and len(node.exprs) == 1:
        return initialiser(body, node.exprs[0], kind)
    elements: list[Expr] = []
    for index, one in enumerate(node.exprs):
        if isinstance(one, c_ast.NamedInitializer):
            body.lose(one, "expression", "designated initialiser")
            one = one.expr
        inner: Type = UNKNOWN
        if isinstance(kind, ArrayType | VectorType):
            inner = kind.element
        elif isinstance(kind, StructType) and index < len(kind.fields):
            inner = kind.fields[index].type
        flat = not isinstance(one, c_ast.InitList) and isinstance(inner, ArrayType | StructType)
        elements.append(expression(body, one) if flat else initialiser(body, one, inner))
    return InitList(body.span(node), kind, tuple(elements))


# ----------------------------------------------------------------------------------------------------- calls


def _call(body: Body, node: c_ast.FuncCall) -> Expr:
    span = body.span(node)
    given = list(node.args.exprs) if node.args is not None else []
    args = tuple(expression(body, one) for one in given)
    if not isinstance(node.name, c_ast.ID):
        body.lose(node, "call", "call through a pointer")
        return Call(span, UNKNOWN, "", None, args)
    name = node.name.name
    function = body.module.function(name)
    if function is not None and (function.body is not None or not builtins.known(name)):
        passed = [converted(one, p.type) for one, p in zip(args, function.params, strict=False)]
        return Call(span, function.result, name, function, (*passed, *args[len(passed) :]))
    if body.variable(name) is not None:
        body.lose(node, "call", f"call of what a variable holds: {name}")
        return Call(span, UNKNOWN, name, None, args)
    if name.startswith("__builtin_"):
        return Call(span, F64 if name.endswith("val") else F32, name, None, args, None, True)
    kind = builtins.result_of(name, [one.type for one in args])
    passed_to = tuple(_passed(name, index, one, args, kind) for index, one in enumerate(args))
    context = CallContext(name, name, passed_to, kind or UNKNOWN, span, language="opencl")
    if (made := lower_call(context)) is not None:
        return made
    if kind is None:
        body.lose(node, "call", f"call of a function that is not declared: {name}")
        body.module.unknown.add(name)
    return Call(span, kind or UNKNOWN, name, None, passed_to)


def _passed(name: str, index: int, arg: Expr, args: tuple[Expr, ...], kind: Type | None) -> Expr:
    """An argument of a built-in function, converted as the overload that fits asks for."""
    if not isinstance(arg.type, NUMBERS):
        return arg
    if builtins.of_one_type(name) and isinstance(kind, NUMBERS):
        return convert(arg, kind)
    if name.startswith(("atomic_", "atom_")) and index and args and isinstance(args[0].type, PointerType):
        pointee = args[0].type.pointee
        return convert(arg, pointee) if isinstance(pointee, NUMBERS) and index == 1 else arg
    if name.startswith("get_") and index == 0:
        return convert(arg, U32)
    return arg


def _statement_expression(body: Body, node: c_ast.Node) -> Expr:
    return body.opaque(node, "statement as an expression")


_HANDLERS: dict[type, Handler] = {
    c_ast.ID: _identifier,
    c_ast.Constant: _constant,
    c_ast.UnaryOp: _unary,
    c_ast.BinaryOp: _binary,
    c_ast.Assignment: _assignment,
    c_ast.TernaryOp: _conditional,
    c_ast.ExprList: _comma,
    c_ast.ArrayRef: _subscript,
    c_ast.StructRef: _member,
    c_ast.Cast: _cast,
    c_ast.CompoundLiteral: _literal,
    c_ast.FuncCall: _call,
    c_ast.Compound: _statement_expression,
}
