"""Calls: what numba's GPU target gives a meaning, functions of mathematics, and other functions of the file."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

from kernlint.frontends.clang.python.program import dotted
from kernlint.frontends.python import arrays
from kernlint.frontends.python.constants import HostArray
from kernlint.frontends.python.context import Function, converted, integer, literal, truth
from kernlint.frontends.python.functions import ALLOCATING, full_name
from kernlint.frontends.python.intrinsics import INTRINSICS
from kernlint.frontends.python.mathematics import mathematical
from kernlint.frontends.python.values import (
    COMPLEX64,
    COMPLEX128,
    SCALARS,
    ArrayValue,
    Callee,
    Group,
    Host,
    Named,
    Rest,
    TupleValue,
    Value,
    unified,
)
from kernlint.tree.nodes import Barrier, Call, Expr, FloatLit, IntLit, LaunchValue, Opaque, Quantity, Scope, StringLit
from kernlint.tree.types import BOOL, F32, I32, I64, UNKNOWN, VOID, FloatType, IntType, Space, Type

Values = list[Value]


def call(f: Function, node: ast.Call) -> Value:
    """The value of a call; what it does becomes a node of the tree."""
    from kernlint.frontends.python.expressions import value

    path = _path(f, node.func)
    if path == "numba.cuda.const.array_like" and node.args:
        return _constant(f, node, value(f, node.args[0]))
    target = Named(path) if path is not None else value(f, node.func)
    if isinstance(target, Named) and isinstance(node.func, ast.Attribute):
        other = f.lowering.finder.foreign(dotted(node.func) or "")
        target = Callee(other) if other is not None else target
    if isinstance(target, Named) and target.path in ("print", "numba.cuda.print"):
        return Call(f.span(node), VOID, "printf", None, _printed(f, node), pure_math=False)
    args = _given(f, node)
    if args is None:
        return f.opaque(node, "a call with a star")
    keys = {key.arg: value(f, key.value) for key in node.keywords if key.arg is not None}
    if isinstance(target, Named):
        return _named(f, target.path, args, keys, node)
    if isinstance(target, Callee):
        return _device(f, target, args, keys, node)
    if isinstance(target, Group):
        return _group(f, target, args, node)
    if isinstance(target, Host) and isinstance(target.value, tuple) and target.value:
        return _method(f, target.value, args, node)
    if isinstance(target, Host):
        kind = target.value
        if isinstance(kind, Type) and len(args) == 1:
            return cast(f, kind, args[0], node)
    return _unresolved(f, ast.unparse(node.func)[:40], args, node)


def _given(f: Function, node: ast.Call) -> Values | None:
    """What a call passes by place; None where a star stands for what is not in sight."""
    from kernlint.frontends.python.expressions import value

    if any(key.arg is None for key in node.keywords):
        return None
    out: Values = []
    for at, arg in enumerate(node.args):
        found = value(f, arg.value if isinstance(arg, ast.Starred) else arg)
        if not isinstance(arg, ast.Starred):
            out.append(found)
        elif isinstance(found, TupleValue):
            out.extend(found.items)
        elif isinstance(found, Rest) and at + 1 == len(node.args):
            out.append(found)
        else:
            return None
    return out


def _path(f: Function, node: ast.expr) -> str | None:
    first = node
    while isinstance(first, ast.Attribute):
        first = first.value
    if isinstance(first, ast.Name) and (first.id in f.env or first.id in f.decls or first.id in f.known.assigned):
        return None
    if isinstance(first, ast.Name) and f.lowering.finder.named(first.id, f.scope) is not None:
        return None
    return full_name(f.lowering.program, node, f.scope)


def _printed(f: Function, node: ast.Call) -> tuple[Expr, ...]:
    from kernlint.frontends.python.expressions import value

    out: list[Expr] = []
    for arg in node.args:
        if isinstance(arg, ast.JoinedStr):
            continue
        found = value(f, arg)
        if isinstance(found, Expr):
            out.append(found)
        elif isinstance(found, Host) and isinstance(found.value, str):
            out.append(StringLit(f.span(arg), UNKNOWN, found.value))
    return tuple(out)


def _named(f: Function, path: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value:
    if path.startswith("numba.cuda."):
        name = path[len("numba.cuda.") :]
        found = INTRINSICS.get(name)
        if found is not None:
            made = found(f, name, args, keys, node)
            if made is not None:
                return made
            return f.opaque(node, f"cuda.{name} with these arguments", kind="call")
        if name.startswith("libdevice."):
            return _libdevice(f, name.rpartition(".")[2], args, node)
    last = path.rpartition(".")[2]
    if last in SCALARS and path.partition(".")[0] in ("numpy", "numba", "int", "float", "bool", "complex", "cupy"):
        return _scalar_type(f, SCALARS[last], args, node)
    found_math = mathematical(f, path, args, keys, node)
    if found_math is not None:
        return found_math
    if path.startswith("numpy.") and last in ALLOCATING:
        allowed = b"ENABLE_NRT" in f.lowering.program.data  # numba-cuda's setting for memory that kernels allocate
        return f.opaque(node, f"{path}() makes an array", kind="call" if allowed else "unsupported")
    if path.startswith(_HOSTS_ALONE) or path in _PRODUCTS:
        return f.opaque(node, f"{path}()", kind="unsupported")
    return _unresolved(f, path, args, node)


_PRODUCTS = frozenset({"numpy.dot", "numpy.vdot", "numpy.matmul", "numpy.outer", "numpy.inner", "numpy.cross"})
_HOSTS_ALONE = ("numpy.linalg.", "numpy.random.", "random.")
"""What rests on libraries of the host; random numbers on the GPU are ``numba.cuda.random``'s."""


def _scalar_type(f: Function, type_: Type, args: Values, node: ast.Call) -> Value:
    if not args:
        return converted(literal(f.span(node), 0), type_)
    if type_ in (COMPLEX64, COMPLEX128) and all(isinstance(arg, Expr) for arg in args):
        parts = [arg for arg in args if isinstance(arg, Expr)]
        half = F32 if type_ == COMPLEX64 else FloatType(64)
        items = [converted(part, half) for part in parts] if len(parts) == 2 else parts
        return Call(f.span(node), type_, "complex", None, tuple(items), pure_math=True)
    return cast(f, type_, args[0], node)


def cast(f: Function, type_: Type, arg: Value, node: ast.AST) -> Value:
    """``int32(x)``."""
    if not isinstance(arg, Expr):
        if isinstance(arg, Host) and isinstance(arg.value, str) and isinstance(type_, FloatType):
            return FloatLit(f.span(node), type_, math.inf if "inf" in arg.value else math.nan)
        return Opaque(f.span(node), type_, "a conversion of what only the host has")
    if not isinstance(arg.type, (IntType, FloatType)) or not isinstance(type_, (IntType, FloatType)):
        return Call(f.span(node), type_, "convert", None, (arg,), pure_math=True)
    if type_ == BOOL:
        return truth(arg)
    if isinstance(arg, IntLit):
        return converted(arg, type_)
    from kernlint.tree.nodes import Cast

    return arg if arg.type == type_ else Cast(f.span(node), type_, arg, True)


def _unresolved(f: Function, name: str, args: Values, node: ast.Call) -> Value:
    """A function that is not in sight: of scalars alone it is taken to be pure; what arrays it gets it may write."""
    scalars: list[Expr] = []
    for arg in args:
        if isinstance(arg, ArrayValue):
            scalars.append(arrays.pointer_to(arg))
        elif isinstance(arg, Rest):
            scalars.append(arg.base)
        elif isinstance(arg, Expr):
            scalars.append(arg)
    kind = unified(None, scalars[0].type) if scalars and isinstance(scalars[0].type, (IntType, FloatType)) else UNKNOWN
    return Call(f.span(node), kind, name, None, tuple(scalars))


_TWO_RESULTS = frozenset({"sincos", "sincospi", "frexp", "modf", "remquo"})
"""Functions of libdevice that return two numbers."""


def _libdevice(f: Function, name: str, args: Values, node: ast.Call) -> Value:
    parts = tuple(arg for arg in args if isinstance(arg, Expr))
    kind: Type = F32 if name.endswith("f") or name.startswith("fast_") else FloatType(64)
    if any(isinstance(arg.type, IntType) for arg in parts) and all(isinstance(arg.type, IntType) for arg in parts):
        kind = I32
    if name.rstrip("f") in _TWO_RESULTS:
        second = I32 if name.startswith(("frexp", "remquo")) else kind
        results = ((kind, f"{name} first"), (second, f"{name} second"))
        return TupleValue(tuple(Call(f.span(node), t, word, None, parts, pure_math=True) for t, word in results))
    return Call(f.span(node), kind, name, None, parts, pure_math=True)


# ------------------------------------------------------------------------------------------------ functions of the file


def _device(f: Function, target: Callee, args: Values, keys: dict[str, Value], node: ast.Call) -> Value:
    """A call of a device function: made for the types of these arguments."""
    names = target.function.parameters
    star = target.function.node.args.vararg
    given: list[Value] = list(args if star is None else args[: len(names)])
    more: list[Value] = [] if star is None else list(args[len(names) :])
    for name in names[len(args) :]:
        if name in keys:
            given.append(keys[name])
        else:
            default = _default(f, target, name)
            if default is None:
                break
            given.append(default)
    unsure = any(isinstance(one, Rest) for one in (*given, *more[:-1])) or (
        len(more) > 1 and isinstance(more[-1], Rest)
    )
    if len(given) != len(names) or unsure:
        return f.opaque(node, f"{target.function.name} is called with other arguments than it has", kind="call")
    if star is not None:
        given.append(more[0] if more and isinstance(more[0], Rest) else TupleValue(tuple(more)))
    function, passed, result = f.lowering.device(target.function, tuple(given), f.span(node))
    if function is None:
        return f.opaque(node, f"{target.function.name} could not be followed", result, kind="call")
    made = Call(f.span(node), result, target.function.name, function, passed)
    from kernlint.frontends.python.tuples import unpacked

    return unpacked(f, made, node)


def _default(f: Function, target: Callee, name: str) -> Value | None:
    own = target.function.node.args
    positional = [arg.arg for arg in (*own.posonlyargs, *own.args)]
    found: ast.expr | None = None
    if name in positional:
        at = positional.index(name) - len(positional) + len(own.defaults)
        found = own.defaults[at] if at >= 0 else None
    from kernlint.frontends.python.expressions import value

    return value(f, found) if found is not None else None


# ------------------------------------------------------------------------------------------------- groups, methods


_GROUP_SCOPES = {"grid": Scope.GRID, "block": Scope.BLOCK}


def _group(f: Function, target: Group, args: Values, node: ast.Call) -> Value:
    """A method of a cooperative group."""
    kind, _, method = target.kind.partition(".")
    scope = _GROUP_SCOPES.get(kind)
    span = f.span(node)
    if method == "sync" and scope is not None:
        return Barrier(span, VOID, scope, frozenset({Space.GLOBAL, Space.SHARED}), f"{kind}.sync")
    if method in ("thread_rank", "size") and kind == "grid":
        what = Quantity.LINEAR_GLOBAL_ID if method == "thread_rank" else Quantity.GRID_THREADS
        return LaunchValue(span, I64, what)
    return f.opaque(node, f"{method} of a group", kind="call")


def _constant(f: Function, node: ast.Call, found: Value) -> Value:
    """``cuda.const.array_like(array)``."""
    if isinstance(found, Host) and isinstance(found.value, HostArray):
        return arrays.captured(f, found.value, ast.unparse(node.args[0])[:40], node, node.args[0])
    if isinstance(found, ArrayValue):
        return found
    rank = f.lowering.rank(f.jitted, f.naming) if f.naming else 1
    return arrays.from_around(f, Named(ast.unparse(node.args[0])[:40]), rank or 1, node)


def _method(f: Function, target: tuple[object, ...], args: Values, node: ast.Call) -> Value:
    """A method of an array."""
    base, name = target
    span = f.span(node)
    if isinstance(base, ArrayValue):
        if name in ("ravel", "flatten"):
            return arrays.flattened(f, base, node)
        if name == "transpose" and not args:
            return arrays.transposed(base)
        if name == "reshape" and args:
            shape = arrays.shape_of(f, args[0] if len(args) == 1 else TupleValue(tuple(args)), node)
            if shape is not None:
                return arrays.reshaped(f, base, shape, node)
        if name == "item" and base.rank == 0:
            return arrays.element(f, base, (), node)
        if name == "view" and len(args) == 1 and base.rank == 1:
            return _viewed(f, base, args[0], node)
    return Opaque(span, UNKNOWN, f"the method {name} of an array") if _note(f, name, node) else literal(span, 0)


def _note(f: Function, name: object, node: ast.Call) -> bool:
    f.lose("call", f"the method {name} of an array", node)
    return True


def _viewed(f: Function, base: ArrayValue, wanted: Value, node: ast.Call) -> Value:
    """``array.view(type)``: the same bytes as elements of another type."""
    from kernlint.tree.nodes import Cast
    from kernlint.tree.types import PointerType

    kind = SCALARS.get(wanted.path.rpartition(".")[2]) if isinstance(wanted, Named) else None
    if isinstance(wanted, Host) and isinstance(wanted.value, Type):
        kind = wanted.value
    if kind is None or not kind.size or not base.element.size:
        return f.opaque(node, "an array seen as another type")
    span = f.span(node)
    count = integer("/", integer("*", base.shape[0], literal(span, base.element.size), span), literal(span, kind.size))
    pointer = Cast(span, PointerType(kind, base.space), arrays.pointer_to(base), True)
    return ArrayValue(pointer, kind, (count,), base.space)


Maker = Callable[[Function, str, Values, dict[str, Value], ast.Call], "Value | None"]
