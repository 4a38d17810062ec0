"""Copies, fills and releases that host code makes, by the walks of a file's host functions.

Each operation has the values that it was given; where a pointer leads, :func:`where_of` tells by what was allocated in
sight.  Functions of CUDA and HIP have one shape and are told by the name behind their prefix.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.analysis.launching.launches import host
from kernlint.analysis.trace.events import AllocationEvent, ApiEvent, Root, RootKind, Trace
from kernlint.analysis.trace.values import NULL, PointerValue, ReferenceValue, StructValue, Value, as_term, chosen
from kernlint.record import dataclass
from kernlint.symbolic.terms import Term, cast
from kernlint.text.patterns import pattern
from kernlint.tree.nodes import FunctionDecl
from kernlint.tree.types import I64, ArrayType, Space

_PREFIX = pattern(r"(?:cuda|hip|cu|cl)(?=[A-Z])")


class Where(Enum):
    """Which memory something lies in."""

    DEVICE = "device memory"
    HOST = "host memory"
    BOTH = "memory of both"  # managed, or pinned: whatever is done with it may be meant
    UNKNOWN = "unknown"


_ALLOCATED = {
    "Malloc": Where.DEVICE,
    "MallocAsync": Where.DEVICE,
    "MemAlloc": Where.DEVICE,
    "MemAlloc_v2": Where.DEVICE,
    "malloc": Where.HOST,
    "calloc": Where.HOST,
}


class Kind(Enum):
    """The direction that a copy is said to have (the numbers are those of ``cudaMemcpyKind``)."""

    HOST_TO_HOST = 0
    HOST_TO_DEVICE = 1
    DEVICE_TO_HOST = 2
    DEVICE_TO_DEVICE = 3


@dataclass(frozen=True, slots=True, eq=False)
class Copy:
    """``size`` bytes from ``source`` to ``target``; of a copy by rows (``pitches`` of target and source in bytes) the
    size is that of a row.  ``kind``: None where it is not a constant, or left to the runtime."""

    event: ApiEvent
    target: Value
    source: Value
    size: Term
    kind: Kind | None
    pitches: tuple[Term, Term] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Fill:
    """``size`` bytes at ``target`` set to a value (argument ``at`` of the call)."""

    event: ApiEvent
    target: Value
    size: Term
    at: int = 1


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

    def where(self, value: Value) -> Where:
        """The memory that ``value`` points to."""
        return where_of(value, self.allocations)


def _base(name: str) -> str:
    return _PREFIX.sub("", name, count=1)


def _copy(api: ApiEvent) -> Copy | None:
    name, args = _base(api.name), api.args
    if name in ("Memcpy", "MemcpyAsync") and len(args) >= 4:
        return Copy(api, args[0], args[1], cast(as_term(args[2]), I64), _kind(args[3]))
    if name in ("Memcpy2D", "Memcpy2DAsync") and len(args) >= 7:
        pitches = cast(as_term(args[1]), I64), cast(as_term(args[3]), I64)
        return Copy(api, args[0], args[2], cast(as_term(args[4]), I64), _kind(args[6]), pitches)
    if name in ("Memcpy3D", "Memcpy3DAsync") and api.behind:
        return _volume(api, api.behind[0])
    return None


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
    pitches = cast(as_term(to_pitch), I64), cast(as_term(pitch), I64)
    return Copy(api, to, start, cast(as_term(width), I64), _kind(kind), pitches)


def _is_null(value: Value | None) -> bool:
    return isinstance(value, PointerValue) and value.root.name == NULL


def _kind(value: Value) -> Kind | None:
    number = as_term(value).value
    return Kind(number) if number in (0, 1, 2, 3) else None


def _fill(api: ApiEvent) -> Fill | None:
    if _base(api.name) in ("Memset", "MemsetAsync") and len(api.args) >= 3:
        return Fill(api, api.args[0], cast(as_term(api.args[2]), I64))
    return None


_RELEASING = frozenset(
    {"Free", "FreeAsync", "FreeHost", "HostFree", "MemFree", "MemFree_v2", "ReleaseMemObject", "free"}
)


def _release(api: ApiEvent) -> Release | None:
    return Release(api, api.args[0]) if _base(api.name) in _RELEASING and api.args else None


def pointed_to(value: Value) -> tuple[Root, ...]:
    """The objects that a pointer may point to, null aside; empty where that is not known."""
    if not isinstance(value, PointerValue):
        return ()
    roots = [root for _, at in chosen(value) for root in (at.root.candidates or (at.root,)) if root.name != NULL]
    return () if any(root.kind is RootKind.UNKNOWN for root in roots) else tuple(dict.fromkeys(roots))


def where_of(value: Value, allocations: dict[int, AllocationEvent]) -> Where:
    """The memory that ``value`` points to, whichever of several objects it is."""
    if isinstance(value, ReferenceValue):
        decl = getattr(value.place, "decl", None)
        return Where.HOST if decl is not None and decl.space is Space.HOST else Where.UNKNOWN
    found = {_of_root(root, allocations) for root in pointed_to(value)}
    return found.pop() if len(found) == 1 else Where.UNKNOWN


def _of_root(root: Root, allocations: dict[int, AllocationEvent]) -> Where:
    allocation = allocations.get(id(root))
    if allocation is not None:
        return _ALLOCATED.get(_base(allocation.api.rpartition("::")[2]), Where.BOTH)
    decl = root.decl
    if root.kind is RootKind.VARIABLE and decl is not None and decl.space is Space.HOST:
        return Where.HOST if isinstance(decl.type, ArrayType) else Where.UNKNOWN
    return Where.UNKNOWN


def _walk(function: FunctionDecl, trace: Trace) -> HostWalk:
    return HostWalk(
        function,
        trace,
        tuple(copy for api in trace.apis if (copy := _copy(api)) is not None),
        tuple(fill for api in trace.apis if (fill := _fill(api)) is not None),
        tuple(release for api in trace.apis if (release := _release(api)) is not None),
        {id(allocation.root): allocation for allocation in trace.allocations},
    )


def _compute(facts: ModuleFacts) -> tuple[HostWalk, ...]:
    return tuple(_walk(function, trace) for function, trace in facts[host].traces)


host_operations = ModuleAnalysis("host_operations", _compute, needs=(host,))
"""The :class:`HostWalk` of each host function from which a walk began."""


def events_at(walk_: HostWalk) -> Iterator[tuple[int, object]]:
    """Launches, copies, fills and releases by their order."""
    groups = (walk_.copies, walk_.fills, walk_.releases)
    found: list[tuple[int, object]] = [(one.event.order, one) for group in groups for one in group]
    found += [(event.order, event) for event in walk_.trace.launches]
    yield from sorted(found, key=lambda pair: pair[0])
