"""Values that all threads of a grid have in common, made up as they are asked for: the same on every machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.trace.events import Trace
from kernlint.record import dataclass
from kernlint.symbolic.terms import THREAD, Symbol, SymbolKind, Term, Uniformity, plain, subterms, symbols
from kernlint.tree.types import IntType

Number = int | float

SIZES = (1, 2, 3, 4, 5, 7, 8, 12, 31, 32, 33, 40, 64, 65, 100, 127, 129, 200, 250, 257, 300, 1000, 1024, 5000)
"""Values that parameters are given: sizes of all sorts, most of them no multiple of a warp."""

POWERS = 11
"""Powers of two from 1 on that numbers of templates are given, where no code in sight gives any."""

ROUNDS = (0, 0, 1, 2, 3)
"""Rounds of a loop in which a warp is looked at."""


@dataclass(slots=True)
class Sample:
    """Values common to a whole grid, made up as they are asked for from ``seed``.  ``fixed``: given beforehand;
    ``sparse``: half of what memory holds is zero.

    ``numbers`` counts the symbols of one kernel in the order in which they are first asked for.  Their own serial
    numbers count those of the whole process: values made from them would depend on which files came before.
    """

    seed: int
    fixed: Mapping[Symbol, int]
    numbers: dict[Symbol, int]
    sparse: bool = False

    def common(self, symbol: Symbol) -> Number:
        """Value of a symbol that all lanes have in common."""
        given = self.fixed.get(symbol)
        if given is not None:
            return given
        drawn = scramble("common", self.seed, self.numbers.setdefault(symbol, len(self.numbers)))
        value = SIZES[drawn % len(SIZES)]
        if not isinstance(symbol.type, IntType):
            return value - 50
        if symbol.type.bits == 1:
            return drawn % 2
        if symbol.kind in (SymbolKind.COUNTER, SymbolKind.TRIPS):
            return ROUNDS[drawn % len(ROUNDS)]
        if symbol.kind is SymbolKind.TEMPLATE:
            value = 1 << drawn % POWERS  # which numbers a template is for, nobody says: mostly sizes of tiles or blocks
        if symbol.high is not None and symbol.low is not None and not symbol.low <= value <= symbol.high:
            return symbol.low + value % (symbol.high - symbol.low + 1)
        return symbol.type.wrap(value)


def scramble(*parts: Number | str) -> int:
    """A number below 211 that depends on ``parts`` alone: the same on every machine."""
    seed = 17
    for part in parts:
        if isinstance(part, str):
            part = sum(ord(c) * (i + 1) for i, c in enumerate(part))
        seed = (seed * 1_000_003 + int(part if isinstance(part, int) else part * 64)) & 0xFFFFFFFF
    return (seed ^ seed >> 13) * 2_654_435_761 % 4_294_967_291 % 211


class Common(Mapping[Symbol, int]):
    """Host variables under a sample."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample

    def __getitem__(self, symbol: Symbol) -> int:
        return int(self.sample.common(symbol))

    def __iter__(self) -> Iterator[Symbol]:
        return iter(())

    def __len__(self) -> int:
        return 0


def common_to_grid(symbol: Symbol) -> bool:
    """Whether callers choose a number, or memory holds it, for the whole grid."""
    return symbol.kind is SymbolKind.PARAM or (symbol.kind is SymbolKind.LOAD and symbol.surely is Uniformity.GRID)


def asked_for(condition: Term) -> Iterator[tuple[Symbol, int]]:
    """Numbers that meet the parts of a condition that ask about one number each."""
    for part in conjuncts(condition):
        truth = part.op != "lnot"
        part = part if truth else part.args[0]
        if part.symbol is not None:
            if part.symbol.kind is not SymbolKind.PARAM:  # (a flag may say that sizes are even)
                yield part.symbol, int(truth)
        elif part.op in ("eq", "ne", "lt", "le"):
            first, second = map(plain, part.args)
            if first.symbol is not None and second.value is not None:
                by = {"eq": 0, "ne": 1, "lt": -1, "le": 0} if truth else {"eq": 1, "ne": 0, "lt": 0, "le": 1}
                yield first.symbol, second.value + by[part.op]
            elif second.symbol is not None and first.value is not None:
                by = {"eq": 0, "ne": 1, "lt": 1, "le": 0} if truth else {"eq": 1, "ne": 0, "lt": 0, "le": -1}
                yield second.symbol, first.value + by[part.op]


MOST = 1 << 20
"""Numbers of checks from here on are ends of types."""


def spoken_of(checks: Iterable[Term]) -> list[int]:
    """The numbers of checks, and multiples of them."""
    parts = dict.fromkeys(part.value for check in checks for part in subterms(check) if part.value is not None)
    return [int(part) * times for part in parts if 1 < part < MOST for times in (1, 2, 4)]


def of_rounds(check: Term) -> bool:
    """Whether a check speaks of how often a loop of the host has gone round: that follows from the sample."""
    return any(symbol.kind in (SymbolKind.TRIPS, SymbolKind.COUNTER) for symbol in symbols(check))


def warps_spoken_of(of: Trace, size: int) -> Iterator[int]:
    """Warps that a constant beside the thread's index along x parts: ``threadIdx.x < 80``, in the one from 64 on."""
    met: set[int] = set()
    for event in of.conditions:
        if THREAD[0] not in event.term.symbols:
            continue
        for part in subterms(event.term):
            value = part.value
            if value is not None and value > 0 and value % size and (number := value // size) not in met:
                met.add(number)
                yield number
