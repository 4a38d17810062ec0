"""Of what type the elements of an array in a Python program are, however the array came about.

:mod:`buffers` knows arrays whose shape is in sight.  Here only the type is asked for: through functions that keep it,
slices and views, what the functions of the file are called with, members, and buffers that are copied from or to arrays
of the host.  The types are those that NumPy's documentation gives where none is stated (``int64`` for integers: that of
every platform but old versions of Windows).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from kernlint.apis.python_numbers import WIDTHS
from kernlint.frontends.clang.python.buffers import LIBRARIES, Buffers
from kernlint.frontends.clang.python.program import PythonProgram, Scope, dotted

DEPTH = 12
"""Expressions and names that are followed one after the other."""

_KEPT = frozenset(
    {
        "copy", "reshape", "ravel", "flatten", "transpose", "squeeze", "swapaxes", "repeat", "take", "clip", "get",
        "ascontiguousarray", "asfortranarray", "asarray", "asanyarray", "array", "require", "to_gpu", "to_gpu_async",
        "to_device", "In", "Out", "InOut", "sort", "unique", "flip", "roll", "tile", "broadcast_to", "expand_dims",
        "zeros_like", "ones_like", "empty_like", "full_like", "abs", "square", "diff", "negative", "pad", "asnumpy",
        "set",
    }
)  # fmt: skip
"""Methods and functions whose result has elements like the array that they are given first."""

_INDICES = frozenset(
    {"argsort", "argmax", "argmin", "argwhere", "flatnonzero", "searchsorted", "bincount", "lexsort", "argpartition",
     "digitize", "nonzero"}
)  # fmt: skip
"""Functions of NumPy and CuPy, and methods, that give positions or counts: ``int64``."""

_FRACTIONS = frozenset(
    {"zeros", "ones", "empty", "linspace", "logspace", "eye", "identity", "rand", "randn", "random", "random_sample",
     "uniform", "normal", "standard_normal", "hanning", "hamming", "gamma", "exponential"}
)  # fmt: skip
"""Functions that make ``float64`` where no type is stated."""

_SHAPED = {"zeros": 1, "ones": 1, "empty": 1, "full": 2, "eye": 3, "identity": 1}
"""Where they take the type, by position."""

_SEVERAL = frozenset({"concatenate", "stack", "hstack", "vstack", "maximum", "minimum"})
_DRAWN = frozenset({"integers", "randint", "random_integers"})
_COPIED = {"memcpy_htod": 0, "memcpy_dtoh": 0, "memcpy_htod_async": 0, "memcpy_dtoh_async": 0, "enqueue_copy": 1}
"""Copies between host and device: where the two buffers stand, one behind the other."""


Seen = frozenset[tuple[int, str]]
"""Buffers, by scope and name, whose copies are being followed."""


def element_type(reader: Buffers, expr: ast.expr, scope: Scope, depth: int = 0, seen: Seen = frozenset()) -> str:
    """The type of an array's elements; empty where it is not known."""
    if depth > DEPTH:
        return ""
    key = expr, scope, depth, seen
    known = reader.types.get(key)
    if known is None:
        array = reader.array(expr, scope)
        known = array.dtype if array is not None else ""
        known = reader.types[key] = known or _Elements(reader, depth, seen).of(expr, scope)
    return known


def passed(program: PythonProgram, name: str, scope: Scope) -> Iterator[tuple[ast.expr, Scope]]:
    """What the calls in the file pass for a parameter of the function of ``scope``."""
    node = scope.node
    if not isinstance(node, ast.FunctionDef) or scope.parent is None:
        return
    names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
    if name not in names:
        return
    called, method = node.name, scope.parent.is_class
    if method and called == "__init__" and isinstance(scope.parent.node, ast.ClassDef):
        called = scope.parent.node.name
    if sum(isinstance(one.node, ast.FunctionDef) and one.node.name == called for one in program.scopes) > 1:
        return
    at = names.index(name) - (1 if method and names[0] in ("self", "cls") else 0)
    for other in program.calls:
        if other.name.rpartition(".")[2] != called or any(isinstance(arg, ast.Starred) for arg in other.node.args):
            continue
        given = next((key.value for key in other.node.keywords if key.arg == name), None)
        if given is None and 0 <= at < len(other.node.args):
            given = other.node.args[at]
        if given is not None:
            yield given, other.scope


class _Elements:
    def __init__(self, reader: Buffers, depth: int, seen: Seen) -> None:
        self.reader, self.program, self.depth, self.seen = reader, reader.program, depth, seen

    def of(self, expr: ast.expr, scope: Scope) -> str:
        name = dotted(expr)
        if name is not None:
            return self._named(expr, name, scope)
        if isinstance(expr, ast.Attribute):
            return self._inner(expr.value, scope) if expr.attr in ("T", "data", "gpudata", "ptr", "flat") else ""
        if isinstance(expr, ast.Subscript):
            if isinstance(expr.value, ast.Call) and (dotted(expr.value.func) or "").rpartition(".")[2] == "unique":
                return self._unique(expr.value, expr.slice, scope)
            return self._inner(expr.value, scope)
        if isinstance(expr, ast.BinOp):
            return self._joined(expr, scope)
        return self._made(expr, scope) if isinstance(expr, ast.Call) else ""

    def _inner(self, expr: ast.expr, scope: Scope) -> str:
        return element_type(self.reader, expr, scope, self.depth + 1, self.seen)

    def _agreed(self, found: Iterable[str]) -> str:
        """The type that all agree on; what is not known has no say."""
        known = {one for one in found if one}
        return known.pop() if len(known) == 1 else ""

    # names

    def _named(self, expr: ast.expr, name: str, scope: Scope) -> str:
        holder = scope.holder(name)
        if holder is None:
            owner, dot, last = name.rpartition(".")
            inside = dot and last in ("T", "data", "gpudata", "ptr", "flat") and isinstance(expr, ast.Attribute)
            return self._inner(expr.value, scope) if inside and isinstance(expr, ast.Attribute) and owner else ""
        bound = holder.bound[name]
        if bound == [None]:
            return self._agreed(self._inner(*one) for one in passed(self.program, name, holder))
        if any(one is None for one in bound):
            return ""
        types = [self._inner(*one) for one in bound if one is not None]
        if all(types):
            return self._agreed(types)
        return self._agreed(self._copied(name, holder)) if not any(types) else ""

    def _copied(self, name: str, holder: Scope) -> Iterator[str]:
        """The types of the arrays that a buffer is copied from or to."""
        if (id(holder), name) in self.seen:
            return
        self.seen |= {(id(holder), name)}
        asked: set[str | None] = {name}
        for called in self.program.calls:
            first = _COPIED.get(called.name.rpartition(".")[2])
            if first is None or len(called.node.args) < first + 2 or called.scope.holder(name) is not holder:
                continue
            two = called.node.args[first : first + 2]
            for mine, other in (two, two[::-1]):
                if dotted(mine) == name and (dotted(other) is None or dotted(other) not in asked):
                    asked.add(dotted(other))
                    yield self._inner(other, called.scope)

    # what makes arrays

    def _made(self, expr: ast.Call, scope: Scope) -> str:
        full = self.program.imported(dotted(expr.func) or "", scope)
        last = full.rpartition(".")[2] or (expr.func.attr if isinstance(expr.func, ast.Attribute) else "")
        stated = next((key.value for key in expr.keywords if key.arg == "dtype"), None)
        library = full.partition(".")[0] in LIBRARIES
        if not library:
            return self._method(expr, last, stated, scope)
        if last == "Buffer":
            given = next((key.value for key in expr.keywords if key.arg == "hostbuf"), None)
            return self._inner(given, scope) if given is not None else ""
        args = expr.args[1:] if full.startswith("pyopencl") else expr.args
        at = _SHAPED.get(last)
        if stated is None and at is not None and len(args) > at:
            stated = args[at]
        if stated is not None:
            return self.reader.dtype(stated, scope)
        if last in _FRACTIONS:
            return "float64" if full.partition(".")[0] in ("numpy", "cupy") else ""
        if last in _INDICES or (last in _DRAWN and ".random." in full):
            return "int64"
        if last == "where" and len(args) == 1:  # the positions of what holds, as of `nonzero`
            return "int64"
        if last == "where" and len(args) == 3:
            return self._agreed(self._inner(arg, scope) for arg in args[1:])
        if last in _SEVERAL and args:
            parts = args[0].elts if isinstance(args[0], (ast.List, ast.Tuple)) else args
            types = [self._inner(part, scope) for part in parts]
            return self._agreed(types) if all(types) else ""
        if last in ("array", "asarray") and args and isinstance(args[0], (ast.List, ast.Tuple)):
            return _listed(args[0])
        return self._inner(args[0], scope) if last in _KEPT and args else ""

    def _unique(self, call: ast.Call, at: ast.expr, scope: Scope) -> str:
        """The type of what ``unique`` gives: the elements, and behind them positions and counts as they are asked for
        (without such a request a subscript is one of an element)."""
        asked = any((key.arg or "").startswith("return_") for key in call.keywords)
        index = at.value if isinstance(at, ast.Constant) else None
        if asked and index != 0:
            return "int64" if isinstance(index, int) else ""
        return self._inner(call.args[0], scope) if call.args else ""

    def _method(self, expr: ast.Call, name: str, stated: ast.expr | None, scope: Scope) -> str:
        if not isinstance(expr.func, ast.Attribute):
            found = self.program.returned(expr, scope)
            return self._inner(*found) if found is not None else ""
        owner = expr.func.value
        if name in ("astype", "view") and expr.args:
            return self.reader.dtype(expr.args[0], scope)
        if name in _INDICES:
            return "int64"
        made, _ = self.program.resolved(owner, scope)
        drawn = isinstance(made, ast.Call) and (dotted(made.func) or "").rpartition(".")[2] in (
            "default_rng",
            "RandomState",
        )
        if drawn and (name in _DRAWN or name in _FRACTIONS):
            if stated is not None:
                return self.reader.dtype(stated, scope)
            return "int64" if name in _DRAWN else "float64"
        return self._inner(owner, scope) if name in _KEPT else ""

    def _joined(self, expr: ast.BinOp, scope: Scope) -> str:
        """The type of ``a + b``, of two arrays of one type or of an array of floats and a number."""
        if not isinstance(expr.op, (ast.Add, ast.Sub, ast.Mult, ast.Mod, ast.FloorDiv, ast.Div, ast.BitOr)):
            return ""
        sides = [side for side in (expr.left, expr.right) if not isinstance(side, ast.Constant)]
        types = [self._inner(side, scope) for side in sides]
        found = self._agreed(types) if types and all(types) else ""
        plain = len(sides) == 2 or "float" in found or isinstance(expr.op, (ast.Add, ast.Sub, ast.Mult))
        whole = "int" in found and (isinstance(expr.op, ast.Div) or _fraction(expr.left) or _fraction(expr.right))
        return "float64" if whole and WIDTHS[found] > 2 else found if plain else ""


def _fraction(expr: ast.expr) -> bool:
    return isinstance(expr, ast.Constant) and isinstance(expr.value, float)


def _listed(expr: ast.expr) -> str:
    """The type of an array that is made of a list of numbers as they are written."""
    values = [at for at in ast.walk(expr) if isinstance(at, ast.expr) and not isinstance(at, (ast.List, ast.Tuple))]
    values = [at for at in values if not isinstance(at, ast.UnaryOp)]
    if not values or not all(isinstance(at, ast.Constant) and type(at.value) in (int, float) for at in values):
        return ""
    return "float64" if any(map(_fraction, values)) else "int64"
