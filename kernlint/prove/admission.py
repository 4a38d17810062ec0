"""Which launches there are: a witness that no launch in sight could be is no witness.

A :class:`Way` is one launch as the host writes it: what the kernel's symbols (sizes of block and grid, scalars that are
passed) are in terms of the host's variables, and what the host has checked before.  An :class:`Admission` holds all the
ways of a kernel; it is part of the :class:`~kernlint.prove.query.Launch` of a question, so that whoever asks gets
witnesses that some way admits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache

from kernlint.record import dataclass, field
from kernlint.symbolic.narrowing import Narrowing, narrowed, told
from kernlint.symbolic.terms import BLOCK_DIM, GRID_DIM, Symbol, Term, binary, cast, const, plain
from kernlint.tree.types import BOOL, I64, IntType

Known = tuple[tuple[Symbol, int], ...]
Triple = tuple[int, int, int]
Axes = tuple[int | None, int | None, int | None]

ANY: Axes = (None, None, None)

UNITS = (4, 8, 16, 32, 64, 128, 256)
"""What hosts ask sizes to be multiples of."""

MODES = 3
"""Ways to pass other numbers that are asked about apart."""

REMEMBERED = 4096
"""Questions of which the answers are kept."""

REMEMBERED_WAYS = 1024
"""Launches of which the ranges are kept."""

REMEMBERED_CHECKS = 1024
"""Checks of hosts of which the ranges are kept."""

REMEMBERED_SIZES = 1024
"""Launches with sizes of which the ranges are kept."""

BLOCKS_REMEMBERED = 64
"""Sizes of blocks under which the ranges are kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """One launch.  ``images``: symbols of the kernel with their host terms.  ``checks``: truths of host terms, and of
    how they go with the kernel's symbols."""

    images: tuple[tuple[Symbol, Term], ...]
    checks: tuple[Term, ...] = ()

    @property
    def relations(self) -> tuple[Term, ...]:
        """What holds, as truths over the kernel's and the host's symbols."""
        return (*_equalities(self), *self.checks)


@lru_cache(maxsize=REMEMBERED_WAYS)
def _equalities(way: Way) -> tuple[Term, ...]:
    return tuple(equal(symbol, image) for symbol, image in way.images)


@lru_cache(maxsize=REMEMBERED_CHECKS)
def _checked(checks: tuple[Term, ...]) -> Narrowing | None:
    """The ranges that a host's checks leave: kernels are launched by one host function, and a kernel by several."""
    return narrowed(checks, {})


@lru_cache(maxsize=REMEMBERED_WAYS)
def _any_size(way: Way) -> Narrowing | None:
    """The ranges of a launch of which nothing else is known."""
    checked = _checked(way.checks)
    return checked and told(checked, {}, _equalities(way))


def equal(symbol: Symbol, value: Term) -> Term:
    """That ``symbol`` has the value of the host term ``value``."""
    kind = symbol.type if isinstance(symbol.type, IntType) else I64
    return binary("eq", symbol.term, cast(value, kind), BOOL)


@dataclass(slots=True, eq=False)
class Admission:
    """All ``ways`` in which a kernel is launched; without any, everything is admitted."""

    ways: tuple[Way, ...] = ()
    _answers: dict[object, Triple | None] = field(default_factory=dict)
    _narrow: dict[object, Admission] = field(default_factory=dict)
    _nearest: dict[object, Known] = field(default_factory=dict)
    _ranges: dict[Axes, tuple[Narrowing, ...]] = field(default_factory=dict)
    _mentioned: frozenset[Symbol] | None = None

    def permits(self, block: Axes, grid: Axes = ANY, values: Iterable[tuple[Symbol, int]] = ()) -> bool:
        """Whether some launch in sight may have these sizes (None: any) and scalar arguments."""
        return self.fit(block, grid, values) is not None

    def checked_block(self, limit: int) -> int | None:
        """The most threads along x that what hosts have checked lets a launch have; None where no launch whose block
        they compute is kept at or below ``limit`` by that."""
        found = []
        for way in self.ways:
            size = next((image for symbol, image in way.images if symbol is BLOCK_DIM[0]), None)
            ranges = _checked(way.checks) if size is not None and size.value is None else None
            if ranges is not None and size is not None:
                found.append(ranges.of(size)[1])
        return max((most for most in found if most <= limit), default=None)

    def fit(
        self, block: Axes, grid: Axes, values: Iterable[tuple[Symbol, int]] = (), least: Triple = (1, 1, 1)
    ) -> Triple | None:
        """A grid that some launch in sight has with this ``block`` and these scalar arguments; None where there is no
        such launch.  Where ``grid`` is open, it has ``least`` blocks at least."""
        if not self.ways:
            return _filled(grid, least)
        mentioned = self.spoken_of()
        known = tuple((symbol, value) for symbol, value in values if symbol in mentioned)
        key = block, grid, known, least
        if key not in self._answers:
            if len(self._answers) >= REMEMBERED:
                self._answers.clear()
            self._answers[key] = self._fit(block, grid, known, least)
        return self._answers[key]

    def _fit(self, block: Axes, grid: Axes, known: Known, least: Triple) -> Triple | None:
        for way in self.ways:
            ranges = _under(way, block, grid, known, least)
            if ranges is not None:
                x, y, z = (ranges.of(symbol.term)[0] for symbol in GRID_DIM)
                return x, y, z
        return None

    def under(self, block: Axes, grid: Axes = ANY) -> Admission:
        """The ways that may have a block and a grid of these sizes; where none may, a block of this size, or any."""
        key = block, grid
        found = self._narrow.get(key)
        if found is None:
            ways = tuple(way for way in self.ways if _under(way, block, grid, ()) is not None)
            found = self if len(ways) in (0, len(self.ways)) else Admission(ways)
            if not ways and grid != ANY:
                found = self.under(block)
            self._narrow[key] = found
        return found

    def modes(self, among: Collection[Symbol]) -> tuple[Admission, ...]:
        """The ways apart that pass other numbers for the scalars ``among``; empty where all pass the same, or too many
        do not."""
        if len(self.ways) < 2:
            return ()
        found: dict[Known, list[Way]] = {}
        for way in self.ways:
            numbers = tuple((symbol, value) for symbol, value in _numbers(way).items() if symbol in among)
            found.setdefault(numbers, []).append(way)
        return tuple(Admission(tuple(ways)) for ways in found.values()) if 1 < len(found) <= MODES else ()

    def near(self, block: Axes, grid: Axes, known: Known, wanted: Known) -> Known:
        """The values ``wanted`` moved, one after the other, to where a launch in sight may have them beside the sizes
        and what is ``known``; as they are where no launch is like that.  A grid that cannot be met is left aside."""
        mentioned = self.spoken_of()
        if not any(symbol in mentioned for symbol, _ in wanted):
            return wanted
        known = tuple((symbol, value) for symbol, value in known if symbol in mentioned)
        key = block, grid, known, wanted
        if key not in self._nearest:
            if len(self._nearest) >= REMEMBERED:
                self._nearest.clear()
            ways = ((way, sizes) for sizes in dict.fromkeys((grid, ANY)) for way in self.ways)
            moved = (_moved(way, block, sizes, dict(known), wanted) for way, sizes in ways)
            self._nearest[key] = next((one for one in moved if one is not None), wanted)
        return self._nearest[key]

    def spoken_of(self) -> frozenset[Symbol]:
        """The symbols of the kernel of which a launch says something."""
        if self._mentioned is None:
            self._mentioned = frozenset(symbol for way in self.ways for symbol, _ in way.images)
        return self._mentioned

    @property
    def numbers(self) -> Known:
        """Scalar arguments that are the same number in every way."""
        if not self.ways:
            return ()
        first, *others = (_numbers(way) for way in self.ways)
        return tuple(
            (symbol, value) for symbol, value in first.items() if all(other.get(symbol) == value for other in others)
        )

    def sized(self, block: Axes) -> Known:
        """Scalar arguments that have the size of a ``block`` along an axis in every way: it is launched for them."""
        found: dict[Symbol, int] | None = None
        for way in self.ways:
            sizes = dict(zip(BLOCK_DIM, block, strict=True))
            hosts = {plain(image): size for symbol, image in way.images if (size := sizes.get(symbol)) is not None}
            here = {
                symbol: hosts[plain(image)]
                for symbol, image in way.images
                if symbol not in sizes
                and image.value is None
                and plain(image) in hosts
                and isinstance(symbol.type, IntType)
            }
            found = here if found is None else {s: size for s, size in found.items() if here.get(s) == size}
        return tuple((found or {}).items())

    def range_of(self, symbol: Symbol, block: Axes = ANY) -> tuple[int, int] | None:
        """From where to where the values of a scalar go over all ways; None: nothing is known."""
        ways = self._ranges.get(block)
        if ways is None:
            if len(self._ranges) >= BLOCKS_REMEMBERED:
                self._ranges.clear()
            ways = tuple(ranges for way in self.ways if (ranges := _under(way, block, ANY, ())) is not None)
            self._ranges[block] = ways
        found = [ranges.of(symbol.term) for ranges in ways]
        return (min(low for low, _ in found), max(high for _, high in found)) if found else None


def _moved(way: Way, block: Axes, grid: Axes, known: dict[Symbol, int], wanted: Known) -> Known | None:
    out: list[tuple[Symbol, int]] = []
    images = {symbol for symbol, _ in way.images}
    ranges = _under(way, block, grid, tuple(known.items()))
    for symbol, value in wanted:
        if ranges is None:
            return None
        if symbol in images:
            if symbol in known:  # it gets another value
                ranges = _under(way, block, grid, tuple((s, v) for s, v in known.items() if s is not symbol))
                assert ranges is not None
            low, high = ranges.of(symbol.term)
            near = min(max(value, low), high)
            # Beside the end of a range there may be none, where only multiples are passed; of two sizes whose product
            # the grid is made of, the first has to leave room for the second.
            smaller = (near >> bit for bit in range(1, near.bit_length()) if near >> bit >= low) if near > 0 else ()
            tried = dict.fromkeys(
                (near, *(near - near % unit for unit in UNITS if near - near % unit >= low), *smaller, low, high)
            )
            fits = ((one, more) for one in tried if (more := told(ranges, {symbol: one})) is not None)
            value, ranges = next(fits, (value, None))
            known[symbol] = value
        out.append((symbol, value))
    return tuple(out) if ranges is not None else None


def _filled(grid: Axes, least: Triple) -> Triple:
    x, y, z = (small if size is None else size for size, small in zip(grid, least, strict=True))
    return x, y, z


def _under(way: Way, block: Axes, grid: Axes, values: Known, least: Triple = (1, 1, 1)) -> Narrowing | None:
    sized = _sized(way, block, grid, least)
    return sized if sized is None or not values else told(sized, dict(values))


@lru_cache(maxsize=REMEMBERED_SIZES)
def _sized(way: Way, block: Axes, grid: Axes, least: Triple) -> Narrowing | None:
    """The ranges of a launch with these sizes, when nothing is known of its arguments."""
    known: dict[Symbol, int] = {}
    facts: list[Term] = []
    for size, symbol in zip(block, BLOCK_DIM, strict=True):
        if size is not None:
            known[symbol] = size
    for size, symbol, small in zip(grid, GRID_DIM, least, strict=True):
        if size is not None:
            known[symbol] = size
        elif small > 1:
            facts.append(binary("le", const(small, I64), cast(symbol.term, I64), BOOL))
    ranges = _any_size(way)
    return ranges and told(ranges, known, tuple(facts))


def _numbers(way: Way) -> dict[Symbol, int]:
    found: dict[Symbol, int] = {}
    sizes = (*BLOCK_DIM, *GRID_DIM)
    for symbol, image in way.images:
        value = image.value
        if symbol not in sizes and value is not None and isinstance(symbol.type, IntType):
            found[symbol] = symbol.type.wrap(value)
    return found


FREE_LAUNCH = Admission()
"""Nothing is known of launches."""
