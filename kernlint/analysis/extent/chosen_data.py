"""How far data take an access that are tested, from below and from above, before they make its place.

``if (x < 0 || y < 0 || x >= width || y >= width) return; image[y * width + x] = ...`` with x and y from memory: who
tests such numbers does not trust them, so any that pass the tests may be there.  So it is with the cell that a position
is in, and with a place that data shift (``at = t + delay[k]``).  The largest ones are tried in launches whose
allocations are in sight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.trace.events import Access
from kernlint.prove.query import Actor, Launch, Refuted
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    GRID_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    symbols,
)
from kernlint.tree.types import FloatType, IntType

_FIXED = frozenset({SymbolKind.PARAM, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM})
_PLACES = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.COUNTER})

MOST = 3
"""Numbers from memory, at most, that make a place."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What tests keep a number from memory at or below: ``most``, without the number itself."""

    data: Term
    most: tuple[Polynomial, ...]


def _from_data(atom: Term) -> bool:
    """Whether a part of a place is a number from memory, or the whole part of one in floating point made of such."""
    inner = atom
    while inner.op == "cast" and isinstance(inner.type, IntType) and isinstance(inner.args[0].type, IntType):
        inner = inner.args[0]
    if not any(symbol.kind is SymbolKind.LOAD for symbol in symbols(inner)):
        return False
    if inner.op == "sym":
        return isinstance(inner.type, IntType)
    return inner.op == "cast" and isinstance(inner.type, IntType) and isinstance(inner.args[0].type, FloatType)


def tested_data(access: Access) -> tuple[Kept, ...]:
    """The numbers from memory that make the place of an access; empty where one of them is not tested on both sides, or
    something else than threads, loops and arguments makes the place too."""
    found: list[Term] = []
    for atom in polynomial(access.offset).atoms:
        if _from_data(atom):
            found.append(atom)
        elif not {symbol.kind for symbol in symbols(atom)} <= _FIXED | _PLACES:
            return ()
    if not 0 < len(found) <= MOST:
        return ()
    tests = [told for part in _tests(access) if (told := slack_of(part)) is not None]
    out: list[Kept] = []
    for atom in found:
        above: list[Polynomial] = []
        below = isinstance(atom.type, IntType) and not atom.type.signed
        for slack, strict in tests:
            factor = slack.coefficients.get((atom,), 0)
            rest = slack - Polynomial({(atom,): factor, (): strict})
            if any(_from_data(other) for other in rest.atoms):
                continue
            if factor == -1:
                above.append(rest)
            below = below or factor == 1
        if not above or not below:
            return ()
        out.append(Kept(atom, tuple(above)))
    return tuple(out)


def _tests(access: Access) -> Iterator[Term]:
    for fact in side(access).facts:
        yield from (part for part in conjuncts(fact) if part.op in ("lt", "le"))


def furthest(access: Access, launch: Launch, extent: int) -> Refuted | None:
    """A thread that such data take beyond ``extent`` bytes under a launch with numbers for all its sizes."""
    data = tested_data(access)
    size, (block, grid) = access.size, (launch.block, launch.grid)
    if not data or not size or None in block or None in grid:
        return None
    env: dict[Symbol, int] = dict(launch.values)
    env.update((symbol, value or 1) for symbol, value in zip((*BLOCK_DIM, *GRID_DIM), (*block, *grid), strict=True))
    env.update(dict.fromkeys((*THREAD, *BLOCK), 0))
    counters = _last_rounds(access, env)
    if counters is None:
        return None
    env.update(counters)
    chosen: dict[Term, int] = {}
    for one in data:
        limits = [_number(form, env, {}) for form in one.most]
        known = [most for most in limits if most is not None]
        if len(known) < len(limits):
            return None
        chosen[one.data] = min(known)
    offset = _number(polynomial(access.offset), env, chosen)
    if offset is None or offset + size <= extent:
        return None
    for fact in side(access).facts:
        if not _may_hold(fact, env, chosen):
            return None
    x, y, z = (value or 1 for value in block)
    a, b, c = (value or 1 for value in grid)
    told = {next(iter(symbols(term))): value for term, value in chosen.items()}
    actor = Actor((0, 0, 0), (0, 0, 0), offset, tuple(counters.items()), tuple(told.items()))
    return Refuted(
        (x, y, z), (a, b, c), launch.values, actor, depends_on_data=True, data_in_address=True, extent=extent
    )


def _last_rounds(access: Access, env: Mapping[Symbol, int]) -> dict[Symbol, int] | None:
    """The last round of each loop around an access that goes as far as arguments say; None where one goes further than
    is known, or not at all."""
    found: dict[Symbol, int] = {}
    for loop in access.loops:
        if loop.counter not in symbols(access.offset):
            continue
        slack = slack_of(loop.condition) if loop.condition is not None and not (loop.exits or loop.leaves) else None
        if slack is None:
            return None
        factor = slack[0].coefficients.get((loop.counter.term,), 0)
        rest = _number(slack[0] - Polynomial({(loop.counter.term,): factor}), {**env, **found}, {})
        if factor >= 0 or rest is None or rest < slack[1]:
            return None
        found[loop.counter] = (rest - slack[1]) // -factor
    return found


def _number(form: Polynomial, env: Mapping[Symbol, int], chosen: Mapping[Term, int]) -> int | None:
    total = 0
    for mono, factor in form.coefficients.items():
        for atom in mono:
            value = chosen[atom] if atom in chosen else evaluate(atom, env)
            if value is None:
                return None
            factor *= value
        total += factor
    return total


def _may_hold(fact: Term, env: Mapping[Symbol, int], chosen: Mapping[Term, int]) -> bool:
    """Whether a condition holds with the data that are ``chosen``, or speaks of other data alone."""
    for part in conjuncts(fact):
        if not any(_about(part, term) for term in chosen):
            if evaluate(part, env) == 0:
                return False
            continue
        slack = slack_of(part)
        left = None if slack is None else _number(slack[0], env, chosen)
        if slack is None or left is None or left < slack[1]:
            return False
    return True


def _about(part: Term, term: Term) -> bool:
    return not set(symbols(part)).isdisjoint(symbols(term))


FAR = 4
"""Times the size of memory that is made by a number from which on a tested number is a mark, and no limit of places."""


def of_other_sizes(access: Access, size: Term, view: LaunchView, witness: Refuted) -> bool:
    """Whether memory is made of other sizes than those that the data are tested against and multiplied by; where all
    are numbers, whether the place of the ``witness`` is far beyond it."""
    images = dict(view.images)
    atoms = [atom for atom in polynomial(access.offset).atoms if not _from_data(atom)]
    own = {symbol for atom in atoms for symbol in symbols(atom) if symbol.kind is SymbolKind.PARAM}
    own |= {s for one in tested_data(access) for form in one.most for atom in form.atoms for s in symbols(atom)}
    placing = (loop for loop in access.loops if loop.counter in symbols(access.offset))
    own |= {s for loop in placing if loop.condition is not None for s in symbols(loop.condition)}
    reached = {symbol for one in own if one in images for symbol in symbols(images[one])}
    made = set(symbols(size))
    if not own and not made:
        return witness.first.offset >= FAR * (witness.extent or 0)
    return not reached & made or bool(reached - made)
