"""Buffers of OpenCL that have their contents in memory of the host, and what the host may read there.

With ``CL_MEM_USE_HOST_PTR`` "OpenCL implementations are allowed to cache the buffer contents pointed to by host_ptr in
device memory"; what ``clEnqueueMapBuffer`` gives, once it is complete, has the latest bits (OpenCL 3.0 API, 5.2.1 and
5.4.3).  Memory that the host reads while the kernel may not even be over has them surely not.
"""

from __future__ import annotations

from kernlint.analysis.hostmodel.lifetimes.machine import Machine
from kernlint.analysis.hostmodel.lifetimes.memory import behind
from kernlint.analysis.hostmodel.lifetimes.model import At, Bound, Pending, Place, State
from kernlint.analysis.hostmodel.lifetimes.program import Key, Program
from kernlint.apis.order import USE_HOST_PTR
from kernlint.tree import nodes as n
from kernlint.tree.types import VOID, PointerType
from kernlint.tree.walk import strip_casts, walk

_HELD = "#held"

WRITTEN = 1 | 2
"""CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY: that kernels write the buffer is said where it is made."""


def resting(program: Program) -> dict[Key, tuple[str, bool]]:
    """Members that are buffers in memory of the host, with the member of the same object that leads to that, and
    whether it is an owning pointer."""
    found: dict[Key, tuple[str, bool]] = {}
    for function in program.functions:
        for node in walk(function.body) if function.body is not None else ():
            call = strip_casts(node.value) if isinstance(node, n.Assign) else None
            if not isinstance(call, n.Call) or call.name != "clCreateBuffer" or len(call.args) < 4:
                continue
            flags, host = walk(call.args[1]), strip_casts(call.args[3])
            owned = isinstance(host, n.Call) and host.name.endswith("::get") and host.receiver is not None
            leads = host.receiver if isinstance(host, n.Call) and owned else host
            said = {flag.value for flag in flags if isinstance(flag, n.IntLit)}
            used = any(flag & USE_HOST_PTR for flag in said) and any(flag & WRITTEN for flag in said)
            if used and isinstance(node, n.Assign) and isinstance(node.target, n.Member) and leads is not None:
                key, other = program.addressed(node.target), program.addressed(leads)
                if key is not None and other is not None and key[0] == other[0]:
                    found[key] = other[1], owned
    return found


def working(m: Machine, e: n.Launch, one: Bound, s: State) -> None:
    """A kernel is launched with a buffer: where that is in the host's memory, it may be written there from now on."""
    places = [at for buffer, at, _ in s.rests if buffer is one.thing and one.thing.flags & WRITTEN]
    if not places and one.thing.key is not None and one.thing.origin is not None:
        place = _beside(m, one.thing.key, one.thing.origin, s)
        places = [place] if place is not None else []
    queue = next((given for _, given in m.value(e.stream, s)), None) if e.stream is not None and places else None
    s.pending = (*s.pending, *(Pending(at, queue, e.span, True, "launch") for at in places))


def _beside(m: Machine, key: Key, origin: Place, s: State) -> Place | None:
    """Where a member of the same object leads to."""
    if m.program.resting is None:
        m.program.resting = resting(m.program)
    found = m.program.resting.get(key)
    if found is None:
        return None
    name, owned = found
    place = At(origin.thing, (*origin.path[:-1], name, *((_HELD,) if owned else ())))
    held = s.memory.get(place)
    held = held if held is not None else behind(m, place, PointerType(VOID), s)
    return held if isinstance(held, At) else None
