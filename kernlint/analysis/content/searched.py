"""Searches that may find nothing.

``int best; float d2 = radius * radius; for (...) if (d < d2) { d2 = d; best = i; } out[q] = best;`` stores a value that
nobody has set where no point is within the radius.  A bound that is a number (``1e10f``, ``FLT_MAX``) is meant to be
above all there is; one that an argument gives is not.  Nor is one that data reach and do not pass: numbers from memory
may be as infinite as the bound, or as small as the type lets them be, unless the test takes them for better then
(``v >= -INFINITY``).  Whoever tests what was found, by what data or the loop say, knows that there may be nothing.
"""

from __future__ import annotations

from math import isinf

from kernlint.analysis.trace.events import Event, LoopContext, Root
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, substitute, symbols
from kernlint.tree.types import FloatType, IntType, Space

_ORDERED = ("lt", "le")

_INFINITE = frozenset(
    {"infinity", "__builtin_inff", "__builtin_inf", "__builtin_huge_valf", "__builtin_huge_val", "__builtin_inff16"}
)
"""Functions that give what is beyond all numbers."""

_ODD = frozenset({"isnan", "isinf", "__isnanf", "__isnan", "__isinff", "__isinf"})
"""Questions that few data answer with yes."""


def never_found(phi: Symbol, event: Event) -> LoopContext | None:
    """The loop that sets ``phi`` in rounds that meet a condition, where none need meet it; None where some round may be
    meant to, or the use is guarded by what the loop found."""
    loop = phi.origin
    loops, phi = _innermost(phi)
    step = phi.step
    if step is None or step.op != "select" or not isinstance(loop, LoopContext):
        return None
    cond, then, other = step.args
    if other.op != "sym" or other.args[0] is not phi or phi in then.symbols:
        return None
    if any(one.exits or one.leaves for one in loops):
        return None
    if any(_told(guard.term, one) for one in loops for guard in event.guards if guard.loop not in loops):
        return None
    return loop if _missed_by_all(cond, loops) else None


def _innermost(phi: Symbol) -> tuple[list[LoopContext], Symbol]:
    """The loops around the round that sets a variable, and the variable in the innermost: the outer ones hand on what
    that has left."""
    loops = [phi.origin] if isinstance(phi.origin, LoopContext) else []
    while phi.step is not None and phi.step.op == "call" and phi.step.args[0].startswith("after"):
        inner = phi.step.args[1].symbol
        if inner is None or inner.init is None or inner.init.symbol is not phi or inner.origin in loops:
            break
        if not isinstance(inner.origin, LoopContext):
            break
        loops.append(inner.origin)
        phi = inner
    return loops, phi


def _missed_by_all(cond: Term, loops: list[LoopContext]) -> bool:
    """Whether no datum need meet a condition under which a search takes what it looks at."""
    if cond.op == "lor":
        return all(_missed_by_all(part, loops) or _odd(part) for part in cond.args)
    moved = False
    for _ in loops:
        images = {
            symbol: symbol.init
            for symbol in symbols(cond)
            if symbol.kind is SymbolKind.PHI and symbol.origin in loops and symbol.init is not None
        }
        moved = moved or bool(images)
        cond = substitute(cond, images)
    if cond.op not in _ORDERED or not moved:
        return False  # only of a bound that is moved is it known that a search goes by it
    first, second = cond.args
    if _of_data(first) and _of_arguments(second):
        return True
    if cond.op != "lt":
        return False
    return (_unmet(first, least=True) and _datum(second)) or (_unmet(second, least=False) and _datum(first))


def _odd(part: Term) -> bool:
    """Whether a condition asks a datum, and nothing else, whether it is no number."""
    if part.op in ("ne", "cast", "lnot"):
        return (part.op == "ne" and part.args[1].value == 0 and _odd(part.args[0])) or (
            part.op == "cast" and _odd(part.args[0])
        )
    return part.op == "call" and str(part.args[0]).split("@")[0] in _ODD and all(map(_datum, part.terms))


def _unmet(bound: Term, *, least: bool) -> bool:
    """Whether data may be as far as a bound on one side of all there is (``least``: below it), and not beyond."""
    bound = plain(bound)
    if isinstance(bound.type, IntType):
        return least and not bound.type.signed and bound.value == 0
    if bound.op == "neg":
        return _unmet(bound.args[0], least=not least)
    value = bound.args[0] if bound.op == "const" else None
    if isinstance(value, float):
        return isinf(value) and (value < 0) is least
    return bound.op == "call" and str(bound.args[0]).split("@")[0] in _INFINITE and not least


def _datum(term: Term) -> bool:
    """Whether a value is a number from memory that others fill, as it is."""
    while term.op == "cast":
        term = term.args[0]
    symbol = term.symbol
    if symbol is None or symbol.kind is not SymbolKind.LOAD or not isinstance(symbol.origin, tuple):
        return False
    root = symbol.origin[0]
    return isinstance(root, Root) and root.space in (Space.GLOBAL, Space.CONSTANT)


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
