"""Neighbours in rows that a number is divided into, of which the test of one end leaves out fewer than there are.

``x = i % nx; if (x < 1 || x >= nx - 1) return; ... a[i - 1] ... a[i + 2]``: the test leaves out as many places at the
start of a row as the kernel looks back, and at its end as many as a nearer neighbour is away.  The farther one is in
the next row, and past the array in the last.  Told where one end fits, and the other fits a nearer neighbour.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.digits import counted
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.places import chosen, moves
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.extent.wrong_guards.faults import Fault, Overreach
from kernlint.analysis.trace.events import Access, Guard, Root, RootKind
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, divided, number, polynomial
from kernlint.symbolic.terms import SymbolKind, Term, negate, subterms, symbols
from kernlint.tree.types import Space

_DATA = frozenset({SymbolKind.LOAD, SymbolKind.UNKNOWN, SymbolKind.PHI})


@dataclass(frozen=True, slots=True)
class Margin:
    """``left`` places at one end of rows of ``size`` are left out of the numbers ``whole``, places that are ``unit``
    apart; ``below``: at the start."""

    whole: Polynomial
    unit: Polynomial
    size: Polynomial | None
    left: int
    below: bool
    guard: Guard
    part: Term


def either_way(term: Term) -> tuple[Term, ...]:
    """The truths that a true ``term`` is made of, with those that both sides of a choice say."""
    found: list[Term] = []
    for part in conjuncts(term):
        chosen_by = part.args[0] if part.op == "lnot" else part
        if chosen_by.op != "select":
            found.append(part)
            continue
        sides = chosen_by.args[1:]
        yes, no = (either_way(negate(side) if part.op == "lnot" else side) for side in sides)
        found += [one for one in yes if one in no]
    return tuple(found)


def _digit(form: Polynomial) -> tuple[Polynomial, Polynomial] | None:
    """The number of which a sum is the last digit (``i % n``, ``i - i / n * n``), with 1, or the first one (``i / n``),
    with what it is divided by."""
    whole = {mono: value for mono, value in form.coefficients.items() if not any(a.op in ("div", "mod") for a in mono)}
    rest = {mono: value for mono, value in form.coefficients.items() if mono not in whole}
    if not whole and len(rest) == 1:
        ((mono, value),) = rest.items()
        if value != 1 or len(mono) != 1 or mono[0].op not in ("mod", "div"):
            return None
        found, by = map(polynomial, mono[0].args)
        plain = counted(found) and by.constant is None and len(by.coefficients) == 1
        return (found, number(1) if mono[0].op == "mod" else by) if plain else None
    found = Polynomial(whole)
    away = all(value < 0 and sum(map(moves, mono)) == 1 and len(mono) > 1 for mono, value in rest.items())
    return (found, number(1)) if rest and away and counted(found) else None


def _margins(guards: Sequence[Guard]) -> Iterator[Margin]:
    for guard in guards:
        for part in either_way(guard.term):
            slack = slack_of(part)
            if slack is None:
                continue
            truth = slack[0] - number(slack[1])
            moving = {m: v for m, v in truth.coefficients.items() if any(map(moves, m))}
            fixed = {m: v for m, v in truth.coefficients.items() if m not in moving}
            sizes = {m: v for m, v in fixed.items() if m}
            if not moving:
                continue
            below = not sizes
            form = Polynomial(moving) if below else number(0) - Polynomial(moving)
            whole = _digit(form)
            if whole is None or (sizes and (len(sizes) != 1 or set(sizes.values()) != {1})):
                continue
            size = None if below else Polynomial(sizes)
            left = -fixed.get((), 0) if below else -fixed.get((), 0) - 1
            if size is not None and whole[1] == number(1) and not _by(form, size):
                continue
            yield Margin(*whole, size, left, below, guard, part)


def _by(form: Polynomial, size: Polynomial) -> bool:
    """Whether a digit is one in rows of ``size``."""
    ((mono, _),) = size.coefficients.items()
    for own in form.coefficients:
        for atom in own:
            if atom.op == "mod" and polynomial(atom.args[1]) != size:
                return False
            if atom.op == "div" and divided(own, mono) is None:
                return False
    return True


def _step(access: Access, whole: Polynomial, unit: Polynomial) -> int | None:
    """How many places of a row, ``unit`` apart, an access is from the place of the number itself, in parts of an array
    that loops choose."""
    found = elements(access)
    rest = found[0] - whole if found is not None and not found[1] else None
    if rest is None or any(moves(atom) and not _rounds(mono) for mono in rest.coefficients for atom in mono):
        return None
    still = {mono: value for mono, value in rest.coefficients.items() if value and not any(map(moves, mono))}
    ((mono, _),) = unit.coefficients.items()
    return still.get(mono, 0) if set(still) <= {mono} else None  # else rows back and forth, or where a part begins


def _rounds(mono: Sequence[Term]) -> bool:
    """Whether a summand is a round of a loop times a size."""
    counters = [atom for atom in mono if atom.symbol is not None and atom.symbol.kind is SymbolKind.COUNTER]
    return len(counters) == 1 and len(mono) > 1 and all(chosen(atom) for atom in mono if atom not in counters)


def digit_margins(accesses: Sequence[Access]) -> Iterator[Overreach]:
    """Accesses to a neighbour past the end of its row; see the module's account."""
    groups: dict[tuple[Root, tuple[Guard, ...]], list[Access]] = {}
    for access in accesses:
        if access.root.kind is RootKind.PARAM and access.root.space is Space.GLOBAL and not access.writes:
            groups.setdefault((access.root, access.guards), []).append(access)
    for (_, guards), group in groups.items():
        if len(group) < 3 or any(s.kind in _DATA for guard in guards for s in symbols(guard.term)):
            continue
        margins = [] if _picked(guards) else list(_margins(guards))
        for end in (one for one in margins if not one.below):
            start = max((one.left for one in margins if one.below and _alike(one, end)), default=0)
            tightest = max(one.left for one in margins if not one.below and _alike(one, end))
            steps = {access: step for access in group if (step := _step(access, end.whole, end.unit)) is not None}
            if end.left != tightest or start < 1 or min(steps.values(), default=0) != -start:
                continue
            far = [access for access, step in steps.items() if step > end.left]
            if far and end.left in steps.values() and end.left > 0 and not _asked(far[0], end):
                over = steps[far[0]] - end.left
                why = "the test of the other end leaves out as many as the kernel looks that way"
                assert end.size is not None
                yield Overreach(far[0], Fault.NEIGHBOUR, end.guard, end.part, end.size, over, why)


def _picked(guards: Sequence[Guard]) -> bool:
    """Whether a test picks, or leaves out, single places of a row by their number."""
    parts = (part for guard in guards for part in either_way(guard.term) if part.op in ("eq", "ne"))
    return any(moves(at) for part in parts for at in subterms(part) if at.op in ("div", "mod"))


def _alike(one: Margin, other: Margin) -> bool:
    return one.whole == other.whole and one.unit == other.unit


def _asked(access: Access, end: Margin) -> bool:
    """Whether a choice in the place itself asks for the row."""
    return any(part.op == "select" for part in subterms(access.offset))
