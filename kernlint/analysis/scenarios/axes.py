"""Which axes of the thread and block index a kernel uses, and what for.

* a dimension whose thread index the kernel never reads is 1;
* an axis that stands only in global indices (``block * size + thread``) is 1, beside one that stands by itself: shared
  memory is then indexed by the other one alone, and a kernel may run with a block of one row;
* an axis whose index is tested against a size and used for nothing else is 1: threads along it would all do the same;
* an axis that most places in shared memory leave out, where each thread writes its own, is 1;
* an axis that only another mode of the kernel reads (``if (dims == 1) ... else``) is 1 in this one;
* a kernel that works by warp collectives alone, with no word on blocks of several warps, may be one of one warp.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kernlint.analysis.base import Facts
from kernlint.analysis.trace.events import Access, AccessKind, Event, Trace
from kernlint.analysis.trace.launch import linear
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import Monomial, polynomial
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    GRID_DIM,
    THREAD,
    WARP_SIZE,
    Symbol,
    SymbolKind,
    Term,
    binary,
    cast,
    symbols,
)
from kernlint.tree.nodes import LaunchValue, Quantity, Scope, WarpOp
from kernlint.tree.types import I32, I64, U32, U64, IntType, Space
from kernlint.tree.walk import functions_of, walk


def terms_of(of: Trace) -> Iterator[Term]:
    for access in (*of.accesses, *of.images):
        yield from _said(access)
    for condition in of.conditions:
        yield condition.term
    for loop in of.loops:
        if loop.condition is not None:
            yield loop.condition


def mentioned_in(of: Trace) -> set[Symbol]:
    return _mentioned(terms_of(of))


def read_in_mode(of: Trace, mode: Mapping[Symbol, int]) -> set[Symbol]:
    """What is mentioned where scalars have the values ``mode``: nothing that a guard on them keeps away."""

    def happens(event: Event) -> bool:
        return not any(
            evaluate(guard.term, mode) == 0 for guard in event.guards if all(s in mode for s in guard.term.symbols)
        )

    accesses = (access for access in (*of.accesses, *of.images) if happens(access))
    conditions = (condition.term for condition in of.conditions if happens(condition))
    return _mentioned((*(term for access in accesses for term in _said(access)), *conditions))


def _said(access: Access) -> Iterator[Term]:
    yield access.offset
    if access.value is not None:
        yield access.value
    for guard in access.guards:
        yield guard.term


def _mentioned(terms: Iterable[Term]) -> set[Symbol]:
    seen: set[Term] = set(_LINEAR)
    out: set[Symbol] = set()
    todo = list(terms)
    while todo:
        term = todo.pop()
        if term in seen:
            if term in _LINEAR:
                out.add(_LINEAR[term])
            continue
        seen.add(term)
        if term.op == "sym":
            out.add(term.args[0])
        else:
            todo.extend(term.terms)
    return out


def _flat(ids: tuple[Symbol, ...], sizes: tuple[Symbol, ...], kind: IntType) -> Iterator[Term]:
    """The linear index as the prelude has it, and in two axes as kernels write it by hand, either axis first."""
    yield linear(ids, sizes, kind)
    for major, minor in ((0, 1), (1, 0)):
        first, size, second = (cast(s.term, kind) for s in (ids[major], sizes[minor], ids[minor]))
        yield binary("add", binary("mul", first, size, kind), second, kind)


_LINEAR: dict[Term, Symbol] = {
    form: ids[0]
    for kind in (U32, I32, I64, U64)
    for ids, sizes in ((THREAD, BLOCK_DIM), (BLOCK, GRID_DIM))
    for form in _flat(ids, sizes, kind)
}
"""The linear index of a thread in its block, and of a block in the grid: no word on how many axes there are."""


def one_warp(of: Trace) -> bool:
    """Whether the kernel works by warp collectives, or by lanes alone, and nothing in it is for more than a warp: no
    barrier, and no place in shared memory for each warp or row of the block."""
    if not (of.warp_ops or by_lanes(of)) or any(b.certain and b.scope is not Scope.WARP for b in of.barriers):
        return False
    return not any(a.root.space is Space.SHARED and _by_warp(a.offset) for a in of.accesses)


def by_lanes(of: Trace) -> bool:
    """Whether the kernel asks of a thread along x nothing but its lane."""
    found = False
    done: set[Term] = set()
    todo = list(terms_of(of))
    while todo:
        term = todo.pop()
        if term in done:
            continue
        done.add(term)
        if term.op == "mod" and term.args[1].symbol is WARP_SIZE:
            found = True
        elif term.op == "sym" and term.args[0] is THREAD[0]:
            return False
        else:
            todo.extend(term.terms)
    return found


def _by_warp(term: Term) -> bool:
    """Whether the number of the thread's warp stands in ``term``, or that of its row."""
    if term.symbol in THREAD[1:]:
        return True
    sized = term.op == "div" and term.args[1].symbol is WARP_SIZE
    if sized or (term.op in ("div", "shr") and term.args[1].value in ((32, 64) if term.op == "div" else (5, 6))):
        return any(symbol.kind is SymbolKind.THREAD for symbol in symbols(term.args[0]))
    return any(_by_warp(arg) for arg in term.terms)


def idle_axes(of: Trace, tested: set[int], working: set[Symbol]) -> set[int]:
    """Axes whose index in the grid is tested against sizes and used for nothing else, beside others that tell places
    in global memory apart; none where the kernel updates what it finds there, which each thread does once more."""
    written = [access for access in of.accesses if access.writes and access.root.space is Space.GLOBAL]
    if any(not access.writes and any(access.root is one.root for one in written) for access in of.accesses):
        return set()
    idle = {axis for axis in tested if THREAD[axis] not in working and BLOCK[axis] not in working}
    return idle if any(symbol in _IDS for one in written for symbol in symbols(one.offset)) else set()


_IDS = frozenset((*THREAD, *BLOCK))


def used_axes(of: Trace) -> tuple[set[int], set[Symbol]]:
    """Axes whose index in the grid is tested against a size, and the symbols that stand anywhere else."""
    tested: set[int] = set()
    working: set[Symbol] = set()
    done: set[Term] = set()
    todo = list(terms_of(of))
    todo += [term for loop in of.loops for phi in loop.phis for term in (phi.init, phi.step) if term is not None]
    while todo:
        term = todo.pop()
        if term in done:
            continue
        done.add(term)
        found = size_test(term)
        if found is not None:
            tested.add(found[0])
        elif term.op == "sym":
            working.add(term.args[0])
        else:
            todo.extend(term.terms)
    return tested, working


def size_test(term: Term) -> tuple[int, bool] | None:
    """The axis whose index in the grid a comparison holds against arguments, and whether it is true of small indices;
    None where it compares anything else."""
    if term.op not in ("lt", "le"):
        return None
    form = (polynomial(term.args[1]) - polynomial(term.args[0])).coefficients
    for axis in range(3):
        unit = form.get((THREAD[axis].term,))
        if unit is None or not _in_global((THREAD[axis].term,), unit, THREAD[axis], form):
            continue
        rest = [s for mono in form for atom in mono for s in symbols(atom) if s not in (THREAD[axis], BLOCK[axis])]
        sizes = {s for s in rest if s is not BLOCK_DIM[axis]}
        if sizes and all(s.kind is SymbolKind.PARAM for s in sizes):
            return axis, unit < 0
    return None


def axes_read(facts: Facts) -> tuple[bool, bool, bool]:
    """The axes of the thread index that the kernel reads, though what it does with them is not understood."""
    axes: set[int] = set()
    for function in functions_of(facts.kernel):
        for node in walk(function):
            if isinstance(node, WarpOp) or (isinstance(node, LaunchValue) and node.quantity in _OF_THREAD):
                axes.add((node.axis or 0) if isinstance(node, LaunchValue) else 0)
    return 0 in axes, 1 in axes, 2 in axes


_OF_THREAD = frozenset(
    {
        Quantity.THREAD_ID,
        Quantity.GLOBAL_ID,
        Quantity.LINEAR_THREAD_ID,
        Quantity.LINEAR_GLOBAL_ID,
        Quantity.LANE_ID,
        Quantity.WARP_ID,
        Quantity.TILE_RANK,
        Quantity.TILE_ID,
    }
)

FEW = 2
"""Writes that forget an axis by mistake; where more do, and most, the block has one thread along it."""


def left_out(of: Trace, axis: int) -> bool:
    """Whether most places in shared memory where threads of a block write, each its own, leave out an axis: threads
    along it would undo each other's work."""
    places: dict[tuple[str, int], bool] = {}
    for access in of.accesses:
        if access.root.space is not Space.SHARED or access.kind is not AccessKind.WRITE:
            continue
        told = {s for term in (access.offset, *(g.term for g in access.guards)) for s in symbols(term)}
        if not any(s.kind is SymbolKind.THREAD for s in symbols(access.offset)):
            continue
        key = access.span.file, access.span.start
        places[key] = places.get(key, False) or THREAD[axis] in told
    without = sum(not named for named in places.values())
    return without > FEW and 2 * without > len(places)


def local_axes(of: Trace) -> set[int]:
    """Axes whose thread index stands by itself somewhere, not only in an index of the whole grid."""
    out: set[int] = set()
    done: set[Term] = set(_LINEAR)
    todo = list(terms_of(of))
    while todo:
        term = todo.pop()
        if term in done:
            if term in _LINEAR:
                out.add(0)
            continue
        done.add(term)
        if term.op in ("const", "sym", "add", "sub", "mul", "neg", "cast", "shl"):
            form = polynomial(term).coefficients
            for mono, value in form.items():
                for atom in mono:
                    if atom.op != "sym":
                        todo.extend(atom.terms)
                        continue
                    symbol = atom.args[0]
                    if symbol.kind is SymbolKind.THREAD and not _in_global(mono, value, symbol, form):
                        out.add(symbol.axis)
        else:
            todo.extend(term.terms)
    return out


def _in_global(mono: Monomial, value: int, thread: Symbol, form: Mapping[Monomial, int]) -> bool:
    """Whether a monomial with a thread index has beside it the same one with block index times block size."""
    rest = list(mono)
    rest.remove(thread.term)
    key = sorted(repr(atom) for atom in (*rest, BLOCK[thread.axis].term, BLOCK_DIM[thread.axis].term))
    return any(other == value and sorted(repr(atom) for atom in m) == key for m, other in form.items())
