"""Whether a kernel counts on its threads' being lanes of a warp.

Two threads of one warp that nothing orders are a race like any other (CUDA Programming Guide, "Independent Thread
Scheduling"); what has to come between them depends on what the kernel is written for.  Code that speaks of lanes, in
its tests, its indices or its instructions, lacks a barrier of the warp.  Code that speaks of blocks alone lacks one of
the block, though the two threads be of one warp, as all are in a small block, and those that read a row of eight.
"""

from __future__ import annotations

from math import prod

from kernlint.analysis.base import Facts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.search.collisions import Race
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, Trace
from kernlint.analysis.warps.lockstep import WARP, all_in_step, first_threads, told_in_step
from kernlint.symbolic.terms import THREAD, Term, subterms, symbols
from kernlint.tree.nodes import Scope


def of_lanes(race: Race, facts: Facts) -> bool:
    """Whether the two threads of a race within one warp are meant to be lanes of it.

    So they are in blocks of one warp, under a test of the first threads (``t < 16``), with numbers of lanes
    (``t % 32``), partners by ``xor``, ``volatile`` cells, barriers that end with a warp (``if (step >= 32)``), or
    instructions of warps anywhere in the kernel.
    """
    of: Trace = facts[trace]
    if all_in_step(facts) or told_in_step(facts) is not None:
        return True  # lanes may wait for each other there by running in step
    if lanes_wait(of) or prod(race.witness.block) == WARP:
        return True
    if any(_ends_at_warp(part) for one in of.barriers for guard in one.guards for part in conjuncts(guard.term)):
        return True
    return any(map(_of_lanes, race.accesses))


def lanes_wait(of: Trace) -> bool:
    """Whether lanes wait for each other anywhere in a kernel: by a barrier of their own, or an instruction of warps."""
    return bool(of.warp_ops) or any(barrier.scope in (Scope.TILE, Scope.WARP) for barrier in of.barriers)


def _of_lanes(access: Access) -> bool:
    if access.volatile or any(first_threads(part) for guard in access.guards for part in conjuncts(guard.term)):
        return True
    return any(_lane(part) for term in (access.offset, *(g.term for g in access.guards)) for part in subterms(term))


def _ends_at_warp(part: Term) -> bool:
    """``step >= 32``: a test that a warp is enough for what follows, not one of threads."""
    if part.op not in ("lt", "le") or not part.symbols or set(part.symbols) & set(THREAD):
        return False
    return any(arg.value in (WARP - 1, WARP) for arg in part.args)


def _lane(part: Term) -> bool:
    """``t % 32``, ``t & 31``, ``t / 32``, ``t >> 5``; ``t ^ 16``."""
    if part.op not in _OF_WARPS or not set(symbols(part.args[0])) & set(THREAD):
        return False
    number = part.args[1].value
    return number is not None and (0 < number < WARP if part.op == "xor" else number == _OF_WARPS[part.op])


_OF_WARPS = {"mod": WARP, "div": WARP, "and": WARP - 1, "shr": 5, "xor": None}
