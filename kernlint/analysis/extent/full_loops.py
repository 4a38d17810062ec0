"""Stores behind a loop that fills an array up to its end, unless data end it before.

``while (c[p] != ' ' && m < 48) v[m++] = c[p++]; v[m] = 0;`` asks for room in the loop and takes one place more behind
it: the number of rounds is the size of the array where data have not ended the loop.  So is a store in a loop whose
own test of the rounds lets one more through (``for (c = first; c >= 0 && m <= 48; c = next[c]) v[m++] = w[c];``).
"""

from __future__ import annotations

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.counts import ways
from kernlint.analysis.extent.extents import numbers_made_up
from kernlint.analysis.extent.full_counts import Full
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.extent.uncapped import element_of
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, GuardKind, LoopContext, Root, RootKind
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import polynomial, term_of
from kernlint.symbolic.terms import CUT_SHORT, Symbol, SymbolKind, Term, symbols


def _of(access: Access) -> Full | None:
    counts = [symbol for symbol in symbols(access.offset) if symbol.kind is SymbolKind.TRIPS]
    loop = counts[0].origin if len(counts) == 1 else None
    place, extent, size = element_of(access), access.root.extent, access.root.element.size
    if not isinstance(loop, LoopContext) or place is None or not extent or not size:
        return None
    room = extent // size
    top = _most_rounds(loop)
    if top is None or _tested(access, counts[0], top, loop):
        return None
    for value, under in ways(term_of(place)):
        beyond = (value - polynomial(counts[0].term)).constant
        if beyond is not None:
            full = top + beyond == room and all(evaluate(part, {counts[0]: top}) for part in under)
            return Full(access, "the number of rounds of the loop before it", room) if full else None
    return None


def _one_more(access: Access) -> Full | None:
    """A store at the number of the round, which the loop's own test lets be the size of the array."""
    place, extent, size = element_of(access), access.root.extent, access.root.element.size
    loop = access.loops[-1] if access.loops else None
    if loop is None or place != polynomial(loop.counter.term) or not extent or not size:
        return None
    top = _most_rounds(loop)
    if top is None or top - 1 != extent // size or _tested(access, loop.counter, top - 1, None):
        return None
    for guard in access.guards:
        if guard.loop is loop and any(_cap(part, loop.counter) == top for part in conjuncts(guard.term)):
            return Full(access, "the number of rounds of the loop", extent // size, guard)
    return None


def _most_rounds(loop: LoopContext) -> int | None:
    """How many rounds a loop makes that data alone end before; None for others."""
    if loop.condition is None or loop.post_tested or loop.doubtful or loop.leaves:
        return None
    parts = conjuncts(loop.condition)
    tops = [(_cap(part, loop.counter), part) for part in parts]
    known = [top for top, _ in tops if top is not None]
    ends = [part for top, part in tops if top is None] + [term for term, _ in loop.exits]
    return min(known) if known and ends and all(map(_of_data, ends)) else None


def _cap(part: Term, counter: Symbol) -> int | None:
    """How many rounds a condition that speaks of their number alone lets a loop make."""
    slack = slack_of(part)
    if slack is None or set(symbols(part)) != {counter}:
        return None
    rest = slack[0] + polynomial(counter.term)
    return None if rest.constant is None else rest.constant - slack[1] + 1


def _of_data(end: Term) -> bool:
    """Whether memory says when a loop ends: element by element, or by where each element leads (a list, a walk through
    cells), and no number that gets less in it."""
    found = set(symbols(end))
    walks = {symbol for symbol in found if symbol.kind is SymbolKind.PHI}
    kinds = {symbol.kind for symbol in found}
    if SymbolKind.UNKNOWN in kinds or not (walks or SymbolKind.LOAD in kinds):
        return False
    return all(map(_led, walks))


def _led(symbol: Symbol) -> bool:
    """Whether what a variable is in the next round is made of what memory holds, whatever it was, or of more than is
    written down: what gets less by itself is short (``n / 10``)."""
    seen: set[Symbol] = set()
    todo = [symbol]
    while todo and len(seen) < WALKED:
        at = todo.pop()
        if at in seen or at.step is None:
            continue
        seen.add(at)
        for value, _ in ways(at.step):
            inner = {s for atom in value.atoms for s in symbols(atom)}
            if any(
                s.kind is SymbolKind.LOAD or (s.kind is SymbolKind.UNKNOWN and s.reason == CUT_SHORT) for s in inner
            ):
                return True
            todo += [s for s in inner if s.kind is SymbolKind.PHI]
    return False


WALKED = 8
"""Variables of loops that are looked at to find what leads one on."""


def _tested(access: Access, count: Symbol, top: int, loop: LoopContext | None) -> bool:
    """Whether a test may keep the store from being made with the array full, besides the end of the ``loop`` before."""
    for guard in access.guards:
        if loop is not None and guard.kind is GuardKind.AFTER_LOOP and guard.loop is loop:
            continue
        for part in conjuncts(guard.term):
            if count in symbols(part) and not evaluate(part, {count: top}):
                return True
    return False


def _compute(facts: Facts) -> tuple[Full, ...]:
    of = facts[trace]
    if of.calls or numbers_made_up(facts):
        return ()
    found: dict[Root, Full] = {}
    for access in of.accesses:
        root = access.root
        if access.kind is AccessKind.WRITE and root.kind is RootKind.VARIABLE and root not in found:
            one = _of(access) or _one_more(access)
            if one is not None:
                found[root] = one
    return tuple(found.values())


full_loops = KernelAnalysis("full_loops", _compute, needs=(trace,))
"""A :class:`~kernlint.analysis.extent.full_counts.Full` for each array of a kernel variant that has one."""
