"""Places that are made of a number in floating point, of which a test lets the very end through.

``if (x < low || x > high) return; bin[(int)((x - low) / (high - low) * bins)]``: at ``high`` the place is ``bins``,
one past the last.  So it is with numbers, ``(int)((x - 4.0f) / 0.0625f)`` and ``x <= 8.0f`` beside 64 elements, and
where an element further on is read too.  How many places there are is said by the array, by the row that the place
stands in, by a comment, or by another access to the array that is kept below that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kernlint.analysis.base import Facts, KernelAnalysis, Shape
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.documented import documented_sizes
from kernlint.analysis.extent.extents import inner_array
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.places import Place, Places, places
from kernlint.analysis.extent.ratios import Ratio, at, mentions, ratio, solved
from kernlint.analysis.extent.told import Told
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, RootKind
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.types import FloatType, IntType

Sizes = Callable[[Access], list[tuple[Shape, list[Term | None]]]]

_WHOLE = frozenset({"floor", "floorf", "trunc", "truncf"})


@dataclass(frozen=True, slots=True, eq=False)
class FloatEnd:
    """An access at a place that is ``size`` where ``guard`` lets the end through, or more; ``shape``: the comment that
    says so, None where the kernel does."""

    access: Access
    guard: Guard
    size: Term
    shape: Shape | None

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        related = [Related(self.guard.span, "this test lets the end through")]
        if self.shape is not None:
            related.append(Related(self.shape.span, "the comment says how many there are"))
        return Told(
            f"{element(self.access)} is {verb(self.access)} at place {words(self.size)}, one past the last, where the "
            "number that the place is made of is at the end that the test before it lets through",
            related,
            "the data hold the number at the end",
            "leave the end out of the test, or clamp the place to the last one",
        )


def _made_whole(atom: Term) -> Term | None:
    """The number in floating point that a whole one is made of, rounded down or cut off."""
    while atom.op == "cast" and isinstance(atom.type, IntType):
        atom = atom.args[0]
        if isinstance(atom.type, FloatType):
            while atom.op == "call" and atom.args[0] in _WHOLE:
                atom = atom.args[1]
            return atom
    return None


def _inclusive(part: Term) -> tuple[Term, Term] | None:
    """The two sides of a comparison in floating point that holds where they are equal."""
    turned = part.op == "lnot"
    inner = part.args[0] if turned else part
    if inner.op not in ("lt", "le") or not all(isinstance(side.type, FloatType) for side in inner.args):
        return None
    return inner.args if (inner.op == "lt") is turned else None


def _parts(guard: Guard) -> Iterator[Term]:
    for part in conjuncts(guard.term):
        if part.op == "lnot" and part.args[0].op == "lor":
            yield from (Term("lnot", (side,), part.type) for side in part.args[0].args)
        else:
            yield part


def _data(value: Ratio) -> list[Term]:
    """The atoms of a quotient that memory is in, above the line: what is asked for, and what its range is made of."""
    return [atom for atom in dict.fromkeys(atom for mono in value.above for atom in mono) if _of_data(atom)]


def _of_data(term: Term) -> bool:
    return any(symbol.kind is SymbolKind.LOAD for symbol in symbols(term))


def _ends(access: Access, atom: Term) -> Iterator[tuple[Guard, Ratio]]:
    """What a number made whole is at each end that a test of the data in it lets through, with the test."""
    inner = _made_whole(atom)
    value = ratio(inner) if inner is not None and _of_data(inner) else None
    for datum in _data(value) if value is not None else ():
        assert value is not None
        yield from _ends_of(access, value, datum)


def _ends_of(access: Access, value: Ratio, datum: Term) -> Iterator[tuple[Guard, Ratio]]:
    """What a quotient is at each end that tests of one number in it let through."""
    for guard in access.guards:
        for part in _parts(guard):
            if not set(symbols(datum)) & set(symbols(part)):
                continue
            sides = _inclusive(part)
            known = [ratio(side) for side in sides] if sides is not None else []
            for one, other in (known, known[::-1]) if len(known) == 2 else ():
                end = solved(one, datum, other) if one is not None and other is not None else None
                if end is not None and not mentions(end, datum):
                    most = at(value, datum, end)
                    if most is not None:
                        yield guard, most


def _asked(access: Access, atom: Term) -> bool:
    """Whether a test speaks of the whole number itself."""
    return any(_stands(atom, guard.term) for guard in access.guards)


def _stands(atom: Term, term: Term) -> bool:
    return (plain(term) == plain(atom) and term.op == "cast") or any(_stands(atom, part) for part in term.terms)


def _size(size: Polynomial) -> Ratio | None:
    return ratio(term_of(size))


def _reaches(most: Ratio, beyond: int, size: Polynomial) -> bool:
    """Whether a place that is ``most`` and so many elements on is the first one past a size."""
    whole = _size(size - number(beyond))
    return whole is not None and (most - whole).value == 0


def _sizes(place: Place, known: Places, said: Sizes) -> Iterator[tuple[Polynomial, Shape | None]]:
    """How many places there are, as far as that is known."""
    access, root = place.access, place.access.root
    mine = known.get(access, ())
    if place.row is not None:
        yield place.row, None
    for shape, dims in said(access) if mine and place is mine[0] else ():
        total = number(1)
        for dim in dims:
            total = total * (polynomial(dim) if dim is not None else number(0))
        quotient = _quotient(total, place.pitch)
        if quotient is not None:
            yield quotient, shape
    for other, parts in known.items():
        if other.root is root and other is not access:
            for beside in parts:
                if beside.bound is not None and beside.pitch == place.pitch and _kept(beside):
                    yield beside.bound, None


def _kept(place: Place) -> bool:
    return not place.index.coefficients.get((), 0) and not any(_of_data(atom) for atom in place.index.atoms)


def _quotient(whole: Polynomial, by: Polynomial) -> Polynomial | None:
    if by == number(1):
        return whole if whole.coefficients else None
    if len(whole.coefficients) != 1 or len(by.coefficients) != 1:
        return None
    ((mono, value),), ((part, factor),) = whole.coefficients.items(), by.coefficients.items()
    left = list(mono)
    for atom in part:
        if atom not in left:
            return None
        left.remove(atom)
    return None if value % factor else Polynomial({tuple(left): value // factor})


def _of(place: Place, known: Places, said: Sizes) -> FloatEnd | None:
    rest = {mono: value for mono, value in place.index.coefficients.items() if mono}
    if len(rest) != 1:
        return None
    mono, factor = next(iter(rest.items()))
    beyond = place.index.coefficients.get((), 0)
    if factor != 1 or len(mono) != 1 or beyond < 0 or _made_whole(mono[0]) is None or _asked(place.access, mono[0]):
        return None
    for guard, most in _ends(place.access, mono[0]):
        for size, shape in _sizes(place, known, said):
            if _reaches(most, beyond, size):
                return FloatEnd(place.access, guard, term_of(size), shape)
    return None


def _numbered(access: Access, whole: Polynomial) -> Iterator[FloatEnd]:
    """The same in rows of a number of elements, of an array or of one that stands in an object."""
    steps = {mono: value for mono, value in whole.coefficients.items() if mono}
    room = inner_array(access)
    extent, size = access.root.extent, access.root.element.size
    if room is None and access.root.kind is RootKind.VARIABLE and extent and size:
        room = extent // size
    for mono, value in steps.items():
        if len(mono) != 1 or value < 1 or _made_whole(mono[0]) is None or _asked(access, mono[0]):
            continue
        further = min((step for step in steps.values() if step > value), default=room if room and room > 1 else None)
        beyond, left = divmod(whole.coefficients.get((), 0) % (further or 1), value)
        if further is None or further % value or left:
            continue
        for guard, most in _ends(access, mono[0]):
            if _reaches(most, beyond, number(further // value)):
                yield FloatEnd(access, guard, term_of(number(further // value)), None)


def _compute(facts: Facts) -> tuple[FloatEnd, ...]:
    if facts[launch_context].all_exact:
        return ()
    known: Places = facts[places]
    said = documented_sizes(facts)
    found: dict[tuple[object, object], FloatEnd] = {}
    for access in facts[trace].accesses:
        whole = _whole_in(access)
        if whole is None:
            continue
        parts = (_of(place, known, said) for place in known.get(access, ()))
        for one in (*(part for part in parts if part is not None), *_numbered(access, whole)):
            found.setdefault((access.root, one.guard.span), one)
    return tuple(found.values())


def _whole_in(access: Access) -> Polynomial | None:
    """The index of an access in which something is made whole, in its array or in one that stands in an object."""
    if not any(part.op == "cast" and isinstance(part.args[0].type, FloatType) for part in subterms(access.offset)):
        return None
    inner = inner_array(access)
    if inner is not None and inner > 1 and access.index is not None:
        return polynomial(access.index)
    found = elements(access)
    return found[0] if found is not None else None


float_ends = KernelAnalysis("float_ends", _compute, needs=(trace, places, launch_context))
"""A :class:`FloatEnd` for each array and test of a kernel variant, in order of the walk."""
