"""Variables: locals, parameters, globals; each declaration has one node for all its uses."""

from __future__ import annotations

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.kinds import StorageClass, TypeKind
from kernlint.frontends.clang.lower.context import Scope
from kernlint.frontends.clang.lower.conversions import convert
from kernlint.frontends.clang.lower.printed import is_expression
from kernlint.frontends.clang.lower.types import is_const, is_volatile, without_extents
from kernlint.frontends.clang.native import LIB
from kernlint.record import replace
from kernlint.tree.nodes import Expr, InitList, Opaque, ParamDecl, VarDecl
from kernlint.tree.types import (
    U32,
    ArrayType,
    IntType,
    OpaqueType,
    PointerType,
    Space,
    StructType,
    Type,
    VoidType,
)

_FUNCTIONS = (
    K.FUNCTION_DECL,
    K.CXX_METHOD,
    K.FUNCTION_TEMPLATE,
    K.CONSTRUCTOR,
    K.DESTRUCTOR,
    K.CONVERSION_FUNCTION,
)
_OPENCL_SPACES = {1: Space.GLOBAL, 2: Space.SHARED, 3: Space.CONSTANT, 4: Space.PRIVATE}


_DROPPED = "default initialization of an object of const type"
"""What clang says of a constant whose initialiser it could not read."""


def variable(scope: Scope, declaration: Cursor) -> VarDecl:
    """The node of a variable that is named; made on demand for globals and what was not declared in sight."""
    found = scope.lowering.variables.get(declaration.key)
    if found is not None:
        return found
    if declaration.kind == K.PARM_DECL:
        return parameter(scope, declaration, 0)
    if declaration.kind == K.TEMPLATE_NON_TYPE_PARAMETER:
        return template_parameter(scope, declaration, 0)
    return declare(scope, declaration)


def parameter(scope: Scope, cursor: Cursor, index: int) -> ParamDecl:
    """The node of a parameter; ``index`` counts from 0."""
    found = scope.lowering.variables.get(cursor.key)
    if isinstance(found, ParamDecl):
        return found
    type_ = scope.lowering.types.of_parameter(cursor.type)
    stated = cursor.type.count if cursor.type.kind == TypeKind.CONSTANT_ARRAY else None
    rows = type_.pointee if isinstance(type_, PointerType) else None
    if (isinstance(rows, ArrayType) or stated is not None) and scope.lowering.mentions_made_up(cursor):
        stated = None  # as long as the build says
        if isinstance(type_, PointerType) and rows is not None:
            type_ = replace(type_, pointee=without_extents(rows))
    node = ParamDecl(
        scope.span(cursor),
        cursor.spelling,
        type_,
        scope.local_space,
        const=cursor.type.is_const,
        volatile=cursor.type.is_volatile,
        synthesised=_made_up(scope, cursor, type_),
        index=index,
        whole=isinstance(type_, PointerType) and cursor.type.canonical.kind == TypeKind.RECORD,
        stated=stated,
    )
    scope.lowering.variables[cursor.key] = node
    return node


def template_parameter(scope: Scope, cursor: Cursor, index: int) -> ParamDecl:
    """The node of a non-type template parameter of a generic tree."""
    found = scope.lowering.variables.get(cursor.key)
    if isinstance(found, ParamDecl):
        return found
    node = ParamDecl(
        scope.span(cursor),
        cursor.spelling,
        scope.type(cursor),
        Space.PRIVATE,
        const=True,
        index=index,
        is_template=True,
    )
    scope.lowering.variables[cursor.key] = node
    return node


def _made_up(scope: Scope, cursor: Cursor, type_: Type) -> bool:
    """Whether a declaration, or the type it has, was invented for a name that no header gave."""
    lowering = scope.lowering
    if not lowering.synthesised:
        return False
    inner = type_
    while isinstance(inner, (PointerType, ArrayType)):
        inner = inner.pointee if isinstance(inner, PointerType) else inner.element
    if isinstance(inner, OpaqueType) and (inner.spelling == "__kl_any" or inner.spelling in lowering.synthesised):
        return True
    return lowering.is_made_up(cursor)


def _element(type_: Type) -> Type:
    """What an array is made of in the end; a type that is none itself."""
    while isinstance(type_, ArrayType):
        type_ = type_.element
    return type_


def declare(scope: Scope, cursor: Cursor) -> VarDecl:
    """The node of a variable with its initialiser; known to its uses before the initialiser is lowered."""
    lowering = scope.lowering
    found = lowering.variables.get(cursor.key)
    if found is not None:
        return found
    clang = cursor.type
    type_ = scope.type(cursor)
    is_global = bool(LIB.Cursor_hasVarDeclGlobalStorage(cursor.raw)) if cursor.kind == K.VAR_DECL else False
    storage = cursor.storage_class
    attributes = {c.kind for c in cursor.children if c.kind >= K.UNEXPOSED_ATTR}
    span = scope.span(cursor)
    # With an unknown name in the brackets the compiler takes the extent from the initialiser.
    doubtful = isinstance(type_, ArrayType) and (
        lowering.mentions_made_up(cursor) or bool(lowering.errors_in(span.file, span.start, span.end))
    )
    if doubtful:
        type_ = without_extents(type_)
    constant = is_const(clang)
    space = _space(scope, cursor, attributes, is_global, constant)
    outside = is_global and not _is_local(cursor)
    node = VarDecl(
        scope.span(cursor),
        cursor.spelling,
        type_,
        space,
        const=constant,
        volatile=is_volatile(clang),
        static=storage == StorageClass.STATIC,
        # An array whose extent is merely not known (a template's, a missing macro's) has memory of its own.
        unsized=space is Space.SHARED
        and isinstance(type_, ArrayType)
        and type_.extent is None
        and storage == StorageClass.EXTERN,
        synthesised=_made_up(scope, cursor, type_),
        is_global=outside,
        made=isinstance(_element(type_), StructType) and not clang.is_plain_data,
    )
    lowering.variables[cursor.key] = node
    errors = lowering.errors_in(node.span.file, node.span.start, node.span.end)
    dropped = any(_DROPPED in message for _, message in errors)
    told = isinstance(type_, IntType) and not (dropped or node.synthesised or lowering.mentions_made_up(cursor))
    if constant and told and isinstance(type_, IntType):
        value = cursor.evaluate()
        if isinstance(value, (int, float)):
            object.__setattr__(node, "value", type_.wrap(int(value)))
    init = _initialiser(scope, cursor, node)
    if errors and (init is None or dropped):
        # The compiler may have dropped the initialiser: the variable must not look as if it had none, nor as if it were
        # zero, as a constant is in an instance of a template then.
        reason = f"declaration with an error: {errors[0][1]}"
        scope.lose("statement", reason, cursor)
        if "unknown type name" in reason and isinstance(type_, IntType):  # the compiler goes on with int
            type_ = OpaqueType(reason.partition("'")[2].rstrip("'"))
            object.__setattr__(node, "type", type_)
        init = None
        if not isinstance(type_, ArrayType):
            init = Opaque(node.span, type_, reason, words=lowering.names_in(cursor))
    if init is not None:
        object.__setattr__(node, "init", init)
        if isinstance(type_, OpaqueType) and not isinstance(init.type, OpaqueType) and _is_deduced(cursor):
            object.__setattr__(node, "type", init.type)
        elif (
            isinstance(type_, ArrayType)
            and type_.extent is None
            and not doubtful
            and isinstance(init, InitList)
            and init.elements
        ):
            object.__setattr__(node, "type", ArrayType(type_.element, len(init.elements)))
    if outside:
        lowering.globals.append(node)
    elif cursor.kind == K.VAR_DECL:
        object_ends(scope, cursor)
    return node


def object_ends(scope: Scope, cursor: Cursor) -> None:
    """Note that an object made at ``cursor`` has a destructor, which is not followed."""
    of = cursor.type.canonical
    while of.kind in (TypeKind.CONSTANT_ARRAY, TypeKind.INCOMPLETE_ARRAY):
        of = of.element.canonical
    if of.kind == TypeKind.RECORD and of.declaration is not None and _destroyed(scope, of.declaration):
        scope.lose("statement", f"the destructor of {of.declaration.spelling} is not followed", cursor)


def _destroyed(scope: Scope, record: Cursor) -> bool:
    """Whether ending an object of a class runs code of the user's."""
    known = scope.lowering.destroyed
    if record.key not in known:
        known[record.key] = False  # what holds itself by a pointer does not end with it
        known[record.key] = any(_ends_with(scope, child) for child in record.children)
    return known[record.key]


def _ends_with(scope: Scope, member: Cursor) -> bool:
    if member.kind == K.DESTRUCTOR:
        found = scope.lowering.functions.definition(member)
        if scope.lowering.in_system_header(found):
            return False
        body = next((child for child in found.children if child.kind == K.COMPOUND_STMT), None)
        if body is None or not found.in_main_file:
            functions = scope.lowering.functions
            node = functions.declare(found)  # what it frees is as much in sight as what the class allocates
            if not functions.has_body(node) and not found.is_defaulted and node.this is not None:
                scope.lowering.ends_elsewhere.add(_name(node.this.type))
        return (body is not None and bool(body.children)) or (body is None and not found.is_defaulted)
    if member.kind not in (K.FIELD_DECL, K.CXX_BASE_SPECIFIER):
        return False
    of = member.type.canonical
    return of.kind == TypeKind.RECORD and of.declaration is not None and _destroyed(scope, of.declaration)


def _name(this: Type) -> str:
    record = this.pointee if isinstance(this, PointerType) else this
    return record.name if isinstance(record, StructType) else ""


def made_up_constant(scope: Scope, cursor: Cursor, type_: Type) -> VarDecl:
    """An invented enumerator as a constant variable of unknown value."""
    found = scope.lowering.variables.get(cursor.key)
    if found is None:
        span = scope.span(cursor)
        found = VarDecl(span, cursor.spelling, type_, Space.CONSTANT, const=True, synthesised=True, is_global=True)
        scope.lowering.variables[cursor.key] = found
    return found


def _is_deduced(cursor: Cursor) -> bool:
    return cursor.type.spelling.replace("const ", "").strip() == "auto"


def _is_local(cursor: Cursor) -> bool:
    """Whether a variable is declared inside a function; an ``extern`` one belongs to the namespace all the same."""
    parent = cursor.unit.declaration(LIB.getCursorLexicalParent(cursor.raw))
    return parent is not None and parent.kind in _FUNCTIONS


def _space(scope: Scope, cursor: Cursor, attributes: set[int], is_global: bool, constant: bool) -> Space:
    if K.CUDA_SHARED_ATTR in attributes:
        return Space.SHARED
    if scope.lowering.opencl:
        clang = cursor.type
        space = clang.address_space
        while not space and clang.kind in (TypeKind.CONSTANT_ARRAY, TypeKind.INCOMPLETE_ARRAY):
            clang = clang.element
            space = clang.address_space
        return _OPENCL_SPACES.get(space, Space.GLOBAL if is_global else Space.PRIVATE)
    if K.CUDA_CONSTANT_ATTR in attributes:
        return Space.CONSTANT
    if K.CUDA_DEVICE_ATTR in attributes or (is_global and K.UNEXPOSED_ATTR in attributes):
        return Space.GLOBAL
    if is_global and not _is_local(cursor):
        return Space.CONSTANT if constant else Space.HOST
    return scope.local_space


def _initialiser(scope: Scope, cursor: Cursor, node: VarDecl) -> Expr | None:
    expressions = [c for c in cursor.children if is_expression(c)]
    if not expressions:
        return None
    initial = cursor.initializer if cursor.kind == K.VAR_DECL else expressions[-1]
    if initial is None:
        return None
    found = next((c for c in reversed(expressions) if c.key == initial.key), None)
    if found is None:
        return None
    if cursor.key in scope.lowering.unit.shortened:
        return scope.large_table(found)
    value = _listed(scope, found, node.type) or scope.expression(found)
    if isinstance(value, InitList) and isinstance(value.type, VoidType):
        value = InitList(value.span, node.type, value.elements)  # braces around values of a dependent type
    if isinstance(value, InitList) and not value.elements and found.kind == K.CALL_EXPR:
        if isinstance(value.type, StructType) and value.type.name == "dim3":
            return value  # its constructor sets the three sizes
        # "S s;" runs a constructor that leaves the members alone; "S s{}" and "S()" zero them.
        return None if scope.lowering.source(found).strip().startswith(node.name) else value
    return value


def _listed(scope: Scope, cursor: Cursor, type_: Type) -> InitList | None:
    """What stands in parentheses behind a variable's name, where some of it depends on a template's arguments: clang
    has chosen no constructor then, and shows the bare list (``dim3 grid(up(rows, n), up(columns, n))``)."""
    if cursor.kind != K.UNEXPOSED_EXPR or not isinstance(type_, StructType) or type_.name != "dim3":
        return None
    values = [c for c in cursor.children if is_expression(c)]
    if len(values) < 2 or not scope.lowering.source(cursor).startswith("("):
        return None
    return InitList(scope.span(cursor), type_, tuple(convert(scope.expression(one), U32) for one in values))
