"""The three verdicts of a kernel: on races, on barriers, on bounds (see :mod:`kernlint.analysis.verdict.verdicts`)."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from itertools import combinations

from kernlint.analysis.accesses.pairs import Pair, concurrent, conflicting, side, undecided
from kernlint.analysis.assumptions import assumed, contradiction
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.extent.allocated import allocated
from kernlint.analysis.extent.extents import outside
from kernlint.analysis.launching.agreement import agreement
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.replay import replayer
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.scenarios.scenario import Scenario
from kernlint.analysis.search.collisions import Race
from kernlint.analysis.sharing.finder import GlobalRace
from kernlint.analysis.sharing.global_races import across, global_races
from kernlint.analysis.sharing.race_words import witness
from kernlint.analysis.sharing.races import shared_races
from kernlint.analysis.sharing.rows import in_row
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import (
    RECURSION,
    TOO_DEEP,
    Access,
    AccessKind,
    BarrierEvent,
    GuardKind,
    Root,
    RootKind,
    Trace,
)
from kernlint.analysis.verdict.shaped import own_extent, past_own_extent
from kernlint.analysis.verdict.verdicts import FEW, Ladder, Rung, Verdict, obstacle, product, pure_calls, unknown
from kernlint.analysis.wording import element, element_size, witness_of
from kernlint.finding import Step, Witness
from kernlint.prove.query import PLACED, Bounds, Overlap, Proved, Unknown
from kernlint.prove.query import Scope as Within
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.show import show
from kernlint.symbolic.terms import (
    BLOCK_DIM,
    GRID_DIM,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    cast,
    const,
    symbols,
)
from kernlint.symbolic.uniformity import uniformity
from kernlint.tree.nodes import Barrier, Scope
from kernlint.tree.types import I64, IntType, Space
from kernlint.tree.walk import functions_of, walk

SHOWN = 60
"""Longest term in a reason."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdicts on one kernel variant."""

    races: Verdict
    barriers: Verdict
    bounds: Verdict


# ------------------------------------------------------------------------------------------------------ barriers


EXITED = "threads that have returned do not count at a barrier (compute capability 7.0 on)"


def barriers(facts: Facts, *, refute: bool = True) -> Verdict:
    """Whether every thread of a block reaches each barrier that one of them reaches; ``refute``: look for one that
    does not."""
    of = facts[trace]
    found = [barrier for barrier in of.barriers if barrier.scope in (Scope.BLOCK, Scope.CLUSTER, Scope.GRID)]
    for gap in of.gaps:
        if gap.kind != "subscript" and not (gap.kind == "call" and not found):
            return unknown(gap.reason, gap.span)
    for loss in facts.losses:
        return unknown(f"not understood: {loss.reason}", loss.span)
    for call in of.calls:
        if call.may_sync or (call.reason in (RECURSION, TOO_DEEP) and _any_barrier(facts)):
            return unknown(f"the call of {call.name} is not followed", call.span)
    for copy in of.asyncs:
        if copy.node.mechanism == "event":
            return unknown("copies that a whole group makes", copy.span)
    if not found:
        return Verdict("proved", reason="none")
    ladder = Ladder(facts)
    for barrier in found:
        if not barrier.certain or barrier.named:
            return unknown(f"{barrier.name} is not understood", barrier.span)
        obstacle_ = _divergent(facts, barrier, ladder)
        if obstacle_ is not None:
            return (_diverges(facts, barrier) if refute else None) or obstacle_
    return ladder.proved("uniform")


def _any_barrier(facts: Facts) -> bool:
    """Whether there is a barrier in the kernel or in what it calls, followed or not."""
    return any(isinstance(node, Barrier) for function in functions_of(facts.kernel) for node in walk(function))


def _divergent(facts: Facts, barrier: BarrierEvent, ladder: Ladder) -> Verdict | None:
    """The condition on which threads may disagree before they reach a barrier."""
    opencl = facts.module.language == "opencl"
    level = Uniformity.GRID if barrier.scope is Scope.GRID else Uniformity.BLOCK

    def differs(term: Term) -> bool:
        return uniformity(term) > level

    conditions: list[tuple[Term, Span, bool]] = []
    for guard in barrier.guards:
        if guard.kind not in (GuardKind.ASSERT, GuardKind.AFTER_LOOP):
            conditions.append((guard.term, guard.span, guard.kind is GuardKind.EXIT))
    around = {id(one) for held in barrier.loops for one in held.chain}
    for loop in facts[trace].loops:
        conditions += [(term, span, True) for term, span in loop.leaves]
        if id(loop) not in around:
            continue
        conditions += [(term, span, False) for term, span in (*loop.exits, *loop.returns)]
        if loop.condition is not None:
            conditions.append((loop.condition, loop.condition_span or loop.span, False))
    for term, span, exited in conditions:
        if not differs(term):
            continue
        if exited and not opencl and barrier.scope is Scope.BLOCK:
            ladder.assume(EXITED)
            continue
        text = show(term)
        on = f"depends on the thread: {text}" if len(text) <= SHOWN else "depends on the thread"
        return unknown(f"reaching {barrier.name} {on}", span)
    return None


def _diverges(facts: Facts, barrier: BarrierEvent) -> Verdict | None:
    """The divergence as the emulator sees it under a believable block."""
    for shape in facts[scenarios].plausible[:1]:
        x, y, z = (size or 1 for size in shape.grid)
        grid = (x, y, z) if x * y * z <= 64 else (1, 1, 1)
        seen = facts[replayer].divergence(shape.block, grid, barrier.span)
        returns = any(guard.kind is GuardKind.EXIT for guard in barrier.guards) or facts[trace].exits
        if seen is None or (seen.fault.exited and returns and facts.module.language != "opencl"):
            continue
        first, second = seen.fault.first, seen.fault.second
        steps = [Step(first.block, first.thread, first.span or barrier.span, f"waits at {barrier.name}")]
        if second is not None:
            what = "has left the kernel" if seen.fault.exited else "waits elsewhere"
            steps.append(Step(second.block, second.thread, second.span or barrier.span, what))
        scalars = [param.name for param in facts.function.params if isinstance(param.type, IntType)]
        values = tuple((name, seen.fallback or 0) for name in scalars)
        shown = Witness(shape.block, grid, values, tuple(steps), True)
        return Verdict("refuted", _under(shape), f"threads disagree on reaching {barrier.name}", barrier.span, shown)
    return None


def _under(shape: Scenario) -> tuple[str, ...]:
    """The block that a refutation rests on, where it is a guess."""
    return () if shape.seen else (f"block = {product(shape.block)} ({shape.reason})",)


# --------------------------------------------------------------------------------------------------------- races


def races(facts: Facts, synchronised: Verdict) -> Verdict:
    """Whether no two threads of a grid use one byte at the same time, one of them writing."""
    of = facts[trace]
    verdict = obstacle(facts, of) or keeps_apart(Ladder(facts), of, synchronised)
    if verdict.status != "proved":
        return _race(facts) or verdict
    return verdict


def _plainly_raceless(facts: Facts) -> bool:
    of = facts[trace]
    shared = [access for access in of.accesses if access.root.space in (Space.GLOBAL, Space.SHARED)]
    writes = [access for access in shared if access.writes]
    if len(writes) * len(shared) > MODEST:
        return False
    written = {id(access.root) for access in writes}
    meeting = [access for access in shared if id(access.root) in written]
    if any(symbol.kind not in PLACED for access in meeting for symbol in symbols(access.offset)):
        return False
    pairs = sum(conflicting(a, b) for at, a in enumerate(meeting) for b in meeting[at:])
    if pairs > FEW or facts[contradiction] or obstacle(facts, of) is not None:
        return False
    return keeps_apart(Ladder(facts, hasty=True), of, barriers(facts, refute=False)).status == "proved"


MODEST = 200
"""Pairs of accesses of a kernel that is looked at in haste."""


def keeps_apart(ladder: Ladder, of: Trace, synchronised: Verdict, about: Container[Access] | None = None) -> Verdict:
    """Whether all conflicting pairs of accesses of a walk are proved to keep apart, those with one that it is ``about``
    if that is given; ``synchronised``: the verdict on its barriers."""
    ladder.assume(*pure_calls(of))
    groups: dict[int, list[Access]] = {}
    for access in of.accesses:
        if access.root.space in (Space.GLOBAL, Space.SHARED):
            groups.setdefault(id(access.root), []).append(access)
    written = [group for group in groups.values() if any(access.writes for access in group)]
    for group in written:
        space = group[0].root.space
        for at, first in enumerate(group):
            for second in group[at:]:
                if about is not None and first not in about and second not in about:
                    continue
                if not conflicting(first, second):
                    reason = _narrow(first, second)
                    if reason:
                        return unknown(reason, second.span)
                    continue
                reason = _apart(ladder, first, second, space, synchronised)
                if reason:
                    return unknown(reason, second.span)
    distinct(ladder, [group[0].root for group in groups.values()], [group[0].root for group in written])
    return ladder.proved("" if written else "nothing shared is written")


def _narrow(first: Access, second: Access) -> str:
    """Why two atomic operations on one object may still conflict."""
    both = first.kind is second.kind is AccessKind.ATOMIC
    scopes = {first.scope, second.scope}
    wide = {Scope.GRID, Scope.SYSTEM} if first.root.space is Space.GLOBAL else {Scope.BLOCK, Scope.GRID, Scope.SYSTEM}
    if both and not scopes <= wide:
        return f"atomic operations on {first.root.name} are of too narrow a scope"
    return ""


def _apart(ladder: Ladder, first: Access, second: Access, space: Space, synchronised: Verdict) -> str:
    """Prove that two threads never meet at two accesses; the reason when that fails."""
    everywhere = across(first, second, inside=False)
    if space is Space.GLOBAL:
        if same_constant(first, second) or _never(ladder, everywhere, "grid"):
            return ""
        rows = [access for access in dict.fromkeys((first, second)) if in_row(access)]
        if rows and _never(ladder, across(first, second), "grid"):
            ladder.assume(*(f"the index of {element(access)} stays inside its array" for access in rows))
            return ""
        answer = ask(ladder, everywhere, "blocks")
        if not isinstance(answer, Proved):
            return _why(answer, first, second, "threads of two blocks")
    elif same_constant(first, second):
        return ""
    if synchronised.status == "unknown":
        return "the barriers: " + synchronised.reason
    if synchronised.status == "refuted":
        return "barriers that not all threads reach"
    weak = _unfenced(first, second, space)
    if weak:
        return weak
    reason = undecided(first, second)
    if reason:
        return reason
    for pair in concurrent(first, second):
        answer = ask(ladder, pair, "block")
        if not isinstance(answer, Proved):
            return _why(answer, first, second, "two threads")
    ladder.assume(*synchronised.assumptions)
    return ""


def _never(ladder: Ladder, pair: Pair, within: Within) -> bool:
    before = dict(ladder.assumptions)
    if isinstance(ask(ladder, pair, within), Proved):
        return True
    ladder.assumptions = before
    return False


def ask(ladder: Ladder, pair: Pair, within: Within) -> object:
    def query(rung: Rung) -> Overlap:
        fixed = {symbol for symbol, _ in rung.launch.values}
        return Overlap(
            pair.a,
            pair.b,
            within,
            pair.tied,
            premises=rung.premises,
            private=pair.private - fixed,
            launch=rung.launch,
        )

    return ladder.proves(query)


def same_constant(first: Access, second: Access) -> bool:
    """Whether both put the same number into the same bytes, whichever comes first."""
    if not first.kind is second.kind is AccessKind.WRITE or first.value is None or second.value is None:
        return False
    if first.value.value is None or first.value != second.value:
        return False
    same = first.size == second.size and first.offset == second.offset and not any(symbols(first.offset))
    return same or first.value.value == 0


def _why(answer: object, first: Access, second: Access, who: str) -> str:
    if isinstance(answer, Unknown) and answer.reason == "index from memory":
        return f"index from memory ({element(second)})"
    if first is second:
        return f"{who} may meet at {element(first)}"
    return f"{who} may meet at {element(first)} and {element(second)}"


def _unfenced(first: Access, second: Access, space: Space) -> str:
    """Why barriers that two accesses rest on do not order them."""
    for label in (*first.labels, *second.labels):
        if label.barrier is not None and space not in label.barrier.spaces:
            return f"{label.barrier.name} does not fence {space.value} memory"
    return ""


def distinct(ladder: Ladder, roots: Sequence[Root], written: Sequence[Root]) -> None:
    """Pointer parameters are taken to lead to different memory."""
    names = sorted({root.name for root in roots if root.kind is RootKind.PARAM and root.space is Space.GLOBAL})
    if len(names) > 1 and any(root.kind is RootKind.PARAM and root.space is Space.GLOBAL for root in written):
        ladder.assume(f"{', '.join(names[:-1])} and {names[-1]} do not overlap")
    local = sorted({root.name for root in roots if root.kind is RootKind.PARAM and root.space is Space.SHARED})
    if len(local) > 1:
        ladder.assume(f"{', '.join(local[:-1])} and {local[-1]} do not overlap")


TRIED = 4
"""Races replayed before a refutation is given up."""


def _race(facts: Facts) -> Verdict | None:
    """A race that the emulator sees too."""
    found: list[Race | GlobalRace] = [*facts[shared_races], *facts[global_races]]
    for race in found[:TRIED]:
        first, second = race.pair.first, race.pair.second
        seen = facts[replayer].race(race.witness, (first.span, second.span))
        if seen is not None:
            shown = witness(first, second, race.witness, seen)
            reason = f"two threads use {race.root.name}"
            return Verdict("refuted", _under(race.shape), reason, second.span, shown)
    return None


# -------------------------------------------------------------------------------------------------------- bounds


CANDIDATES = 16
"""Extents tried for one access to memory behind a pointer."""


def bounds(facts: Facts) -> Verdict:
    """Whether every access stays within its object."""
    of = facts[trace]
    verdict = obstacle(facts, of) or _within(facts, of.accesses)
    if verdict.status != "proved":
        return _beyond(facts) or verdict
    return verdict


def _within(facts: Facts, accesses: Sequence[Access]) -> Verdict:
    ladder = Ladder(facts)
    ladder.assume(*pure_calls(facts[trace]))
    for access in accesses:
        root = access.root
        if access.offset.value == 0 and root.extent is not None and (access.size or 0) <= root.extent:
            continue  # a plain variable
        extent = const(root.extent, I64) if root.extent is not None else facts[assumed].extent(root.name)
        extent = extent if extent is not None else own_extent(facts, root)
        if extent is not None:
            if not _stays(ladder, access, extent):
                return unknown(f"{element(access)} may leave {root.name}", access.span)
            continue
        if root.kind is not RootKind.PARAM:
            return unknown(f"the extent of {root.name} is not known", access.span)
        count = _needed(ladder, access)
        if count is None:
            return unknown(f"nothing bounds {element(access)}", access.span)
    return ladder.proved("" if accesses else "no accesses")


def _needed(ladder: Ladder, access: Access) -> Term | None:
    """The number of elements that the memory of ``access`` has to have, of those that it may be meant to have: the
    first that is enough, or a part of it that is enough too.  What the answer takes for granted is assumed."""
    counts = _counts(access)[:CANDIDATES]
    start = dict(ladder.assumptions)
    for count in counts:
        if not _holds(ladder, access, count):
            ladder.assumptions = dict(start)
            continue
        enough = dict(ladder.assumptions)
        for less in sorted((one for one in counts if _part(one, count)), key=lambda one: one.size):
            ladder.assumptions = dict(start)
            if _holds(ladder, access, less) and len(ladder.assumptions) <= len(enough):
                count, enough = less, dict(ladder.assumptions)
                break
        ladder.assumptions = enough
        ladder.assume(f"{show(count)} <= len({access.root.name})")
        return count
    return None


def _holds(ladder: Ladder, access: Access, count: Term) -> bool:
    return _stays(ladder, access, binary("mul", count, const(element_size(access), I64), I64), guess=True)


def _part(less: Term, count: Term) -> bool:
    """Whether ``count`` is a whole multiple of ``less``, by sizes that are 1 at least."""
    whole, part = polynomial(count).coefficients, polynomial(less).coefficients
    if less == count or len(whole) != 1 or len(part) != 1:
        return False
    ((left, factor),), ((right, unit),) = whole.items(), part.items()
    rest = list(left)
    for atom in right:
        if atom not in rest:
            return False
        rest.remove(atom)
    return 0 < unit <= factor and factor % unit == 0


def _stays(ladder: Ladder, access: Access, extent: Term, *, guess: bool = False) -> bool:
    asked = side(access)

    def query(rung: Rung) -> Bounds:
        return Bounds(asked, extent, premises=rung.premises, launch=rung.launch)

    return isinstance(ladder.proves(query, guess=guess), Proved)


def _counts(access: Access) -> list[Term]:
    """Numbers of elements that the memory behind a pointer may be meant to have, likeliest first: what tests compare
    an index with, products of that, the threads of the launch."""
    found: dict[Term, None] = {}
    strides: dict[Term, None] = {}
    facts = [guard.term for guard in access.guards]
    facts += [loop.condition for loop in access.loops if loop.condition is not None]
    for fact in facts:
        for limit in _limits(fact):
            found[cast(limit, I64)] = None
            for symbol in symbols(limit):
                if symbol.kind is SymbolKind.PARAM and isinstance(symbol.type, IntType):
                    found[cast(symbol.term, I64)] = None
    for mono in polynomial(access.offset).coefficients:
        for atom in mono:
            if len(mono) > 1 and _scalar(atom):
                strides[cast(atom, I64)] = None
    singles = list(found)[:5]
    factors = list(dict.fromkeys((*singles, *strides)))[:5]
    products = [binary("mul", a, b, I64) for a, b in combinations(factors, 2)]
    rows = {s.axis for s in symbols(access.offset) if s.kind is SymbolKind.BLOCK}
    products += [binary("mul", a, cast(GRID_DIM[axis].term, I64), I64) for a in factors[:3] for axis in sorted(rows)]
    last: list[Term] = []
    reached = _last_block(access)
    if reached is not None:
        products.insert(0, reached)
    if access.offset.value is not None:
        last.append(const((access.offset.value + (access.size or 1) - 1) // element_size(access) + 1, I64))
    for axis in sorted({s.axis for s in symbols(access.offset) if s.kind in (SymbolKind.THREAD, SymbolKind.BLOCK)}):
        block, grid = cast(BLOCK_DIM[axis].term, I64), cast(GRID_DIM[axis].term, I64)
        threads = binary("mul", block, grid, I64)
        last += [block, grid, threads, *(binary("mul", stride, threads, I64) for stride in list(strides)[:2])]
    ordered = (*last, *singles, *products) if access.offset.value is not None else (*singles, *products, *last)
    return list(dict.fromkeys(ordered))


def _last_block(access: Access) -> Term | None:
    """The elements up to the one that the last block uses, where each block uses one in a row of constant length:
    ``a[blockIdx.x * 32]`` needs ``32 * (gridDim.x - 1) + 1``."""
    form = dict(polynomial(access.offset).coefficients)
    start, size = form.pop((), 0), element_size(access)
    if len(form) != 1 or start % size or start < 0:
        return None
    ((mono, stride),) = form.items()
    symbol = mono[0].symbol if len(mono) == 1 else None
    if symbol is None or symbol.kind is not SymbolKind.BLOCK or stride <= size or stride % size:
        return None
    grid = cast(GRID_DIM[symbol.axis].term, I64)
    row = binary("mul", grid, const(stride // size), I64)
    return binary("sub", row, const((stride - start) // size - 1), I64)


def _limits(fact: Term) -> Iterator[Term]:
    """What a truth says an index is below, in terms of the arguments alone."""
    if fact.op == "land":
        for arg in fact.terms:
            yield from _limits(arg)
    elif fact.op in ("lt", "le") and _scalar(fact.args[1]):
        limit = fact.args[1]
        yield limit if fact.op == "lt" else binary("add", cast(limit, I64), const(1, I64), I64)


def _scalar(term: Term) -> bool:
    """Whether a term is an integer of the arguments alone."""
    if not isinstance(term.type, IntType):
        return False
    return all(symbol.kind in (SymbolKind.PARAM, SymbolKind.TEMPLATE) for symbol in symbols(term))


def _beyond(facts: Facts) -> Verdict | None:
    """An access out of bounds that the emulator sees too."""
    for one in facts[outside]:
        seen = facts[replayer].beyond(one.witness, one.access.span) if one.extent is not None else None
        if seen is not None and one.sure:
            shown = witness_of(one.access, one.witness, one.unit, seen)
            reason = f"{element(one.access)} leaves {one.access.root.name}"
            return Verdict("refuted", reason=reason, span=one.access.span, witness=shown)
    for past in facts[allocated]:
        access = past.access
        seen = facts[replayer].beyond(past.witness, access.span, access.root, past.extent)
        if seen is not None:
            shown = witness_of(access, past.witness, element_size(access), seen)
            reason = f"{element(access)} is beyond the allocation"
            return Verdict("refuted", reason=reason, span=access.span, witness=shown)
    own = past_own_extent(facts)
    if own is not None:
        access, witness_, seen = own
        shown = witness_of(access, witness_, element_size(access), seen)
        reason = f"{element(access)} is past the extent of {access.root.name}"
        return Verdict("refuted", reason=reason, span=access.span, witness=shown)
    return None


def _compute(facts: Facts) -> Verdicts:
    if facts[contradiction]:
        nothing = unknown(f"no launch is as assumed: {'; '.join(facts[assumed].texts)}")
        return Verdicts(nothing, nothing, nothing)
    synchronised = barriers(facts)
    return Verdicts(races(facts, synchronised), synchronised, bounds(facts))


_NEEDS = (
    trace,
    agreement,
    allocated,
    assumed,
    contradiction,
    global_races,
    launch_context,
    outside,
    replayer,
    scenarios,
    shared_races,
)

verdicts = KernelAnalysis("verdicts", _compute, needs=_NEEDS)
"""The :class:`Verdicts` of a kernel variant; costly, so no rule asks for them."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One access and what is proved of it alone: that it meets no other one, and that it stays within its object."""

    access: Access
    races: Verdict
    bounds: Verdict


def _judge(facts: Facts) -> Callable[[Access], Judged]:
    synchronised = barriers(facts, refute=False)

    def judge(access: Access) -> Judged:
        of = facts[trace]
        stands = obstacle(facts, of)
        if stands is not None:
            return Judged(access, stands, stands)
        apart = keeps_apart(Ladder(facts), of, synchronised, {access})
        return Judged(access, apart, _within(facts, (access,)))

    return judge


judge_of = KernelAnalysis("judge_of", _judge, needs=_NEEDS)
"""A function that judges one access of a kernel variant by itself; costly."""


raceless = KernelAnalysis("raceless", _plainly_raceless, needs=(trace, assumed, contradiction, scenarios))
"""Whether it shows in a moment that no two threads of a kernel variant race (:data:`verdicts` has more of them).

Looked at are kernels with few pairs of accesses that conflict, all at places that follow from the thread; the proof
rests on the same kinds of assumptions.
"""
