"""Places that data choose, as free inputs: what a thread reads from memory may be anything that is left open to it.

An index that comes from memory, a cast of a number in floating point, a ballot, what an atomic operation returns is no
gap but an input: a value of the thread's own, within what clamps, types, the extent of the object and the thread's own
part of it leave.  :func:`opened` puts one symbol with such a range in the place of each, so that the search chooses
contents as it chooses the values of arguments.

Not every value that is not known is data.  A loop variable that begins at the thread's index, or the lane's rank among
others, moves with the thread: nothing says that two threads may have the same one.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping

from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.trace.events import Access, AccessKind, WarpEvent
from kernlint.analysis.trace.values import UNPLACED
from kernlint.prove.query import SETTLED, Side
from kernlint.record import replace
from kernlint.symbolic.intervals import interval, refine
from kernlint.symbolic.polynomial import Polynomial, polynomial, term_of
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, binary, cast, replaced, symbols
from kernlint.tree.nodes import Atomic, WarpOp
from kernlint.tree.types import BOOL, I64, IntType, Space

PART = 64
"""Elements, at most, between which an input chooses where the thread has a part of unknown size of the object."""

MOST = 4096
"""The largest input of which nothing is known."""

PLAIN = SETTLED - {SymbolKind.LOAD} | {SymbolKind.THREAD, SymbolKind.COUNTER}
"""Kinds of symbols that hold no data."""

_LINEAR = frozenset({"add", "sub", "mul", "neg", "cast", "shl", "min", "max", "select"})
"""Operations through which an input is looked for when they hold the thread's index too."""

_DIGITS = frozenset({"shr", "div", "and", "mod"})
"""Operations with a number that leave some of the digits of a value, through which an input is looked for too."""

_COUNTS = frozenset({"popcount"})
"""Functions that count bits: whose they are is lost."""

_BALLOTS = frozenset({"ballot", "any", "all", "match", "activemask"})


def opened(pair: Pair) -> Pair | None:
    """The pair with inputs in place of what data choose for each thread; None where a place rests on what is no data,
    or where the two accesses hang on one choice (see :func:`one_choice`)."""
    if _fields(pair.a.offset) != _fields(pair.b.offset):
        return None
    ours, theirs = _inputs(pair.a.offset, pair.private), _inputs(pair.b.offset, pair.private)
    if ours is None or theirs is None:
        return None
    if not (ours or theirs):
        return pair  # what both threads see is chosen for both alike, as arguments are
    if one_choice(pair, ours, theirs) or both_drawn(pair, ours, theirs) or both_put(pair, ours, theirs):
        return None
    return replace(pair, a=_open(pair.a, pair.first, ours), b=_open(pair.b, pair.second, theirs))


def _fields(place: Term) -> set[Symbol]:
    """The fields in a place of which it is not known where they lie."""
    return {symbol for symbol in symbols(place) if symbol.origin is UNPLACED}


def one_choice(pair: Pair, ours: tuple[Term, ...], theirs: tuple[Term, ...]) -> bool:
    """Whether both places are chosen by one and the same datum: a thread then works where its own choice leads it.

    Excused: ``s[slot] = x; ... y = s[slot];`` Still bad: ``s[slot] = x; ... y = s[other];`` without a barrier.
    """
    mine = {symbol for term in ours for symbol in symbols(term) if _datum(symbol, pair.private)}
    return any(symbol in mine for term in theirs for symbol in symbols(term))


def both_drawn(pair: Pair, ours: tuple[Term, ...], theirs: tuple[Term, ...]) -> bool:
    """Whether atomic operations, or the ranks among lanes that vote, have given out both places: each names its places
    once.

    Excused: ``s[atomicAdd(&n, 1)] = x;`` beside ``s[atomicSub(&m, 1)] = y;`` Still bad: one of them beside a place of
    the thread's own, such as ``s[tid]``.
    """
    made = {id(pair.first.node), id(pair.second.node)}
    drawn = [any(_drawn(symbol) for term in terms for symbol in symbols(term)) for terms in (ours, theirs)]
    direct = any(id(s.origin) in made for term in (*ours, *theirs) for s in symbols(term) if s.origin is not None)
    return all(drawn) or direct


def both_put(pair: Pair, ours: tuple[Term, ...], theirs: tuple[Term, ...]) -> bool:
    """Whether two plain writes are both where data choose: a partition that is filled from two ends.

    Excused: ``s[left] = x;`` beside ``s[right] = y;`` Still bad: ``s[tid] = 0;`` beside ``s[chosen] = x;``
    """
    return bool(ours) and bool(theirs) and pair.first.kind is pair.second.kind is AccessKind.WRITE


def _drawn(symbol: Symbol) -> bool:
    """Whether a symbol is what an atomic operation returned, or a vote."""
    return symbol.kind is SymbolKind.UNKNOWN and _given(symbol)


def _given(symbol: Symbol) -> bool:
    origin = symbol.origin.node if isinstance(symbol.origin, WarpEvent) else symbol.origin
    return isinstance(origin, Atomic) or (isinstance(origin, WarpOp) and origin.kind in _BALLOTS)


def _datum(symbol: Symbol, private: frozenset[Symbol] = frozenset()) -> bool:
    """Whether a symbol may be another value for each thread of a block (``private``: as they are in two iterations)."""
    return symbol.kind not in PLAIN and (symbol.uniformity > Uniformity.BLOCK or symbol in private)


@functools.lru_cache(maxsize=1 << 12)
def _inputs(offset: Term, private: frozenset[Symbol] = frozenset()) -> tuple[Term, ...] | None:
    """The terms in an offset that are inputs, each as large as it can be; None: something else is not known there."""
    found: dict[Term, None] = {}
    return tuple(found) if _find(offset, private, found) else None


def chosen_by(offset: Term) -> tuple[Term, ...] | None:
    """The terms in an offset that data choose for a thread, each as large as it can be; None: something else is not
    known there."""
    return _inputs(offset)


def _find(term: Term, private: frozenset[Symbol], found: dict[Term, None]) -> bool:
    odd = [symbol for symbol in term.symbols if _datum(symbol, private)]
    if not odd and not _unknown(term):
        return True
    if _stepped(_value(term), private) and all(_find(arg, private, found) for arg in _value(term).terms):
        return True
    if isinstance(term.type, IntType) and _is_input(term, private):
        found[term] = None
        return True
    through = term.op in _LINEAR or (term.op in _DIGITS and any(arg.value is not None for arg in term.terms))
    if term.op == "shr" and not any(_datum(symbol, private) for symbol in term.args[1].symbols):
        through = True  # one of the items that are packed in a word: which one, the thread says
    return through and all(_find(arg, private, found) for arg in term.terms)


def _value(term: Term) -> Term:
    """``term`` without the conversions of integers around it."""
    while term.op == "cast" and isinstance(term.args[0].type, IntType) and isinstance(term.type, IntType):
        term = term.args[0]
    return term


def _stepped(term: Term, private: frozenset[Symbol]) -> bool:
    """Whether a term is what data choose times something else, or from some place on: ``x * 64``, ``x * threads``,
    ``base + x``.

    The input is ``x`` then: the places between its steps, and those before the base, are not open to it.
    """
    if term.op not in ("add", "sub", "mul", "shl"):
        return False
    plain = [not any(_datum(s, private) for s in arg.symbols) and not _unknown(arg) for arg in term.terms]
    return any(plain)


def _unknown(term: Term) -> bool:
    """Whether a term holds the result of a function that is not known, or a number in floating point."""
    if term.op == "call":
        return True
    if term.op == "cast" and isinstance(term.type, IntType) and not isinstance(term.args[0].type, IntType):
        return True
    return any(map(_unknown, term.terms))


def _is_input(term: Term, private: frozenset[Symbol]) -> bool:
    """Whether a term is made from data, and from nothing that moves with the thread: what a thread has put aside in an
    array of its own does, unless it is cut down to a number of places, as what is mixed is and no place need be."""
    met, cut = False, _cut(_value(term))
    for symbol, counted in _sources(term, False):
        if symbol.kind is SymbolKind.THREAD or symbol.kind is SymbolKind.COUNTER:
            if not counted:
                return False
        elif symbol.kind not in PLAIN:
            if not (cut and _put_aside(symbol)) and not _readable(symbol, 4):
                return False
            met = met or _datum(symbol, private)
    return met


def _cut(term: Term) -> bool:
    """Whether a term is the rest of a division by a number."""
    return term.op in ("mod", "and") and any(arg.value is not None for arg in term.terms)


def _put_aside(symbol: Symbol) -> bool:
    """Whether a symbol was read from memory of the thread alone."""
    return symbol.kind is SymbolKind.LOAD and symbol.origin[0].space is Space.PRIVATE


def _sources(term: Term, counted: bool) -> Iterator[tuple[Symbol, bool]]:
    """The symbols of a term, each with whether its bits are only counted, or only choose between others."""
    if term.op == "sym":
        yield term.args[0], counted
        return
    if term.op == "call" and term.args[0].split("@")[0] in _COUNTS:
        counted = True
    ended = term.op == "call" and term.args[0].startswith("after")  # what follows the variable says when its loop ends
    for at, arg in enumerate(term.terms):
        yield from _sources(arg, counted or (term.op == "select" and at == 0) or (ended and at > 0))


def _readable(symbol: Symbol, depth: int) -> bool:
    """Whether a symbol is something that the thread found in memory, or made from such in a loop."""
    if symbol.kind is SymbolKind.LOAD:
        return not _put_aside(symbol)
    if symbol.kind is SymbolKind.UNKNOWN:
        return _given(symbol)
    if symbol.kind is SymbolKind.PHI and depth and symbol.init is not None and symbol.step is not None:
        for term in (symbol.init, symbol.step):
            for inner, counted in _sources(term, False):
                if inner is symbol or inner.kind in PLAIN - {SymbolKind.THREAD}:
                    continue
                if inner.kind is SymbolKind.THREAD and counted:
                    continue
                if inner.kind is SymbolKind.PHI and inner.origin is symbol.origin and depth < 4:
                    continue
                if inner.kind is SymbolKind.THREAD or not _readable(inner, depth - 1):
                    return False
        return any(
            inner.kind is SymbolKind.LOAD or inner.kind is SymbolKind.UNKNOWN
            for term in (symbol.init, symbol.step)
            for inner in term.symbols
        )
    return False


def _open(side: Side, access: Access, inputs: tuple[Term, ...]) -> Side:
    """The side with a symbol of its own for each input, in its range."""
    if not inputs:
        return side
    images: dict[Term, Term] = {}
    inside: list[Term] = []
    bounds = refine(side.guards)
    for term in inputs:
        assert isinstance(term.type, IntType)
        low, high = interval(term, bounds)
        form, unit = _placed(side.offset, term)
        small, great = _room(form, unit, access)
        low, high = max(low if low is not None else small, small), min(high if high is not None else great, great)
        name = next((symbol.name for symbol in term.symbols if _datum(symbol)), "input")
        images[term] = Symbol(SymbolKind.UNKNOWN, name, term.type, low=low, high=max(low, high)).term
        inside += (binary("lt", cast(images[term], I64), length, BOOL) for length in _rows(form, unit))

    loops = tuple(
        loop if loop.condition is None else replace(loop, condition=replaced(loop.condition, images))
        for loop in side.counters
    )
    guards = (*(replaced(guard, images) for guard in side.guards), *inside)
    return replace(side, offset=replaced(side.offset, images), guards=guards, counters=loops)


def _placed(offset: Term, term: Term) -> tuple[Mapping[tuple[Term, ...], int], int]:
    """What an offset is the sum of, with an input in it, and how many bytes the input steps (0: nobody knows)."""
    probe = Symbol(SymbolKind.LOAD, "probe", term.type)

    form = polynomial(replaced(offset, {term: probe.term})).coefficients
    return form, abs(form.get((probe.term,), 0))


def _moves(atom: Term) -> bool:
    return any(s.kind in (SymbolKind.THREAD, SymbolKind.COUNTER) for s in symbols(atom))


def _rows(form: Mapping[tuple[Term, ...], int], unit: int) -> Iterator[Term]:
    """How long the rows are, in steps of the input, among which the thread or a loop chooses (``row * n + input``): an
    input keeps to the row."""
    for mono, value in form.items() if unit else ():
        still = [atom for atom in mono if not _moves(atom)]
        if len(still) + 1 != len(mono) or not still or value < unit:
            continue
        if all(s.kind is SymbolKind.PARAM for atom in still for s in symbols(atom)):
            yield term_of(Polynomial({tuple(still): value // unit}))


def _room(form: Mapping[tuple[Term, ...], int], unit: int, access: Access) -> tuple[int, int]:
    """From where to where an input goes: it keeps to its object, and to the part of it that the thread has."""
    if not unit:
        return 0, PART
    most = MOST
    if access.root.extent is not None:
        most = min(most, max(access.root.extent // unit - 1, 0))
    for mono, value in form.items():
        own = any(map(_moves, mono))
        if own and len(mono) > 1:
            most = min(most, PART - 1)
        elif own and abs(value) > unit:
            most = min(most, abs(value) // unit - 1)
    return 0, most
