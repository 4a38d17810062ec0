"""Places that move from round to round as data choose, in the first round.

``while (...) { x = stack[depth]; if (data[x]) depth++; else depth--; }`` goes where nobody can tell, but it begins
somewhere: what the loop's variables hold in its first round is what they were set to before it.  A barrier between the
loop's beginning and what was stored before it is missed there as in any other round.

Only rounds that are not tied are put first: where the last barrier stands in the loop itself, two threads are as many
rounds from it as it says.
"""

from __future__ import annotations

from kernlint.analysis.accesses.no_rounds import in_first_round
from kernlint.analysis.accesses.pairs import Pair
from kernlint.analysis.trace.events import Access, LoopContext
from kernlint.prove.query import Side
from kernlint.record import replace
from kernlint.symbolic.terms import SymbolKind, Term, symbols


def begun(pair: Pair) -> Pair | None:
    """The pair in the first rounds of the loops whose variables its places hold; None where there is no such loop, or a
    barrier in it says how far two threads are apart."""
    a, b = _begun(pair.first, pair.a, pair), _begun(pair.second, pair.b, pair)
    if a is None or b is None or (a is pair.a and b is pair.b):
        return None
    return replace(pair, a=a, b=b)


def _begun(access: Access, at: Side, pair: Pair) -> Side | None:
    tied = {counter for one, other, _ in pair.tied for counter in (one, other)}
    loops = {id(loop): loop for loop in access.loops}
    while moving := _moving(at.offset, loops):
        for loop in moving:
            if loop.counter in tied or loop is pair.carried:
                return None
            at = _first(at, loop)
            del loops[id(loop)]
    return at


def _moving(offset: Term, loops: dict[int, LoopContext]) -> list[LoopContext]:
    """The loops around an access whose variables stand in its place, but in no closed form."""
    found = (s for s in symbols(offset) if s.kind is SymbolKind.PHI and s.init is not None)
    return list({id(s.origin): s.origin for s in found if id(s.origin) in loops}.values())


def _first(at: Side, loop: LoopContext) -> Side:
    """An access in the first round of ``loop``, where it comes to that."""
    ends = tuple(
        in_first_round(one.condition, loop)
        for one in at.counters
        if one.counter is loop.counter and one.condition is not None
    )
    counters = tuple(
        one if one.condition is None else replace(one, condition=in_first_round(one.condition, loop))
        for one in at.counters
        if one.counter is not loop.counter
    )
    guards = tuple(in_first_round(guard, loop) for guard in at.guards)
    held = tuple(guard for guard in (*guards, *ends) if guard.value != 1)
    return replace(at, offset=in_first_round(at.offset, loop), guards=held, counters=counters)
