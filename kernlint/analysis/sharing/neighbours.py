"""Elements of others, found through a list, that are read from the array in which each thread writes its own.

``x[i] = w * (x[i] + x[near[i]])``: whether a thread gets the element of another one as it was before or after that one
has run is left to chance.  Told is only what is copied or added up, in floating point: the least of labels that
neighbours have, or the parent of a parent, comes out right in whatever order, if not at once.  Lists of elements that
no thread of the launch writes have another place (a row of their own, a number of an argument), or a test of data
decides who writes.

A barrier of the block between the two orders the threads of one block alone, and the list may name those of others
where blocks are shares of one row of elements, the last of which is cut where the row ends: then it shows that order
is wanted, and what is read behind it may be anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.launching.launch_context import LaunchContext, launch_context
from kernlint.analysis.order import order
from kernlint.analysis.sharing.gathered import of_one_block
from kernlint.analysis.sharing.global_races import grid_wide, handshakes
from kernlint.analysis.sharing.races import followed
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, BarrierEvent, RootKind, Trace
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Monomial, divided, polynomial
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, THREAD, Symbol, SymbolKind, Term, Uniformity, symbols
from kernlint.tree.nodes import Scope
from kernlint.tree.types import FloatType, Space, VectorType

_SUMMING = frozenset({"add", "cast", "div", "mul", "neg", "sub"})
_OWN = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM, SymbolKind.PARAM, SymbolKind.COUNTER})
WARP = 32

DEPTH = 8
"""Loops whose sums are followed into each other."""


@dataclass(frozen=True, slots=True, eq=False)
class Mixed:
    """``read`` of an element that another thread may be about to write, as it does in ``write``; ``barrier``: what the
    block waits at between the write and the read (None: the read comes first)."""

    read: Access
    write: Access
    barrier: BarrierEvent | None = None


def _compute(facts: Facts) -> tuple[Mixed, ...]:
    of = facts[trace]
    writes = [access for access in of.accesses if _own(access)]
    if not writes or not followed(of) or _alone(facts[launch_context]) or grid_wide(of) or handshakes(of):
        return ()
    barriers = [barrier for barrier in of.barriers if barrier.scope is not Scope.WARP]
    if barriers:  # a block may take turns with itself
        writes = [] if of_one_block(facts[launch_context]) else [write for write in writes if _cut(write)]
    found: dict[int, Mixed] = {}
    for one in _found(of, writes, barriers):
        found.setdefault(id(one.write.root), one)
    return tuple(found.values())


def _found(of: Trace, writes: list[Access], barriers: list[BarrierEvent]) -> Iterator[Mixed]:
    for write in writes:
        assert write.value is not None
        added = set(_added(write.value))
        for read in of.accesses:
            if read.root is not write.root or read.kind is not AccessKind.READ or read.volatile:
                continue
            behind = next((one for one in barriers if write.order < one.order < read.order), None)
            taken = read.order < write.order and (read.root, read.offset) in added
            if (taken or behind is not None) and _of_any_thread(read, write):
                yield Mixed(read, write, None if taken else behind)


def _cut(write: Access) -> bool:
    """Whether threads are left out by a test of their number against an argument: the last block is cut there."""
    return any(
        {SymbolKind.THREAD, SymbolKind.PARAM} <= {one.kind for one in symbols(guard.term)} <= _OWN
        for guard in write.guards
        if guard.loop is None
    )


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
    lanes = access.type.element if isinstance(access.type, VectorType) else access.type
    return whole and isinstance(lanes, FloatType) and not data


def _of_any_thread(read: Access, write: Access) -> bool:
    """Whether a place has a number from a list where the other one has the thread's own."""
    lists = [one for one in symbols(read.offset) if one.kind is SymbolKind.LOAD]
    if len(lists) != 1 or lists[0].uniformity is not Uniformity.VARYING or _from(lists[0]) is read.root:
        return False
    theirs, rest = _taken(read.offset, (lists[0].term,))
    for axis in range(3):
        mine, others = _taken(write.offset, (THREAD[axis].term,))
        many, others = _split(others, (BLOCK[axis].term,))
        sized, _ = _split(many, (BLOCK_DIM[axis].term,))
        blocks = sized or _portion(many, mine)
        if mine and mine == blocks == theirs and others == rest:
            return True
    return False


Parts = dict[Monomial, int]


def _portion(many: Parts, one: Parts) -> Parts:
    """What a block's number is multiplied by, for each of the constant number of threads that it stands for."""
    if many.keys() != one.keys():
        return {}
    shares = {many[mono] / one[mono] for mono in one}
    return one if len(shares) == 1 and min(shares) >= WARP and all(share == int(share) for share in shares) else {}


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


def _added(value: Term) -> Iterator[tuple[object, Term]]:
    """The places in memory whose elements are added up in a value, each part of which is looked at once: sums of rounds
    are made of one another many times over."""
    depths: dict[Term, int] = {}
    todo = [(value, 0)]
    while todo:
        part, depth = todo.pop()
        if depths.get(part, DEPTH + 1) <= depth:
            continue
        again, depths[part] = part in depths, depth
        symbol = part.symbol
        if symbol is not None and symbol.kind is SymbolKind.LOAD and isinstance(symbol.origin, tuple) and not again:
            yield symbol.origin[0], symbol.origin[1]
        todo += reversed([(one, depth + int(symbol is not None)) for one in _summands(part, depth)])


def _summands(value: Term, depth: int) -> Sequence[Term]:
    """What a value is the sum of, or what it is chosen from."""
    symbol = value.symbol
    if symbol is not None:
        rounds = symbol.kind is SymbolKind.PHI and symbol.step is not None and depth < DEPTH
        return [one for one in (symbol.step, symbol.init) if one is not None] if rounds else ()
    if value.op in _SUMMING or (value.op == "call" and value.args[0] == "struct"):
        return value.terms
    if value.op == "select" and not any(isinstance(one.type, FloatType) for one in symbols(value.args[0])):
        return value.terms[1:]  # (where numbers are compared it is the better one that is kept)
    return value.terms[:1] if value.op == "call" and str(value.args[0]).startswith("after") else ()


neighbours = KernelAnalysis("neighbours", _compute, needs=(trace, launch_context, order))
"""Each array of a kernel variant in which neighbours are read and written at once: :class:`Mixed`."""
