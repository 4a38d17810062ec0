"""Coordinates of things that a kernel moves on itself, of which one is brought into range and the other one is not.

``i = wrap((int)p.x, nx); j = (int)p.y; v = field[j * nx + i]; ...; pos[k] = p + v * dt;``: the kernel leaves what the
next launch begins with, and nothing keeps ``p.y + v.y * dt`` on the grid.  That ``p.x`` is brought back says that
things get that far.

Silent where any condition speaks of the coordinate, where what is stored is anything but a sum with the coordinate as
it was in it, or where another kernel of the file stores to that array too.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.told import Told
from kernlint.analysis.extent.wholes import whole_part
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Root, RootKind
from kernlint.analysis.trace.kernels import KERNELS, kernel_traces
from kernlint.analysis.wording import element, verb
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.types import FloatType

_KEEPS = frozenset({"mod", "min", "max", "select"})
_CALLS = frozenset({"clamp", "fmin", "fminf", "fmax", "fmaxf", "fmod", "fmodf", "min", "max"})
_ROUND = frozenset({"floor", "floorf", "rint", "rintf", "trunc", "truncf"})


AXES = 3
"""Coordinates that a position has at the most."""


@dataclass(frozen=True, slots=True, eq=False)
class MovedOn:
    """An ``access`` at a coordinate that ``store`` moves, with nothing to keep it in range."""

    access: Access
    store: Access
    below = False

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
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


moved_on = KernelAnalysis("moved_on", lambda facts: tuple(_of(facts)), needs=(trace, writers_of))
"""A :class:`MovedOn` access of a kernel variant, the first one."""
