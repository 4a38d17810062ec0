"""Barriers that a kernel does as well without, as a proof.

A barrier is taken out of the walk: what came after it then comes after whatever barrier came before it
(:mod:`.removed`).  Only what it alone has kept in order is asked about: when every two conflicting accesses that are
not ordered any more are proved to keep apart, under every launch that is allowed, nothing rests on the barrier,
whatever else may be said of the kernel.  A barrier that several calls of a helper reach, or several rounds, is taken
out of all of them.  Those that are told may all be taken out: each was asked about without the ones before.

Nothing is said where anything stands in the way of a proof, nor where barriers may have another purpose: with fences,
asynchronous copies, words that threads wait for, volatile memory, calls that are not followed, or atomic operations of
which the order counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.analysis.accesses.pairs import concurrent, conflicting, undecided
from kernlint.analysis.assumptions import assumed
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.order.hand_overs import order
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, BarrierEvent, Trace
from kernlint.analysis.verdict.proofs import ask, barriers, distinct, same_constant
from kernlint.analysis.verdict.removed import Ways, ways_without
from kernlint.analysis.verdict.verdicts import Ladder, Verdict, obstacle, pure_calls
from kernlint.prove.query import Proved
from kernlint.record import dataclass
from kernlint.symbolic.terms import Term, symbols
from kernlint.tree.nodes import Barrier, Call, ExprStmt, ImageOp, Scope
from kernlint.tree.types import Space
from kernlint.tree.walk import functions_of, walk

MOST = 24
"""Barriers of one kernel that are looked at."""

ACCESSES = 240
"""Accesses of a kernel that is looked at."""

PAIRS = 400
"""Pairs of accesses that are asked about for one barrier."""


@dataclass(frozen=True, slots=True, eq=False)
class Redundant:
    """``barrier`` keeps nothing apart, on the premises ``assumptions``."""

    barrier: BarrierEvent
    assumptions: tuple[str, ...]


def _compute(facts: Facts) -> tuple[Redundant, ...]:
    of = facts[trace]
    if not facts.options.pedantic or not _plain(facts, of):
        return ()
    synchronised = barriers(facts, refute=False)
    return tuple(_find(facts, of, synchronised)) if synchronised.status == "proved" else ()


def _find(facts: Facts, of: Trace, synchronised: Verdict) -> Iterator[Redundant]:
    told: set[object] = set()
    gone: list[BarrierEvent] = []
    budget = Ladder(facts)
    asked = _asked(of)
    for barrier in of.barriers:
        if barrier.span in told or barrier.scope is not Scope.BLOCK:
            continue
        told.add(barrier.span)
        if barrier.stack and _of_others(facts, barrier):
            continue
        out = [*gone, *(other for other in of.barriers if other.span == barrier.span)]
        if not all(set(barrier.spaces) <= set(b.spaces) for b in of.barriers if b.scope is Scope.BLOCK):
            continue  # another one does not fence what this one does
        ladder = Ladder(facts)
        ladder.left, ladder.solver = budget.left, budget.solver  # one kernel's, whatever its barriers
        ladder.assume(*pure_calls(of), *synchronised.assumptions)
        redundant_ = _nothing_rests_on(out, of, asked, ladder)
        budget = ladder
        if redundant_:
            gone = out
            yield Redundant(barrier, ladder.proved().assumptions)


def _of_others(facts: Facts, barrier: BarrierEvent) -> bool:
    """Whether a barrier in a helper may be there for callers that this kernel knows nothing of."""
    body = facts.function.body.body if facts.function.body is not None else ()
    alone = body[0].expr if len(body) == 1 and isinstance(body[0], ExprStmt) else None
    if isinstance(alone, Call) and alone.function is not None and alone.function.span == facts.function.span:
        return True  # nobody in sight calls it
    if barrier.span.file != facts.module.path:
        return True  # whoever includes the header
    return any(
        any(isinstance(node, Barrier) and node.span == barrier.span for node in walk(function))
        for kernel in facts.module.kernels
        if kernel.name != facts.kernel.name
        for function in functions_of(kernel)
    )


def _nothing_rests_on(out: list[BarrierEvent], of: Trace, asked: set[int], ladder: Ladder) -> bool:
    """Whether all that the barriers ``out`` alone keep in order keeps apart by itself."""
    groups: dict[int, list[tuple[Access, Ways]]] = {}
    for access in (*of.accesses, *of.images):
        if access.root.space in (Space.GLOBAL, Space.SHARED):
            groups.setdefault(id(access.root), []).append((access, ways_without(access, out)))
    left = PAIRS
    written = [group for group in groups.values() if any(access.writes for access, _ in group)]
    for group in written:
        for at, (first, mine) in enumerate(group):
            for second, theirs in group[at:]:
                if not (mine.moved or theirs.moved) or not (first.writes or second.writes):
                    continue
                if not conflicting(first, second) and _commute(first, second, asked):
                    continue
                left -= 1
                if left < 0 or not _apart(ladder, first, mine, second, theirs):
                    return False
    distinct(ladder, [group[0][0].root for group in groups.values()], [group[0][0].root for group in written])
    return True


def _apart(ladder: Ladder, first: Access, mine: Ways, second: Access, theirs: Ways) -> bool:
    """Whether two threads that nothing else keeps in order never meet at two accesses."""
    if same_constant(first, second):
        return True
    for a, b in mine.newly(theirs):
        if undecided(a, b):
            return False
        if not all(isinstance(ask(ladder, pair, "block"), Proved) for pair in concurrent(a, b)):
            return False
    return True


def _commute(first: Access, second: Access, asked: set[int]) -> bool:
    """Whether it makes no difference which of two atomic operations comes first: both do the same to what is there, and
    nobody looks at what they give back.  ``asked``: :func:`_asked`."""
    if first.kind is not second.kind or first.kind is not AccessKind.ATOMIC:
        return True
    return first.atomic_op == second.atomic_op in COMMUTING and asked.isdisjoint((id(first.node), id(second.node)))


COMMUTING = frozenset({"add", "sub", "min", "max", "and", "or", "xor"})


def _asked(of: Trace) -> set[int]:
    """The identities of the nodes of a kernel of whose values anything is made."""
    return {id(symbol.origin) for term in _terms(of) for symbol in symbols(term)}


def _terms(of: Trace) -> Iterable[Term]:
    for event in of.accesses:
        yield from (term for term in (event.offset, event.value, event.new) if term is not None)
        yield from (guard.term for guard in event.guards)
    for loop in of.loops:
        yield from loop.left_by
        if loop.condition is not None:
            yield loop.condition


def _plain(facts: Facts, of: Trace) -> bool:
    """Whether barriers can be for nothing but the order of accesses in a block."""
    if not 0 < len(of.barriers) <= MOST or len(of.accesses) > ACCESSES:
        return False
    if obstacle(facts, of, images=_told_apart(facts, of)) is not None:
        return False
    if of.fences or of.asyncs or facts[order].words:
        return False
    if any(a.volatile for a in of.accesses) or not all(_bare(barrier) for barrier in of.barriers):
        return False
    asked = _asked(of)
    return all(_counts_alone(access, of, asked) for access in of.accesses if access.kind is AccessKind.ATOMIC)


def _told_apart(facts: Facts, of: Trace) -> bool:
    """Whether every pixel that is written is known."""
    known = {id(access.node) for access in of.images}
    used = [node for function in functions_of(facts.kernel) for node in walk(function) if isinstance(node, ImageOp)]
    return all(id(node) in known or not node.write for node in used) and not any(map(_read_too, of.images))


def _read_too(access: Access) -> bool:
    """Whether an image may be read and written."""
    decl = access.root.decl
    return access.writes and not (decl is not None and "write_only" in getattr(decl.type, "spelling", ""))


def _counts_alone(access: Access, of: Trace, asked: set[int]) -> bool:
    """Whether an atomic operation is nothing by which blocks tell each other what they have done: it is one of the
    block's own memory, or all that is done to that object, and nobody looks at what it gives back."""
    if access.root.space is Space.SHARED:
        return True
    alone = all(other.kind is AccessKind.ATOMIC for other in of.accesses if other.root is access.root)
    return alone and access.atomic_op in COMMUTING and id(access.node) not in asked


def _bare(barrier: BarrierEvent) -> bool:
    node = barrier.node
    if barrier.scope is Scope.WARP:
        return True
    return (
        barrier.scope is Scope.BLOCK
        and barrier.certain
        and not barrier.named
        and barrier.storage is None
        and isinstance(node, Barrier)
        and node.predicate is None
        and not node.args
    )


redundant = KernelAnalysis("redundant_barriers", _compute, needs=(trace, order, assumed, scenarios))
"""The :class:`Redundant` barriers of a kernel variant; none unless notes are asked for."""
