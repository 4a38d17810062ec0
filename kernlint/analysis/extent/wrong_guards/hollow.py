"""Tests that every number passes, of what a place is made of: an unsigned difference that is tested for not being
negative, or raised to zero, and a number of which a mask, or its type, has taken the mark that it is compared with.

Who writes a test takes it that some number fails it.  ``if (z - 1 >= 0) a[(z - 1) * plane]`` with an unsigned ``z``
speaks of the first plane, which has none before it, as does ``a[max(z - 1, 0) * plane]``;
``slot &= 0xffffff; if (slot != 0xffffffff) t[slot]`` speaks of a slot that was not found, whose number is another
one after the mask.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.bounds import vacuous
from kernlint.analysis.extent.wrong_guards.faults import Fault, Overreach
from kernlint.analysis.trace.events import Access, Guard, GuardKind, RootKind
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import Monomial, Polynomial, polynomial
from kernlint.symbolic.terms import Term, plain, replaced, subterms
from kernlint.tree.types import IntType, Space

Part = tuple[Guard, Term]

NEGATIVE = 1 << 31
"""Factors from here on are negative ones of an unsigned type."""

_ARITHMETIC = frozenset({"add", "sub", "mul", "cast", "shl"})


def wrapped(accesses: Sequence[Access]) -> Iterator[Overreach]:
    """``if (j >= 0) x[j]`` of an unsigned difference j: nothing else keeps it, or what is taken from, inside."""
    for access in accesses:
        if access.root.kind is not RootKind.PARAM or access.root.space is not Space.GLOBAL:
            continue
        parts = _parts(access)
        for guard, part in (one for one in parts if one[1].op == "le" and vacuous(one[1])):
            least, tested = part.args[0].value, plain(part.args[1])
            if least != 0 or not isinstance(tested.type, IntType) or tested.type.signed:
                continue
            form = _signed(polynomial(tested))
            if not _falls(tested, form) or not _stands_in(form, _signed(polynomial(access.offset))):
                continue
            if not any(_held(tested, form, other) for _, other in parts if not vacuous(other)):
                yield Overreach(access, Fault.WRAPPED, guard, part, None, 0, "")
                break


def raised(accesses: Sequence[Access]) -> Iterator[Overreach]:
    """``x[max(j, 0)]`` of an unsigned difference j: nothing else keeps it, or what is taken from, inside."""
    for access in accesses:
        if access.root.kind is not RootKind.PARAM or access.root.space is not Space.GLOBAL:
            continue
        for clamp in dict.fromkeys(term for term in _summands(access.offset) if term.op == "max"):
            if clamp.args[1].value != 0 or not isinstance(clamp.type, IntType) or clamp.type.signed:
                continue
            tested = plain(clamp.args[0])
            form = _signed(polynomial(tested))
            whole = polynomial(replaced(access.offset, {clamp: clamp.args[0]}))
            if not _falls(tested, form) or not _stands_in(form, _signed(whole)):
                continue
            parts = [part for _, part in _parts(access)]
            if not any(_held(tested, form, part) for part in parts):
                guard = Guard(clamp, GuardKind.BRANCH, access.span)
                yield Overreach(access, Fault.WRAPPED, guard, clamp, None, 0, "")
                break


def masked(accesses: Sequence[Access]) -> Iterator[Overreach]:
    """``if ((j & mask) != mark) x[j & mask]`` of a j that may be the mark, which has bits that the mask takes away."""
    for access in accesses:
        if access.root.space not in (Space.GLOBAL, Space.SHARED, Space.PRIVATE):
            continue
        parts = _parts(access)
        for guard, part in (one for one in parts if one[1].op == "ne" and vacuous(one[1])):
            mark = next((arg.value for arg in part.args if arg.value is not None), None)
            tested = next((_widened(arg) for arg in part.args if arg.value is None), None)
            left = None if mark is None or tested is None else _left(tested, mark)
            if left is None or tested is None or tested not in _summands(access.offset) or _inside(access, left):
                continue
            if not any(tested in subterms(other) and not vacuous(other) for _, other in parts):
                yield Overreach(access, Fault.MASKED, guard, part, None, left, "")
                break


def _parts(access: Access) -> list[Part]:
    tests = (guard for guard in access.guards if guard.kind is not GuardKind.AFTER_LOOP)
    return [(guard, part) for guard in tests for part in conjuncts(guard.term)]


def _signed(form: Polynomial) -> Polynomial:
    """A sum with the negative factors that an unsigned type has made large ones."""
    bits = 1 << 64 if any(value >= 1 << 63 for value in form.coefficients.values()) else 1 << 32
    return Polynomial({m: value - bits if value >= NEGATIVE else value for m, value in form.coefficients.items()})


def _falls(tested: Term, form: Polynomial) -> bool:
    """Whether something is subtracted from something that varies."""
    down = any(value < 0 for value in form.coefficients.values()) or tested.op == "sub"
    return down and any(mono and value > 0 for mono, value in form.coefficients.items())


def _stands_in(form: Polynomial, whole: Polynomial) -> bool:
    """Whether a place is a difference, times a pitch, and what is not made of it: nothing in the place makes up for
    what is subtracted."""
    first = next(mono for mono, value in form.coefficients.items() if mono and value > 0)
    for mono, value in whole.coefficients.items():
        pitch = _without(mono, first)
        if pitch is None or value < form.coefficients[first] or value % form.coefficients[first]:
            continue
        times = value // form.coefficients[first]
        rest = whole - Polynomial({pitch: times}) * form
        if any(_without(other, first) is not None for other in rest.coefficients):
            continue
        if rest.coefficients.get(pitch, 0) <= 0:
            return True
    return False


def _without(mono: Monomial, part: Monomial) -> Monomial | None:
    """A product without the factors of another one, where it has them."""
    rest = list(mono)
    for atom in part:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)


def _held(tested: Term, form: Polynomial, part: Term) -> bool:
    """Whether a test may keep a difference from wrapping, or what has wrapped from being used."""
    if tested in subterms(part):
        return True
    own = {atom for mono, value in form.coefficients.items() if value > 0 for atom in mono}
    if part.op in ("lt", "le"):
        smaller, larger = (_signed(polynomial(side)) for side in part.args)
        apart = (smaller - form).constant  # what is one more passes where the difference is the first to wrap
        return (apart is not None and apart <= 0) or any(atom in own for atom in larger.atoms)
    return any(atom in own for one in part.terms for atom in polynomial(one).atoms)


def _widened(term: Term) -> Term:
    """A number without conversions that leave it all its bits."""
    while term.op == "cast":
        inner: Term = term.args[0]
        fewer = isinstance(term.type, IntType) and isinstance(inner.type, IntType) and term.type.bits < inner.type.bits
        if fewer:
            break
        term = inner
    return term


def _summands(place: Term) -> Iterator[Term]:
    """What a place is a sum of products of, at any depth."""
    todo = [place]
    while todo:
        term = _widened(todo.pop())
        yield term
        if term.op in _ARITHMETIC:
            todo += term.terms


def _left(tested: Term, mark: int) -> int | None:
    """What a mask, or a conversion to fewer bits, leaves of a mark that a number may be; None where it is no mark."""
    type_ = tested.type
    if tested.op not in ("and", "cast") or not isinstance(type_, IntType):
        return None
    inner: Term = tested.args[0]
    left = type_.wrap(mark)
    if tested.op == "and":
        mask: Term = tested.args[1]
        if mask.value is None:
            inner, mask = mask, inner
        bits = mask.value
        if bits is None:
            return None
        left = mark & ((1 << type_.bits) - 1) & bits
    if left == mark or not isinstance(inner.type, IntType):
        return None
    same = {mark, inner.type.wrap(mark)}
    return left if any(_may_be(inner, value) for value in same) else None


def _may_be(term: Term, value: int) -> bool:
    """Whether a number is chosen from several, of which this one is one."""
    term = plain(term)
    if term.op != "select":
        return False
    return any(arg.value == value or _may_be(arg, value) for arg in term.args[1:])


def _inside(access: Access, place: int) -> bool:
    """Whether an array is known to be so long that there is room for the number."""
    extent, size = access.root.extent, access.size or 1
    return extent is not None and interval(access.offset)[1] is not None and (place + 1) * size <= extent
