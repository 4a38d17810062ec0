"""What keeps a coordinate of an index inside, at each of its two ends.

An index ``(c * rows + y + dy - r) * pitch + x + 1`` is taken apart by what tests speak of, however it is written: a sum
that moves (``y + dy``) is a coordinate where the index is a pitch times it and something made of other things.  What
arguments and numbers add to it (``- r``) is ``fixed``.  A coordinate is kept at an end by a comparison on the way, by
its type, or by a clamp; what else is asked of the things that it is made of makes it unsure.  All of this is about
mathematical integers.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence, Set
from functools import lru_cache
from math import prod

from kernlint.analysis.extent.digits import in_digits, truths_of_digits, truths_of_starts
from kernlint.analysis.extent.doubts import asked_else, is_digit, moving_of, of_end, own_atoms, part_of
from kernlint.analysis.extent.limits import Standing, counter_ranges, elements, extreme, standing
from kernlint.analysis.extent.places import chosen, moves
from kernlint.analysis.extent.truths import Truth, truths
from kernlint.analysis.extent.unclamped import Unclamped, unclamped
from kernlint.analysis.extent.wholes import truths_of_wholes
from kernlint.analysis.trace.events import Access, Guard, GuardKind
from kernlint.record import dataclass
from kernlint.symbolic.intervals import Bound, interval
from kernlint.symbolic.polynomial import Monomial, Polynomial, divided, number, polynomial
from kernlint.symbolic.terms import SymbolKind, Term, subterms, symbols
from kernlint.tree.types import IntType

CLAMPS = frozenset({"min", "select"})


LARGE = 1 << 16
"""What no coordinate gets to whose parts are digits and masks of a few bits."""


@dataclass(frozen=True, slots=True, eq=False)
class End:
    """One end of a coordinate.  ``kept``: nothing gets past it.  ``doubts``: truths that may keep it and are not
    understood; ``bounded``: what it is made of may.  ``guard``: the test that keeps it, by its ``part``; ``exact``: it
    lets the first, or last, place through and none beyond it.  ``reach``: how far below 0, or past ``size`` - 1, the
    test lets the coordinate get (None: no test); ``sizes``: of all tests; ``limits``: what they keep it below, where no
    other test speaks of data."""

    kept: bool
    doubts: frozenset[Term] = frozenset()
    bounded: bool = False
    guard: Guard | None = None
    exact: bool = False
    size: Polynomial | None = None
    reach: int | None = None
    sizes: tuple[Polynomial, ...] = ()
    part: Term | None = None
    limits: tuple[Polynomial, ...] = ()

    def open(self, known: Container[Term] = ()) -> bool:
        """Whether nothing keeps it, surely; truths that are ``known`` do not."""
        return not self.kept and not self.bounded and all(part in known for part in self.doubts)


@dataclass(frozen=True, slots=True, eq=False)
class Coordinate:
    """A part of an index: ``pitch * (moving + fixed)`` of an access, and what keeps it.

    ``core`` and ``base`` are ``moving`` and ``fixed`` without clamps; ``bare``: the lower and upper end, by all but the
    clamps."""

    access: Access
    moving: Polynomial
    fixed: Polynomial
    pitch: Polynomial
    low: End
    high: End
    core: Polynomial
    base: Polynomial
    bare: tuple[End, End]
    clamps: Unclamped | None = None

    def clamped(self, below: bool) -> bool:
        """Whether a clamp keeps it at an end."""
        return self.clamps is not None and self.clamps.at(below)

    def end(self, below: bool) -> End:
        """The lower, or the upper end."""
        return self.low if below else self.high


def tested_forms(access: Access) -> tuple[Polynomial, ...]:
    """The sums that move of which comparisons speak, their opposites, what is clamped; none that loops count alone."""
    return _tested_forms(standing(access))


@lru_cache(maxsize=4096)
def _tested_forms(access: Standing) -> tuple[Polynomial, ...]:
    found: dict[Polynomial, None] = {}
    whole = in_digits(polynomial(access.offset), access.guards)
    inside_ = {atom for atom in whole.atoms if moves(atom)}
    for truth in _truths(access.guards, whole):
        form = part_of(truth.left, inside_)
        if form.coefficients and not _counts(truth):
            found[form] = found[-form] = None
    for atom in whole.atoms:
        if moves(atom) and unclamped(atom) is not None:
            found[Polynomial({(atom,): 1})] = None
    return tuple(found)


def _truths(guards: tuple[Guard, ...], form: Polynomial) -> tuple[Truth, ...]:
    """What guards say, of integers, of the numbers in floating point that whole parts in a sum are made of, and of
    digits in it."""
    found = (*truths(guards), *truths_of_wholes(guards, form.atoms), *truths_of_starts(guards))
    return (*found, *truths_of_digits(guards, form)) if any(map(is_digit, form.atoms)) else found


def _counts(truth: Truth) -> bool:
    """Whether a truth is that of a loop about what it counts alone."""
    return truth.guard.kind in (GuardKind.LOOP, GuardKind.AFTER_LOOP) and all(
        symbol.kind in (SymbolKind.COUNTER, *_GIVEN) for atom in truth.left.atoms for symbol in symbols(atom)
    )


_GIVEN = (SymbolKind.PARAM, SymbolKind.TEMPLATE)


def pitch_of(form: Polynomial, whole: Polynomial) -> Polynomial | None:
    """The positive product of sizes that an index is a sum by, and something made of other things; None where it is
    not."""
    if not form.coefficients:
        return None
    first = next(iter(form.coefficients))
    for mono, value in whole.coefficients.items():
        left = divided(mono, first)
        times = form.coefficients[first]
        if left is None or value % times or value // times <= 0 or not all(chosen(atom) for atom in left):
            continue
        pitch = Polynomial({left: value // times})
        if rest_of(whole, form, pitch) is not None:
            return pitch
    return None


def rest_of(whole: Polynomial, form: Polynomial, pitch: Polynomial) -> Polynomial | None:
    """An index without a sum times its pitch; None where what the sum is made of stands there too."""
    part = pitch * form
    if any(whole.coefficients.get(mono) != value for mono, value in part.coefficients.items()):
        return None
    rest = whole - part
    own = {atom for atom in form.atoms if moves(atom)}
    return None if own & rest.atoms else rest


def factor_of(mono: Monomial) -> Monomial:
    """The sizes in a product."""
    return tuple(atom for atom in mono if not moves(atom) and chosen(atom))


def coordinates(access: Access, forms: Iterable[Polynomial]) -> tuple[Coordinate, ...]:
    """The coordinates in an index that ``forms`` speak of."""
    found = elements(access)
    if found is None:
        return ()
    whole, extra = in_digits(found[0], access.guards), found[1]
    parts: dict[Polynomial, Polynomial] = {}
    found_ = [(form, pitch) for form in forms if (pitch := pitch_of(form, whole)) is not None]
    pitches = list(dict.fromkeys(pitch for _, pitch in found_))
    for form, pitch in found_:
        parts[_with_rounds(form, pitch, whole, pitches)] = pitch
    parts = {form: pitch for form, pitch in parts.items() if not _of_several(form, pitch, parts)}
    covered = [set((pitch * form).coefficients) for form, pitch in parts.items()]
    out = []
    for form, pitch in parts.items():
        own = set((pitch * form).coefficients)
        if any(own < other for other in covered) or not _whole(whole, form, pitch, parts):
            continue
        fixed = _fixed(whole, pitch, list(parts.values()), _added(access.guards, form))
        if fixed is None:
            continue
        last = number(extra) if pitch == number(1) else number(0)
        out.append(coordinate(access, form, fixed, pitch, last))
    return tuple(out)


def _of_several(form: Polynomial, pitch: Polynomial, parts: dict[Polynomial, Polynomial]) -> bool:
    """Whether a sum is the index of several coordinates together: a test of that is one of each by the others."""
    own = set((pitch * form).coefficients)
    return sum(set((by * other).coefficients) < own for other, by in parts.items()) > 1 and len(_factors(form)) > 1


def _factors(form: Polynomial) -> set[Monomial]:
    """The sizes in the products of a sum."""
    return {factor_of(mono) for mono in form.coefficients}


def _with_rounds(form: Polynomial, pitch: Polynomial, whole: Polynomial, pitches: Sequence[Polynomial]) -> Polynomial:
    """A sum with what loops add to it in an index, by their rounds alone: ``x + dx`` where a test is of ``x``."""
    ((sizes, times),) = pitch.coefficients.items()
    own = (pitch * form).coefficients
    found = dict(form.coefficients)
    for mono, value in whole.coefficients.items():
        left = divided(mono, sizes)
        if left is None or mono in own or factor_of(mono) != tuple(sizes) or value % times or not left:
            continue
        if any(
            _larger(one, pitch) and (sizes,) == tuple(one.coefficients) and not value % one.coefficients[sizes]
            for one in pitches
        ):
            continue  # rounds of a larger one
        if all(symbol.kind is SymbolKind.COUNTER for atom in left for symbol in symbols(atom)):
            found[left] = value // times
    return Polynomial(found)


def _whole(whole: Polynomial, form: Polynomial, pitch: Polynomial, parts: dict[Polynomial, Polynomial]) -> bool:
    """Whether nothing else moves by the same pitch but what is a coordinate of its own."""
    ((sizes, times),) = pitch.coefficients.items()
    others = {
        mono for other, by in parts.items() if other != form and by != pitch for mono in (by * other).coefficients
    }
    own = (pitch * form).coefficients
    return not any(
        mono not in own and mono not in others and factor_of(mono) == sizes and not _within(mono, value, times)
        for mono, value in whole.coefficients.items()
        if any(map(moves, mono))
    )


def _within(mono: Monomial, value: int, times: int) -> bool:
    """Whether a number is added that may be a place within ``times`` elements."""
    return 0 < value < times and all(
        (_range_of(atom)[0] or 0) >= 0 and _range_of(atom)[0] is not None for atom in mono if moves(atom)
    )


@lru_cache(maxsize=8192)
def _added(guards: tuple[Guard, ...], form: Polynomial) -> frozenset[int]:
    """The numbers that tests add to a sum: of ``x + 1 < w`` that is 1."""
    sides = (side for truth in _truths(guards, form) for side in truth.part.args if truth.part.op in _ORDER)
    found = ((polynomial(side) - form).constant for side in sides)
    return frozenset(more for more in found if more is not None)


_ORDER = frozenset({"lt", "le"})


def _fixed(whole: Polynomial, pitch: Polynomial, pitches: Sequence[Polynomial], added: Set[int]) -> Polynomial | None:
    """What arguments and numbers add to a coordinate: of what does not move, the multiples of its pitch that are none
    of a larger one's; None where a number may be a place within an element of the pitch.  ``added``: numbers that
    tests add to it, one of which it is where that leaves a place within an element."""
    ((sizes, times),) = pitch.coefficients.items()
    within = whole.coefficients.get(sizes, 0)
    if times > 1 and within and not any(_larger(pitch, one) for one in pitches):
        meant = [one for one in added if not sizes and 0 <= within - one * times < times]
        return number(meant[0]) if meant else None
    rows = (factor_of(mono) for mono in whole.coefficients if any(map(moves, mono)))
    every = dict.fromkeys((*pitches, *(Polynomial({row: 1}) for row in rows if row)))
    larger = [one for one in every if _larger(one, pitch)]
    out: dict[Monomial, int] = {}
    for mono, value in whole.coefficients.items():
        if any(map(moves, mono)):
            continue
        for one in larger:
            ((more, by),) = one.coefficients.items()
            if divided(mono, more) is not None:
                value -= round(value / by) * by  # the nearest row: one back is a negative number
        left = divided(mono, sizes)
        if left is not None and value and (not value % times or any(_larger(pitch, one) for one in pitches)):
            out[left] = round(value / times)  # what is over are places within a row
    return Polynomial(out)


def _larger(one: Polynomial, other: Polynomial) -> bool:
    ((more, by),) = one.coefficients.items()
    ((less, times),) = other.coefficients.items()
    return one != other and divided(more, less) is not None and (len(more) > len(less) or by > times)


def coordinate(
    access: Access, moving: Polynomial, fixed: Polynomial, pitch: Polynomial, extra: Polynomial
) -> Coordinate:
    """A coordinate with what keeps it; ``extra``: places touched beyond it."""
    at = standing(access)
    low = _low(at, moving, fixed)
    high = _high(at, moving, fixed + extra)
    clamps = _clamps_of(moving)
    if clamps is None:
        return Coordinate(access, moving, fixed, pitch, low, high, moving, fixed, (low, high))
    form = polynomial(clamps.core)
    core = moving_of(form)
    more = fixed + form - core
    bare = (_low(at, core, more), _high(at, core, more + extra))
    low = End(True) if clamps.low else low if low.kept else bare[0]
    high = End(True) if clamps.high else high if high.kept else bare[1]
    return Coordinate(access, moving, fixed, pitch, low, high, core, more, bare, clamps)


@lru_cache(maxsize=8192)
def _doubts(access: Standing, moving: Polynomial) -> frozenset[Term]:
    """What is asked of a coordinate otherwise than by comparisons of it, or of its parts that loops count on from."""
    found = frozenset(asked_else(access, moving))
    if not any(part.op == "ne" for part in found):
        return found
    digits = [atom for atom in moving.atoms if is_digit(atom)]
    known = truths_of_digits(access.guards, moving) if len(digits) == 1 else []
    starts = [truth for truth in truths_of_starts(access.guards) if moving_of(truth.left) == moving]
    return found - {truth.part for truth in (*known, *starts) if truth.part.op == "ne"}


def _clamps_of(moving: Polynomial) -> Unclamped | None:
    """The clamps around a coordinate that is one number."""
    if len(moving.coefficients) != 1:
        return None
    ((mono, times),) = moving.coefficients.items()
    return unclamped(mono[0]) if times == 1 and len(mono) == 1 else None


@lru_cache(maxsize=8192)
def _low(access: Standing, moving: Polynomial, fixed: Polynomial) -> End:
    least = _least(moving + fixed)
    if least is not None and least >= 0:
        return End(kept=True)
    doubts = of_end(_doubts(access, moving), moving, True)
    best: tuple[int, Guard, Term] | None = None
    bounded = False
    ranges = counter_ranges(access)
    for left, truth in _not_negative(_truths(access.guards, moving)):
        rest = extreme(left - moving, ranges, top=True)
        if rest is None or moving_of(rest).coefficients or truth.unit != 1 or not moving_of(left).coefficients:
            continue
        first = (fixed - rest).constant
        if first is None:
            bounded = True  # against an argument
        elif best is None or first > best[0]:
            best = first, truth.guard, truth.part
    if best is None:
        return End(False, doubts, bounded)
    first, guard, part = best
    if first < 0:
        return End(False, doubts, bounded, guard, reach=-first, part=part)
    return End(True, doubts, guard=guard, exact=first == 0, reach=-first, part=part)


def _not_negative(known: Iterable[Truth]) -> Iterator[tuple[Polynomial, Truth]]:
    """What truths say is not negative: also what an unsigned comparison keeps below something, since a negative number
    is a large one there."""
    for truth in known:
        yield truth.left, truth
        kind = truth.part.args[0].type if truth.part.op in ("lt", "le") else None
        if isinstance(kind, IntType) and not kind.signed:
            yield polynomial(truth.part.args[0]), truth


@lru_cache(maxsize=8192)
def _high(access: Standing, moving: Polynomial, last: Polynomial) -> End:
    doubts = of_end(_doubts(access, moving), moving, False)
    found: list[tuple[int, Polynomial, Truth]] = []
    own = {atom for atom in in_digits(polynomial(access.offset), access.guards).atoms if moves(atom)} | own_atoms(
        moving
    )
    ranges = counter_ranges(access)
    for truth in _truths(access.guards, moving):
        rest = extreme(truth.left + moving, ranges, top=True)
        if rest is None:
            continue
        if part_of(truth.left, own).coefficients and not part_of(rest, own).coefficients:
            size = rest + last + number(1)
            beyond = size.coefficients.get((), 0)
            found.append((beyond, size - number(beyond), truth))
    if found:
        given = [one for one in found if not moving_of(one[1]).coefficients]
        every, found = found, given or found
        beyond, size, best = min(found, key=lambda one: one[0])
        data = any(one not in given and one[2].guard is not best.guard for one in every)
        sizes = tuple(dict.fromkeys(one for _, one, _ in found))
        limits = () if data else tuple(dict.fromkeys(one + number(more) for more, one, _ in given))
        exact = beyond == 0 and bool(given)
        return End(True, doubts, False, best.guard, exact, size, beyond, sizes, best.part, limits)
    if _from_end(moving, last):
        return End(kept=True)
    most = _least(-(moving + last))
    return End(False, doubts, _bounded(moving) or (most is not None and -most < LARGE))


def _from_end(moving: Polynomial, last: Polynomial) -> bool:
    """Whether a coordinate is counted from the last place of a size downwards: ``size - 1 - x``."""
    sizes = {mono: value for mono, value in last.coefficients.items() if mono}
    back = _least(-moving)
    return back is not None and back >= last.coefficients.get((), 0) + 1 and list(sizes.values()) == [1]


def _bounded(moving: Polynomial) -> bool:
    """Whether a clamp holds a part of a coordinate, or all of it are digits of something: that may be meant to keep
    it."""
    return all(any(map(is_digit, mono)) for mono in moving.coefficients) or any(
        part.op in CLAMPS for atom in own_atoms(moving) for part in subterms(atom)
    )


@lru_cache(maxsize=8192)
def _range_of(atom: Term) -> Bound:
    return interval(atom)


def _least(form: Polynomial) -> int | None:
    """What a sum is no less than, as far as the types of what is in it say."""
    total = 0
    for mono, value in form.coefficients.items():
        ends = [_range_of(atom) for atom in mono]
        if any(low is None or low < 0 for low, _ in ends):
            return None
        if value < 0 and any(high is None for _, high in ends):
            return None
        total += value * prod((low or 0) if value > 0 else (high or 0) for low, high in ends)
    return total
