"""Numbers of elements that a launch passes and that wrap on the host, where sizes are as large as its checks admit.

``const int total = batch * kRows * kChannels`` is made before the launch.  The kernel compares its index with it, so
that elements are left out, or all of them: no subscript of the kernel itself gets too large then, and what is asked is
how large the product gets in mathematical integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts
from kernlint.analysis.launching.admitted_sizes import GRID_LIMIT, HABIT, admitted_values, bounded, relevant, upper
from kernlint.analysis.launching.launch_context import LaunchView, launch_context
from kernlint.analysis.launching.member_limits import Limit, checked_elsewhere, member_limits
from kernlint.analysis.launching.run_time_sizes import chosen_by_callers
from kernlint.analysis.launching.stated_sizes import short
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Trace
from kernlint.analysis.values.exactly import exact
from kernlint.analysis.values.narrow_hosted import kept_small
from kernlint.analysis.values.products import bits, products
from kernlint.analysis.values.reach import BEYOND
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.narrowing import narrowed
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    GRID_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    plain,
    subterms,
    symbols,
)
from kernlint.tree.types import IntType

_PLACES = frozenset((*BLOCK, *THREAD))


@dataclass(frozen=True, slots=True)
class Passed:
    """The argument ``name`` of the launch at ``span``, of which ``part`` comes to ``value`` with the sizes ``given``;
    ``test``: where the kernel compares its index with it; 0 and no sizes where it was made in 64 bits and then cut."""

    name: str
    span: Span
    part: Term
    value: int
    given: tuple[tuple[str, int], ...]
    test: Span


def passed_too_large(facts: Facts) -> Iterator[Passed]:
    """The counts of elements that a launch in sight passes, each once, and that leave their type on their way."""
    seen: set[tuple[Span, str]] = set()
    limits: tuple[Limit, ...] = facts[member_limits]
    tested: dict[Symbol, Span] | None = None
    for view in facts[launch_context].launches:
        for symbol, image in view.images:
            if symbol in BLOCK_DIM or symbol in GRID_DIM or symbol.kind is not SymbolKind.PARAM:
                continue
            if bits(symbol.term) in (32, 64):
                small = {frozenset(found) for guard in view.fact.guards for found in kept_small(guard.term)}
                cut = next(
                    (
                        one
                        for one in _cut(image)
                        if small.isdisjoint(frozenset(p.factors) for p in products(one))
                        and (bits(symbol.term) == 64 or any(p.careful for p in products(one)))
                    ),
                    None,
                )
                test = _tested(facts[trace], 64).get(symbol) if cut is not None else None
                if cut is not None and test is not None:
                    seen.add((view.fact.span, symbol.name))
                    yield Passed(symbol.name, view.fact.span, cut, 0, (), test)
                    continue
            made = [part for part in subterms(image) if part.op == "mul"]
            if not made or (view.fact.span, symbol.name) in seen:
                continue
            tested = _tested(facts[trace]) if tested is None else tested
            test = tested.get(symbol)
            found = _wrapped(view, symbol, made, test, limits) if test is not None else None
            if found is not None:
                seen.add((view.fact.span, symbol.name))
                yield found


def _cut(image: Term) -> Iterator[Term]:
    """The products of sizes in 64 bits that are cut to 32 in an argument."""
    for part in subterms(image):
        if part.op == "cast" and bits(part) == 32 and bits(part.args[0]) == 64:
            made = [one for one in products(part.args[0]) if one.narrow is None and len(one.factors) > 1]
            if made and chosen_by_callers(part):
                yield part.args[0]


def _tested(kernel: Trace, wide: int = 0) -> dict[Symbol, Span]:
    """Where the kernel holds an index of the grid, made in so many bits, below what is made of a symbol first."""
    found: dict[Symbol, Span] = {}
    asked: set[Term] = set()
    for access in kernel.accesses:
        for guard in access.guards:
            if guard.term in asked:
                continue
            asked.add(guard.term)
            for low, high in upper(guard.term):
                if not _PLACES.isdisjoint(symbols(low)) and (not wide or _made_in(low, wide)):
                    for symbol in symbols(high):
                        found.setdefault(symbol, guard.span)
    return found


def _made_in(index: Term, width: int) -> bool:
    """Whether somebody widened a block's index to make an index of the grid in so many bits."""
    made = (part for part in subterms(index) if part.op == "mul" and bits(part) == width)
    return any(arg.op == "cast" and plain(arg).symbol in BLOCK for part in made for arg in part.args)


def _wrapped(
    view: LaunchView, symbol: Symbol, made: Sequence[Term], test: Span, limits: Sequence[Limit]
) -> Passed | None:
    for part in made:
        kind, asked = part.type, sorted(set(symbols(part)), key=lambda one: one.serial)
        if not isinstance(kind, IntType) or kind.bits > 32 or not asked or not chosen_by_callers(part):
            continue
        further = (check for check, _ in checked_elsewhere(limits, asked))
        checks = relevant((*view.checks, *further), asked)
        if any(one.kind is SymbolKind.UNKNOWN for check in checks for one in symbols(check)):
            continue
        if not all(bounded(one, checks) for one in asked):
            continue
        values = admitted_values(asked, checks)
        by_grid = len(asked) > 1 and all(abs(value - GRID_LIMIT) < 2 for value in values.values())
        ranges = narrowed((), values) if values and not by_grid else None
        most = exact(part, ranges)[1] if ranges is not None else 0
        if kind.high < most < BEYOND and max(values.values()) < HABIT:
            given = tuple((short(one), value) for one, value in values.items())
            return Passed(symbol.name, view.fact.span, part, most, given, test)
    return None
