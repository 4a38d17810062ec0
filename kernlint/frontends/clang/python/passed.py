"""What Python passes for a kernel's parameters, and where its size or kind is not what the kernel reads.

Of numbers see :mod:`kernlint.apis.python_numbers`.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from kernlint.apis.python_numbers import WIDTHS, other_number
from kernlint.frontends.clang.embedded import OPEN_TYPE
from kernlint.frontends.clang.python.elements import element_type
from kernlint.frontends.clang.python.layout import last_axes, out_of_order
from kernlint.frontends.clang.python.program import Scope, dotted
from kernlint.frontends.clang.python.reading import Reader
from kernlint.frontends.clang.python.scalars import scalar
from kernlint.source import Span
from kernlint.tree.nodes import FunctionDecl, ParamDecl, Remark
from kernlint.tree.types import FloatType, IntType, PointerType, Type


def misfit(
    reader: Reader, api: str, arg: ast.expr, scope: Scope, kernel: FunctionDecl, param: ParamDecl
) -> Remark | None:
    """The remark on an argument that is not what the parameter reads; None where it is, or nothing is known."""
    if has_open_types(kernel):
        return None
    place = Span(reader.host.span.file, reader.program.start(arg), reader.program.end(arg))
    if isinstance(param.type, PointerType):
        given, wanted = element_type(reader, arg, scope), param.type.pointee
        if not given or not _other_elements(given, wanted):
            return None
        words = ("array", f"an array of {given}", param.name, f"{name_of(wanted)} *")
    else:
        kind = param.type if isinstance(param.type, (FloatType, IntType)) else None
        said = other_number(*scalar(reader, arg, scope), isinstance(kind, FloatType), kind.size, api) if kind else ""
        if not said:
            return None
        words = ("scalar", said, param.name, f"{name_of(param.type)} ({param.type.size} bytes)")
    related = [(param.span, "the parameter"), (reader.host.span, "launched here")]
    made = _bound_once(arg, scope)
    if made is not None:
        start, end = reader.program.start(made), reader.program.end(made)
        related.append((Span(reader.host.span.file, start, end), "made here"))
    return Remark("argument-misfit", place, kernel.name, words, tuple(related))


def has_open_types(kernel: FunctionDecl) -> bool:
    """Whether a kernel has types that the program puts in when it runs, which are not known."""
    return any(loss.kind == "given" and OPEN_TYPE in loss.reason for loss in kernel.losses)


def _bound_once(arg: ast.expr, scope: Scope) -> ast.expr | None:
    """The expression that a variable or member stands for; None where there are several, or none in sight."""
    name = dotted(arg)
    holder = scope.holder(name) if name is not None else None
    bound = holder.bound[name] if holder is not None and name is not None else []
    return bound[0][0] if len(bound) == 1 and bound[0] is not None else None


def miscounted(reader: Reader, api: str, args: Sequence[ast.expr] | None, kernel: FunctionDecl) -> Remark | None:
    """The remark on a launch with too few or too many arguments.  Silent where the text of the kernel may have others
    than those in sight: under a condition, in a template, in what the program puts into the text."""
    data, body = reader.program.data, kernel.body
    if args is None or len(args) == len(kernel.params) or api not in _COUNTED or kernel.template_params:
        return None
    if body is None or b"#if" in data or any(isinstance(arg, ast.Starred) for arg in args):
        return None
    head = data[kernel.span.start : body.span.start]
    if head.count(b",") + 1 != len(kernel.params) or any(sign in head for sign in (b"%", b"$", b"{", b"#")):
        return None
    words = ("count", str(len(args)), kernel.name, str(len(kernel.params)))
    return Remark("argument-misfit", reader.host.span, kernel.name, words)


_COUNTED = frozenset({"CuPy", "PyCUDA", "PyOpenCL", "cuda.core"})


def misplaced(reader: Reader, args: tuple[ast.expr, ...], at: int, scope: Scope, kernel: FunctionDecl) -> Remark | None:
    """The remark on an array of another order than its shape says, which is passed with that shape."""
    arg, param = args[at], kernel.params[at]
    view = out_of_order(reader.program, arg, scope) if isinstance(param.type, PointerType) else None
    if view is None:
        return None
    names = [kernel.params[other].name for other in last_axes(reader.program, arg, args, scope)]
    if not names:
        return None
    program, file = reader.program, reader.host.span.file
    place = Span(file, program.start(view), program.end(view))
    launch = Span(file, program.start(arg), program.end(arg))
    return Remark("argument-order", place, kernel.name, (param.name, *names), ((launch, "passed to the kernel here"),))


def name_of(type_: Type) -> str:
    """A type as C spells it."""
    if isinstance(type_, FloatType):
        return {16: "half", 32: "float", 64: "double"}.get(type_.bits, "float")
    if isinstance(type_, IntType):
        if type_.bits == 1:
            return "bool"
        word = {8: "char", 16: "short", 32: "int", 64: "long long"}[type_.bits]
        return word if type_.signed else f"unsigned {word}"
    return "?"


def _other_elements(given: str, wanted: Type) -> bool:
    """Whether elements of an array are visibly not those that the kernel reads: numbers of another width, of which
    neither is bytes.  What is as wide may be bits of a number."""
    if "complex" in given or not isinstance(wanted, (FloatType, IntType)) or wanted.size == 1 or WIDTHS[given] == 1:
        return False
    return WIDTHS[given] != wanted.size
