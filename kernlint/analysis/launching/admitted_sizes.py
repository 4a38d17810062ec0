"""The largest sizes that host code admits: what it checks, clamps and branches on before a launch.

``if (count > kMost) return`` and ``count = min(count, kMost)`` say that a launch with ``kMost`` is meant to work; if
the runtime refuses it, or a product wraps, that is a fault of a launch which the program lets through.  A number near
the end of a type says only that something fits the type, and nothing of real sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.launching.member_limits import Limit, checked_elsewhere
from kernlint.analysis.launching.run_time_sizes import chosen_by_callers
from kernlint.analysis.launching.stated_sizes import short
from kernlint.prove.admission import Way
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.narrowing import Narrowing, narrowed, told
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, subterms, symbols
from kernlint.tree.types import IntType

HABIT = 1 << 30
"""From here on a limit is one of a type, and no size that somebody has in mind."""

GRID_LIMIT = 65_535
"""The most blocks of a grid along y and z."""

OPEN = (1 << 20, 1 << 22)
"""Values of sizes that nothing bounds: what is held down is the same with both."""


@dataclass(frozen=True, slots=True)
class Largest:
    """``sizes`` as a launch has them where the size ``name`` is as large as the host lets it be: ``value``, by the
    check at ``check`` (None: it is held down to that)."""

    sizes: tuple[int, ...]
    name: str
    value: int
    check: Span | None

    @property
    def said(self) -> str:
        """How large the size is, in words."""
        return f"{self.name} is as large as the host lets it be, {self.value}"


def upper(fact: Term) -> Iterator[tuple[Term, Term]]:
    """(lower side, upper side) of the comparisons that all hold where ``fact`` does."""
    for part in conjuncts(fact):
        if part.op in ("lt", "le", "eq"):
            yield part.args[0], part.args[1]
        if part.op == "eq":
            yield part.args[1], part.args[0]


def growing(term: Term) -> set[Symbol]:
    """The symbols with which a term grows: one in a remainder, or handed to a call, is not bounded with it, and neither
    is one that another size divides."""
    if term.op == "sym":
        return {term.args[0]}
    if term.op in ("add", "mul", "max", "cast"):
        return set().union(*map(growing, term.args))
    if term.op == "div" and term.args[1].value is None:
        return set()
    return growing(term.args[0]) if term.op in ("sub", "div", "shl", "shr") else set()


def bounded(symbol: Symbol, checks: Iterable[Term]) -> bool:
    """Whether checks hold a size down to a number, perhaps by way of another size, that is more than a type's end."""
    return _bounded(symbol, [part for check in checks for part in upper(check)], frozenset())


def _bounded(symbol: Symbol, sides: Sequence[tuple[Term, Term]], asked: frozenset[Symbol]) -> bool:
    for low, high in sides:
        if symbol not in growing(low):
            continue
        if high.value is not None:
            if abs(high.value) < HABIT:
                return True
            continue
        others = symbols(high)
        numbers = [part.value for part in subterms(high) if part.value is not None]
        inner = asked | {symbol}
        small = bool(others) and not inner & set(others) and all(abs(number) < HABIT for number in numbers)
        if small and all(_bounded(other, sides, inner) for other in others):
            return True
    return False


def largest(
    view: LaunchView,
    sizes: Sequence[Term],
    refused: Callable[[tuple[int, ...]], bool],
    elsewhere: tuple[Limit, ...] = (),
) -> Largest | None:
    """Sizes of a launch that are ``refused``, with callers' values as large as the host lets them be; None where there
    are none, or something besides numbers decides.  ``elsewhere``: what other functions check of members."""
    asked = sorted({symbol for size in sizes for symbol in symbols(size)}, key=lambda symbol: symbol.serial)
    if not asked or not all(size.value is not None or chosen_by_callers(size) for size in sizes):
        return None
    further = tuple(checked_elsewhere(elsewhere, asked))
    checks = relevant((*view.checks, *(check for check, _ in further)), asked)
    if any(symbol.kind is SymbolKind.UNKNOWN for check in checks for symbol in symbols(check)):
        return None
    found = [_sizes(sizes, _values(asked, checks, value), checks) for value in OPEN]
    if found[0] is None or found[0] != found[1] or not refused(found[0]):
        return None
    held = [symbol for symbol in asked if bounded(symbol, checks)]
    values = _values(held, checks, OPEN[0]) if held else {}
    if held and values:
        name = max(held, key=lambda symbol: values[symbol])
        said, value = short(name), values[name]
        if not said:  # elements of an array, of which the difference is held down
            at = max(range(len(sizes)), key=found[0].__getitem__)
            said, value = words(sizes[at]), found[0][at]
        return Largest(found[0], said, value, check_of(view, name, further))
    return Largest(found[0], short(asked[0]), max(found[0]), None)


def held(view: LaunchView, sizes: Sequence[Term], elsewhere: tuple[Limit, ...]) -> bool:
    """Whether checks hold every size down to a number, those of other functions with them."""
    asked = {symbol for size in sizes for symbol in symbols(size)}
    checks = (*view.checks, *(check for check, _ in checked_elsewhere(elsewhere, asked)))
    return bool(asked) and all(bounded(symbol, checks) for symbol in asked)


def largest_arguments(way: Way, limits: tuple[Limit, ...]) -> dict[Symbol, int]:
    """Arguments of a launch at sizes that its checks admit together, each as large as these let it be; empty where not
    all are held down, or only to what a grid may have."""
    made = {one: image for one, image in way.images if one.kind is SymbolKind.PARAM and image.value is None}
    asked = sorted({symbol for _, image in way.images for symbol in symbols(image)}, key=lambda one: one.serial)
    checks = relevant((*way.checks, *(check for check, _ in checked_elsewhere(limits, asked))), asked)
    held = [symbol for symbol in asked if bounded(symbol, checks)]
    values = admitted_values(held, checks) if held else {}
    if len(values) > 1 and all(abs(value - GRID_LIMIT) < 2 for value in values.values()):
        return {}
    if any(evaluate(c, {**dict.fromkeys(symbols(c), 1), **values}) == 0 for c in checks):
        return {}
    found = {symbol: evaluate(image, values) for symbol, image in made.items() if chosen_by_callers(image)}
    return {symbol: value for symbol, value in found.items() if value is not None and value > 0}


def relevant(checks: Iterable[Term], asked: Iterable[Symbol]) -> list[Term]:
    """The checks that say something of sizes, and of what these are compared with; none of statuses of calls."""
    known, left = set(asked), [check for check in checks if all(part.op != "call" for part in subterms(check))]
    found: list[Term] = []
    while True:
        more = [check for check in left if not known.isdisjoint(symbols(check))]
        if not more:
            return found
        found += more
        left = [check for check in left if check not in more]
        known |= {symbol for check in more for symbol in symbols(check)}


def admitted_values(asked: Sequence[Symbol], checks: Sequence[Term]) -> dict[Symbol, int]:
    """Sizes that checks bound, each as large as these let it be beside those before it; empty where there are none."""
    return _values(asked, checks, OPEN[0])


def _by_number(symbol: Symbol, checks: Iterable[Term]) -> bool:
    """Whether a check compares a size with a number: others may be held down by way of it."""
    sides = (part for check in checks for part in upper(check))
    return any(high.value is not None and symbol in growing(low) for low, high in sides)


def _values(asked: Sequence[Symbol], checks: Sequence[Term], unbounded: int) -> dict[Symbol, int]:
    """Each size as large as the checks let it be, one after the other; ``unbounded`` where they leave it open."""
    out: dict[Symbol, int] = {}
    ranges: Narrowing | None = narrowed(checks, {})
    first = [symbol for symbol in asked if _by_number(symbol, checks)]
    for symbol in (*first, *(symbol for symbol in asked if symbol not in first)):
        if ranges is None:
            return {}
        low, high = ranges.of(symbol.term)
        if high == _end(symbol):  # a product that is held down may wrap, and leaves its factors open: nobody means that
            high = min(
                [high, *(ranges.of(top)[1] for part in checks for of, top in upper(part) if _factor(of, symbol))]
            )
        out[symbol] = high if bounded(symbol, checks) else max(low, min(high, unbounded))
        ranges = told(ranges, {symbol: out[symbol]})
    return out if ranges is not None else {}


def _end(symbol: Symbol) -> int | None:
    return symbol.type.high if isinstance(symbol.type, IntType) else None


def _factor(term: Term, symbol: Symbol) -> bool:
    """Whether a size is a factor of a term, or the term: it is no larger, as no other factor is 0."""
    if term.op in ("mul", "cast"):
        return any(_factor(arg, symbol) for arg in term.terms)
    return term.symbol is symbol


def _sizes(sizes: Sequence[Term], values: dict[Symbol, int], checks: Sequence[Term]) -> tuple[int, ...] | None:
    """The sizes with values of callers; None where a check may not hold, or they cannot be told."""
    if not values:
        return None
    for check in checks:
        others = dict.fromkeys((one for one in symbols(check) if one not in values), 1)
        if not evaluate(check, {**others, **values}):
            return None
    found = [evaluate(size, values) for size in sizes]
    known = tuple(size for size in found if size is not None)
    return known if len(known) == len(found) else None


def check_of(view: LaunchView, symbol: Symbol, further: Iterable[tuple[Term, Span]]) -> Span | None:
    """Where the host holds a size down."""
    for term, span in (*((guard.term, guard.span) for guard in view.fact.guards), *further):
        if any(symbol in growing(low) for low, _ in upper(term)):
            return span
    return None
