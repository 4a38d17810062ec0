"""Places in a staged part of an array that are taken for places in the whole.

``part[t] = all[first + t]`` stages what begins at ``first``; ``part[first + k]`` is not where ``all[first + k]`` has
been put, and lies outside the part for any ``first`` that is large enough: ``part[k]`` is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.extent.told import Told
from kernlint.analysis.extent.truths import truths
from kernlint.analysis.extent.uncapped import element_of
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Root, RootKind
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, polynomial, term_of
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import SymbolKind, Term, plain, symbols
from kernlint.tree.types import ArrayType, Space

_INSIDE = frozenset({SymbolKind.THREAD, SymbolKind.COUNTER, SymbolKind.BLOCK_DIM})
"""What a place in a part is made of."""

_BASES = frozenset({SymbolKind.PARAM, SymbolKind.LOAD, SymbolKind.COUNTER, SymbolKind.PHI, SymbolKind.BLOCK})
"""What the beginning of a part is made of."""


@dataclass(frozen=True, slots=True, eq=False)
class Misplaced:
    """An ``access`` at a place that is further on by ``base``, which ``store`` has taken its elements from."""

    access: Access
    store: Access
    base: Term

    @property
    def told(self) -> Told:
        """The fault in words."""
        base, name = words(self.base), self.access.root.name
        return Told(
            f"{element(self.access)} is {verb(self.access)} at a place that counts from {base} on, but {name} holds "
            f"what begins there from its own start on: the place is past the end of {name} where {base} is large",
            [Related(self.store.span, f"element 0 of {name} is what lies at {base}")],
            f"{base} is not always 0",
            f"take {base} away from the index",
        )


def _loads(value: Term) -> Iterator[Polynomial]:
    """The elements of arguments' memory that a value that is stored is, or is put together from."""
    todo = [value]
    while todo:
        term = plain(todo.pop())
        symbol = term.symbol
        if symbol is None:
            todo += term.terms if term.op in ("call", "select") else ()
        elif symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple):
            root, offset = symbol.origin[0], symbol.origin[1]
            size, form = root.element.size, polynomial(offset)
            if root.kind is RootKind.PARAM and size and all(v % size == 0 for m, v in form.coefficients.items() if m):
                yield Polynomial({mono: times // size for mono, times in form.coefficients.items()})


def _bases(store: Access) -> Iterator[Polynomial]:
    """Where the elements begin in memory that a store puts from the start of an array on."""
    place = element_of(store)
    for taken in _loads(store.value) if store.value is not None and place is not None else ():
        assert place is not None
        base = taken - place
        kinds = {s.kind for atom in base.atoms for s in symbols(atom)}
        plain_ = all(times > 0 for mono, times in base.coefficients.items() if mono)
        if kinds and kinds <= _BASES and plain_ and not _shares(base, place):
            yield Polynomial({mono: times for mono, times in base.coefficients.items() if mono})


def _shares(base: Polynomial, place: Polynomial) -> bool:
    return any(mono in base.coefficients for mono in place.coefficients if mono)


def _of(group: Sequence[Access]) -> Misplaced | None:
    stores = [one for one in group if one.kind is AccessKind.WRITE]
    bases = {base: one for one in stores for base in _bases(one)}
    places = [element_of(one) for one in stores]
    for access in group if bases else ():
        place = element_of(access) if access.kind is AccessKind.READ else None
        for base, store in bases.items() if place is not None else ():
            assert place is not None
            if any(mine is None or _shares(base, mine) for mine in places):
                continue
            if any(place.coefficients.get(mono) != times for mono, times in base.coefficients.items()):
                continue
            rest = place - base
            kinds = {s.kind for atom in rest.atoms for s in symbols(atom)}
            if kinds <= _INSIDE and rest.coefficients.get((), 0) >= 0 and not _kept(access, place):
                return Misplaced(access, store, term_of(base))
    return None


def _kept(access: Access, place: Polynomial) -> bool:
    """Whether a test keeps a place below a number."""
    return any((place + truth.left).constant is not None for truth in truths(access.guards))


def _begins_at_0(facts: Facts, base: Term) -> bool:
    """Whether the launches in sight have all parts begin at 0."""
    given = [dict(view.images) for view in facts[launch_context].launches]
    return bool(given) and all(all(s in images and images[s].value == 0 for s in symbols(base)) for images in given)


def _compute(facts: Facts) -> tuple[Misplaced, ...]:
    groups: dict[Root, list[Access]] = {}
    for access in facts[trace].accesses:
        root = access.root
        array = root.kind is RootKind.VARIABLE and root.decl is not None and isinstance(root.decl.type, ArrayType)
        if array and root.space in (Space.SHARED, Space.PRIVATE) and root.extent:
            groups.setdefault(root, []).append(access)
    found = (_of(group) for group in groups.values())
    return tuple(one for one in found if one is not None and not _begins_at_0(facts, one.base))


staged_base = KernelAnalysis("staged_base", _compute, needs=(trace, launch_context))
"""A :class:`Misplaced` access of each array of a kernel variant that has one."""
