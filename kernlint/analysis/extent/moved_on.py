"""Coordinates of things that a kernel moves on itself, of which one is brought into range and the other one is not.

``i = wrap((int)p.x, nx); j = (int)p.y; v = field[j * nx + i]; ...; pos[k] = p + v * dt;``: the kernel leaves what the
next launch begins with, and nothing keeps ``p.y + v.y * dt`` on the grid.  That ``p.x`` is brought back says that
things get that far.

So it is with a position that a loop moves on (``for (...) { hit = map[(int)y * w + (int)x]; x += dx; y += dy; }``),
where another kernel of the file keeps both coordinates of the array inside at both ends.

Silent where any condition speaks of the coordinate, where what is stored is anything but a sum with the coordinate as
it was in it, or where another kernel of the file stores to that array too.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.extent.ends import coordinates, tested_forms
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.places import moves
from kernlint.analysis.extent.told import Told
from kernlint.analysis.extent.wholes import whole_part
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Guard, Root, RootKind
from kernlint.analysis.trace.kernels import KERNELS, kernel_traces
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.types import FloatType

_KEEPS = frozenset({"mod", "min", "max", "select"})
_CALLS = frozenset({"clamp", "fmin", "fminf", "fmax", "fmaxf", "fmod", "fmodf", "min", "max"})
_ROUND = frozenset({"floor", "floorf", "rint", "rintf", "trunc", "truncf"})


AXES = 3
"""Coordinates that a position has at the most."""


@dataclass(frozen=True, slots=True, eq=False)
class KeptInside:
    """The test by which a ``kernel`` keeps both coordinates of places in an array inside at both ends."""

    kernel: str
    guard: Guard


@dataclass(frozen=True, slots=True, eq=False)
class MovedOn:
    """An ``access`` at a coordinate that ``store`` moves, with nothing to keep it in range."""

    access: Access
    store: Access | None
    kept: KeptInside | None = None
    below = False

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        if self.kept is not None or self.store is None:
            related = [Related(self.kept.guard.span, f"{self.kept.kernel} asks here")] if self.kept is not None else []
            return Told(
                f"{element(self.access)} is {verb(self.access)} at a position that a loop moves on, with nothing to "
                "keep it in range: another kernel keeps both coordinates of the array inside",
                related,
                "positions are moved past the end, as the test of the other kernel says",
                "test the coordinates here too",
            )
        return Told(
            f"{element(self.access)} is {verb(self.access)} at a coordinate that nothing keeps in range: the other "
            "coordinate of the same position is brought back where it leaves it, and the kernel moves both",
            [Related(self.store.span, "the position is moved here, without a limit")],
            "positions are moved past the end, as what is made of the other coordinate says",
            "clamp or test this coordinate too",
        )


def _writers(facts: ModuleFacts) -> dict[str, int]:
    found: dict[str, set[str]] = {}
    kernels = facts.module.kernels
    for kernel in kernels if len(kernels) <= KERNELS else ():
        for access in facts[kernel_traces].of(kernel.variants[0]).accesses:
            if access.writes:
                found.setdefault(access.root.name, set()).add(kernel.function.name)
    return {name: len(kernels) for name, kernels in found.items()}


writers_of = ModuleAnalysis("writers_of", _writers, needs=(kernel_traces,))
"""How many kernels of a file store to arrays of a name."""


def _free(atom: Term) -> Symbol | None:
    """The number in memory, in floating point, that a coordinate is the whole part of, and nothing else."""
    whole = whole_part(atom)
    inner = whole[0] if whole is not None else None
    while inner is not None and inner.op == "call" and inner.args[0] in _ROUND:
        inner = inner.args[1]
    symbol = inner.symbol if inner is not None else None
    return symbol if symbol is not None and symbol.kind is SymbolKind.LOAD else None


def _kept(atom: Term) -> bool:
    """Whether a coordinate is brought into a range."""
    return any(part.op in _KEEPS or (part.op == "call" and part.args[0] in _CALLS) for part in subterms(atom))


def _place(symbol: Symbol) -> tuple[Root, Term] | None:
    origin = symbol.origin
    return (origin[0], origin[1]) if isinstance(origin, tuple) and isinstance(origin[0], Root) else None


def _beside(one: Symbol, atom: Term) -> bool:
    """Whether a coordinate is made of another part of the same element, or of a number a few places from it."""
    mine = _place(one)
    for other in symbols(atom):
        theirs = _place(other) if other.kind is SymbolKind.LOAD and other is not one else None
        if mine is None or theirs is None or mine[0] is not theirs[0]:
            continue
        size = mine[0].element.size or 0
        apart = (polynomial(mine[1]) - polynomial(theirs[1])).constant
        if apart is not None and 0 < abs(apart) < max(size, AXES * (one.type.size or 0) if _floating(one) else 0):
            return True
    return False


def _floating(symbol: Symbol) -> bool:
    return isinstance(symbol.type, FloatType)


def _part(store: Access, symbol: Symbol) -> Term | None:
    """What a store leaves where a number has been read."""
    place = _place(symbol)
    if place is None or store.root is not place[0] or store.value is None or not store.size:
        return None
    behind = (polynomial(place[1]) - polynomial(store.offset)).constant
    value = store.value
    if behind is None or not 0 <= behind < store.size:
        return None
    if value.op == "call" and value.args[0] == "struct":
        parts = value.terms
        at, inside = divmod(behind, store.size // len(parts))
        return parts[at] if not inside and at < len(parts) else None
    return value if not behind else None


def _summands(term: Term) -> Iterator[Term]:
    if term.op in ("add", "sub") and isinstance(term.type, FloatType):
        yield from _summands(term.args[0])
        if term.op == "add":
            yield from _summands(term.args[1])
    else:
        yield term


def _moves(store: Access, symbol: Symbol) -> bool:
    """Whether a store leaves a number and something from memory more."""
    value = _part(store, symbol)
    parts = [plain(part) for part in _summands(value)] if value is not None else []
    own = [part for part in parts if part.symbol is not None and _place(part.symbol) == _place(symbol)]
    more = any(s.kind is SymbolKind.LOAD for part in parts if part not in own for s in symbols(part))
    return value is not None and value.op in ("add", "sub") and more and bool(own)


Rows = tuple[str, str]
"""The name of an array, and the length of its rows in words."""


def _kept_inside(facts: ModuleFacts) -> dict[Rows, KeptInside]:
    found: dict[Rows, KeptInside] = {}
    kernels = facts.module.kernels
    for kernel in kernels if 1 < len(kernels) <= KERNELS else ():
        for access in facts[kernel_traces].of(kernel.variants[0]).accesses:
            rows = _rows(access) if access.root.kind is RootKind.PARAM and access.guards else None
            mine = coordinates(access, tested_forms(access)) if rows is not None else ()
            ends = [end for one in mine for end in (one.low, one.high)]
            guard = (
                ends[0].guard if len(ends) == 4 and all(end.kept and end.exact and end.guard for end in ends) else None
            )
            if rows is not None and guard is not None:
                found.setdefault((access.root.name, rows[0]), KeptInside(kernel.function.name, guard))
    return found


kept_inside = ModuleAnalysis("kept_inside", _kept_inside, needs=(kernel_traces,))
"""What keeps places in rows of arrays inside along both axes, by the name of the array and the length of the rows."""


def _rows(access: Access) -> tuple[str, tuple[Term, Term]] | None:
    """(length of the rows in words, the two coordinates) of a place that is two whole parts of floating point."""
    found = elements(access)
    if found is None or found[1] or len(found[0].coefficients) != 2:
        return None
    parts = sorted(found[0].coefficients, key=len)
    if [len(mono) for mono in parts] != [1, 2] or any(value != 1 for value in found[0].coefficients.values()):
        return None
    sizes = [atom for atom in parts[1] if not moves(atom)]
    rows = [atom for atom in parts[1] if moves(atom)]
    if len(sizes) != 1 or len(rows) != 1 or not whole_part(parts[0][0]) or not whole_part(rows[0]):
        return None
    return words(sizes[0]), (parts[0][0], rows[0])


def _marched(facts: Facts) -> Iterator[MovedOn]:
    """Positions that a loop moves on, of which nothing is asked."""
    if not any(loop.phis for loop in facts[trace].loops):
        return
    asked = {s for test in facts[trace].conditions for s in symbols(test.term)}
    asked |= {s for loop in facts[trace].loops for term in loop.ends for s in symbols(term)}
    for access in facts[trace].accesses:
        rows = _rows(access) if access.loops and access.root.kind is RootKind.PARAM else None
        if rows is None or any(_kept(atom) for atom in rows[1]):
            continue
        moved = [[s for s in symbols(atom) if s.kind is SymbolKind.PHI] for atom in rows[1]]
        kept = facts[kept_inside].get((access.root.name, rows[0])) if all(moved) else None
        if kept is not None and kept.kernel != facts.kernel.function.name and asked.isdisjoint(moved[0] + moved[1]):
            yield MovedOn(access, None, kept)
            return


def _of(facts: Facts) -> Iterator[MovedOn]:
    every = facts[trace].accesses
    stores = [one for one in every if one.kind is AccessKind.WRITE and one.root.kind is RootKind.PARAM]
    for access in every if stores and not facts[trace].calls else ():
        found = elements(access) if access.root.kind is RootKind.PARAM else None
        atoms = [atom for mono in found[0].coefficients for atom in mono] if found is not None else []
        for symbol in (one for one in map(_free, atoms) if one is not None):
            beside = any(_kept(atom) and _beside(symbol, atom) for atom in atoms)
            if not beside or any(symbol in symbols(test.term) for test in facts[trace].conditions):
                continue
            store = next((one for one in stores if one.root is not access.root and _moves(one, symbol)), None)
            if store is not None and facts[writers_of].get(store.root.name) == 1:
                yield MovedOn(access, store)
                return


moved_on = KernelAnalysis(
    "moved_on", lambda facts: (*_of(facts), *_marched(facts)), needs=(trace, writers_of, kept_inside)
)
"""A :class:`MovedOn` access of a kernel variant, the first one."""
