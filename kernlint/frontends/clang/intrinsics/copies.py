"""Asynchronous copies and the waits for them: C and OpenCL functions (cooperative groups are in :mod:`.groups`)."""

from __future__ import annotations

from kernlint.frontends.clang.intrinsics.base import U64, CallContext, Handler, as_pointer, constant, literal
from kernlint.tree.nodes import AsyncCopy, AsyncWait, Binary, Expr
from kernlint.tree.types import PointerType


def elements_in_bytes(count: Expr, pointer: Expr) -> Expr | None:
    """Size in bytes of ``count`` elements of what ``pointer`` points to; None when the element's size is not known."""
    found = as_pointer(pointer)
    size = found[1].pointee.size if found else None
    if size is None:
        return None
    value = constant(count)
    if value is not None:
        return literal(value * size, U64, count.span)
    return Binary(count.span, U64, "*", count, literal(size, U64, count.span))


def _pipeline_copy(ctx: CallContext) -> Expr | None:
    if len(ctx.args) < 3:
        return None
    destination, source, size = ctx.args[:3]
    return AsyncCopy(ctx.span, ctx.type, "cp_async", destination, source, size, False, ctx.name)


def _pipeline_commit(ctx: CallContext) -> Expr:
    return AsyncWait(ctx.span, ctx.type, "cp_async", None, (), ctx.name, commit=True)


def _pipeline_wait(ctx: CallContext) -> Expr | None:
    return AsyncWait(ctx.span, ctx.type, "cp_async", ctx.arg(0), (), ctx.name) if ctx.args else None


def _work_group_copy(ctx: CallContext) -> Expr | None:
    if len(ctx.args) < 3:
        return None
    destination, source, count = ctx.args[:3]
    # The strided form leaves gaps on the global side: its extent in bytes is not one number.
    size = None if "strided" in ctx.name else elements_in_bytes(count, destination)
    event = ctx.args[-1] if len(ctx.args) > 3 and not isinstance(ctx.args[-1].type, PointerType) else None
    return AsyncCopy(ctx.span, ctx.type, "event", destination, source, size, True, ctx.name, event)


def _work_group_copy_box(ctx: CallContext) -> Expr | None:
    """``async_work_group_copy_2D2D(destination, offset, source, offset, ...)`` of ``cl_khr_extended_async_copies``."""
    if len(ctx.args) < 5:
        return None
    return AsyncCopy(ctx.span, ctx.type, "event", ctx.args[0], ctx.args[2], None, True, ctx.name, ctx.args[-1])


def _wait_events(ctx: CallContext) -> Expr | None:
    return AsyncWait(ctx.span, ctx.type, "event", None, ctx.args, ctx.name)


TABLE: dict[str, Handler] = {
    "__pipeline_memcpy_async": _pipeline_copy,
    "__pipeline_commit": _pipeline_commit,
    "__pipeline_wait_prior": _pipeline_wait,
    "async_work_group_copy": _work_group_copy,
    "async_work_group_strided_copy": _work_group_copy,
    "async_work_group_copy_2D2D": _work_group_copy_box,
    "async_work_group_copy_3D3D": _work_group_copy_box,
    "wait_group_events": _wait_events,
}
