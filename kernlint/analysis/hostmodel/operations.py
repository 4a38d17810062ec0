"""Copies, fills and releases that host code makes, by the walks of a file's host functions.

Each operation has the values that it was given; where a pointer leads, :func:`~.places.where_of` tells by what was
allocated in sight.  Functions of CUDA and HIP have one shape and are told by the name behind their prefix; a method of
``cl::CommandQueue`` is the function of C whose first argument is the queue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.analysis.hostmodel.places import Where, as_pointer, base_name, pointed_to, where_of
from kernlint.analysis.hostmodel.settings import excluded, implied
from kernlint.analysis.launching.launches import host
from kernlint.analysis.trace.events import AllocationEvent, ApiEvent, Event, Trace
from kernlint.analysis.trace.values import NULL, PointerValue, StructValue, Value, as_term
from kernlint.record import dataclass
from kernlint.symbolic.terms import Term, binary, cast, const
from kernlint.tree.nodes import Cast, Expr, FunctionDecl
from kernlint.tree.types import I64, OpaqueType, PointerType


class Kind(Enum):
    """The direction that a copy is said to have (the numbers are those of ``cudaMemcpyKind``)."""

    HOST_TO_HOST = 0
    HOST_TO_DEVICE = 1
    DEVICE_TO_HOST = 2
    DEVICE_TO_DEVICE = 3


@dataclass(frozen=True, slots=True, eq=False)
class Copy:
    """``size`` bytes from ``source`` to ``target``; of a copy by rows (``pitches`` of target and source in bytes) the
    size is that of a row.  ``kind``: None where it is not a constant, or left to the runtime.  ``waits``: whether the
    call ends after the copy has (None: not known).  ``stream``: the stream or queue (None: the default one).
    ``counted``: which of queue and arguments is the size."""

    event: ApiEvent
    target: Value
    source: Value
    size: Term
    kind: Kind | None
    pitches: tuple[Term, Term] | None = None
    waits: bool | None = True
    stream: Value | None = None
    counted: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Fill:
    """``size`` bytes at ``target`` set to a value (argument ``at`` of the call, one byte of it where ``bytewise``).
    ``counted``: as of a :class:`Copy`."""

    event: ApiEvent
    target: Value
    size: Term
    at: int = 1
    bytewise: bool = True
    counted: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """What ``target`` points to is given back."""

    event: ApiEvent
    target: Value


@dataclass(frozen=True, slots=True, eq=False)
class HostWalk:
    """One walk of a host function, with its operations in order."""

    function: FunctionDecl
    trace: Trace
    copies: tuple[Copy, ...]
    fills: tuple[Fill, ...]
    releases: tuple[Release, ...]
    allocations: dict[int, AllocationEvent]
    ranges: tuple[Fill, ...] = ()
    """Calls for a range of memory that write nothing: locks, prefetches, advice."""

    def where(self, value: Value, at: Event) -> Where:
        """The memory that ``value`` points to at the place of ``at``; not known where no way leads there with that
        value, or it was allocated only on some of those that do."""
        made = [self.allocations[id(root)] for root in pointed_to(value) if id(root) in self.allocations]
        if not made:
            return where_of(value, self.allocations)
        reached = not excluded(tuple(guard.term for guard in at.guards))
        certain = reached and all(implied(each.guards, at.guards) for each in made)
        return where_of(value, self.allocations) if certain else Where.UNKNOWN


def counted(one: Copy | Fill) -> Expr | None:
    """The expression that says how many bytes an operation is for."""
    if one.counted is None:
        return None
    node = one.event.node
    at = one.counted - (1 if one.event.receiver is not None else 0)
    return node.args[at] if at < len(node.args) else None


def widths(one: Copy | Fill) -> frozenset[int]:
    """Bytes of the elements that an operation may be about: of what its pointers point to, of a pattern."""
    found = set()
    for arg in one.event.node.args:
        while isinstance(arg, Cast):
            arg = arg.operand
        kind = arg.type
        if isinstance(kind, PointerType) and not isinstance(kind.pointee, (PointerType, OpaqueType)):
            found.add(kind.pointee.size or 1)
    if isinstance(one, Fill) and one.event.receiver is None and len(one.event.args) > 3:
        found.add(as_term(one.event.args[3]).value or 1)
    return frozenset(found)


def _bytes(value: Value) -> Term:
    return cast(as_term(value), I64)


def _moved(value: Value, offset: Value) -> Value:
    """The place ``offset`` bytes behind a pointer or handle."""
    pointer = as_pointer(value)
    if pointer is None:
        return value
    return PointerValue(pointer.root, binary("add", pointer.offset, _bytes(offset), I64), pointer.pointee)


def _memcpy(api: ApiEvent, args: tuple[Value, ...]) -> Copy | None:
    waits = not base_name(api.name).endswith("Async")
    stream = args[4] if len(args) > 4 else None
    return Copy(api, args[0], args[1], _bytes(args[2]), _kind(args[3]), waits=waits, stream=stream, counted=2)


def _rows(api: ApiEvent, args: tuple[Value, ...]) -> Copy | None:
    waits = not base_name(api.name).endswith("Async")
    pitches = _bytes(args[1]), _bytes(args[3])
    stream = args[7] if len(args) > 7 else None
    return Copy(api, args[0], args[2], _bytes(args[4]), _kind(args[6]), pitches, waits, stream, counted=4)


def _directed(kind: Kind) -> Callable[[ApiEvent, tuple[Value, ...]], Copy | None]:
    """Copies of the driver, whose names say where they go."""

    def copy(api: ApiEvent, args: tuple[Value, ...]) -> Copy:
        waits = not base_name(api.name).endswith("Async")
        stream = args[3] if len(args) > 3 else None
        return Copy(api, args[0], args[1], _bytes(args[2]), kind, waits=waits, stream=stream, counted=2)

    return copy


def _to_symbol(api: ApiEvent, args: tuple[Value, ...]) -> Copy | None:
    target = _moved(args[0], args[3]) if len(args) > 3 and as_term(args[3]).value is not None else args[0]
    return Copy(api, target, args[1], _bytes(args[2]), None, counted=2)


def _from_symbol(api: ApiEvent, args: tuple[Value, ...]) -> Copy | None:
    source = _moved(args[1], args[3]) if len(args) > 3 and as_term(args[3]).value is not None else args[1]
    return Copy(api, args[0], source, _bytes(args[2]), None, counted=2)


def _read(api: ApiEvent, args: tuple[Value, ...]) -> Copy | None:
    at, waits = _moved(args[1], args[3]), _blocking(args[2])
    return Copy(api, args[5], at, _bytes(args[4]), Kind.DEVICE_TO_HOST, waits=waits, stream=args[0], counted=4)


def _write(api: ApiEvent, args: tuple[Value, ...]) -> Copy | None:
    at, waits = _moved(args[1], args[3]), _blocking(args[2])
    return Copy(api, at, args[5], _bytes(args[4]), Kind.HOST_TO_DEVICE, waits=waits, stream=args[0], counted=4)


def _within(api: ApiEvent, args: tuple[Value, ...]) -> Copy | None:
    source, target = _moved(args[1], args[3]), _moved(args[2], args[4])
    return Copy(api, target, source, _bytes(args[5]), None, waits=False, stream=args[0], counted=5)


def _blocking(value: Value) -> bool | None:
    number = as_term(value).value
    return None if number is None else bool(number)


_COPIES: dict[str, tuple[int, Callable[[ApiEvent, tuple[Value, ...]], Copy | None]]] = {
    # name: the fewest arguments, and what they mean
    "Memcpy": (4, _memcpy),
    "MemcpyAsync": (4, _memcpy),
    "Memcpy2D": (7, _rows),
    "Memcpy2DAsync": (7, _rows),
    "MemcpyHtoD": (3, _directed(Kind.HOST_TO_DEVICE)),
    "MemcpyDtoH": (3, _directed(Kind.DEVICE_TO_HOST)),
    "MemcpyDtoD": (3, _directed(Kind.DEVICE_TO_DEVICE)),
    "MemcpyHtoDAsync": (3, _directed(Kind.HOST_TO_DEVICE)),
    "MemcpyDtoHAsync": (3, _directed(Kind.DEVICE_TO_HOST)),
    "MemcpyDtoDAsync": (3, _directed(Kind.DEVICE_TO_DEVICE)),
    "MemcpyToSymbol": (3, _to_symbol),
    "MemcpyToSymbolAsync": (3, _to_symbol),
    "MemcpyFromSymbol": (3, _from_symbol),
    "EnqueueReadBuffer": (6, _read),
    "EnqueueWriteBuffer": (6, _write),
    "EnqueueCopyBuffer": (6, _within),
}


def _given(api: ApiEvent) -> tuple[str, tuple[Value, ...]]:
    """Name and arguments of a call; the queue that a method is one of comes first."""
    name = base_name(api.name)
    if name.startswith("enqueue") and api.receiver is not None:
        return f"E{name[1:]}", (api.receiver, *api.args)
    return name, tuple(api.args)


def _copy(api: ApiEvent) -> Copy | None:
    name, args = _given(api)
    if name in ("Memcpy3D", "Memcpy3DAsync") and api.behind:
        return _volume(api, api.behind[0])
    few, make = _COPIES.get(name, (0, None))
    return make(api, args) if make is not None and len(args) >= few else None


def _volume(api: ApiEvent, job: Value | None) -> Copy | None:
    """A copy of rows of a volume, between plain memory on both sides (of arrays the width counts elements)."""
    if not isinstance(job, StructValue):
        return None
    if not all(_is_null(job.get(name)) for name in ("srcArray", "dstArray")):
        return None
    target, source, extent, kind = (job.get(name) for name in ("dstPtr", "srcPtr", "extent", "kind"))
    if not all(isinstance(one, StructValue) for one in (target, source, extent)) or kind is None:
        return None
    (to, to_pitch), (start, pitch) = ((one.get("ptr"), one.get("pitch")) for one in (target, source))  # type: ignore
    width = extent.get("width")  # type: ignore[union-attr]
    if to is None or start is None or width is None or to_pitch is None or pitch is None:
        return None
    pitches = _bytes(to_pitch), _bytes(pitch)
    return Copy(api, to, start, _bytes(width), _kind(kind), pitches, not api.name.endswith("Async"))


def _is_null(value: Value | None) -> bool:
    return isinstance(value, PointerValue) and value.root.name == NULL


def _kind(value: Value) -> Kind | None:
    number = as_term(value).value
    return Kind(number) if number in (0, 1, 2, 3) else None


_WIDTHS = {"MemsetD8": 1, "MemsetD16": 2, "MemsetD32": 4}
"""Fills of the driver count in elements of so many bytes."""


def _fill(api: ApiEvent) -> Fill | None:
    name, args = _given(api)
    if name in ("Memset", "MemsetAsync") and len(args) >= 3:
        return Fill(api, args[0], _bytes(args[2]), counted=2)
    width = _WIDTHS.get(name.removesuffix("Async"))
    if width is not None and len(args) >= 3:
        return Fill(api, args[0], binary("mul", _bytes(args[2]), const(width), I64), bytewise=False)
    if name == "EnqueueFillBuffer":
        if api.receiver is not None and len(args) >= 5:
            return Fill(api, _moved(args[1], args[3]), _bytes(args[4]), bytewise=False, counted=4)
        if api.receiver is None and len(args) >= 6:
            return Fill(api, _moved(args[1], args[4]), _bytes(args[5]), bytewise=False, counted=5)
    return None


_RANGES = frozenset({"HostRegister", "MemHostRegister", "MemPrefetchAsync", "MemAdvise"})
"""Functions whose first two arguments are a pointer and a number of bytes (CUDA runtime and driver API, HIP)."""


def _range(api: ApiEvent) -> Fill | None:
    known = base_name(api.name) in _RANGES and len(api.args) >= 3
    return Fill(api, api.args[0], _bytes(api.args[1]), bytewise=False, counted=1) if known else None


_RELEASING = frozenset(
    {"Free", "FreeAsync", "FreeHost", "HostFree", "MemFree", "MemFreeAsync", "MemFreeHost", "ReleaseMemObject", "free"}
)


def _release(api: ApiEvent) -> Release | None:
    return Release(api, api.args[0]) if base_name(api.name) in _RELEASING and api.args else None


def _walk(function: FunctionDecl, trace: Trace) -> HostWalk:
    return HostWalk(
        function,
        trace,
        tuple(copy for api in trace.apis if (copy := _copy(api)) is not None),
        tuple(fill for api in trace.apis if (fill := _fill(api)) is not None),
        tuple(release for api in trace.apis if (release := _release(api)) is not None),
        {id(allocation.root): allocation for allocation in trace.allocations},
        tuple(one for api in trace.apis if (one := _range(api)) is not None),
    )


def _compute(facts: ModuleFacts) -> tuple[HostWalk, ...]:
    return tuple(_walk(function, trace) for function, trace in facts[host].traces)


host_operations = ModuleAnalysis("host_operations", _compute, needs=(host,))
"""The :class:`HostWalk` of each host function from which a walk began."""


def _of_objects(facts: ModuleFacts) -> tuple[HostWalk, ...]:
    return tuple(_walk(function, trace) for function, trace in facts[host].objects)


object_operations = ModuleAnalysis("object_operations", _of_objects, needs=(host,))
"""The :class:`HostWalk` of methods with an object as their class makes it, which nobody in sight needs to make."""


def events_at(walk_: HostWalk) -> Iterator[tuple[int, object]]:
    """Launches, copies, fills and releases by their order, and the calls that are none of these."""
    groups = (walk_.copies, walk_.fills, walk_.releases)
    found: list[tuple[int, object]] = [(one.event.order, one) for group in groups for one in group]
    done = {order for order, _ in found}
    found += [(event.order, event) for event in walk_.trace.launches]
    found += [(event.order, event) for event in walk_.trace.apis if event.order not in done]
    yield from sorted(found, key=lambda pair: pair[0])
