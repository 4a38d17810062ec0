"""Range-based ``for`` over a class: the loop from ``begin()`` to ``end()`` that it stands for ([stmt.ranged]).

libclang shows neither the hidden variables of such a loop nor the methods of an instance of a class template.  Where
the functions of the loop are not in sight, a use of each, put behind the text in memory like those that force instances
of kernel templates, names them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.lower.context import Scope
from kernlint.frontends.clang.lower.conversions import convert
from kernlint.frontends.clang.lower.functions import body_of
from kernlint.frontends.clang.lower.printed import is_expression
from kernlint.frontends.clang.types import Type as ClangType
from kernlint.record import dataclass
from kernlint.tree.nodes import (
    Block,
    Call,
    DeclStmt,
    Expr,
    For,
    FunctionKind,
    Ref,
    Stmt,
    VarDecl,
)
from kernlint.tree.types import BOOL, PointerType, Type

PREFIX = "__kernlint_range_"
"""Names of the functions that hold the uses."""

MOST_CLASSES = 32
"""Classes of one source that uses are made for."""

_UNNAMED = ("(lambda", "(unnamed", "(anonymous struct", "(anonymous class", "type-parameter")


def range_uses(classes: Iterable[str]) -> str:
    """Text with a function for each of the classes, which does once what a loop over an object of it does."""
    steps = "auto first = range.begin(); auto last = range.end(); first != last; ++first; *first;"
    head = f"static __attribute__((device)) void {PREFIX}"
    return "".join(f"{head}{at}({name}& range) {{ {steps} }}\n" for at, name in enumerate(classes))


def range_of(use: Cursor) -> str | None:
    """The class whose use a function behind the text is."""
    if not use.spelling.startswith(PREFIX):
        return None
    parameter = _parameter(use)
    return _name(parameter.type.canonical.pointee) if parameter is not None else None


def _parameter(use: Cursor) -> Cursor | None:
    return next((child for child in use.children if child.kind == K.PARM_DECL), None)


def _name(of: ClangType) -> str:
    """How a class is called behind the text; members of unnamed namespaces are found there without them."""
    return of.canonical.spelling.replace("(anonymous namespace)::", "")


@dataclass(frozen=True, slots=True)
class _Steps:
    """The parts of the loop, but its body: ``first`` and ``last`` declared, then what is done each time around."""

    first: Stmt
    last: Stmt
    differs: Expr
    step: Expr
    value: Expr


def through_iterators(
    scope: Scope, cursor: Cursor, over: Cursor, range_: Expr, element: VarDecl, body: Stmt
) -> Stmt | None:
    """The loop over an object of a class; None where the functions of the class or its iterator are not in sight.

    What device code lacks of them is noted for another reading of the source, with uses.
    """
    whole = VarDecl(range_.span, "range", range_.type, scope.local_space, range_)
    steps = _by_methods(scope, over.type, whole)
    if steps is None:
        name = _name(over.type)
        use = scope.lowering.ranges.get(name)
        if use is not None:
            steps = _by_use(scope, use, whole)
        elif scope.kind is not FunctionKind.HOST and _is_nameable(over.type, name):
            scope.lowering.unwalked.setdefault(name)
    if steps is None:
        return None
    reference = isinstance(element.type, PointerType) and element.type.reference
    object.__setattr__(element, "init", steps.value if reference else convert(steps.value, element.type))
    inside = Block(body.span, (DeclStmt(element.span, (element,)), body))
    loop = For(scope.span(cursor), None, steps.differs, steps.step, inside)
    return Block(range_.span, (DeclStmt(range_.span, (whole,)), steps.first, steps.last, loop))


def _is_nameable(of: ClangType, name: str) -> bool:
    declaration = of.canonical.declaration
    kinds = (K.STRUCT_DECL, K.CLASS_DECL)
    return declaration is not None and declaration.kind in kinds and not any(part in name for part in _UNNAMED)


def _by_methods(scope: Scope, of: ClangType, whole: VarDecl) -> _Steps | None:
    """The parts as calls of methods that the classes show."""
    first, last = _method(of, "begin"), _method(of, "end")
    signs = (("!=", 1), ("++", 0), ("*", 0))
    found = [_method(first.result_type, f"operator{sign}", count) for sign, count in signs] if first is not None else []
    if first is None or last is None or None in found:
        return None
    functions = scope.lowering.functions
    span, space = whole.span, scope.local_space
    at_end = scope.lowering.types.of(last.result_type)
    at = scope.lowering.types.of(first.result_type)

    def call(method: Cursor, type_: Type, args: tuple[Expr, ...], of: VarDecl) -> Expr:
        node = functions.declare(method)
        return Call(span, type_, method.qualified_name, node, args, Ref(span, of.type, of))

    here = VarDecl(span, "begin", at, space, call(first, at, (), whole))
    stop = VarDecl(span, "end", at_end, space, call(last, at_end, (), whole))
    differs, step, value = (method for method in found if method is not None)
    return _Steps(
        DeclStmt(span, (here,)),
        DeclStmt(span, (stop,)),
        call(differs, BOOL, (Ref(span, at_end, stop),), here),
        call(step, scope.lowering.types.of(step.result_type), (), here),
        call(value, scope.lowering.types.of(value.result_type), (), here),
    )


def _method(of: ClangType, name: str, parameters: int = 0) -> Cursor | None:
    """The first method of a class that is called ``name``, has so many parameters and a body."""
    declaration = of.canonical.declaration
    for each in declaration.children if declaration is not None else []:
        named = each.kind == K.CXX_METHOD and each.spelling == name
        if named and sum(child.kind == K.PARM_DECL for child in each.children) == parameters and body_of(each):
            return each
    return None


def _by_use(scope: Scope, use: Cursor, whole: VarDecl) -> _Steps | None:
    """The parts as the use has them, at the place of the range; None where the compiler could not make sense of it."""
    body = body_of(use)
    parameter = _parameter(use)
    statements = body.children if body is not None else []
    if parameter is None or [each.kind == K.DECL_STMT for each in statements] != [True, True, False, False, False]:
        return None
    declared = [child for each in statements[:2] for child in each.children if child.kind == K.VAR_DECL]
    if len(declared) != 2 or not all(any(map(is_expression, each.children)) for each in declared):
        return None
    scope.lowering.variables[parameter.key] = whole
    for each in declared:
        scope.lowering.variables.pop(each.key, None)  # those of another loop
    with _standing_at(scope, whole), scope.no_hoisting():
        first, last = (scope.statement(each) for each in statements[:2])
        differs, step, value = (scope.expression(each) for each in statements[2:])
    return _Steps(first, last, differs, step, value)


@contextmanager
def _standing_at(scope: Scope, node: VarDecl) -> Iterator[None]:
    """Within it, whatever is lowered stands where ``node`` does."""
    saved = scope.span
    scope.span = lambda cursor: node.span
    try:
        yield
    finally:
        scope.span = saved
