"""Sizes of a launch that a loop of the host makes, where what ends the loop is as large as the host admits.

``while (threads < cols) threads *= 2;`` stops at the first power of two that is no less than ``cols``, which may be
more than a block can have where the host lets ``cols`` be so large.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kernlint.analysis.launching.admitted_sizes import HABIT, Largest, admitted_values, bounded, check_of, relevant
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.launching.run_time_sizes import chosen_by_callers
from kernlint.analysis.launching.stated_sizes import short
from kernlint.analysis.trace.events import LoopContext
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, symbols

_MOST = 1100
"""Rounds that are counted."""


def doubled(view: LaunchView, sizes: Sequence[Term], refused: Callable[[tuple[int, ...]], bool]) -> Largest | None:
    """Sizes that are ``refused`` where the loop that makes them goes as far as the host's checks let it; None where
    there are none, or something else decides too."""
    trips = {symbol for size in sizes for symbol in symbols(size)}
    if len(trips) != 1 or (one := next(iter(trips))).kind is not SymbolKind.TRIPS:
        return None
    loop = one.origin
    if not isinstance(loop, LoopContext) or loop.condition is None or loop.post_tested or loop.exits:
        return None
    if loop.condition.op not in ("lt", "le"):
        return None
    grows, end = loop.condition.args
    limit = plain(end).symbol
    if limit is None or limit is loop.counter or set(symbols(grows)) != {loop.counter} or not chosen_by_callers(end):
        return None
    checks = [check for check in relevant(view.checks, (limit,)) if one not in symbols(check)]
    if not bounded(limit, checks) or any(s.kind is SymbolKind.UNKNOWN for check in checks for s in symbols(check)):
        return None
    value = admitted_values((limit,), checks).get(limit)
    last = _rounds(loop.condition, loop.counter, limit, value) if value is not None and value < HABIT else None
    found = [evaluate(size, {one: last}) for size in sizes] if last is not None else [None]
    known = tuple(size for size in found if size is not None)
    if value is None or len(known) != len(found) or not refused(known):
        return None
    return Largest(known, short(limit), value, check_of(view, limit, ()))


def _rounds(condition: Term, counter: Symbol, limit: Symbol, value: int) -> int | None:
    rounds = (at for at in range(_MOST) if evaluate(condition, {counter: at, limit: value}) == 0)
    return next(rounds, None)
