"""Values that shuffles join over all lanes of a warp, and that are the same in each of them afterwards.

``for (d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);`` pairs lanes whose numbers differ in one bit after the
other: when each bit had its turn every lane has the sum of all, and to the last bit the same one, since both partners
of a pair add the same two numbers (CUDA C++ Programming Guide, warp shuffle functions, reduction across a warp).
"""

from __future__ import annotations

from collections.abc import Callable

from kernlint.analysis.trace.events import LoopContext, WarpEvent
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import Symbol, Term
from kernlint.tree.nodes import Scope

ROUNDS = 7
"""Rounds in which a distance is halved, or doubled, at most."""

LANES = 32
"""Lanes of a warp; wavefronts may have twice as many."""

_COMMUTATIVE = frozenset({"add", "mul", "min", "max", "and", "or", "xor", "land", "lor"})
_CALLS = frozenset({"fmin", "fmax"})


def joined(phi: Symbol, loop: LoopContext, wavefronts: bool, resolve: Callable[[Term], Term]) -> WarpEvent | None:
    """The shuffle by which the rounds of a loop join a variable over all lanes; None where they do not.

    ``resolve`` gives loop variables their values by the number of the round; ``wavefronts``: there may be 64 lanes."""
    event = _exchanged(phi)
    if event is None or loop.condition is None or loop.exits or loop.leaves:
        return None
    distance, condition = resolve(event.operands[1]), resolve(loop.condition)
    bits: set[int] = set()
    for number in range(ROUNDS + 1):
        env = {loop.counter: number}
        if not evaluate(condition, env):
            wanted = {1 << bit for bit in range(6) if 1 << bit < LANES * (2 if wavefronts else 1)}
            return event if evaluate(condition, env) == 0 and wanted <= bits else None
        bits.add(evaluate(distance, env) or 0)
    return None


def _exchanged(phi: Symbol) -> WarpEvent | None:
    """The shuffle whose result a variable is joined with in each round, if it is of the variable itself."""
    step = phi.step
    if step is None or not (step.op in _COMMUTATIVE or (step.op == "call" and step.args[0] in _CALLS)):
        return None
    if len(step.terms) != 2:
        return None
    own, other = step.terms if step.terms[0].symbol is phi else step.terms[::-1]
    event = other.symbol.origin if other.symbol is not None else None
    if own.symbol is not phi or not isinstance(event, WarpEvent) or event.node.kind != "shuffle_xor":
        return None
    full = event.mask is None or event.mask.value in (0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF, -1)
    whole = event.width is None or event.width.value == LANES
    of_phi = len(event.operands) > 1 and event.operands[0].symbol is phi
    return event if full and whole and of_phi and event.node.scope is Scope.WARP else None
