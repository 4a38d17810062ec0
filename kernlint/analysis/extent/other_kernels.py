"""Tests that another kernel of the file makes of the same rows, and this one does not.

Kernels of a file that take parameters of the same names are about the same data.  Seven things are compared:

* places in rows of ``count`` elements (``d * count + p``) that grow with the grid: the other kernel keeps ``p`` below
  ``count``, and this one has no test of either and no launch in sight;
* neighbours in rows of ``width`` that a test of the place beside them lets past the row: the other kernel keeps the
  same one of the same array below ``width`` (``inside_elsewhere``);
* places at a size itself, which the other kernel reads as the end of an item whose beginning is the place before it:
  the array has one more (``ends_of_items``);
* places that an index array chooses: the other kernel takes ``0 <= id`` and ``id < rows`` for what is a place in the
  array, and this one only the first;
* places in rows of ``width`` that are made of the block's number times a number and what a thread or a loop adds, with
  no test and no launch in sight, where the number of the row is tested: the other kernel keeps places in rows of the
  array below ``width``;
* rows of one pitch that an index array chooses: the other kernel keeps ``id`` below ``rows``, and this one is passed
  ``rows`` too and has no use for it;
* the same place of the same array, that grows with the grid: the other kernel keeps it below ``count``, or below
  ``*count``, and this one is passed ``count`` too and has no use for it but as the length of rows with just that index
  in them, nor a launch in sight.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.bounds import bounds_above, grows
from kernlint.analysis.extent.limits import Dimension
from kernlint.analysis.extent.marks import marked
from kernlint.analysis.extent.places import Place, Places, places, places_of
from kernlint.analysis.extent.unasked_room import without_use
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace.events import Access, Guard, RootKind
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols
from kernlint.tree.nodes import FunctionDecl, Ref
from kernlint.tree.types import IntType, PointerType, Space, StructType, Type
from kernlint.tree.walk import walk

Rows = tuple[Polynomial, str]
"""The index in a row, and the name of the row's length."""

Chosen = tuple[str, str]
"""The names of an array and of the array whose elements choose places in it."""

Picked = tuple[str, str, str]
"""The name of the array whose elements choose rows, the pitch of the rows in words, and ``rows``."""


Whole = tuple[str, Polynomial]
"""The name of an array, and the index in it."""

Tiled = tuple[str, str]
"""The name of an array with ``of rows`` behind it, and the name of the rows' length."""

Key = Rows | Chosen | Picked | Tiled | Whole


@dataclass(frozen=True, slots=True)
class Tested:
    """What a ``kernel`` keeps below the parameter ``size``: the place of ``access``, by ``guard``."""

    kernel: str
    size: str
    access: Access
    guard: Guard


@dataclass(frozen=True, slots=True, eq=False)
class Untested:
    """A place that reaches a size which ``other``, in another kernel, keeps such a place below."""

    place: Place
    other: Tested

    @property
    def access(self) -> Access:
        """The access itself."""
        return self.place.access


def _parameter(size: Polynomial | None) -> str | None:
    """The parameter that a size is as it stands."""
    if size is None or len(size.coefficients) != 1:
        return None
    ((mono, times),) = size.coefficients.items()
    symbol = mono[0].symbol if len(mono) == 1 and times == 1 else None
    return symbol.name if symbol is not None and symbol.kind is SymbolKind.PARAM else None


def _held(size: Polynomial | None) -> str | None:
    """The parameter through which a size is read that stands in memory."""
    atoms = list(size.atoms) if size is not None else []
    symbol = atoms[0].symbol if len(atoms) == 1 else None
    if symbol is None or size != polynomial(symbol.term) or symbol.kind not in {SymbolKind.LOAD, SymbolKind.PARAM}:
        return None
    place = symbol.origin if isinstance(symbol.origin, tuple) else None
    fixed = place is not None and place[0].kind is RootKind.PARAM and place[1].value is not None
    return place[0].name if place is not None and fixed else None


def _idle(function: FunctionDecl) -> set[str]:
    """The integer parameters, and pointers to integers or to objects with some, that the text never names."""
    named = {id(n.decl) for n in walk(function.body) if isinstance(n, Ref)} if function.body is not None else set()
    pointers = (p for p in function.params if isinstance(p.type, PointerType) and _has_integers(p.type.pointee))
    return {*without_use(function), *(p.name for p in pointers if id(p) not in named)}


def _has_integers(kind: Type) -> bool:
    return isinstance(kind, IntType) or (
        isinstance(kind, StructType) and any(_has_integers(f.type) for f in kind.fields)
    )


def _datum(index: Polynomial) -> Symbol | None:
    """The one number from an argument's memory that an index is made of, at most scaled."""
    found = {s for atom in index.atoms for s in symbols(atom) if s.kind is SymbolKind.LOAD}
    if len(found) != 1 or len(index.coefficients) != 1:
        return None
    (symbol,) = found
    place = symbol.origin if isinstance(symbol.origin, tuple) else None
    return symbol if place is not None and place[0].kind is RootKind.PARAM else None


def _picked(place: Place, datum: Symbol) -> Picked:
    return datum.origin[0].name, words(term_of(place.pitch)), "rows"


def _tiled(place: Place, row: str) -> Tiled:
    return f"{place.access.root.name} of rows", row


def _in_tiles(place: Place, others: tuple[Place, ...], facts: Facts) -> bool:
    """Whether a place is counted in whole tiles, along rows of which the number is kept below a size."""
    numbered = [one for one in others if one is not place and one.bound is not None]
    if place.limits or not numbered or facts[launch_context].launches or facts[launch_context].stated:
        return False
    steps = [by for mono, by in place.index.coefficients.items() if _kinds(mono) >= {SymbolKind.BLOCK}]
    inner = [mono for mono, by in place.index.coefficients.items() if by == 1 and _kinds(mono) & _INNER]
    within = _kinds(tuple(place.index.atoms))
    return bool(inner) and any(by > 1 for by in steps) and not within & _DATA and not _may_bound(place)


def _kinds(atoms: tuple[Term, ...]) -> set[SymbolKind]:
    return {symbol.kind for atom in atoms for symbol in symbols(atom)}


_INNER = frozenset({SymbolKind.THREAD, SymbolKind.COUNTER})
_DATA = frozenset({SymbolKind.LOAD, SymbolKind.UNKNOWN, SymbolKind.PHI})


def _may_bound(place: Place) -> bool:
    """Whether a test before an access speaks of threads that its place is made of, or of all that a loop adds."""
    own = {s for atom in place.index.atoms for s in symbols(atom) if s.kind in _INNER}
    return any(
        own & set(symbols(part)) and place.access.guards and any(s.kind is SymbolKind.PARAM for s in symbols(part))
        for guard in place.access.guards
        for part in conjuncts(guard.term)
    )


def _compute(facts: ModuleFacts) -> dict[Key, list[Tested]]:
    found: dict[Key, list[Tested]] = {}
    for kernel, of in facts[kernel_traces].compared():
        name = kernel.function.name
        for access in of.accesses:
            if access.root.kind is not RootKind.PARAM or access.root.space is not Space.GLOBAL:
                continue
            for place in places_of(access):
                size = _parameter(place.bound)
                known = _held(place.bound) or size
                if known is not None and place.row is None and place.pitch == number(1):
                    test = Tested(name, known, access, place.limits[0].guard)
                    found.setdefault((access.root.name, place.index), []).append(test)
                if size is None:
                    continue
                test = Tested(name, size, access, place.limits[0].guard)
                row, datum = _parameter(place.row), _datum(place.index)
                if row == size:
                    found.setdefault((place.index, row), []).append(test)
                if row == size and place.pitch.constant == 1:
                    found.setdefault(_tiled(place, size), []).append(test)
                if datum is not None:
                    found.setdefault(_picked(place, datum), []).append(test)
                if datum is not None and any(_kept_up(guard, datum) for guard in access.guards):
                    found.setdefault((access.root.name, datum.origin[0].name), []).append(test)
    return found


def _kept_up(guard: Guard, datum: Symbol) -> bool:
    """Whether a test takes negative numbers for no place."""
    return any(value < 0 and datum in symbols(part) for part in conjuncts(guard.term) for value in marked(part))


def _untested(facts: Facts) -> Iterator[Untested]:
    found: Places = facts[places]
    own = facts.kernel.function.name
    unused, idle = without_use(facts.function), _idle(facts.function)
    lengths: dict[Polynomial, set[str]] = {}
    for place in (place for mine in found.values() for place in mine):
        length = _parameter(place.row)
        if length is not None:
            lengths.setdefault(place.index, set()).add(length)
    for mine in found.values():
        for place in mine:
            keys: list[tuple[Key, set[str] | None]]
            keys = [(key, _names(facts)) for key in (_key(place, facts),) if key is not None]
            row = _parameter(place.row)
            if row is not None and place.pitch.constant == 1 and _in_tiles(place, mine, facts):
                keys.append((_tiled(place, row), {row}))
            datum = _datum(place.index) if unused and not place.limits else None
            if datum is not None and not any(datum in symbols(guard.term) for guard in place.access.guards):
                keys.append((_picked(place, datum), set(unused)))
            counts = {*idle, *lengths.get(place.index, ())}
            if (
                counts
                and len(mine) == 1
                and place.pitch == number(1)
                and not place.limits
                and _grows_freely(place, facts)
            ):
                keys.append(((place.access.root.name, place.index), counts))
            if keys:
                known: dict[Key, list[Tested]] = facts[tested_elsewhere]  # walks kernels
                others = [
                    one
                    for key, sizes in keys
                    for one in known.get(key, ())
                    if one.kernel != own and (sizes is None or one.size in sizes)
                ]
                if others:
                    yield Untested(place, others[0])
                    break


def inside_elsewhere(facts: Facts, access: Access, dimension: Dimension) -> bool:
    """Whether another kernel of the file keeps the same place in the rows of an array strictly inside the row."""
    size = _parameter(dimension.limits[0].size) if dimension.limits else None
    if size is None or dimension.pitch != number(1):
        return False
    known: dict[Key, list[Tested]] = facts[tested_elsewhere]  # walks kernels
    own = facts.kernel.function.name
    return any(
        one.kernel != own and one.access.root.name == access.root.name for one in known.get((dimension.index, size), ())
    )


def _names(facts: Facts) -> set[str]:
    return {param.name for param in facts.function.params}


def _key(place: Place, facts: Facts) -> Rows | Chosen | None:
    """What to look for in other kernels; None where a test here speaks of the place."""
    if place.limits:
        return None
    access, datum = place.access, _datum(place.index)
    if datum is not None:
        tests = [guard for guard in access.guards if datum in symbols(guard.term)]
        low = any(_kept_up(guard, datum) for guard in tests)
        return (access.root.name, datum.origin[0].name) if low and not _both_ways(tests, datum) else None
    row = _parameter(place.row)
    return (place.index, row) if row is not None and _grows_freely(place, facts) else None


def _grows_freely(place: Place, facts: Facts) -> bool:
    """Whether a place grows with the grid, nothing holds it back, and no launch is in sight."""
    index = term_of(place.index)
    axes = [axis for axis in range(3) if grows(index, axis)]
    if not axes or facts[launch_context].launches or facts[launch_context].stated:
        return False
    return not any(bounds_above(guard.term, axis) for guard in place.access.guards for axis in axes)


def _both_ways(tests: list[Guard], datum: Symbol) -> bool:
    """Whether a test may keep a datum from getting large."""
    return any(datum in symbols(part) and not any(marked(part)) for g in tests for part in conjuncts(g.term))


def _wholes(facts: ModuleFacts) -> dict[tuple[str, str], Access]:
    """The arrays of numbers in floating point, or of structures, by name, that kernels of a file go through below a
    size, by its name, and none up to it."""
    found: dict[tuple[str, str], Access] = {}
    beyond: set[tuple[str, str]] = set()
    for _, of in facts[kernel_traces].compared():
        for access in of.accesses:
            if access.root.kind is not RootKind.PARAM or isinstance(access.root.element, IntType):
                continue
            mine = places_of(access)
            place = mine[0] if len(mine) == 1 and mine[0].pitch == number(1) else None
            size = _parameter(place.bound) if place is not None else None
            if size is not None and place is not None and place.index.coefficients.get((), 0) == 0:
                found.setdefault((access.root.name, size), access)
            elif place is not None and place.index.coefficients.get((), 0) > 0 and place.limits:
                size = _parameter(place.limits[0].size)
                beyond |= {(access.root.name, size)} if size is not None else set()
    return {key: access for key, access in found.items() if key not in beyond}


def _fences(facts: ModuleFacts) -> frozenset[tuple[str, str]]:
    """The arrays, by name, in which kernels of a file read the place at a size: an item's own and the next one's, under
    a test of the item against the size (``offset[i + 1]`` where ``i < n``); each with the size's name."""
    found: set[tuple[str, str]] = set()
    for _, of in facts[kernel_traces].compared():
        for access in of.accesses:
            if access.root.kind is not RootKind.PARAM or access.root.space is not Space.GLOBAL or access.writes:
                continue
            for place in places_of(access):
                size = _parameter(place.limits[0].most) if place.limits else None
                if size is not None and place.row is None and place.index.coefficients.get(()) == 1:
                    found.add((access.root.name, size))
    return frozenset(found)


ends_of_items = ModuleAnalysis("ends_of_items", _fences, needs=(kernel_traces,))
"""(array, size) of the arrays with a place at the size, after what kernels of the file read."""

whole_arrays = ModuleAnalysis("whole_arrays", _wholes, needs=(kernel_traces,))
"""An access to each array, by its name and that of a size, that kernels of the file go through below the size."""

tested_elsewhere = ModuleAnalysis("tested_elsewhere", _compute, needs=(kernel_traces,))
"""What the kernels of a file test, by what they index."""

untested = KernelAnalysis(
    "untested", lambda facts: tuple(_untested(facts)), needs=(places, launch_context, tested_elsewhere)
)
"""Each :class:`Untested` access of a kernel variant, an access once."""
