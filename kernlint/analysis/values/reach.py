"""How large a part of a place gets in the launches in sight, in mathematical integers.

What is known are the tests that the access stands under, and what host code says of the launch: numbers, checks, how
grid and block follow from sizes.  Two questions are answered: whether a part fits its type under all of that, and
whether a launch in sight that is bounded by *numbers* lets it leave its type.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.base import Facts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.launching.admitted import admitted
from kernlint.analysis.launching.admitted_sizes import HABIT, largest_arguments, upper
from kernlint.analysis.launching.member_limits import Limit, member_limits
from kernlint.analysis.launching.stated_sizes import FITS, short
from kernlint.analysis.trace.events import Access
from kernlint.analysis.values.exactly import Range, exact, groups
from kernlint.analysis.values.products import bits
from kernlint.analysis.values.rooted import Rooted, by_default, size_tested, stated
from kernlint.prove.admission import Way
from kernlint.record import dataclass
from kernlint.symbolic.clamps import as_they_are
from kernlint.symbolic.narrowing import FAR, Narrowing, narrowed, told
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    GRID_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    binary,
    cast,
    const,
    plain,
    substitute,
    subterms,
    symbols,
)
from kernlint.tree.types import BOOL, I64, IntType

REMEMBERED = 256
"""Facts of which the ranges are kept."""

SEVERAL = 4
"""Launches that are looked at."""

BEYOND = 1 << 48
"""Elements that no memory holds: numbers that come to more are not meant."""

FITTING = 1 << 31
"""Elements that a comment speaks of as more than fit, if it says so without a doubt."""

_NUMBERED = (SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.COUNTER, SymbolKind.PARAM, SymbolKind.LOAD)
"""Kinds of symbols that number things, of which there is a first one."""

_CALLERS = (SymbolKind.PARAM, SymbolKind.LOAD)
"""Kinds of symbols that callers choose."""

WITHIN = tuple(
    binary("lt", cast(place.term, I64), cast(size.term, I64), BOOL)
    for place, size in (*zip(BLOCK, GRID_DIM, strict=True), *zip(THREAD, BLOCK_DIM, strict=True))
)
"""That indices stay below the sizes of block and grid."""

CUDA_ROWS = tuple(binary("le", cast(size.term, I64), const(65535, I64), BOOL) for size in GRID_DIM[1:])
"""How many blocks CUDA starts along y and z (CUDA C++ Programming Guide, technical specifications)."""


@dataclass(frozen=True, slots=True)
class Example:
    """A launch in sight that lets a part leave its type: ``values`` of arguments, and what the part comes to."""

    values: tuple[tuple[Symbol, int], ...]
    value: int


class Reach:
    """The answers for one kernel variant."""

    def __init__(self, facts: Facts) -> None:
        ways = facts[admitted].ways
        self._ways = ways[:SEVERAL]
        self._all = len(ways) <= SEVERAL
        self._defaults = tuple(one for one in map(by_default, self._ways) if one is not None)
        self._limits: tuple[Limit, ...] = facts[member_limits]
        self._within = (*WITHIN, *CUDA_ROWS) if facts.module.language == "cuda" else WITHIN
        self._largest: dict[Way, dict[Symbol, int]] = {}
        self._known: dict[tuple[int, Way | None], Narrowing | None] = {}
        said = dict(facts.options.ranges)
        more = any(len(one) == 1 and one[0] >= FITTING for one in facts.options.amounts)
        self.amounts = facts.options.amounts if more or FITS not in said else ()
        self._said = {} if FITS in said else {name: high for name, (_, high) in said.items() if high is not None}

    @property
    def launched(self) -> bool:
        """Whether a launch is in sight."""
        return bool(self._ways)

    @property
    def told_by_comments(self) -> bool:
        """Whether comments say how large a size gets."""
        return bool(self._said)

    def fits(self, access: Access, part: Term) -> bool:
        """Whether a part stays within its type in every launch in sight (in every one, where none is)."""
        kind = part.type
        if not isinstance(kind, IntType) or not self._all:
            return False
        for way in self._ways or (None,):
            ranges = self._ranges(access, way)
            if ranges is None:
                continue
            low, high = exact(part, ranges, _tested(access, ranges))
            if low < kind.low or high > kind.high:
                return False
        return True

    def span(self, access: Access, part: Term) -> Range:
        """The least and the largest value of a part by the tests of its place."""
        ranges = self._ranges(access, None)
        return exact(part, ranges, _tested(access, ranges)) if ranges is not None else (-FAR, FAR)

    def most(self, access: Access, part: Term) -> int | None:
        """The largest value of a part by the tests of its place, None where they leave it open."""
        high = self.span(access, part)[1]
        return high if isinstance(part.type, IntType) and high < part.type.high else None

    def kept(self, access: Access, term: Term) -> Range | None:
        """The ends of a coordinate that tests or a clamp keep from 0, or a margin, on below a number."""
        ranges = self._ranges(access, None) if bits(term) else None
        if ranges is None:
            return None
        if term.op in ("min", "max", "mod", "and"):
            low, high = ranges.of(term)
            high = high if high < HABIT else 0  # (below what has no bound but its type)
        else:
            tests = [part for fact in side(access).facts for part in conjuncts(fact) if part.op in ("lt", "le")]
            limits = [
                most - (part.op == "lt")
                for part in tests
                if term in as_they_are(part.args[0]) and (most := stated(part.args[1], tests)) is not None
            ]
            low, high = ranges.of(plain(term))[0], min(limits, default=FAR)
        # (An unsigned number that is taken for a signed one is none below 0.)
        return (low, high) if 0 <= low < high < 1 << 31 else None

    def counts_beyond(self, access: Access, count: Term, part: Term) -> bool:
        """Whether a launch in sight lets a count, which numbers are at the root of, be more than the type of ``part``
        holds."""
        kind, most = part.type, 0
        for way in self._ways if symbols(count) else ():
            ranges, rooted = self._ranges(access, way), Rooted(access, way)
            if ranges is not None and all(map(rooted, symbols(count))):
                most = max(most, ranges.of(count)[1])
        return isinstance(kind, IntType) and kind.high + 1 < most < BEYOND

    def exceeded(self, access: Access, part: Term) -> Example | None:
        """A launch in sight that bounds all that a part is made of by numbers, those for what a user leaves out among
        them, and lets it get too large; where none is in sight, by sizes that the kernel tests against numbers."""
        kind = part.type
        if not isinstance(kind, IntType):
            return None
        for way in (*self._ways, *self._defaults) or (None,):
            ranges = self._ranges(access, way)
            rooted = Rooted(access, way if way is not None else Way(()), threads=way is not None)
            if ranges is None or not rooted.covers(part) or rooted.by_grids_alone:
                continue
            if exact(part, ranges, _tested(access, ranges))[1] <= kind.high:
                continue
            found = _largest(access, part, ranges)
            told_ = way is not None or size_tested(access)
            # (What is only held down with another that it is multiplied by may be at the end of its type here.)
            if found is not None and kind.high < found.value < BEYOND and told_ and not _at_an_end(found):
                return found
        return None

    def beyond_short(self, access: Access, part: Term) -> Example | None:
        """As :meth:`exceeded`, of a part that is kept in fewer bits than it is made in; where no launch is in sight, by
        what the kernel tests against numbers."""
        kind = part.type
        if not isinstance(kind, IntType):
            return None
        for way in self._ways or (None,):
            ranges = self._ranges(access, way)
            rooted = Rooted(access, way if way is not None else Way(()), threads=False)
            if ranges is None or not rooted.covers(part):
                continue
            if exact(part, ranges, _tested(access, ranges))[1] > kind.high:
                found = _largest(access, part, ranges)
                if found is not None and kind.high < found.value < BEYOND:
                    return found
        return self.beyond_admitted(access, part) or self.beyond_comments(access, part)

    def beyond_comments(self, access: Access, part: Term) -> Example | None:
        """As :meth:`exceeded`, where a size is as large as comments of the file say that it gets, or no launch is in
        sight."""
        kind = part.type
        if not isinstance(kind, IntType) or not self._said:
            return None
        for way in self._ways or (None,):
            relations = way.relations if way is not None else ()
            facts = (*side(access).facts, *self._within, *relations)
            spoken = sorted({s for fact in (*facts, part) for s in symbols(fact)}, key=lambda s: s.serial)
            most = {s: self._said[short(s)] for s in spoken if s.kind in _CALLERS and short(s) in self._said}
            found = _at_most(access, part, way, most, self._within)
            found = found or _past_the_test(access, part, way, most, self._within)
            if found is not None:
                return found
        return None

    def beyond_admitted(self, access: Access, part: Term) -> Example | None:
        """As :meth:`exceeded`, where arguments are as large as the sizes that they are made of are let be by checks of
        the host, those of other functions with them."""
        for way in self._ways:
            if way not in self._largest:
                given = {one: image.value for one, image in way.images if image.value is not None}
                passed = {one: value for one, value in given.items() if one.kind is SymbolKind.PARAM and value > 0}
                self._largest[way] = {**passed, **largest_arguments(way, self._limits)}
            found = _at_most(access, part, way, self._largest[way], self._within)
            if found is not None:
                return found
        return None

    def _ranges(self, access: Access, way: Way | None) -> Narrowing | None:
        key = id(access), way
        if key not in self._known:
            # What is tested of a product in 32 bits does not bound its factors: it may have wrapped.
            facts = [fact for fact in side(access).facts if not _may_wrap(fact)]
            found = _ranges_of((*facts, *self._within, *(way.relations if way is not None else ())))
            self._known[key] = found and _told_of_sizes(access, found)
        return self._known[key]


@lru_cache(maxsize=REMEMBERED)
def _ranges_of(facts: tuple[Term, ...]) -> Narrowing | None:
    """The ranges that facts leave: many places of a kernel stand under the same, and each is made of several parts."""
    return narrowed(facts, {})


def _at_most(
    access: Access,
    part: Term,
    way: Way | None,
    most: dict[Symbol, int],
    within: tuple[Term, ...],
    zero: tuple[Term, ...] = (),
) -> Example | None:
    """What a part comes to where sizes are no larger than ``most``, if that leaves its type.  ``within``: what holds of
    indices in all launches, ``zero``: what else holds then."""
    kind, relations = part.type, way.relations if way is not None else ()
    facts = (*side(access).facts, *within, *relations)
    if not isinstance(kind, IntType) or not most:
        return None
    bounds = [
        binary("le", low, high, BOOL)
        for one, largest in most.items()
        for low, high in ((const(0, I64), cast(one.term, I64)), (cast(one.term, I64), const(largest, I64)))
    ]
    bounds += zero
    first = _ranges_of((*(fact for fact in facts if not _may_wrap(fact)), *bounds))
    if first is None:
        return None
    # A product in 32 bits that fits where sizes are as they are said to be bounds its factors.
    kept = [fact for fact in facts if not _may_wrap(fact) or _all_fit(fact, first)]
    sound = frozenset(fact for fact in facts if all(_all_fit(high, first) for _, high in upper(fact)))
    rooted = Rooted(access, way if way is not None else Way(()), frozenset(most), sound)
    if not rooted.covers(part):
        pitch = _pitch(access, part, rooted, facts, most)
        if pitch is None:
            return None if zero else _first_of_all(access, part, way, most, within, rooted)
        most = {**most, **pitch}
        rooted = Rooted(access, way if way is not None else Way(()), frozenset(most), sound)
        if not rooted.covers(part):
            return None
        bounds += [binary("le", cast(one.term, I64), const(most[one], I64), BOOL) for one in pitch]
    ranges = _ranges_of((*kept, *bounds))
    if ranges is None or exact(part, ranges, _tested(access, ranges))[1] <= kind.high:
        return None
    found = _largest(access, part, ranges)
    if found is not None and kind.high < found.value < BEYOND:
        return Example(tuple((one, high) for one, high in most.items()), found.value)
    return None


def _past_the_test(
    access: Access, part: Term, way: Way | None, most: dict[Symbol, int], within: tuple[Term, ...]
) -> Example | None:
    """What a signed part comes to in the last block of a grid that is rounded up, where sizes are as large as ``most``:
    it wraps below 0 there, so that a test against a size lets it through."""
    kind = part.type
    if way is None or not most or not isinstance(kind, IntType) or not kind.signed:
        return None
    tests = [one for fact in side(access).facts for one in conjuncts(fact)]
    if any(low.value is not None and plain(high) == plain(part) for test in tests for low, high in upper(test)):
        return None
    facts = [test for test in tests if not _may_wrap(test)]
    bounds = [binary("le", cast(one.term, I64), const(largest, I64), BOOL) for one, largest in most.items()]
    ranges = _ranges_of((*facts, *within, *way.relations, *bounds))
    known = frozenset(fact for fact in facts if not set(symbols(fact)) & {*BLOCK, *THREAD})
    # (A test of the number of a group does not wrap.)
    if ranges is None or part in groups(access.offset, ranges, tests):
        return None
    if not Rooted(access, way, frozenset(most), known).covers(part):
        return None
    # (Its factors may be at their ends at different values of what they have in common.)
    if not kind.high < exact(part, ranges, {})[1] < BEYOND:
        return None
    found = _largest(access, part, ranges, tested=False)
    return Example(tuple(most.items()), found.value) if found is not None and found.value > kind.high else None


def _first_of_all(
    access: Access,
    part: Term,
    way: Way | None,
    most: dict[Symbol, int],
    within: tuple[Term, ...],
    rooted: Rooted,
) -> Example | None:
    """As :func:`_at_most`, for the first of what nothing is said of: of however many shots, there is a shot 0, which
    has as many samples as there are in one."""
    known = (s for s in symbols(part) if s.kind in _NUMBERED and isinstance(s.type, IntType))
    first = {s: const(0, s.type) for s in known if not rooted(s)}
    rest = substitute(part, first) if first else part
    if rest is part or not rest.symbols or not rooted.covers(rest):
        return None
    zero = tuple(binary("eq", one.term, none, BOOL) for one, none in first.items())
    return _at_most(access, rest, way, most, within, zero)


@lru_cache(maxsize=4096)
def _may_wrap(fact: Term) -> bool:
    """Whether a truth speaks of a product of variables, or of the block's index and a number, in fewer than 64 bits."""
    return any(
        part.op == "mul"
        and bits(part) < 64
        and (all(arg.value is None for arg in part.args) or any(arg.symbol in BLOCK for arg in map(plain, part.args)))
        for part in subterms(fact)
    )


def _all_fit(fact: Term, ranges: Narrowing) -> bool:
    """Whether every product in a truth stays in its type under the ranges of what is multiplied."""
    for part in subterms(fact):
        if part.op == "mul" and isinstance(part.type, IntType):
            low, high = exact(part, ranges, {})
            if low < part.type.low or high > part.type.high:
                return False
    return True


def _pitch(
    access: Access, part: Term, rooted: Rooted, facts: Iterable[Term], most: Mapping[Symbol, int]
) -> dict[Symbol, int] | None:
    """The distance of rows of which nothing is said, with the length of a row: in ``y * pitch + x`` with an x kept
    below a size, rows are as far from one another as they are long, or farther."""
    free = [s for s in symbols(part) if s.kind is SymbolKind.PARAM and not rooted(s)]
    if len(free) != 1:
        return None
    whole, place = polynomial(part), polynomial(access.offset)
    for fact in facts:
        for low, high in upper(fact):
            size = plain(high).symbol
            if size is None or size not in most:
                continue
            rows = (whole - polynomial(low)).coefficients
            if rows and all(free[0].term in row for row in rows):
                return {free[0]: most[size]}
            step = times(place, polynomial(low))
            if step > 1 and whole.coefficients and all(free[0].term in row for row in whole.coefficients):
                return {free[0]: most[size] * step}  # a pitch in bytes
    return None


def times(place: Polynomial, index: Polynomial) -> int:
    """How often an index is in a place, 0 where it is not as a whole."""
    found = {divmod(place.coefficients.get(mono, 0), value) for mono, value in index.coefficients.items()}
    (times, rest), *others = found or {(0, 0)}
    return times if not others and not rest else 0


def _told_of_sizes(access: Access, ranges: Narrowing) -> Narrowing | None:
    """What tests of indices say of the sizes that these stay below: an inner cell takes three of them."""
    least = {
        term: low
        for term, (low, _) in _tested(access, ranges).items()
        if term.op == "sym" and ranges.of(term)[0] < low <= ranges.of(term)[1]
    }
    return told(ranges, {}, tuple(binary("le", const(low, I64), term, BOOL) for term, low in least.items()))


def _tested(access: Access, ranges: Narrowing) -> dict[Term, Range]:
    """The bounds that tests before the access give to the values that they compare, however these were computed."""
    out: dict[Term, Range] = {}
    facts = tuple(side(access).facts)
    apart: dict[Term, list[Term]] = {}
    for fact in facts:
        if fact.op == "ne":
            for one, other in (fact.args, fact.args[::-1]):
                apart.setdefault(plain(one), []).append(other)
    for fact in facts:
        for low, high in upper(fact):
            others = apart.get(plain(low), ())
            first, strict = ranges.of(low)[0], int(fact.op == "lt")
            above = any(other.value == first for other in others)
            if others and polynomial(high) - number(strict) in map(polynomial, others):
                strict += 1  # ``i < n`` and ``i != n - 1``
            most, least = ranges.of(high)[1] - strict, first + int(above) + strict
            for at in as_they_are(low):
                bottom, top = out.get(at, (-FAR, FAR))
                out[at] = max(bottom, first + 1) if above else bottom, min(top, most)
            for at in as_they_are(high):
                bottom, top = out.get(at, (-FAR, FAR))
                out[at] = max(bottom, least), top
    return {**out, **groups(access.offset, ranges, facts)}


def _largest(access: Access, part: Term, ranges: Narrowing, tested: bool = True) -> Example | None:
    """The part where one symbol after the other is as large as the launch lets it be."""
    found: dict[Symbol, int] = {}
    now: Narrowing | None = ranges
    for symbol in _in_turn(part):
        if now is None:
            return None
        high = now.of(symbol.term)[1]
        found[symbol] = high
        now = told(now, {symbol: high})
    if now is None:
        return None
    arguments = tuple((s, v) for s, v in found.items() if s.kind is SymbolKind.PARAM)
    return Example(arguments, exact(part, now, _tested(access, now) if tested else {})[1])


def _at_an_end(found: Example) -> bool:
    """Whether an argument of 32 bits or more is as large as its type lets it be."""
    return any(s.type.bits >= 32 and value == s.type.high for s, value in found.values if isinstance(s.type, IntType))


def _in_turn(part: Term) -> Iterator[Symbol]:
    """The symbols of a part: sizes first, then places, the block's before those in it."""
    order = {SymbolKind.PARAM: 0, SymbolKind.GRID_DIM: 1, SymbolKind.BLOCK_DIM: 2, SymbolKind.LOAD: 3}
    order[SymbolKind.THREAD] = 10
    yield from sorted(
        (s for s in symbols(part) if s.kind is not SymbolKind.COUNTER and s.kind is not SymbolKind.PHI),
        key=lambda s: (order.get(s.kind, 9), s.serial),
    )
