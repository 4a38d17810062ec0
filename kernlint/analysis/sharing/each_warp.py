"""Tables in shared memory that each warp fills by itself.

``for (i = lane; i < n; i += 32) table[i] = from[i]; __syncwarp();`` puts the same into the same places for every warp.
What a thread reads there its own warp has put before; that another warp puts it once more changes nothing.
"""

from __future__ import annotations

from kernlint.analysis.accesses.pairs import Pair, concurrent
from kernlint.analysis.trace.events import Access, AccessKind, Root
from kernlint.symbolic.terms import THREAD, Symbol, SymbolKind, Term, Uniformity
from kernlint.symbolic.uniformity import WARP
from kernlint.tree.types import Space


def put_by_own_warp(pair: Pair) -> bool:
    """Whether the warp of the thread that reads has itself put there what a thread of another warp puts there."""
    write, read = pair.first, pair.second
    if write.kind is not AccessKind.WRITE or read.kind is not AccessKind.READ or pair.carried is not None:
        return False
    if write.order > read.order or any(loop in read.loops for loop in write.loops):
        return False
    return _alike_in_warps(write) and next(concurrent(write, read, warp=True), None) is None


def _alike_in_warps(write: Access) -> bool:
    """Whether all warps make the same writes, as far as what is written is known: by the numbers of lanes alone."""
    terms = [write.offset, *(guard.term for guard in write.guards)]
    if write.value is not None:
        terms.append(write.value)
    seen: set[Term] = set()
    return all(_by_lane(term, seen) for term in terms) and any(THREAD[0] in term.symbols for term in terms)


def _by_lane(term: Term, seen: set[Term]) -> bool:
    """Whether a value is the same for threads of one place in their warps."""
    if term in seen:
        return True
    seen.add(term)
    if term.op in ("mod", "and"):
        mask = WARP if term.op == "mod" else WARP - 1
        value = term.args[1].value
        if value is not None and value == mask and set(term.args[0].symbols) <= {THREAD[0]}:
            return True
    if term.symbol is not None:
        return _symbol_by_lane(term.symbol, seen)
    return all(_by_lane(arg, seen) for arg in term.terms)


def _symbol_by_lane(symbol: Symbol, seen: set[Term]) -> bool:
    if symbol.kind is SymbolKind.LOAD:
        root, offset = symbol.origin
        return root.space in (Space.GLOBAL, Space.CONSTANT) and _by_lane(offset, seen)
    if symbol.kind is SymbolKind.COUNTER:
        return True
    if symbol.kind is SymbolKind.PHI and symbol.init is not None and symbol.step is not None:
        return _by_lane(symbol.init, seen) and _by_lane(symbol.step, seen)
    if isinstance(symbol.origin, Root):  # the address of what a pointer leads to
        return symbol.origin.held_at is None or _by_lane(symbol.origin.held_at, seen)
    return symbol.uniformity <= Uniformity.BLOCK and symbol.kind is not SymbolKind.UNKNOWN
