"""How large the counts get that places are made of, by the tests that they go up under.

A count is a variable of loops that begins at numbers and moves by numbers, up where something is put into an array and
down where it is taken out again.  Each way that a round may end in has its conditions; a way up under ``top < 20``
leaves the count at 20 at most.  Ways up that no number limits leave it open.  What is not reached because all moves are
multiples of a number (pairs that are put in together) does not count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.trace.events import Access, LoopContext, Trace
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, binary, const, negate, plain, symbols
from kernlint.tree.nodes import Atomic
from kernlint.tree.types import BOOL, IntType

WAYS = 64
"""Ways through a round that are told apart."""

VARIABLES = 16
"""Variables of loops that one count is made of, at the most."""

Way = tuple[Polynomial, tuple[Term, ...]]
"""A value, and the conditions that choose it."""


@dataclass(frozen=True, slots=True, eq=False)
class Count:
    """A count as variables of loops hold it (``made_of``), or as an atomic operation hands it out.

    ``most``: the largest number that it gets to, None where no number limits it.  ``first``, ``unit``: it is the one
    plus a multiple of the other.  ``endless``: whether data, arguments or the count itself say how often it moves.
    """

    made_of: frozenset[Symbol]
    most: int | None
    first: int
    unit: int
    endless: bool


def ways(term: Term, under: tuple[Term, ...] = ()) -> Iterator[Way]:
    """The values that a term may have, each with the conditions that choose it."""
    form = polynomial(term)
    more = form.coefficients.get((), 0)
    (mono, *others) = [mono for mono in form.coefficients if mono] or [()]
    atom = plain(mono[0]) if len(mono) == 1 and not others and form.coefficients[mono] == 1 else None
    if atom is None:
        yield form, under
    elif atom.op == "select":
        cond, then, other = atom.args
        yield from _more(then, more, (*under, *_handed_on(under, mono[0], then), *conjuncts(cond)))
        yield from _more(other, more, (*under, *_handed_on(under, mono[0], other), *conjuncts(negate(cond))))
    elif atom.op in ("min", "max") and len(atom.args) == 2:
        one, two = atom.args
        less = binary("le", one, two, BOOL)
        yield from _more(one, more, (*under, less if atom.op == "min" else negate(less)))
        yield from _more(two, more, (*under, negate(less) if atom.op == "min" else less))
    elif atom.op == "call" and str(atom.args[0]).startswith("after"):
        yield from _more(atom.args[1], more, under)
    else:
        yield form, under


def _handed_on(under: tuple[Term, ...], chosen: Term, way: Term) -> Iterator[Term]:
    """What conditions that keep a choice below a number say of one of its ways: ``(c ? m + 1 : m) < 8``."""
    for part in under:
        cap = cap_of(part, chosen)
        most = cap.constant if cap is not None else None
        if most is not None and isinstance(way.type, IntType) and way.type.wrap(most) == most:
            yield binary("le", way, const(most, way.type), BOOL)


def _more(term: Term, more: int, under: tuple[Term, ...]) -> Iterator[Way]:
    for form, conditions in ways(term, under):
        yield form + number(more), conditions


def cap_of(part: Term, counted: Term) -> Polynomial | None:
    """What a truth keeps a count, or a choice of counts, at or below: a number, or a sum of other things."""
    slack = slack_of(part)
    if slack is None or slack[0].coefficients.get((counted,)) != -1:
        return None
    return slack[0] + polynomial(counted) - number(slack[1])


def lowest_cap(parts: Sequence[Term], made_of: frozenset[Symbol]) -> int | None:
    """The smallest number that truths keep a count at or below."""
    caps = (cap_of(part, symbol.term) for part in parts for symbol in made_of)
    return min((cap.constant for cap in caps if cap is not None and cap.constant is not None), default=None)


def moved(form: Polynomial) -> tuple[Symbol | None, int] | None:
    """(variable, step) of a value that is a number, or a variable and a number."""
    more = form.coefficients.get((), 0)
    rest = [(mono, times) for mono, times in form.coefficients.items() if mono]
    if not rest:
        return None, more
    symbol = rest[0][0][0].symbol if len(rest) == 1 and len(rest[0][0]) == 1 and rest[0][1] == 1 else None
    return None if symbol is None or symbol.kind not in _COUNTING else (symbol, more)


_COUNTING = frozenset({SymbolKind.PHI, SymbolKind.UNKNOWN})


def count_of(symbol: Symbol, of: Trace) -> Count | None:
    """The count that a variable is."""
    if is_slot(symbol):
        return Count(frozenset({symbol}), None, 0, 1, endless=True)
    if symbol.kind is not SymbolKind.PHI:
        return None
    found: set[Symbol] = set()
    starts: list[int] = []
    moves: list[tuple[Symbol, int, tuple[Term, ...]]] = []
    todo = [symbol]
    while todo:
        at = todo.pop()
        if at in found:
            continue
        if len(found) >= VARIABLES or at.init is None or at.step is None:
            return None
        found.add(at)
        for value, under in (*ways(at.init), *ways(at.step)):
            move = moved(value)
            if move is None or len(moves) > WAYS:
                return None
            base, step = move
            if base is None:
                starts.append(step)
            else:
                moves.append((at, step, under))
                todo.append(base)
    if not starts or not any(step > 0 for _, step, _ in moves):
        return None
    made_of = frozenset(found)
    loops = [loop for loop in of.loops if made_of & set(loop.phis)]
    unit = gcd(*(step for _, step, _ in moves), *(start - starts[0] for start in starts))
    return Count(made_of, _most(starts, moves, made_of, loops), starts[0], unit or 1, endless(loops))


def _most(
    starts: Sequence[int],
    moves: Sequence[tuple[Symbol, int, tuple[Term, ...]]],
    made_of: frozenset[Symbol],
    loops: Sequence[LoopContext],
) -> int | None:
    top = max(starts)
    for at, step, under in moves:
        if step <= 0:
            continue
        own = [loop.condition for loop in loops if at in loop.phis and loop.condition is not None]
        around = [part for condition in own for part in conjuncts(condition)]
        cap = lowest_cap((*under, *around), made_of)
        if cap is None:
            return None
        top = max(top, cap + step)
    return top


def is_slot(symbol: Symbol) -> bool:
    """Whether a value is what counting up by an atomic operation has given."""
    made = symbol.kind is SymbolKind.UNKNOWN and isinstance(symbol.origin, Atomic)
    return made and symbol.origin.op in ("add", "inc")


_FREE = frozenset({SymbolKind.LOAD, SymbolKind.PARAM, SymbolKind.PHI, SymbolKind.UNKNOWN, SymbolKind.TRIPS})


def endless(loops: Sequence[LoopContext]) -> bool:
    """Whether something other than a number says how often a count moves."""
    chain = {loop for one in loops for loop in one.chain}
    conditions = [loop.condition for loop in chain]
    return any(c is None or any(symbol.kind in _FREE for symbol in symbols(c)) for c in conditions)


def left_before(access: Access, count: Count, at: int) -> bool:
    """Whether loops are left, or may be left, by a count that is as large as ``at`` or little less."""
    loops = set(access.loops) | {g.loop for g in access.guards if g.loop is not None}
    for loop in loops:
        for term in loop.left_by:
            for part in conjuncts(term):
                mine = count.made_of & set(symbols(part))
                tried = range(at, max(at - NEAR, count.first + 1), -1) if mine else ()
                if any(evaluate(part, dict.fromkeys(mine, value)) != 0 for value in tried):
                    return True
    return False


NEAR = 4
"""Values below the one that is asked about at which a loop may be left."""
