"""Host functions met with an object that another function, of whatever file, has filled.

Sizes, pitches and memory often stand in a structure that one function makes (``create(Matrix &m, int rows)``, a method
``allocate``) and another one launches with; who calls both is out of sight.  As for the classes of one file
(:mod:`~.objects`) a caller is put together: it has an object, lets the only function that hands out memory for members
do so, goes on where that tells of success, and calls the function.  Numbers that the function is given besides go with
what the object was made for as callers know, and nobody else does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.launching.objects import OF_CALLERS
from kernlint.record import replace
from kernlint.source import Span
from kernlint.tree.nodes import (
    AddressOf,
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    DeclStmt,
    Expr,
    ExprStmt,
    FunctionDecl,
    FunctionKind,
    If,
    IncDec,
    IntLit,
    Member,
    Node,
    Opaque,
    ParamDecl,
    Ref,
    Return,
    Stmt,
    Subscript,
    Unary,
    VarDecl,
)
from kernlint.tree.types import BOOL, VOID, IntType, PointerType, Space, StructType, Type
from kernlint.tree.walk import strip_casts, walk

_READERS = frozenset({"clSetKernelArg", "clEnqueueNDRangeKernel"})
"""Functions that are given addresses of what they only read."""


def struct_given(function: FunctionDecl) -> StructType | None:
    """The only structure with pointers and numbers that a function is a method of, or is given."""
    found = {kind.name: kind for _, kind in _objects(function)}
    return next(iter(found.values())) if len(found) == 1 else None


def with_maker(function: FunctionDecl, others: Sequence[FunctionDecl]) -> FunctionDecl | None:
    """A caller of a function that has an object filled by the only one of ``others`` that does so; None: there is no
    such function, or there are several."""
    kind = struct_given(function)
    if kind is None:
        return None
    stored = {one: dict.fromkeys(_stored(one, kind)) for one in others if one is not function}
    pointers = {field.name for field in kind.fields if isinstance(field.type, PointerType)}
    makers = [one for one, fields in stored.items() if pointers & fields.keys()]
    if len(makers) != 1 or stored[makers[0]].keys() & set(_stored(function, kind)):
        return None
    maker = makers[0]
    set_ = stored[maker].keys()
    used = {node.field for node in walk(function.body or function) if isinstance(node, Member)}
    numbers = {field.name for field in kind.fields if isinstance(field.type, IntType)}
    if not used & pointers & set_ or not used & numbers <= set_:
        return None  # numbers that others set, callers know
    changed = {field for one, fields in stored.items() if one is not maker for field in fields} & set_
    return _caller(function, maker, kind, sorted(changed))


def _objects(function: FunctionDecl) -> Iterator[tuple[ParamDecl, StructType]]:
    """The parameters, the object of a method among them, that are structures with pointers and numbers."""
    for param in (*([function.this] if function.this is not None else []), *function.params):
        kind = param.type.pointee if isinstance(param.type, PointerType) else param.type
        if isinstance(kind, StructType) and kind.known:
            held = [type(field.type) for field in kind.fields]
            if PointerType in held and IntType in held:
                yield param, kind


def _stored(function: FunctionDecl, kind: StructType) -> Iterator[str]:
    """The members of an object that a function is given, or is a method of, in which it stores something but null, or
    which it hands out to be stored in."""
    own = {param for param, of in _objects(function) if of.name == kind.name}
    if not own or function.body is None:
        return
    for node in walk(function.body):
        targets: list[Node] = []
        if isinstance(node, IncDec) or (isinstance(node, Assign) and not _is_nothing(node.value)):
            targets = [node.target]
        elif isinstance(node, Call):
            params = node.function.params if node.function is not None else ()
            for index, arg in enumerate(node.args):
                bare = strip_casts(arg)
                if node.name in _READERS:
                    continue
                of = params[index].type if index < len(params) else None
                by_reference = isinstance(of, PointerType) and of.reference and not of.const
                if isinstance(bare, AddressOf) or by_reference:
                    targets.append(bare)
        for target in targets:
            field = _field(target, own)
            if field is not None:
                yield field


def _field(node: Node | None, own: set[ParamDecl]) -> str | None:
    found = None
    while isinstance(node, (Member, Subscript, Cast, AddressOf)):
        if isinstance(node, Member):
            found, node = node.field, node.base
        else:
            node = node.base if isinstance(node, Subscript) else node.operand
    return found if isinstance(node, Ref) and node.decl in own else None


def _is_nothing(value: Expr) -> bool:
    bare = strip_casts(value)
    return isinstance(bare, IntLit) and bare.value == 0


def _caller(function: FunctionDecl, maker: FunctionDecl, kind: StructType, changed: Sequence[str]) -> FunctionDecl:
    span = Span(function.span.file, function.span.start, function.span.start)
    held = VarDecl(span, "object", kind, Space.HOST)
    params: list[ParamDecl] = []
    made = _call(maker, held, kind, params, span, False)
    body: list[Stmt] = [DeclStmt(span, (held,)), _made(made, maker.result, span)]
    for field in changed:
        of = next((one.type for one in kind.fields if one.name == field), VOID)
        target = Member(span, of, Ref(span, kind, held), field, False)
        body.append(ExprStmt(span, Assign(span, of, "", target, Opaque(span, of, "what others have stored"))))
    sized = any(isinstance(param.type, IntType) for param in maker.params)
    body.append(ExprStmt(span, _call(function, held, kind, params, span, sized)))
    whole = Block(span, tuple(body))
    return FunctionDecl(span, function.name, function.qualified, FunctionKind.HOST, tuple(params), VOID, whole)


def _made(made: Call, result: Type, span: Span) -> Stmt:
    """The call of a maker; where it tells of success or failure, the end of what comes after a failure."""
    if not isinstance(result, IntType):
        return ExprStmt(span, made)
    if result == BOOL:
        failed: Expr = Unary(span, BOOL, "!", made)
    else:
        failed = Binary(span, BOOL, "!=", made, IntLit(span, result, 0))
    return If(span, failed, Return(span, None), None)


def _call(
    function: FunctionDecl, held: VarDecl, kind: StructType, params: list[ParamDecl], span: Span, own_size: bool
) -> Call:
    args: list[Expr] = []
    for param in function.params:
        of = param.type.pointee if isinstance(param.type, PointerType) else param.type
        if isinstance(of, StructType) and of.name == kind.name:
            at: Expr = Ref(span, kind, held)
            by_pointer = isinstance(param.type, PointerType) and not param.type.reference
            args.append(AddressOf(span, param.type, at) if by_pointer else at)
        elif own_size and isinstance(param.type, IntType):
            args.append(Opaque(span, param.type, OF_CALLERS))
        else:
            own = replace(param, index=len(params))
            params.append(own)
            inner = param.type.pointee if isinstance(param.type, PointerType) and param.type.reference else param.type
            args.append(Ref(span, inner, own))
    receiver = Ref(span, kind, held) if function.this is not None else None
    return Call(span, function.result, function.qualified, function, tuple(args), receiver)
