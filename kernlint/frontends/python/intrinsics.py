"""What ``numba.cuda`` has for kernels, by name: arrays, barriers, votes, shuffles, atomics, fences, bit functions.

Numbers and meanings are those of numba-cuda's documentation ("Memory management", "Synchronization and Thread
Communication", "Supported Atomic Operations").
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from kernlint.frontends.python import arrays
from kernlint.frontends.python.context import Function, converted, literal
from kernlint.frontends.python.names import grid_index, grid_size, is_open
from kernlint.frontends.python.values import SCALARS, ArrayValue, Group, Host, Named, TupleValue, Value
from kernlint.tree.nodes import (
    AddressOf,
    Assign,
    Atomic,
    Barrier,
    Binary,
    Call,
    Conditional,
    Expr,
    ExprStmt,
    Fence,
    IntLit,
    LaunchValue,
    Opaque,
    ParamDecl,
    Ref,
    Scope,
    Subscript,
    WarpOp,
)
from kernlint.tree.types import BOOL, F32, F64, I32, I64, U32, U64, UNKNOWN, VOID, IntType, Space, Type, VectorType
from kernlint.tree.walk import traverse

Values = list[Value]
Maker = Callable[[Function, str, Values, dict[str, Value], ast.Call], "Value | None"]

MEMORY = frozenset({Space.GLOBAL, Space.SHARED})
INTRINSICS: dict[str, Maker] = {}


def _makes(*names: str) -> Callable[[Maker], Maker]:
    def note(maker: Maker) -> Maker:
        for name in names:
            INTRINSICS[name] = maker
        return maker

    return note


def _scalars(values: Sequence[Value]) -> list[Expr] | None:
    out = [value for value in values if isinstance(value, Expr)]
    return out if len(out) == len(values) else None


# --------------------------------------------------------------------------------------------------------- indices


@_makes("grid", "gridsize")
def _grid(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    axes = args[0] if args else keys.get("ndim")
    if not isinstance(axes, IntLit) or not 1 <= axes.value <= 3:
        return None
    make = grid_index if name == "grid" else grid_size
    parts = tuple(make(f, axis, node) for axis in range(axes.value))
    return parts[0] if axes.value == 1 else TupleValue(parts)


# ---------------------------------------------------------------------------------------------------------- arrays


def type_of(value: Value | None) -> Type | None:
    """The element type that an argument names."""
    if isinstance(value, Host):
        if isinstance(value.value, str):
            return SCALARS.get(value.value.lstrip("<=>|"))
        return value.value if isinstance(value.value, Type) else None
    if isinstance(value, Named):
        last = value.path.rpartition(".")[2]
        if last in SCALARS:
            return SCALARS[last]
        return vector_type(last)
    return None


def vector_type(name: str) -> Type | None:
    """``float32x4`` and ``float4``."""
    base, _, lanes = name.rpartition("x")
    if base in SCALARS and lanes in ("1", "2", "3", "4"):
        return VectorType(SCALARS[base], int(lanes))
    short = {"float": "float32", "double": "float64", "int": "int32", "uint": "uint32", "short": "int16"}
    if name[-1:] in "1234" and name[:-1] in short:
        return VectorType(SCALARS[short[name[:-1]]], int(name[-1]))
    return None


@_makes("shared.array", "local.array")
def _array(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    shape_value = args[0] if args else keys.get("shape")
    type_value = args[1] if len(args) > 1 else keys.get("dtype")
    if shape_value is None:
        return None
    shape = arrays.shape_of(f, shape_value, node)
    if shape is None:
        return None
    open_ = [extent for extent in shape if not fixed(extent)]
    if open_ and not f.jitted.device:  # numbers that are passed to a device function may be known
        f.remark("run-time-shape", node, "shared" if name == "shared.array" else "local")
    rank = f.lowering.rank(f.jitted, f.naming) if f.naming else 0
    if len(shape) == 1 and rank > 1 and is_open(shape_value):
        shape = [arrays.extent(f, f"{f.naming}.shape[{axis}]", node) for axis in range(rank)]
    element = type_of(type_value)
    if element is None:
        element = UNKNOWN
    space = Space.SHARED if name == "shared.array" else Space.PRIVATE
    return arrays.declared(f, f.naming or name.partition(".")[0], shape, element, space, node)


@_makes("shared_memory")
def _shared_memory(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    """``cupyx.jit.shared_memory(dtype, size)``; a size of None is what the launch gives."""
    dtype = args[0] if args else keys.get("dtype")
    size = args[1] if len(args) > 1 else keys.get("size", literal(f.span(node), 0))
    if isinstance(size, Host):
        size = literal(f.span(node), 0)
    if dtype is None:
        return None
    return _array(f, "shared.array", [size, dtype], {}, node)


def fixed(extent: Expr) -> bool:
    """Whether an extent may be known when the kernel is compiled: numbers and names from around the kernel."""
    for node in traverse(extent):
        if isinstance(node, (LaunchValue, Subscript)):
            return False
        if isinstance(node, Ref) and not (isinstance(node.decl, ParamDecl) and node.decl.is_template):
            return False
    return True


# ---------------------------------------------------------------------------------------------- barriers and fences


@_makes("syncthreads")
def _barrier(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    return Barrier(f.span(node), VOID, Scope.BLOCK, MEMORY, "cuda.syncthreads")


@_makes("syncthreads_and", "syncthreads_or", "syncthreads_count")
def _voting(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    found = _scalars(args)
    if not found:
        return None
    predicate = converted(found[0], I32)
    return Barrier(f.span(node), I32, Scope.BLOCK, MEMORY, f"cuda.{name}", predicate=predicate, args=(predicate,))


@_makes("syncwarp")
def _syncwarp(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    found = _scalars(args) or []
    mask = converted(found[0], U32) if found else None
    return Barrier(f.span(node), VOID, Scope.WARP, MEMORY, "cuda.syncwarp", mask=mask)


@_makes("threadfence", "threadfence_block", "threadfence_system")
def _fence(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    scope = {"threadfence": Scope.GRID, "threadfence_block": Scope.BLOCK}.get(name, Scope.SYSTEM)
    return Fence(f.span(node), VOID, scope, MEMORY, f"cuda.{name}")


@_makes("cg.this_grid")
def _this_grid(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    return Group("grid")


@_makes("nanosleep")
def _sleep(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    return Call(f.span(node), VOID, "nanosleep", None, tuple(_scalars(args) or ()), pure_math=True)


# ------------------------------------------------------------------------------------------------------------ warps


_SHUFFLES = {
    "shfl_sync": "shuffle",
    "shfl_up_sync": "shuffle_up",
    "shfl_down_sync": "shuffle_down",
    "shfl_xor_sync": "shuffle_xor",
}


@_makes(*_SHUFFLES)
def _shuffle(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    found = _scalars(args)
    if found is None or len(found) != 3:
        return None
    mask, value, lane = found
    operands = (value, converted(lane, I32))
    return WarpOp(f.span(node), value.type, _SHUFFLES[name], Scope.WARP, f"cuda.{name}", operands, converted(mask, U32))


_VOTES = {
    "all_sync": ("all", BOOL),
    "any_sync": ("any", BOOL),
    "ballot_sync": ("ballot", U32),
    "eq_sync": ("match", BOOL),
}


@_makes(*_VOTES, "match_any_sync")
def _vote(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    found = _scalars(args)
    if found is None or len(found) != 2:
        return None
    kind, type_ = _VOTES.get(name, ("match", U32))
    return WarpOp(f.span(node), type_, kind, Scope.WARP, f"cuda.{name}", (found[1],), converted(found[0], U32))


@_makes("match_all_sync")
def _match_all(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    """``(mask, predicate) = match_all_sync(mask, value)``."""
    found = _scalars(args)
    if found is None or len(found) != 2:
        return None
    mask = converted(found[0], U32)
    made = WarpOp(f.span(node), U32, "match", Scope.WARP, f"cuda.{name}", (found[1],), mask)
    lanes = f.temporary(node, U32, made)
    return TupleValue((lanes, Binary(f.span(node), BOOL, "!=", lanes, literal(f.span(node), 0, U32))))


@_makes("activemask", "lanemask_lt")
def _active(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    if name == "lanemask_lt":
        return Call(f.span(node), U32, name, None, (), pure_math=False)
    return WarpOp(f.span(node), U32, "activemask", Scope.WARP, "cuda.activemask", (), synchronising=False)


# ----------------------------------------------------------------------------------------------------------- atomics


_ATOMICS = {
    "add": "add", "sub": "sub", "and_": "and", "or_": "or", "xor": "xor", "inc": "inc", "dec": "dec",
    "exch": "exchange", "max": "max", "min": "min", "nanmax": "max", "nanmin": "min",
}  # fmt: skip


@_makes(*(f"atomic.{name}" for name in _ATOMICS))
def _atomic(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    """``cuda.atomic.add(array, index, value)``."""
    if len(args) != 3 or not isinstance(args[2], Expr):
        return None
    target = _target(f, args[0], args[1], node)
    if target is None:
        return None
    op = _ATOMICS[name.partition(".")[2]]
    operand = converted(args[2], target.type)
    pointer = AddressOf(f.span(node), _pointer(target, args[0]), target)
    return Atomic(f.span(node), target.type, op, pointer, (operand,), Scope.GRID, "relaxed", f"cuda.{name}")


@_makes("atomic.cas", "atomic.compare_and_swap")
def _swap(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    """``cas(array, index, old, value)``; ``compare_and_swap`` takes the first element."""
    wanted = [*args[:1], literal(f.span(node), 0), *args[1:]] if name.endswith("swap") else args
    if len(wanted) != 4:
        return None
    target = _target(f, wanted[0], wanted[1], node)
    rest = _scalars(wanted[2:])
    if target is None or rest is None:
        return None
    operands = tuple(converted(value, target.type) for value in rest)
    pointer = AddressOf(f.span(node), _pointer(target, wanted[0]), target)
    return Atomic(f.span(node), target.type, "cas", pointer, operands, Scope.GRID, "relaxed", f"cuda.{name}")


def _pointer(target: Expr, array: Value) -> Type:
    from kernlint.tree.types import PointerType

    return PointerType(target.type, array.space if isinstance(array, ArrayValue) else Space.GENERIC)


def _target(f: Function, array: Value, index: Value, node: ast.Call) -> Expr | None:
    if not isinstance(array, ArrayValue):
        return None
    wanted = index.items if isinstance(index, TupleValue) else (index,)
    if array.rank == 0:
        return arrays.element(f, array, (), node)
    found = arrays.subscript(f, array, list(wanted), node)
    return found if isinstance(found, Expr) and not isinstance(found, Opaque) else None


# -------------------------------------------------------------------------------------------------------- arithmetic


_BITS = {"popc": "popcount", "brev": "bitreverse", "clz": "clz", "ffs": "ffs"}


@_makes(*_BITS)
def _bits(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    found = _scalars(args)
    if not found or not isinstance(found[0].type, IntType):
        return None
    wide = found[0].type.bits > 32
    kind = (U64 if wide else U32) if name == "brev" else I32
    operand = converted(found[0], U64 if wide else U32)
    return Call(f.span(node), kind, _BITS[name], None, (operand,), pure_math=True)


@_makes("fma")
def _fma(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    found = _scalars(args)
    if found is None or len(found) != 3:
        return None
    kind = F32 if all(value.type == F32 for value in found) else F64
    return Call(f.span(node), kind, "fma", None, tuple(converted(v, kind) for v in found), pure_math=True)


@_makes("cbrt")
def _cbrt(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    found = _scalars(args)
    if not found:
        return None
    kind = F32 if found[0].type == F32 else F64
    return Call(f.span(node), kind, "cbrt", None, (converted(found[0], kind),), pure_math=True)


@_makes("selp")
def _select(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    found = _scalars(args)
    if found is None or len(found) != 3:
        return None
    from kernlint.frontends.python.context import truth

    return Conditional(f.span(node), found[1].type, truth(found[0]), found[1], converted(found[2], found[1].type))


_HALF = {
    "fp16.hadd": "+", "fp16.hsub": "-", "fp16.hmul": "*", "fp16.hdiv": "/", "fp16.hfma": "fma", "fp16.hneg": "-",
    "fp16.habs": "abs", "fp16.hsqrt": "sqrt", "fp16.hexp": "exp", "fp16.hlog": "log", "fp16.hsin": "sin",
    "fp16.hcos": "cos", "fp16.hmax": "max", "fp16.hmin": "min", "fp16.hrcp": "rcp", "fp16.hrsqrt": "rsqrt",
    "fp16.hceil": "ceil", "fp16.hfloor": "floor", "fp16.htrunc": "trunc", "fp16.hrint": "rint", "fp16.hexp2": "exp2",
    "fp16.hexp10": "exp10", "fp16.hlog2": "log2", "fp16.hlog10": "log10",
}  # fmt: skip


@_makes(*_HALF)
def _half(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    found = _scalars(args)
    return None if not found else Call(f.span(node), found[0].type, name, None, tuple(found), pure_math=True)


@_makes("fp16.heq", "fp16.hne", "fp16.hgt", "fp16.hge", "fp16.hlt", "fp16.hle")
def _half_test(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    found = _scalars(args)
    return None if not found else Call(f.span(node), BOOL, name, None, tuple(found), pure_math=True)


_DRAWN = {
    "random.xoroshiro128p_uniform_float32": F32, "random.xoroshiro128p_normal_float32": F32,
    "random.xoroshiro128p_uniform_float64": F64, "random.xoroshiro128p_normal_float64": F64,
    "random.xoroshiro128p_next": U64,
}  # fmt: skip


@_makes(*_DRAWN)
def _drawn(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    """A random number; the state that it is drawn from is read and written, by nobody else."""
    states, at = (*args, *keys.values())[:2] if len(args) + len(keys) == 2 else (None, None)
    if not isinstance(at, Expr) or not isinstance(states, ArrayValue) or states.rank != 1:
        return Call(f.span(node), _DRAWN[name], name, None, tuple(a for a in args if isinstance(a, Expr)))
    place = arrays.element(f, states, (at,), node)
    if f.before is not None:
        after = Call(f.span(node), place.type, "xoroshiro128p_next", None, (place,), pure_math=True)
        f.before.append(ExprStmt(f.span(node), Assign(f.span(node), place.type, "", place, after)))
    return Call(f.span(node), _DRAWN[name], name, None, (place,), pure_math=True)


def _vectors() -> None:
    names = [f"{base}x{lanes}" for base in SCALARS for lanes in (1, 2, 3, 4) if base[-1].isdigit()]
    short = [f"{base}{lanes}" for base in ("float", "double", "int", "uint", "short") for lanes in (1, 2, 3, 4)]
    for name in (*names, *short):
        INTRINSICS.setdefault(name, _vector)


def _vector(f: Function, name: str, args: Values, keys: dict[str, Value], node: ast.Call) -> Value | None:
    """``float32x4(x, y, z, w)``."""
    kind = vector_type(name)
    found = _scalars(args)
    if not isinstance(kind, VectorType) or found is None or len(found) != kind.lanes:
        return Opaque(f.span(node), kind or I64, "a vector put together of other vectors") if found else None
    return arrays.listed(f, [converted(part, kind.element) for part in found], kind, node)


_vectors()


def subscripted(expr: Expr) -> bool:
    """Whether an expression is an element of an array."""
    return isinstance(expr, Subscript)
