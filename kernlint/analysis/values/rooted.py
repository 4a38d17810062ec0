"""What of a launch numbers are at the root of: see :mod:`kernlint.analysis.values.reach`."""

from __future__ import annotations

from collections.abc import Iterable

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.launching.admitted_sizes import GRID_LIMIT, HABIT, growing, upper
from kernlint.analysis.launching.typed_in import TYPED
from kernlint.analysis.trace.events import Access
from kernlint.prove.admission import Way
from kernlint.symbolic.clamps import as_they_are
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    GRID_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    plain,
    replaced,
    subterms,
    symbols,
)
from kernlint.tree.types import IntType


class Rooted:
    """Which symbols something bounds from above that numbers are at the root of: literals that are passed, checks of
    host code against literals, tests of the kernel against such arguments.  (That ``w + 31`` does not overflow bounds
    w as well, and says nothing.)"""

    def __init__(
        self,
        access: Access,
        way: Way,
        said: frozenset[Symbol] = frozenset(),
        kept: frozenset[Term] | None = None,
        threads: bool = True,
    ) -> None:
        self._threads = threads  # whether all blocks are small enough
        known = [fact for fact in side(access).facts if kept is None or fact in kept]
        self._facts = [part for fact in known for part in upper(fact)]
        self._images = dict(way.images)
        self._checks = [part for check in way.checks for part in upper(check)]
        self._done: dict[Symbol, bool] = {}
        self._limits: dict[Symbol, int] = {}
        self._said = said
        self._covered: dict[Term, bool] = {}

    @property
    def by_grids_alone(self) -> bool:
        """Whether the numbers are checks of two sizes or more against what a grid may have along y and z: they keep the
        launch possible, and say nothing of how much there is."""
        return len(self._limits) > 1 and all(abs(most - GRID_LIMIT) < 2 for most in self._limits.values())

    def __call__(self, symbol: Symbol) -> bool:
        if symbol not in self._done:
            self._done[symbol] = False  # what bounds itself is not bounded
            self._done[symbol] = self._of(symbol)
        return self._done[symbol]

    def covers(self, term: Term) -> bool:
        """Whether a term, or everything that it is made of, is bounded: a place of a grid-stride loop is, however many
        blocks there are."""
        if term.op == "sym":
            return self(term.args[0])
        if term not in self._covered:
            tested = any(term in as_they_are(low) and all(map(self, symbols(high))) for low, high in self._facts)
            held = term.op == "min" and any(map(self.covers, term.args))
            self._covered[term] = tested or held or (not _rounded(term) and all(map(self.covers, term.terms)))
        return self._covered[term]

    def _of(self, symbol: Symbol) -> bool:
        if symbol in self._said or (self._threads and symbol.kind in (SymbolKind.BLOCK_DIM, SymbolKind.THREAD)):
            return True
        image = self._images.get(symbol)
        if image is not None:
            return self._on_host(image)
        if symbol in BLOCK and self(GRID_DIM[symbol.axis]):
            return True
        if symbol in THREAD and self(BLOCK_DIM[symbol.axis]):
            return True
        return any(
            symbol in growing(low) and all(other is not symbol and self(other) for other in symbols(high))
            for low, high in self._facts
        )

    def _on_host(self, image: Term) -> bool:
        image = plain(image)
        if image.op == "min" or (image.op == "select" and image.args[0].op in ("lt", "le") and _of_its_sides(image)):
            return any(map(self._on_host, image.args[-2:]))
        if any(part.op == "call" for part in subterms(image)):
            return False  # what a library says of a tensor
        return image.value is not None or (bool(symbols(image)) and all(map(self._checked, symbols(image))))

    def _checked(self, symbol: Symbol) -> bool:
        if symbol in self._said:
            return True
        found = [high.value for low, high in self._checks if high.value is not None and symbol in growing(low)]
        if found:
            self._limits[symbol] = min(found)
        return bool(found) or any(
            symbol in growing(low) and symbols(high) and all(one in self._said for one in symbols(high))
            for low, high in self._checks
        )


def _of_its_sides(choice: Term) -> bool:
    """Whether a choice asks about what it is made between, as one of the lesser of two does."""
    cond, *sides = choice.args
    return not set(symbols(cond)).isdisjoint(one for side in sides for one in symbols(side))


def stated(limit: Term, tests: Iterable[Term]) -> int | None:
    """The number that a limit is none greater than: itself, the least of what it is the minimum of, or what a test of
    the size that it is says; None where no number is at its root."""
    limit = plain(limit)
    if limit.value is not None:
        return limit.value
    if limit.op == "min":
        return min((most for arg in limit.args if (most := stated(arg, tests)) is not None), default=None)
    if limit.symbol is None or limit.symbol.kind is not SymbolKind.PARAM:
        return None
    found = (
        high - (part.op == "lt")
        for part in tests
        if plain(part.args[0]) == limit and (high := part.args[1].value) is not None
    )
    return min((most for most in found if most < HABIT), default=None)


def size_tested(access: Access) -> bool:
    """Whether an access stands under a test of an argument against a number that is no end of a type."""
    sides = (part for fact in side(access).facts for part in upper(fact))
    return any(
        high.value is not None and high.value < HABIT and any(s.kind is SymbolKind.PARAM for s in symbols(low))
        for low, high in sides
    )


def _rounded(term: Term) -> bool:
    """Whether a term is what a floating-point number is cut to, or a function out of sight makes: its operands say
    nothing here of how large it is."""
    cut = term.op == "cast" and not isinstance(term.args[0].type, IntType)
    return isinstance(term.type, IntType) and (cut or term.op == "call")


def by_default(way: Way) -> Way | None:
    """A launch with the numbers that stand for what a user may give (``n = argc > 1 ? atoi(argv[1]) : 65536``), None
    where there are none."""
    known: dict[Term, Term] = {}
    for _, image in way.images:
        for part in subterms(image):
            if part.op != "select":
                continue
            for number, other in (part.args[1:], part.args[:0:-1]):
                read = any(one.op == "call" or _unknown(one) for one in subterms(other))
                if number.value is not None and read and set(symbols(part.args[0])).isdisjoint(symbols(other)):
                    known[part] = number
    if not known:
        return None
    images = tuple((symbol, replaced(image, known)) for symbol, image in way.images)
    return Way(images, tuple(replaced(check, known) for check in way.checks))


def _unknown(term: Term) -> bool:
    return term.symbol is not None and (term.symbol.kind is SymbolKind.UNKNOWN or term.symbol.reason == TYPED)
