"""The farthest place that the threads of a block reach in loops of constant length, where nothing else has a say.

A sum in which each thread's number and each round counts on its own is largest at a corner of these; with 32 by 8
threads and 13 by 13 rounds no search from the first one gets there.
"""

from __future__ import annotations

from kernlint.analysis.extent.limits import counter_ranges
from kernlint.analysis.trace.events import Access, GuardKind
from kernlint.prove.query import Actor, Refuted, Triple
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import THREAD, Symbol, SymbolKind, symbols


def farthest(access: Access, block: Triple) -> Refuted | None:
    """The thread and round at the farthest place, if that is past the end of the array; None where tests, data or
    arguments have a say in it."""
    extent, size = access.root.extent, access.size
    ranges: dict[Symbol, int] = {symbol: last for symbol, (_, last) in counter_ranges(access).items()}
    ranges |= {symbol: count - 1 for symbol, count in zip(THREAD, block, strict=True)}
    env: dict[Symbol, int] = {}
    for mono, value in polynomial(access.offset).coefficients.items():
        symbol = mono[0].symbol if len(mono) == 1 else None
        if not mono:
            continue
        if symbol is None or symbol not in ranges or symbol in env:
            return None
        env[symbol] = ranges[symbol] if value > 0 else 0
    for guard in access.guards:
        loop = guard.loop
        over = guard.kind is GuardKind.AFTER_LOOP and loop is not None and not (loop.exits or loop.leaves)
        own = guard.kind is GuardKind.LOOP and loop is not None and loop.counter in ranges
        if not own and not over and not env.keys().isdisjoint(symbols(guard.term)):
            return None
        if own and loop is not None and set(symbols(guard.term)) != {loop.counter}:
            return None  # data, arguments or the thread may end the loop before
    last = evaluate(access.offset, env)
    if extent is None or not size or last is None or not extent < last + size:
        return None
    thread = (env.get(THREAD[0], 0), env.get(THREAD[1], 0), env.get(THREAD[2], 0))
    counters = tuple((symbol, value) for symbol, value in env.items() if symbol.kind is SymbolKind.COUNTER)
    return Refuted(block, (1, 1, 1), (), Actor((0, 0, 0), thread, last, counters), extent=extent)
