"""Tests that let the size itself through: ``i <= n``, where something says that ``n`` is the extent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.limits import Dimension, Indexed, Limit, counter_ranges, elements, extreme
from kernlint.analysis.extent.places import Place, Places
from kernlint.analysis.extent.sizes import last_part, named_like_a_size
from kernlint.analysis.extent.truths import add_up, truths
from kernlint.analysis.extent.wholes import below_by_wholes
from kernlint.analysis.extent.wrong_guards.faults import (
    Fault,
    Overreach,
    Supports,
    centred,
    launched,
    launched_for_one_more,
    parameter_names,
    supported,
)
from kernlint.analysis.launching.launch_context import LaunchContext
from kernlint.analysis.trace.events import Access, AccessKind, GuardKind, Root
from kernlint.symbolic.polynomial import Polynomial, number, polynomial
from kernlint.symbolic.terms import SymbolKind, Term, plain, subterms
from kernlint.tree.types import IntType


def inclusive(
    every: Sequence[Access],
    indexed: Sequence[Indexed],
    context: LaunchContext,
    supports: Supports,
    fenced: Callable[[Access, Polynomial], bool],
    elsewhere: Callable[[Access, Dimension], str],
) -> Iterator[Overreach]:
    """Tests that let the size through.  ``every``: all accesses of the kernel; ``fenced``: whether other kernels of the
    file read an array at the size; ``elsewhere``: how other kernels say that it ends before the size."""
    for one in indexed:
        pitches = {dimension.pitch for dimension in one.dimensions}
        for dimension in one.dimensions:
            if not _inclusive_limit(dimension):
                continue
            best = dimension.limits[0]
            size = best.size
            why, support = "", None
            if dimension.extra and size not in supports:
                continue  # a vector that is kept inside by other means
            if centred(indexed, one, dimension) and not _begins_inside(one.access, dimension.index):
                continue  # there is room before the start, and so most likely behind the end
            if _of_type(size) or add_up(one.access.guards, size - dimension.index - number(1)):
                continue
            if best.guard.kind is GuardKind.ASSERT or _kept_by_data(one.access, dimension.index):
                continue
            if below_by_wholes(one.access.guards, dimension.index, size):
                continue
            if any(_remains(atom, size) for atom in dimension.index.atoms if atom.value is None):
                continue
            meant = last_meant(one.access, dimension.index, size) or _end_read(every, one.access, best.part)
            if meant or _longer_rows(one.access.offset, size):
                continue
            if size in pitches:
                why = "it is the pitch of a dimension"
            elif _fence(indexed, size) and not _for_size(context, size):
                continue
            elif size in supports and (found := supported(indexed, size, best.guard)) is not None:
                if not _both_meant(one, dimension, indexed) or launched(context, size):
                    why, support = "another access is kept below it", found
            elif dimension.index.coefficients.get((), 0) > 0 or _from_one(one.access, dimension.index):
                continue  # counted from 1
            elif launched(context, size):
                why = "the launch derives its grid from it"
            elif _last_window(size) or launched_for_one_more(context, size):
                continue
            elif _counted(size) and not _posts(indexed, one, best) and not fenced(one.access, size):
                why = "by its name"
            else:
                why = elsewhere(one.access, dimension)
            if why:
                yield Overreach(one.access, Fault.INCLUSIVE, best.guard, best.part, size, 1, why, support)


def _for_size(context: LaunchContext, size: Polynomial) -> bool:
    """Whether the launches in sight are made for as many items as a size, and none for one more.

    Excused: ``offset[i]`` for ``i <= n`` in a grid for n + 1. Still bad: in a grid for n, which has a thread for the
    last offset only where it has some to spare."""
    return launched(context, size) and not launched_for_one_more(context, size)


def kept_elsewhere(found: Places) -> Iterator[Overreach]:
    """Places that loops or data choose, up to a size inclusive, in an array that is written elsewhere in the kernel
    where another test keeps the place along the same axis below that size.

    Excused: ``for (k = 0; k <= n; ++k) s[k] = 0;`` beside ``s[k + 1] = s[k] + x[k]`` for k < n.  Still bad: beside
    ``if (p < n) s[p++] = x[k];``
    """
    kept: dict[tuple[int, int, int, Polynomial], list[Place]] = {}
    for access, places in found.items():
        for at, place in enumerate(places):
            for limit in place.limits[:1]:
                kept.setdefault((id(access.root), len(places), at, limit.size), []).append(place)
    for access, places in found.items():
        for at, place in enumerate(places):
            best = place.limits[0] if place.limits else None
            if best is None or best.slack or best.part.op != "le" or best.unit != 1 or place.extra:
                continue
            others = kept[id(access.root), len(places), at, best.size]
            if best.guard.kind is GuardKind.ASSERT or any(
                one.limits[0].slack >= 0 and one.limits[0].guard.span != best.guard.span for one in others
            ):
                continue
            support = next((one.access for one in others if _written_below(one, best)), None)
            if support is None or _of_type(best.size) or last_meant(access, place.index, best.size):
                continue
            if _kept_by_data(access, place.index):
                continue
            if not add_up(access.guards, best.size - place.index - number(1)):
                why = "another access to the array is kept below it"
                yield Overreach(access, Fault.INCLUSIVE, best.guard, best.part, best.size, 1, why, support)
                break


def _written_below(place: Place, limit: Limit) -> bool:
    """Whether something is stored at a place, itself and no neighbour of what is tested, that another test keeps below
    the size."""
    mine = place.limits[0]
    apart = mine.slack == -1 and mine.part.op == "lt" and mine.guard.span != limit.guard.span and not place.extra
    return apart and place.access.writes and polynomial(mine.part.args[0]) == place.index


def _begins_inside(access: Access, index: Polynomial) -> bool:
    """Whether a test keeps an index from being below 0 (``x >= radius`` before an access to ``x - radius + k``)."""
    ranges = counter_ranges(access)
    for truth in truths(access.guards):
        least = extreme(index - truth.left, ranges, top=False)
        if truth.unit == 1 and least is not None and least.constant is not None and least.constant >= 0:
            return True
    return False


def _kept_by_data(access: Access, index: Polynomial) -> bool:
    """Whether another test keeps an index below a number from memory: the length of its row, say, which is at most the
    size.

    Excused: ``if (i > n) return; if (i < length[row]) x[i] = 0;`` Still bad: the first test alone.
    """
    parts = (part for guard in access.guards for part in conjuncts(guard.term) if part.op in ("lt", "le"))
    return any(
        (polynomial(part.args[0]) - index).constant is not None
        and any(symbol.kind is SymbolKind.LOAD for symbol in part.args[1].symbols)
        for part in parts
    )


def _of_type(size: Polynomial) -> bool:
    """Whether a limit is made of the largest number of a type: it keeps a product from wrapping, and is no extent."""
    return any(part.value in LARGEST for atom in size.atoms for part in subterms(atom))


def _remains(term: Term, size: Polynomial, known: tuple[Term, ...] = ()) -> bool:
    """Whether a value is a remainder by ``size`` or a number wherever it comes from, and not always a number: the test
    lets nothing through.  ``known``: variables of loops that are being asked about."""
    term = plain(term)
    if term.value is not None or term in known:
        return bool(known)
    if term.op == "mod":
        return polynomial(term.args[1]) == size
    if term.op == "select":
        return all(_remains(arg, size, (*known, term)) for arg in term.args[1:])
    symbol = term.symbol
    if symbol is None or symbol.kind is not SymbolKind.PHI or symbol.init is None or symbol.step is None:
        return False
    return len(known) < DEEP and all(_remains(end, size, (*known, term)) for end in (symbol.init, symbol.step))


DEEP = 12

LARGEST = frozenset((1 << bits) - 1 for bits in (31, 32, 63, 64))


def _counted(size: Polynomial) -> bool:
    """Whether a limit is an argument that is called a count, or a product of such ones, and nothing made of them (the
    middle of a filter)."""
    plainly = all(value == 1 for value in size.coefficients.values()) and all(atom.op == "sym" for atom in size.atoms)
    names = (last_part(name).lstrip("*").partition("[")[0] for name in parameter_names(size))
    return plainly and all(map(named_like_a_size, names))


@lru_cache(maxsize=4096)
def _longer_rows(offset: Term, size: Polynomial) -> bool:
    """Whether something in an index is multiplied by more than a size: tables of ``n + 1`` rows and columns have a
    place for n, also where the sum of the products looks as if their rows had n."""
    return any(
        part.op == "mul" and any(((polynomial(arg) - size).constant or 0) > 0 for arg in part.args)
        for part in subterms(offset)
    )


def _both_meant(one: Indexed, dimension: Dimension, indexed: Sequence[Indexed]) -> bool:
    """Whether the kernel tests one index both ways, and keeps each access to this array to the wider one: there is one
    face more than there are cells, and who writes both tests knows of the difference.

    Excused: ``if (i <= n) face[i] = i < n ? cell[i] : 0;`` Still bad: where the launch has threads for n items alone.
    """
    strict, size = False, dimension.limits[0].size
    for other in indexed:
        for own in other.dimensions:
            best = own.limits[0] if own.limits else None
            if best is not None and best.slack == -1 and best.size == size:
                if other.access.root is one.access.root:
                    return False
                strict = strict or own.index == dimension.index
    return strict


def last_meant(access: Access, index: Polynomial, size: Polynomial) -> bool:
    """Whether a test asks for the place at the size itself, with an equality: somebody means it to be there.

    Excused: ``if (i == 0 || i == n) face[i] = wall;`` Still bad: ``if (i == 0) x[i] = first;``
    """
    terms = [guard.term for guard in access.guards] + ([access.value] if access.value is not None else [])
    asked = (part for term in terms for part in subterms(term) if part.op in ("eq", "ne"))
    return any(polynomial(part.args[0]) - polynomial(part.args[1]) in (size - index, index - size) for part in asked)


def _end_read(every: Sequence[Access], access: Access, part: Term) -> bool:
    """Whether the integers that are read up to a size inclusive, or a copy of them, are read at the size by its number
    too: the end of the last range.

    Excused: ``if (t <= rows) s[t] = start[first + t];`` with ``last = s[rows]``. Still bad: with no use of ``s[rows]``.
    """
    if access.kind is not AccessKind.READ or not isinstance(access.root.element, IntType):
        return False
    origin = (access.root, access.offset)
    copies = [
        one
        for one in every
        if one.kind is AccessKind.WRITE and one.value is not None and _is_load(plain(one.value), origin)
    ]
    tested, size = map(polynomial, part.args)
    for one in (access, *copies):
        at = elements(one)
        for other in every if at is not None else ():
            found = elements(other) if other.root is one.root and other.kind is AccessKind.READ else None
            if found is not None and at is not None and _is_size(found[0] - at[0] + tested, size):
                return True
    return False


def _is_load(value: Term, origin: tuple[Root, Term]) -> bool:
    symbol = value.symbol
    return symbol is not None and symbol.kind is SymbolKind.LOAD and symbol.origin == origin


def _is_size(index: Polynomial, size: Polynomial) -> bool:
    """Whether an index is a size, or the smaller of that and something else."""
    atoms = list(index.atoms)
    least = plain(atoms[0]) if len(atoms) == 1 and index == polynomial(atoms[0]) else None
    ends = (*least.terms,) if least is not None and least.op == "min" else ()
    return index == size or any(polynomial(end) == size for end in ends)


def _from_one(access: Access, index: Polynomial) -> bool:
    """Whether a test keeps an index from being 0: places are counted from 1 then, up to the last one.

    Excused: ``if (i >= 1 && i <= n)``, in rows with a pitch of their own. Still bad: ``if (i >= 0 && i <= n)``.
    """
    parts = (part for guard in access.guards for part in conjuncts(guard.term) if part.op in ("lt", "le"))
    low = ((part.args[0].value, part.op == "lt") for part in parts if polynomial(part.args[1]) == index)
    return any(value is not None and value + strict >= 1 for value, strict in low)


def _last_window(size: Polynomial) -> bool:
    """Whether a limit is what is left of one size behind another (``n - width``): the place of the last window."""
    signs = {value > 0 for mono, value in size.coefficients.items() if mono}
    return len(signs) == 2


def _inclusive_limit(dimension: Dimension) -> bool:
    """Whether the tightest guard of a dimension is ``index <= size``."""
    if not dimension.limits:
        return False
    best = dimension.limits[0]
    return best.slack == 0 and best.part.op == "le" and best.unit == 1


def _posts(indexed: Sequence[Indexed], one: Indexed, best: Limit) -> bool:
    """Whether a loop goes on up to a number and with it to write what nobody reads: the ends of so many parts."""
    return best.guard.loop is not None and all(
        other.access.writes for other in indexed if other.access.root is one.access.root
    )


def _fence(indexed: Sequence[Indexed], size: Polynomial) -> bool:
    """Whether only integers are written up to ``size`` inclusive: n + 1 offsets of n ranges, most likely."""
    for one in indexed:
        reached = any(_inclusive_limit(d) and d.limits[0].size == size for d in one.dimensions)
        if reached and not (one.access.writes and isinstance(one.access.root.element, IntType)):
            return False
    return True
