"""Copies, fills and releases that host code makes, by the walks of a file's host functions.

Each operation has the values that it was given; where a pointer leads, :func:`~.places.where_of` tells by what was
allocated in sight.  Functions of CUDA and HIP have one shape and are told by the name behind their prefix; a method of
``cl::CommandQueue`` is the function of C whose first argument is the queue.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.analysis.hostmodel.places import Allocations, Where, as_pointer, pointed_to, where_of
from kernlint.analysis.hostmodel.settings import excluded, implied
from kernlint.analysis.launching.launches import host
from kernlint.analysis.trace.events import AllocationEvent, ApiEvent, Event, Trace
from kernlint.analysis.trace.values import NULL, PointerValue, StructValue, Value, as_term
from kernlint.apis import Ends, Fills, Maps, Moves, Ranges, api_of, base_name
from kernlint.apis.memory import D2D, HOST_FILLS, HOST_MOVES
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
    own: tuple[Copy | Fill, ...] = ()
    """Copies and fills that the host itself makes, to or from memory that a runtime gave."""

    def where(self, value: Value, at: Event) -> Where:
        """The memory that ``value`` points to at the place of ``at``; not known where no way leads there with that
        value, or it was allocated only on some of those that do."""
        found = where_of(value, self.allocations)
        made = [self.allocations[id(root)] for root in pointed_to(value) if id(root) in self.allocations]
        if not made or found is Where.UNKNOWN:
            return found
        reached = not excluded(tuple(guard.term for guard in at.guards))
        certain = reached and all(implied(each.guards, at.guards) for each in made)
        return found if certain else Where.UNKNOWN

    def leads_to(self, place: Where, value: Value, at: Event) -> bool:
        """Whether :meth:`where` would say ``place``; quick where nothing speaks for it."""
        return where_of(value, self.allocations) is place and self.where(value, at) is place


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
    if base_name(one.event.name) == "EnqueueFillBuffer" and len(one.event.args) > 3:  # the size of the pattern
        found.add(as_term(one.event.args[3]).value or 1)
    if one.event.receiver is not None and one.event.name.endswith("enqueueFillBuffer") and len(one.event.args) > 1:
        found.add(getattr(one.event.node.args[1].type, "size", None) or 1)  # a method takes the pattern itself
    return frozenset(found)


def _bytes(value: Value) -> Term:
    return cast(as_term(value), I64)


def _moved(value: Value, offset: Value) -> Value:
    """The place ``offset`` bytes behind a pointer or handle."""
    pointer = as_pointer(value)
    if pointer is None:
        return value
    return PointerValue(pointer.root, binary("add", pointer.offset, _bytes(offset), I64), pointer.pointee)


def _at(args: tuple[Value, ...], index: int | None) -> Value | None:
    return args[index] if index is not None and index < len(args) else None


def _moved_by(api: ApiEvent, moves: Moves, args: tuple[Value, ...]) -> Copy | None:
    """The copy that a call makes, by what its arguments mean."""
    sides = []
    for at, offset in ((moves.target, moves.target_offset), (moves.source, moves.source_offset)):
        side, behind = _at(args, moves.symbol if at is None else at), _at(args, offset)
        if side is None:
            return None
        known = behind is not None and (moves.symbol is None or as_term(behind).value is not None)
        sides.append(_moved(side, behind) if behind is not None and known else side)
    size, direction = _at(args, moves.size), _at(args, moves.at)
    if size is None or (moves.at is not None and direction is None and moves.symbol is None):
        return None
    kind = _kind(direction) if direction is not None else Kind(moves.kind) if moves.kind is not None else None
    if (moves.symbol is not None and direction is None) or (moves.kind == D2D and moves.stream == 0):
        kind = None  # nothing is said of it; both sides of a copy by a queue are buffers
    pitches = None
    if moves.pitches is not None:
        to, start = (_at(args, at) for at in moves.pitches)
        if to is None or start is None:
            return None
        pitches = _bytes(to), _bytes(start)
    flag = _at(args, moves.flag)
    waits = moves.waits if moves.flag is None else _blocking(flag) if flag is not None else None
    stream = _at(args, moves.stream)
    return Copy(api, sides[0], sides[1], _bytes(size), kind, pitches, waits, stream, moves.size)


def _blocking(value: Value) -> bool | None:
    number = as_term(value).value
    return None if number is None else bool(number)


def _given(api: ApiEvent) -> tuple[str, tuple[Value, ...]]:
    """Name and arguments of a call; the queue that a method is one of comes first."""
    name = base_name(api.name)
    if name.startswith("enqueue") and api.receiver is not None:
        return f"E{name[1:]}", (api.receiver, *api.args)
    return name, tuple(api.args)


def _copy(api: ApiEvent) -> Copy | None:
    name, args = _given(api)
    if name in ("Memcpy3D", "Memcpy3DAsync") and api.behind:
        made = _volume(api, api.behind[0])
        return made if made is not None or not api.name.startswith("cu") else _of_driver(api, api.behind[0])
    if name in ("Memcpy2DOf", "Memcpy2DOfAsync") and api.behind:
        return _of_driver(api, api.behind[0])
    moves = api_of(api.name, api.receiver is not None)
    return _moved_by(api, moves, args) if isinstance(moves, Moves) and not moves.arrays else None


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


_HELD_BY = {1: "Host", 2: "Device", 3: "Array", 4: "Device"}
"""Members of the driver's descriptions of copies that count for a type of memory (``CUmemorytype``: host, device,
array, unified)."""


def _of_driver(api: ApiEvent, job: Value | None) -> Copy | None:
    """A copy of rows that the driver is given a description of (``CUDA_MEMCPY2D``, ``CUDA_MEMCPY3D``); an array has its
    rows as it will."""
    width = job.get("WidthInBytes") if isinstance(job, StructValue) else None
    if not isinstance(job, StructValue) or not isinstance(width, Term):
        return None
    sides: list[tuple[Value, Term]] = []
    for side in ("dst", "src"):
        kind = job.get(f"{side}MemoryType")
        held = _HELD_BY.get(kind.value or 0) if isinstance(kind, Term) else None
        memory, pitch = job.get(f"{side}{held}"), job.get(f"{side}Pitch") if held != "Array" else width
        if held is None or memory is None or pitch is None:
            return None
        sides.append((memory, _bytes(pitch)))
    (target, to), (source, start) = sides
    waits, stream = not base_name(api.name).endswith("Async"), api.args[1] if len(api.args) > 1 else None
    return Copy(api, target, source, _bytes(width), None, (to, start), waits, stream)


def _is_null(value: Value | None) -> bool:
    return isinstance(value, PointerValue) and value.root.name == NULL


def _kind(value: Value) -> Kind | None:
    number = as_term(value).value
    return Kind(number) if number in (0, 1, 2, 3) else None


def _fill(api: ApiEvent) -> Fill | None:
    fills, (_, args) = api_of(api.name, api.receiver is not None), _given(api)
    if not isinstance(fills, Fills) or fills.pitch is not None:
        return None
    target, size, offset = (_at(args, at) for at in (fills.target, fills.size, fills.offset))
    if target is None or size is None or (fills.offset is not None and offset is None):
        return None
    if offset is not None:
        target = _moved(target, offset)
    whole = binary("mul", _bytes(size), const(fills.unit), I64) if fills.unit > 1 else _bytes(size)
    return Fill(api, target, whole, fills.value, fills.bytewise, fills.size if fills.unit == 1 else None)


def _of_host(api: ApiEvent, allocations: Allocations) -> Copy | Fill | None:
    """A copy or fill by the language's library, where one side is memory that both can reach."""
    moves, fills = HOST_MOVES.get(api.name), HOST_FILLS.get(api.name)
    if len(api.args) != 3 or (moves is None and fills is None):
        return None
    if not any(where_of(value, allocations) is Where.BOTH for value in api.args[:2]):
        return None
    if moves is not None:
        return Copy(api, api.args[0], api.args[1], _bytes(api.args[2]), None, counted=moves.size)
    return Fill(api, api.args[0], _bytes(api.args[2]), counted=2)


def _range(api: ApiEvent) -> Fill | None:
    """A call for a range of memory that writes nothing there, a mapping among them."""
    known, (_, args) = api_of(api.name, api.receiver is not None), _given(api)
    if not isinstance(known, (Ranges, Maps)):
        return None
    memory, size = _at(args, known.memory), _at(args, known.size)
    if memory is None or size is None:
        return None
    offset = _at(args, known.offset) if isinstance(known, Maps) else None
    return Fill(api, _moved(memory, offset) if offset is not None else memory, _bytes(size), 1, False, known.size)


def _release(api: ApiEvent) -> Release | None:
    ends = api_of(api.name)
    if not isinstance(ends, Ends) or ends.arrays or ends.what != 0 or not api.args:
        return None
    memory = bool(ends.of) and not api.name.startswith("operator")
    return Release(api, api.args[0]) if memory or base_name(api.name) == "ReleaseMemObject" else None


def _walk(function: FunctionDecl, trace: Trace) -> HostWalk:
    allocations = {id(allocation.root): allocation for allocation in trace.allocations}
    return HostWalk(
        function,
        trace,
        tuple(copy for api in trace.apis if (copy := _copy(api)) is not None),
        tuple(fill for api in trace.apis if (fill := _fill(api)) is not None),
        tuple(release for api in trace.apis if (release := _release(api)) is not None),
        allocations,
        tuple(one for api in trace.apis if (one := _range(api)) is not None),
        tuple(own for api in trace.apis if (own := _of_host(api, allocations)) is not None),
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
