"""Fills of the first element alone of those that a kernel adds to, one in each of several records.

An atomic operation goes on from what is there.  Where one and the same operation of a kernel reaches the bytes that the
host fills before the launch, and others behind them that nothing fills, the others begin with what an earlier launch
left, or with anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from kernlint.analysis.base import Facts
from kernlint.analysis.hostmodel.places import as_pointer, pointed_to
from kernlint.analysis.launching.launches import LaunchFact, launches
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, ApiEvent
from kernlint.analysis.trace.values import as_term
from kernlint.apis import Fills, Moves, api_of
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, THREAD, Symbol, SymbolKind, Term, symbols

_GOES_ON = frozenset({"add", "sub", "inc", "dec", "min", "max", "or", "xor", "and"})
"""Atomic operations whose result rests on what was there before."""

_PARAMS = (2, 8, 64)
"""Values of all parameters of the kernel that are tried together."""

_ROUNDS = (0, 1, 7, 63)
"""Rounds of the loops of the host around a launch that are tried, those that these have."""

_PLACES = (0, 1, 5, 31)
"""Threads of a block, and blocks, that are tried."""

_KINDS = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM, SymbolKind.PARAM})


@dataclass(frozen=True, slots=True, eq=False)
class FirstAlone:
    """``call`` fills ``size`` bytes of what is passed for ``name``, the first of those that ``access`` goes on from."""

    call: ApiEvent
    name: str
    size: int
    access: Access


def first_alone(facts: Facts) -> Iterator[FirstAlone]:
    """The fills before launches of the kernel in sight that leave out all elements but the first, each once."""
    going_on = [a for a in facts[trace].accesses if a.kind is AccessKind.ATOMIC and a.atomic_op in _GOES_ON]
    seen: set[object] = set()
    for fact in facts[launches] if going_on else ():
        if fact.walk is None or fact.event is None:
            continue
        for call in fact.walk.apis:
            size = _filled(call) if call.order < fact.event.order and call.span not in seen else None
            names = _names(fact, call) if size is not None else set()
            for access in going_on:
                if size is not None and access.root.name in names and _beyond(access, size, fact, facts):
                    seen.add(call.span)
                    yield FirstAlone(call, access.root.name, size, access)
                    break


def _filled(call: ApiEvent) -> int | None:
    """The bytes that a call fills, a constant."""
    api = api_of(call.name)
    if not isinstance(api, Fills) or not api.bytewise or api.size != 2 or len(call.args) < 3 or call.loops:
        return None
    return as_term(call.args[2]).value


def _names(fact: LaunchFact, call: ApiEvent) -> set[str]:
    """The parameters that get the memory that a call fills from its start, where no other call brings anything there
    in sight."""
    target = as_pointer(call.args[0])
    if target is None or target.offset.value != 0 or fact.walk is None or fact.event is None:
        return set()
    for other in fact.walk.apis:
        known = isinstance(api_of(other.name), (Fills, Moves)) and other is not call and other.order < fact.event.order
        if known and any(target.root in pointed_to(value) for value in other.args):
            return set()
    given = ((name, as_pointer(value)) for name, value in fact.arguments)
    return {name for name, at in given if at is not None and at.root is target.root and at.offset.value == 0}


def _beyond(access: Access, size: int, fact: LaunchFact, facts: Facts) -> bool:
    """Whether an access is to the bytes that are filled for some threads of a launch, and behind them for others."""
    asked = symbols(access.offset)
    place = polynomial(access.offset)
    stored = (a for a in facts[trace].accesses if a.kind is AccessKind.WRITE and a.root is access.root)
    if not asked or any(symbol.kind not in _KINDS for symbol in asked):
        return False
    if (access.size or 0) > size or any(polynomial(a.offset) == place for a in stored):
        return False
    reached = {_reached(access, values, size) for values in _launches(asked, access, fact)}
    return {True, False} <= reached


def _reached(access: Access, values: Mapping[Symbol, int], size: int) -> bool | None:
    """Whether a thread reaches bytes that are filled; None where it does not come there, or that is not known."""
    if any(evaluate(guard.term, values) == 0 for guard in access.guards):
        return None
    at = evaluate(access.offset, values)
    return at < size if at is not None else None


def _launches(asked: tuple[Symbol, ...], access: Access, fact: LaunchFact) -> Iterator[dict[Symbol, int]]:
    """Values of what an access rests on: threads of launches, small ones."""
    named = {*asked, *(symbol for guard in access.guards for symbol in symbols(guard.term))}
    params = [symbol for symbol in named if symbol.kind is SymbolKind.PARAM]
    known = {name: as_term(value).value for name, value in fact.arguments if isinstance(value, Term)}
    axes = [symbol for axis in (THREAD, BLOCK) for symbol in axis if symbol in named]
    blocks = [size.value for size in fact.block] if fact.block is not None else [None] * 3
    grid = [size.value for size in fact.grid] if fact.grid is not None else [None] * 3
    for many, passed in ((m, passed) for m in _PARAMS for passed in _in_rounds(fact, m)):
        values: dict[Symbol, int] = {}
        for symbol in params:
            number = passed.get(symbol.name, known.get(symbol.name))
            values[symbol] = many if number is None else number
        for axis in range(3):
            values[BLOCK_DIM[axis]] = blocks[axis] or 1 << 5
            values[GRID_DIM[axis]] = grid[axis] or 1 << 5
        most = [values[(BLOCK_DIM if symbol in THREAD else GRID_DIM)[symbol.axis or 0]] for symbol in axes]
        for places in product(_PLACES, repeat=len(axes)):
            if all(at < limit for at, limit in zip(places, most, strict=True)):
                yield {**values, **dict(zip(axes, places, strict=True))}


def _in_rounds(fact: LaunchFact, many: int) -> Iterator[dict[str, int]]:
    """What is passed that rests on the round of a loop of the host, in some that it has; with ``many`` for all that the
    host leaves open."""
    event = fact.event
    rounds = {loop.counter for loop in event.loops} if event is not None else set()
    told = [(n, v) for n, v in fact.arguments if isinstance(v, Term) and not rounds.isdisjoint(symbols(v))]
    if not told:
        yield {}
        return
    asked = [guard.term for guard in fact.guards if not rounds.isdisjoint(symbols(guard.term))]
    open_ = dict.fromkeys((s for term in (*asked, *(v for _, v in told)) for s in symbols(term)), many)
    for round_ in _ROUNDS:
        values = {symbol: round_ if symbol in rounds else many for symbol in open_}
        if all(evaluate(term, values) != 0 for term in asked):
            passed = ((name, evaluate(value, values)) for name, value in told)
            yield {name: number for name, number in passed if number is not None}
