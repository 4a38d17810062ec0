"""Loops that go no round for some thread or some row, so that what they set stays unset.

That a size is 0 is the caller's choice, and says nothing.  Two things do::

    for (m = starts[b] + lane; m < starts[b + 1]; m += 32) best = m;    a row, between two starts
    for (j = first + lane; j < last; j += 32) column = columns[j];    what data count, dealt out

Rows of such a table may be empty, which is what the table is for; and of a number of items that data say there may be
fewer than threads that take one each.  The latter holds for the threads that get none, and not for one that a test
picks out (``lane == 0``), which gets the first.  Sizes that are arguments are asked with the conditions of the use.

A use is silent where data guard it that say something of the rows, or where tests after the loop ask data: they may go
with what was found.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from kernlint.analysis.trace.events import Event, Guard, GuardKind, LoopContext
from kernlint.prove.cases import conjuncts
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, const, negate, plain, substitute, symbols
from kernlint.tree.types import I64

_DATA = frozenset({SymbolKind.LOAD, SymbolKind.UNKNOWN})
_OF_LOOPS = _DATA | {SymbolKind.PHI, SymbolKind.EXIT, SymbolKind.TRIPS}
_LAUNCH = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.PARAM, SymbolKind.WARP_SIZE})


def without_a_round(loop: LoopContext, event: Event) -> tuple[Term, ...] | None:
    """The conditions under which a thread goes no round of ``loop`` and comes to ``event`` (none: some do); None where
    nothing says that there are such."""
    if loop.condition is None or loop.post_tested or loop.doubtful or loop.leaves:
        return None
    first = in_first_round(loop.condition, loop)
    for test in conjuncts(first):
        if test.op not in ("lt", "le"):
            continue
        low, high = test.args
        ranges = _data(test)
        if not ranges:
            if _dealt_out(low, high) and {s.kind for s in symbols(test)} <= _LAUNCH:
                return (negate(test),)
            continue
        if _answered(event, loop, ranges):
            continue
        if _row(low, high) or (_dealt_out(low, high) and not _picked(event, low)):
            return ()
    return None


def in_first_round(term: Term, loop: LoopContext) -> Term:
    """A term of a loop as it is in the first round, or before it."""
    images: dict[Symbol, Term] = {loop.counter: const(0, I64)}
    for symbol in symbols(term):
        if symbol.kind is SymbolKind.PHI and symbol.origin is loop and symbol.init is not None:
            images[symbol] = symbol.init
    return substitute(term, images)


def _data(term: Term) -> set[Symbol]:
    return {symbol for symbol in symbols(term) if symbol.kind in _DATA}


def _dealt_out(low: Term, high: Term) -> bool:
    """Whether a loop begins at the thread's number, and ends where all threads do."""
    own = [mono for mono in polynomial(low).coefficients if any(_of_threads(atom) for atom in mono)]
    return len(own) == 1 and not any(symbol.kind is SymbolKind.THREAD for symbol in symbols(high))


def _of_threads(term: Term) -> bool:
    return any(symbol.kind is SymbolKind.THREAD for symbol in symbols(term))


def _row(low: Term, high: Term) -> bool:
    """Whether a loop goes from one entry of a table to the next one, or from one member of an entry to another: each
    side is made of a single number of the same array, the second of the place right behind the first."""
    ends = [_data(side) for side in (low, high)]
    if any(len(end) != 1 for end in ends):
        return False
    (first,), (last,) = ends
    if first.kind is not SymbolKind.LOAD or last.kind is not SymbolKind.LOAD:
        return False
    if not isinstance(first.origin, tuple) or not isinstance(last.origin, tuple):
        return False
    (root, place), (other, next_) = first.origin, last.origin
    if root is not other or not isinstance(place, Term) or not isinstance(next_, Term):
        return False
    step = polynomial(next_) - polynomial(place)
    size = root.element.size or 1
    alone = polynomial(low).coefficients.get((first.term,)) == 1 and polynomial(high) == polynomial(last.term)
    apart = step.coefficients.get((), 0)
    return alone and 0 < apart <= size and step == polynomial(const(apart, I64))


def _answered(event: Event, loop: LoopContext, ranges: Set[Symbol]) -> bool:
    """Whether guards of a use know whether there was a round."""
    return any(_data(guard.term) & ranges for guard in _others(event, loop)) or any(
        _asks(guard) for guard in event.guards[loop.depth :] if guard.loop is not loop
    )


def _others(event: Event, loop: LoopContext) -> Iterator[Guard]:
    """The guards of a use, but for those that say that loops have ended."""
    return (guard for guard in event.guards if guard.kind is not GuardKind.AFTER_LOOP and guard.loop is not loop)


def _asks(guard: Guard) -> bool:
    """Whether a guard asks data, or what a loop has made of them."""
    if guard.kind is GuardKind.AFTER_LOOP and guard.loop is not None and not (guard.loop.exits or guard.loop.leaves):
        return False
    return any(symbol.kind in _OF_LOOPS for symbol in symbols(guard.term))


def _picked(event: Event, low: Term) -> bool:
    """Whether a guard of a use picks threads out by what a loop begins at."""
    own = {plain(atom) for mono in polynomial(low).coefficients for atom in mono if _of_threads(atom)}
    for guard in event.guards:
        for test in conjuncts(guard.term):
            if test.op == "eq" and any(
                plain(atom) in own or plain(atom).symbol in {s for at in own for s in symbols(at)}
                for arg in test.args
                for mono in polynomial(arg).coefficients
                for atom in mono
            ):
                return True
    return False
