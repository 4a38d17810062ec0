"""Threads that part before a barrier and are as good as out of the kernel."""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.launching.whole_blocks import partly_filled
from kernlint.analysis.trace.events import BarrierEvent, Event, GuardKind, LoopContext, Trace
from kernlint.source import Span
from kernlint.symbolic.terms import THREAD, Symbol, SymbolKind, Term, Uniformity, plain, symbols
from kernlint.tree.nodes import Scope


def ended(walked: Trace, meeting: Event, term: Term, span: Span, warp: int, views: Sequence[LaunchView] = ()) -> bool:
    """Whether the threads that part are as good as out of the kernel: whole warps that have left its outermost loop,
    threads that have returned from a helper, with no barrier to come, or whole warps without work, for which the kernel
    has nothing but the branch that is for work (and of which none of the launches in sight, ``views``, is sure to have
    some: a condition around barriers has to be the same for all of a block)."""
    loop = next((one for one in meeting.loops if _leaves(one, term)), None)
    at = next((n for n, g in enumerate(meeting.guards) if g.span == span and g.term == term), None)
    if loop is not None:
        if loop.parent is not None or not by_warps(term, warp):
            return False
        return all(loop in other.loops for other in blocking(walked) if other.order > meeting.order)
    if at is not None and meeting.guards[at].kind is GuardKind.BRANCH:
        return _without_work(walked, meeting, term, span, warp) and not partly_filled(term, views)
    if at is None or meeting.guards[at].kind is not GuardKind.SKIP:
        return False
    if meeting.loops and meeting.loops[0].depth <= at:
        return False  # continue or break: the next iteration may bring the barrier again
    guard = meeting.guards[at]
    return all(guard in other.guards for other in blocking(walked) if other.order > meeting.order)


def _without_work(walked: Trace, meeting: Event, term: Term, span: Span, warp: int) -> bool:
    """Whether whole warps take no part in a branch that everything is in that comes after it began, for there is no
    work for them: arguments or data say so.  ``if (row < rows) { ... }`` is then ``if (row >= rows) return;``."""
    if not any(s.kind in _WORK for s in symbols(term)) or not by_warps(term, warp):
        return False

    def inside(event: Event) -> bool:
        return any(guard.span == span and guard.term == term for guard in event.guards)

    later = [event for event in (*walked.accesses, *blocking(walked)) if event.order > meeting.order]
    return not meeting.loops and all(map(inside, later))


_WORK = frozenset({SymbolKind.PARAM, SymbolKind.LOAD})


def _leaves(loop: LoopContext, term: Term) -> bool:
    """Whether the condition is one under which threads stay in the loop or leave it."""
    return term is loop.condition or any(term is term for term, _ in loop.exits)


def blocking(walked: Trace) -> list[BarrierEvent]:
    """All barriers of a block or more, those that a call may hold too."""
    return [barrier for barrier in walked.barriers if barrier.scope in (Scope.BLOCK, Scope.GRID)]


def by_warps(term: Term, warp: int, seen: frozenset[Symbol] = frozenset()) -> bool:
    """Whether a value is the same for the threads of a warp: the thread's x counts warps in it, or is compared with a
    whole number of them.  ``seen``: variables of loops that are being looked into."""
    if term.symbol is not None:
        return _warp_wide(term.symbol, warp, seen)
    if term.op in ("div", "shr") and _plain_x(term.args[0]):
        value = term.args[1].value
        unit = value if term.op == "div" or value is None else 1 << value
        return unit is not None and unit > 0 and unit % warp == 0
    if term.op == "and" and _plain_x(term.args[0]) and term.args[1].value is not None:
        return term.args[1].value % warp == 0  # type: ignore[no-any-return]
    if term.op in ("lt", "le"):
        left, right = term.args
        if right.value is not None and _plain_x(left):
            return (right.value + (term.op == "le")) % warp == 0  # type: ignore[no-any-return]
        if left.value is not None and _plain_x(right):
            return (left.value + (term.op == "lt")) % warp == 0  # type: ignore[no-any-return]
    return all(by_warps(arg, warp, seen) for arg in term.terms)


def _warp_wide(symbol: Symbol, warp: int, seen: frozenset[Symbol]) -> bool:
    if symbol.kind is SymbolKind.PHI:
        inside = seen | {symbol}
        parts = (symbol.init, symbol.step)
        return symbol in seen or all(part is not None and by_warps(part, warp, inside) for part in parts)
    if symbol.kind in (SymbolKind.LOAD, SymbolKind.UNKNOWN, SymbolKind.EXIT, SymbolKind.TRIPS):
        return symbol.uniformity <= Uniformity.WARP
    return symbol is not THREAD[0]


def _plain_x(term: Term) -> bool:
    term = plain(term)
    return term.symbol is THREAD[0]
