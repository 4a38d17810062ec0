"""Conditions on data, and what a search may suppose of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kernlint.analysis.accesses.pairs import (
    Pair,
    one_for_all,
)
from kernlint.analysis.search.inputs import PLAIN
from kernlint.analysis.trace.events import Root
from kernlint.prove.query import Overlap, Side, is_shared
from kernlint.record import replace
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import (
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    const,
    plain,
    rebuild,
    replaced,
    symbols,
)
from kernlint.tree.types import FloatType, IntType


def without_data(query: Overlap, root: Root) -> tuple[Side, Side]:
    """Both sides without the conditions on data that can hold whatever the other thread does.

    Those are conditions on data of the thread's own, and conditions on data that both see when the other thread is
    under the very same ones: of a condition and its opposite only one holds.  That a thread is the one of a number is
    none of them: there is such a thread where the other's conditions leave the number open.  What ``root`` itself
    holds, which both are about, may keep them apart, but not where two values are compared, as one that is less takes
    another's place; another field of it is like another object.
    """

    data = _data

    def common(side: Side) -> dict[Symbol, set[Term]]:
        found: dict[Symbol, set[Term]] = {}
        for fact in side.facts:
            for symbol in data(fact) if of_one(fact) is fact else ():
                if is_shared(symbol, query):
                    found.setdefault(symbol, set()).add(fact)
        return found

    ours, theirs = common(query.a), common(query.b)
    placing = {s for side in (query.a, query.b) for s in data(side.offset) if is_shared(s, query)}
    inside = {loop.counter for side in (query.a, query.b) for loop in side.counters}

    def free(term: Term, chosen: set[Symbol]) -> bool:
        found = data(term)
        if not placing.isdisjoint(found):
            return False  # the places are those of one value, and so is the condition
        if not chosen.isdisjoint(found):
            return False  # it keeps the place to its row, or its object
        about = [symbol for symbol in found if not _beside(symbol, query)]
        if _holds(about, root) and not _orders(term):
            return False
        if any(symbol.kind is SymbolKind.TRIPS and symbol.origin.counter in inside for symbol in found):
            return False  # one of the two is in a loop that the other says has not run
        return bool(found) and all(
            not is_shared(symbol, query) or ours.get(symbol, set()) == theirs.get(symbol, set()) for symbol in found
        )

    def freed(side: Side) -> Side:
        chosen = data(side.offset)
        loops = tuple(
            replace(loop, condition=_at_most(loop.condition))
            if loop.condition is not None and free(loop.condition, chosen)
            else loop
            for loop in side.counters
        )
        guards: list[Term] = []
        for guard in side.guards:
            if not free(guard, chosen):
                own = (s not in placing and s not in chosen and not is_shared(s, query) for s in data(guard))
                guard = _opened(guard) if all(own) else guard
                if guard.value == 1:
                    continue
                guards.append(guard)
            elif (one := of_one(guard)) is not guard:
                guards.append(one)  # it lets one thread by, whatever the data
            elif (most := _at_most(guard)) is not None:
                guards.append(most)
        return replace(side, guards=tuple(guards), counters=loops)

    return freed(query.a), freed(query.b)


def _at_most(condition: Term) -> Term | None:
    """What a comparison says whatever the data are, where those that make its upper end are clamped: ``i < min(n[row],
    64) + 1`` is no more than ``i < 65``."""
    if condition.op not in ("lt", "le"):
        return None
    clamped: dict[Term, Term] = {}
    for mono, value in (polynomial(condition.args[1]) - polynomial(condition.args[0])).coefficients.items():
        if not any(_data(atom) for atom in mono):
            continue
        high = interval(mono[0])[1] if len(mono) == 1 and mono[0].op == "min" and value > 0 else None
        if high is None:
            return None
        clamped[mono[0]] = const(high, mono[0].type)
    done = replaced(condition, clamped)
    return None if _data(done) else done


def ends_read(query: Overlap) -> dict[Symbol, bool]:
    """The ends of rows that both threads read alike and go through in a loop, and whether each is the upper one: a row
    that begins at 0 and is as long as one likes is a row."""
    found: dict[Symbol, set[bool]] = {}
    for loop in (loop for side in (query.a, query.b) for loop in side.counters if loop.condition is not None):
        condition = loop.condition
        if condition is None or condition.op not in ("lt", "le"):
            continue
        for mono, value in (polynomial(condition.args[1]) - polynomial(condition.args[0])).coefficients.items():
            symbol = mono[0].symbol if len(mono) == 1 else None
            if symbol is not None and symbol.kind is SymbolKind.LOAD and symbol.uniformity is Uniformity.BLOCK:
                found.setdefault(symbol, set()).add(value > 0)
    alike = {symbol: above for symbol, above in found.items() if len(above) == 1 and is_shared(symbol, query)}
    return {symbol: True in above for symbol, above in alike.items()} if any(True in a for a in alike.values()) else {}


def unordered(pair: Pair) -> Pair:
    """The pair without conditions that compare values of the object that it is about (see :func:`without_data`)."""

    def freed(side: Side) -> Side:
        guards = tuple(_opened(g) if _holds(_data(g), pair.first.root) else g for g in side.guards)
        same = all(one is other for one, other in zip(guards, side.guards, strict=True))
        return side if same else replace(side, guards=tuple(g for g in guards if g.value != 1))

    a, b = freed(pair.a), freed(pair.b)
    return pair if a is pair.a and b is pair.b else replace(pair, a=a, b=b)


def _data(term: Term) -> set[Symbol]:
    return {symbol for symbol in symbols(term) if symbol.kind not in PLAIN}


def _holds(found: Iterable[Symbol], root: Root) -> bool:
    """Whether one of the symbols is what ``root`` holds."""
    return any(symbol.kind is SymbolKind.LOAD and symbol.origin[0] is root for symbol in found)


def _beside(symbol: Symbol, query: Overlap) -> bool:
    """Whether a symbol is what a fixed place holds that is none of the bytes which both threads get at."""
    place = plain(symbol.origin[1]).value if symbol.kind is SymbolKind.LOAD else None
    at, other, size = query.a.offset.value, query.b.offset.value, symbol.type.size
    if place is None or at is None or other is None or not size:
        return False
    return all(
        place + size <= begin or begin + long <= place for begin, long in ((at, query.a.size), (other, query.b.size))
    )


def _orders(term: Term) -> bool:
    """Whether two values from memory are compared, or one with a number in floating point that each thread makes for
    itself (what it draws at random): which is the greater is anybody's guess."""
    if term.op == "lor":
        return any(map(_orders, term.terms))
    if term.op not in ("lt", "le"):
        return False
    drawn = [side for side in term.terms if not _data(side)]
    return not drawn or (len(drawn) == 1 and isinstance(drawn[0].type, FloatType) and _of_thread(drawn[0]))


def _opened(term: Term) -> Term:
    """``term`` with comparisons of values from memory within it (``(a > b) == up``, ``up && a > b || ..``) taken to
    come out as it takes."""
    if term.op in ("land", "lor"):
        return rebuild(term, tuple(map(_opened, term.terms)))
    if term.op == "select":
        return rebuild(term, (term.args[0], *map(_opened, term.args[1:])))
    asked = term.terms if term.op in ("eq", "ne") else (term,)
    return const(1, term.type) if any(_either(plain(one)) for one in asked) else term


def _either(term: Term) -> bool:
    """Whether a truth is that of a comparison of values from memory, whichever that is."""
    return _orders(term) or (term.op == "select" and all(_either(plain(arg)) for arg in term.args[1:]))


def _of_thread(term: Term) -> bool:
    return any(symbol.kind in (SymbolKind.THREAD, SymbolKind.BLOCK) for symbol in symbols(term))


def on_data(term: Term) -> bool:
    if term.op == "sym":
        return term.args[0].kind not in PLAIN
    return term.op == "call" or any(on_data(arg) for arg in term.terms)


def truncated(term: Term, made: Callable[[Term], Term], found: dict[Term, Term]) -> None:
    """What ``made`` makes of each integer in ``term`` that comes from a number in floating point: the cell that a
    position is in."""
    if term.op == "cast" and isinstance(term.type, IntType) and not isinstance(term.args[0].type, IntType):
        found[term] = made(term)
        return
    for arg in term.terms:
        truncated(arg, made, found)


def of_one(guard: Term) -> Term:
    """``guard``, with a number in place of one that all threads have alike, from memory or of a name that is out of
    sight (``threadIdx.x == kThreads - 1``), where it is that the thread's index is that number: it lets one thread by,
    whatever the number."""
    if guard.op != "eq":
        return guard
    for one, other in (guard.args, guard.args[::-1]):
        index = {symbol.kind for symbol in other.symbols}
        if SymbolKind.THREAD not in index or not index <= _PLACE or not isinstance(one.type, IntType):
            continue
        if one.symbols and all(map(_alike, one.symbols)):
            return binary("eq", other, const(0, one.type), guard.type)
    return guard


def _alike(symbol: Symbol) -> bool:
    """Whether all threads have the number alike, of which nothing is known: from one place in memory, or a name that no
    header gave."""
    if symbol.kind is SymbolKind.LOAD:
        return not any(part.kind in _OWN_PLACE for part in symbol.origin[1].symbols)
    return one_for_all(symbol)


_PLACE = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM})
_OWN_PLACE = frozenset({SymbolKind.THREAD, SymbolKind.PHI, SymbolKind.LOAD, SymbolKind.UNKNOWN})
