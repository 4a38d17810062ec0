"""Names and member accesses that lead to a declaration."""

from __future__ import annotations

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.intrinsics import LAUNCH_VECTORS, select_lane
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.kinds import TypeKind
from kernlint.frontends.clang.lower.context import Scope, lowers_expression, sounds_like_sync
from kernlint.frontends.clang.lower.literals import constant_node
from kernlint.frontends.clang.lower.members import (
    dependent_implicit_member,
    implicit_member,
    member,
    member_name,
    shorten,
)
from kernlint.frontends.clang.lower.printed import is_expression
from kernlint.frontends.clang.lower.variables import made_up_constant, variable
from kernlint.tree.nodes import (
    Binary,
    Expr,
    FunctionDecl,
    FunctionRef,
    InitList,
    IntLit,
    LaunchValue,
    Opaque,
    Quantity,
    Ref,
)
from kernlint.tree.types import (
    I32,
    U32,
    UNKNOWN,
    ArrayType,
    FunctionType,
    IntType,
    OpaqueType,
    PointerType,
    Type,
)

_AXES = {"x": 0, "y": 1, "z": 2}
_FUNCTIONS = (K.FUNCTION_DECL, K.CXX_METHOD, K.FUNCTION_TEMPLATE, K.CONSTRUCTOR, K.CONVERSION_FUNCTION)


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
        if isinstance(type_, ArrayType) and isinstance(decl.type, PointerType) and not decl.type.reference:
            type_ = decl.type  # libclang tells of a parameter what was written, `float row[][32]`, not that it decays
        return Ref(span, type_, decl)
    if kind == K.ENUM_CONSTANT_DECL:
        type_ = scope.type(cursor)
        value = declaration.enum_value
        counted = _of_template(declaration) if value == 0 else None
        if counted is not None:
            given, value = counted
            if given is not None:
                first = scope.expression(given)
                return first if value == 0 else Binary(span, type_, "+", first, IntLit(span, type_, value))
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
        return implicit_member(scope, cursor, declaration)
    return scope.opaque(cursor, f"name of an unusual kind: {cursor.spelling}", writes=False)


def _of_template(enumerator: Cursor) -> tuple[Cursor | None, int] | None:
    """What an enumerator is made of where libclang calls its value 0, as it does of all in a class template: the last
    value written before it (None: none is) and how many enumerators it stands behind that.  None: it stands alone."""
    owner = enumerator.semantic_parent
    given, behind = None, -1
    for other in owner.children if owner is not None else ():
        if other.kind != K.ENUM_CONSTANT_DECL:
            continue
        values = other.children
        given, behind = (values[-1], 0) if values else (given, behind + 1)
        if other.key == enumerator.key:
            return given, behind
    return None


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
    scope.lose("template", f"name that depends on a template argument: {shorten(text)}", cursor)
    return Opaque(scope.span(cursor), scope.type(cursor), f"dependent name {shorten(text)}")


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


@lowers_expression(K.MEMBER_REF_EXPR)
def member_reference(scope: Scope, cursor: Cursor) -> Expr:
    declaration = cursor.referenced
    bases = [c for c in cursor.children if is_expression(c)]
    if declaration is not None:
        name = declaration.spelling
        made_up = declaration.kind == K.VAR_DECL and scope.lowering.is_made_up(declaration)
        if made_up and bases and not sounds_like_sync(name):
            return member(scope, cursor, scope.expression(bases[0]), name, scope.type(cursor))
        if declaration.kind in (K.VAR_DECL, K.ENUM_CONSTANT_DECL):  # a static member through an object
            return named(scope, cursor, declaration)
        if declaration.kind in _FUNCTIONS:
            function = scope.lowering.functions.declare(declaration)
            return FunctionRef(scope.span(cursor), _function_type(scope, cursor), declaration.qualified_name, function)
    if not bases:
        if declaration is not None:
            return implicit_member(scope, cursor, declaration)
        return dependent_implicit_member(scope, cursor)
    if (axis := _launch_axis(scope, cursor, bases[0])) is not None:
        return axis
    base = scope.expression(bases[0])
    name = declaration.spelling if declaration is not None else member_name(scope, cursor, bases[0])
    if declaration is None and not name:
        name = scope.printed_member(cursor) or ""
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
