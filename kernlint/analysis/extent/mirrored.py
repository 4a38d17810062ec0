"""Coordinates that are mirrored at one size and tested against another, where the other axis is mirrored at its own.

``if (x >= padded || y >= h) return;`` before ``in[(h - 1 - y) * pitch + (w - 1 - x)]``: the kernel keeps y below what
it is mirrored at, and x below something else.  Where that is larger than ``w``, as a width that is padded is, the
mirrored place lies before the row, or wraps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.extent.places import chosen, moves
from kernlint.analysis.extent.told import Told
from kernlint.analysis.extent.truths import Truth, truths
from kernlint.analysis.extent.wrong_guards.faults import in_host_terms
from kernlint.analysis.launching.launch_context import LaunchView, launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, RootKind
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.types import Space

MOST = 256
"""Parts of an index that are looked at."""

_DATA = frozenset({SymbolKind.LOAD, SymbolKind.PARAM})


@dataclass(frozen=True, slots=True, eq=False)
class Mirrored:
    """An ``access`` at such a coordinate, of which ``test`` keeps what is mirrored below ``size``."""

    access: Access
    test: Truth
    size: str
    at: str
    like: Truth

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        return Told(
            f"{element(self.access)} is {verb(self.access)} at a coordinate that is mirrored at {self.at} and tested "
            f"against {self.size}: where that is larger, the coordinate falls below zero",
            (
                Related(self.test.guard.span, f"what is mirrored is kept below {self.size} here"),
                Related(self.like.guard.span, "and along the other axis below what it is mirrored at"),
            ),
            f"{self.size} may be larger than {self.at}",
            f"test the coordinate against {self.at}",
        )


def _mirrors(access: Access) -> Iterator[tuple[Polynomial, Polynomial]]:
    """(what is counted down from, coordinate) of parts of an index that are ``size - 1 - i``."""
    if not any(part.op == "sub" for part in subterms(access.offset)):
        return
    for part, chosen_by in islice(_parts(access.offset, ()), MOST):
        form = polynomial(part).coefficients
        moving = {mono: -times for mono, times in form.items() if any(map(moves, mono)) and not _sized(mono)}
        rest = {mono: times for mono, times in form.items() if mono and mono not in moving}
        last = form.get((), 0) == -1 and all(times == 1 and _sized(mono) for mono, times in rest.items())
        if not moving or not rest or not last or not all(times > 0 for times in moving.values()):
            continue
        mine = {symbol for mono in moving for atom in mono for symbol in symbols(atom)}
        if not any(mine & set(symbols(condition)) for condition in chosen_by):
            yield Polynomial(rest), Polynomial(moving)


def _parts(term: Term, chosen_by: tuple[Term, ...]) -> Iterator[tuple[Term, tuple[Term, ...]]]:
    """The sums that an index is made of, with the conditions by which they are chosen: of what is clamped, or taken for
    a remainder, none."""
    if term.op in ("add", "sub"):
        yield term, chosen_by
    if term.op == "select":
        for part in term.args[1:]:
            yield from _parts(part, (*chosen_by, term.args[0]))
    elif term.op in ("add", "sub", "mul", "cast"):
        for part in term.terms:
            yield from _parts(part, chosen_by)


def _sized(mono: tuple[Term, ...]) -> bool:
    """Whether a summand is one number that an argument, or data for all threads of a block, say."""
    symbol = plain(mono[0]).symbol if len(mono) == 1 else None
    return symbol is not None and symbol.kind in _DATA and not _of_threads(symbol.origin)


def _of_threads(origin: object) -> bool:
    """Whether what is read from memory is another number for each thread."""
    if not isinstance(origin, tuple) or not isinstance(origin[1], Term):
        return False
    return any(symbol.kind not in (SymbolKind.PARAM, SymbolKind.BLOCK) for symbol in symbols(origin[1]))


def _compute(facts: Facts) -> tuple[Mirrored, ...]:
    kept: list[tuple[Polynomial, Truth]] = []
    astray: list[tuple[Access, Polynomial, Polynomial, Truth]] = []
    seen: set[tuple[Access, Polynomial]] = set()
    for access in facts[trace].accesses:
        if access.root.kind is not RootKind.PARAM or access.root.space not in (Space.GLOBAL, Space.CONSTANT):
            continue
        known: Sequence[Truth] | None = None
        for sizes, coordinate in _mirrors(access):
            if (access, coordinate) in seen:
                continue
            seen.add((access, coordinate))
            known = truths(access.guards) if known is None else known
            tests = [(one.left + coordinate + number(1), one) for one in known if one.unit == 1]
            tests = [(size, one) for size, one in tests if size.coefficients and not any(map(_by_thread, size.atoms))]
            own = [one for size, one in tests if _is_part(size, sizes)]
            if own:
                kept.append((coordinate, own[0]))
            elif len(tests) == 1 and _single(tests[0][0]) and not _tied(sizes, tests[0], facts):
                astray.append((access, sizes, coordinate, tests[0][1]))
    found: list[Mirrored] = []
    for access, sizes, coordinate, test in astray:
        axes = _axes(coordinate)
        like = next((one for other, one in kept if axes and _axes(other) and not axes & _axes(other)), None)
        if like is not None and all(one.access is not access for one in found):
            size = test.left + coordinate + number(1)
            found.append(Mirrored(access, test, words(term_of(size)), words(term_of(sizes)), like))
    return tuple(found)


def _by_thread(atom: Term) -> bool:
    """Whether a value is not the same for all threads of a block."""
    return moves(atom) and not _sized((atom,))


def _is_part(size: Polynomial, sizes: Polynomial) -> bool:
    """Whether a test is against what is counted down from, or a part of it: ``x + w - 1 - i`` with ``i < w``."""
    constant = size.coefficients.get((), 0)
    bare = {mono: times for mono, times in size.coefficients.items() if mono}
    return constant <= 0 and bool(bare) and all(sizes.coefficients.get(mono) == times for mono, times in bare.items())


def _single(size: Polynomial) -> bool:
    """Whether a test is against one argument."""
    moving = [mono for mono in size.coefficients if mono]
    return len(moving) == 1 and len(moving[0]) == 1 and chosen(moving[0][0]) and size.coefficients[moving[0]] == 1


def _tied(sizes: Polynomial, test: tuple[Polynomial, Truth], facts: Facts) -> bool:
    """Whether another test of the kernel, or a check of the host, speaks of both sizes, or a launch passes one number
    for both."""
    mine = {symbol for atom in sizes.atoms for symbol in symbols(atom)}
    other = {symbol for atom in test[0].atoms for symbol in symbols(atom)}
    for condition in facts[trace].conditions:
        found = set(symbols(condition.term))
        if mine & found and other & found:
            return True
    views: tuple[LaunchView, ...] = facts[launch_context].launches
    for view in views:
        images = dict(view.images)
        ours, theirs = in_host_terms(sizes, images), in_host_terms(test[0], images)
        if (ours - theirs).constant is not None:
            return True
        a, b = ({s for atom in size.atoms for s in symbols(atom)} for size in (ours, theirs))
        if any(a & set(symbols(check)) and b & set(symbols(check)) for check in view.checks):
            return True
    return False


def _axes(form: Polynomial) -> set[int | None]:
    found = {s for atom in form.atoms for s in symbols(atom)}
    return {s.axis for s in found if s.kind in (SymbolKind.THREAD, SymbolKind.BLOCK)}


mirrored = KernelAnalysis("mirrored", _compute, needs=(trace, launch_context))
"""Each :class:`Mirrored` access of a kernel variant, in order of the walk."""
