"""Searches that may find nothing.

``int best; float d2 = radius * radius; for (...) if (d < d2) { d2 = d; best = i; } out[q] = best;`` stores a value that
nobody has set where no point is within the radius.  A bound that is a number (``1e10f``, ``FLT_MAX``) is meant to be
above all there is; one that an argument gives is not.  Whoever tests what was found, by what data or the loop say,
knows that there may be nothing.
"""

from __future__ import annotations

from kernlint.analysis.trace.events import Event, LoopContext
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, substitute, symbols
from kernlint.tree.types import FloatType

_ORDERED = ("lt", "le")


def never_found(phi: Symbol, event: Event) -> LoopContext | None:
    """The loop that sets ``phi`` in rounds that meet a condition, where none need meet it; None where some round may be
    meant to, or the use is guarded by what the loop found."""
    step, loop = phi.step, phi.origin
    if step is None or step.op != "select" or not isinstance(loop, LoopContext):
        return None
    cond, then, other = step.args
    if other.op != "sym" or other.args[0] is not phi or phi in then.symbols or loop.exits or loop.leaves:
        return None
    if any(_told(guard.term, loop) for guard in event.guards if guard.loop is not loop):
        return None
    images = {
        symbol: symbol.init
        for symbol in symbols(cond)
        if symbol.kind is SymbolKind.PHI and symbol.origin is loop and symbol.init is not None
    }
    if cond.op not in _ORDERED or not images:
        return None  # only of a bound that is moved is it known that a search goes by it
    first, second = (substitute(side, images) for side in cond.args[:2])
    return loop if _of_data(first) and _of_arguments(second) else None


def _told(guard: Term, loop: LoopContext) -> bool:
    """Whether a guard says something of what a loop found."""
    return any(
        symbol.kind in (SymbolKind.LOAD, SymbolKind.UNKNOWN)
        or (symbol.kind is SymbolKind.PHI and symbol.origin is loop)
        for symbol in symbols(guard)
    )


def _of_data(term: Term) -> bool:
    return isinstance(term.type, FloatType) and any(symbol.kind is SymbolKind.LOAD for symbol in symbols(term))


def _of_arguments(term: Term) -> bool:
    kinds = {symbol.kind for symbol in symbols(term)}
    return kinds == {SymbolKind.PARAM}
