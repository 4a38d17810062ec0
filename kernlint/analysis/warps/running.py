"""Masks of warp collectives that say which lanes happen to run together (``__activemask()``), where others are meant.

CUDA C++ Programming Guide, warp vote functions: ``__activemask()`` returns the lanes that are running, which need not
be those that follow the same path; since compute capability 7.0 lanes that have parted come together again at
``__syncwarp()`` and collectives alone.
"""

from __future__ import annotations

from kernlint.analysis.trace.events import Access, AccessKind, BarrierEvent, GuardKind, LoopContext, Trace, WarpEvent
from kernlint.analysis.warps.lanes import Lanes
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, plain, symbols
from kernlint.tree.nodes import Scope
from kernlint.tree.types import BOOL, FloatType, Space
from kernlint.tree.walk import strip_casts


def instead_of_mask(event: WarpEvent) -> str | None:
    """What stands where the mask belongs, in words: a number in floating point, a condition, or the very value that is
    handed on, where no collective has made it.  None: what may be a mask."""
    given = event.node.mask
    if given is None:
        return None
    kind = strip_casts(given).type
    if isinstance(kind, FloatType):
        return "a number in floating point"
    if kind == BOOL and event.mask is not None and event.mask.value is None:
        return "a condition"
    value = plain(event.operands[0]) if event.operands else None
    if value is None or value.value is not None or event.mask is None or plain(event.mask) != value:
        return None
    made = value.symbol.origin if value.symbol is not None else None
    return None if isinstance(made, WarpEvent) else "the value that is handed on"


def running(event: WarpEvent) -> WarpEvent | None:
    """The ``__activemask()`` that a mask is as it stands."""
    symbol = event.mask.symbol if event.mask is not None else None
    origin = symbol.origin if symbol is not None else None
    return origin if isinstance(origin, WarpEvent) and origin.node.kind == "activemask" else None


def apart(event: WarpEvent, within: Lanes, of: Trace) -> LoopContext | None:
    """The loop which lanes leave at different times before they shuffle with whoever runs, and after which nothing
    brings them together before somebody looks who that is.

    Not where something else asks who runs: then what is read may depend on it.
    """
    taken = running(event)
    symbol = event.mask.symbol if event.mask is not None else None
    if taken is None or symbol is None or not event.node.synchronising or not event.node.kind.startswith("shuffle"):
        return None
    if any(within.varies(guard.term) for guard in event.guards if guard.kind is not GuardKind.AFTER_LOOP):
        return None
    for loop in of.loops:
        if loop in event.loops or loop.condition is None or not within.varies(loop.condition):
            continue
        inside = [one.order for one in (*of.accesses, *of.conditions) if loop in one.loops]
        if not inside or max(inside) > taken.order:
            continue
        meetings: list[WarpEvent | BarrierEvent] = [*of.barriers, *(op for op in of.warp_ops if op.node.synchronising)]
        if any(max(inside) < one.order < taken.order for one in meetings):
            continue
        if not asked_for(symbol, of):
            return loop
    return None


def awaited_together(event: BarrierEvent, within: Lanes, of: Trace) -> Access | None:
    """What a lane reads after it has waited, in a branch that lanes disagree on, for those alone that happened to run
    with it, though any lane of that branch may have written it: one that runs apart is not waited for."""
    symbol = event.mask.symbol if event.mask is not None else None
    taken = symbol.origin if symbol is not None else None
    if event.scope is not Scope.WARP or not isinstance(taken, WarpEvent) or taken.node.kind != "activemask":
        return None
    kinds = (GuardKind.BRANCH, GuardKind.SHORT, GuardKind.SKIP)
    parting = [guard for guard in taken.guards if guard.kind in kinds and within.varies(guard.term)]
    if not parting or taken.order > event.order:
        return None
    there = [one for one in of.accesses if parting[-1] in one.guards and one.root.space in (Space.SHARED, Space.GLOBAL)]
    for put in there:
        if put.order > event.order or not (put.writes or put.kind is AccessKind.ATOMIC):
            continue
        for taken_up in there:
            if taken_up.order < event.order or taken_up.root is not put.root or taken_up.writes:
                continue
            if taken_up.offset != put.offset or not _of_one_lane(put.offset, within):
                return taken_up
    return None


def _of_one_lane(place: Term, within: Lanes) -> bool:
    """Whether a place names the lane, and nothing that two lanes may have alike."""
    found = symbols(place)
    kinds = (SymbolKind.LOAD, SymbolKind.UNKNOWN, SymbolKind.PHI)
    return within.varies(place) and not any(s.kind in kinds and s.uniformity > Uniformity.WARP for s in found)


def whoever_runs(event: WarpEvent, within: Lanes) -> bool:
    """Whether the mask is ``__activemask()`` at a place that all lanes of the warp reach, with a result that depends
    on who takes part."""
    symbol = event.mask.symbol if event.mask is not None else None
    if symbol is None or not isinstance(symbol.origin, WarpEvent) or symbol.origin.node.kind != "activemask":
        return False
    if not event.node.synchronising or event.node.kind not in ("ballot", "all", "reduce"):
        return False
    kinds = (GuardKind.ASSERT, GuardKind.AFTER_LOOP)
    conditions = [guard.term for guard in event.guards if guard.kind not in kinds]
    for loop in event.loops:
        conditions += [term for term, _ in (*loop.exits, *loop.leaves)]
    return not any(within.varies(term) for term in conditions)


def whoever_is_left(event: WarpEvent, within: Lanes, of: Trace) -> bool:
    """Whether votes are counted in a loop that lanes leave at different times, by ``__activemask()`` on the spot, and
    nothing else asks who was there: the lanes that go on may run apart, and then each group counts for itself."""
    symbol = event.mask.symbol if event.mask is not None else None
    if symbol is None or not isinstance(symbol.origin, WarpEvent) or symbol.origin.node.kind != "activemask":
        return False
    if event.node.kind not in ("ballot", "reduce") or not event.node.synchronising:
        return False
    conditions = [loop.condition for loop in event.loops if loop.condition is not None]
    if not any(within.varies(term) for term in conditions):
        return False
    asked = {other.node.span for other in of.warp_ops if other.node.kind == "activemask"}
    others = (o for o in of.warp_ops if o.mask is not None and o.mask.symbol is symbol and o.node is not event.node)
    return len(asked) == 1 and next(others, None) is None and not asked_for(symbol, of)


def asked_for(symbol: Symbol, of: Trace) -> bool:
    """Whether a value or a condition is made of ``symbol``."""
    for access in of.accesses:
        terms = [guard.term for guard in access.guards]
        terms += [term for term in (access.value, access.offset) if term is not None]
        if any(symbol in symbols(term) for term in terms):
            return True
    return any(symbol in symbols(operand) for op in of.warp_ops for operand in op.operands)
