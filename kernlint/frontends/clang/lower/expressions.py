"""Names, members, implicit conversions, lambdas: expressions that are neither operators nor calls."""

from __future__ import annotations

import re
from itertools import pairwise

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.intrinsics import LAUNCH_VECTORS, CallContext, lower_call, select_lane
from kernlint.frontends.clang.intrinsics.atomics import is_builtin, written_order
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.kinds import TypeKind
from kernlint.frontends.clang.lower.context import Scope, is_expression, lowers_expression, sounds_like_sync
from kernlint.frontends.clang.lower.conversions import convert
from kernlint.frontends.clang.lower.launches import launch_function, launches
from kernlint.frontends.clang.lower.literals import constant_node, default_value
from kernlint.frontends.clang.lower.operators import result_type
from kernlint.frontends.clang.lower.variables import made_up_constant, parameter, variable
from kernlint.tree.nodes import (
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Conditional,
    Expr,
    ExprStmt,
    FunctionDecl,
    FunctionRef,
    InitList,
    IntLit,
    Lambda,
    LaunchValue,
    Member,
    Opaque,
    ParamDecl,
    Quantity,
    Ref,
    VarDecl,
)
from kernlint.tree.types import (
    I32,
    U32,
    UNKNOWN,
    VOID,
    FunctionType,
    IntType,
    OpaqueType,
    PointerType,
    StructType,
    Type,
    VectorType,
)

_AXES = {"x": 0, "y": 1, "z": 2}

_FUNCTIONS = (K.FUNCTION_DECL, K.CXX_METHOD, K.FUNCTION_TEMPLATE, K.CONSTRUCTOR, K.CONVERSION_FUNCTION)

_MEMBER_NAME = re.compile(r"\s*(\.|->)\s*(?:template\s+)?([A-Za-z_]\w*)")
_LAST_MEMBER = re.compile(r"(\.|->)\s*(?:template\s+)?([A-Za-z_]\w*)\s*(?:<[^;]*>)?\s*$")
_TAIL = 300
"""Characters at an expression's end in which its last member is looked for."""
_AS_TYPE = re.compile(r"(?:as_[a-z]+[0-9]*|__builtin_astype)\s*\(")
_SWIZZLE = re.compile(r"(?:[xyzw]{1,16}|[rgba]{1,4}|[sS][0-9a-fA-F]{1,16}|lo|hi|even|odd)$")


# ------------------------------------------------------------------------------------------------------- names


@lowers_expression(K.DECL_REF_EXPR)
def reference(scope: Scope, cursor: Cursor) -> Expr:
    declaration = cursor.referenced
    if declaration is None:
        return _unnamed_reference(scope, cursor)
    return named(scope, cursor, declaration)


def named(scope: Scope, cursor: Cursor, declaration: Cursor) -> Expr:
    """A use of ``declaration`` at ``cursor``."""
    kind = declaration.kind
    span = scope.span(cursor)
    if scope.lowering.is_made_up(declaration) and kind in (K.VAR_DECL, K.ENUM_CONSTANT_DECL):
        return _made_up_name(scope, cursor, declaration)
    if kind in (K.VAR_DECL, K.PARM_DECL, K.TEMPLATE_NON_TYPE_PARAMETER, K.UNEXPOSED_DECL):
        if kind == K.VAR_DECL and (special := _builtin_variable(scope, cursor, declaration)) is not None:
            return special
        decl = variable(scope, declaration)
        type_ = scope.type(cursor)
        if isinstance(type_, OpaqueType) and not isinstance(decl.type, OpaqueType):
            type_ = decl.type.pointee if isinstance(decl.type, PointerType) and decl.type.reference else decl.type
        return Ref(span, type_, decl)
    if kind == K.ENUM_CONSTANT_DECL:
        type_ = scope.type(cursor)
        value = declaration.enum_value
        return IntLit(span, type_, type_.wrap(value) if isinstance(type_, IntType) else value)
    if kind in _FUNCTIONS:
        if declaration.template is not None and scope.lowering.mentions_made_up(cursor):
            scope.lowering.invented.add(declaration.key)
            declaration = declaration.template
        function: FunctionDecl | None = scope.lowering.functions.declare(declaration)
        name = declaration.qualified_name
        if declaration.kind == K.FUNCTION_DECL and function is not None and function.template_params:
            # One instance too many: under this name it is not taken for another one.
            name, function = f"{name}<{', '.join(scope.lowering.functions.arguments_of(declaration))}>", None
        return FunctionRef(span, _function_type(scope, cursor), name, function)
    if kind == K.OVERLOADED_DECL_REF:
        candidates = declaration.overloads
        name = (candidates[0].qualified_name if candidates else "") or declaration.spelling
        generic = scope.lowering.functions.generic_of(candidates)
        return FunctionRef(span, FunctionType(UNKNOWN, ()), name, generic)
    if kind == K.FIELD_DECL:  # a field named where no object is: &S::x, or a capture of *this
        return _implicit_member(scope, cursor, declaration)
    return scope.opaque(cursor, f"name of an unusual kind: {cursor.spelling}", writes=False)


def _made_up_name(scope: Scope, cursor: Cursor, declaration: Cursor) -> Expr:
    """A constant that no header gave: a variable of unknown value, unless it may stand for a barrier."""
    name = declaration.spelling
    if sounds_like_sync(name):
        return scope.opaque(cursor, f"name that is not declared: {name}", "macro")
    type_ = scope.type(cursor)
    return Ref(scope.span(cursor), type_, made_up_constant(scope, declaration, type_))


def _function_type(scope: Scope, cursor: Cursor) -> Type:
    type_ = scope.type(cursor)
    if isinstance(type_, PointerType):
        type_ = type_.pointee
    return type_ if isinstance(type_, FunctionType) else FunctionType(UNKNOWN, ())


def _unnamed_reference(scope: Scope, cursor: Cursor) -> Expr:
    """A name without a declaration: a substituted template parameter, or one that depends on a template."""
    values = [c for c in cursor.children if is_expression(c)]
    if len(values) == 1 and cursor.type.kind != TypeKind.DEPENDENT:
        node = constant_node(scope, cursor)
        return node if node is not None else scope.expression(values[0])
    overloaded = next((c for c in cursor.children if c.kind == K.OVERLOADED_DECL_REF), None)
    if overloaded is not None:
        return named(scope, cursor, overloaded)
    text = scope.lowering.source(cursor)
    node = constant_node(scope, cursor)
    if node is not None:
        return node
    scope.lose("template", f"name that depends on a template argument: {_shorten(text)}", cursor)
    return Opaque(scope.span(cursor), scope.type(cursor), f"dependent name {_shorten(text)}")


def _builtin_variable(scope: Scope, cursor: Cursor, declaration: Cursor) -> Expr | None:
    """``threadIdx`` and its like as a whole, ``warpSize``."""
    name = declaration.spelling
    quantity = LAUNCH_VECTORS.get(name)
    if quantity is None and name != "warpSize":
        return None
    if not scope.lowering.in_system_header(declaration):
        return None
    span = scope.span(cursor)
    if quantity is None:
        return LaunchValue(span, I32, Quantity.WARP_SIZE)
    lanes = tuple(LaunchValue(span, U32, quantity, axis) for axis in range(3))
    return InitList(span, scope.type(cursor), lanes)


# ----------------------------------------------------------------------------------------------------- members


@lowers_expression(K.CXX_THIS_EXPR)
def this(scope: Scope, cursor: Cursor) -> Expr:
    if scope.this is None:
        return scope.opaque(cursor, "this outside a method", writes=False)
    return Ref(scope.span(cursor), scope.type(cursor), scope.this)


def _implicit_member(scope: Scope, cursor: Cursor, declaration: Cursor) -> Expr:
    if scope.this is None:
        return scope.opaque(cursor, "member without an object", writes=False)
    base = Ref(scope.span(cursor), scope.this.type, scope.this)
    return member(scope, cursor, base, declaration.spelling, scope.type(cursor))


@lowers_expression(K.MEMBER_REF_EXPR)
def member_reference(scope: Scope, cursor: Cursor) -> Expr:
    declaration = cursor.referenced
    bases = [c for c in cursor.children if is_expression(c)]
    if declaration is not None:
        if declaration.kind in (K.VAR_DECL, K.ENUM_CONSTANT_DECL):  # a static member through an object
            return named(scope, cursor, declaration)
        if declaration.kind in _FUNCTIONS:
            function = scope.lowering.functions.declare(declaration)
            return FunctionRef(scope.span(cursor), _function_type(scope, cursor), declaration.qualified_name, function)
    if not bases:
        if declaration is not None:
            return _implicit_member(scope, cursor, declaration)
        return _dependent_implicit_member(scope, cursor)
    if (axis := _launch_axis(scope, cursor, bases[0])) is not None:
        return axis
    base = scope.expression(bases[0])
    name = declaration.spelling if declaration is not None else member_name(scope, cursor, bases[0])
    if not name:
        if declaration is not None:  # an unnamed struct or union: its fields are the record's own
            return base
        return scope.opaque(cursor, "member whose name is not known", "template", writes=False)
    if name in _AXES and (lane := select_lane(base, _AXES[name])) is not None:
        return lane
    return member(scope, cursor, base, name, scope.type(cursor))


def _launch_axis(scope: Scope, cursor: Cursor, base: Cursor) -> Expr | None:
    """``threadIdx.x``."""
    if base.kind != K.DECL_REF_EXPR or base.spelling not in LAUNCH_VECTORS:
        return None
    declaration = base.referenced
    name = cursor.spelling or member_name(scope, cursor, base)
    if declaration is None or name not in _AXES or not scope.lowering.in_system_header(declaration):
        return None
    return LaunchValue(scope.span(cursor), U32, LAUNCH_VECTORS[base.spelling], _AXES[name])


def member(scope: Scope, cursor: Cursor, base: Expr, name: str, type_: Type) -> Expr:
    """``base.name`` (``base->name`` when ``base`` is a pointer)."""
    have = base.type
    arrow = isinstance(have, PointerType)
    record = have.pointee if isinstance(have, PointerType) else have
    lanes: tuple[int, ...] = ()
    if isinstance(record, VectorType):
        lanes = lanes_of(name, record.lanes)
        if isinstance(type_, OpaqueType) and lanes:
            type_ = record.element if len(lanes) == 1 else VectorType(record.element, len(lanes), record.padded)
    elif isinstance(record, StructType) and isinstance(type_, OpaqueType) and (field := record.field(name)) is not None:
        type_ = field.type
    if isinstance(type_, PointerType) and type_.reference:
        type_ = type_.pointee
    return Member(scope.span(cursor), type_, base, name, arrow, lanes)


def member_name(scope: Scope, cursor: Cursor, base: Cursor) -> str:
    """The member's name read from the source, for accesses whose referent depends on a template argument."""
    lowering = scope.lowering
    whole, left = cursor.extent, base.extent
    if whole.in_macro or left.in_macro or whole.file != left.file:
        match = _LAST_MEMBER.search(lowering.source(cursor)[-_TAIL:])
    else:
        match = _MEMBER_NAME.match(lowering.slice(whole.file, left.end, whole.end))
        if match is None:
            match = _LAST_MEMBER.search(lowering.slice(whole.file, max(whole.start, whole.end - _TAIL), whole.end))
    return match.group(2) if match else ""


def _dependent_implicit_member(scope: Scope, cursor: Cursor) -> Expr:
    """``x`` or ``this->x`` where the class is a template whose base may have it."""
    text = scope.lowering.source(cursor)
    match = _LAST_MEMBER.search(text[-_TAIL:]) or re.match(r"()(\w+)$", text.strip())
    if match and scope.this is not None:
        base = Ref(scope.span(cursor), scope.this.type, scope.this)
        return member(scope, cursor, base, match.group(2), scope.type(cursor))
    return scope.opaque(cursor, f"member that depends on a template argument: {_shorten(text)}", "template", False)


def lanes_of(name: str, lanes: int) -> tuple[int, ...]:
    """Lane numbers that a vector member selects (``x``, ``s3``, ``lo``, ``xyz``); empty when it is none."""
    if not _SWIZZLE.match(name):
        return ()
    room = 4 if lanes == 3 else lanes
    named_halves = {
        "lo": range(room // 2),
        "hi": range(room // 2, room),
        "even": range(0, room, 2),
        "odd": range(1, room, 2),
    }
    if name in named_halves:
        return tuple(named_halves[name])
    if name[0] in "sS" and len(name) > 1:
        return tuple(int(digit, 16) for digit in name[1:])
    order = "rgba" if name[0] in "rgba" else "xyzw"
    return tuple(order.index(letter) for letter in name if letter in order)


# ---------------------------------------------------------------------------------------- implicit conversions


@lowers_expression(K.UNEXPOSED_EXPR)
def unexposed(scope: Scope, cursor: Cursor) -> Expr:
    """What libclang has no kind for: implicit conversions above all, also swizzles and ``as_type``."""
    children = [c for c in cursor.children if is_expression(c)]
    if len(children) == 1:
        return _wrapper(scope, cursor, children[0])
    if not children:
        type_ = scope.type(cursor)
        extent = cursor.extent
        if extent.start < extent.end:
            return _implicit_value(scope, cursor, type_)
        return default_value(scope, cursor)
    return _several(scope, cursor, children)


def _wrapper(scope: Scope, cursor: Cursor, inner: Cursor) -> Expr:
    outer_type = scope.type(cursor)
    inner_type = scope.type(inner)
    pointee = inner_type.pointee if isinstance(inner_type, PointerType) else inner_type
    if isinstance(pointee, VectorType) and (lanes := _swizzle(scope, cursor, inner)) is not None:
        return lanes
    if isinstance(outer_type, OpaqueType) and cursor.type.kind == TypeKind.DEPENDENT and inner.kind == K.DECL_REF_EXPR:
        text = scope.lowering.source(cursor)
        if text.rstrip().endswith(")") and inner.extent.end < cursor.extent.end:
            return unresolved_call(scope, cursor, [inner])
    if inner_type == outer_type or cursor.type is inner.type:
        return scope.expression(inner)
    if scope.lowering.opencl and inner.kind == K.PAREN_EXPR and _AS_TYPE.match(scope.lowering.written(cursor)):
        operand = scope.expression(inner)
        return Cast(scope.span(cursor), outer_type, operand, True, bits=True)
    if isinstance(outer_type, OpaqueType) and cursor.type.kind == TypeKind.DEPENDENT:
        return _recovery(scope, cursor, [inner])
    operand = scope.expression(inner)
    if isinstance(operand, FunctionRef) and isinstance(outer_type, (PointerType, FunctionType)):
        return operand
    if isinstance(outer_type, (StructType, OpaqueType)) or isinstance(operand.type, OpaqueType):
        return operand
    if isinstance(operand, Call) and operand.type == outer_type:
        return operand
    return convert(operand, outer_type)


def _swizzle(scope: Scope, cursor: Cursor, inner: Cursor) -> Expr | None:
    """``v.xy`` on an extended vector, which has no cursor of its own."""
    lowering = scope.lowering
    whole, left = cursor.extent, inner.extent
    if whole.in_macro or left.in_macro or whole.file != left.file:
        if scope.type(cursor) == scope.type(inner) and inner.kind in (K.DECL_REF_EXPR, K.UNEXPOSED_EXPR):
            outer_text = lowering.source(cursor).strip()
            if not _LAST_MEMBER.search(outer_text[-_TAIL:]) or outer_text == lowering.source(inner).strip():
                return None
        match = _LAST_MEMBER.search(lowering.source(cursor)[-_TAIL:]) or _LAST_MEMBER.search(
            lowering.written(cursor)[-_TAIL:]
        )
    else:
        if left.end >= whole.end:
            return None
        match = re.match(r"\s*\)*\s*(\.|->)\s*(\w+)\s*$", lowering.slice(whole.file, left.end, whole.end))
    if match is None or not _SWIZZLE.match(match.group(2)):
        return None
    return member(scope, cursor, scope.expression(inner), match.group(2), scope.type(cursor))


def _implicit_value(scope: Scope, cursor: Cursor, type_: Type) -> Expr:
    """``T()`` of a scalar, type traits, ``__builtin_*`` constants; what clang cannot evaluate is opaque."""
    node = constant_node(scope, cursor)
    if node is not None:
        return node
    text = scope.lowering.source(cursor)
    if re.search(r"[({]\s*[)}]\s*$", text) and not isinstance(type_, OpaqueType):
        return InitList(scope.span(cursor), type_, ())
    return _recovery(scope, cursor, [])


def _several(scope: Scope, cursor: Cursor, children: list[Cursor]) -> Expr:
    text = scope.lowering.source(cursor)
    if len(children) >= 4 and "?" in text and children[0].extent == children[1].extent:
        # a ?: b, shown as its parts in clang's own order
        cond = scope.expression(children[0])
        other = scope.conditional_expression(children[-1])
        type_ = scope.type(cursor)
        return Conditional(scope.span(cursor), type_, cond, convert(cond, type_), convert(other, type_))
    return _recovery(scope, cursor, children)


def _recovery(scope: Scope, cursor: Cursor, children: list[Cursor]) -> Expr:
    """What clang kept of an expression with an error in it."""
    text = scope.lowering.source(cursor)
    if children and children[0].kind in (K.DECL_REF_EXPR, K.MEMBER_REF_EXPR, K.UNEXPOSED_EXPR):
        head = children[0].extent
        whole = cursor.extent
        if head.start == whole.start and scope.lowering.slice(whole.file, head.end, whole.end).lstrip().startswith("("):
            return unresolved_call(scope, cursor, children)
    if len(children) == 1 and isinstance(scope.type(children[0]), OpaqueType):
        rest = scope.lowering.slice(cursor.extent.file, children[0].extent.end, cursor.extent.end)
        if (match := _MEMBER_NAME.fullmatch(rest)) is not None:
            return member(scope, cursor, scope.expression(children[0]), match.group(2), UNKNOWN)
    if (rebuilt := _rebuilt(scope, cursor, children)) is not None:
        return rebuilt
    if text.isidentifier() and (decl := _variable_named(scope, text)) is not None:
        scope.recovered.append(scope.span(cursor))
        return Ref(scope.span(cursor), decl.type, decl)  # its declaration has an error, but it is there
    match = re.match(r"((?:\w+\s*::\s*)*\w+)\s*(?:<[^;(]*>)?\s*\(", text)
    if match and text.rstrip().endswith(")"):
        name = match.group(1)
        args = tuple(scope.expression(c) for c in children)
        if (known := _atomic_builtin(scope, cursor, name, args)) is not None:
            return known
        scope.lose("call", f"call that could not be resolved: {name}", cursor)
        return Call(scope.span(cursor), scope.type(cursor), name, None, args)
    return scope.opaque(cursor, f"expression clang could not make sense of: {_shorten(text)}")


def _atomic_builtin(scope: Scope, cursor: Cursor, name: str, parts: tuple[Expr, ...]) -> Expr | None:
    """``__atomic_store_n(p, v, order)`` and its like: no call for clang, which shows their operands alone."""
    if not is_builtin(name):
        # A macro that stands for one.
        spelled = re.findall(r"\b__\w*atomic_\w+(?=\s*\()", scope.lowering.macro_body(name))
        if len(spelled) != 1 or not is_builtin(spelled[0]):
            return None
        name = spelled[0]
    args = written_order(name, parts)
    span, type_ = scope.span(cursor), scope.type(cursor)
    return lower_call(CallContext(name, name, args, type_, span, language=scope.lowering.language))


def _rebuilt(scope: Scope, cursor: Cursor, children: list[Cursor]) -> Expr | None:
    """An operation whose operands are all there and whose operator is read from the text between them.

    Clang gives such an operation up when the types of its operands do not fit, which is no matter where one of them is
    unknown anyway.
    """
    file = cursor.extent.file
    if any(c.extent.file != file or c.extent.in_macro for c in (cursor, *children)):
        return None
    between = [
        scope.lowering.slice(file, left.extent.end, right.extent.start).strip(" \t\r\n()")
        for left, right in pairwise(children)
    ]
    span = scope.span(cursor)
    if len(children) == 3 and between == ["?", ":"]:
        cond = scope.expression(children[0])
        then, other = (scope.conditional_expression(c) for c in children[1:])
        scope.recovered.append(span)
        type_ = then.type if not isinstance(then.type, OpaqueType) else other.type
        return Conditional(span, type_, cond, then, other)
    if len(children) != 2 or not between or between[0] not in _OPERATORS:
        return None
    op = between[0]
    left = scope.expression(children[0])
    right = scope.conditional_expression(children[1]) if op in ("&&", "||") else scope.expression(children[1])
    scope.recovered.append(span)
    if op == "=" or op in _ASSIGNMENTS:
        return Assign(span, left.type, op[:-1], left, right)
    return Binary(span, result_type(op, left.type, right.type, UNKNOWN), op, left, right)


_ASSIGNMENTS = frozenset({"+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="})
_OPERATORS = _ASSIGNMENTS | frozenset({
    "=", "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||", "<", "<=", ">", ">=", "==", "!=", ",",
})  # fmt: skip


def _variable_named(scope: Scope, name: str) -> VarDecl | None:
    """The variable called ``name`` that the current function declared last, or else the only global of that name."""
    if scope.function is None:
        return None
    whole = scope.function.span
    for decl in reversed(scope.lowering.variables.values()):
        if decl.name == name and decl.span.file == whole.file and whole.start <= decl.span.start < whole.end:
            return decl
    found = [decl for decl in scope.lowering.globals if decl.name == name]
    return found[0] if len(found) == 1 else None


def unresolved_call(scope: Scope, cursor: Cursor, children: list[Cursor]) -> Expr:
    """``name(args)`` where no overload fits or the choice depends on a template argument."""
    callee = scope.expression(children[0])
    name = callee.name if isinstance(callee, FunctionRef) else scope.lowering.source(children[0]).strip()
    if launches(name):
        return launch_function(scope, cursor, name, children[1:])
    args = tuple(scope.expression(c) for c in children[1:])
    if re.fullmatch(r"[\w:]+", name):
        # A compiler's builtin whose type hangs on a template argument has no declaration either.
        leaf, span, type_ = name.rpartition("::")[2], scope.span(cursor), scope.type(cursor)
        known = lower_call(CallContext(leaf, name, args, type_, span, language=scope.lowering.language))
        if known is not None:
            return known
    scope.lose("call", f"call that could not be resolved: {_shorten(name)}", cursor)
    return Call(scope.span(cursor), scope.type(cursor), name, None, args)


# ---------------------------------------------------------------------------------- lambdas and the rest


@lowers_expression(K.LAMBDA_EXPR)
def lambda_expression(scope: Scope, cursor: Cursor) -> Expr:
    params: list[ParamDecl] = []
    body: Block | None = None
    for child in cursor.children:
        if child.kind == K.PARM_DECL:
            params.append(parameter(scope, child, len(params)))
        elif child.kind == K.COMPOUND_STMT:
            saved, scope.hoisted = scope.hoisted, []
            try:
                lowered = scope.statement(child)
            finally:
                scope.hoisted = saved
            body = lowered if isinstance(lowered, Block) else Block(scope.span(child), (lowered,))
            scope.lowering.lambdas[child.key] = body
    captures = scope.lowering.source(cursor).partition("]")[0]
    span = scope.span(cursor)
    return Lambda(span, scope.type(cursor), tuple(params), body or Block(span, ()), "&" in captures)


@lowers_expression(K.STMT_EXPR)
def statement_expression(scope: Scope, cursor: Cursor) -> Expr:
    """GNU's ``({ ...; value; })``: its statements go before the current one, its value stays."""
    body = next((c for c in cursor.children if c.kind == K.COMPOUND_STMT), None)
    if body is None or scope.hoisted is None:
        reason = "statement expression inside a condition"
        scope.lose("statement", reason, cursor)
        inner = scope.statement(body) if body is not None else None
        children = (Lambda(scope.span(cursor), UNKNOWN, (), inner, True),) if isinstance(inner, Block) else ()
        text = scope.lowering.source(cursor)
        return Opaque(scope.span(cursor), scope.type(cursor), reason, children, True, sounds_like_sync(text))
    hoisted = scope.hoisted
    statements = body.children
    last = statements[-1] if statements and is_expression(statements[-1]) else None
    for child in statements[: -1 if last is not None else None]:
        hoisted.append(scope.statement(child))
    if last is None:
        return InitList(scope.span(cursor), VOID, ())
    value = scope.expression(last)
    if isinstance(value.type, type(VOID)):
        hoisted.append(ExprStmt(value.span, value))
        return InitList(scope.span(cursor), VOID, ())
    return value


@lowers_expression(K.PACK_EXPANSION_EXPR)
def pack_expansion(scope: Scope, cursor: Cursor) -> Expr:
    return scope.opaque(cursor, "parameter pack", "template", writes=False)


@lowers_expression(K.CXX_NEW_EXPR, K.CXX_DELETE_EXPR, K.CXX_THROW_EXPR)
def allocation(scope: Scope, cursor: Cursor) -> Expr:
    """``new``, ``delete`` and ``throw`` are calls of what they do."""
    names = {K.CXX_NEW_EXPR: "operator new", K.CXX_DELETE_EXPR: "operator delete", K.CXX_THROW_EXPR: "throw"}
    args = tuple(scope.expression(c) for c in cursor.children if is_expression(c))
    return Call(scope.span(cursor), scope.type(cursor), names[K(cursor.kind)], None, args)


@lowers_expression(K.GENERIC_SELECTION_EXPR)
def selection(scope: Scope, cursor: Cursor) -> Expr:
    return constant_node(scope, cursor) or scope.opaque(cursor, "generic selection")


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."
