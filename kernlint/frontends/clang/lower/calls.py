"""Calls: functions, methods, overloaded operators, constructors, intrinsics and kernel launches."""

from __future__ import annotations

import re

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.intrinsics import CallContext, lower_call
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.kinds import TypeKind
from kernlint.frontends.clang.lower.context import Scope, is_expression, lowers_expression
from kernlint.frontends.clang.lower.conversions import COMPARISONS, convert
from kernlint.frontends.clang.lower.expressions import member_name, unresolved_call
from kernlint.frontends.clang.lower.functions import PLACEHOLDER
from kernlint.frontends.clang.lower.launches import kernel_call, launch_function, launches
from kernlint.frontends.clang.lower.literals import constant_node, default_value
from kernlint.frontends.clang.lower.operators import arithmetic, assignment, compound, dereference, element, negation
from kernlint.tree.nodes import (
    AddressOf,
    Call,
    Cast,
    Expr,
    FunctionDecl,
    FunctionRef,
    IncDec,
    InitList,
    IntLit,
    Lambda,
    Member,
    Ref,
)
from kernlint.tree.types import (
    I32,
    U32,
    ArrayType,
    FloatType,
    IntType,
    OpaqueType,
    PointerType,
    StructType,
    Type,
    VectorType,
)

CONFIGURATIONS = frozenset(
    {"cudaConfigureCall", "__cudaPushCallConfiguration", "hipConfigureCall", "__hipPushCallConfiguration"}
)
_ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||"})
_ASSIGNING = frozenset({"+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="})


@lowers_expression(K.CALL_EXPR)
def call(scope: Scope, cursor: Cursor) -> Expr:
    children = cursor.children
    if len(children) > 1 and children[1].kind == K.CALL_EXPR and children[1].spelling in CONFIGURATIONS:
        return kernel_call(scope, cursor, children[0], children[1], children[2:])
    declaration = cursor.referenced
    if declaration is not None:
        if declaration.kind == K.CONSTRUCTOR:
            return construction(scope, cursor, declaration)
        if declaration.kind == K.CONVERSION_FUNCTION:
            return user_conversion(scope, cursor, declaration)
    arguments = [c for c in children if is_expression(c)]
    if not arguments:
        return _value_of_type(scope, cursor, [])
    if declaration is not None and declaration.spelling.startswith("operator"):
        at = _operator_position(cursor, arguments)
        if at is not None:
            operands = arguments[:at] + arguments[at + 1 :]
            return overloaded_operator(scope, cursor, declaration, operands)
    if declaration is None and cursor.type.kind != TypeKind.DEPENDENT and _names_type(scope, cursor, arguments[0]):
        return _value_of_type(scope, cursor, arguments)
    return ordinary_call(scope, cursor, declaration, arguments[0], arguments[1:])


# ------------------------------------------------------------------------------------------------ plain calls


def ordinary_call(
    scope: Scope, cursor: Cursor, declaration: Cursor | None, callee: Cursor, arguments: list[Cursor]
) -> Expr:
    """``f(args)``, ``object.method(args)``."""
    head = _unwrapped(callee)
    receiver: Expr | None = None
    receiver_type = ""
    name = declaration.spelling if declaration is not None else ""
    if head.kind == K.MEMBER_REF_EXPR:
        receiver, receiver_type = _receiver(scope, head)
        if not name:
            base = next((c for c in head.children if is_expression(c)), head)
            name = head.spelling or member_name(scope, head, base)
    elif declaration is not None and declaration.kind in (K.VAR_DECL, K.PARM_DECL, K.FIELD_DECL):
        return _call_through(scope, cursor, declaration, callee, arguments)
    if declaration is None and not name:
        return _dependent_call(scope, cursor, head, arguments)
    qualified = declaration.qualified_name if declaration is not None else name
    if launches(name):
        return launch_function(scope, cursor, name, arguments)
    if receiver is not None and isinstance(receiver.type, ArrayType) and name == "size" and receiver.type.extent:
        return IntLit(scope.span(cursor), scope.type(cursor), receiver.type.extent)
    args = call_arguments(scope, declaration, arguments)
    return finish_call(scope, cursor, declaration, name, qualified, args, receiver, receiver_type, head)


def call_arguments(scope: Scope, declaration: Cursor | None, arguments: list[Cursor]) -> tuple[Expr, ...]:
    """Arguments with the defaults of the user's functions filled in; those of known functions are left out."""
    written = [a for a in arguments if not _is_default(a)]
    if len(written) == len(arguments) or declaration is None:
        return tuple(scope.expression(a) for a in arguments)
    args = [scope.expression(a) for a in written]
    if scope.lowering.functions.is_users(declaration):
        parameters = [c for c in declaration.canonical.children if c.kind == K.PARM_DECL]
        if len(parameters) != len(arguments):
            parameters = [c for c in declaration.children if c.kind == K.PARM_DECL]
        for argument, parameter in zip(arguments[len(args) :], parameters[len(args) :], strict=False):
            value = constant_node(scope, argument)
            default = next((c for c in reversed(parameter.children) if is_expression(c)), None)
            if value is None and default is not None:
                value = scope.expression(default)
            args.append(value if value is not None else default_value(scope, argument))
    return tuple(args)


def finish_call(
    scope: Scope,
    cursor: Cursor,
    declaration: Cursor | None,
    name: str,
    qualified: str,
    args: tuple[Expr, ...],
    receiver: Expr | None = None,
    receiver_type: str = "",
    head: Cursor | None = None,
) -> Expr:
    """A call with everything lowered: an intrinsic, or a call of the user's function."""
    lowering = scope.lowering
    function: FunctionDecl | None = None
    known = declaration is not None and declaration.kind in (K.FUNCTION_DECL, K.CXX_METHOD, K.FUNCTION_TEMPLATE)
    made_up = declaration is not None and lowering.is_made_up(declaration)
    users = known and declaration is not None and not made_up and lowering.functions.is_users(declaration)
    span = scope.span(cursor)
    type_ = scope.type(cursor)
    if not users:
        context = CallContext(
            name=name,
            qualified=qualified,
            args=args,
            type=type_,
            span=span,
            receiver=receiver,
            receiver_type=receiver_type,
            template_args=_template_arguments(scope, head) if head is not None else (),
            language=lowering.language,
        )
        node = lower_call(context)
        if node is not None:
            return node
    if known and declaration is not None and not made_up:
        function = lowering.functions.declare(declaration)
    elif declaration is None and name:
        function = lowering.functions.by_name(name, len(args)) if receiver is None else None
    if isinstance(type_, PointerType) and type_.reference:
        type_ = type_.pointee
    if function is None and (made_up or declaration is None):
        scope.lose("call", f"call of a function that is not declared: {name}", cursor)
    return Call(span, type_, qualified or name, function, args, receiver)


def _receiver(scope: Scope, head: Cursor) -> tuple[Expr | None, str]:
    """The object of a method call and how clang spells its class."""
    bases = [c for c in head.children if is_expression(c)]
    declaration = head.referenced
    if declaration is not None and declaration.kind == K.CXX_METHOD and declaration.is_static_method:
        return None, ""
    if bases:
        base = bases[0]
        clang = base.type.canonical
        if clang.kind == TypeKind.POINTER:
            clang = clang.pointee
        return scope.expression(base), clang.unqualified.spelling
    if scope.this is not None:
        type_ = scope.this.type
        record = type_.pointee if isinstance(type_, PointerType) else type_
        spelled = record.name if isinstance(record, StructType) else ""
        return Ref(scope.span(head), type_, scope.this), spelled
    return None, ""


def _call_through(scope: Scope, cursor: Cursor, declaration: Cursor, callee: Cursor, arguments: list[Cursor]) -> Expr:
    """A call of what a variable holds: a function pointer, or a functor of dependent type."""
    target = scope.expression(callee)
    args = tuple(scope.expression(a) for a in arguments)
    held = target.decl.init if isinstance(target, Ref) else None
    if isinstance(held, FunctionRef):
        return Call(scope.span(cursor), scope.type(cursor), held.name, held.function, args)
    if isinstance(held, Lambda):
        function = scope.lowering.functions.of_lambda(held)
        return Call(scope.span(cursor), scope.type(cursor), function.qualified, function, args, target)
    if isinstance(target.type, OpaqueType):
        scope.lose(
            "template", f"call of an object whose type depends on a template argument: {cursor.spelling}", cursor
        )
    return Call(scope.span(cursor), scope.type(cursor), declaration.spelling, None, args, target)


def _dependent_call(scope: Scope, cursor: Cursor, head: Cursor, arguments: list[Cursor]) -> Expr:
    """A call whose callee depends on a template argument, or that clang could not resolve."""
    overloaded = next((c for c in head.children if c.kind == K.OVERLOADED_DECL_REF), None)
    if head.kind == K.OVERLOADED_DECL_REF:
        overloaded = head
    if overloaded is None:
        target = scope.expression(head)
        args = tuple(scope.expression(a) for a in arguments)
        if isinstance(target, Lambda):  # called where it stands
            function = scope.lowering.functions.of_lambda(target)
            return Call(scope.span(cursor), scope.type(cursor), function.qualified, function, args, target)
        if isinstance(target, AddressOf):
            target = target.operand  # a template argument such as &f
        if isinstance(target, FunctionRef) and target.function is not None:
            made_up = target.name.endswith(PLACEHOLDER)
            name = scope.lowering.source(head).strip() if made_up else target.name
            return Call(scope.span(cursor), scope.type(cursor), name, None if made_up else target.function, args)
        if isinstance(target, Member):
            return finish_call(scope, cursor, None, target.field, target.field, args, target.base, head=head)
        name = target.name if isinstance(target, FunctionRef) else scope.lowering.source(head).strip()
        if not isinstance(target, FunctionRef):
            name = re.sub(r"\s*[<(].*", "", name, flags=re.DOTALL)
        if re.fullmatch(r"[\w:]+", name):
            return finish_call(scope, cursor, None, name.rpartition("::")[2], name, args, head=head)
        scope.lose("template", f"call that depends on a template argument: {name[:60]}", cursor)
        return Call(scope.span(cursor), scope.type(cursor), name, None, args, target)
    candidates = overloaded.overloads
    if not candidates:
        return unresolved_call(scope, cursor, [head, *arguments])
    args = tuple(scope.expression(a) for a in arguments)
    fitting = [c for c in candidates if _takes(c, len(args))] or candidates
    best = fitting[0]
    name, qualified = best.spelling, best.qualified_name
    if scope.lowering.functions.is_users(best) and len(fitting) > 1:
        bodies = [c for c in fitting if scope.lowering.functions.is_users(c)]
        if len(bodies) != 1:
            scope.lose("template", f"call of an overloaded function: {name}", cursor)
            return Call(scope.span(cursor), scope.type(cursor), qualified, None, args)
        best = bodies[0]
    return finish_call(scope, cursor, best, name, qualified, args, head=head)


def _takes(candidate: Cursor, count: int) -> bool:
    return len([c for c in candidate.children if c.kind == K.PARM_DECL]) == count


def _unwrapped(cursor: Cursor) -> Cursor:
    while cursor.kind in (K.UNEXPOSED_EXPR, K.PAREN_EXPR):
        inner = [c for c in cursor.children if is_expression(c)]
        if len(inner) != 1:
            break
        if cursor.kind == K.UNEXPOSED_EXPR and inner[0].extent.end < cursor.extent.end:
            break  # no conversion, but what is left of an expression with an error
        cursor = inner[0]
    return cursor


_EXPLICIT_ARGUMENTS = re.compile(r"<(.*)>\s*$", re.DOTALL)


def _template_arguments(scope: Scope, head: Cursor) -> tuple[str, ...]:
    """Explicit template arguments of a call, as spelled."""
    if head.kind not in (K.DECL_REF_EXPR, K.MEMBER_REF_EXPR):
        return ()
    text = scope.lowering.source(head)
    if "<" not in text or not (match := _EXPLICIT_ARGUMENTS.search(text)):
        return ()
    arguments, depth, start = [], 0, 0
    inner = match.group(1)
    for index, char in enumerate(inner):
        depth += (char in "<(") - (char in ">)")
        if char == "," and depth == 0:
            arguments.append(inner[start:index].strip())
            start = index + 1
    arguments.append(inner[start:].strip())
    return tuple(_known_argument(head, text) for text in arguments)


def _known_argument(head: Cursor, text: str) -> str:
    """An argument that is a named constant, as its number."""
    if text.isidentifier():
        for child in head.children:
            if is_expression(child) and child.spelling in (text, ""):
                value = child.evaluate()
                if isinstance(value, int):
                    return str(value)
    return text


# ----------------------------------------------------------------------------------------- overloaded operators


def _operator_position(cursor: Cursor, arguments: list[Cursor]) -> int | None:
    """Where the operator's own name stands among the children; None for an explicit ``x.operator()(y)``."""
    if len(arguments) > 1 and _unwrapped(arguments[0]).kind == K.MEMBER_REF_EXPR:
        explicit = _unwrapped(arguments[0])
        if explicit.spelling.startswith("operator"):
            return None
    for index, argument in enumerate(arguments):
        head = _unwrapped(argument)
        if head.kind == K.DECL_REF_EXPR and head.spelling == cursor.spelling:
            return index
    return None


def overloaded_operator(scope: Scope, cursor: Cursor, declaration: Cursor, operands: list[Cursor]) -> Expr:
    """``a + b``, ``a[i]``, ``f(x)`` of a class: a call of its operator, or the operator itself on vectors and halfs."""
    symbol = declaration.spelling.removeprefix("operator").strip()
    lowering = scope.lowering
    users = lowering.functions.is_users(declaration)
    if not users and (node := _builtin_operator(scope, cursor, symbol, operands)) is not None:
        return node
    first = operands[0] if operands else None
    is_method = declaration.kind == K.CXX_METHOD
    args = call_arguments(scope, declaration, operands[1:] if is_method else operands)
    receiver = scope.expression(first) if is_method and first is not None else None
    receiver_type = first.type.canonical.unqualified.spelling if is_method and first is not None else ""
    name = declaration.spelling
    return finish_call(scope, cursor, declaration, name, declaration.qualified_name, args, receiver, receiver_type)


def _builtin_operator(scope: Scope, cursor: Cursor, symbol: str, operands: list[Cursor]) -> Expr | None:
    """The operator as the tree's own when its operands are numbers, vectors or plainly copied structs."""
    if symbol == "=" and len(operands) == 2:
        return assignment(scope, cursor, operands[0], operands[1])
    types = [scope.type(o) for o in operands]
    if symbol == "[]" and len(operands) == 2 and isinstance(types[0], ArrayType):  # std::array
        return element(scope, cursor, *(scope.expression(o) for o in operands))
    opaque = any(isinstance(t, OpaqueType) for t in types)
    if not opaque and not all(isinstance(t, (IntType, FloatType, VectorType)) for t in types):
        return None
    if opaque and len(operands) == 2 and symbol == "[]":
        return element(scope, cursor, *(scope.expression(o) for o in operands))
    if opaque and len(operands) == 1 and symbol == "*":
        return dereference(scope, cursor, scope.expression(operands[0]))
    if symbol in ("++", "--"):
        target = scope.expression(operands[0])
        return IncDec(scope.span(cursor), target.type, symbol, len(operands) == 1, target)
    if len(operands) == 1 and symbol in ("+", "-", "~", "!"):
        return negation(scope, cursor, symbol, scope.expression(operands[0]))
    if len(operands) != 2:
        return None
    if symbol in _ASSIGNING:
        return compound(scope, cursor, symbol[:-1], *(scope.expression(o) for o in operands))
    if symbol in _ARITHMETIC or symbol in COMPARISONS:
        return arithmetic(scope, cursor, symbol, *(scope.expression(o) for o in operands))
    return None


# -------------------------------------------------------------------------------------------------- constructors


def construction(scope: Scope, cursor: Cursor, declaration: Cursor) -> Expr:
    """A constructor call: a copy is its operand, a plain one a list of elements, the user's own a call."""
    type_ = scope.type(cursor)
    written = [c for c in cursor.children if is_expression(c)]
    arguments = [c for c in written if not _is_default(c)]
    if isinstance(type_, ArrayType) and not arguments:
        return InitList(scope.span(cursor), type_, ())
    users = scope.lowering.functions.is_users(declaration)
    if len(arguments) == 1 and not users:
        same = scope.type(arguments[0]) == type_ and not isinstance(type_, OpaqueType)
        if same or _is_copy(declaration):
            return scope.expression(arguments[0])
    if isinstance(type_, (FloatType, IntType)):
        if not arguments:
            return InitList(scope.span(cursor), type_, ())
        operand = scope.expression(arguments[0])
        return convert(operand, type_)
    span = scope.span(cursor)
    if isinstance(type_, VectorType):
        return InitList(span, type_, tuple(scope.expression(a) for a in arguments))
    if isinstance(type_, StructType) and type_.name == "dim3":
        return InitList(span, type_, tuple(convert(scope.expression(a), U32) for a in arguments))
    if users:
        args = call_arguments(scope, declaration, written)
        function = scope.lowering.functions.declare(declaration)
        return Call(span, type_, declaration.qualified_name, function, args)
    args = tuple(scope.expression(a) for a in arguments)
    if not args:
        return InitList(span, type_, ())
    name = declaration.spelling
    context = CallContext(name, declaration.qualified_name, args, type_, span, language=scope.lowering.language)
    return lower_call(context) or Call(span, type_, declaration.qualified_name, None, args)


def _is_default(cursor: Cursor) -> bool:
    """Whether an argument is not in the text."""
    extent = cursor.extent
    return cursor.kind == K.UNEXPOSED_EXPR and extent.start >= extent.end and not cursor.children


def _is_copy(declaration: Cursor) -> bool:
    parameters = [c for c in declaration.children if c.kind == K.PARM_DECL]
    if len(parameters) != 1:
        return False
    of = parameters[0].type.canonical
    parent = declaration.semantic_parent
    if of.kind not in (TypeKind.LVALUE_REFERENCE, TypeKind.RVALUE_REFERENCE) or parent is None:
        return False
    target = of.pointee.canonical.declaration
    return target is not None and target.key == parent.key


def user_conversion(scope: Scope, cursor: Cursor, declaration: Cursor) -> Expr:
    """``operator T()``: a cast for the 16-bit floats, else a call."""
    head = next((c for c in cursor.children if is_expression(c)), None)
    type_ = scope.type(cursor)
    if head is None:
        return scope.opaque(cursor, "conversion without an operand")
    receiver: Expr | None
    head = _unwrapped(head)
    if head.kind == K.MEMBER_REF_EXPR:
        receiver, _ = _receiver(scope, head)
    else:
        receiver = scope.expression(head)
    if receiver is None:
        return scope.opaque(cursor, "conversion without an operand")
    if isinstance(receiver.type, (FloatType, IntType, OpaqueType)):
        return convert(receiver, type_)
    if not scope.lowering.functions.is_users(declaration):
        if isinstance(receiver.type, VectorType) or not isinstance(type_, (IntType, FloatType)):
            return Cast(scope.span(cursor), type_, receiver, False)
        name, qualified = declaration.spelling, declaration.qualified_name
        class_ = receiver.type.name if isinstance(receiver.type, StructType) else ""
        context = CallContext(name, qualified, (), type_, scope.span(cursor), receiver, class_)
        return lower_call(context) or Call(scope.span(cursor), type_, qualified, None, (), receiver)
    function = scope.lowering.functions.declare(declaration)
    return Call(scope.span(cursor), type_, declaration.qualified_name, function, (), receiver)


def _names_type(scope: Scope, cursor: Cursor, first: Cursor) -> bool:
    """Whether a call without a callee is a construction: ``T(x)`` with ``T`` a template parameter."""
    return first.extent.start > cursor.extent.start and any(
        c.kind in (K.TYPE_REF, K.TEMPLATE_REF) for c in cursor.children
    )


def _value_of_type(scope: Scope, cursor: Cursor, arguments: list[Cursor]) -> Expr:
    """``T(x)``, ``T()``: a cast, or the type's zero."""
    type_: Type = scope.type(cursor)
    span = scope.span(cursor)
    if not arguments:
        if isinstance(type_, IntType):
            return IntLit(span, type_, 0)
        return InitList(span, type_, ())
    values = tuple(scope.expression(a) for a in arguments)
    if len(values) == 1:
        return values[0] if values[0].type == type_ and type_ != I32 else Cast(span, type_, values[0], True)
    return InitList(span, type_, values)
