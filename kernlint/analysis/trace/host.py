"""Host code: calls that are not followed are noted with what they are given; allocations get objects of their own."""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.trace.events import AllocationEvent, ApiEvent, Root, RootKind
from kernlint.analysis.trace.machine import Machine
from kernlint.analysis.trace.memory import read_variable
from kernlint.analysis.trace.values import PointerValue, ReferenceValue, StructValue, Value, VarPlace, as_term
from kernlint.symbolic.terms import binary, cast, const
from kernlint.tree.nodes import Call, FunctionKind
from kernlint.tree.types import I64, PointerType, Space


def note_call(m: Machine, e: Call, args: Sequence[Value], receiver: Value | None) -> None:
    """Note a call that is not followed, with its arguments as they are now."""
    if m.state is None:
        return
    behind = tuple(
        read_variable(m, value.place)
        if isinstance(value, ReferenceValue) and isinstance(value.place, VarPlace)
        else None
        for value in args
    )
    name = e.name.rpartition("::")[2]
    m.trace.apis.append(
        ApiEvent(**m.common(e.span), node=e, name=name, args=tuple(args), behind=behind, receiver=receiver)
    )


_MADE = {
    "Extent": ("width", "height", "depth"),
    "PitchedPtr": ("ptr", "pitch", "xsize", "ysize"),
    "Pos": ("x", "y", "z"),
}
"""What CUDA's and HIP's functions make structures of: the fields that their arguments become."""


def made_of(e: Call, values: Sequence[Value]) -> StructValue | None:
    """The structure that ``make_cudaExtent(...)`` and its like give."""
    kind = e.name.rpartition("::")[2].removeprefix("make_").removeprefix("cuda").removeprefix("hip")
    names = _MADE.get(kind)
    if names is None or not e.name.rpartition("::")[2].startswith("make_") or len(names) != len(values):
        return None
    return StructValue(e.type, tuple(zip(names, values, strict=True)))


ALLOCATORS: dict[str, tuple[int | None, int, int | None]] = {
    "cudaMalloc": (0, 1, None),
    "cudaMallocAsync": (0, 1, None),
    "cudaMallocManaged": (0, 1, None),
    "cudaMallocHost": (0, 1, None),
    "cudaHostAlloc": (0, 1, None),
    "hipMalloc": (0, 1, None),
    "hipMallocAsync": (0, 1, None),
    "hipMallocManaged": (0, 1, None),
    "hipHostMalloc": (0, 1, None),
    "cuMemAlloc": (0, 1, None),
    "cuMemAlloc_v2": (0, 1, None),
    "malloc": (None, 0, None),
    "calloc": (None, 0, 1),
    "clCreateBuffer": (None, 2, None),
}
"""Allocation functions: index of the argument that receives the pointer (None: it is the result), of the size in
bytes, and of a second factor of the size."""


def allocation(m: Machine, e: Call, values: list[Value]) -> None:
    """Note what a known allocation function allocates; the pointer then points to an object of its own."""
    rule = ALLOCATORS.get(e.name.rpartition("::")[2])
    if rule is None or m.state is None or m.function.kind is not FunctionKind.HOST:
        return
    out, size_at, factor_at = rule
    if size_at >= len(values):
        return
    size = cast(as_term(values[size_at]), I64)
    if factor_at is not None and factor_at < len(values):
        size = binary("mul", size, cast(as_term(values[factor_at]), I64), I64)
    target = values[out] if out is not None and out < len(values) else None
    if not isinstance(target, ReferenceValue) or not isinstance(target.place.type, PointerType):
        return
    pointee = target.place.type.pointee
    name = target.place.decl.name if isinstance(target.place, VarPlace) else "allocation"
    root = Root(name, RootKind.VARIABLE, Space.GLOBAL, None, pointee, extent=size.value)
    m.trace.allocations.append(AllocationEvent(**m.common(e.span), root=root, size=size, api=e.name))
    m.allocated = (target.place, PointerValue(root, const(0), pointee))
