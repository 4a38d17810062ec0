"""Runs the threads of a block from meeting to meeting.

Threads run one after another, each up to its next barrier or warp operation.  Then meetings are held, narrow ones
first: warp operations whose lanes are all there, complete named barriers, and, when every thread left is at a block
barrier, that one.  When nobody can go on a fault is recorded and the meeting is held with those who came.
"""

from __future__ import annotations

from collections.abc import Iterable

from kernlint.prove.emulate import copies, warp
from kernlint.prove.emulate.report import Fault, FaultKind, Participant
from kernlint.prove.emulate.threads import BlockRun, Epoch, Meeting, MeetingKind, Request, Thread, ThreadEnd
from kernlint.tree.types import Space

_BLOCK_WIDE = (MeetingKind.BLOCK, MeetingKind.COPY, MeetingKind.AWAIT)


def advance(block: BlockRun) -> bool:
    """Run ``block`` to its end (True) or to a barrier of the whole grid (False)."""
    machine = block.k
    while True:
        for t in block.runnable:
            t.epoch = Epoch(t, machine.tick, block.phase)
            assert t.generator is not None
            try:
                t.request = t.generator.send(t.reply)
            except StopIteration:
                t.request = None
            except ThreadEnd:
                t.request = None
                t.dead = True
            t.reply = None
        live = [t for t in block.live if t.request is not None]
        block.live = live
        if not live:
            _settle(block, frozenset(Space))
            return True
        first = live[0].request
        assert first is not None
        if (
            len(live) == len(block.threads)
            and isinstance(first, Meeting)
            and first.kind is MeetingKind.BLOCK
            and all(t.request is first for t in live)
        ):
            _pass_barrier(block, first, live)
            block.runnable = live
            continue
        group = _resolve(block, live)
        if group is None:
            _settle(block, frozenset(Space))
            return False
        block.runnable = group


def _meeting(t: Thread) -> Meeting:
    assert t.request is not None
    return t.request.meeting


def _resolve(block: BlockRun, live: list[Thread]) -> list[Thread] | None:
    """The threads that may go on; None when all are at a barrier of the grid."""
    group = warp.explicit(block, live) or _halves(block, live) or _named(block, live) or warp.convergent(block, live)
    if group:
        return group
    kinds = {_meeting(t).kind for t in live}
    if kinds <= {MeetingKind.BLOCK, MeetingKind.COPY, MeetingKind.AWAIT, MeetingKind.GRID}:
        return _block_wide(block, live)
    if MeetingKind.WARP in kinds:
        return warp.stuck(block, live)
    # a named or split barrier that nobody can complete
    group = [t for t in live if _meeting(t).kind not in (*_BLOCK_WIDE, MeetingKind.GRID)]
    _diverged(block, group, [t for t in live if t not in group], "fewer threads come than it waits for")
    _hold(block, group)
    return group


def _block_wide(block: BlockRun, live: list[Thread]) -> list[Thread] | None:
    """All live threads are at barriers of the block (or grid); they should be at the same one."""
    groups: dict[Meeting, list[Thread]] = {}
    for t in live:
        groups.setdefault(_meeting(t), []).append(t)
    gone = [t for t in block.threads if t.request is None and not t.dead]
    meetings = list(groups)
    if len(meetings) > 1:
        _diverged(block, groups[meetings[0]], groups[meetings[1]], "threads wait at different barriers")
    elif gone:
        _diverged(block, live, gone, "some threads have left the kernel")
    if all(meeting.kind is MeetingKind.GRID for meeting in meetings):
        return None
    # grid barriers wait until the block's own ones are through
    here = [t for t in live if _meeting(t).kind is not MeetingKind.GRID]
    inner = [meeting for meeting in meetings if meeting.kind is not MeetingKind.GRID]
    if len(inner) == 1:
        _hold_block(block, inner[0], here)
        return here
    barriers = [meeting for meeting in inner if meeting.kind is MeetingKind.BLOCK]
    for meeting in inner:
        if meeting.kind is not MeetingKind.BLOCK:
            _hold_block(block, meeting, groups[meeting])
    if barriers:
        _pass_barrier(block, barriers[0], [t for t in here if _meeting(t).kind is MeetingKind.BLOCK])
    return here


def _hold_block(block: BlockRun, meeting: Meeting, group: list[Thread]) -> None:
    if meeting.kind is MeetingKind.BLOCK:
        _pass_barrier(block, meeting, group)
    elif meeting.kind is MeetingKind.COPY:
        copies.issue(block, group)
    else:
        copies.complete(block, group)


def _pass_barrier(block: BlockRun, meeting: Meeting, group: list[Thread]) -> None:
    block.k.tick += 1
    block.phase += 1
    _settle(block, meeting.fences)
    if meeting.op != "sync":
        warp.exchange_block(meeting, group)


def release_grid(blocks: Iterable[BlockRun]) -> None:
    """All blocks are at a grid-wide barrier: order everything before it and let all go on."""
    for block in blocks:
        block.k.tick += 1
        block.phase += 1
        block.runnable = block.live
        for memory in block.k.tracked:
            memory.forget()


def _settle(block: BlockRun, fences: frozenset[Space]) -> None:
    generic = Space.GENERIC in fences
    shared = generic or Space.SHARED in fences
    outer = generic or Space.GLOBAL in fences
    if shared:
        for memory in block.shared:
            memory.settle(False)
    if outer:
        for memory in block.k.tracked:
            memory.settle(block.k.across)
    if shared and outer:
        block.syncs.clear()


# ---------------------------------------------------------------------------------------- split and named barriers


def _named(block: BlockRun, live: list[Thread]) -> list[Thread] | None:
    """Hold the first named barrier that enough threads have come to."""
    waiting: dict[object, list[Thread]] = {}
    for t in live:
        if _meeting(t).kind is MeetingKind.NAMED:
            assert isinstance(t.request, Request)
            waiting.setdefault(t.request.ident, []).append(t)
    for ident, group in waiting.items():
        assert isinstance(group[0].request, Request)
        count = group[0].request.count
        if count is None:
            count = len(block.threads)
        if len(group) + block.arrivals.get(ident, 0) >= count:
            block.arrivals.pop(ident, None)
            _hold(block, group)
            return group
    return None


def _halves(block: BlockRun, live: list[Thread]) -> list[Thread] | None:
    """First halves of barriers hold nobody up; second halves are complete when all threads have done the first."""
    group = [t for t in live if _meeting(t).kind is MeetingKind.ARRIVE]
    if group:
        for t in group:
            assert isinstance(t.request, Request)
            ident = t.request.ident
            t.halves[ident] = t.halves.get(ident, 0) + 1
            block.arrivals[ident] = block.arrivals.get(ident, 0) + 1
        return group
    for t in live:
        if _meeting(t).kind is not MeetingKind.WAIT:
            continue
        assert isinstance(t.request, Request)
        ident = t.request.ident
        want = t.halves.get(ident, 0)
        if all(other.halves.get(ident, 0) >= want for other in block.threads if other in live):
            group = [
                other
                for other in live
                if isinstance(other.request, Request)
                and other.request.meeting.kind is MeetingKind.WAIT
                and other.request.ident == ident
                and other.halves.get(ident, 0) >= want
            ]
            _hold(block, group)
            return group
    return None


def _hold(block: BlockRun, group: list[Thread]) -> None:
    """A barrier of some threads: what they did before is ordered before what they do after."""
    if len(group) == len(block.threads):
        block.phase += 1
    sync(block, group)


def sync(block: BlockRun, group: list[Thread]) -> None:
    """Order the accesses of ``group`` up to now before its later ones."""
    bits = 0
    for t in group:
        bits |= 1 << t.lin
    block.syncs.append((block.k.tick, bits))
    block.k.tick += 1


# ------------------------------------------------------------------------------------------------------------ faults


def _diverged(block: BlockRun, here: list[Thread], away: list[Thread], detail: str) -> None:
    """Record that ``here`` waits for ``away``, of whom it cannot be sure."""
    machine = block.k
    first = here[0]
    second = _farthest(first, away)
    meeting = _meeting(first)
    other = None if second is None or second.request is None else second.request.meeting
    key = (FaultKind.BARRIER_DIVERGENCE, meeting.site, None if other is None else other.site, other is None)
    if machine.log.seen(key, machine.left):
        return
    machine.log.add(
        key,
        Fault(
            FaultKind.BARRIER_DIVERGENCE,
            Participant(block.index, first.index, "wait", machine.sites[meeting.site].span, block.phase),
            None
            if second is None
            else Participant(
                block.index,
                second.index,
                "exit" if other is None else "wait",
                None if other is None else machine.sites[other.site].span,
                block.phase,
            ),
            name=meeting.name,
            same_warp=second is not None and second.warp == first.warp,
            exited=second is not None and other is None,
            detail=detail,
        ),
    )


def _farthest(t: Thread, others: list[Thread]) -> Thread | None:
    """One of ``others``, of another warp than ``t`` if possible."""
    return next((other for other in others if other.warp != t.warp), others[0] if others else None)
