"""The largest index that the guards of an access let through, as a polynomial in the kernel's parameters.

An index into memory behind a pointer parameter is taken apart into its dimensions by the parameters that multiply
global ids (``(y * width + x)``: ``y`` with pitch ``width``, then ``x``).  For each dimension ``I`` and each guard
``E < U`` or ``E <= U`` whose ``E`` moves with the ids as ``I`` does, the largest index is ``I - E + U - 1`` or
``I - E + U``; loop counters of constant range count with their extremes.  What follows is about mathematical integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import gcd

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.settled import under
from kernlint.analysis.extent.truths import slack_of, truths
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, LoopContext, RootKind
from kernlint.record import dataclass
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import Monomial, Polynomial, divided, number, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols
from kernlint.tree.types import Space, VoidType


@dataclass(frozen=True, slots=True)
class Limit:
    """The largest index of one dimension under one guard.

    ``most``: a polynomial without ids.  ``part``: the truth in the guard it comes from; ``unit``: what is divided by in
    it to get what is compared.
    """

    most: Polynomial
    guard: Guard
    part: Term
    unit: int = 1

    @property
    def slack(self) -> int:
        """The constant of ``most``: -1 for ``i < n``, 0 for ``i <= n``."""
        return self.most.coefficients.get((), 0)

    @property
    def size(self) -> Polynomial:
        """``most`` without its constant: the size that the guard speaks of."""
        return self.most - number(self.slack)


def of_two_sizes(limits: Sequence[Limit]) -> bool:
    """Whether an index is tested against two sizes, of which nobody says which ends the array: the inner half of the
    rows is taken by ``2 * i < rows / 2 - 1 && 2 * i < rows``."""
    return any((limit.size - limits[0].size).constant is None for limit in limits[1:])


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of an access.

    ``index``: in elements, the last one touched.  ``pitch``: elements from one index to the next (a polynomial).
    ``limits``: one for each guard that bounds it, the tightest first.  ``least``: the smallest value of the index for
    the first thread, None when it is not known.  ``extra``: elements beyond the first one that the access touches.
    """

    index: Polynomial
    pitch: Polynomial
    limits: tuple[Limit, ...]
    least: int | None
    extra: int


@dataclass(frozen=True, slots=True, eq=False)
class Indexed:
    """An access with its dimensions, the slowest first."""

    access: Access
    dimensions: tuple[Dimension, ...]


_IDS = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK})


def _has_ids(mono: Monomial) -> bool:
    return any(map(_is_id, mono))


def _is_id(atom: Term) -> bool:
    return atom.op == "sym" and atom.args[0].kind in _IDS


def is_parameter(atom: Term) -> bool:
    return atom.op == "sym" and atom.args[0].kind is SymbolKind.PARAM


def split(
    index: Polynomial, moves: Callable[[Term], bool], is_pitch: Callable[[Term], bool]
) -> Iterator[tuple[Polynomial, Polynomial]]:
    """(index, pitch) of each dimension, the slowest first; nothing where the dimensions are not plain.

    ``moves``: whether an atom tells places apart; ``is_pitch``: whether one may be the distance of two rows.
    """
    counts: dict[Term, int] = {}
    for mono in index.coefficients:
        if any(map(moves, mono)):
            for atom in filter(is_pitch, mono):
                counts[atom] = counts.get(atom, 0) + 1
    if not counts:
        yield index, number(1)
        return
    pitch = max(counts, key=lambda atom: counts[atom])
    rows: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for mono, value in index.coefficients.items():
        if pitch in mono:
            left = list(mono)
            left.remove(pitch)
            rows[tuple(left)] = value
        else:
            rest[mono] = value
    if {atom for mono in rows for atom in mono if moves(atom)} & {
        atom for mono in rest for atom in mono if moves(atom)
    }:
        return  # the pitch is a sum: what the dimensions are is not plain
    if _borrows(rest):
        rows[()] = rows.get((), 0) - 1
        rest[(pitch,)] = rest.get((pitch,), 0) + 1
    step = Polynomial({(pitch,): 1})
    for inner, times in split(Polynomial(rows), moves, is_pitch):
        yield inner, times * step
    if any(moves(atom) for mono in rest for atom in mono):
        yield from split(Polynomial(rest), moves, is_pitch)


def scales(
    whole: Polynomial, access: Access, moves: Callable[[Term], bool], is_pitch: Callable[[Term], bool]
) -> set[Term]:
    """Factors of ``whole`` that are no distance of rows: those within a coordinate which a test speaks of as a whole.

    ``y * stride + k < height`` before ``a[(y * stride + k) * width + x]``: the rows lie ``width`` apart.  What stands
    alone in a test, as a size, may be a row's length all the same.
    """
    found: set[Term] = set()
    sizes: set[Term] = set()
    for truth in truths(access.guards):
        tested = {mono: -value for mono, value in truth.left.coefficients.items() if any(map(moves, mono))}
        sizes.update(atom for mono in truth.left.coefficients if mono not in tested for atom in mono)
        inside = {atom for mono in tested for atom in mono if is_pitch(atom) and len(mono) > 1}
        if len(tested) > 1 and inside - found:
            found.update(atom for atom in inside if _in_rows(whole, tested, atom))
    return found - sizes


def _in_rows(whole: Polynomial, tested: dict[Monomial, int], scale: Term) -> bool:
    """Whether all of a coordinate stands in an index, times a distance of rows of which ``scale`` is no part."""
    first, times = next(iter(tested.items()))
    for mono, value in whole.coefficients.items():
        rest = divided(mono, first)
        if not rest or scale in rest or value % times or value // times <= 0:
            continue
        by = Polynomial({rest: value // times})
        if all(whole.coefficients.get(m, 0) == v for m, v in (by * Polynomial(tested)).coefficients.items()):
            return True
    return False


_SET = frozenset({SymbolKind.PARAM, SymbolKind.TEMPLATE, SymbolKind.SIZEOF})


def _borrows(rest: dict[Monomial, int]) -> bool:
    """Whether a place within a row is counted back from the row's end, which is the next one's start."""
    varying = {mono for mono in rest if any(s.kind not in _SET for atom in mono for s in symbols(atom))}
    back = any(rest[mono] < 0 for mono in varying or rest)
    return back and not any(mono and value > 0 and mono not in varying for mono, value in rest.items())


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Where accesses are made: what is asked about offset, guards and loops is asked once for all that share them."""

    offset: Term
    guards: tuple[Guard, ...]
    loops: tuple[LoopContext, ...]


@lru_cache(maxsize=8192)
def _standing(offset: Term, guards: tuple[Guard, ...], loops: tuple[LoopContext, ...]) -> Standing:
    return Standing(offset, guards, loops)


def standing(access: Access) -> Standing:
    """Where an access is made, the same for all that are made there."""
    return _standing(access.offset, access.guards, access.loops)


def elements(access: Access, offset: Term | None = None) -> tuple[Polynomial, int] | None:
    """The offset (of the access, or one that is given) in elements of the root, and the elements touched beyond the
    first; None where that is no count."""
    size = access.root.element.size
    if not size or access.size is None or isinstance(access.root.element, VoidType):
        return None
    if size == 1 and access.size > 1:
        return None  # bytes that hold something else
    whole = _in_elements(under(access.offset if offset is None else offset, access.guards), size)
    return None if whole is None else (whole, max(access.size // size, 1) - 1)


@lru_cache(maxsize=8192)
def _in_elements(place: Term, size: int) -> Polynomial | None:
    out: dict[Monomial, int] = {}
    for mono, value in polynomial(place).coefficients.items():
        if value % size and mono:
            return None
        out[mono] = value // size
    return Polynomial(out)


_DIGITS = frozenset({"div", "mod", "shr", "and"})


def bounds_of(atom: Term, ranges: dict[Symbol, tuple[int, int]]) -> tuple[int, int] | None:
    """The smallest and the largest value of a loop counter, or of its digits: ``k / 3`` and ``k % 3`` of 9 rounds are
    0 to 2."""
    if atom.op == "sym":
        return ranges.get(atom.args[0])
    if atom.op not in _DIGITS or atom.args[1].value is None or any(symbol not in ranges for symbol in symbols(atom)):
        return None
    low, high = interval(atom, lambda symbol: ranges[symbol])
    return None if low is None or high is None else (low, high)


def extreme(poly: Polynomial, ranges: dict[Symbol, tuple[int, int]], top: bool) -> Polynomial | None:
    """``poly`` with loop counters, and their digits, at the end of their range that makes it largest (or smallest)."""
    if not ranges:
        return poly
    out: dict[Monomial, int] = {}
    for mono, value in poly.coefficients.items():
        factor, left = value, []
        for atom in mono:
            bounds = bounds_of(atom, ranges)
            if bounds is None:
                left.append(atom)
            else:
                factor *= bounds[1] if (value > 0) is top else bounds[0]
        out[tuple(left)] = out.get(tuple(left), 0) + factor
    return Polynomial(out)


def _uniform(poly: Polynomial) -> bool:
    """Whether nothing in ``poly`` moves: parameters, numbers, and values that all threads share."""
    fixed = {SymbolKind.PARAM, SymbolKind.TEMPLATE}
    return all(symbol.kind in fixed for atom in poly.atoms for symbol in symbols(atom))


def _limits(index: Polynomial, access: Access, ranges: dict[Symbol, tuple[int, int]]) -> Iterator[Limit]:
    for truth in truths(access.guards):
        total = index + truth.left
        if any(_has_ids(mono) for mono in total.coefficients):
            continue
        if not any(_has_ids(mono) for mono in truth.left.coefficients):
            continue
        most = extreme(total, ranges, top=True)
        if most is not None and most.constant is None and _uniform(most):
            yield Limit(most, truth.guard, truth.part, truth.unit)


def counter_ranges(access: Access | Standing) -> dict[Symbol, tuple[int, int]]:
    """Loop counters with constant ranges: those whose loop's condition compares nothing else with a number.  Not to be
    changed."""
    return _ranges_of(access.loops) if access.loops else {}


@lru_cache(maxsize=2048)
def _ranges_of(loops: tuple[LoopContext, ...]) -> dict[Symbol, tuple[int, int]]:
    found: dict[Symbol, tuple[int, int]] = {}
    for loop in loops:
        if loop.condition is None or loop.post_tested or loop.exits or loop.leaves:
            continue
        for part in conjuncts(loop.condition):
            high = _last(part, loop.counter)
            if high is not None and 0 <= high < 4096:
                found[loop.counter] = (0, high)
                break
    return found


def _last(part: Term, counter: Symbol) -> int | None:
    """The last iteration for which a comparison of the counter with a number holds."""
    slack = slack_of(part)
    if slack is None:
        return None
    form = (slack[0] - number(slack[1])).coefficients
    step = form.get((counter.term,), 0)
    if step >= 0 or set(form) - {(), (counter.term,)}:
        return None
    return form.get((), 0) // -step


def _steps_grid(mono: Monomial) -> bool:
    """Whether a product is that of a loop's counter and of what a launch has of threads."""
    kinds = {atom.symbol.kind if atom.symbol is not None else None for atom in mono}
    return SymbolKind.COUNTER in kinds and kinds <= {SymbolKind.COUNTER, SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM}


def _least(index: Polynomial, ranges: dict[Symbol, tuple[int, int]]) -> int | None:
    """The index of the first thread in the iterations that make it smallest: the first one of a loop in steps of the
    whole grid."""
    first = Polynomial(
        {m: v for m, v in index.coefficients.items() if not _has_ids(m) and not (v > 0 and _steps_grid(m))}
    )
    smallest = extreme(first, ranges, top=False)
    return None if smallest is None else smallest.constant


def dimensions(access: Access) -> tuple[Dimension, ...]:
    """The dimensions of an access that move with global ids."""
    found = elements(access)
    if found is None:
        return ()
    whole, extra = found
    ranges = counter_ranges(access)
    inner = scales(whole, access, _is_id, is_parameter)
    is_pitch = (lambda atom: is_parameter(atom) and atom not in inner) if inner else is_parameter
    parts = list(split(whole, _is_id, is_pitch))
    pixels = _pixels(whole, extra, ranges) if len(parts) > 1 else None
    if pixels is not None:
        parts, extra = list(split(pixels, _is_id, is_parameter)), 0
    out = []
    for at, (first, pitch) in enumerate(parts):
        if not any(_has_ids(mono) for mono in first.coefficients):
            continue
        last = first + number(extra) if at == len(parts) - 1 else first
        limits = sorted(_limits(last, access, ranges), key=lambda limit: limit.slack)
        out.append(Dimension(last, pitch, tuple(limits), _least(first, ranges), extra if last is not first else 0))
    return tuple(out)


def _pixels(whole: Polynomial, extra: int, ranges: dict[Symbol, tuple[int, int]]) -> Polynomial | None:
    """The number of the pixel in an index that is made of that times so many channels and the channel; None where there
    is one channel, or where it is not known which."""
    channels = gcd(*(value for mono, value in whole.coefficients.items() if any(map(is_parameter, mono))))
    if channels < 2:
        return None
    pixel = {mono: value // channels for mono, value in whole.coefficients.items() if value % channels == 0 and mono}
    inside = whole - number(channels) * Polynomial(pixel)
    if any(map(_has_ids, inside.coefficients)):
        return None
    first, last = extreme(inside, ranges, top=False), extreme(inside, ranges, top=True)
    low, high = (None if end is None else end.constant for end in (first, last))
    if low is None or high is None or low // channels != (high + extra) // channels:
        return None
    return Polynomial(pixel) + number(low // channels)


def _compute(facts: Facts) -> tuple[Indexed, ...]:
    found = []
    done: dict[tuple[int, Term, tuple[Guard, ...], int | None], tuple[Dimension, ...]] = {}
    for access in facts[trace].accesses:
        root = access.root
        if root.kind not in (RootKind.PARAM, RootKind.LOADED) or root.space not in (Space.GLOBAL, Space.CONSTANT):
            continue
        if not any(s.kind in _IDS for s in symbols(access.offset)):
            continue
        key = (id(root), access.offset, access.guards, access.size)
        if key not in done:
            done[key] = dimensions(access)
        if done[key]:
            found.append(Indexed(access, done[key]))
    return tuple(found)


limits = KernelAnalysis("limits", _compute, needs=(trace,))
"""An :class:`Indexed` for each access to memory behind a parameter that moves with the thread, in order."""
