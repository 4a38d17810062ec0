"""Asynchronous copies: issued at one place, performed when somebody waits for them.

From its issue to its wait the destination counts as written by somebody else: any access there is a race.
"""

from __future__ import annotations

from kernlint.prove.emulate.formats import Value
from kernlint.prove.emulate.shadow import TrackedMemory
from kernlint.prove.emulate.threads import BlockRun, Flight, FlightEpoch, Request, Thread


def transfer(t: Thread, target: Value, source: Value, size: int, fmt: str, site: int) -> None:
    """Copy ``size`` bytes at once, in cells of ``fmt`` when whole ones fit."""
    step = int(fmt[1:])
    if size % step:
        fmt, step = "u1", 1
    (to, to_off), (frm, from_off) = target, source
    t.k.spend(size // step)
    values = [frm.load(from_off + at, fmt, t, site) for at in range(0, size, step)]
    for at, value in zip(range(0, size, step), values, strict=True):
        to.store(to_off + at, value, fmt, t, site)


def _take_off(t: Thread, flight: Flight) -> None:
    t.k.spend(flight.size // int(flight.fmt[1:]))
    e = FlightEpoch(t, t.epoch.tick, t.epoch.phase)
    memory, off = flight.source
    if isinstance(memory, TrackedMemory):
        memory.give(off, flight.size, e, flight.site)
    memory, off = flight.destination
    if isinstance(memory, TrackedMemory):
        if memory.fmt is None:
            memory.adopt(flight.fmt)
        memory.take_off(off, flight.size, e, flight.site)


def _land(t: Thread, flight: Flight) -> None:
    """The copy is complete, and what it wrote counts as written by the thread that waited."""
    memory, off = flight.destination
    if isinstance(memory, TrackedMemory):
        memory.land(off, flight.size)
    transfer(t, flight.destination, flight.source, flight.size, flight.fmt, flight.site)


# ---------------------------------------------------------------------------------------- copies of single threads


def start(t: Thread, mechanism: str, target: Value, source: Value, size: int, fmt: str, site: int) -> int:
    """A thread issues a copy.  A copy of a whole group is issued by each of its threads and counts once."""
    flight = Flight(mechanism, target, source, size, fmt, site)
    if mechanism == "group":
        same = (target, source, size)
        if any((other.destination, other.source, other.size) == same for other in t.block.flights):
            return 0
        t.block.flights.append(flight)
    else:
        t.flights.append(flight)
    _take_off(t, flight)
    return 0


def commit(t: Thread, mechanism: str) -> int:
    """Close a group of copies."""
    t.groups += 1
    for flight in t.flights:
        if flight.mechanism == mechanism and flight.group is None:
            flight.group = t.groups
    return 0


def wait(t: Thread, mechanism: str, pending: int | None) -> int:
    """Wait for all but the last ``pending`` groups; None waits for everything."""
    if mechanism == "group":
        for flight in [flight for flight in t.block.flights if flight.mechanism == "group"]:
            t.block.flights.remove(flight)
            _land(t, flight)
        return 0
    keep = []
    for flight in t.flights:
        waits = flight.mechanism == mechanism and (
            pending is None or (flight.group is not None and flight.group <= t.groups - pending)
        )
        if waits:
            _land(t, flight)
        else:
            keep.append(flight)
    t.flights = keep
    return 0


# ----------------------------------------------------------------------------------- copies of the whole work-group


def issue(block: BlockRun, group: list[Thread]) -> None:
    """All threads of the block have come to ``async_work_group_copy``; each gets the event."""
    first = group[0]
    assert isinstance(first.request, Request)
    target, source, size, fmt, chained = first.request.operands
    block.events += 1
    event = chained or block.events
    flight = Flight("event", target, source, size, fmt, first.request.meeting.site, event=event)
    block.flights.append(flight)
    _take_off(first, flight)
    for t in group:
        t.reply = event


def complete(block: BlockRun, group: list[Thread]) -> None:
    """All threads of the block have come to ``wait_group_events``."""
    events: set[int] = set()
    for t in group:
        assert isinstance(t.request, Request)
        count, (memory, off) = t.request.operands
        events |= {memory.peek(off + 8 * at, "u8") for at in range(min(count, 64))}
    for flight in [flight for flight in block.flights if flight.event in events]:
        block.flights.remove(flight)
        _land(group[0], flight)
        for memory, off in (flight.destination, flight.source):
            if isinstance(memory, TrackedMemory):  # the wait orders the copy before what all threads do next
                memory.close(off, flight.size)
