"""Calls: functions, methods, overloaded operators, intrinsics and kernel launches."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernlint.apis.loaded import loaded
from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.intrinsics import CallContext, lower_call
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.kinds import TypeKind
from kernlint.frontends.clang.lower.arguments import call_arguments, receiver_of, template_arguments, unwrapped
from kernlint.frontends.clang.lower.construction import construction, names_type, user_conversion, value_of_type
from kernlint.frontends.clang.lower.context import Scope, lowers_expression
from kernlint.frontends.clang.lower.conversions import COMPARISONS
from kernlint.frontends.clang.lower.functions import PLACEHOLDER
from kernlint.frontends.clang.lower.launches import (
    FUNCTOR,
    QUEUE_METHOD,
    RANGES,
    functor_call,
    handed_over,
    kernel_call,
    launch_function,
    launches,
    queue_method,
    range_method,
)
from kernlint.frontends.clang.lower.members import member_name
from kernlint.frontends.clang.lower.operators import arithmetic, assignment, compound, dereference, element, negation
from kernlint.frontends.clang.lower.printed import is_expression
from kernlint.frontends.clang.lower.recovery import open_operator, unresolved_call
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import (
    AddressOf,
    Call,
    Expr,
    FunctionDecl,
    FunctionRef,
    IncDec,
    IntLit,
    Lambda,
    Member,
    Ref,
)
from kernlint.tree.types import (
    ArrayType,
    FloatType,
    IntType,
    OpaqueType,
    PointerType,
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
        return value_of_type(scope, cursor, [])
    if declaration is None and (operation := open_operator(scope, cursor, arguments)) is not None:
        return operation
    if declaration is not None and declaration.spelling.startswith("operator"):
        at = _operator_position(cursor, arguments)
        if at is not None:
            operands = arguments[:at] + arguments[at + 1 :]
            return overloaded_operator(scope, cursor, declaration, operands)
    if declaration is None and cursor.type.kind != TypeKind.DEPENDENT and names_type(scope, cursor, arguments[0]):
        return value_of_type(scope, cursor, arguments)
    return ordinary_call(scope, cursor, declaration, arguments[0], arguments[1:])


# ------------------------------------------------------------------------------------------------ plain calls


def ordinary_call(
    scope: Scope, cursor: Cursor, declaration: Cursor | None, callee: Cursor, arguments: list[Cursor]
) -> Expr:
    """``f(args)``, ``object.method(args)``."""
    head = unwrapped(callee)
    receiver: Expr | None = None
    receiver_type = ""
    name = declaration.spelling if declaration is not None else ""
    if head.kind == K.MEMBER_REF_EXPR:
        receiver, receiver_type = receiver_of(scope, head)
        if not name:
            base = next((c for c in head.children if is_expression(c)), head)
            name = head.spelling or member_name(scope, head, base)
        if declaration is not None and declaration.kind == K.FIELD_DECL:
            name = _loaded(scope, cursor, name, arguments) or name
    elif declaration is not None and declaration.kind in (K.VAR_DECL, K.PARM_DECL, K.FIELD_DECL):
        if not (name := _loaded(scope, cursor, name, arguments)):
            return _call_through(scope, cursor, declaration, callee, arguments)
        if not launches(name):
            args = tuple(scope.expression(a) for a in arguments)
            return Call(scope.span(cursor), scope.type(cursor), name, None, args)
    if declaration is None and not name:
        return _dependent_call(scope, cursor, head, arguments)
    qualified = declaration.qualified_name if declaration is not None else name
    if launches(name):
        return launch_function(scope, cursor, name, arguments)
    if name == QUEUE_METHOD and receiver is not None and len(arguments) >= 3:
        return queue_method(scope, cursor, receiver, arguments)
    if name in RANGES and receiver is not None and len(arguments) >= 4:
        return range_method(scope, cursor, receiver, arguments)
    if receiver is not None and isinstance(receiver.type, ArrayType) and name == "size" and receiver.type.extent:
        return IntLit(scope.span(cursor), scope.type(cursor), receiver.type.extent)
    args = call_arguments(scope, declaration, arguments)
    return finish_call(scope, cursor, declaration, name, qualified, args, receiver, receiver_type, head, arguments[:1])


_WRITTEN = pattern(r"\s*(\w+)\s*\(")


def _loaded(scope: Scope, cursor: Cursor, name: str, arguments: list[Cursor]) -> str:
    """The function of OpenCL that is called through a pointer called ``name``, or by a macro for it."""
    found = loaded(name, len(arguments))
    if found or "cl" not in name:
        return found
    written = _WRITTEN.match(scope.lowering.source(cursor))
    return loaded(written[1], len(arguments)) if written is not None else ""


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
    written: Sequence[Cursor] = (),
) -> Expr:
    """A call with everything lowered: an intrinsic, or a call of the user's function.  ``written``: its first
    argument in the text."""
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
            template_args=template_arguments(scope, head) if head is not None else (),
            language=lowering.language,
        )
        node = lower_call(context)
        if node is not None:
            if declaration is None:
                scope.recovered.append(span)
            return node
    if known and declaration is not None and declaration.is_virtual_method and not _exact(receiver):
        scope.lose("call", f"call of a virtual method, {name}: which one runs depends on the object", cursor)
    elif known and declaration is not None and not made_up:
        function = lowering.functions.declare(declaration)
    elif declaration is None and name:
        function = lowering.functions.by_name(name, len(args)) if receiver is None else None
    if isinstance(type_, PointerType) and type_.reference:
        type_ = type_.pointee
    if not users or (declaration is not None and declaration.definition is None):
        launch = handed_over(scope, span, type_, name, written, args)
        if launch is not None:
            return launch
    if function is None and (made_up or declaration is None):
        numbers = not any(_is_no_number(scope, each.type) for each in args)
        given = made_up and (name in lowering.numbers or (lowering.self_contained and receiver is None and numbers))
        what = "function that the build gives" if given else "function that is not declared"
        scope.lose("given" if given else "call", f"call of a {what}: {name}", cursor)
    values = _template_values(scope, head, function)
    return Call(span, type_, qualified or name, function, args, receiver, values=values)


def _template_values(scope: Scope, head: Cursor | None, function: FunctionDecl | None) -> tuple[Expr, ...]:
    """What a call names for the template parameters of a generic callee that are no types, in order: explicit
    arguments come first, those that are deduced may follow."""
    if head is None or function is None or not function.numbers or function.template_args:
        return ()
    values = tuple(scope.expression(child) for child in head.children if is_expression(child))
    return values if len(values) <= len(function.numbers) else ()


def _is_no_number(scope: Scope, type_: Type) -> bool:
    """Whether a type is none of numbers, as far as can be told: those that the build gives are."""
    if isinstance(type_, OpaqueType):
        return type_.spelling not in scope.lowering.synthesised
    return isinstance(type_, (PointerType, ArrayType))


def _exact(receiver: Expr | None) -> bool:
    """Whether an object is a variable that has its own type, not one behind a pointer or reference to a base of it."""
    return isinstance(receiver, Ref) and not isinstance(receiver.decl.type, PointerType)


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
            return finish_call(
                scope, cursor, None, name.rpartition("::")[2], name, args, head=head, written=arguments[:1]
            )
        if isinstance(target.type, PointerType):
            scope.lose("call", f"call through a pointer: {name[:60]}", cursor)
        else:
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
    return finish_call(scope, cursor, best, name, qualified, args, head=head, written=arguments[:1])


def _takes(candidate: Cursor, count: int) -> bool:
    return len([c for c in candidate.children if c.kind == K.PARM_DECL]) == count


# ----------------------------------------------------------------------------------------- overloaded operators


def _operator_position(cursor: Cursor, arguments: list[Cursor]) -> int | None:
    """Where the operator's own name stands among the children; None for an explicit ``x.operator()(y)``."""
    if len(arguments) > 1 and unwrapped(arguments[0]).kind == K.MEMBER_REF_EXPR:
        explicit = unwrapped(arguments[0])
        if explicit.spelling.startswith("operator"):
            return None
    for index, argument in enumerate(arguments):
        head = unwrapped(argument)
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
    if receiver is not None and symbol == "()" and receiver_type.startswith(FUNCTOR):
        launch = functor_call(scope, cursor, receiver, args)
        if launch is not None:
            return launch
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
