"""The types that ``function.prepare("PPif")`` states, against the parameters of the kernel.

PyCUDA packs the arguments of a prepared call by these types and never looks at the kernel (``pycuda.driver``,
``Function.prepare``): each is a character of the module ``struct`` in native size and alignment, or a type of NumPy.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from kernlint.apis.python_numbers import WIDTHS
from kernlint.frontends.clang.embedded import Program
from kernlint.frontends.clang.python.passed import has_open_types, name_of
from kernlint.frontends.clang.python.program import PythonProgram, Scope, dotted
from kernlint.source import Span
from kernlint.tree.nodes import FunctionDecl, Kernel, Module, Remark
from kernlint.tree.types import FloatType, IntType, PointerType, Type

_INTEGERS = {"b": 1, "B": 1, "?": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "Q": 8, "P": 8, "n": 8, "N": 8}
_FRACTIONS = {"e": 2, "f": 4, "d": 8}
"""Bytes of the characters of ``struct`` ("Format Characters").  A ``long`` (``l``) has 4 or 8 by the system."""

_Stated = tuple[str, int, bool] | None
"""How a type is written, its bytes, and whether it is a fraction; None where that is not known."""


_Found = Callable[[ast.expr, Scope], tuple[str, int | None] | None]
"""Name and program of the kernel that an expression stands for."""


def named(
    made: Sequence[tuple[Program, Module]], name: str, origin: int | None, opencl: bool
) -> Iterator[tuple[Module, Kernel]]:
    """The kernels of a name, in the program at ``origin`` where that is known, with their modules."""
    for source, module in made:
        here = origin is None or source.start <= origin < source.end
        if (
            here
            and (source.places is None or (source.assembled and not source.varied))
            and (module.language == "opencl") == opencl
        ):
            yield from ((module, kernel) for kernel in module.kernels if kernel.name == name)


def add_prepared(program: PythonProgram, made: Sequence[tuple[Program, Module]], found: _Found) -> None:
    """Remark on stated types that are not those of the kernel, in its module."""
    for called in program.calls:
        target = called.node.func
        if not isinstance(target, ast.Attribute) or target.attr != "prepare":
            continue
        stated = found(target.value, called.scope)
        kernels = list(named(made, *stated, False)) if stated is not None else []
        for module, kernel in kernels if len(kernels) == 1 else ():
            remark = _misprepared(program, called.node, called.scope, kernel.function, module.path)
            if remark is not None:
                object.__setattr__(module, "remarks", (*module.remarks, remark))


def _misprepared(
    program: PythonProgram, call: ast.Call, scope: Scope, kernel: FunctionDecl, file: str
) -> Remark | None:
    """The remark on the first stated type that is not the parameter's, or on their number."""
    stated = _stated(program, call.args[0], scope) if call.args and not kernel.template_params else None
    if not stated or has_open_types(kernel):
        return None
    at = Span(file, program.start(call.args[0]), program.end(call.args[0]))
    if len(stated) != len(kernel.params):
        words = ("number", str(len(stated)), kernel.name, str(len(kernel.params)))
        return Remark("argument-misfit", at, kernel.name, words, ((kernel.name_span or kernel.span, "the kernel"),))
    for one, param in zip(stated, kernel.params, strict=True):
        if one is not None and _other(one, param.type):
            wanted = "a pointer" if isinstance(param.type, PointerType) else name_of(param.type)
            words = ("format", f"{one[0]} ({one[1]} bytes)", param.name, f"{wanted} ({param.type.size or 8} bytes)")
            return Remark("argument-misfit", at, kernel.name, words, ((param.span, "the parameter"),))
    return None


def _stated(program: PythonProgram, expr: ast.expr, scope: Scope) -> list[_Stated] | None:
    """The types that are stated; None where they are not in sight."""
    expr, scope = program.resolved(expr, scope)
    if isinstance(expr, ast.Constant) and isinstance(expr.value, str):
        return [_character(one) for one in expr.value] if expr.value.isalpha() else None
    if not isinstance(expr, (ast.List, ast.Tuple)) or any(isinstance(one, ast.Starred) for one in expr.elts):
        return None
    return [_element(program, one, scope) for one in expr.elts]


def _element(program: PythonProgram, expr: ast.expr, scope: Scope) -> _Stated:
    expr, scope = program.resolved(expr, scope)
    if isinstance(expr, ast.Constant) and isinstance(expr.value, str) and len(expr.value) == 1:
        return _character(expr.value)
    full = program.imported(dotted(expr) or "")
    last = full.rpartition(".")[2]
    if full.partition(".")[0] != "numpy" or last not in WIDTHS or "complex" in last:
        return None
    return f"numpy.{last}", WIDTHS[last], "float" in last


def _character(one: str) -> _Stated:
    size = _INTEGERS.get(one) or _FRACTIONS.get(one)
    return (f"'{one}'", size, one in _FRACTIONS) if size is not None else None


def _other(one: tuple[str, int, bool], wanted: Type) -> bool:
    """Whether a stated type is packed in other bytes than the parameter has, or as a number of another kind."""
    if isinstance(wanted, PointerType):
        return one[1] != 8 or one[2]
    if not isinstance(wanted, (FloatType, IntType)):
        return False
    return one[1] != wanted.size or one[2] != isinstance(wanted, FloatType)
