"""Calls and operands built by hand, for the tests of the intrinsics' tables."""

from __future__ import annotations

from kernlint.frontends.clang.intrinsics import CallContext, lower_call
from kernlint.frontends.clang.intrinsics.assembly import lower_asm
from kernlint.source import Span
from kernlint.tree.nodes import Expr, IntLit, Ref, Stmt, VarDecl
from kernlint.tree.types import F32, I32, U32, OpaqueType, PointerType, Space, Type

SPAN = Span("kernel.cu", 0, 1)


def number(value: int, type_: Type = I32) -> IntLit:
    return IntLit(SPAN, type_, value)


def variable(
    name: str = "v", type_: Type = I32, space: Space = Space.PRIVATE, init: Expr | None = None, value: int | None = None
) -> Ref:
    return Ref(SPAN, type_, VarDecl(SPAN, name, type_, space, init, value=value))


def pointer(name: str = "p", to: Type = F32, space: Space = Space.GLOBAL, const: bool = False) -> Ref:
    return variable(name, PointerType(to, space, const))


def of_class(spelling: str, init: Expr | None = None) -> Ref:
    """A variable of a class that is only known by name."""
    return variable("object", OpaqueType(spelling), init=init)


def call(
    name: str,
    *args: Expr,
    type_: Type = I32,
    namespace: str = "",
    on: Expr | None = None,
    of: str = "",
    templates: tuple[str, ...] = (),
    language: str = "cuda",
) -> Expr | None:
    """``lower_call`` of a function, or of a method of ``on`` whose class is ``of``."""
    if on is not None and not of and isinstance(on.type, OpaqueType):
        of = on.type.spelling
    qualified = f"{namespace}::{name}" if namespace else name
    return lower_call(CallContext(name, qualified, args, type_, SPAN, on, of, templates, language))


def asm(text: str, outputs: tuple[Expr, ...] = (), inputs: tuple[Expr, ...] = ()) -> Stmt:
    return lower_asm(text, outputs, inputs, SPAN, True)


def output(name: str = "out", type_: Type = U32) -> Ref:
    return variable(name, type_)
