"""What every table of intrinsics needs: the call as the lowering sees it, and constructors of tree nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.tree.nodes import (
    AddressOf,
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Deref,
    Expr,
    InitList,
    IntLit,
    Ref,
    Scope,
    Subscript,
    Unary,
)
from kernlint.tree.types import BOOL, U64, UNKNOWN, VOID, ArrayType, IntType, PointerType, Space, Type, VectorType

ALL_MEMORY = frozenset({Space.SHARED, Space.GLOBAL})
"""What a CUDA barrier or fence orders."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """A call about to be lowered.

    ``name`` is unqualified (``__shfl_down_sync``, ``sync``, ``operator+=``); ``qualified`` has namespaces and
    classes but no template arguments (``cub::BlockReduce::Sum``).  ``args`` are lowered already, without the
    object of a method call, which is ``receiver`` (None for a free function and for a static method);
    ``receiver_type`` is how clang spells its class, template arguments included
    (``cooperative_groups::thread_block_tile<32>``).  ``type`` is the type of the call's value,
    ``template_args`` the call's own explicit ones as spelled, ``language`` ``cuda``, ``hip`` or ``opencl``.
    """

    name: str
    qualified: str
    args: tuple[Expr, ...]
    type: Type
    span: Span
    receiver: Expr | None = None
    receiver_type: str = ""
    template_args: tuple[str, ...] = ()
    language: str = "cuda"

    def arg(self, index: int) -> Expr | None:
        """The argument at ``index``, or None when the call has fewer."""
        return self.args[index] if -len(self.args) <= index < len(self.args) else None


Handler = Callable[[CallContext], "Expr | None"]
"""Makes a node out of a call; None when the call has not the form that the name promises."""

_CONSTANT_OPS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "|": lambda a, b: a | b,
    "&": lambda a, b: a & b,
    "^": lambda a, b: a ^ b,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
}


def constant(expr: Expr | None) -> int | None:
    """The integer value of ``expr`` when it is a constant built of literals, enumerators and constants, else None."""
    if isinstance(expr, IntLit):
        return expr.value
    if isinstance(expr, Cast):
        value = constant(expr.operand)
        return expr.type.wrap(value) if value is not None and isinstance(expr.type, IntType) else value
    if isinstance(expr, Ref):
        return expr.decl.value
    if isinstance(expr, Unary):
        value = constant(expr.operand)
        if value is None:
            return None
        raw = {"-": -value, "+": value, "~": ~value, "!": int(not value)}.get(expr.op)
        return expr.type.wrap(raw) if raw is not None and isinstance(expr.type, IntType) else raw
    if isinstance(expr, Binary):
        lhs, rhs = constant(expr.lhs), constant(expr.rhs)
        if lhs is None or rhs is None:
            return None
        if expr.op in ("<<", ">>"):
            # A shift out of the type's range has no value in C; it has none here either.
            if not 0 <= rhs < 64:
                return None
            raw = lhs << rhs if expr.op == "<<" else lhs >> rhs
        elif expr.op in _CONSTANT_OPS:
            raw = _CONSTANT_OPS[expr.op](lhs, rhs)
        else:
            return None
        return expr.type.wrap(raw) if isinstance(expr.type, IntType) else raw
    if isinstance(expr, Conditional):
        cond = constant(expr.cond)
        return None if cond is None else constant(expr.then if cond else expr.other)
    return None


def as_pointer(expr: Expr) -> tuple[Expr, PointerType] | None:
    """``expr`` as a pointer with its type: arrays decay, and an integer made from a pointer (a shared-memory address
    for PTX) leads back to it.  None when nothing here is a pointer."""
    at: Expr = expr
    while True:
        kind = at.type
        if isinstance(kind, PointerType) and not kind.reference:
            return at, kind
        if isinstance(kind, ArrayType):
            space = at.decl.space if isinstance(at, Ref) else Space.GENERIC
            return at, PointerType(kind.element, space)
        if not isinstance(at, Cast):
            return None
        at = at.operand


def deref(pointer: Expr, type_: Type | None = None, unaligned: bool = False) -> Expr:
    """The object behind ``pointer``; ``*&x`` is ``x``."""
    if isinstance(pointer, AddressOf) and (type_ is None or type_ == pointer.operand.type):
        return pointer.operand
    found = as_pointer(pointer)
    pointee = type_ if type_ is not None else found[1].pointee if found else UNKNOWN
    return Deref(pointer.span, pointee, pointer, unaligned)


def address_of(lvalue: Expr, space: Space = Space.GENERIC) -> Expr:
    """``&lvalue``; ``&*p`` is ``p``."""
    if isinstance(lvalue, Deref):
        return lvalue.pointer
    if isinstance(lvalue, Ref) and isinstance(lvalue.type, PointerType) and lvalue.type.reference:
        return AddressOf(lvalue.span, PointerType(lvalue.type.pointee, lvalue.type.space), lvalue)
    if isinstance(lvalue, Ref):
        space = lvalue.decl.space
    elif isinstance(lvalue, Subscript):
        base = as_pointer(lvalue.base)
        space = base[1].space if base else space
    return AddressOf(lvalue.span, PointerType(lvalue.type, space), lvalue)


def assign(target: Expr, value: Expr, span: Span) -> Assign:
    """``target = value``."""
    return Assign(span, target.type, "", target, value)


def literal(value: int, type_: Type, span: Span) -> IntLit:
    """An integer constant."""
    return IntLit(span, type_, value)


def words(text: str) -> tuple[str, ...]:
    """The words of ``text``: long lists of names read better so."""
    return tuple(text.split())


def sequence(first: Expr, *rest: Expr) -> Expr:
    """The expressions in order, as C's comma does; the value is the last one's."""
    result = first
    for following in rest:
        result = Binary(first.span, following.type, ",", result, following)
    return result


def pure(ctx: CallContext, name: str | None = None, args: tuple[Expr, ...] | None = None) -> Call:
    """A call that is a function of its arguments alone, under its canonical ``name``."""
    return Call(ctx.span, ctx.type, name or ctx.name, None, ctx.args if args is None else args, None, True)


def effect_free(ctx: CallContext, name: str | None = None) -> Call:
    """A call that touches no memory and whose value (a clock, say) is not a function of its arguments."""
    return Call(ctx.span, ctx.type, name or ctx.name, None, ctx.args)


def transparent(ctx: CallContext) -> Expr | None:
    """The first argument stands for the whole call."""
    return ctx.args[0] if ctx.args else None


def is_float(type_: Type) -> bool:
    """True for floats and vectors of them."""
    from kernlint.tree.types import FloatType

    return isinstance(type_.element if isinstance(type_, VectorType) else type_, FloatType)


def unqualify(spelling: str) -> tuple[str, tuple[str, ...]]:
    """A class as clang spells it, split into its qualified name and template arguments.

    ``const cub::BlockReduce<float, 256> &`` gives ``("cub::BlockReduce", ("float", "256"))``; arguments of an
    enclosing class template are dropped from the name.
    """
    text = spelling.replace("const ", "").replace("volatile ", "").replace("typename ", "").strip(" &*")
    for prefix in ("struct ", "class "):
        text = text.removeprefix(prefix)
    name: list[str] = []
    args: tuple[str, ...] = ()
    depth, start = 0, 0
    for index, char in enumerate(text):
        if char == "<":
            depth += 1
            if depth == 1:
                start = index + 1
        elif char == ">":
            depth -= 1
            if depth == 0:
                args = tuple(_split_arguments(text[start:index]))
        elif depth == 0:
            if char == ":":
                args = ()
            name.append(char)
    return "".join(name).strip(), args


def _split_arguments(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for index, char in enumerate(text):
        if char in "<(":
            depth += 1
        elif char in ">)":
            depth -= 1
        elif char == "," and depth == 0:
            yield text[start:index].strip()
            start = index + 1
    if text[start:].strip():
        yield text[start:].strip()


def small_int(text: str) -> int | None:
    """The value of a template argument spelled as an integer (``32``, ``32U``, ``0x20``), or None."""
    digits = text.strip().rstrip("uUlL")
    try:
        return int(digits, 0)
    except ValueError:
        return None


WARP_SIZES = {"cuda": 32, "hip": 64}
"""Threads of a warp where the language fixes it.  A HIP wavefront has 64 threads on CDNA and 32 on RDNA: a tile of
32 is then a tile, not a warp, which claims less."""


def scope_of_threads(threads: int | None, language: str) -> Scope:
    """Scope of a group of ``threads`` neighbouring threads."""
    if threads == 1:
        return Scope.THREAD
    return Scope.WARP if threads is not None and threads == WARP_SIZES.get(language) else Scope.TILE


__all__ = [
    "ALL_MEMORY",
    "BOOL",
    "U64",
    "UNKNOWN",
    "VOID",
    "WARP_SIZES",
    "CallContext",
    "Handler",
    "InitList",
    "address_of",
    "as_pointer",
    "assign",
    "constant",
    "deref",
    "effect_free",
    "is_float",
    "literal",
    "pure",
    "scope_of_threads",
    "sequence",
    "small_int",
    "transparent",
    "unqualify",
    "words",
]
