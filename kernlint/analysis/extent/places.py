"""Where in an array an access is, dimension by dimension, and what its guards leave of each: for any index.

The offset is taken apart by the sizes that multiply what moves (``(y * width + x)``: ``y`` with pitch ``width``, then
``x``), whatever moves it: threads, loops, data, quotients and remainders.  ``row`` is how many of a dimension fit into
the next slower one: beyond it begins another row.  All of this is about mathematical integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.filled import Filled
from kernlint.analysis.extent.limits import Limit, Standing, counter_ranges, elements, extreme, scales, split, standing
from kernlint.analysis.extent.truths import truths
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, RootKind
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Monomial, Polynomial, number, polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, symbols
from kernlint.tree.types import Space

_CHOSEN = frozenset({SymbolKind.PARAM, SymbolKind.TEMPLATE, SymbolKind.SIZEOF})
_LAUNCH = frozenset({SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM, SymbolKind.WARP_SIZE})


@lru_cache(maxsize=8192)
def chosen(term: Term) -> bool:
    """Whether the arguments alone decide a value: a size, a stride, something read from one place by all."""
    return all(
        s.kind in _CHOSEN or (s.kind is SymbolKind.LOAD and s.uniformity is Uniformity.GRID) for s in symbols(term)
    )


def _settled(symbol: Symbol) -> bool:
    return symbol.kind in _LAUNCH or symbol.kind in _CHOSEN


@lru_cache(maxsize=8192)
def moves(term: Term) -> bool:
    """Whether a value differs between threads, iterations or data."""
    return not chosen(term) and not all(_settled(symbol) for symbol in symbols(term))


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """One dimension of an access: ``index`` and ``pitch`` in elements, ``row`` (None: not known) as in the module's
    account, ``limits`` by the guards, the tightest first; ``extra``: elements touched beyond the first."""

    access: Access
    index: Polynomial
    pitch: Polynomial
    row: Polynomial | None
    limits: tuple[Limit, ...]
    extra: int

    @property
    def bound(self) -> Polynomial | None:
        """The size that the tightest guard keeps the index strictly below."""
        best = self.limits[0] if self.limits else None
        return best.size if best is not None and best.slack == -1 and not self.extra else None


def _moving(mono: Monomial) -> bool:
    return any(moves(atom) for atom in mono)


def is_pitch(atom: Term) -> bool:
    """Whether a factor of an index may be the distance of two rows."""
    return bool(atom.symbols) and chosen(atom)


def limits_of(index: Polynomial, access: Access) -> tuple[Limit, ...]:
    """What the guards of an access leave of an index."""
    return _limits_of(index, standing(access))


@lru_cache(maxsize=8192)
def _limits_of(index: Polynomial, access: Standing) -> tuple[Limit, ...]:
    return tuple(_limits(index, access.guards, counter_ranges(access)))


def _limits(index: Polynomial, guards: tuple[Guard, ...], ranges: dict[Symbol, tuple[int, int]]) -> Iterator[Limit]:
    for truth in truths(guards):
        if not any(_moving(mono) for mono in truth.left.coefficients):
            continue
        most = extreme(index + truth.left, ranges, top=True)
        if most is not None and most.constant is None and all(chosen(atom) for atom in most.atoms):
            yield Limit(most, truth.guard, truth.part, truth.unit)


def _quotient(outer: Polynomial, inner: Polynomial) -> Polynomial | None:
    """``outer / inner`` of two pitches that are single products."""
    if len(outer.coefficients) != 1 or len(inner.coefficients) != 1:
        return None
    ((whole, factor),) = outer.coefficients.items()
    ((part, by),) = inner.coefficients.items()
    left = list(whole)
    for atom in part:
        if atom not in left:
            return None
        left.remove(atom)
    return None if factor % by else Polynomial({tuple(left): factor // by})


def _steps(access: Access) -> set[Term]:
    """Factors of the steps of loops that go on while their variable, of which they are no rows, is below a size that
    has nothing to do with them: ``i < n; i += 4 * blocks``, with the number of blocks as an argument."""
    found: set[Term] = set()
    for loop in access.loops:
        counter = loop.counter.term
        for part in conjuncts(loop.condition) if loop.condition is not None else ():
            if part.op in ("lt", "le") and loop.counter in symbols(part.args[0]):
                tested, size = polynomial(part.args[0]).coefficients, polynomial(part.args[1])
                others = size.atoms | {atom for mono in tested if counter not in mono for atom in mono}
                found.update(a for mono in tested if counter in mono for a in mono if is_pitch(a) and a not in others)
    return found


def places_of(access: Access, offset: Term | None = None) -> tuple[Place, ...]:
    """The dimensions of an access that move, the slowest first; empty where they are not plain.  ``offset``: where that
    is known better than the access has it."""
    found = elements(access, offset)
    if found is None:
        return ()
    whole, extra = found
    steps = _steps(access) | scales(whole, access, moves, is_pitch)
    parts = list(split(whole, moves, (lambda atom: is_pitch(atom) and atom not in steps) if steps else is_pitch))
    out: list[Place] = []
    for at, (first, pitch) in enumerate(parts):
        more = extra if at == len(parts) - 1 else 0
        row = _quotient(parts[at - 1][1], pitch) if at else None
        limits = sorted(limits_of(first + number(more), access), key=lambda limit: limit.slack)
        out.append(Place(access, first, pitch, row, tuple(limits), more))
    return tuple(out)


Places = dict[Access, tuple[Place, ...]]


def _compute(facts: Facts) -> Places:
    found: Places = {}
    known: dict[tuple[object, ...], Sequence[Place]] = {}
    own = Filled(facts[trace])
    for access in facts[trace].accesses:
        root = access.root
        if root.kind not in (RootKind.PARAM, RootKind.LOADED) or root.space not in (Space.GLOBAL, Space.CONSTANT):
            continue
        key = (id(root), access.offset, access.guards, access.size)
        if key not in known:
            known[key] = places_of(access, own.said(access.offset))
        mine = tuple(Place(access, p.index, p.pitch, p.row, p.limits, p.extra) for p in known[key])
        if mine:
            found[access] = mine
    return found


places = KernelAnalysis("places", _compute, needs=(trace,))
"""The :class:`Place` of each dimension, for every access to global memory whose dimensions are plain, in order."""
