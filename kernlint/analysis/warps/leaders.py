"""Groups of lanes whose values shuffles of the whole warp mix, or pass over, as no width is given::

    int begin = 0;
    if (lane % 8 == 0) begin = start[row];
    begin = __shfl_sync(0xffffffff, begin, 0);

What the leaders of the other groups have set nobody looks at.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.trace.events import Access, Trace, WarpEvent
from kernlint.analysis.warps.lanes import Lanes, Undecided, Warp
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms
from kernlint.tree.types import Space

WARPS = 4
"""Warps that are looked at."""


def passed_over(event: WarpEvent, within: Lanes, of: Trace) -> tuple[int, ...]:
    """The lanes that set the value which a shuffle of the whole warp reads from one lane, if they are several, one in
    each of as many groups, with numbers of their own; empty for others."""
    if event.node.kind != "shuffle" or event.width is not None or len(event.operands) < 2:
        return ()
    value, source = plain(event.operands[0]), event.operands[1].value
    if source is None or value.op != "select" or not any(s.kind is SymbolKind.LOAD for s in value.symbols):
        return ()
    if not _by_place(value.args[0]) or _used_otherwise(value, event, of):
        return ()
    found: tuple[int, ...] = ()
    for block in within.blocks:
        seen = False
        for at, warp in enumerate(within.warps(block)):
            leaders = _leaders(value, source, warp) if at < WARPS else ()
            if leaders:
                found, seen = found or leaders, True
                break
        if not seen:
            return ()
    return found


def _leaders(value: Term, source: int, warp: Warp) -> tuple[int, ...]:
    try:
        took = [bool(warp.value(value.args[0], lane)) for lane in warp.lanes]
        set_ = took[source] if source < len(took) else took[0]
        lanes = [lane for lane in warp.lanes if took[lane] is set_]
        numbers = {warp.value(value, lane) for lane in lanes}
    except Undecided:
        return ()
    gaps = {b - a for a, b in pairwise(lanes)}
    evenly = len(gaps) == 1 and min(gaps) > 1 and source in lanes and len(warp.lanes) == warp.size
    return tuple(lanes) if evenly and 1 < len(numbers) == len(lanes) else ()


def _by_place(cond: Term) -> bool:
    """Whether a condition is one on the thread, and on no data."""
    kinds = {symbol.kind for symbol in cond.symbols}
    data = (SymbolKind.LOAD, SymbolKind.UNKNOWN, SymbolKind.PHI, SymbolKind.EXIT)
    return SymbolKind.THREAD in kinds and kinds.isdisjoint(data)


def _used_otherwise(value: Term, event: WarpEvent, of: Trace) -> bool:
    """Whether anything but one shuffle takes the value up."""
    terms = [term for access in of.accesses for term in (access.value, access.offset) if term is not None]
    terms += [guard.term for access in of.accesses for guard in access.guards]
    terms += [term for other in of.warp_ops if other.node is not event.node for term in other.operands]
    return any(part == value for term in terms for part in subterms(term))


@dataclass(frozen=True, slots=True)
class Mixed:
    """A shuffle over ``reach`` lanes in what the first of each ``group`` of fewer lanes stores for it in ``store``."""

    event: WarpEvent
    reach: int
    group: int
    store: Access


def mixed_groups(within: Lanes, of: Trace) -> Iterator[Mixed]:
    """The sums of groups of lanes into which shuffles bring other groups: ``for (d = 16; d > 0; d /= 2) s +=
    __shfl_xor_sync(~0u, s, d); if (lane % 16 == 0) sum[row] = s;``.  Each shuffle once."""
    whole = (op for op in of.warp_ops if op.width is None)
    far = {id(op): reach for op in whole if (reach := _reach(op)) is not None}
    told: set[int] = set()
    for store in of.accesses if far else ():
        if not store.writes or store.value is None or store.root.space is Space.PRIVATE:
            continue
        events = [one for one in _made_by(store.value) if id(one) in far]
        if not events:
            continue
        group = _group(store, within)
        for event in events if group else ():
            if far[id(event)] >= group and id(event) not in told:
                told.add(id(event))
                yield Mixed(event, 2 * far[id(event)], group, store)


def beyond_width(of: Trace) -> Iterator[tuple[WarpEvent, int, int]]:
    """The shuffles in groups of a given width that reach as far as the group is wide, with how far and the width:
    ``for (d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d, 8);``.  A lane gets its own value then, or that of
    an earlier group (CUDA C++ Programming Guide, warp shuffle functions), and adds it up.  Each shuffle once."""
    far = {id(op): reach for op in of.warp_ops if (reach := _reach(op)) is not None and 1 < _width(op) <= reach}
    told: set[int] = set()
    for store in of.accesses if far else ():
        if not store.writes or store.value is None or store.root.space is Space.PRIVATE:
            continue
        for event in _made_by(store.value, chosen=False):
            if id(event) in far and id(event) not in told:
                told.add(id(event))
                yield event, far[id(event)], _width(event)


def _width(event: WarpEvent) -> int:
    return (event.width.value or 0) if event.width is not None else 0


def _as_it_is(term: Term) -> Iterator[Symbol]:
    """The symbols of a term outside of selections, whose conditions leave lanes out, and of the greatest or least of
    values, which the own value changes nothing of."""
    if term.op == "sym":
        yield term.args[0]
    elif term.op not in ("select", "min", "max") and (term.op != "call" or term.args[0].startswith("after")):
        for part in term.terms:
            yield from _as_it_is(part)


def _made_by(value: Term, chosen: bool = True) -> Iterator[WarpEvent]:
    """The collectives that have a part in a value, also by way of each other and of rounds of loops.  ``chosen``: those
    in selections too."""
    todo, seen = [value], set[Symbol]()
    while todo:
        at = todo.pop()
        for symbol in at.symbols if chosen else _as_it_is(at):
            if symbol in seen:
                continue
            seen.add(symbol)
            todo += (term for term in (symbol.init, symbol.step) if term is not None)
            if isinstance(symbol.origin, WarpEvent):
                yield symbol.origin
                todo += symbol.origin.operands


def _reach(event: WarpEvent) -> int | None:
    """How far away the lane is at most that a shuffle reads from."""
    if event.node.kind not in ("shuffle_xor", "shuffle_down") or len(event.operands) < 2:
        return None
    distance = plain(event.operands[1])
    loop = event.loops[-1] if event.loops and event.loops[-1].counter in distance.symbols else None
    rounds: list[dict[Symbol, int]] = [{}] if loop is None else [{loop.counter: k} for k in range(ROUNDS)]
    if loop is not None and loop.condition is not None:
        rounds = [one for one in rounds if evaluate(loop.condition, one)]
    found = [evaluate(distance, one) or 0 for one in rounds]
    most = max(found, default=0)
    return most if most in (1, 2, 4, 8, 16) else None


ROUNDS = 6
"""Rounds in which a distance is halved, or doubled, at most."""


def _group(store: Access, within: Lanes) -> int:
    """Lanes of a group whose first lane alone stores, at a place of its own; 0 where there is no such group."""
    conds = [part for guard in store.guards for part in conjuncts(guard.term) if _of_lanes(part)]
    found: set[int] = set()
    for block in within.blocks if conds else ():
        warp = next(within.warps(block), None)
        if warp is None:
            return 0
        try:
            lanes = [lane for lane in warp.lanes if all(warp.value(cond, lane) for cond in conds)]
            places = {warp.value(store.offset, lane) for lane in lanes}
        except Undecided:
            return 0
        gaps = {b - a for a, b in pairwise(lanes)}
        if len(gaps) != 1 or lanes[0] != 0 or len(places) != len(lanes):
            return 0
        found |= gaps
    size = found.pop() if len(found) == 1 else 0
    return size if size in (2, 4, 8, 16) else 0


def _of_lanes(cond: Term) -> bool:
    return _by_place(cond) and all(s.kind in _PLACE for s in cond.symbols)


_PLACE = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM})
