"""Atomic operations that are free functions; the methods of ``cuda::atomic`` are in :mod:`.objects`."""

from __future__ import annotations

from collections.abc import Callable

from kernlint.frontends.clang.intrinsics.base import (
    BOOL,
    CallContext,
    Handler,
    as_pointer,
    assign,
    deref,
    literal,
    sequence,
)
from kernlint.frontends.clang.intrinsics.orders import (
    CLANG_SCOPES,
    HIP_SCOPES,
    OPENCL_SCOPES,
    order_of,
    scope_of,
)
from kernlint.tree.nodes import Atomic, Binary, Expr, Scope
from kernlint.tree.types import I32, UNKNOWN, VOID, Type, VoidType

ScopeOf = Callable[[CallContext, "Expr | None"], Scope]


def object_type(ctx: CallContext, pointer: Expr) -> Type:
    """Type of the object that ``pointer`` points to; the call's own when the pointer does not tell."""
    found = as_pointer(pointer)
    if found and not isinstance(found[1].pointee, VoidType) and found[1].pointee != UNKNOWN:
        return found[1].pointee
    return UNKNOWN if isinstance(ctx.type, VoidType) else ctx.type


def atomic(
    ctx: CallContext, op: str, pointer: Expr, operands: tuple[Expr, ...], scope: Scope, order: str, type_: Type
) -> Atomic:
    """One atomic access, named after the call."""
    return Atomic(ctx.span, type_, op, pointer, operands, scope, order, ctx.name)


def compare_exchange(
    ctx: CallContext, pointer: Expr, expected: Expr, desired: Expr, scope: Scope, order: str, type_: Type
) -> Expr:
    """C11's compare-exchange: ``expected == (expected = cas(pointer, expected, desired))``, left to right.

    That is its meaning: storing the old value into ``expected`` changes nothing when the exchange succeeded, and the
    exchange succeeded when the old value is what was expected.
    """
    swap = atomic(ctx, "cas", pointer, (expected, desired), scope, order, type_)
    return Binary(ctx.span, BOOL, "==", expected, assign(expected, swap, ctx.span))


# ------------------------------------------------------------------------------------------- CUDA and HIP


def _cuda(op: str, scope: Scope) -> Handler:
    arity = 2 if op == "cas" else 1

    def make(ctx: CallContext) -> Expr | None:
        if len(ctx.args) < 1 + arity:
            return None
        type_ = object_type(ctx, ctx.args[0]) if isinstance(ctx.type, VoidType) else ctx.type
        return atomic(ctx, op, ctx.args[0], ctx.args[1 : 1 + arity], scope, "relaxed", type_)

    return make


_CUDA_OPS = {
    "atomicAdd": "add",
    "atomicSub": "sub",
    "atomicExch": "exchange",
    "atomicMin": "min",
    "atomicMax": "max",
    "atomicInc": "inc",
    "atomicDec": "dec",
    "atomicCAS": "cas",
    "atomicAnd": "and",
    "atomicOr": "or",
    "atomicXor": "xor",
    "atomicAddNoRet": "add",
    "unsafeAtomicAdd": "add",
    "unsafeAtomicMin": "min",
    "unsafeAtomicMax": "max",
    "safeAtomicAdd": "add",
    "safeAtomicMin": "min",
    "safeAtomicMax": "max",
    "gpuAtomicAdd": "add",
    "gpuAtomicAddNoReturn": "add",
    "gpuAtomicMin": "min",
    "gpuAtomicMax": "max",
    "gpuAtomicCAS": "cas",
    "gpuAtomicMul": "mul",
}
_CUDA_SCOPES = {"": Scope.GRID, "_block": Scope.BLOCK, "_system": Scope.SYSTEM}

# ---------------------------------------------------------------------- builtins with order and scope arguments


def _with_orders(op: str, operands: int, orders: int, scopes: ScopeOf | None, fixed: Scope) -> Handler:
    """``f(pointer, operands..., order[, failure order][, scope])``."""

    def make(ctx: CallContext) -> Expr | None:
        if len(ctx.args) < 1 + operands:
            return None
        pointer, rest = ctx.args[0], ctx.args[1 + operands :]
        order = order_of(rest[0] if rest else None)
        scope = scopes(ctx, rest[orders] if len(rest) > orders else None) if scopes else fixed
        values = ctx.args[1 : 1 + operands]
        type_ = object_type(ctx, pointer)
        if op == "cas":
            return compare_exchange(ctx, pointer, deref(values[0]), values[1], scope, order, type_)
        if op == "flag_clear":
            return atomic(ctx, "store", pointer, (literal(0, I32, ctx.span),), scope, order, VOID)
        if op == "flag_set":
            return atomic(ctx, op, pointer, (), scope, order, ctx.type)
        result = VOID if op == "store" else type_
        return atomic(ctx, op, pointer, values, scope, order, result)

    return make


def _generic(op: str, scopes: ScopeOf | None, fixed: Scope) -> Handler:
    """GCC's generic forms, which pass values by pointer: ``__atomic_load(pointer, result, order)``."""

    def make(ctx: CallContext) -> Expr | None:
        values = {"load": 1, "store": 1, "exchange": 2, "cas": 2}[op]
        if len(ctx.args) < 1 + values:
            return None
        pointer, rest = ctx.args[0], ctx.args[1 + values :]
        if op == "cas" and len(ctx.args) >= 5:
            rest = ctx.args[4:]  # past the weak flag
        scope = scopes(ctx, ctx.args[-1]) if scopes else fixed
        order, type_ = order_of(rest[0] if rest else None), object_type(ctx, pointer)
        if op == "load":
            read = atomic(ctx, op, pointer, (), scope, order, type_)
            return assign(deref(ctx.args[1]), read, ctx.span)
        if op == "store":
            return atomic(ctx, op, pointer, (deref(ctx.args[1]),), scope, order, VOID)
        if op == "exchange":
            old = atomic(ctx, op, pointer, (deref(ctx.args[1]),), scope, order, type_)
            return assign(deref(ctx.args[2]), old, ctx.span)
        return compare_exchange(ctx, pointer, deref(ctx.args[1]), deref(ctx.args[2]), scope, order, type_)

    return make


def _compare_n(scopes: ScopeOf | None, fixed: Scope) -> Handler:
    """``__atomic_compare_exchange_n(pointer, expected, desired, weak, success, failure[, scope])``."""

    def make(ctx: CallContext) -> Expr | None:
        if len(ctx.args) < 3:
            return None
        scope = scopes(ctx, ctx.arg(6)) if scopes else fixed
        type_, order = object_type(ctx, ctx.args[0]), order_of(ctx.arg(4))
        return compare_exchange(ctx, ctx.args[0], deref(ctx.args[1]), ctx.args[2], scope, order, type_)

    return make


_OPERATORS = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^"}


def _new_value(op: str, scopes: ScopeOf | None, fixed: Scope) -> Handler:
    """``__atomic_add_fetch``: gives the new value, which is the old one ``op`` the operand."""

    def make(ctx: CallContext) -> Expr | None:
        if len(ctx.args) < 2:
            return None
        type_ = object_type(ctx, ctx.args[0])
        scope = scopes(ctx, ctx.arg(3)) if scopes else fixed
        old = atomic(ctx, op, ctx.args[0], (ctx.args[1],), scope, order_of(ctx.arg(2)), type_)
        return Binary(ctx.span, type_, _OPERATORS[op], old, ctx.args[1])

    return make


def _scope_table(table: dict[int, Scope], default: Scope) -> ScopeOf:
    return lambda _ctx, expr: scope_of(expr, table, default)


_FETCH = ("add", "sub", "and", "or", "xor", "min", "max")


def _gcc_family(prefix: str, scopes: ScopeOf | None, fixed: Scope) -> dict[str, Handler]:
    table = {f"{prefix}fetch_{op}": _with_orders(op, 1, 1, scopes, fixed) for op in _FETCH}
    table |= {f"{prefix}{op}_fetch": _new_value(op, scopes, fixed) for op in _OPERATORS}
    table |= {f"{prefix}{op}": _generic(op, scopes, fixed) for op in ("load", "store", "exchange")}
    table[f"{prefix}load_n"] = _with_orders("load", 0, 1, scopes, fixed)
    table[f"{prefix}store_n"] = _with_orders("store", 1, 1, scopes, fixed)
    table[f"{prefix}exchange_n"] = _with_orders("exchange", 1, 1, scopes, fixed)
    table[f"{prefix}compare_exchange_n"] = _compare_n(scopes, fixed)
    table[f"{prefix}compare_exchange"] = _generic("cas", scopes, fixed)
    table[f"{prefix}test_and_set"] = _with_orders("flag_set", 0, 1, scopes, fixed)
    table[f"{prefix}clear"] = _with_orders("flag_clear", 0, 1, scopes, fixed)
    return table


def _c11_family(prefix: str, suffix: str, scopes: ScopeOf | None, fixed: Scope) -> dict[str, Handler]:
    """C11's forms, also OpenCL's and HIP's: the value by value, ``expected`` by pointer, the scope last."""
    table = {f"{prefix}fetch_{op}{suffix}": _with_orders(op, 1, 1, scopes, fixed) for op in _FETCH}
    table[f"{prefix}load{suffix}"] = _with_orders("load", 0, 1, scopes, fixed)
    table[f"{prefix}store{suffix}"] = _with_orders("store", 1, 1, scopes, fixed)
    table[f"{prefix}exchange{suffix}"] = _with_orders("exchange", 1, 1, scopes, fixed)
    for strength in ("strong", "weak"):
        table[f"{prefix}compare_exchange_{strength}{suffix}"] = _with_orders("cas", 2, 2, scopes, fixed)
    table[f"{prefix}flag_test_and_set{suffix}"] = _with_orders("flag_set", 0, 1, scopes, fixed)
    table[f"{prefix}flag_clear{suffix}"] = _with_orders("flag_clear", 0, 1, scopes, fixed)
    return table


_BUILTINS = ("__atomic_", "__scoped_atomic_", "__c11_atomic_", "__hip_atomic_", "__opencl_atomic_")


def is_builtin(name: str) -> bool:
    """True for the builtins that clang keeps as an expression of their own instead of a call."""
    return name.startswith(_BUILTINS)


def written_order(name: str, parts: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Arguments of the builtin ``name`` as written, out of ``parts``, which are as clang keeps them: pointer, order,
    value, failure order, second value, weak, scope (``AtomicExpr`` in clang's ``Expr.h``)."""
    if not is_builtin(name) or len(parts) < 3 or name.endswith("_init"):
        return parts
    pointer, order, first, *rest = parts
    by_pointer = name.startswith(("__atomic_", "__scoped_atomic_"))
    if "compare_exchange" in name and len(rest) >= 2:
        failure, second, *last = rest
        if by_pointer and last:
            weak, *scope = last
            return (pointer, first, second, weak, order, failure, *scope)
        return (pointer, first, second, order, failure, *last)
    if by_pointer and name.endswith("_exchange") and rest:
        second, *scope = rest
        return (pointer, first, second, order, *scope)
    if "_load" in name and not (by_pointer and name.endswith("_load")):
        return parts
    return (pointer, first, order, *rest)


def _initialise(ctx: CallContext) -> Expr | None:
    """``atomic_init`` is a plain store (OpenCL C 3.0, 6.15.12.2)."""
    return assign(deref(ctx.args[0]), ctx.args[1], ctx.span) if len(ctx.args) == 2 else None


# --------------------------------------------------------------------------------------- OpenCL 1.x and __sync


def _opencl1(op: str) -> Handler:
    arity = 2 if op == "cas" else 1

    def make(ctx: CallContext) -> Expr | None:
        if len(ctx.args) != 1 + arity:
            return None
        return atomic(ctx, op, ctx.args[0], ctx.args[1:], Scope.GRID, "relaxed", object_type(ctx, ctx.args[0]))

    return make


def _opencl1_step(op: str) -> Handler:
    """``atomic_inc`` adds one; it has no bound, unlike CUDA's ``atomicInc``."""

    def make(ctx: CallContext) -> Expr | None:
        if len(ctx.args) != 1:
            return None
        type_ = object_type(ctx, ctx.args[0])
        return atomic(ctx, op, ctx.args[0], (literal(1, type_, ctx.span),), Scope.GRID, "relaxed", type_)

    return make


def _sync_fetch(op: str, new: bool) -> Handler:
    def make(ctx: CallContext) -> Expr | None:
        if len(ctx.args) < 2:
            return None
        type_ = object_type(ctx, ctx.args[0])
        old = atomic(ctx, op, ctx.args[0], (ctx.args[1],), Scope.SYSTEM, "seq_cst", type_)
        return Binary(ctx.span, type_, _OPERATORS[op], old, ctx.args[1]) if new else old

    return make


def _sync_cas(ctx: CallContext) -> Expr | None:
    if len(ctx.args) < 3:
        return None
    type_ = object_type(ctx, ctx.args[0])
    old = atomic(ctx, "cas", ctx.args[0], ctx.args[1:3], Scope.SYSTEM, "seq_cst", type_)
    return Binary(ctx.span, BOOL, "==", old, ctx.args[1]) if ctx.name.startswith("__sync_bool") else old


def _elect_first(ctx: CallContext) -> Expr | None:
    # __sync_lock_test_and_set exchanges and acquires.
    if len(ctx.args) < 2:
        return None
    type_ = object_type(ctx, ctx.args[0])
    return atomic(ctx, "exchange", ctx.args[0], (ctx.args[1],), Scope.SYSTEM, "acquire", type_)


def _amd_float_add(ctx: CallContext) -> Expr | None:
    """``__builtin_amdgcn_global_atomic_fadd_f32(pointer, value)`` and its like."""
    if len(ctx.args) < 2:
        return None
    op = next((word for word in ("add", "min", "max") if word in ctx.name.rpartition("atomic_")[2]), "add")
    return atomic(ctx, op, ctx.args[0], (ctx.args[1],), Scope.GRID, "relaxed", object_type(ctx, ctx.args[0]))


def _fast_add(ctx: CallContext) -> Expr | None:
    """PyTorch's ``fastAtomicAdd(tensor, index, numel, value, fast)`` (ATen/native/cuda/KernelUtils.cuh)."""
    if len(ctx.args) < 4:
        return None
    cell = Binary(ctx.span, ctx.args[0].type, "+", ctx.args[0], ctx.args[1])
    return atomic(ctx, "add", cell, (ctx.args[3],), Scope.GRID, "relaxed", object_type(ctx, ctx.args[0]))


_OPENCL1 = {"add": "add", "sub": "sub", "xchg": "exchange", "cmpxchg": "cas", "min": "min", "max": "max", "and": "and"}
_OPENCL1 |= {"or": "or", "xor": "xor"}

TABLE: dict[str, Handler] = {
    **{f"{name}{suffix}": _cuda(op, scope) for name, op in _CUDA_OPS.items() for suffix, scope in _CUDA_SCOPES.items()},
    **_gcc_family("__atomic_", None, Scope.SYSTEM),
    **_gcc_family("__scoped_atomic_", _scope_table(CLANG_SCOPES, Scope.SYSTEM), Scope.SYSTEM),
    **_c11_family("__c11_atomic_", "", None, Scope.SYSTEM),
    **_c11_family("__hip_atomic_", "", _scope_table(HIP_SCOPES, Scope.SYSTEM), Scope.SYSTEM),
    **_c11_family("__opencl_atomic_", "", _scope_table(OPENCL_SCOPES, Scope.GRID), Scope.GRID),
    # Without arguments for them OpenCL's order is seq_cst and its scope the device (OpenCL C 3.0, 6.15.12.7).
    **_c11_family("atomic_", "", None, Scope.GRID),
    **_c11_family("atomic_", "_explicit", _scope_table(OPENCL_SCOPES, Scope.GRID), Scope.GRID),
    **{f"{prefix}{name}": _opencl1(op) for prefix in ("atomic_", "atom_") for name, op in _OPENCL1.items()},
    **{f"{prefix}inc": _opencl1_step("add") for prefix in ("atomic_", "atom_")},
    **{f"{prefix}dec": _opencl1_step("sub") for prefix in ("atomic_", "atom_")},
    **{f"__sync_fetch_and_{op}": _sync_fetch(op, False) for op in _OPERATORS},
    **{f"__sync_{op}_and_fetch": _sync_fetch(op, True) for op in _OPERATORS},
    "__sync_bool_compare_and_swap": _sync_cas,
    "__sync_val_compare_and_swap": _sync_cas,
    "__sync_lock_test_and_set": _elect_first,
    "fastAtomicAdd": _fast_add,
    "atomic_init": _initialise,
    "__opencl_atomic_init": _initialise,
    "__c11_atomic_init": _initialise,
    **{
        f"__builtin_amdgcn_{space}_atomic_f{op}_{type_}": _amd_float_add
        for space in ("global", "flat", "ds")
        for op in ("add", "min", "max")
        for type_ in ("f32", "f64", "v2f16", "v2bf16")
    },
}
__all__ = ["TABLE", "atomic", "compare_exchange", "object_type", "sequence"]
