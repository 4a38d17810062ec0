"""Kernel launches in host code."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernlint.frontends.clang.cursor import Cursor
from kernlint.frontends.clang.kinds import BinaryOperator
from kernlint.frontends.clang.kinds import CursorKind as K
from kernlint.frontends.clang.lower.context import Scope
from kernlint.frontends.clang.lower.conversions import convert
from kernlint.frontends.clang.lower.printed import is_expression
from kernlint.source import Span
from kernlint.tree.launch_arguments import packed_arguments
from kernlint.tree.nodes import (
    AddressOf,
    Call,
    Cast,
    Deref,
    Expr,
    FunctionDecl,
    FunctionKind,
    FunctionRef,
    InitList,
    IntLit,
    Launch,
    Member,
    ParamDecl,
    Ref,
    StringLit,
    Subscript,
    VarDecl,
)
from kernlint.tree.types import I32, U32, U64, VOID, ArrayType, Field, IntType, PointerType, StructType, Type
from kernlint.tree.walk import strip_casts

DIM3 = StructType("dim3", (Field("x", U32, 0), Field("y", U32, 4), Field("z", U32, 8)), 12, 4)
"""A launch extent: x, y and z, each one when left out."""

SIZES = StructType("dim3", (Field("x", U64, 0), Field("y", U64, 8), Field("z", U64, 16)), 24, 8)
"""The same for OpenCL, which has an array of ``size_t``."""

_RUNTIME = {
    # name: positions of kernel, grid, block, argument array, shared bytes, stream; None where there is none
    "cudaLaunchKernel": (0, 1, 2, 3, 4, 5),
    "hipLaunchKernel": (0, 1, 2, 3, 4, 5),
    "cudaLaunchCooperativeKernel": (0, 1, 2, 3, 4, 5),
    "hipLaunchCooperativeKernel": (0, 1, 2, 3, 4, 5),
    "hipExtLaunchKernel": (0, 1, 2, 3, 4, 5),
}
_WITH_CONFIG = frozenset({"cudaLaunchKernelEx", "cudaLaunchKernelExC", "hipLaunchKernelEx", "hipLaunchKernelExC"})
_DRIVER = frozenset(
    {"cuLaunchKernel", "hipModuleLaunchKernel", "cuLaunchCooperativeKernel", "hipModuleLaunchCooperativeKernel"}
)
_HIP_MACROS = frozenset({"hipLaunchKernelGGL", "hipLaunchKernelGGLInternal", "hipLaunchKernel_"})


def kernel_call(scope: Scope, cursor: Cursor, callee: Cursor, config: Cursor, arguments: list[Cursor]) -> Expr:
    """``kernel<<<grid, block, shared, stream>>>(args)``."""
    target = scope.expression(callee)
    settings = [c for c in config.children if is_expression(c)][1:]
    values = [None if _left_out(c) else _setting(scope, c) for c in settings]
    values += [None] * (4 - len(values))
    grid, block, shared, stream = values[:4]
    args = tuple(scope.expression(a) for a in arguments if is_expression(a))
    name, kernel = kernel_of(target)
    return Launch(
        scope.span(cursor),
        VOID,
        "<<<>>>",
        name or scope.lowering.source(callee).strip(),
        kernel,
        _extent(grid),
        _extent(block),
        shared,
        stream,
        args,
        template_args=_template_args(kernel),
        values=_values(scope, callee, kernel),
        callee=target if kernel is None else None,
    )


def handed_over(
    scope: Scope, span: Span, type_: Type, name: str, given: Sequence[Cursor], args: tuple[Expr, ...]
) -> Launch | None:
    """A call of a function that nobody has in sight, given a kernel, two extents, perhaps bytes and a stream, and as
    many arguments as the kernel takes: the launch that a library's wrapper makes of them, in the order of the
    runtime's own."""
    of, kernel = kernel_of(args[0]) if args else ("", None)
    if kernel is None or kernel.kind is not FunctionKind.KERNEL or not any(_is_extent(one) for one in args[1:3]):
        return None
    between = len(args) - len(kernel.params)
    if not 3 <= between <= 5 or not all(_is_extent(one) or isinstance(one.type, IntType) for one in args[1:3]):
        return None
    shared, stream = (*args[3:between], None, None)[:2]
    return Launch(
        span,
        type_,
        name,
        of,
        kernel,
        _extent(args[1]),
        _extent(args[2]),
        shared,
        stream,
        args[between:],
        template_args=_template_args(kernel),
        values=_values(scope, given[0], kernel) if given else (),
    )


def _is_extent(expr: Expr) -> bool:
    return isinstance(expr.type, StructType) and expr.type.name == "dim3"


def _setting(scope: Scope, cursor: Cursor) -> Expr:
    """One argument of a configuration; a braced list, which was parsed as an expression with commas, as what it is."""
    if not scope.lowering.source(cursor).lstrip().startswith("{"):
        return scope.expression(cursor)
    parts: list[Cursor] = []
    inner = _within(cursor)
    while inner.kind == K.BINARY_OPERATOR and inner.binary_operator == BinaryOperator.COMMA:
        inner, last = inner.children
        parts.append(last)
    parts.append(inner)
    return InitList(scope.span(cursor), DIM3, tuple(convert(scope.expression(part), U32) for part in reversed(parts)))


def _within(cursor: Cursor) -> Cursor:
    """What stands in the parentheses, which a conversion to ``dim3`` may be around; its further arguments are left
    out."""
    while cursor.kind in (K.UNEXPOSED_EXPR, K.CALL_EXPR, K.PAREN_EXPR):
        inner = next((child for child in cursor.children if is_expression(child)), None)
        if inner is None:
            break
        cursor, outer = inner, cursor
        if outer.kind == K.PAREN_EXPR:
            break
    return cursor


def launches(name: str) -> bool:
    """Whether a function called ``name`` launches a kernel."""
    return name in _LAUNCHING


def launch_function(scope: Scope, cursor: Cursor, name: str, arguments: list[Cursor]) -> Expr:
    """A call of a runtime function that launches a kernel."""
    args = [None if _left_out(c) else scope.expression(c) for c in arguments]
    if name in _RUNTIME:
        return _runtime(scope, cursor, name, arguments, args)
    if name in _HIP_MACROS:
        return _hip_macro(scope, cursor, arguments, args)
    if name in _DRIVER:
        return _driver(scope, cursor, name, args)
    if name in _OPENCL:
        return _opencl(scope, cursor, name, args)
    return _with_config(scope, cursor, name, arguments, args)


_OPENCL = frozenset({"clEnqueueNDRangeKernel"})

QUEUE_METHOD = "enqueueNDRangeKernel"
"""The method of ``cl::CommandQueue`` that launches."""


RANGES = frozenset({"enqueue_nd_range_kernel", "enqueue_1d_range_kernel"})
"""The methods of Boost.Compute's ``command_queue`` that do."""


def range_method(scope: Scope, cursor: Cursor, queue: Expr, arguments: list[Cursor]) -> Expr:
    """``queue.enqueue_nd_range_kernel(kernel, dims, offset, global, local)``, with pointers, and without ``dims`` where
    the sizes are numbers or of a class."""
    args = [None if _left_out(c) else scope.expression(c) for c in arguments]
    dims = _at(args, 1) if len(args) > 4 and isinstance(getattr(_at(args, 3), "type", None), PointerType) else None
    sizes = [_pointed_values(one, dims) if dims is not None else _range(one) for one in args[1 + (dims is not None) :]]
    offset, all_, group = (*sizes, None, None, None)[:3]
    if isinstance(group, IntLit) and group.value == 0:
        group = None
    return Launch(
        scope.span(cursor),
        scope.type(cursor),
        QUEUE_METHOD,
        _handle_name(scope, _at(args, 0)),
        None,
        None,
        group,
        None,
        queue,
        (),
        global_size=all_,
        callee=_at(args, 0),
        offset=offset,
    )


def queue_method(scope: Scope, cursor: Cursor, queue: Expr, arguments: list[Cursor]) -> Expr:
    """``queue.enqueueNDRangeKernel(kernel, offset, global, local, ...)``."""
    args = [None if _left_out(c) else scope.expression(c) for c in arguments]
    return Launch(
        scope.span(cursor),
        scope.type(cursor),
        QUEUE_METHOD,
        _handle_name(scope, _at(args, 0)),
        None,
        None,
        _range(_at(args, 3)),
        None,
        queue,
        (),
        global_size=_range(_at(args, 2)),
        callee=_at(args, 0),
        event=_at(args, 5),
        offset=_range(_at(args, 1)),
    )


FUNCTOR = "cl::KernelFunctor"
"""The class of functors that launch a kernel, and how such a launch is called in the tree."""


def functor_call(scope: Scope, cursor: Cursor, functor: Expr, args: tuple[Expr, ...]) -> Expr | None:
    """``functor(cl::EnqueueArgs(queue, global, local), arguments...)``; None where the sizes are not in sight."""
    how = _bare(args[0]) if args else None
    if isinstance(how, Ref):
        how = _bare(how.decl.init)
    if not isinstance(how, Call):
        return None
    ranges = [arg for arg in how.args if "NDRange" in str(getattr(arg.type, "name", ""))]
    offset = ranges.pop(0) if len(ranges) == 3 else None
    return Launch(
        scope.span(cursor),
        scope.type(cursor),
        FUNCTOR,
        _handle_name(scope, functor),
        None,
        None,
        _range(ranges[1]) if len(ranges) > 1 else None,
        None,
        None,
        args[1:],
        global_size=_range(ranges[0]) if ranges else None,
        callee=functor,
        offset=_range(offset),
    )


def _range(expr: Expr | None) -> Expr | None:
    """The sizes of a ``cl::NDRange``; None for the one that leaves them to the runtime."""
    expr = _bare(expr)
    return None if isinstance(expr, Ref) and expr.decl.name.endswith("NullRange") else expr


_LAUNCHING = frozenset({*_OPENCL, *_DRIVER, *_RUNTIME, *_HIP_MACROS, *_WITH_CONFIG})


def _at(args: list[Expr | None], index: int) -> Expr | None:
    return args[index] if index < len(args) else None


def _runtime(scope: Scope, cursor: Cursor, api: str, arguments: list[Cursor], args: list[Expr | None]) -> Expr:
    kernel_at, grid, block, array, shared, stream = _RUNTIME[api]
    name, kernel = kernel_of(_at(args, kernel_at))
    return Launch(
        scope.span(cursor),
        scope.type(cursor),
        api,
        name,
        kernel,
        _extent(_at(args, grid)),
        _extent(_at(args, block)),
        _at(args, shared),
        _at(args, stream),
        _from_array(_at(args, array)),
        packed=_packed(_at(args, array)),
        template_args=_template_args(kernel),
        values=_values(scope, arguments[kernel_at], kernel),
        callee=_at(args, kernel_at) if kernel is None else None,
    )


def _hip_macro(scope: Scope, cursor: Cursor, arguments: list[Cursor], args: list[Expr | None]) -> Expr:
    """``hipLaunchKernelGGL(kernel, grid, block, shared, stream, args...)``."""
    name, kernel = kernel_of(_at(args, 0))
    return Launch(
        scope.span(cursor),
        scope.type(cursor),
        "hipLaunchKernelGGL",
        name,
        kernel,
        _extent(_at(args, 1)),
        _extent(_at(args, 2)),
        _at(args, 3),
        _at(args, 4),
        tuple(a for a in args[5:] if a is not None),
        template_args=_template_args(kernel),
        values=_values(scope, arguments[0], kernel),
        callee=_at(args, 0) if kernel is None else None,
    )


def _driver(scope: Scope, cursor: Cursor, api: str, args: list[Expr | None]) -> Expr:
    """``cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, stream, params, extra)``: the kernel is a handle."""
    span = scope.span(cursor)
    return Launch(
        span,
        scope.type(cursor),
        api,
        _handle_name(scope, _at(args, 0)),
        None,
        _three(scope, cursor, args[1:4]),
        _three(scope, cursor, args[4:7]),
        _at(args, 7),
        _at(args, 8),
        _from_array(_at(args, 9)),
        callee=_at(args, 0),
        packed=_packed(_at(args, 9)),
    )


def _three(scope: Scope, cursor: Cursor, args: list[Expr | None]) -> Expr | None:
    known = [a for a in args if a is not None]
    return InitList(scope.span(cursor), DIM3, tuple(convert(a, U32) for a in known)) if known else None


def _opencl(scope: Scope, cursor: Cursor, api: str, args: list[Expr | None]) -> Expr:
    """``clEnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, ...)``."""
    return Launch(
        scope.span(cursor),
        scope.type(cursor),
        api,
        _handle_name(scope, _at(args, 1)),
        None,
        None,
        _pointed_values(_at(args, 5), _at(args, 2)),
        None,
        _at(args, 0),
        (),
        global_size=_pointed_values(_at(args, 4), _at(args, 2)),
        callee=_at(args, 1),
        event=_at(args, 8),
        beyond=_beyond(_at(args, 4), _at(args, 2)),
        offset=_pointed_values(_at(args, 3), _at(args, 2)),
    )


def _beyond(sizes: Expr | None, dims: Expr | None) -> tuple[Expr, ...]:
    """The sizes that an array is declared with behind as many as there are dimensions."""
    bare, dims = _bare(sizes), _bare(dims)
    listed = bare.decl.init if isinstance(bare, Ref) else None
    if not isinstance(listed, InitList) or not isinstance(dims, IntLit):
        return ()
    return tuple(one for one in listed.elements[dims.value : 3])


def _pointed_values(expr: Expr | None, dims: Expr | None) -> Expr | None:
    """The list of sizes behind a ``size_t`` pointer, ``dims`` of them, when its array is in sight; None for a null
    pointer."""
    expr = _bare(expr)
    if expr is None or (isinstance(expr, IntLit) and expr.value == 0):
        return None
    if isinstance(expr, AddressOf):
        expr = _first_of(expr.operand) or expr
    if isinstance(expr, Call) and expr.name == "cl::NDRange::data":
        return _range(expr.receiver)
    if isinstance(expr, Call) and expr.name.endswith("::data") and isinstance(expr.receiver, (Ref, Member)):
        expr = expr.receiver  # a std::array
    if isinstance(expr, AddressOf):
        inner = expr.operand
        return InitList(expr.span, inner.type, (inner,)) if isinstance(inner.type, IntType) else inner
    listed = expr.decl.init if isinstance(expr, Ref) else None
    array = expr.type if isinstance(expr, Member) or (isinstance(expr, Ref) and not expr.decl.const) else None
    if isinstance(array, ArrayType) and isinstance(array.element, IntType):
        count = min(array.extent or 3, dims.value if isinstance(dims, IntLit) else 3, 3)
        places = (Subscript(expr.span, array.element, expr, IntLit(expr.span, I32, at)) for at in range(count))
        return InitList(expr.span, SIZES, tuple(convert(place, U64) for place in places))
    if isinstance(listed, Call) and len(listed.args) == 1:  # a vector that is made of a list
        listed = listed.args[0]
    if isinstance(listed, InitList):
        most = min(dims.value, 3) if isinstance(dims, IntLit) else 3
        return InitList(expr.span, SIZES, tuple(convert(one, U64) for one in listed.elements[:most]))
    return expr


def _first_of(expr: Expr) -> Expr | None:
    """The sequence or array whose first element is meant: ``sizes.front()``, ``sizes[0]``."""
    expr = strip_casts(expr) or expr
    if isinstance(expr, Deref):
        expr = strip_casts(expr.pointer) or expr
    found: Expr | None = None
    if isinstance(expr, Call) and expr.name.endswith("::front"):
        found = expr.receiver
    elif isinstance(expr, Subscript) and isinstance(expr.index, IntLit) and expr.index.value == 0:
        found = expr.base
    return found if isinstance(found, (Ref, Member)) else None


def _with_config(scope: Scope, cursor: Cursor, api: str, arguments: list[Cursor], args: list[Expr | None]) -> Expr:
    """``cudaLaunchKernelEx(&config, kernel, args...)``: the extents are the last ones stored in ``config``."""
    config = _bare(_at(args, 0))
    if isinstance(config, AddressOf):
        config = config.operand
    name, kernel = kernel_of(_at(args, 1))
    span = scope.span(cursor)

    def setting(field: str) -> Expr | None:
        if config is None:
            return None
        record = config.type
        found = record.field(field) if isinstance(record, StructType) else None
        return Member(span, found.type, config, field, False) if found is not None else None

    rest = tuple(a for a in args[2:] if a is not None)
    if api.endswith("ExC"):
        rest = _from_array(_at(args, 2))
    return Launch(
        span,
        scope.type(cursor),
        api,
        name,
        kernel,
        setting("gridDim"),
        setting("blockDim"),
        setting("dynamicSmemBytes"),
        setting("stream"),
        rest,
        attributes=setting("attrs"),
        template_args=_template_args(kernel),
        values=_values(scope, arguments[1], kernel),
        callee=_at(args, 1) if kernel is None else None,
    )


def _from_array(expr: Expr | None) -> tuple[Expr, ...]:
    """Arguments behind ``void *args[] = {&a, &b}``, or behind the address of its first element."""
    expr = _bare(expr)
    first = _bare(expr.operand) if isinstance(expr, AddressOf) else None
    if isinstance(first, Subscript) and isinstance(first.index, IntLit) and first.index.value == 0:
        expr = _bare(first.base)
    if isinstance(expr, Ref):
        expr = expr.decl.init
    return packed_arguments(expr) if isinstance(expr, InitList) else ()


def _packed(expr: Expr | None) -> Expr | None:
    """The array of arguments, where its list is not in sight."""
    bare = _bare(expr)
    return None if bare is None or isinstance(bare, IntLit) or _from_array(bare) else expr


def _handle_name(scope: Scope, expr: Expr | None) -> str:
    """The kernel's name behind a handle created from a string, else the handle's own name."""
    expr, own = _bare(expr), ""
    if _named_at_run_time(scope, expr):
        return expr.decl.name if isinstance(expr, Ref) else expr.field if isinstance(expr, Member) else ""
    for _ in range(4):  # through variables that hold a copy of the handle
        if not isinstance(expr, Ref):
            break
        init = _bare(expr.decl.init)
        for text in _strings(init):
            return text
        own = own or expr.decl.name
        if not isinstance(init, (Ref, Member)):
            break
        expr = init
    if isinstance(expr, Call) and (texts := _strings(expr)):
        return texts[0]
    handle = expr.decl.name if isinstance(expr, Ref) else expr.field if isinstance(expr, Member) else ""
    if not handle or (
        isinstance(expr, Ref) and isinstance(expr.decl, ParamDecl) and not _passed_by_name(scope, handle)
    ):
        return own or handle
    # The handle may be set later, or be of a type that no header gave.
    escaped = re.escape(handle.encode())
    created = rb"\b%s\s*=\s*[\w:]*(?:CreateKernel|::Kernel)\s*\([^,;]*,\s*\"(\w+)\"" % escaped
    got = rb"\w*GetFunction\s*\(\s*&\s*(?:\w+(?:\.|->))*%s\s*,[^,;]*,\s*\"(\w+)\"" % escaped
    made = rb"\b%s\s*[({]\s*[^,;(){}\"]*,\s*\"(\w+)\"\s*(?:,\s*&?\w+\s*)?[)}]" % escaped  # a member's initialiser
    names = {name for each in (created, got, made) for name in re.findall(each, scope.lowering.text)}
    return names.pop().decode() if len(names) == 1 else own or handle


def _passed_by_name(scope: Scope, handle: str) -> bool:
    """Whether callers in the file pass a handle that is called as the parameter is, or there are none: what is made
    under that name elsewhere may be another one."""
    if scope.function is None:
        return True
    called = rb"\b%s\s*\(([^;{}]*)\)" % re.escape(scope.function.name.rpartition("::")[2].encode())
    given = [args for args in re.findall(called + rb"[^;{}]*;", scope.lowering.text) if b"cl_kernel" not in args]
    return not given or any(re.search(rb"\b%s\b" % re.escape(handle.encode()), args) for args in given)


def _named_at_run_time(scope: Scope, expr: Expr | None) -> bool:
    """Whether a handle, by its name, is somewhere in the file that of a kernel whose name is no literal."""
    handle = expr.decl.name if isinstance(expr, Ref) else expr.field if isinstance(expr, Member) else ""
    made = rb"\b%s\s*=\s*[\w:]*(?:CreateKernel|::Kernel)\s*\([^,;]*,\s*[A-Za-z_]" % re.escape(handle.encode())
    return bool(handle) and re.search(made, scope.lowering.text) is not None


def _strings(expr: Expr | None) -> list[str]:
    args = [_bare(arg) for arg in getattr(expr, "args", ())]
    inner = [_bare(arg.args[0]) if isinstance(arg, Call) and len(arg.args) == 1 else arg for arg in args]
    return [a.value for a in inner if isinstance(a, StringLit)]


def _bare(expr: Expr | None) -> Expr | None:
    while isinstance(expr, Cast):
        expr = expr.operand
    return expr


def kernel_of(expr: Expr | None) -> tuple[str, FunctionDecl | None]:
    """The kernel that an expression names, through casts, ``&`` and variables that are set once."""
    expr = _bare(expr)
    seen: set[VarDecl] = set()
    while True:
        if isinstance(expr, AddressOf):
            expr = _bare(expr.operand)
        elif isinstance(expr, Ref) and expr.decl.init is not None and expr.decl not in seen:
            seen.add(expr.decl)
            expr = _bare(expr.decl.init)
        else:
            break
    if isinstance(expr, FunctionRef):
        return expr.name, expr.function
    if isinstance(expr, Ref):
        return expr.decl.name, None
    return "", None


def _template_args(kernel: FunctionDecl | None) -> tuple[str, ...]:
    return tuple(text for _, text in kernel.template_args) if kernel is not None else ()


def _values(scope: Scope, callee: Cursor, kernel: FunctionDecl | None) -> tuple[Expr, ...]:
    """The template arguments that are no types, of a callee that stands in a template and is no instance yet."""
    if kernel is None or kernel.template_args or not kernel.template_params:
        return ()
    while callee.kind != K.DECL_REF_EXPR:
        inner = [c for c in callee.children if is_expression(c)]
        if not inner:
            return ()
        callee = inner[-1]
    return tuple(scope.expression(c) for c in callee.children if is_expression(c))


def _left_out(cursor: Cursor) -> bool:
    """Whether an argument is a default one, which stands nowhere in the text; what converts a macro within a macro's
    argument (``CHECKED((kernel<<<grid, BLOCK>>>(x)))``) has no extent either, but an operand."""
    extent = cursor.extent
    return cursor.kind == K.UNEXPOSED_EXPR and extent.start >= extent.end and not cursor.children


def _extent(expr: Expr | None) -> Expr | None:
    """A grid or block; a plain number is its x."""
    if expr is None or isinstance(expr, InitList):
        return expr
    if isinstance(expr.type, IntType):
        return InitList(expr.span, DIM3, (convert(expr, U32),))
    return expr
