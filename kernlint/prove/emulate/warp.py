"""Warp operations: who takes part, and what each lane gets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kernlint.prove.emulate import scheduler
from kernlint.prove.emulate.formats import Unsupported, Value
from kernlint.prove.emulate.report import Fault, FaultKind, Participant
from kernlint.prove.emulate.threads import BlockRun, Meeting, MeetingKind, Request, Thread

# ------------------------------------------------------------------------------------------------- who takes part


def _at_warp(live: list[Thread]) -> dict[int, list[Thread]]:
    """Threads that wait at a warp operation, by warp."""
    found: dict[int, list[Thread]] = {}
    for t in live:
        if t.request is not None and t.request.meeting.kind is MeetingKind.WARP:
            found.setdefault(t.warp, []).append(t)
    return found


def _mask(t: Thread) -> int | None:
    """Lanes that the thread's operation names; a tile without mask names its own lanes."""
    assert t.request is not None
    if isinstance(t.request, Request) and t.request.mask is not None:
        return t.request.mask
    extent = t.request.meeting.extent
    if extent is not None and extent < t.k.warp_size:
        return ((1 << extent) - 1) << (t.lane - t.lane % extent)
    return None


def _lanes(block: BlockRun, index: int) -> list[Thread]:
    """All threads of the warp, gone ones too."""
    size = block.k.warp_size
    return block.threads[index * size : (index + 1) * size]


def explicit(block: BlockRun, live: list[Thread]) -> list[Thread]:
    """Hold every warp operation with a mask whose lanes have all come (lanes that left are not waited for)."""
    released: list[Thread] = []
    for index, threads in _at_warp(live).items():
        groups: dict[tuple[str, int], list[Thread]] = {}
        for t in threads:
            mask = _mask(t)
            if mask is not None:
                assert t.request is not None
                groups.setdefault((t.request.meeting.op, mask), []).append(t)
        for (_, mask), group in groups.items():
            named = [t for t in _lanes(block, index) if mask >> t.lane & 1]
            here = set(group)
            if all(t in here or t.request is None for t in named):
                _judge(block, mask, group, named)
                _hold(block, group)
                released += group
    return released


def convergent(block: BlockRun, live: list[Thread]) -> list[Thread]:
    """Hold operations without a mask: the lanes that wait at the same place.

    A synchronising one (of all lanes of the warp) waits until nobody of the warp is elsewhere.
    """
    for index, threads in _at_warp(live).items():
        groups: dict[Meeting, list[Thread]] = {}
        for t in threads:
            if _mask(t) is None:
                assert t.request is not None
                groups.setdefault(t.request.meeting, []).append(t)
        for meeting in sorted(groups, key=lambda meeting: meeting.site):
            group = groups[meeting]
            alive = sum(1 for t in _lanes(block, index) if t.request is not None)
            if meeting.convergent or len(group) == alive:
                _hold(block, group)
                return group
    return []


def stuck(block: BlockRun, live: list[Thread]) -> list[Thread]:
    """Nobody can go on, and some wait at a warp operation: record it and let those who came go on."""
    index, threads = next(iter(_at_warp(live).items()))
    first = min(threads, key=lambda t: _site(t))
    assert first.request is not None
    meeting, mask = first.request.meeting, _mask(first)
    group = [t for t in threads if t.request is not None and t.request.meeting.op == meeting.op and _mask(t) == mask]
    named = [t for t in _lanes(block, index) if mask is None or mask >> t.lane & 1]
    missing = [t for t in named if t not in group and t.request is not None]
    _fault(block, group[0], missing[0] if missing else None, "a lane that it waits for does not come")
    _hold(block, group)
    return group


def _site(t: Thread) -> int:
    assert t.request is not None
    return t.request.meeting.site


def _judge(block: BlockRun, mask: int, group: list[Thread], named: list[Thread]) -> None:
    """Faults of a masked operation that can go on: callers outside of the mask, named lanes that left."""
    for t in group:
        if not mask >> t.lane & 1:
            _fault(block, t, None, "the calling lane is not in its own mask")
            break
    gone = next((t for t in named if t.request is None and not t.dead), None)
    if gone is not None:
        _fault(block, group[0], gone, "a lane in the mask has left the kernel")


def _fault(block: BlockRun, first: Thread, second: Thread | None, detail: str, source: bool = False) -> None:
    machine = block.k
    assert first.request is not None
    meeting = first.request.meeting
    kind = FaultKind.WARP_SOURCE if source else FaultKind.WARP_MASK
    key = (kind, meeting.site, detail)
    if machine.log.seen(key, machine.left):
        return
    elsewhere = None
    if second is not None:
        site = None if second.request is None else machine.sites[_site(second)].span
        elsewhere = Participant(block.index, second.index, "exit" if site is None else "wait", site, block.phase)
    machine.log.add(
        key,
        Fault(
            kind,
            Participant(block.index, first.index, "wait", machine.sites[meeting.site].span, block.phase, _mask(first)),
            elsewhere,
            name=meeting.name,
            same_warp=True,
            exited=second is not None and second.request is None,
            detail=detail,
        ),
    )


# --------------------------------------------------------------------------------------------- what lanes exchange


def _hold(block: BlockRun, group: list[Thread]) -> None:
    scheduler.sync(block, group)
    assert group[0].request is not None
    op = group[0].request.meeting.op
    if op == "sync":
        return
    _exchange(block, op, group)


def exchange_block(meeting: Meeting, group: list[Thread]) -> None:
    """The result of a reducing or broadcasting barrier of the block."""
    values = [_operand(t, 0) for t in group]
    if meeting.op in ("and", "all"):
        result: Value = int(all(values))
    elif meeting.op in ("or", "any"):
        result = int(any(values))
    elif meeting.op == "count":
        result = sum(1 for value in values if value)
    elif meeting.op == "broadcast":
        result = _broadcast(group)
    elif meeting.op.startswith("scan"):
        _scan(meeting.op, group)
        return
    else:
        result = _fold(meeting.op, values)
    for t in group:
        t.reply = result


def _broadcast(group: list[Thread]) -> Value:
    """The value of the thread whose index in the block the further operands name."""
    assert isinstance(group[0].request, Request)
    want = tuple(int(item) for item in group[0].request.operands[1:])
    want += (0,) * (3 - len(want))
    return next((_operand(t, 0) for t in group if t.index == want), 0)


def _operand(t: Thread, at: int) -> Value:
    if isinstance(t.request, Request) and at < len(t.request.operands):
        return t.request.operands[at]
    return 0


_FOLDS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "min": min,
    "max": max,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}


def _fold_of(op: str) -> Callable[[Any, Any], Any]:
    for name, function in _FOLDS.items():
        if op.endswith(name):
            return function
    raise Unsupported(f"a reduction by an operation not known ({op})")


def _fold(op: str, values: list[Value]) -> Value:
    function = _fold_of(op)
    result = values[0]
    for value in values[1:]:
        result = function(result, value)
    return result


def _scan(op: str, group: list[Thread]) -> None:
    """``scan_inclusive_add`` and its like: each thread gets the fold of those up to (or before) it."""
    function = _fold_of(op)
    result: Value = None
    for t in sorted(group, key=lambda t: t.lin):
        value = _operand(t, 0)
        after = value if result is None else function(result, value)
        t.reply = after if "exclusive" not in op else 0 * value if result is None else result
        result = after


def _exchange(block: BlockRun, op: str, group: list[Thread]) -> None:
    values = [_operand(t, 0) for t in group]
    if op.startswith("shuffle"):
        _shuffle(block, op, group)
        return
    if op.startswith("scan"):
        _scan(op, group)
        return
    if op == "match":
        for t in group:
            mine = _operand(t, 0)
            t.reply = _bits([other for other in group if _operand(other, 0) == mine])
        return
    if op == "elect":
        for t in group:
            t.reply = int(t is group[0])
        return
    if op == "broadcast":
        for t in group:
            t.reply = _from_lane(block, t, group, _base(group) + int(_operand(t, 1)))
        return
    result: Value
    if op == "any":
        result = int(any(values))
    elif op == "all":
        result = int(all(values))
    elif op == "ballot":
        result = _bits([t for t, value in zip(group, values, strict=True) if value])
    elif op == "activemask":
        result = _bits(group)
    elif op == "first":
        result = min(zip((t.lane for t in group), values, strict=True))[1]
    else:
        result = _fold(op, values)
    for t in group:
        t.reply = result


def _base(group: list[Thread]) -> int:
    """First lane of the tile that the group's operation is of; 0 for one of the whole warp."""
    request = group[0].request
    extent = None if request is None else request.meeting.extent
    return 0 if extent is None else group[0].lane - group[0].lane % extent


def _bits(threads: list[Thread]) -> int:
    """A mask of lanes; lanes of a tile are counted from its first one."""
    return sum(1 << t.lane - _base(threads[:1]) for t in threads)


def _shuffle(block: BlockRun, op: str, group: list[Thread]) -> None:
    """Shuffles within segments of ``width`` lanes; beyond a segment's end a lane gets its own value back."""
    size = block.k.warp_size
    for t in group:
        assert t.request is not None
        width = t.request.width if isinstance(t.request, Request) else None
        if width is None:
            width = t.request.meeting.extent or size
        width = max(1, min(int(width), size))
        base = t.lane - t.lane % width
        by = int(_operand(t, 1))
        if op == "shuffle":
            source = base + by % width
        elif op == "shuffle_up":
            source = t.lane - by if t.lane - by >= base else t.lane
        elif op == "shuffle_down":
            source = t.lane + by if t.lane + by < base + width else t.lane
        else:
            source = t.lane ^ by
            if source >= base + width or source < 0:
                source = t.lane
        t.reply = _from_lane(block, t, group, source)


def _from_lane(block: BlockRun, t: Thread, group: list[Thread], lane: int) -> Value:
    """The value of ``lane``; a lane that takes no part gives an unspecified one."""
    for other in group:
        if other.lane == lane:
            return _operand(other, 0)
    index = t.warp * block.k.warp_size + lane
    absent = block.threads[index] if lane >= 0 and index < len(block.threads) else None
    _fault(block, t, absent, f"reads lane {lane}, which takes no part", source=True)
    return _operand(t, 0)
