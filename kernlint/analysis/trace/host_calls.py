"""Launches of kernels, and the sizes that they are given."""

from __future__ import annotations

from kernlint.analysis.trace import launch
from kernlint.analysis.trace.containers import DATA, SIZE
from kernlint.analysis.trace.evaluation import evaluate
from kernlint.analysis.trace.events import (
    LaunchEvent,
)
from kernlint.analysis.trace.machine import Machine
from kernlint.analysis.trace.memory import (
    load,
)
from kernlint.analysis.trace.packed import of_sequence
from kernlint.analysis.trace.values import (
    FunctionValue,
    MemPlace,
    PointerValue,
    StructValue,
    Value,
    unknown_value,
)
from kernlint.record import replace
from kernlint.symbolic.terms import (
    SymbolKind,
    Term,
    const,
    plain,
)
from kernlint.tree import nodes as n
from kernlint.tree.launch_arguments import packed_arguments
from kernlint.tree.types import (
    U64,
    IntType,
)
from kernlint.tree.walk import strip_casts


def kernel_launch(m: Machine, e: n.Launch) -> Value:
    """A launch: recorded in host code; from inside a kernel (dynamic parallelism) it is opaque."""
    parts = {
        name: _sizes(m, expr) if expr is not None else None
        for name, expr in (("grid", e.grid), ("block", e.block), ("global", e.global_size), ("shared", e.shared))
    }
    operands = e.args or _packed(m, e)
    args = tuple(_no_gap(m, arg) for arg in operands)
    values = tuple(evaluate(m, value) for value in e.values)
    called = evaluate(m, e.callee) if e.callee is not None else None
    functions = called.all if isinstance(called, FunctionValue) else (FunctionValue(e.kernel, ""),)
    named = [(one.function, one.when) for one in functions if one.function is not None]
    if m.function.kind is n.FunctionKind.HOST and m.state is not None:
        shared = parts["shared"]
        m.trace.launches.append(
            LaunchEvent(
                **m.common(e.span),
                node=e,
                grid=extent(parts["grid"]),
                block=extent(parts["block"]),
                global_size=extent(parts["global"]),
                shared=shared if isinstance(shared, Term) else None,
                args=args,
                values=values,
                host=m.function,
                kernels=tuple(kernel for kernel, _ in named),
                chosen=tuple(when for _, when in named),
                stream=evaluate(m, e.stream) if e.stream is not None else None,
                early=e.attributes is not None and launch.begins_early(m, evaluate(m, e.attributes)),
                handle=called,
                listed=operands,
                moved=(
                    launch.moved_axes(_sizes(m, e.offset), extent(parts["global"]))
                    if e.offset is not None
                    else frozenset()
                ),
            )
        )
    else:
        m.gap("call", "launch from a kernel", e.span)
    return unknown_value(e.type, "launch")


def _sizes(m: Machine, expr: n.Expr) -> Value:
    """The extents of a launch; elements of an array as they were last stored, or as its declaration has them."""
    value = evaluate(m, expr)
    if isinstance(value, StructValue) and (data := value.get(DATA)) is not None:
        return _elements(m, expr, data, value.get(SIZE))
    if not (isinstance(value, StructValue) and isinstance(expr, n.InitList)):
        return value
    fields = []
    for (name, size), element in zip(value.fields, expr.elements, strict=False):
        fields.append((name, as_declared(m, element, size)))
    return replace(value, fields=(*fields, *value.fields[len(fields) :]))


def _elements(m: Machine, expr: n.Expr, data: Value, size: Value | None) -> Value:
    """The few sizes that a sequence holds."""
    count = size.value if isinstance(size, Term) else None
    if count is None or not 1 <= count <= 3 or not isinstance(data, PointerValue):
        return unknown_value(expr.type, "sizes in a sequence")
    at = (PointerValue(data.root, const(8 * index), U64) for index in range(count))
    held = (load(m, MemPlace(one, U64, const(index)), expr) for index, one in enumerate(at))
    return StructValue(expr.type, tuple((f"#{index}", value) for index, value in enumerate(held)))


def as_declared(m: Machine, element: n.Expr, size: Value) -> Value:
    """The ``size`` that an element of an array gives, or what its declaration has where no store to it is in sight."""
    listed = _declared(strip_casts(element))
    held = plain(size).symbol if listed is not None and isinstance(size, Term) and size.value is None else None
    return evaluate(m, listed) if listed is not None and held is not None and held.kind is SymbolKind.LOAD else size


def _declared(expr: n.Expr) -> n.Expr | None:
    """What the declaration of an array has for its element ``expr``."""
    if isinstance(expr, n.Subscript) and isinstance(expr.base, n.Ref) and isinstance(expr.index, n.IntLit):
        listed = expr.base.decl.init
        if isinstance(listed, n.InitList) and expr.index.value < len(listed.elements):
            return listed.elements[expr.index.value]
    return None


def _packed(m: Machine, e: n.Launch) -> tuple[n.Expr, ...]:
    """The arguments of a launch that is given an array of their addresses, by the list that it begins with."""
    value = evaluate(m, e.packed) if e.packed is not None else None
    decl = value.root.decl if isinstance(value, PointerValue) and value.offset.value == 0 else None
    listed = decl.init if decl is not None else None
    if isinstance(listed, n.InitList):
        return packed_arguments(listed)
    return of_sequence(e.packed, [frame.function for frame in m.frames], m.stack)


def _no_gap(m: Machine, arg: n.Expr) -> Value:
    return unknown_value(arg.type, arg.reason) if isinstance(arg, n.Opaque) and not arg.children else evaluate(m, arg)


def extent(value: Value | None) -> tuple[Term, Term, Term] | None:
    """Three sizes out of a dim3, an array of sizes or a plain number; None when they are not known."""
    if isinstance(value, StructValue):
        sizes = [v for _, v in value.fields[:3] if isinstance(v, Term)]
        while 0 < len(sizes) < 3:
            sizes.append(const(1))
        return (sizes[0], sizes[1], sizes[2]) if sizes else None
    if isinstance(value, Term) and isinstance(value.type, IntType):
        return value, const(1), const(1)
    return None
