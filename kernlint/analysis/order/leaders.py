"""What a library's reduction gives to one thread alone, used by others.

``BlockReduce`` of CUB and hipCUB returns the result to thread 0 of the block, ``WarpReduce`` to lane 0 of the (logical)
warp; what the other threads get is not defined (CUB documentation, "the return value is undefined in threads other than
thread0").  A use counts where a thread other than those surely gets to it: it stores something made of the value, or
takes an address from it.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Trace, WarpEvent
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, THREAD, Symbol, SymbolKind, Term, symbols
from kernlint.tree.nodes import Barrier, WarpOp
from kernlint.tree.types import IntType, Space

TO_ONE = ("BlockReduce::", "WarpReduce::")

LARGE = 1 << 20
"""A size that lets every thread of a block have work."""

LANE = 1
"""A thread to which neither kind gives its result."""


@dataclass(frozen=True, slots=True, eq=False)
class Undefined:
    """``access`` uses what ``collective`` has given to another thread alone."""

    access: Access
    collective: Barrier | WarpOp


def _compute(facts: Facts) -> tuple[Undefined, ...]:
    of = facts[trace]
    if not any(b.name.startswith(TO_ONE) for b in of.barriers) and not any(
        w.node.name.startswith(TO_ONE) for w in of.warp_ops
    ):
        return ()
    return tuple(_find(of, facts[scenarios].plausible[0].block if facts[scenarios].plausible else (256, 1, 1)))


def _find(of: Trace, block: tuple[int, int, int]) -> Iterator[Undefined]:
    told: set[int] = set()
    if block[0] <= LANE:
        return
    for access in of.accesses:
        if not access.writes or not _passes(access, block):
            continue
        env = _thread(block)
        kept = access.root.space is Space.PRIVATE  # for the thread itself, which may be asked for before it is used
        for term in (None if kept else access.value, access.offset):
            for symbol in _used(term, env) if term is not None else ():
                node = _collective(symbol)
                if node is not None and id(node) not in told:
                    told.add(id(node))
                    yield Undefined(access, node)


def _collective(symbol: Symbol) -> Barrier | WarpOp | None:
    origin = symbol.origin.node if isinstance(symbol.origin, WarpEvent) else symbol.origin
    found = isinstance(origin, (Barrier, WarpOp)) and origin.name.startswith(TO_ONE)
    return origin if found and symbol.kind is SymbolKind.UNKNOWN else None


def _thread(block: tuple[int, int, int]) -> dict[Symbol, int]:
    place = (*zip(THREAD, (LANE, 0, 0), strict=True), *zip(BLOCK, (0, 0, 0), strict=True))
    return {**dict(place), **dict(zip((*BLOCK_DIM, *GRID_DIM), (*block, 1, 1, 1), strict=True))}


def _passes(access: Access, block: tuple[int, int, int]) -> bool:
    """Whether the thread surely gets there, given enough work: what tells threads apart lets it through."""
    for guard in access.guards:
        found = symbols(guard.term)
        if not any(symbol.kind is SymbolKind.THREAD for symbol in found):
            continue
        env = _thread(block)
        for symbol in found:
            if symbol.kind is SymbolKind.PARAM and isinstance(symbol.type, IntType):
                env.setdefault(symbol, min(LARGE, symbol.type.high))
            elif symbol.kind in (SymbolKind.COUNTER, SymbolKind.TRIPS):
                env.setdefault(symbol, 0)
        after = any(symbol.kind is SymbolKind.TRIPS for symbol in found)
        if not after and not evaluate(guard.term, env):
            return False
    return True


def _used(term: Term, env: dict[Symbol, int]) -> Iterator[Symbol]:
    """The symbols that the thread's own value is made of: of a choice by its index only what it gets."""
    if term.op == "select":
        condition = term.args[0]
        if any(symbol.kind is SymbolKind.THREAD for symbol in symbols(condition)):
            taken = evaluate(condition, env)
            if taken is not None:
                yield from _used(term.args[1 if taken else 2], env)
            return
    if term.op == "sym":
        yield term.args[0]
    for arg in term.terms:
        yield from _used(arg, env)


undefined_results = KernelAnalysis("undefined_results", _compute, needs=(trace, scenarios))
"""Every :class:`Undefined` use of a kernel variant, one for a collective."""
