"""Names: variables of the function, what it takes from around it, attributes, and the quantities of the launch."""

from __future__ import annotations

import ast

from kernlint.frontends.clang.python.program import Scope
from kernlint.frontends.clang.python.program import arguments as arguments_of
from kernlint.frontends.python import arrays
from kernlint.frontends.python.constants import HostArray
from kernlint.frontends.python.context import Function, integer, literal
from kernlint.frontends.python.functions import Jitted, full_name
from kernlint.frontends.python.values import (
    COMPLEX64,
    COMPLEX128,
    ArrayValue,
    Callee,
    Group,
    Host,
    Named,
    TupleValue,
    Value,
)
from kernlint.tree.nodes import Call, Expr, IntLit, LaunchValue, Member, ParamDecl, Quantity, Ref
from kernlint.tree.types import I32, I64, UNKNOWN, FloatType, IntType, Space, StructType, VectorType

_INDICES = {
    "threadIdx": Quantity.THREAD_ID,
    "blockIdx": Quantity.BLOCK_ID,
    "blockDim": Quantity.BLOCK_DIM,
    "gridDim": Quantity.GRID_DIM,
}
HOME = "numba.cuda."


def lookup(f: Function, name: str, node: ast.expr) -> Value:
    """What a name stands for in a kernel."""
    if name in f.env:
        return f.env[name]
    if name in f.decls:
        decl = f.decls[name]
        return Ref(f.span(node), decl.type, decl)
    if name in f.known.types:  # assigned further down
        decl = f.variable(name, node, f.known.types[name])
        return Ref(f.span(node), decl.type, decl)
    if name in f.known.assigned:
        return f.opaque(node, f"the value of {name}")
    function = f.lowering.finder.named(name, f.scope)
    if function is not None:
        return Callee(function)
    found = f.lowering.constants.of(node, f.scope)
    if found is not None:
        from kernlint.frontends.python.expressions import from_host

        return from_host(f, found, node)
    path = full_name(f.lowering.program, node, f.scope)
    if path is not None:
        return launch_value(f, path, node) or Named(path)
    return _of_factory(f, name, node) or _free(f, name, node)


def _of_factory(f: Function, name: str, node: ast.expr) -> Value | None:
    """What a parameter of the function around the kernel is where all its calls in the file give it the same."""
    holder = f.scope.holder(name)
    maker = holder.node if holder is not None else None
    if holder is None or not isinstance(maker, ast.FunctionDef) or holder.bound[name] != [None]:
        return None
    parameters = maker.args
    names = [each.arg for each in (*parameters.posonlyargs, *parameters.args)]
    if name not in names or parameters.vararg is not None:
        return None
    usual = dict(zip(reversed(names), reversed(parameters.defaults), strict=False))
    given: list[object] = []
    for call in f.lowering.program.calls:
        if call.name == maker.name and call.scope is not f.scope:
            arguments = arguments_of(call.node, tuple(names))
            argument = None if arguments is None else arguments.get(name, usual.get(name))
            if argument is None:
                return None
            function = f.lowering.finder.named(argument.id, call.scope) if isinstance(argument, ast.Name) else None
            given.append(function if function is not None else f.lowering.constants.of(argument, call.scope))
    first = given[0] if given else None
    if first is None or any(type(one) is not type(first) or one != first for one in given):
        return None
    if isinstance(first, Jitted):
        return Callee(first)
    from kernlint.frontends.python.expressions import from_host

    return from_host(f, first, node)


def _free(f: Function, name: str, node: ast.expr) -> Value:
    """A name from around the kernel whose value the text does not say: one and the same for all threads."""
    holder: Scope | None = f.scope.holder(name)
    if holder is None:
        return Named(name)
    if any(isinstance(s.node, (ast.FunctionDef, ast.ClassDef)) and s.node.name == name for s in _scopes(f)):
        return Named(name)
    bound = holder.bound[name]
    plain = [one for one in bound if one is not None]
    if len(bound) == 1 and plain and isinstance(plain[0][0], (ast.Constant, ast.JoinedStr)):
        return Host(plain[0][0])
    return symbol(f, (id(holder), name), name, node)


def symbol(f: Function, key: tuple[int, str], name: str, node: ast.AST) -> Expr:
    """A number that is one and the same for all threads, whatever it is."""
    found = f.lowering.symbols.get(key)
    if found is None:
        found = ParamDecl(f.span(node), name, I64, Space.PRIVATE, is_template=True, index=-1)
        f.lowering.symbols[key] = found
    f.low.setdefault(found, 0)
    return Ref(f.span(node), I64, found)


def is_open(value: Value) -> bool:
    """Whether a value is a name from around the kernel that the text does not say."""
    return isinstance(value, Ref) and isinstance(value.decl, ParamDecl) and value.decl.is_template


def _scopes(f: Function) -> list[Scope]:
    return f.lowering.program.scopes


# ----------------------------------------------------------------------------------------------- launch quantities


def launch_value(f: Function, path: str, node: ast.AST) -> Value | None:
    """``cuda.threadIdx.x`` and its like; None for other names."""
    if not path.startswith(HOME):
        return None
    span = f.span(node)
    name, _, axis = path[len(HOME) :].partition(".")
    if name in _INDICES and axis in ("x", "y", "z"):
        return LaunchValue(span, I32, _INDICES[name], "xyz".index(axis))
    if name in _INDICES and not axis:
        return TupleValue(tuple(LaunchValue(span, I32, _INDICES[name], at) for at in range(3)))
    if name == "laneid" and not axis:
        return LaunchValue(span, I32, Quantity.LANE_ID)
    if name == "warpsize" and not axis:
        return IntLit(span, I32, 32) if not f.jitted.hip else LaunchValue(span, I32, Quantity.WARP_SIZE)
    return None


def grid_index(f: Function, axis: int, node: ast.AST) -> Expr:
    """``cuda.grid(1)`` along an axis."""
    span = f.span(node)
    parts = [LaunchValue(span, I32, what, axis) for what in (Quantity.BLOCK_ID, Quantity.BLOCK_DIM, Quantity.THREAD_ID)]
    return integer("+", integer("*", parts[0], parts[1], span), parts[2], span)


def grid_size(f: Function, axis: int, node: ast.AST) -> Expr:
    """``cuda.gridsize(1)`` along an axis."""
    span = f.span(node)
    dim, threads = (LaunchValue(span, I32, what, axis) for what in (Quantity.GRID_DIM, Quantity.BLOCK_DIM))
    return integer("*", dim, threads, span)


# ------------------------------------------------------------------------------------------------------- attributes


def attribute_of(f: Function, base: Value, node: ast.Attribute) -> Value:
    """``base.attribute``."""
    name = node.attr
    if isinstance(base, ArrayValue):
        return _of_array(f, base, node)
    if isinstance(base, TupleValue) and name in ("x", "y", "z") and len(base.items) == 3:
        return base.items["xyz".index(name)]
    if isinstance(base, Named):
        path = f"{base.path}.{name}"
        return launch_value(f, path, node) or Named(path)
    if isinstance(base, Host):
        if isinstance(base.value, HostArray):
            return _of_host_array(f, base.value, node)
        found = f.lowering.constants.of(node, f.scope)
        return Host(node, found)
    if isinstance(base, Group):
        return Group(f"{base.kind}.{name}")
    if isinstance(base, Expr):
        return _of_scalar(f, base, node)
    return f.opaque(node, f"the attribute {name}")


def _of_scalar(f: Function, base: Expr, node: ast.Attribute) -> Value:
    name, type_ = node.attr, base.type
    if type_ in (COMPLEX64, COMPLEX128) and name in ("real", "imag"):
        assert isinstance(type_, StructType)
        return Member(f.span(node), type_.fields[0].type, base, name, False)
    if isinstance(type_, (IntType, FloatType)) and name in ("real", "imag"):
        return base if name == "real" else literal(f.span(node), 0)
    if isinstance(type_, StructType):
        return arrays.member(f, base, name, node)
    if isinstance(type_, VectorType) and name in ("x", "y", "z", "w"):
        return Member(f.span(node), type_.element, base, name, False, ("xyzw".index(name),))
    return Call(f.span(node), UNKNOWN, f".{name}", None, (base,), pure_math=True)


def _of_array(f: Function, base: ArrayValue, node: ast.Attribute) -> Value:
    name, span = node.attr, f.span(node)
    if name == "shape":
        return TupleValue(base.shape)
    if name == "size":
        out: Expr = literal(span, 1)
        for extent in base.shape:
            out = integer("*", out, extent, span)
        return out
    if name == "ndim":
        return literal(span, base.rank)
    if name == "itemsize" and base.element.size:
        return literal(span, base.element.size)
    if name == "nbytes" and base.element.size:
        size = attribute_of(f, base, ast.copy_location(ast.Attribute(node.value, "size", ast.Load()), node))
        return integer("*", size, literal(span, base.element.size), span) if isinstance(size, Expr) else size
    if name == "T":
        return arrays.transposed(base)
    if name == "dtype":
        return Host(node, base.element)
    if name == "strides":
        width = literal(span, base.element.size or 8)
        return TupleValue(tuple(integer("*", s, width, span) for s in arrays.strides_of(base)))
    if name in ("real", "imag"):
        found = arrays.part(f, base, name, node)
        return found if found is not None else f.opaque(node, f"the {name} parts of an array")
    if name == "flat":
        return arrays.flattened(f, base, node)
    if isinstance(base.element, StructType) and base.element.field(name) is not None:
        found = arrays.part(f, base, name, node)
        return found if found is not None else f.opaque(node, f"all the fields {name} of an array")
    return Host(node, (base, name))  # a method


def _of_host_array(f: Function, base: HostArray, node: ast.Attribute) -> Value:
    span = f.span(node)
    if node.attr == "shape" and None not in base.shape:
        return TupleValue(tuple(literal(span, n or 0) for n in base.shape))
    if node.attr == "size" and None not in base.shape:
        total = 1
        for n in base.shape:
            total *= n or 0
        return literal(span, total)
    if node.attr == "dtype":
        return Host(node, base.element)
    return Host(node, (base, node.attr))
