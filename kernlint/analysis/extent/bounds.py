"""How far the index of each access to global memory reaches, and what holds it back.

An access is looked at axis by axis: its offset *grows* along an axis when it gets larger without limit as the block
index of that axis does; *min*, remainders, masks and selections by the index stop the growth.  What grows is held by a
guard when some comparison on the path bounds the block index of the axis from above.  Comparisons that are true for
every value (``n - 1u - i >= 0``) hold nothing; they are kept as ``vacuous``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Guard, GuardKind, RootKind, Trace
from kernlint.record import dataclass
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import Monomial, divided, polynomial
from kernlint.symbolic.terms import COMPARISONS, Symbol, SymbolKind, Term, Uniformity, plain, symbols
from kernlint.tree.types import IntType, Space

CACHED = 8192
"""Answers kept for terms: the accesses of a kernel share their guards and most of their offsets."""

_BLOCK_LIKE = frozenset({SymbolKind.BLOCK_DIM, SymbolKind.TEMPLATE, SymbolKind.WARP_SIZE})


@dataclass(frozen=True, slots=True)
class GlobalId:
    """A sum of ``BLOCK * ratio + THREAD`` along a block axis: the index of a thread in the whole grid.

    ``term``: the part of the offset that holds it; ``ratio``: how many steps of the thread one block is worth (a
    number times block-like symbols); ``scale``: the factor of the thread in ``term``; ``threads``: axes of THREAD.
    """

    axis: int
    term: Term
    factor: int
    symbols: Monomial
    scale: int
    threads: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """One access to global memory whose offset grows with global ids.

    ``ids``: by axis.  ``guarded``: axes that a comparison may bound from above (or where that cannot be told).
    ``vacuous``: guards on such an axis that are always true.  ``conditional``: the access stands under a condition on
    parameters or data that may have to do with sizes.
    """

    access: Access
    ids: tuple[GlobalId, ...]
    guarded: frozenset[int]
    vacuous: tuple[Guard, ...]
    conditional: bool

    @property
    def axes(self) -> frozenset[int]:
        """Axes along which the offset grows."""
        return frozenset(one.axis for one in self.ids)

    @property
    def open_axes(self) -> frozenset[int]:
        """Axes along which nothing holds it back."""
        return self.axes - self.guarded


@lru_cache(maxsize=CACHED)
def mentions(term: Term, kind: SymbolKind, axis: int | None = None) -> bool:
    """Whether ``term`` has a symbol of ``kind`` (of one axis)."""
    return any(s.kind is kind and (axis is None or s.axis == axis) for s in symbols(term))


@lru_cache(maxsize=CACHED)
def grows(term: Term, axis: int) -> bool:
    """Whether ``term`` gets beyond every limit as the block index of ``axis`` does, as far as its shape tells."""
    op = term.op
    if op == "sym":
        symbol: Symbol = term.args[0]
        return symbol.kind is SymbolKind.BLOCK and symbol.axis == axis
    if op in ("add", "or", "xor"):
        return grows(term.args[0], axis) or grows(term.args[1], axis)
    if op == "sub":
        return grows(term.args[0], axis)
    if op in ("mul", "shl"):
        return any(grows(arg, axis) for arg in term.args)
    if op in ("cast", "neg"):
        return grows(term.args[0], axis)
    if op in ("div", "shr"):
        return grows(term.args[0], axis)
    if op == "min":
        return all(grows(arg, axis) for arg in term.args)
    if op == "max":
        return any(grows(arg, axis) for arg in term.args)
    if op == "select":
        if mentions(term.args[0], SymbolKind.BLOCK, axis):
            beyond = _beyond_number(term, axis)
            return beyond is not None and grows(beyond, axis)
        return grows(term.args[1], axis) and grows(term.args[2], axis)
    return False


def _beyond_number(choice: Term, axis: int) -> Term | None:
    """What a choice comes to for all blocks from some number on, where that is asked of a growing index and a number:
    a clamp to the first place (``i < 0 ? 0 : i``) holds nothing back."""
    test, then, other = choice.terms
    if test.op not in ("lt", "le"):
        return None
    smaller, larger = test.terms
    if larger.value is not None and grows(smaller, axis):
        return other
    return then if smaller.value is not None and grows(larger, axis) else None


@lru_cache(maxsize=CACHED)
def sinks(term: Term, axis: int) -> bool:
    """Whether ``term`` gets below every limit as the block index of ``axis`` grows: it is subtracted, signed."""
    op = term.op
    if op == "add":
        return sinks(term.args[0], axis) or sinks(term.args[1], axis)
    if op == "sub":
        down = grows(term.args[1], axis) and isinstance(term.type, IntType) and term.type.signed
        return down or sinks(term.args[0], axis)
    if op == "neg":
        return grows(term.args[0], axis)
    if op in ("cast", "div", "shr", "mul", "shl"):
        return sinks(term.args[0], axis) or (op == "mul" and sinks(term.args[1], axis))
    if op == "min":
        return any(sinks(arg, axis) for arg in term.args)
    if op == "max":
        return all(sinks(arg, axis) for arg in term.args)
    return False


def wraps_down(term: Term, axis: int) -> bool:
    """Whether ``term`` is an unsigned difference from which the growing index is subtracted: it never gets below 0."""
    term = plain(term)
    if term.op == "add" and term.args[1].op == "const":
        return wraps_down(term.args[0], axis)
    unsigned = isinstance(term.type, IntType) and not term.type.signed
    return term.op == "sub" and unsigned and grows(term.args[1], axis) and not grows(term.args[0], axis)


def global_ids(term: Term, axis: int) -> Iterator[GlobalId]:
    """The global ids along ``axis`` in the growing parts of an offset."""
    poly = polynomial(term)
    blocks = [m for m in poly.coefficients if any(_block_of(atom, axis) for atom in m)]
    threads = [(m, t) for m in poly.coefficients for t in [_thread_of(m)] if t is not None]
    for mono in blocks:
        rest = tuple(atom for atom in mono if not _block_of(atom, axis))
        if len(rest) + 1 != len(mono):
            continue
        for other, thread in threads:
            step = tuple(atom for atom in other if atom is not thread)
            ratio = divided(rest, step)
            c, d = poly.coefficients[mono], poly.coefficients[other]
            if ratio is None or c % d or c // d < 1 or (c == d and not ratio):
                continue
            if not all(atom.op == "sym" and atom.args[0].kind in _BLOCK_LIKE for atom in ratio):
                continue
            yield GlobalId(axis, term, c // d, ratio, d, frozenset({thread.args[0].axis}))
            break
    for atom in poly.atoms:
        if atom.op not in ("sym", "const") and grows(atom, axis):
            for arg in atom.terms:
                if grows(arg, axis):
                    yield from global_ids(arg, axis)


def _block_of(atom: Term, axis: int) -> bool:
    return atom.op == "sym" and atom.args[0].kind is SymbolKind.BLOCK and atom.args[0].axis == axis


def _thread_of(mono: Monomial) -> Term | None:
    found = [atom for atom in mono if atom.op == "sym" and atom.args[0].kind is SymbolKind.THREAD]
    return found[0] if len(found) == 1 else None


# --------------------------------------------------------------------------------------------------------- guards


@lru_cache(maxsize=CACHED)
def bounds_above(term: Term, axis: int, positive: bool = True) -> bool:
    """Whether a true (``positive``) or false truth ``term`` may bound the block index of ``axis`` from above.

    True where that cannot be told: values that vary for reasons not modelled may be anything.
    """
    op = term.op
    if op in ("land", "lor"):
        if (op == "lor") is positive and any(_bounds_below(arg, axis, positive) for arg in term.args):
            return False  # whatever else it takes: it holds for all that are large enough
        return any(bounds_above(arg, axis, positive) for arg in term.args)
    if op == "lnot":
        return bounds_above(term.args[0], axis, not positive)
    if op in COMPARISONS:
        return _comparison(term, axis, positive)
    if op == "cast" and term.args[0].type == term.type:
        return bounds_above(term.args[0], axis, positive)
    return any(_opaque(s, axis) or (s.kind is SymbolKind.BLOCK and s.axis == axis) for s in symbols(term))


def _bounds_below(term: Term, axis: int, positive: bool) -> bool:
    """Whether a truth is a comparison that holds where the block index of ``axis`` is large enough."""
    if term.op == "lnot":
        return _bounds_below(term.args[0], axis, not positive)
    if term.op not in ("lt", "le") or any(_opaque(s, axis) for s in symbols(term)) or _remainders_only(term, axis):
        return False
    smaller, larger = term.args if positive else term.args[::-1]
    return grows(larger, axis) and not (grows(smaller, axis) or sinks(larger, axis))


def _opaque(symbol: Symbol, axis: int) -> bool:
    """Whether a symbol may stand for any function of the thread's place along ``axis``: what an argument holds at a
    place that has nothing to do with the axis is the same for all of it."""
    if symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple):
        root, place = symbol.origin
        ids = (SymbolKind.THREAD, SymbolKind.BLOCK)
        if root.kind is RootKind.PARAM and not any(mentions(place, kind, axis) for kind in ids):
            return any(_opaque(part, axis) for part in symbols(place))
    if symbol.kind in (SymbolKind.UNKNOWN, SymbolKind.EXIT):
        return symbol.uniformity > Uniformity.GRID
    return symbol.kind in (SymbolKind.PHI, SymbolKind.LOAD) and symbol.uniformity > Uniformity.GRID


def _comparison(term: Term, axis: int, positive: bool) -> bool:
    left, right = term.args
    if vacuous(term, positive):
        return False
    if any(_opaque(s, axis) for s in symbols(term)):
        return True
    if not any(_block_of(atom, axis) for atom in _leaves(term)):
        return False
    if _remainders_only(term, axis):
        return False  # i % 4 == 0 bounds nothing
    if term.op not in ("lt", "le"):
        apart = (term.op == "ne") is positive and term.op in ("eq", "ne")
        places = {_places(side) for side in (left, right)} if apart else set()
        return not (apart and (places == {True} or (True in places and _left_out(left, right))))
    smaller, larger = (left, right) if positive else (right, left)
    if smaller.value is not None and wraps_down(larger, axis):
        return False
    up = grows(smaller, axis) or sinks(larger, axis)
    down = grows(larger, axis) or sinks(smaller, axis)
    return up or not down


def _places(term: Term) -> bool:
    """Whether a term is another one for each thread, by its number in the grid."""
    return {SymbolKind.BLOCK, SymbolKind.THREAD} <= {symbol.kind for symbol in symbols(term)}


def _left_out(left: Term, right: Term) -> bool:
    """Whether two sides that differ are the number of a thread in the grid, to which no loop adds, and one number
    for all threads: that leaves out one thread, and those beyond it go on (the rim of a grid, ``i == width - 1``)."""
    kinds = [{symbol.kind for symbol in symbols(side)} for side in (left, right)]
    same = {SymbolKind.PARAM, SymbolKind.TEMPLATE}
    return any(of <= same and other <= same | _THREADS for of, other in (kinds, kinds[::-1]))


_THREADS = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM})


def _leaves(term: Term) -> Iterator[Term]:
    for symbol in symbols(term):
        yield symbol.term


def _remainders_only(term: Term, axis: int) -> bool:
    """Whether the block index of ``axis`` occurs under remainders and masks alone."""
    if term.op in ("mod", "and"):
        return True
    if term.op == "sym":
        return not _block_of(term, axis)
    return all(_remainders_only(arg, axis) for arg in term.terms)


@lru_cache(maxsize=CACHED)
def vacuous(term: Term, positive: bool = True) -> bool:
    """Whether a comparison holds (``positive``) or fails for all values of its operands' types."""
    return interval(term) == ((1, 1) if positive else (0, 0))


# ------------------------------------------------------------------------------------------------------- analysis


def _conditional(guard: Guard) -> bool:
    """Whether a guard is a condition on parameters or data: a launcher may know more than the kernel."""
    if guard.kind in (GuardKind.LOOP, GuardKind.AFTER_LOOP):
        return False
    if mentions(guard.term, SymbolKind.THREAD):
        return False  # it picks threads of the block
    return any(mentions(guard.term, kind) for kind in _CHOSEN)


_CHOSEN = (SymbolKind.PARAM, SymbolKind.LOAD, SymbolKind.TEMPLATE, SymbolKind.UNKNOWN)


def reach_of(access: Access) -> Reach | None:
    """How far ``access`` reaches; None when its offset grows with no global id."""
    found: dict[int, GlobalId] = {}
    alone = frozenset(axis for guard in access.guards for part in conjuncts(guard.term) for axis in _one_thread(part))
    if {axis for axis in range(3) if mentions(access.offset, SymbolKind.THREAD, axis)} <= alone:
        return None
    for axis in range(3):
        if not mentions(access.offset, SymbolKind.BLOCK, axis) or not grows(access.offset, axis):
            # What sinks without limit (n - 1 - i) leaves memory too, but is held by the same tests: left alone.
            continue
        for one in global_ids(access.offset, axis):
            if not one.threads <= alone:
                found.setdefault(axis, one)
    if not found:
        return None
    guarded = {axis for axis in found if any(bounds_above(guard.term, axis) for guard in access.guards)}
    hollow = tuple(guard for guard in access.guards if _hollow(guard, found))
    conditional = any(
        _conditional(guard)
        for guard in access.guards
        if guard not in hollow and not any(bounds_above(guard.term, axis) for axis in range(3))
    )
    return Reach(access, tuple(found.values()), frozenset(guarded), hollow, conditional)


def _one_thread(part: Term) -> frozenset[int]:
    """Axes along which a truth picks one thread of each block: what that one does goes by blocks, which the grid counts
    (``threadIdx.x == 0`` leaves those along y)."""
    if part.op != "eq":
        return frozenset()
    kinds = {symbol.kind for symbol in symbols(part)}
    if not kinds <= {SymbolKind.THREAD, SymbolKind.BLOCK_DIM, SymbolKind.WARP_SIZE}:
        return frozenset()
    return frozenset(axis for axis in range(3) if mentions(part, SymbolKind.THREAD, axis))


def _hollow(guard: Guard, axes: dict[int, GlobalId]) -> bool:
    for part in conjuncts(guard.term):
        if part.op not in COMPARISONS:
            continue
        for axis in axes:
            if not mentions(part, SymbolKind.BLOCK, axis):
                continue
            wraps = part.op in ("lt", "le") and part.args[0].value is not None and wraps_down(part.args[1], axis)
            if vacuous(part) or wraps:
                return True
    return False


def _compute(facts: Facts) -> tuple[Reach, ...]:
    found = []
    known: dict[tuple[Term, tuple[Guard, ...]], Reach | None] = {}
    for access in facts[trace].accesses:
        if access.root.space not in (Space.GLOBAL, Space.CONSTANT) or access.root.kind is not RootKind.PARAM:
            continue
        key = (access.offset, access.guards)
        if key not in known:
            known[key] = reach_of(access)
        reach = known[key]
        if reach is not None:
            found.append(
                reach
                if reach.access is access
                else Reach(access, reach.ids, reach.guarded, reach.vacuous, reach.conditional)
            )
    return tuple(found)


reaches = KernelAnalysis("reaches", _compute, needs=(trace,))
"""A :class:`Reach` for each access to memory behind a pointer parameter that grows with a global id, in order."""


def index_symbols(kernel: Trace) -> frozenset[Symbol]:
    """Symbols that stand in the offset of some access."""
    return frozenset(s for access in kernel.accesses for s in symbols(access.offset))


def condition_symbols(kernel: Trace) -> frozenset[Symbol]:
    """Symbols that stand in some condition that can fail: of a branch, loop, early return or selection."""
    found: set[Symbol] = set()

    def of(term: Term) -> None:
        if term.op in ("land", "lor", "lnot"):
            for arg in term.terms:
                of(arg)
        elif not (term.op in COMPARISONS and (vacuous(term) or vacuous(term, False))):
            found.update(symbols(term))

    for test in kernel.conditions:
        of(test.term)
    for loop in kernel.loops:
        if loop.condition is not None:
            of(loop.condition)
    for access in kernel.accesses:
        for guard in access.guards:
            of(guard.term)
    return frozenset(found)
