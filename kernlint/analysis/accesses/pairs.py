"""Concurrent pairs: which two accesses of a kernel may two threads make with no barrier between them.

Two accesses are concurrent when the last barrier that both threads have passed is the same *instance* of the same
barrier.  An access carries its possible last barriers as labels; a label says for each loop around the barrier how
many iterations ago it ran.  For a pair of labels with the same barrier this gives, loop by loop::

    both ran n and m iterations ago     counter_a - n == counter_b - m     (a tie with shift n - m)
    a came after the loop, b is in it   the loop ends after b's iteration  (a guard of b)
    both came after the loop            nothing: there is one last iteration
    the loop is not around the barrier  nothing: each thread is in an iteration of its own

A symbol that belongs to a loop in which the two threads are in different iterations is a different value for each.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence

from kernlint.analysis.accesses.descents import no_more_than_first
from kernlint.analysis.trace.events import (
    Access,
    AccessKind,
    AsyncEvent,
    BarrierEvent,
    GuardKind,
    Label,
    LoopContext,
    Root,
    RootKind,
    WarpEvent,
)
from kernlint.analysis.trace.joined import joined_in_turn
from kernlint.prove.cases import conjuncts, ways
from kernlint.prove.query import LoopRange, Side
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.show import out_of_sight
from kernlint.symbolic.terms import (
    CUT_SHORT,
    TRUE,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    const,
    disjunction,
    negate,
    substitute,
    subterms,
    symbols,
)
from kernlint.symbolic.uniformity import WARP, uniformity
from kernlint.tree.nodes import AsyncCopy, AsyncWait, Barrier, Scope
from kernlint.tree.types import BOOL, I64, FloatType, OpaqueType, PointerType


@dataclass(frozen=True, slots=True)
class Pair:
    """Two accesses to one object that two threads of a block may make in the same phase.

    ``first`` comes before ``second`` in the text (or is the same access); ``a`` and ``b`` are what the prover needs
    to know of them.  ``tied`` and ``private``: as in :class:`kernlint.prove.query.Overlap`.  ``barrier``: the last
    one that both threads have passed (None: none yet).  ``carried``: the loop of which one of them is already in
    the next iteration (None: both in one run of the code); ``reversed``: then it is ``first`` that is ahead.
    ``unseen``: what is taken for granted of calls between them that are out of sight, in words.
    ``supposed``: that the barrier was the last one rests on conditions of iterations before.
    """

    first: Access
    second: Access
    a: Side
    b: Side
    tied: tuple[tuple[Symbol, Symbol, int], ...] = ()
    private: frozenset[Symbol] = frozenset()
    barrier: BarrierEvent | None = None
    carried: LoopContext | None = None
    reversed: bool = False
    unseen: tuple[str, ...] = ()
    supposed: bool = False


def conflicting(first: Access, second: Access) -> bool:
    """Whether the kinds of two accesses to one object conflict: one changes it and not both are atomic."""
    if first.root is not second.root or not (first.writes or second.writes):
        return False
    if first.asynchronous and first.node is second.node and first.stack == second.stack:
        return False  # the block makes one copy together
    return not (first.kind is AccessKind.ATOMIC and second.kind is AccessKind.ATOMIC)


def known(access: Access) -> bool:
    """Whether object, size and manner of the access are plain enough to reason about.

    Of the asynchronous copies only those are that a whole block makes together (OpenCL's).
    """
    return placed(access) and not any(_unseen(guard.term, access.root) for guard in access.guards)


def placed(access: Access, taken: Callable[[Term], bool] | None = None) -> bool:
    """Whether object, size and manner are plain, whatever the conditions, of which none is lost; of those that are not
    ``taken`` for granted threads are told apart in integers."""
    if access.doubted or (access.asynchronous and not collective(access)):
        return False
    if taken is not None and any(not taken(guard.term) and _unseen(guard.term) for guard in access.guards):
        return False
    return access.root.kind is not RootKind.UNKNOWN and bool(extent(access))


def collective(access: Access) -> bool:
    """Whether the access is part of an asynchronous copy that a whole block makes together (OpenCL's)."""
    return access.asynchronous and isinstance(access.node, AsyncCopy) and access.node.mechanism == "event"


def of_thread(access: Access) -> bool:
    """Whether it is the write of an asynchronous copy that a thread makes by itself (``cp.async``).

    Whatever the waits, it needs the barriers that a plain write in its place would need: the one before it, and the one
    between it and what others read.
    """
    if access.doubted or not isinstance(access.node, AsyncCopy) or access.node.mechanism != "cp_async":
        return False
    return access.kind is AccessKind.WRITE and access.root.kind is not RootKind.UNKNOWN and bool(extent(access))


@functools.lru_cache(maxsize=1 << 14)
def _unseen(term: Term, root: Root | None = None) -> bool:
    """Whether threads are told apart by what the prover, which has integers alone, cannot tell, so that it would let
    every thread pass: in floating point (``threadIdx.x < blockDim.x / 32.f``), by groups whose size nobody knows.  What
    a thread makes for itself and compares with something of ``root`` (a draw, with how likely the change of a cell is)
    tells nobody apart."""
    if term.op in ("lt", "le", "eq", "ne") and isinstance(term.args[0].type, FloatType):
        if root is not None and term.op in ("lt", "le") and any(_of_contents(side, root) for side in term.args):
            return False
        return any(symbol.kind is SymbolKind.THREAD for symbol in symbols(term))
    return _in_unknown_groups(term) or any(_unseen(arg, root) for arg in term.terms)


def _of_contents(term: Term, root: Root) -> bool:
    """Whether a number is made of what an object holds, and not of the thread's index."""
    found = symbols(term)
    held = (symbol.kind is SymbolKind.LOAD and symbol.origin[0] is root for symbol in found)
    return any(held) and not any(symbol.kind is SymbolKind.THREAD for symbol in found)


def _in_unknown_groups(term: Term) -> bool:
    """Whether a term is the group of a thread, or its place in the group, where the size of groups is a name of which
    nothing is known: ``threadIdx.x & (WARP_SIZE - 1)`` without the header that has the size."""
    if term.op not in ("and", "mod", "div", "shr"):
        return False
    return any(symbol.kind is SymbolKind.THREAD for symbol in symbols(term.args[0])) and any(
        symbol.kind is SymbolKind.UNKNOWN and symbol.uniformity is Uniformity.GRID for symbol in symbols(term.args[1])
    )


def extent(access: Access) -> int | None:
    """Bytes that the access is sure to touch; a copy of unknown length touches an element at least, and an element of
    a type that no header gave its first byte."""
    if access.asynchronous and (access.size or 0) <= 0:
        return access.type.size
    if access.size is None and isinstance(access.type, OpaqueType) and access.node is not None:
        return 1
    return access.size


def awaited(first: Access, second: Access, waits: Sequence[AsyncEvent]) -> bool:
    """Whether ``second`` comes after a wait for the asynchronous ``first``, or one that may be for it."""
    return collective(first) and any(
        first.order < wait.order < second.order and _may_end(wait, first) for wait in waits
    )


def _may_end(wait: AsyncEvent, copy: Access) -> bool:
    """Whether a wait is for ``copy``, as far as can be told."""
    return wait.awaits is None or copy.handle is None or copy.handle in wait.awaits


def unended(first: Access, second: Access, waits: Sequence[AsyncEvent]) -> Pair:
    """The pair of an asynchronous copy and what follows before a wait: barriers do not end the copy.

    A wait further down in a loop around ``second`` comes before it in every iteration but the first; one around both
    comes between them in all but the same, and so does one at the head of a loop around both.
    """
    extra: list[Term] = []
    tied: list[tuple[Symbol, Symbol, int]] = []
    for loop in second.loops:
        around = loop in first.loops
        if not any(
            loop in wait.loops
            and (second.order < wait.order or (around and wait.order < first.order))
            and _may_end(wait, first)
            for wait in waits
        ):
            continue
        if loop in first.loops:
            tied.append((loop.counter, loop.counter, 0))
        else:
            extra.append(binary("eq", loop.counter.term, const(0), BOOL))
    return Pair(first, second, side(first), side(second, extra), tuple(tied))


def waits(events: Iterable[AsyncEvent]) -> list[AsyncEvent]:
    """Those of ``events`` that wait for copies."""
    return [event for event in events if isinstance(event.node, AsyncWait) and not event.node.commit]


def same_value(first: Access, second: Access, *, warp: bool = False) -> bool:
    """Whether two accesses cannot disturb each other, as the writes among them put the same value there for all
    threads of a block (``warp``: of a warp), or the one that was there."""
    if any(access.kind is AccessKind.WRITE and access.kept == TRUE for access in (first, second)):
        return True
    if first.kind is AccessKind.WRITE and second.kind is AccessKind.READ and first.offset == second.offset:
        # Each reader has put that value there itself.
        return first.guards == second.guards[: len(first.guards)] and same_value(first, first, warp=warp)
    if first.kind is not AccessKind.WRITE or second.kind is not AccessKind.WRITE:
        return False
    if first is second and isinstance(first.type, PointerType):
        return True  # which object a pointer names is not a value of its own here
    if first is second and first.size is None:
        return True  # not even the type is known: nothing says that threads differ in the value
    if first.value is None or second.value is None or first.value != second.value or first.size != second.size:
        return False
    if first is second and _out_of_sight(first.value):
        return True
    return _alike(first.value, first, warp)


def _out_of_sight(value: Term) -> bool:
    """Whether a value is made by functions out of sight, which are given no memory, and of nothing that surely differs
    among the threads of a block, or is too large to be followed: that threads differ in it nobody knows."""
    calls = [part for part in subterms(value) if part.op == "call"]
    large = value.symbol is not None and value.symbol.reason == CUT_SHORT
    if not large and not any("@" in part.args[0] for part in calls):
        return False
    given = {s for part in calls if part.args[0] == "address" for s in part.args[1].symbols}
    memory = any(isinstance(s.origin, Root) and s.origin.kind is not RootKind.IMAGE for s in given)
    return not memory and all(symbol.surely <= Uniformity.BLOCK for symbol in value.symbols)


def _alike(term: Term, write: Access, warp: bool) -> bool:
    """Whether ``term`` has one value for all threads of a block (of a warp) that are in one phase."""
    if term.op == "sym":
        return _steady(term.args[0], write, warp)
    if warp and joined_in_turn(term):
        return True
    if term.op == "call" and opaque(term):
        return (warp and _summed(term)) or (term.args[0].startswith("after") and _made_alike(term, write, warp))
    return all(_alike(arg, write, warp) for arg in term.terms)


def _made_alike(after: Term, write: Access, warp: bool) -> bool:
    """Whether what a variable holds behind a loop is made of what all threads have alike, in as many rounds."""
    known, todo = set[Symbol](), list(after.terms)
    for term in todo:  # grows
        for symbol in symbols(term):
            if symbol in known or symbol.kind is SymbolKind.COUNTER:
                continue
            known.add(symbol)
            if symbol.kind is SymbolKind.PHI and symbol.init is not None and symbol.step is not None:
                todo += [symbol.init, symbol.step]
            elif not _steady(symbol, write, warp):
                return False
        if any(part.op == "call" and "@" in part.args[0] for part in subterms(term)):
            return False
    return True


def _summed(term: Term) -> bool:
    """Whether ``term`` is a variable after a loop in which all lanes of a warp have combined what each had: in each
    round with the lane across from it, at every distance in a warp (``v += __shfl_xor_sync(mask, v, d)``)."""
    of = term.terms[0].symbol if term.terms else None
    if of is None or of.kind is not SymbolKind.PHI or of.step is None or len(of.step.terms) != 2:
        return False
    for own, other in (of.step.terms, of.step.terms[::-1]):
        event = other.symbol.origin if other.symbol is not None and own.symbol is of else None
        if isinstance(event, WarpEvent) and event.node.kind == "shuffle_xor" and event.node.synchronising:
            value, _, *clamp = event.operands  # PTX names the last lane of a segment
            whole = (event.width is None or event.width.value == WARP) and all(c.value == WARP - 1 for c in clamp)
            return whole and value == own and _across(event, of.origin)
    return False


def _across(event: WarpEvent, loop: LoopContext) -> bool:
    """Whether the distances of an exchange in ``loop`` are all those in a warp, each once."""
    found: list[int | None] = []
    for round_ in range(WARP.bit_length()):
        env = {loop.counter: round_}
        if loop.condition is None or not evaluate(loop.condition, env):
            break
        found.append(evaluate(event.operands[1], env))
    return sorted(found, key=lambda one: one or 0) == [1 << bit for bit in range(WARP.bit_length() - 1)]


def put_before(pair: Pair) -> bool:
    """Whether the thread that reads has itself put there, in the iteration before, what the other puts there then."""
    read, write = pair.first, pair.second
    if pair.carried is None or not pair.reversed or read.kind is not AccessKind.READ or read.offset != write.offset:
        return False
    if any(symbol.serial > pair.carried.serial for symbol in symbols(read.offset)):
        return False  # another place in each iteration
    own = [guard for guard in write.guards if guard.loop is None]
    return (
        all(guard in read.guards for guard in own)
        and all(symbol.kind in (*_STEADY, SymbolKind.THREAD) for guard in own for symbol in symbols(guard.term))
        and same_value(write, write)
    )


def _steady(symbol: Symbol, write: Access, warp: bool) -> bool:
    """Whether a symbol has one value for all threads of a block (of a warp) that are in one phase.

    So has what they load from one place, unless that is, or may be, the one that they write, and what a collective
    gives to all that come to it: it ends a phase itself.
    """
    most = Uniformity.WARP if warp else Uniformity.BLOCK
    if symbol.uniformity > most:
        return False
    if symbol.kind is SymbolKind.LOAD:
        root, offset = symbol.origin
        return symbol.uniformity <= Uniformity.BLOCK and (root is not write.root or _beside(symbol, offset, write))
    if symbol.kind is SymbolKind.UNKNOWN:
        vote = isinstance(symbol.origin, Barrier) and symbol.origin.scope is Scope.BLOCK
        return vote or (warp and isinstance(symbol.origin, WarpEvent) and symbol.origin.node.synchronising)
    return symbol.kind in _STEADY


def _beside(load: Symbol, offset: Term, write: Access) -> bool:
    """Whether a load of ``offset`` and ``write`` are of two fields of one object."""
    at, to, size = offset.value, write.offset.value, load.type.size
    if at is None or to is None or size is None or write.size is None:
        return False
    return at + size <= to or to + write.size <= at


_STEADY = frozenset(
    {
        SymbolKind.BLOCK,
        SymbolKind.BLOCK_DIM,
        SymbolKind.GRID_DIM,
        SymbolKind.OFFSET,
        SymbolKind.WARP_SIZE,
        SymbolKind.PARAM,
        SymbolKind.TEMPLATE,
        SymbolKind.SIZEOF,
    }
)
"""Kinds of symbols that have one value in the whole run of a block."""


def opaque(term: Term) -> bool:
    """Whether a term holds the result of something that is more than a function of its arguments: a call that may
    write memory, a variable after a loop."""
    if term.op == "call" and ("@" in term.args[0] or term.args[0].startswith(("after", "returned", "left"))):
        return True
    return any(opaque(arg) for arg in term.terms)


def concurrent(first: Access, second: Access, *, warp: bool = False) -> Iterator[Pair]:
    """The ways in which two threads of a block make the two accesses in one phase.

    With ``warp`` the phases are those of the threads of a warp, which warp barriers and collectives end too.
    Labels of which something has to be supposed that threads need not agree on give nothing.
    """
    ours = first.warp_labels if warp else first.labels
    theirs = second.warp_labels if warp else second.labels
    for i, mine in enumerate(ours):
        for j, other in enumerate(theirs):
            if first is second and j < i:
                continue
            if mine.barrier is other.barrier and usable(mine) and usable(other):
                pair = _pair(first, mine, second, other)
                if pair is not None:
                    yield pair


def usable(label: Label) -> bool:
    """Whether a search may take the label's barrier for the last one: all threads of a block agree on what has to be
    supposed.

    They have to where data decide whether they come to a barrier, each warp by its own vote maybe: a block that does
    not agree hangs, which is worse.  A condition on the thread's index says that some do not come.
    """
    return label.supposed is not None and all(
        uniformity(term) <= Uniformity.BLOCK or not any(s.kind is SymbolKind.THREAD for s in term.symbols)
        for term in label.supposed
    )


def _pair(first: Access, mine: Label, second: Access, other: Label) -> Pair | None:
    ours, theirs = dict(mine.shifts), dict(other.shifts)
    if ours != theirs and (_denied(mine, second, other) or _denied(other, first, mine)):
        return None
    if ours.keys() != theirs.keys() or _passed_by(mine, second, other) or _passed_by(other, first, mine):
        return None
    tied: list[tuple[Symbol, Symbol, int]] = []
    even: set[int] = set()
    extra_a: list[Term] = [mine.condition]
    extra_b: list[Term] = [other.condition]
    carried: LoopContext | None = None
    ahead = False
    for loop, x in ours.items():
        y = theirs[loop]
        if x is not None and y is not None:
            if x != y and _went_on(loop, first if x > y else second, second if x > y else first):
                return None
            if not (mine.exact and other.exact) and not _in_some_round(
                loop.counter, _of_round(loop, first, mine), x, _of_round(loop, second, other), y
            ):
                return None
            tied.append((loop.counter, loop.counter, x - y))
            if x == y:
                even.add(id(loop))
            elif carried is None:
                carried, ahead = loop, x > y
        elif x is None and y is None:
            if loop.trips.uniformity > Uniformity.BLOCK:
                return None
            even.add(id(loop))
        else:
            inside, shift, extra = (first, x, extra_a) if y is None else (second, y, extra_b)
            ends = _ends(loop, shift or 0)
            if ends is None or loop.trips.uniformity > Uniformity.BLOCK or loop not in inside.loops:
                return None
            extra.append(ends)
    for loop in first.loops:
        if loop in second.loops and id(loop) not in even and _at_one(loop, mine, other):
            tied.append((loop.counter, loop.counter, 0))
            even.add(id(loop))
    a, b = side(first, extra_a), side(second, extra_b)
    return Pair(
        first,
        second,
        a,
        b,
        tuple(tied),
        _private(first, second, a, b, even),
        mine.barrier,
        carried,
        ahead,
        supposed=not (mine.exact and other.exact),
    )


ROUNDS = 64
"""Rounds of a loop in which a barrier is tried as the last one of two accesses."""


def _of_round(loop: LoopContext, access: Access, label: Label) -> tuple[Term, ...]:
    """What an access and its label ask about the round of ``loop`` alone."""
    terms = (*(guard.term for guard in access.guards), label.condition)
    return tuple(part for term in terms for part in conjuncts(term) if set(symbols(part)) == {loop.counter})


@functools.lru_cache(maxsize=1 << 10)
def _in_some_round(counter: Symbol, ours: tuple[Term, ...], x: int, theirs: tuple[Term, ...], y: int) -> bool:
    """Whether a barrier in one of the first rounds of a loop can be followed by an access of which ``ours`` holds ``x``
    rounds later, and by one of which ``theirs`` holds ``y`` rounds later."""
    return any(
        all(evaluate(part, {counter: at + x}) != 0 for part in ours)
        and all(evaluate(part, {counter: at + y}) != 0 for part in theirs)
        for at in range(ROUNDS)
    )


def _at_one(loop: LoopContext, mine: Label, other: Label) -> bool:
    """Whether both labels name one and the same iteration of ``loop``: with a barrier ahead of it, the first one."""
    said = [
        {part for part in conjuncts(label.condition) if part.op == "eq" and part.args[0] == loop.counter.term}
        for label in (mine, other)
    ]
    return any(part.args[1].value is not None for part in said[0] & said[1])


def _went_on(loop: LoopContext, later: Access, earlier: Access) -> bool:
    """Whether ``earlier`` is of threads that have returned from within ``loop`` in a round after which ``later`` is
    still in it, though they agree on that: what they return by does not name the thread (see :func:`usable`)."""
    if loop not in later.loops or loop in earlier.loops or not loop.returns:
        return False
    return all(
        uniformity(term) <= Uniformity.BLOCK or not any(s.kind is SymbolKind.THREAD for s in term.symbols)
        for term, _ in loop.returns
    )


def _denied(label: Label, other: Access, now: Label) -> bool:
    """Whether ``other``, in the iteration of which ``label`` supposes something, is only there when it is not so.

    ``now``: the label of ``other``, which says how many iterations apart the two accesses are."""
    supposed = {part for term in label.supposed or () for part in conjuncts(term)}
    ago = dict(label.shifts)
    if all(ago.get(loop) == shift or (ago.get(loop) is None and shift == 0) for loop, shift in now.shifts):
        supposed.update(part for part in conjuncts(label.last) if part.value is None)  # ``other`` is in the last one
    if not supposed:
        return False
    taken = {part for guard in other.guards for part in conjuncts(guard.term)}
    if any(all(negate(way) in taken for way in ways(part)) for part in supposed):
        return True
    rounds = dict(now.shifts)
    back: dict[Symbol, Term] = {
        loop.counter: binary("sub", loop.counter.term, const(shift - at), I64)
        for loop, shift in label.shifts
        if shift is not None and (at := rounds.get(loop)) is not None and shift != at
    }
    known = supposed | set(conjuncts(label.condition))
    return any(
        all(negate(way) in known or negate(substitute(way, back)) in known for way in ways(part))
        for part in taken
        if part.op == "lor"
    )


def _passed_by(label: Label, other: Access, now: Label) -> bool:
    """Whether ``label`` takes a loop to have had no iteration in which ``other`` is, in the same round of those
    around it (``now`` is its label): all threads of a block agree on that."""
    if any(shift != 0 for _, shift in now.shifts):
        return False
    said = [part for term in (label.condition, *(label.supposed or ())) for part in conjuncts(term)]
    empty = [term.args[0].symbol for term in said if term.op == "eq" and term.args[1].value == 0]
    return any(loop.trips in empty and loop.trips.uniformity <= Uniformity.BLOCK for loop in other.loops)


def side(access: Access, extra: Sequence[Term] = ()) -> Side:
    """The access as the prover wants it, with ``extra`` conditions."""
    return _side(access, tuple(extra))


@functools.lru_cache(maxsize=1 << 10)
def _side(access: Access, extra: tuple[Term, ...]) -> Side:
    """See :func:`side`: many pairs of an access have the same conditions."""
    guards: dict[Term, None] = {}
    spoken = {s for term in (access.offset, *extra) for s in symbols(term) if s.kind is SymbolKind.TRIPS}
    for guard in reversed(access.guards):
        # That a loop ended says nothing where nobody speaks of how often it ran.
        counts = [s for s in symbols(guard.term) if s.kind is SymbolKind.TRIPS]
        if guard.kind is not GuardKind.AFTER_LOOP or any(s in spoken for s in counts):
            if guard.kind is GuardKind.AFTER_LOOP and len(counts) == 1:
                guards[_no_sooner(guard.term, counts[0])] = None
            guards[guard.term] = None
            spoken.update(counts)
    # One by one, so that what cannot be told of a part leaves the rest as it is.
    guards = dict.fromkeys(part for term in reversed(guards) for part in conjuncts(term))
    for term in extra:
        guards.update((part, None) for part in conjuncts(term) if part.value != 1)
    guards.update(dict.fromkeys(no_more_than_first((access.offset, *guards))))
    return Side(
        access.offset,
        extent(access) or 0,
        tuple(guards),
        tuple(LoopRange(loop.counter, _reaching(loop, access)) for loop in access.loops),
    )


def _no_sooner(over: Term, trips: Symbol) -> Term:
    """That a loop was not over one iteration before, where ``over`` says that it was after ``trips``."""
    sooner = substitute(over, {trips: binary("sub", trips.term, const(1, I64), I64)})
    return disjunction(binary("le", trips.term, const(trips.low or 0, I64), BOOL), negate(sooner))


def _reaching(loop: LoopContext, access: Access) -> Term | None:
    """The truth term under which iteration ``loop.counter`` gets to ``access``: what the loop's own condition reads is
    read once more than the condition holds."""
    inside = loop.post_tested or any(guard.loop is loop for guard in access.guards)
    return running(loop) if inside else _follows(loop)


def running(loop: LoopContext) -> Term | None:
    """The truth term under which iteration ``loop.counter`` runs, given that the earlier ones did; None: unknown."""
    return loop.condition if not loop.post_tested else _follows(loop)


def _follows(loop: LoopContext) -> Term | None:
    """The truth term under which iteration ``loop.counter`` is the first or the condition held before it."""
    condition = loop.condition
    if condition is None:
        return None
    if _varying(condition, loop):
        return None
    before = substitute(condition, {loop.counter: binary("sub", loop.counter.term, const(1), I64)})
    return disjunction(binary("eq", loop.counter.term, const(0), BOOL), before)


def _varying(term: Term, loop: LoopContext) -> bool:
    """Whether ``term`` has symbols that belong to an iteration of ``loop`` but are not its counter."""
    return any(symbol.serial > loop.serial and symbol is not loop.counter for symbol in symbols(term))


def _ends(loop: LoopContext, shift: int) -> Term | None:
    """The truth term under which a thread in iteration ``loop.counter``, whose last barrier ran ``shift`` iterations
    ago, meets no other one in the loop; None: it cannot be so, or it cannot be told."""
    now = [term for term, _ in loop.exits]
    first = [term for at, term in enumerate(now) if at not in loop.behind]
    if shift == 0:
        reasons = list(now)
        if loop.condition is not None:
            step = 0 if loop.post_tested else 1
            reasons.append(negate(_after(loop.condition, loop, step)))
        reasons += [_after(term, loop, 1) for term in first]
    elif shift == 1 and first:
        reasons = first
    else:
        return None
    ends = reasons[0] if reasons else None
    for reason in reasons[1:]:
        ends = reason if ends is None else disjunction(ends, reason)
    return ends


def _after(term: Term, loop: LoopContext, step: int) -> Term:
    """``term`` of ``loop``'s current iteration, said of the one ``step`` later: what belongs to an iteration is
    another value there."""
    if not step:
        return term
    images: dict[Symbol, Term] = {loop.counter: binary("add", loop.counter.term, const(step), I64)}
    for symbol in symbols(term):
        if symbol.serial > loop.serial and symbol is not loop.counter:
            images[symbol] = Symbol(
                symbol.kind,
                f"{symbol.name}'",
                symbol.type,
                low=symbol.low,
                high=symbol.high,
                uniformity=symbol.uniformity,
                origin=symbol.origin,
            ).term
    return substitute(term, images)


def _private(first: Access, second: Access, a: Side, b: Side, even: set[int]) -> frozenset[Symbol]:
    """Symbols of which the two threads see different values, as they are in different iterations of a loop; a number
    that a header would have given is one for all."""
    uneven = [loop.serial for loop in first.loops if loop in second.loops and id(loop) not in even]
    if not uneven:
        return frozenset()
    outermost = min(uneven)
    return frozenset(
        symbol
        for symbol in (*a.symbols, *b.symbols)
        if symbol.serial > outermost and symbol.kind is not SymbolKind.COUNTER and not one_for_all(symbol)
    )


def one_for_all(symbol: Symbol) -> bool:
    """Whether a symbol is a constant that no header in sight gives."""
    return symbol.uniformity is Uniformity.GRID and out_of_sight(symbol.term)


def undecided(first: Access, second: Access) -> str:
    """Why :func:`concurrent` may not name all the ways in which the two accesses meet; empty: it does.

    A rule may pass over what cannot be told; a proof may not.
    """
    for mine in first.labels:
        for other in second.labels:
            if not (mine.exact and other.exact):
                return "which barrier came last is not known"
            if mine.barrier is not other.barrier:
                continue
            ours, theirs = dict(mine.shifts), dict(other.shifts)
            if ours.keys() != theirs.keys():
                return "which barrier came last is not known"
            for loop, x in ours.items():
                reason = _untold(loop, first, x, second, theirs[loop])
                if reason:
                    return reason
    return ""


def _untold(loop: LoopContext, first: Access, x: int | None, second: Access, y: int | None) -> str:
    if x is not None and y is not None:
        return ""
    if loop.trips.uniformity > Uniformity.BLOCK:
        return "threads may leave a loop with a barrier at different times"
    if x is None and y is None:
        return ""
    inside, shift = (first, x) if y is None else (second, y)
    if loop not in inside.loops:
        return "an access beside a loop is not understood"
    if _ends(loop, shift or 0) is not None or not shift:
        return ""  # a thread that does not meet the end of an endless loop meets nobody behind it
    tested = loop.post_tested or any(guard.loop is loop for guard in inside.guards)
    return "" if tested and not loop.exits else "how a loop with a barrier ends is not understood"
