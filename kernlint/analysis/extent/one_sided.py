"""Coordinates that data choose, of which one is tested below 0 and past its end, and its like at one end alone.

``if (iy < 0 || iy >= H) continue; ... if (ix >= W) break; tile[iy * W + ix] += v`` with both made the same way of a
position: who asks whether a row is negative knows of positions that are, and the column is made of such a one too.
Two numbers are alike where the sums that make them have terms of the same form, of memory of the same kind.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.places import places_of
from kernlint.analysis.extent.told import Told
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, subterms, symbols
from kernlint.tree.types import FloatType, IntType

Form = tuple[object, ...]


@dataclass(frozen=True, slots=True, eq=False)
class OneSided:
    """An access at a coordinate that ``tested`` keeps inside at one end, and nothing at the other as ``both`` keeps its
    like; ``below``: the end that is not tested is 0.  ``tested`` is None: nothing keeps it at either end."""

    access: Access
    tested: Guard | None
    both: Guard
    below: bool

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        if self.tested is None:
            return Told(
                f"{element(self.access)} is {verb(self.access)} at a coordinate that nothing tests: one that is "
                "made of data in the same way is kept from being negative and below its end",
                [Related(self.both.span, "the other coordinate is tested here")],
                "the data put both coordinates outside, as the test of the one says",
                "test this coordinate too",
            )
        may = "may be negative" if self.below else "may be too large"
        ends = "below 0" if self.below else "past their ends"
        other, this = "kept from being negative", "kept below its end"
        other, this = (other, this) if self.below else (this, other)
        return Told(
            f"{element(self.access)} is {verb(self.access)} at a coordinate that {may}: one that is made of data in "
            f"the same way is {other}, and this one only {this}",
            [
                Related(self.both.span, f"the other coordinate is {other} here"),
                Related(self.tested.span, f"this one is only {this}"),
            ],
            f"the data put both coordinates {ends}, as the test of the one says",
            f"test {'that this coordinate is not negative' if self.below else 'this coordinate against its end'} too",
        )


def _form(term: Term) -> Form:
    """A term without its numbers, places and names; what is added and what is taken away in floating point counts
    alike, in any order (the two rows of a rotation)."""
    if term.op == "const":
        return ("number",)
    if term.op == "sym":
        symbol: Symbol = term.args[0]
        return (symbol.kind, str(symbol.type))
    if term.op in ("add", "sub") and isinstance(term.type, FloatType):
        return ("sum", str(term.type), *sorted(map(str, map(_form, _summands(term)))))
    name = term.args[0] if term.op == "call" else None
    return (term.op, str(term.type), name, *(_form(part) for part in term.terms))


def _summands(term: Term) -> Iterator[Term]:
    for part in term.terms:
        if part.op in ("add", "sub") and part.type == term.type:
            yield from _summands(part)
        else:
            yield part


def like(one: Polynomial) -> list[tuple[bool, str]]:
    """What two sums have in common that are made the same way."""
    moving = ((mono, value) for mono, value in one.coefficients.items() if mono)
    return sorted((value > 0, str([_form(atom) for atom in mono])) for mono, value in moving)


def _alike(one: Polynomial, other: Polynomial) -> bool:
    """Whether two coordinates are made the same way, but for how loops add their rounds to a place that data choose
    (``k / 3 % 3`` and ``k % 3``)."""
    if like(one) == like(other):
        return True
    parts = [_without_rounds(form) for form in (one, other)]
    return all(map(data_of, parts)) and like(parts[0]) == like(parts[1])


def _without_rounds(form: Polynomial) -> Polynomial:
    return Polynomial({mono: value for mono, value in form.coefficients.items() if not _of_rounds(mono)})


def _of_rounds(mono: tuple[Term, ...]) -> bool:
    return {symbol.kind for atom in mono for symbol in symbols(atom)} == {SymbolKind.COUNTER}


def data_of(form: Polynomial) -> frozenset[Term]:
    """What data choose in a sum: numbers from memory and what is made of them, and whole parts of numbers in floating
    point, whatever those come from."""
    return frozenset(atom for atom in form.atoms if of_data(atom))


def of_data(atom: Term) -> bool:
    return any(symbol.kind is SymbolKind.LOAD for symbol in symbols(atom)) or _whole_part(atom)


def _whole_part(atom: Term) -> bool:
    """Whether a number is what is whole of one in floating point that differs from thread to thread."""
    made = atom.op == "cast" and isinstance(atom.type, IntType) and isinstance(atom.args[0].type, FloatType)
    return made and any(isinstance(s.type, FloatType) or s.kind in _IDS for s in symbols(atom))


_IDS = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK})


def signed(form: Polynomial) -> bool:
    """Whether a coordinate may be negative, as far as its types say."""
    data = [atom for atom in form.atoms if of_data(atom)]
    whole = all(isinstance(atom.type, IntType) and atom.type.signed for atom in data)
    low = interval(term_of(form))[0]
    return whole and (low is None or low < 0)


def coordinate_tests(access: Access) -> tuple[dict[Polynomial, Guard], dict[Polynomial, Guard]]:
    """The coordinates that guards keep from being negative, and those that they keep below a number or an argument."""
    lower: dict[Polynomial, Guard] = {}
    upper: dict[Polynomial, Guard] = {}
    for guard in access.guards:
        for part in conjuncts(guard.term):
            slack = slack_of(part)
            if slack is None:
                continue
            left, right = (polynomial(side) for side in part.args)
            if left.constant is not None and left.constant + slack[1] == 0:
                lower.setdefault(right, guard)
            elif {s.kind for atom in right.atoms for s in symbols(atom)} <= {SymbolKind.PARAM} and data_of(left):
                upper.setdefault(left, guard)
                if not (isinstance(part.args[0].type, IntType) and part.args[0].type.signed):
                    lower.setdefault(left, guard)  # a negative one is too large
    return lower, upper


def stands_in(coordinate: Polynomial, whole: Polynomial) -> Polynomial | None:
    """The positive pitch by which an index is a coordinate, and something made of other data; None where it is not."""
    alone = (mono[0] for mono, value in coordinate.coefficients.items() if value == 1 and len(mono) == 1)
    datum = next((atom for atom in alone if of_data(atom)), None)
    placed = [(mono, value) for mono, value in whole.coefficients.items() if datum in mono]
    if datum is None or len(placed) != 1 or placed[0][1] <= 0:
        return None
    mono, value = placed[0]
    rest = list(mono)
    rest.remove(datum)
    pitch = Polynomial({tuple(rest): value})
    return pitch if data_of(coordinate).isdisjoint(data_of(whole - pitch * coordinate)) else None


def _asked_else(access: Access, one: Polynomial, other: Polynomial, below: bool) -> bool:
    """Whether guards ask more of what a coordinate is made of than whether it, or its like, is inside."""
    every = {symbol for atom in data_of(one) for symbol in symbols(atom)}
    own = {symbol for symbol in every if symbol.kind not in _SHARED}
    for guard in access.guards:
        for part in conjuncts(guard.term) if every & set(symbols(guard.term)) else ():
            floating = any(isinstance(side.type, FloatType) for side in part.terms)
            if not (every if floating else own) & set(symbols(part)):
                continue
            sides = [_at_zero(polynomial(side)) for side in part.args] if slack_of(part) is not None else []
            if not sides or (sides[0 if below else 1] != one and other not in sides):
                return True
    return False


_SHARED = frozenset({SymbolKind.PARAM, SymbolKind.TEMPLATE, *_IDS, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM})


def _at_zero(form: Polynomial) -> Polynomial:
    """A coordinate without the number that is added to it: neighbours are tested for one another."""
    return form - number(form.coefficients.get((), 0))


def _of(access: Access) -> OneSided | None:
    if not access.guards or not any(of_data(atom) for atom in polynomial(access.offset).atoms):
        return None
    lower, upper = ({_at_zero(form): guard for form, guard in tests.items()} for tests in coordinate_tests(access))
    both = [form for form in upper if form in lower]
    alone = [(form, True) for form in upper if form not in lower and signed(form)] if both else []
    alone += [(form, False) for form in lower if form not in upper and data_of(form)] if both else []
    found = elements(access) if alone else None
    for one, below in alone if found is not None else ():
        for other in both:
            mine, theirs = data_of(one), data_of(other)
            if found is None or not mine or mine & theirs or not _alike(one, other):
                continue
            apart = None not in (stands_in(one, found[0]), stands_in(other, found[0]))
            if apart and not _asked_else(access, one, other, below):
                return OneSided(access, upper[one] if below else lower[one], (lower if below else upper)[other], below)
    return _untested(access, {form: upper[form] for form in both}) if both else None


def _untested(access: Access, both: dict[Polynomial, Guard]) -> OneSided | None:
    """A coordinate of which nothing is asked, where another one of the position is tested at both ends: a number of the
    same element, or, where both are the whole part of numbers in floating point, of the same array.

    Silent: ``rows[i]`` and ``cols[i]`` of which one is tested.  Still told: ``(int)p[i].y`` beside ``(int)p[i].x``, and
    what loops add to the two, or the two rows of a projection or rotation of one position.
    """
    every = places_of(access)
    asked = {s for guard in access.guards for s in symbols(guard.term)}
    for place in every:
        mine = _loads(place.index)
        if place.limits or not _loose(place.index):
            continue
        for other, guard in both.items():
            theirs = _loads(other)
            if not _alike(place.index, other) or all(one.index != other for one in every):
                continue
            whole = _held_in(mine) == _held_in(theirs) and all(map(_whole, data_of(other)))
            apart = bool(mine) and not mine & (theirs | asked)
            if apart and (whole or _one_element(mine, theirs)):
                return OneSided(access, None, guard, False)
            if whole and place.index != other and _otherwise(access, place.index, other):
                return OneSided(access, None, guard, False)
    return None


def _otherwise(access: Access, one: Polynomial, other: Polynomial) -> bool:
    """Whether two coordinates are made of the same position by numbers of their own (two rows of a matrix), and no test
    speaks of those of ``one``."""
    mine, theirs = ({s for atom in form.atoms for s in symbols(atom)} for form in (one, other))
    own = {s for s in mine - theirs if s.kind in _GIVEN}
    asked = {s for guard in access.guards for s in symbols(guard.term)}
    return bool(own) and bool({s for s in theirs - mine if s.kind in _GIVEN}) and not own & asked


_GIVEN = frozenset({SymbolKind.PARAM, SymbolKind.LOAD})


def _loose(index: Polynomial) -> bool:
    """Whether no clamp brings a coordinate inside, or a loop moves it afterwards."""
    clamped = any(part.op in ("min", "max", "select", "mod") for atom in data_of(index) for part in subterms(atom))
    return not clamped or any(s.kind is SymbolKind.COUNTER for atom in index.atoms for s in symbols(atom))


def _one_element(mine: set[Symbol], theirs: set[Symbol]) -> bool:
    """Whether two numbers are parts of one element of an array."""
    if len(mine) != 1 or len(theirs) != 1:
        return False
    (one,), (other,) = mine, theirs
    if not isinstance(one.origin, tuple) or not isinstance(other.origin, tuple) or one.origin[0] is not other.origin[0]:
        return False
    apart = (polynomial(one.origin[1]) - polynomial(other.origin[1])).constant
    return apart is not None and 0 < abs(apart) < (one.origin[0].element.size or 0)


def _loads(form: Polynomial) -> set[Symbol]:
    return {s for atom in form.atoms for s in symbols(atom) if s.kind is SymbolKind.LOAD}


def _held_in(data: set[Symbol]) -> set[object]:
    """The arrays that numbers are read from; a number stands for itself where it is read from none."""
    return {symbol.origin[0] if isinstance(symbol.origin, tuple) else symbol for symbol in data}


def _whole(atom: Term) -> bool:
    """Whether a number is the whole part of one in floating point, at most converted further."""
    while atom.op == "cast" and isinstance(atom.args[0].type, IntType):
        atom = atom.args[0]
    return atom.op == "cast" and isinstance(atom.args[0].type, FloatType)


def _compute(facts: Facts) -> tuple[OneSided, ...]:
    found: dict[tuple[object, object], OneSided] = {}
    for access in facts[trace].accesses:
        one = _of(access)
        if one is not None:
            found.setdefault((access.root, (one.tested or one.both).span), one)
    return tuple(found.values())


one_sided = KernelAnalysis("one_sided", _compute, needs=(trace,))
"""A :class:`OneSided` for each array and test of a kernel variant, in order of the walk."""
