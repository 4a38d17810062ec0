"""libcu++: ``cuda::atomic``, ``cuda::atomic_ref``, ``cuda::barrier``, ``cuda::pipeline`` and their functions."""

from __future__ import annotations

from kernlint.frontends.clang.intrinsics.atomics import atomic, compare_exchange
from kernlint.frontends.clang.intrinsics.base import (
    ALL_MEMORY,
    UNKNOWN,
    VOID,
    CallContext,
    Handler,
    address_of,
    as_pointer,
    literal,
    pure,
    sequence,
    small_int,
    unqualify,
    words,
)
from kernlint.frontends.clang.intrinsics.groups import only_element
from kernlint.frontends.clang.intrinsics.launch_values import fixed
from kernlint.frontends.clang.intrinsics.orders import order_of, thread_scope
from kernlint.tree.nodes import (
    STAGE,
    AsyncCopy,
    AsyncWait,
    Atomic,
    Barrier,
    Binary,
    Call,
    Deref,
    Expr,
    Fence,
    InitList,
    Member,
    Opaque,
    Quantity,
    Ref,
    Scope,
    Subscript,
)
from kernlint.tree.types import I32, U32, OpaqueType, PointerType, Space, StructType, Type
from kernlint.tree.walk import strip_casts

NAMESPACES = frozenset({"cuda", "std", "cuda::std", "nvcuda", "hip"})

# ------------------------------------------------------------------------------------------------------ atomics

_METHODS = {
    "load": "load",
    "store": "store",
    "exchange": "exchange",
    **{f"fetch_{op}": op for op in ("add", "sub", "and", "or", "xor", "min", "max")},
}
_COMPOUND = {"+=": "add", "-=": "sub", "&=": "and", "|=": "or", "^=": "xor"}


_HELD = "__kl_pointer"
"""The member of the stub's ``atomic_ref`` that leads to the object."""


def _target(receiver: Expr, reference: bool) -> Expr:
    """Pointer to the object of an ``atomic`` or behind an ``atomic_ref``."""
    if isinstance(receiver.type, PointerType) and not receiver.type.reference:
        if not reference:
            return receiver  # called with an arrow
    elif not reference:
        return address_of(receiver)
    expr: Expr | None = receiver
    for _ in range(6):
        if isinstance(expr, Ref) and _names_atomic_ref(expr.type):
            expr = expr.decl.init
        elif isinstance(expr, InitList) and len(expr.elements) == 1:
            expr = expr.elements[0]
            if as_pointer(expr) is not None:
                return expr  # as bound by :func:`_reference`
        elif isinstance(expr, Call) and len(expr.args) == 1:
            expr = expr.args[0]
        elif expr is not None and strip_casts(expr) is not expr:
            expr = strip_casts(expr)
        else:
            break
    if isinstance(expr, (Deref, Subscript, Member, Ref)) and not _names_atomic_ref(expr.type):
        return address_of(expr)
    held = receiver.type.field(_HELD) if isinstance(receiver.type, StructType) else None
    if held is not None:
        return Member(receiver.span, held.type, receiver, _HELD, False)
    return Opaque(receiver.span, PointerType(UNKNOWN), "object behind an atomic_ref")


def _reference(ctx: CallContext) -> Expr | None:
    """The constructor of ``atomic_ref`` binds an object and reads nothing."""
    if len(ctx.args) != 1:
        return None
    return InitList(ctx.span, ctx.type, (address_of(ctx.args[0]),))


def _names_atomic_ref(type_: Type) -> bool:
    spelling = type_.name if isinstance(type_, StructType) else getattr(type_, "spelling", "")
    return "atomic_ref" in spelling


def _element(ctx: CallContext, pointer: Expr) -> Type:
    if ctx.type != VOID and not isinstance(ctx.type, (StructType, OpaqueType)):
        return ctx.type.pointee if isinstance(ctx.type, PointerType) and ctx.type.reference else ctx.type
    found = as_pointer(pointer)
    if found and not isinstance(found[1].pointee, (StructType, OpaqueType)):
        return found[1].pointee
    return ctx.args[0].type if ctx.args else UNKNOWN


def _atomic_method(ctx: CallContext, leaf: str, arguments: tuple[str, ...]) -> Expr | None:
    if ctx.receiver is None:
        return None
    # std::atomic is system-wide; so is cuda::atomic without a scope argument.
    scope = thread_scope(arguments[1]) if len(arguments) > 1 else Scope.SYSTEM
    pointer = _target(ctx.receiver, leaf == "atomic_ref")
    type_, name, args = _element(ctx, pointer), ctx.name, ctx.args
    if name in _METHODS:
        op = _METHODS[name]
        values = 0 if op == "load" else 1
        if len(args) < values:
            return None
        order = order_of(args[values] if len(args) > values else None)
        return atomic(ctx, op, pointer, args[:values], scope, order, VOID if op == "store" else type_)
    if name in ("compare_exchange_strong", "compare_exchange_weak") and len(args) >= 2:
        order = order_of(args[2] if len(args) > 2 else None)
        return compare_exchange(ctx, pointer, args[0], args[1], scope, order, args[0].type)
    if name == "test_and_set":
        return atomic(ctx, "flag_set", pointer, (), scope, order_of(args[0] if args else None), ctx.type)
    if name in ("clear", "notify_one", "notify_all"):
        if name != "clear":
            return pure(ctx, args=())
        zero = literal(0, I32, ctx.span)
        return atomic(ctx, "store", pointer, (zero,), scope, order_of(args[0] if args else None), VOID)
    if name == "wait":
        return atomic(ctx, "load", pointer, (), scope, order_of(args[1] if len(args) > 1 else None), type_)
    return _atomic_operator(ctx, pointer, scope, type_)


def _atomic_operator(ctx: CallContext, pointer: Expr, scope: Scope, type_: Type) -> Expr | None:
    if not ctx.name.startswith("operator"):
        return None
    symbol = ctx.name.removeprefix("operator").strip()
    if symbol in ("++", "--"):
        op, sign = ("add", "+") if symbol == "++" else ("sub", "-")
        one = literal(1, type_, ctx.span)
        old = atomic(ctx, op, pointer, (one,), scope, "seq_cst", type_)
        # The postfix form has a dummy argument and gives the old value.
        return old if ctx.args else Binary(ctx.span, type_, sign, old, one)
    if symbol in _COMPOUND and ctx.args:
        old = atomic(ctx, _COMPOUND[symbol], pointer, ctx.args[:1], scope, "seq_cst", type_)
        return Binary(ctx.span, type_, symbol[0], old, ctx.args[0])
    if symbol == "=" and ctx.args:
        return atomic(ctx, "store", pointer, ctx.args[:1], scope, "seq_cst", type_)
    if symbol and (symbol[0].isalpha() or symbol[0] == "_"):  # a conversion to the value type
        return atomic(ctx, "load", pointer, (), scope, "seq_cst", type_)
    return None


# ------------------------------------------------------------------------------------------- barriers, pipelines

_PARTS = {
    "arrive": "arrive",
    "arrive_and_drop": "arrive",
    "wait": "wait",
    "wait_parity": "wait",
    "try_wait": "wait",
    "try_wait_for": "wait",
    "try_wait_until": "wait",
    "try_wait_parity": "wait",
    "arrive_and_wait": "both",
    "count_down": "arrive",
}


def _barrier_method(ctx: CallContext, leaf: str, arguments: tuple[str, ...]) -> Expr | None:
    part = _PARTS.get(ctx.name)
    if part is None or ctx.receiver is None:
        return None
    scope = thread_scope(arguments[0]) if arguments else Scope.SYSTEM
    # The object's own count says who takes part; the identity of the object keeps it apart from __syncthreads.
    return Barrier(ctx.span, ctx.type, scope, ALL_MEMORY, ctx.name, barrier_id=ctx.receiver, part=part, args=ctx.args)


def _pipeline_method(ctx: CallContext, leaf: str, arguments: tuple[str, ...]) -> Expr | None:
    if ctx.receiver is None:
        return None
    subject = (ctx.receiver,)
    scope = thread_scope(arguments[0]) if arguments else Scope.BLOCK
    shared = scope is not Scope.THREAD  # only a pipeline of several threads makes one wait for another
    maybe_barrier = Opaque(ctx.span, VOID, STAGE, (), may_sync=True)
    if ctx.name == "producer_commit":
        return AsyncWait(ctx.span, ctx.type, "pipeline", None, subject, ctx.name, commit=True)
    if ctx.name in ("consumer_wait", "consumer_wait_for", "consumer_wait_until"):
        wait = AsyncWait(ctx.span, ctx.type, "pipeline", None, subject, ctx.name)
        return sequence(maybe_barrier, wait) if shared else wait
    if ctx.name in ("producer_acquire", "consumer_release", "quit"):
        return maybe_barrier if shared else pure(ctx, args=())
    return None


def lower_method(ctx: CallContext) -> Expr | None:
    """A method of one of libcu++'s objects; None for any other class."""
    name, arguments = unqualify(ctx.receiver_type)
    namespace, _, leaf = name.rpartition("::")
    if namespace.split("::")[0] not in ("cuda", "std", "hip", "") or (not namespace and leaf == "barrier"):
        return None
    if leaf in ("atomic", "atomic_ref", "atomic_flag"):
        return _atomic_method(ctx, leaf, arguments)
    if leaf in ("barrier", "latch"):
        return _barrier_method(ctx, leaf, arguments)
    if leaf in ("binary_semaphore", "counting_semaphore"):
        return Opaque(ctx.span, ctx.type, "semaphore", (), may_sync=True)
    return _pipeline_method(ctx, leaf, arguments) if leaf == "pipeline" else None


# ---------------------------------------------------------------------------------------------- free functions


def _memcpy_async(ctx: CallContext) -> Expr | None:
    """``cuda::memcpy_async([group,] destination, source, size, barrier-or-pipeline)``."""
    args, collective = ctx.args, False
    if len(args) == 5:
        args, collective = args[1:], True
    if len(args) != 4:
        return None
    destination, source, size, awaited = args
    spelling = awaited.type.name if isinstance(awaited.type, StructType) else getattr(awaited.type, "spelling", "")
    mechanism = "pipeline" if "pipeline" in spelling else "barrier"
    return AsyncCopy(
        ctx.span, ctx.type, mechanism, destination, source, only_element(size), collective, ctx.name, awaited
    )


def _wait_prior(ctx: CallContext) -> Expr | None:
    stages = small_int(ctx.template_args[0]) if ctx.template_args else None
    pending = literal(stages, U32, ctx.span) if stages is not None else None
    return AsyncWait(ctx.span, ctx.type, "pipeline", pending, ctx.args, ctx.name)


def _arrive(ctx: CallContext) -> Expr | None:
    """``cuda::device::barrier_arrive_tx(barrier, n, bytes)``."""
    if not ctx.args:
        return None
    return Barrier(
        ctx.span,
        ctx.type,
        Scope.BLOCK,
        ALL_MEMORY,
        ctx.name,
        barrier_id=ctx.args[0],
        part="arrive",
        args=ctx.args[1:],
    )


def _native(part: str) -> Handler:
    """``cuda::ptx::mbarrier_...(modifiers..., address, ...)``: the barrier is the first pointer."""

    def make(ctx: CallContext) -> Expr | None:
        at = next((i for i, arg in enumerate(ctx.args) if as_pointer(arg) is not None), None)
        if at is None:
            return None
        rest = ctx.args[at + 1 :]
        return Barrier(
            ctx.span, ctx.type, Scope.BLOCK, ALL_MEMORY, ctx.name, barrier_id=ctx.args[at], part=part, args=rest
        )

    return make


def _bulk_copy(ctx: CallContext) -> Expr | None:
    """``cuda::ptx::cp_async_bulk(to, from, destination, source, size, ...)``, its tensor and reducing forms, and the
    older ones of ``cuda::device::experimental``: which end is shared the first tag, or the name, says."""
    pointers = [arg for arg in ctx.args if as_pointer(arg) is not None]
    tag = ctx.args[0].type.name if ctx.args and isinstance(ctx.args[0].type, StructType) else ""
    into = ctx.name.endswith("global_to_shared") or (bool(tag) and "global" not in tag)
    if len(pointers) < 2:
        return None
    nobody = Opaque(ctx.span, PointerType(UNKNOWN, Space.GLOBAL), "place in a tensor")
    if "tensor" in ctx.name:
        to, source = (pointers[0], nobody) if into else (nobody, pointers[-1])
        return AsyncCopy(ctx.span, ctx.type, "bulk", to, source, None, False, ctx.name)
    at = ctx.args.index(pointers[1]) + 1
    size = ctx.args[at] if at < len(ctx.args) else None
    return AsyncCopy(ctx.span, ctx.type, "bulk", pointers[0], pointers[1], size, False, ctx.name)


def _bulk_wait(ctx: CallContext) -> Expr | None:
    commit = "commit" in ctx.name
    return AsyncWait(ctx.span, ctx.type, "bulk", None, (), ctx.name, commit=commit)


def _proxy_fence(ctx: CallContext) -> Expr | None:
    """Orders what ordinary stores and the asynchronous proxy see; of other threads it says nothing."""
    return Fence(ctx.span, ctx.type, Scope.BLOCK, ALL_MEMORY, ctx.name)


def _free_atomic(ctx: CallContext) -> Expr | None:
    """``cuda::atomic_fetch_add(pointer, value)`` and its like: the scope is in the type of the object."""
    from kernlint.frontends.clang.intrinsics.atomics import TABLE as ATOMICS

    handler = ATOMICS.get(ctx.name)
    node = handler(ctx) if handler else None
    if not isinstance(node, Atomic):
        return node
    found = as_pointer(node.pointer)
    spelling = ""
    if found:
        pointee = found[1].pointee
        spelling = pointee.name if isinstance(pointee, StructType) else getattr(pointee, "spelling", "")
    _, arguments = unqualify(spelling)
    scope = thread_scope(arguments[1]) if len(arguments) > 1 else Scope.SYSTEM
    type_ = ctx.type if ctx.type != VOID else node.type
    return Atomic(node.span, type_, node.op, node.pointer, node.operands, scope, node.order, node.name)


FREE: dict[str, Handler] = {
    **dict.fromkeys(
        words(
            """cp_async_bulk cp_async_bulk_tensor cp_reduce_async_bulk cp_reduce_async_bulk_tensor
            cp_async_bulk_global_to_shared cp_async_bulk_shared_to_global cp_async_bulk_tensor_1d_global_to_shared
            cp_async_bulk_tensor_2d_global_to_shared cp_async_bulk_tensor_2d_shared_to_global"""
        ),
        _bulk_copy,
    ),
    "cp_async_bulk_commit_group": _bulk_wait,
    "cp_async_bulk_wait_group": _bulk_wait,
    "cp_async_bulk_wait_group_read": _bulk_wait,
    "fence_proxy_async": _proxy_fence,
    "fence_proxy_async_shared_cta": _proxy_fence,
    "fence_proxy_async_generic_sync_restrict": _proxy_fence,
    "atomic_ref": _reference,
    "memcpy_async": _memcpy_async,
    "pipeline_consumer_wait_prior": _wait_prior,
    "pipeline_producer_commit": lambda ctx: AsyncWait(
        ctx.span, ctx.type, "pipeline", None, ctx.args, ctx.name, commit=True
    ),
    # What the barrier object holds is not modelled, so neither is its first value.
    "init": lambda ctx: pure(ctx, args=()),
    "make_pipeline": pure,
    "barrier_arrive_tx": _arrive,
    "barrier_expect_tx": lambda ctx: pure(ctx, args=()),
    "get_sreg_laneid": fixed(Quantity.LANE_ID),
    "mbarrier_arrive": _native("arrive"),
    "mbarrier_arrive_expect_tx": _native("arrive"),
    "mbarrier_try_wait": _native("wait"),
    "mbarrier_try_wait_parity": _native("wait"),
    "mbarrier_test_wait": _native("wait"),
    "mbarrier_test_wait_parity": _native("wait"),
}
"""Functions of namespaces ``cuda`` and ``cuda::std``."""


def lower_free(ctx: CallContext) -> Expr | None:
    """A function of namespace ``cuda`` or ``std``; None when there is no such."""
    if ctx.name.startswith("atomic_") and not ctx.name.startswith(("atomic_thread_fence", "atomic_ref")):
        return _free_atomic(ctx)
    handler = FREE.get(ctx.name)
    return handler(ctx) if handler else None
