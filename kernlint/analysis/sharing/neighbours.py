"""Elements of others, found through a list, that are read from the array in which each thread writes its own.

``x[i] = w * (x[i] + x[near[i]])``: whether a thread gets the element of another one as it was before or after that one
has run is left to chance.  Told is only what is copied or added up, in floating point: the least of labels that
neighbours have, or the parent of a parent, comes out right in whatever order, if not at once.  Lists of elements that
no thread of the launch writes have another place (a row of their own, a number of an argument), or a test of data
decides who writes.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.launching.launch_context import LaunchContext, launch_context
from kernlint.analysis.order import order
from kernlint.analysis.sharing.global_races import grid_wide, handshakes
from kernlint.analysis.sharing.races import followed
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, RootKind, Trace
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Monomial, divided, polynomial
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, THREAD, Symbol, SymbolKind, Term, Uniformity, symbols
from kernlint.tree.nodes import Scope
from kernlint.tree.types import FloatType, Space

_SUMMING = frozenset({"add", "cast", "div", "mul", "neg", "sub"})
_OWN = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.PARAM, SymbolKind.COUNTER})
DEPTH = 8
"""Loops whose sums are followed into each other."""


@dataclass(frozen=True, slots=True, eq=False)
class Mixed:
    """``read`` of an element that another thread may be about to write, as it does in ``write``."""

    read: Access
    write: Access


def _compute(facts: Facts) -> tuple[Mixed, ...]:
    of = facts[trace]
    writes = [access for access in of.accesses if _own(access)]
    if not writes or not followed(of) or _alone(facts[launch_context]) or grid_wide(of) or handshakes(of):
        return ()
    if any(barrier.scope is not Scope.WARP for barrier in of.barriers):
        return ()  # a block may take turns with itself
    found: dict[int, Mixed] = {}
    for one in _found(of, writes):
        found.setdefault(id(one.write.root), one)
    return tuple(found.values())


def _found(of: Trace, writes: list[Access]) -> Iterator[Mixed]:
    for write in writes:
        assert write.value is not None
        added = set(_added(write.value))
        for read in of.accesses:
            same = read.root is write.root and read.kind is AccessKind.READ and read.order < write.order
            if same and not read.volatile and (read.root, read.offset) in added and _of_any_thread(read, write):
                yield Mixed(read, write)


def _alone(context: LaunchContext) -> bool:
    """Whether every launch that is known of has one thread."""
    blocks = [view.fact.block for view in context.launches]
    return bool(blocks) and all(block is not None and all(n.value == 1 for n in block) for block in blocks)


def _own(access: Access) -> bool:
    """Whether each thread writes an element of its own number to an array of floating-point numbers, whatever the data
    are."""
    if access.kind is not AccessKind.WRITE or access.volatile or access.value is None:
        return False
    if access.root.kind is not RootKind.PARAM or access.root.space is not Space.GLOBAL:
        return False
    kinds = {one.kind for one in symbols(access.offset)}
    chosen = (one for guard in access.guards if guard.loop is None for one in symbols(guard.term))
    data = any(one.kind not in _OWN | {SymbolKind.GRID_DIM} and one.uniformity is not Uniformity.GRID for one in chosen)
    whole = {SymbolKind.BLOCK, SymbolKind.THREAD} <= kinds <= _OWN
    return whole and isinstance(access.type, FloatType) and not data


def _of_any_thread(read: Access, write: Access) -> bool:
    """Whether a place has a number from a list where the other one has the thread's own."""
    lists = [one for one in symbols(read.offset) if one.kind is SymbolKind.LOAD]
    if len(lists) != 1 or lists[0].uniformity is not Uniformity.VARYING or _from(lists[0]) is read.root:
        return False
    theirs, rest = _taken(read.offset, (lists[0].term,))
    for axis in range(3):
        mine, others = _taken(write.offset, (THREAD[axis].term,))
        blocks, others = _split(others, (BLOCK[axis].term, BLOCK_DIM[axis].term))
        if mine and mine == blocks == theirs and others == rest:
            return True
    return False


Parts = dict[Monomial, int]


def _taken(place: Term, factors: Monomial) -> tuple[Parts, Parts]:
    """What is multiplied by the factors in a place, and the rest of it."""
    return _split(polynomial(place).coefficients, factors)


def _split(parts: Parts, factors: Monomial) -> tuple[Parts, Parts]:
    with_, without = {}, {}
    for mono, value in parts.items():
        left = divided(mono, factors)
        if left is None:
            without[mono] = value
        else:
            with_[left] = value
    return with_, without


def _from(load: Symbol) -> object:
    return load.origin[0] if isinstance(load.origin, tuple) and load.origin else None


def _added(value: Term, depth: int = 0) -> Iterator[tuple[object, Term]]:
    """The places in memory whose elements are added up in a value."""
    symbol = value.symbol
    if symbol is not None:
        if symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple):
            yield symbol.origin[0], symbol.origin[1]
        elif symbol.kind is SymbolKind.PHI and symbol.step is not None and depth < DEPTH:
            yield from _added(symbol.step, depth + 1)
            if symbol.init is not None:
                yield from _added(symbol.init, depth + 1)
    elif value.op in _SUMMING:
        for one in value.terms:
            yield from _added(one, depth)
    elif value.op == "call" and str(value.args[0]).startswith("after") and value.terms:
        yield from _added(value.terms[0], depth)


neighbours = KernelAnalysis("neighbours", _compute, needs=(trace, launch_context, order))
"""Each array of a kernel variant in which neighbours are read and written at once: :class:`Mixed`."""
