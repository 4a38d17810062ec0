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
    event = _exchange(phi.step, phi.term) if phi.step is not None else None
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


def joined_in_turn(term: Term) -> bool:
    """Whether a value is one for all lanes of a warp, as exchanges one after the other have joined it over them."""
    if not _parts(term):
        return False
    left = {1 << bit for bit in range(5)}
    for _ in range(ROUNDS):
        own, event = next(
            ((own, event) for own in _parts(term) if (event := _exchange(term, own)) is not None), (term, None)
        )
        if event is None:
            break
        left.discard(event.operands[1].value or 0)
        term = own
    return not left


def _parts(term: Term) -> tuple[Term, ...]:
    """The two of which a term is what they come to, in whatever order; empty: it is nothing of the kind."""
    return parts_of_choice(term) or (term.terms if term.op in _COMMUTATIVE and len(term.terms) == 2 else ())


def parts_of_choice(term: Term) -> tuple[Term, ...]:
    """The two of which a term is the greater, or the less; empty: it is nothing of the kind."""
    if term.op == "select":
        test, one, other = term.args
        return (one, other) if test.op in ("lt", "le") and {*test.terms} == {one, other} else ()
    chooses = term.op in ("min", "max") or (term.op == "call" and term.args[0] in _CALLS)
    return term.terms if chooses and len(term.terms) == 2 else ()


def _exchange(term: Term, own: Term) -> WarpEvent | None:
    """The shuffle by which the lanes of a warp give each other ``own``, which ``term`` joins with what comes of it."""
    parts = _parts(term)
    if own not in parts:
        return None
    other = parts[1] if parts[0] == own else parts[0]
    event = other.symbol.origin if other.symbol is not None else None
    if not isinstance(event, WarpEvent) or event.node.kind != "shuffle_xor" or event.node.scope is not Scope.WARP:
        return None
    full = event.mask is None or event.mask.value in (0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF, -1)
    whole = event.width is None or event.width.value == LANES
    return event if full and whole and len(event.operands) > 1 and event.operands[0] == own else None
