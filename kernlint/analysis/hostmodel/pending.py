"""What the host touches while the device may still be at it: copies that are not waited for, managed memory.

A walk's events are gone through in order.  A copy that the call does not wait for, and a launch that is given managed
memory, leave work behind; whatever waits, or may wait without that it is known for what, ends all of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.hostmodel.operations import Copy, HostWalk, Kind
from kernlint.analysis.hostmodel.places import Where, complete, pointed_to
from kernlint.analysis.hostmodel.settings import implied
from kernlint.analysis.trace.events import Access, AccessKind, ApiEvent, CallEvent, Event, LaunchEvent, Root, RootKind
from kernlint.analysis.trace.host import LIBRARY
from kernlint.analysis.trace.values import PointerValue, ReferenceValue, StructValue, Value, VarPlace
from kernlint.apis import base_name
from kernlint.record import dataclass
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import Call, VarDecl
from kernlint.tree.types import FloatType, IntType, PointerType, StructType, Type

Place = Root | VarDecl

_WAITS = pattern(
    r"\w*(?:[Ss]ynchron|[Ww]ait|Query|finish|Finish|[Bb]arrier|Callback|HostFunc|join|[Ss]ync)\w*"
    r"|(?:cuda|hip|cu)(?:Free|FreeHost|HostFree|MemFree|MemFreeHost|DeviceReset|EventElapsedTime|Memcpy\w*|Memset)(?:_v2)?"
    r"|clEnqueue(?:Map|Unmap)\w+|cl(?:ReleaseCommandQueue|GetEventInfo|GetEventProfilingInfo)|enqueueMapBuffer"
)
"""Functions that wait for what was begun before, or tell that it is over.  (Copies that do not wait are told apart.)"""


@dataclass(frozen=True, slots=True, eq=False)
class Unfinished:
    """Work that may not be over: ``begun`` by a copy into ``place`` or from it, or by a launch that may write it.
    ``pageable``: a copy of CUDA or HIP to memory that nobody in sight has locked, which is complete when it returns."""

    begun: Event
    place: Place
    copy: Copy | None
    written: bool
    pageable: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Early:
    """The host's ``access`` to what ``work`` may still be at."""

    access: Event
    work: Unfinished


def early_accesses(walk: HostWalk) -> Iterator[Early]:
    """Accesses of the host to memory that a copy or kernel begun before may still write, or read."""
    copies = {id(copy.event): copy for copy in walk.copies}
    trace = walk.trace
    if not any(copy.waits is False for copy in walk.copies) and not _managed(walk):
        return
    events: list[Event] = [*trace.apis, *trace.calls, *trace.launches, *trace.accesses]
    pending: dict[Place, Unfinished] = {}
    for event in sorted(events, key=lambda one: one.order):
        if isinstance(event, Access):
            place: Place | None = event.root
            if place not in pending and event.root.decl is not None and not event.root.path:
                place = event.root.decl
            work = pending.get(place) if place is not None else None
            if work is not None and _apart(work, event):
                continue
            if work is not None and (work.written or event.kind is AccessKind.WRITE) and _follows(work.begun, event):
                del pending[work.place]
                yield Early(event, work)
        elif isinstance(event, LaunchEvent):
            for root in _given_managed(event, walk):
                pending[root] = Unfinished(event, root, None, True)
        elif isinstance(event, ApiEvent) and id(event) in copies:
            copy = copies[id(event)]
            if copy.waits is not False:
                pending.clear()
                continue
            begun = _begun(copy, walk)
            if begun is not None:
                pending[begun.place] = begun
        elif isinstance(event, ApiEvent) and (early := _read_by(event, pending)) is not None:
            del pending[early.work.place]
            yield early
        elif _may_wait(event):
            pending.clear()


def _apart(work: Unfinished, access: Access) -> bool:
    """Whether an access is to another part of the object than the copy."""
    copy = work.copy
    pointer = copy and (copy.target if work.written else copy.source)
    if copy is None or not isinstance(pointer, PointerValue):
        return False
    start, size, at = pointer.offset.value, copy.size.value, access.offset.value
    return start is not None and at is not None and (at < start or (size is not None and at >= start + size))


def _read_by(event: ApiEvent, pending: dict[Place, Unfinished]) -> Early | None:
    """What an algorithm of the standard library reads too early."""
    name = event.node.name
    if not name.startswith("std::") or event.node.receiver is not None or name in _OBJECTS:
        return None
    for value in event.args:
        for root in pointed_to(value):
            work = pending.get(root)
            if work is not None and work.written and _follows(work.begun, event):
                return Early(event, work)
    return None


_OBJECTS = frozenset(
    f"std::{name}"
    for name in ("swap", "exchange", "move", "forward", "addressof", "ref", "cref", "tie", "make_pair", "make_tuple")
)
"""Functions of the standard library that take a pointer as a value, and look at nothing behind it."""


def _managed(walk: HostWalk) -> bool:
    return any("Managed" in one.api for one in walk.trace.allocations) and bool(walk.trace.launches)


def _begun(copy: Copy, walk: HostWalk) -> Unfinished | None:
    """What a copy that is not waited for leaves behind on the host's side."""
    target, source = walk.where(copy.target, copy.event), walk.where(copy.source, copy.event)
    if copy.kind is Kind.DEVICE_TO_HOST or (copy.kind is None and target is Where.HOST):
        place = _place(copy.target)
        locked = any(base_name(api.name) in ("HostRegister", "MemHostRegister") for api in walk.trace.apis)
        pageable = target is Where.HOST and not locked and complete(copy.event.name)
        return Unfinished(copy.event, place, copy, True, pageable) if place is not None else None
    if copy.kind is Kind.HOST_TO_DEVICE and source is Where.BOTH:  # from other memory the runtime takes a copy first
        place = _place(copy.source)
        return Unfinished(copy.event, place, copy, False) if place is not None else None
    return None


def _place(value: Value) -> Place | None:
    if isinstance(value, ReferenceValue):
        return value.place.decl if isinstance(value.place, VarPlace) else value.place.pointer.root
    roots = pointed_to(value)
    return roots[0] if len(roots) == 1 and roots[0].kind is not RootKind.UNKNOWN else None


def _given_managed(launch: LaunchEvent, walk: HostWalk) -> Iterator[Root]:
    """Managed memory that a launch is given to write."""
    params = launch.kernels[0].params if launch.kernels else ()
    for index, value in enumerate(launch.args):
        kind = params[index].type if index < len(params) else None
        for pointer in _writable(value, kind):
            for root in pointed_to(pointer):
                made = walk.allocations.get(id(root))
                if made is not None and base_name(made.api) in ("MallocManaged", "MemAllocManaged"):
                    yield root


def _writable(value: Value | None, kind: Type | None) -> Iterator[PointerValue]:
    """The pointers in an argument, be it one or an object with some (a functor), that are not to constants, nor to
    what host and kernel read anew each time, to talk to each other while it runs."""
    if isinstance(value, PointerValue):
        if not (isinstance(kind, PointerType) and (kind.const or kind.volatile)):
            yield value
    elif isinstance(value, StructValue):
        kinds = {field.name: field.type for field in kind.fields} if isinstance(kind, StructType) else {}
        for name, held in value.fields:
            if name in kinds:  # of others it is not known what the device may do with them
                yield from _writable(held, kinds[name])


def _follows(begun: Event, access: Event) -> bool:
    """Whether whatever comes to the access has passed the call, in the same round of the loops around that."""
    return access.loops[: len(begun.loops)] == begun.loops and implied(begun.guards, access.guards)


def waits(api: ApiEvent) -> bool:
    """Whether a call waits for the device, or may, other than by giving memory back."""
    return _WAITS.fullmatch(api.name) is not None and not base_name(api.name).startswith(("Free", "MemFree"))


def _may_wait(event: Event) -> bool:
    """Whether a call waits for the device, as far as can be told."""
    if isinstance(event, ApiEvent):
        return _WAITS.fullmatch(event.name) is not None
    if not isinstance(event, CallEvent):
        return False
    if LIBRARY.fullmatch(event.name) is not None:
        return False
    if _WAITS.fullmatch(event.name.rpartition("::")[2]) or not isinstance(event.node, Call):
        return True
    parts = [*event.node.args, *([event.node.receiver] if event.node.receiver is not None else [])]
    plain = all(isinstance(part.type, (IntType, FloatType)) or _is_text(part.type) for part in parts)
    return not parts or not plain


def _is_text(kind: object) -> bool:
    pointee = getattr(kind, "pointee", None) or getattr(kind, "element", None)
    return isinstance(pointee, IntType) and pointee.bits == 8
