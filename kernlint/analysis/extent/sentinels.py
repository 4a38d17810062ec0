"""Indices that still hold the mark for "nothing was found" (``best = -1``) when they are used.

A loop looks for an element and keeps its number in a variable that begins below zero; where no element meets the
condition, the variable still is what it was.  That is told where nothing stands before the access that asks for the
variable or for another one of the same loop (a flag, a count), and where data decide whether something is found: not
where the search begins from a value that everything beats (infinity, the largest number of a type).
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, RootKind, Trace
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, negate, plain, subterms, symbols
from kernlint.tree.types import Space

BEATEN = 1e30
"""Everything is below this, or above its negation: the usual first values of a search."""


@dataclass(frozen=True, slots=True, eq=False)
class Sentinel:
    """An access whose index may still be ``value``; ``variable``: of the loop that looks, found under ``condition``.
    ``computed``: it looks among numbers that the thread itself has computed, and these may well be such that there is
    always one (shares of a sum, none of them 0)."""

    access: Access
    variable: Symbol
    value: int
    condition: Term
    computed: bool = False


def _left(index: Term) -> Symbol | None:
    """The variable of a loop whose last value an index is."""
    index = plain(index)
    while index.op == "call" and index.args[0].startswith("after"):
        index = plain(index.args[1])
    symbol = index.symbol
    return symbol if symbol is not None and symbol.kind is SymbolKind.PHI else None


def _kept(step: Term, phi: Symbol) -> Iterator[tuple[Term, ...]]:
    """The conditions under which an iteration leaves a variable as it is."""
    step = plain(step)
    if step.symbol is phi:
        yield ()
    elif step.op == "select":
        cond, then, other = step.args
        for part, holds in ((then, cond), (other, negate(cond))):
            for conds in _kept(part, phi):
                yield (holds, *conds)


def _by_data(conds: tuple[Term, ...]) -> bool:
    """Whether data decide all of the conditions, and may decide them so in every round."""
    for cond in conds:
        found = symbols(cond)
        if not any(s.kind is SymbolKind.LOAD for s in found):
            return False
        if any(s.kind is SymbolKind.PHI and _open_to_all(s) for s in found):
            return False
    return bool(conds)


def _computed(conds: tuple[Term, ...], of: Trace) -> bool:
    """Whether conditions speak of an array of the thread's own that holds results, and of no other memory."""
    loads = [s.origin for cond in conds for s in symbols(cond) if s.kind is SymbolKind.LOAD]
    roots = [origin[0] for origin in loads if isinstance(origin, tuple)]
    if not roots or len(roots) < len(loads) or any(root.space is not Space.PRIVATE for root in roots):
        return False
    values = [one.value for one in of.accesses if one.writes and one.root in roots]
    return any(value is not None and plain(value).terms for value in values)


def _open_to_all(phi: Symbol) -> bool:
    """Whether a search begins from a value that everything beats, or from one that is not known."""
    first = phi.init
    if first is None:
        return True
    first = plain(first)
    if first.op == "const":
        return abs(first.args[0]) >= BEATEN or (isinstance(first.args[0], int) and abs(first.args[0]) >= 32767)
    return not all(symbol.kind is SymbolKind.PARAM for symbol in symbols(first)) or not symbols(first)


def _asked_for(access: Access, phi: Symbol) -> bool:
    """Whether a test before the access has to do with what the loop has found."""
    loop = phi.origin
    for guard in access.guards:
        for symbol in symbols(guard.term):
            if symbol.kind in (SymbolKind.PHI, SymbolKind.EXIT) and symbol.origin is loop:
                return True
    return False


def _compute(facts: Facts) -> tuple[Sentinel, ...]:
    of = facts[trace]
    found: dict[Symbol, Sentinel] = {}
    for access in of.accesses:
        if access.root.kind in (RootKind.UNKNOWN, RootKind.IMAGE) or access.asynchronous:
            continue
        for mono, factor in polynomial(access.offset).coefficients.items():
            for atom in mono if factor > 0 else ():
                phi = _left(atom)
                if phi is None or phi in found or phi.init is None or phi.step is None:
                    continue
                value = plain(phi.init).value
                inside = phi.origin in access.loops
                if not isinstance(value, int) or not -(1 << 16) < value < 0 or inside or _asked_for(access, phi):
                    continue
                if any(atom in subterms(part) for part in subterms(access.offset) if part.op in ("select", "max")):
                    continue
                for conds in _kept(phi.step, phi):
                    if _by_data(conds):
                        found[phi] = Sentinel(access, phi, value, conds[0], _computed(conds, of))
                        break
    return tuple(found.values())


sentinels = KernelAnalysis("sentinels", _compute, needs=(trace,))
"""The first :class:`Sentinel` access of each variable of a kernel variant, in order."""
