"""Sizes of launches in Python that are floats: ``/`` divides to one, and ``numpy.ceil`` returns one.

No library takes them.  PyCUDA: "No registered converter was able to produce a C++ rvalue of type unsigned int"; CuPy:
"'float' object cannot be interpreted as an integer"; PyOpenCL: "Unable to cast Python instance to C++ type".
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from kernlint.frontends.clang.python.program import PythonProgram, Scope, dotted
from kernlint.source import Span
from kernlint.tree.nodes import Remark

DEPTH = 12
"""Names and operations that a size is followed through."""

_FLOATING = frozenset({"numpy.ceil", "numpy.floor", "numpy.trunc", "numpy.rint", "cupy.ceil", "float", "math.sqrt"})

FullName = Callable[[PythonProgram, ast.AST, Scope], "str | None"]
"""The full dotted name of an expression as its imports have it; None when it is no name, or one of the file's."""


def imported_name(program: PythonProgram, expr: ast.AST, scope: Scope) -> str | None:
    """The full name of what an expression imports, or of a built-in function."""
    name = dotted(expr)
    if name is None:
        return None
    first = name.partition(".")[0]
    program = scope.home or program
    if first not in program.imports and (scope.holder(first) is not None or "." in name):
        return None
    return program.imported(name)


def float_parts(
    program: PythonProgram, sizes: ast.expr | None, scope: Scope, full: FullName = imported_name
) -> Iterator[ast.expr]:
    """Those of the sizes of a grid or block that are floats."""
    if sizes is None:
        return
    whole, where = program.resolved(sizes, scope)
    for part in whole.elts if isinstance(whole, (ast.Tuple, ast.List)) else [whole]:
        if is_float(program, part, where, full):
            yield part


def float_extents(
    program: PythonProgram, extents: Iterable[tuple[str, ast.expr | None]], scope: Scope, path: str, kernel: str
) -> Iterator[Remark]:
    """Remarks on sizes that are floats, in grids and blocks of a kernel, each with the word for what it is."""
    for word, sizes in extents:
        for part in float_parts(program, sizes, scope):
            yield Remark("float-extent", Span(path, program.start(part), program.end(part)), kernel, (word,))


def is_float(program: PythonProgram, expr: ast.expr, scope: Scope, full: FullName, depth: int = 0) -> bool:
    """Whether an expression of sizes is a float whatever the sizes are."""
    if depth > DEPTH:
        return False
    expr, scope = program.resolved(expr, scope)
    returned = program.returned(expr, scope)
    if returned is not None:
        return is_float(program, *returned, full, depth + 1)
    if isinstance(expr, ast.Constant):
        return isinstance(expr.value, float)
    if isinstance(expr, ast.BinOp):
        if isinstance(expr.op, ast.Div):
            return _plain(program, expr.left, scope, full) and _plain(program, expr.right, scope, full)
        if isinstance(expr.op, (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)):
            return any(is_float(program, side, scope, full, depth + 1) for side in (expr.left, expr.right))
        return False
    if isinstance(expr, ast.Call) and len(expr.args) == 1:
        return full(program, expr.func, scope) in _FLOATING
    return False


def _plain(program: PythonProgram, expr: ast.expr, scope: Scope, full: FullName) -> bool:
    """Whether an operand of a division may be a number only, no object with a division of its own (a path)."""
    expr, scope = program.resolved(expr, scope)
    if isinstance(expr, ast.Constant):
        return isinstance(expr.value, (int, float))
    return not isinstance(expr, ast.Call) or full(program, expr.func, scope) is not None
