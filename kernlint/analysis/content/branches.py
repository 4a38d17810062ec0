"""Branches that arguments choose and in which a private value is still unset.

Which values of its arguments a kernel meets is its caller's choice: that nothing is stored where none of two modes is
chosen says nothing.  But a kernel that has a branch of its own for a mode, without storing the value there or taking
it up there, is meant to be called with that mode::

    float acc;                                    if (pass == 0) area = index - 1;
    if (op == MAX) acc = -INFINITY;               else { lane = random % lanes; area = done * length; }
    for (...) if (op == SUM) acc += x[i];         ref = lane * length + area;
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.trace.events import Event, GuardKind
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, const, negate, symbols

BRANCHES = 8
"""Branches of one step of a loop that are looked at."""

_THREADS = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.COUNTER, SymbolKind.TRIPS})


def consuming(step: Term, phi: Symbol, conds: tuple[Term, ...] = ()) -> Iterator[tuple[Term, ...]]:
    """The branches of a loop's step in which the next value is made out of the last one (``s += x``), by their
    conditions, where the first of them is one that is written."""
    if step.op == "select" and len(conds) < BRANCHES:
        cond, then, other = step.args
        yield from consuming(then, phi, (*conds, cond))
        if conds:
            yield from consuming(other, phi, (*conds, negate(cond)))
    elif conds and step.op not in ("sym", "const", "land", "lor", "call") and phi in step.symbols:
        yield conds


def meant(event: Event, facts: Sequence[Term], chosen: Set[Term]) -> bool:
    """Whether conditions on arguments alone are those of a branch that the kernel has: all arguments stand in one of
    the ``chosen`` ones, and nothing else of which we do not know how it goes with them guards the use."""
    named: set[Symbol] = set()
    for fact in facts:
        if fact in chosen:
            named |= set(symbols(fact))
    if not named or any(symbol not in named for fact in facts for symbol in symbols(fact)):
        return False
    for guard in event.guards:
        found = set(symbols(guard.term))
        if guard.kind in (GuardKind.LOOP, GuardKind.AFTER_LOOP) or {symbol.kind for symbol in found} & _THREADS:
            continue
        if not found <= named:
            return False
    return True


def said(facts: Sequence[Term]) -> dict[Symbol, Term]:
    """The arguments of which conditions say what number they are."""
    found: dict[Symbol, Term] = {}
    for fact in facts:
        for part in conjuncts(fact):
            if part.op == "eq" and part.args[0].op == "sym" and part.args[1].op == "const":
                found[part.args[0].args[0]] = part.args[1]
            elif part.op == "lnot" and (symbol := part.args[0].symbol) is not None:
                found[symbol] = const(0, symbol.type)
    return found
