"""How the grid of a launch relates to the amount of work: exact, rounded up to whole blocks, or unknown.

A launch rounds up when its grid is ``(t + u - 1) / u`` in any of the usual spellings, and nothing the host has
checked says that ``u`` divides ``t``.  Then up to ``u - 1`` surplus threads (or items) run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import Enum
from functools import lru_cache

from kernlint.record import dataclass, replace
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.narrowing import narrowed
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import SymbolKind, Term, binary, const, negate, plain, retype, subterms
from kernlint.text.patterns import pattern
from kernlint.tree.types import I64, IntType

DEPTH = 6
"""Choices within choices that are looked into."""


class Cover(Enum):
    """What is known of a grid along one axis."""

    EXACT = "exact"  # the threads are no more than the work
    ROUNDED_UP = "rounded up"  # whole blocks cover the work, the last one may be surplus in part
    CONSTANT = "constant"  # a number of blocks that has nothing to do with a size
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class AxisCover:
    """``kind`` for one axis; ``count``: the work that is divided, ``unit``: the divisor (both host terms, in the
    same items), where the grid is a quotient.  ``capped``: something else of the host's may make it smaller."""

    kind: Cover
    count: Term | None = None
    unit: Term | None = None
    capped: bool = False


UNKNOWN = AxisCover(Cover.UNKNOWN)

_CEILING = pattern(r"ceil|div_?up|divup|cdiv|div_?round_?up|iDivUp|get_?blocks|num_?blocks", re.IGNORECASE)
"""Names of helpers that were not found in the file and round a quotient up (``at::ceil_div``, ``GET_BLOCKS``)."""


@lru_cache(maxsize=8192)
def conjuncts(term: Term) -> tuple[Term, ...]:
    """The truths that a true ``term`` is made of: parts of an ``&&``, negated parts of a negated ``||``."""
    if term.op == "land":
        return conjuncts(term.args[0]) + conjuncts(term.args[1])
    if term.op == "lnot" and term.args[0].op == "lor":
        return conjuncts(negate(term.args[0].args[0])) + conjuncts(negate(term.args[0].args[1]))
    return (term,)


def never(guard: Term) -> bool:
    """Whether a truth cannot hold in mathematical integers: a sum of what is not negative and of what is above zero is
    not zero (``(round + 1) * 64 == 0``).  Numbers of templates that a sum is made of are sizes, and no zeros."""
    for part in conjuncts(guard):
        if part.op == "eq" and all(isinstance(arg.type, IntType) and arg.type.signed for arg in part.args):
            apart = (polynomial(part.args[0]) - polynomial(part.args[1])).coefficients
            least = [min(map(_least, mono), default=1) for mono in apart]
            if len({value > 0 for value in apart.values()}) == 1 and min(least) >= 0 and max(least) > 0:
                return True
    return False


def _least(atom: Term) -> int:
    """The least value of a factor, -1 for any that may be negative."""
    if atom.symbol is not None and atom.symbol.kind is SymbolKind.TEMPLATE:
        return 1
    low = interval(atom)[0]
    return -1 if low is None else max(low, -1)


def cover(grid: Term, checks: Iterable[Term] = ()) -> AxisCover:
    """Classify the number of blocks ``grid``; ``checks`` are truths that the host has established."""
    found = _quotient(plain(grid))
    count, unit = found.count, found.unit
    if found.kind is not Cover.ROUNDED_UP or count is None or unit is None:
        return found
    if multiple(count, polynomial(unit)) or any(_divides(check, count, unit) for check in checks):
        return AxisCover(Cover.EXACT, count, unit)
    return found


def cover_of_threads(threads: Term, checks: Iterable[Term] = ()) -> AxisCover | None:
    """Classify a number of threads that is computed as a rounded-up quotient times its divisor; None for others."""
    form = polynomial(threads).coefficients
    if len(form) != 1:
        return None
    ((atoms, factor),) = form.items()
    for atom in atoms:
        found = cover(atom, checks)
        if found.kind in (Cover.ROUNDED_UP, Cover.EXACT) and found.unit is not None:
            rest = list(atoms)
            rest.remove(atom)
            if polynomial(found.unit).coefficients == {tuple(rest): factor}:
                return found
    return None


def _quotient(grid: Term) -> AxisCover:
    if grid.value is not None:
        return AxisCover(Cover.CONSTANT)
    op = grid.op
    if op == "div":
        return _division(grid)
    if op == "shr" and grid.args[1].value is not None:
        return _divided(polynomial(grid.args[0]), const(1 << grid.args[1].value, I64), grid.args[0])
    if op == "add":
        return _sum(plain(grid.args[0]), plain(grid.args[1]))
    if op in ("min", "max"):
        return _best(grid.args, op == "min")
    if op == "select":
        asked, yes, no = grid.args
        return _best((yes, no), asked.op in ("lt", "le") and tuple(map(plain, asked.args)) == (plain(yes), plain(no)))
    if op == "mul":
        return _product(grid.args)
    if op == "call":
        return _called(grid)
    return UNKNOWN


def _best(args: Sequence[Term], smaller: bool) -> AxisCover:
    """A grid clamped from above or below rounds up as the quotient in it does; ``smaller``: from above."""
    for arg in args:
        found = _quotient(plain(arg))
        if found.kind in (Cover.ROUNDED_UP, Cover.EXACT):
            return replace(found, capped=True) if smaller and all(one.value is None for one in args) else found
    return UNKNOWN


def _product(args: tuple[Term, ...]) -> AxisCover:
    """``ceil(n / b) * batch``: the blocks of one batch item round up."""
    found = [f for f in (_quotient(plain(arg)) for arg in args) if f.kind is Cover.ROUNDED_UP]
    return found[0] if len(found) == 1 else UNKNOWN


def _division(grid: Term) -> AxisCover:
    count = _filled_up(grid.args[0], polynomial(grid.args[1]))
    if count is not None:
        return AxisCover(Cover.ROUNDED_UP, count, grid.args[1])
    whole = polynomial(grid.args[0])
    return _divided(whole, grid.args[1], grid.args[0])


def _divided(whole: Polynomial, unit: Term, raw: Term) -> AxisCover:
    """``whole / unit``, truncated."""
    divisor = polynomial(unit)
    size = divisor.constant
    offset = whole.coefficients.get((), 0)
    atoms = {mono for mono in whole.coefficients if mono}
    if size is not None:
        if size <= 0 or not atoms:
            return UNKNOWN
        if all(value % size == 0 for value in whole.coefficients.values()):
            return AxisCover(Cover.EXACT, raw, unit)  # what was made a multiple before is meant to be filled
        if size > 1 and offset >= size - 1:
            return AxisCover(Cover.ROUNDED_UP, _less(raw, number(size - 1)), unit)
        return AxisCover(Cover.EXACT, raw, unit) if offset <= 0 else UNKNOWN
    if set(divisor.coefficients) & atoms and whole.coefficients != divisor.coefficients:
        rest = whole - divisor + number(1)
        if rest.constant is None and not set(divisor.coefficients) - {()} & set(rest.coefficients):
            return AxisCover(Cover.ROUNDED_UP, _less(raw, divisor - number(1)), unit)
    return AxisCover(Cover.EXACT, raw, unit) if offset <= 0 else UNKNOWN


def _filled_up(whole: Term, unit: Polynomial) -> Term | None:
    """The count that is filled up to whole units: ``n + u - n % u``, and ``n % u == 0 ? n : n + u - n % u``."""
    whole = plain(whole)
    if whole.op == "select":
        asked, yes, no = whole.args
        for more, same in ((yes, no), (no, yes)):
            count = _filled_up(more, unit)
            rest = any(part.op == "mod" and polynomial(part.args[1]) == unit for part in subterms(asked))
            if rest and count is not None and polynomial(count) == polynomial(plain(same)):
                return count
        return None
    added = polynomial(whole) - unit
    for atom in added.atoms:
        part = plain(atom)
        if part.op == "mod" and added.coefficients.get((atom,)) == -1 and polynomial(part.args[1]) == unit:
            count = plain(part.args[0])
            return count if added + polynomial(atom) == polynomial(count) else None
    return None


def _sum(a: Term, b: Term) -> AxisCover:
    """``n / b + (n % b != 0)``, ``n / b + 1`` and ``(n - 1) / b + 1``."""
    for quotient, extra in ((a, b), (b, a)):
        if quotient.op != "div":
            continue
        if _remainder(extra, quotient):
            return AxisCover(Cover.ROUNDED_UP, quotient.args[0], quotient.args[1])
        if extra.value == 1:
            count = quotient.args[0]
            if polynomial(count).coefficients.get((), 0) == -1:
                count = _less(count, number(-1))
            return AxisCover(Cover.ROUNDED_UP, count, quotient.args[1])
    return UNKNOWN


def _remainder(term: Term, quotient: Term) -> bool:
    """Whether ``term`` is 1 exactly where the division leaves a remainder (in one of its spellings)."""
    term = plain(term)
    if term.op in ("ne", "lt", "eq", "select", "lnot"):
        return any(_remainder(arg, quotient) for arg in term.args if isinstance(arg, Term))
    return term.op == "mod" and term.args[0] == quotient.args[0] and term.args[1] == quotient.args[1]


def _called(grid: Term) -> AxisCover:
    """``ceil(float(n) / b)`` and helpers known by their name alone."""
    name, *args = grid.args
    name = str(name).split("@")[0]
    if not _CEILING.search(name):
        return UNKNOWN
    if len(args) == 1:
        inner = plain(args[0])
        if inner.op == "div":
            return AxisCover(Cover.ROUNDED_UP, plain(inner.args[0]), plain(inner.args[1]))
        return AxisCover(Cover.ROUNDED_UP, inner, None) if isinstance(inner.type, IntType) else UNKNOWN
    if len(args) == 2:
        return AxisCover(Cover.ROUNDED_UP, plain(args[0]), plain(args[1]))
    return UNKNOWN


def _less(term: Term, by: Polynomial) -> Term:
    """A term for ``term - by`` that keeps the written form where it can."""
    term = plain(term)
    amount = by.constant
    if amount == 0:
        return term
    if term.op == "add":
        for kept, gone in (term.args, term.args[::-1]):
            rest = by - _summand(gone)
            if rest.constant is not None or len(rest.coefficients) < len(by.coefficients):
                return _less(kept, rest)
    if term.op == "sub" and (by + polynomial(term.args[1])).coefficients != by.coefficients:
        return _less(term.args[0], by + polynomial(term.args[1]))
    if amount is not None:
        return binary("sub", retype(term, I64), const(amount, I64), I64)
    return term


def _summand(term: Term) -> Polynomial:
    """What is added by ``term``; of ``n + b - 1`` without a sign the last part is kept as a large number."""
    value, type_ = term.value, term.type
    if value is not None and isinstance(type_, IntType) and not type_.signed and value >> (type_.bits - 1):
        return number(value - (1 << type_.bits))
    return polynomial(term)


def multiple(term: Term, unit: Polynomial, facts: Sequence[Term] = (), depth: int = DEPTH) -> bool:
    """Whether a term is a multiple of a number, or of a product of sizes, where ``facts`` hold: each of its summands
    has that as a factor, or is a choice of multiples, a value without its low bits, or one that was asked about."""
    if len(unit.coefficients) != 1:
        return False
    ((factors, times),) = unit.coefficients.items()
    return all(
        _of(mono, value, factors, times, facts, depth) for mono, value in polynomial(plain(term)).coefficients.items()
    )


def in_whole_blocks(count: Term, size: Term, checks: Sequence[Term]) -> bool:
    """Whether a number of threads makes whole blocks of a ``size``, a choice of the host's perhaps: of
    ``rows * channels`` are blocks of ``channels``, or of as many as fit where that is another way."""
    part = plain(size)
    ways: list[tuple[Term, Sequence[Term]]] = [(part, checks)]
    if part.op == "select":
        asked, yes, no = part.args
        ways = [(plain(yes), (*checks, *conjuncts(asked))), (plain(no), (*checks, negate(asked)))]
    for one, known in ways:
        ranges = narrowed(known, {})
        if ranges is None:
            continue  # no launch goes that way
        low, high = ranges.of(one)
        if low != 1 or high != 1:
            unit = number(low) if low == high else polynomial(one)
            if unit.constant == 0 or not multiple(count, unit, known):
                return False
    return True


def _of(
    mono: tuple[Term, ...], value: int, factors: tuple[Term, ...], times: int, facts: Sequence[Term], depth: int
) -> bool:
    left = [*mono]
    for factor in factors:
        if factor not in left:
            return any(
                multiple(part, Polynomial({factors: times}), facts, depth - 1)
                for atom in mono
                if depth and (part := plain(atom)) not in mono
            ) or any(_choice(atom, factors, times, facts, depth) for atom in mono)
        left.remove(factor)
    if value % times == 0:
        return True
    whole = Polynomial({(): times})
    return any(_known(atom, times, facts) or _choice(atom, (), times, facts, depth) for atom in left) or any(
        depth and plain(atom) is not atom and multiple(plain(atom), whole, facts, depth - 1) for atom in left
    )


def _choice(atom: Term, factors: tuple[Term, ...], times: int, facts: Sequence[Term], depth: int) -> bool:
    """Whether each way that a choice may go is a multiple."""
    unit, part = Polynomial({factors: times}), plain(atom)
    if not depth:
        return False
    if part.op == "select":
        asked, yes, no = part.args
        ways = ((yes, (*facts, *conjuncts(asked))), (no, (*facts, negate(asked))))
        return all(multiple(one, unit, known, depth - 1) for one, known in ways)
    if part.op in ("min", "max"):
        return all(multiple(one, unit, facts, depth - 1) for one in part.args)
    return False


def _known(atom: Term, times: int, facts: Sequence[Term]) -> bool:
    """Whether a value has its low bits masked out, or was asked to be a multiple of a number."""
    part = plain(atom)
    if part.op == "and":
        mask = next((arg.value for arg in part.args if arg.value is not None), None)
        if mask is not None and times & (times - 1) == 0 and mask % times == 0:
            return True
    for fact in facts:
        if fact.op != "eq":
            continue
        for rest, none in (fact.args, fact.args[::-1]):
            rest = plain(rest)
            if none.value != 0 or rest.op not in ("mod", "and"):
                continue
            of, by = rest.args
            step = (by.value or 0) + (rest.op == "and")
            power = rest.op == "mod" or step & (step - 1) == 0
            if plain(of) == part and step and power and step % times == 0:
                return True
    return False


def _divides(check: Term, count: Term, unit: Term) -> bool:
    """Whether the truth ``check`` says that ``unit`` divides ``count``."""
    for part in conjuncts(check):
        part = plain(part)
        if part.op == "lnot":
            inner = plain(part.args[0])
            part_mod = inner if inner.op == "mod" else None
        elif part.op == "eq":
            left, right = plain(part.args[0]), plain(part.args[1])
            part_mod = left if left.op == "mod" and right.value == 0 else right if left.value == 0 else None
        else:
            part_mod = None
        if part_mod is None or part_mod.op != "mod":
            continue
        value, by = polynomial(part_mod.args[0]), polynomial(part_mod.args[1])
        if plain(part_mod.args[0]) == plain(count) or value == polynomial(count) or _factor(value, polynomial(count)):
            size, needed = by.constant, polynomial(unit).constant
            if by == polynomial(unit) or (size is not None and needed and size % needed == 0):
                return True
    return False


def _factor(value: Polynomial, count: Polynomial) -> bool:
    """Whether ``count`` is a multiple of ``value``, a single symbol."""
    if len(value.coefficients) != 1 or set(value.coefficients.values()) != {1}:
        return False
    (mono,) = value.coefficients
    return bool(mono) and all(all(m.count(a) >= mono.count(a) for a in mono) for m in count.coefficients)
