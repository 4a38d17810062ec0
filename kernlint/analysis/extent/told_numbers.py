"""Arrays that are too small for numbers of which a comment says how large they get.

``uint length;  // bytes, 0 .. 64`` beside an array of sixteen words: four more bytes behind the salt are in none of
them.  All numbers that make a place, and that say how far the loops around it go, are taken as large as they may be.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from kernlint.analysis.extent.sizes import last_part
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.launching.members import member_of
from kernlint.analysis.trace.events import Access, GuardKind, LoopContext, Trace
from kernlint.prove.query import Actor, Refuted
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import Polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols
from kernlint.tree.nodes import FunctionDecl
from kernlint.tree.types import IntType

Ranges = Mapping[str, tuple[int | None, int | None]]

LAST = 4
"""Iterations at the end of a loop that are looked at."""

FAR = 1 << 31
"""Offsets beyond are those of places that have wrapped."""

LOOPS = 3
"""Loops that make a place, at most."""


def name_of(symbol: Symbol, kernel: FunctionDecl) -> str:
    """What comments call a number: the name of an argument, of a member, or of the array that it was read from."""
    of = member_of(symbol, kernel)
    if of is not None:
        return of[1]
    if symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple):
        return last_part(symbol.origin[0].name)
    return symbol.name if symbol.kind is SymbolKind.PARAM else ""


def beyond_told(
    kernel: Trace, function: FunctionDecl, access: Access, place: Term, size: int, extent: int, said: Ranges
) -> Refuted | None:
    """Numbers as large as comments say with which ``size`` units at ``place`` leave an object of ``extent`` units."""
    env: dict[Symbol, int] = {}
    loops: dict[Symbol, LoopContext] = {}
    todo = list(symbols(place))
    while todo:
        symbol = todo.pop()
        if symbol in env or symbol in loops:
            continue
        if symbol.kind in (SymbolKind.COUNTER, SymbolKind.TRIPS):
            loop = _loop_of(kernel, access, symbol)
            if loop is None or loop.condition is None or len(loops) == LOOPS:
                return None
            loops[symbol] = loop
            todo += [one for one in symbols(loop.condition) if one is not loop.counter]
            continue
        high = said.get(name_of(symbol, function), (None, None))[1]
        if high is None or symbol.kind not in (SymbolKind.LOAD, SymbolKind.PARAM) or not _holds(symbol, high):
            return None
        env[symbol] = high
    told = dict(env)
    if not told or not _rounds(loops, env):
        return None
    counters = [symbol for symbol in loops if symbol.kind is SymbolKind.COUNTER]
    for back in product(*(range(min(LAST, env[one] + 1)) for one in counters)):
        at = {**env, **{one: env[one] - less for one, less in zip(counters, back, strict=True)}}
        reached = evaluate(place, at)
        if reached is not None and extent < reached + size < FAR and _admitted(access, at, loops):
            first = Actor((0, 0, 0), (0, 0, 0), reached, tuple((one, at[one]) for one in counters), ())
            return Refuted(
                (1, 1, 1),
                (1, 1, 1),
                tuple(told.items()),
                first,
                depends_on_data=True,
                data_in_address=True,
                extent=extent,
            )
    return None


def _holds(symbol: Symbol, value: int) -> bool:
    return isinstance(symbol.type, IntType) and symbol.type.wrap(value) == value


def _loop_of(kernel: Trace, access: Access, symbol: Symbol) -> LoopContext | None:
    among = access.loops if symbol.kind is SymbolKind.COUNTER else kernel.loops
    loop = next((loop for loop in among if symbol in (loop.counter, loop.trips)), None)
    if loop is None or loop.post_tested or loop.exits or loop.leaves or loop.returns or loop.doubtful:
        return None
    return loop


def _rounds(loops: Mapping[Symbol, LoopContext], env: dict[Symbol, int]) -> bool:
    """Puts the last round of each loop into ``env``, or how many there are."""
    for symbol, loop in reversed(list(loops.items())):  # what a condition rests on was met later
        slack = slack_of(loop.condition) if loop.condition is not None else None
        if slack is None:
            return False
        factor = slack[0].coefficients.get((loop.counter.term,), 0)
        rest = _number(slack[0] - Polynomial({(loop.counter.term,): factor}), env)
        if factor >= 0 or rest is None or rest < slack[1]:
            return False
        last = (rest - slack[1]) // -factor
        env[symbol] = last if symbol.kind is SymbolKind.COUNTER else last + 1
    return True


def _number(form: Polynomial, env: Mapping[Symbol, int]) -> int | None:
    total = 0
    for mono, factor in form.coefficients.items():
        for atom in mono:
            value = evaluate(atom, env)
            if value is None:
                return None
            factor *= value
        total += factor
    return total


def _admitted(access: Access, env: Mapping[Symbol, int], loops: Mapping[Symbol, LoopContext]) -> bool:
    """Whether no test that speaks of these numbers fails, or is about anything else besides."""
    own = {loop.condition for loop in loops.values()}
    for guard in access.guards:
        if guard.kind is GuardKind.AFTER_LOOP or guard.term in own or not set(env) & set(symbols(guard.term)):
            continue
        if not evaluate(guard.term, env):
            return False
    return True
