"""Plain writes of elements that data pick: two threads with equal indices collide."""

from __future__ import annotations

from collections.abc import Collection

from kernlint.analysis.accesses.pairs import (
    Pair,
    concurrent,
    placed,
    same_value,
    side,
)
from kernlint.analysis.assumptions import applies, assumed
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.excuses.promised import said_to_differ
from kernlint.analysis.excuses.values import equal_values
from kernlint.analysis.excuses.winners import claimed, ends_of_runs
from kernlint.analysis.launching.launches import LaunchFact, launches
from kernlint.analysis.order.words import made_of_old
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.search.collisions import asker_of
from kernlint.analysis.search.inputs import chosen_by
from kernlint.analysis.search.supposed import of_one, truncated
from kernlint.analysis.sharing.finder import Finder, GlobalRace
from kernlint.analysis.sharing.global_races import handshakes, places
from kernlint.analysis.sharing.met import Met, Picked, by_thread, looked_at, met, own_of, takes
from kernlint.analysis.sharing.races import followed
from kernlint.analysis.sharing.repeats import counts_up, named_twice, one_of_each_block, zeroed
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Trace
from kernlint.prove.query import Side
from kernlint.record import dataclass, replace
from kernlint.symbolic.terms import (
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    const,
    plain,
    rebuild,
    substitute,
    subterms,
    symbols,
)
from kernlint.symbolic.uniformity import uniformity
from kernlint.tree.nodes import VarDecl
from kernlint.tree.types import FloatType, IntType, Space


@dataclass(frozen=True, slots=True)
class Scatter:
    """A plain write of an element that an index array picks, or (``counted``) a counter in shared memory.

    ``updates``: the element's old value goes into the new one, so that equal indices lose updates.  ``race``: two
    threads with equal indices.  ``fixed``: no data pick the element, only whether a thread updates it.  ``shared_by``:
    what says that several threads have one index, of a write that puts something of the thread's own there.
    ``exchanged``: it is an atomic exchange, after a look whether the element should be exchanged at all.
    ``believed``: nothing in sight says that an index occurs twice (see :mod:`kernlint.analysis.sharing.repeats`).
    """

    access: Access
    race: GlobalRace
    updates: bool
    counted: bool = False
    fixed: bool = False
    shared_by: Met | None = None
    exchanged: bool = False
    believed: bool = False


def _chosen(access: Access) -> Picked | None:
    """The varying loads in the address of ``access``; None when there are none, or they cannot be told apart."""
    loads: dict[Symbol, Term] = {}
    for symbol in symbols(access.offset):
        if symbol.kind is SymbolKind.LOAD and symbol.uniformity is Uniformity.VARYING:
            loads[symbol] = const(1, symbol.type) if isinstance(symbol.type, IntType) else symbol.term
    odd = {symbol for symbol, image in loads.items() if image is symbol.term}
    terms: dict[Term, Term] = {}
    if odd:
        truncated(access.offset, lambda term: const(1, term.type), terms)
        left = symbols(substitute(access.offset, loads, dict(terms)))
        if any(symbol in odd for symbol in left):
            return None
        if any(symbol.kind in _OF_THREAD for term in terms for symbol in term.symbols):
            return None  # (``i * n + label[i]`` in floating point: threads may well have parts of their own)
    return Picked(loads, terms) if loads else None


_OF_THREAD = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.COUNTER})


def _alike(access: Access) -> Picked | None:
    """The loads in the address of ``access`` that are the same for a whole block."""
    loads: dict[Symbol, Term] = {
        symbol: const(1, symbol.type)
        for symbol in symbols(access.offset)
        if symbol.kind is SymbolKind.LOAD and symbol.uniformity > Uniformity.GRID and isinstance(symbol.type, IntType)
    }
    return Picked(loads, alike=True) if loads else None


def updates(access: Access) -> bool:
    """Whether the value written is made from what the same place held and from something of the thread's own, or is
    a count of threads; or takes the place of what it held because it is the greater or the less of the two.

    Where all that is added hangs on the element alone, a second thread with the same index would add it twice: such
    a kernel is written for indices that differ.
    """
    if access.value is None:
        return False
    loads = [symbol for symbol in symbols(access.value) if symbol.kind is SymbolKind.LOAD]
    old = [symbol for symbol in loads if symbol.origin[0] is access.root and symbol.origin[1] == access.offset]
    if _blended(access.value, old):
        return False
    picked = set(symbols(access.offset))
    own = [s for s in loads if s not in old and s not in picked and by_thread(s.origin[1], picked)]
    own += [s for s in _left_over(access) if s not in old and by_thread(s.origin[1], ())]
    # a point that moves has things of its own: what it carries
    carried = _moves(access.offset) and any(s.kind is SymbolKind.PHI and s not in picked for s in access.value.symbols)
    return (bool(old) and (bool(own) or carried or counts_up(access.value, old))) or (
        bool(own) and any(_beats(g.term, access) for g in access.guards)
    )


def _left_over(access: Access) -> list[Symbol]:
    """Numbers in floating point of which the place has the whole part alone, and the value has more: where in its cell
    a point lies."""
    assert access.value is not None
    cut = {at for at in subterms(access.offset) if at.op == "cast" and _made_whole(at)}
    within = {s for at in cut for s in symbols(at) if s.kind is SymbolKind.LOAD and isinstance(s.type, FloatType)}
    todo, found = [access.value] if within else [], set[Symbol]()
    while todo:
        at = todo.pop()
        if at.symbol in within:
            found.add(at.symbol)
        todo += () if at in cut else at.terms
    return list(found)


def _made_whole(term: Term) -> bool:
    return isinstance(term.type, IntType) and isinstance(term.args[0].type, FloatType)


def _moves(place: Term) -> bool:
    """Whether a place is the cell of a point that moves from round to round."""
    return any(s.kind is SymbolKind.PHI and isinstance(s.type, FloatType) for s in symbols(place))


def _beats(term: Term, write: Access) -> bool:
    """Whether a condition is that what a write puts into its place is less, or more, than what was there."""
    if term.op in ("land", "lor", "lnot"):
        return any(_beats(arg, write) for arg in term.args)
    if term.op not in ("lt", "le") or write.value is None:
        return False
    held = [
        any(s.kind is SymbolKind.LOAD and s.origin == (write.root, write.offset) for s in arg.symbols)
        for arg in term.args
    ]
    put = set(write.value.symbols)
    return held in ([True, False], [False, True]) and any(s in put for s in term.args[held.index(False)].symbols)


def _blended(value: Term, old: Collection[Symbol]) -> bool:
    """Whether bits of the old value stand beside bits of another one (``(x & m) | (old & ~m)``): a choice, no sum."""
    value = plain(value)
    if value.op != "or":
        return False
    parts = []
    for part in value.args:
        part = plain(part)
        parts.append(part.op == "and" and any(symbol in old for symbol in symbols(part)))
    return parts in ([True, False], [False, True]) and all(_masked_part(part) for part in value.args)


def _masked_part(part: Term) -> bool:
    return part.op == "and" or (part.op == "cast" and _masked_part(part.args[0]))


def _counted(access: Access, of: Trace) -> Picked | None:
    """The results of atomic operations on shared memory in the address of ``access``, each as 0: every block counts
    from the start, so two blocks may well get the same.  A counter that begins at a number of the block's own counts
    in a part of its own."""
    unknown = (symbol for symbol in symbols(access.offset) if symbol.kind is SymbolKind.UNKNOWN)
    drawn = {symbol: id(symbol.origin) for symbol in unknown if isinstance(symbol.type, IntType)}
    if not drawn:
        return None
    shared = [a for a in of.accesses if a.root.space is Space.SHARED]
    atomics = [a for a in shared if a.kind is AccessKind.ATOMIC and id(a.node) in drawn.values()]
    counters = {a.root for a in atomics}
    own = {a.root for a in shared if a.root in counters and a.kind is AccessKind.WRITE and not _of_grid(a.value)}
    nodes = {id(a.node) for a in atomics if a.root not in own}
    found = {symbol: const(0, symbol.type) for symbol, node in drawn.items() if node in nodes}
    return Picked(found) if found else None


def _of_grid(value: Term | None) -> bool:
    """Whether a value is known, and the same in all blocks."""
    return value is not None and uniformity(value) <= Uniformity.GRID


def _derived(access: Access) -> Picked | None:
    """What is made from data in the address of ``access``, such as the row that a search has led to."""
    terms = chosen_by(access.offset)
    if not terms or any(symbol.kind is SymbolKind.UNKNOWN for term in terms for symbol in term.symbols):
        return None  # what an atomic operation has given out, or a vote, is not the same for two
    if not any(uniformity(term) > Uniformity.BLOCK for term in terms):
        return None
    if any(s.kind is SymbolKind.PHI and not _from_the_start(s) for term in terms for s in term.symbols):
        return None  # who begins at a place of its own goes on in a part of its own, unless it is a point that moves
    return Picked({}, {term: const(1, term.type) for term in terms})


def _from_the_start(variable: Symbol) -> bool:
    """Whether a loop variable begins with the same for all threads, or says nothing of parts of their own."""
    if isinstance(variable.type, FloatType):
        return True  # the cells of points that move meet
    begins = variable.init.symbols if variable.init is not None else ()
    return all(s.kind is not SymbolKind.LOAD and s.uniformity is Uniformity.GRID for s in begins)


def _scatters(facts: Facts) -> tuple[Scatter, ...]:
    of = facts[trace]
    if not followed(of) or handshakes(of):
        return ()
    asker = asker_of(facts, of)
    finder = Finder(asker, facts[scenarios])
    atomics = {id(a.root) for a in of.accesses if a.kind is AccessKind.ATOMIC}
    promised = tuple(one for one in facts.options.unlike if applies(one, facts))
    shared = [a for a in of.accesses if a.root.space is Space.SHARED and a.kind is AccessKind.WRITE and _scattered(a)]
    out: list[Scatter] = []
    for group in (*places(of.accesses, _scattered).values(), shared):
        for access in group:
            if said_to_differ.holds(access, promised) or claimed.holds(access, of) or ends_of_runs.holds(access, of):
                continue
            found = None
            if access.kind is AccessKind.WRITE and (id(access.root) not in atomics or _beside_sums(access, of)):
                found = _scatter(finder, access, of, facts[launches])
            elif access.kind is AccessKind.ATOMIC:
                found = _exchange(finder, access, of)
            if found is not None:
                out.append(found)
    return tuple(out)


def _beside_sums(access: Access, of: Trace) -> bool:
    """Whether a plain update is of an object of which all atomic operations are updates too that nobody looks at: none
    of them keeps threads apart."""
    if not updates(access):
        return False
    others = (a for a in of.accesses if a.root is access.root and a.kind is AccessKind.ATOMIC)
    return all(
        made_of_old(a) if a.atomic_op == "cas" else a.atomic_op in _SUMS and not looked_at(a, of) for a in others
    )


_SUMS = frozenset({"add", "sub", "min", "max"})


def _scatter(finder: Finder, access: Access, of: Trace, seen: tuple[LaunchFact, ...]) -> Scatter | None:
    """What is to be said of a plain write."""
    updated, within = updates(access), access.root.space is Space.SHARED
    if within and not updated:
        return None
    access = replace(access, offset=_set(access.offset))
    images, counted = _chosen(access), _counted(access, of)
    ways = (False,) if within else (True,) if counted else (False, True)
    fixed = False
    if images is None and counted is None and updated:
        images = _derived(access)
        if images is None:
            images, ways = _alike(access), (False,)
            won = [] if images is not None else [guard for guard in access.guards if _won(guard.term, of)]
            fixed = images is None and (bool(won) or any(_on_loads(guard.term) for guard in access.guards))
            if fixed:
                access = replace(access, guards=tuple(guard for guard in access.guards if guard not in won))
                images = Picked({})
                ways = (False,) if within else (False, True)
    picked = images or counted
    taken = not updated and images is not None and takes(access, images, of)
    race = _equal_indices(finder, access, picked, ways, alike=taken) if picked is not None else None
    if race is None and images is not None and updated and not fixed and (derived := _derived(access)) is not None:
        race, counted = _equal_indices(finder, access, derived, ways), None
    added = _added_once(access) and any(zeroed(access, launch) for launch in seen)
    if race is None and not within and (added or (updated and one_of_each_block(access, of))):
        updated = True
        picked = images = _alike(access)  # sums over several blocks are made there
        race = _equal_indices(finder, access, picked, (True,)) if picked is not None else None
        counted, fixed = None, False
    if race is None or picked is None:
        return None
    shared_by = None if updated or counted else Met.TAKEN if taken else met(access, picked, of)
    believed = updated and picked is images and not named_twice(access, race.witness, of, seen)
    return Scatter(access, race, updated, bool(counted), fixed, shared_by, believed=believed)


def _won(term: Term, of: Trace) -> bool:
    """Whether a condition is on what an atomic operation has found in an element that data pick: there is one winner
    for each element, and many elements."""
    nodes = {id(symbol.origin) for symbol in term.symbols if symbol.kind is SymbolKind.UNKNOWN}
    return any(
        id(other.node) in nodes
        and any(s.uniformity is Uniformity.VARYING and s.kind is SymbolKind.LOAD for s in other.offset.symbols)
        for other in (of.accesses if nodes else ())
        if other.kind is AccessKind.ATOMIC
    )


def _added_once(access: Access) -> bool:
    """Whether something is added to what an element held, and each round of the loops around has an element of its
    own: the element needs no sum for one thread's sake."""
    held = access.value.terms if access.value is not None and access.value.op == "add" else ()
    adds = any(one.symbol is not None and one.symbol.origin == (access.root, access.offset) for one in held)
    return adds and all(loop.counter in symbols(access.offset) for loop in access.loops)


def _set(term: Term) -> Term:
    """``term`` with the other one in place of a choice between a value and a variable that nobody has set: who comes to
    use it has been given one."""
    if term.op == "select":
        unset = [isinstance(arg.symbol.origin, VarDecl) if arg.symbol is not None else False for arg in term.args[1:]]
        if unset in ([True, False], [False, True]):
            return _set(term.args[1 + unset.index(False)])
    if not term.terms or not any(isinstance(symbol.origin, VarDecl) for symbol in term.symbols):
        return term
    return rebuild(term, tuple(map(_set, term.terms)))


def _exchange(finder: Finder, access: Access, of: Trace) -> Scatter | None:
    """An atomic exchange that one read before has decided about, and of which nobody looks at what it gives back."""
    if access.atomic_op not in ("exchange", "store") or access.value is None or access.root.space is Space.SHARED:
        return None
    if not any(_beats(guard.term, access) for guard in access.guards):
        return None
    if not any(own_of(symbol, ()) for symbol in symbols(access.value)) or looked_at(access, of):
        return None
    race = _equal_indices(finder, access, _chosen(access) or _derived(access) or Picked({}), (False, True))
    return None if race is None else Scatter(access, race, True, exchanged=True)


def _equal_indices(
    finder: Finder, access: Access, picked: Picked, ways: tuple[bool, ...], alike: bool = False
) -> GlobalRace | None:
    """Two threads (of one block, of two: ``ways``) that write one element when their indices are equal; ``alike``: even
    if they write the same."""
    plain, memo = side(access), dict(picked.terms)
    images = picked.loads or {symbol: symbol.term for term in memo for symbol in term.symbols}
    above = Uniformity.GRID if picked.alike else Uniformity.WARP
    loops = []
    for loop in plain.counters:
        condition = None if loop.condition is None else substitute(loop.condition, images, memo)
        loops.append(replace(loop, condition=None if condition is None or _on_loads(condition, above) else condition))
    guards = (substitute(of_one(guard), images, memo) for guard in plain.guards)
    told = replace(
        plain,
        offset=substitute(plain.offset, images, memo),
        guards=tuple(guard for guard in guards if not _on_loads(guard, above)),
        counters=tuple(loops),
    )
    if not alike and same_value(access, access):
        return None
    # Threads of one block are in one round of a loop that they wait in.
    phases = [pair for pair in concurrent(access, access) if pair.carried is None][:PHASES] if False in ways else []
    for apart in ways:
        if apart or not phases:
            answers = iter([Pair(access, access, told, told)])
        else:
            answers = (_in_phase(phase, plain, told, images, memo) for phase in phases)
        for pair in answers:
            answer = finder.meet(pair, "blocks" if apart else "block")
            if answer is not None and (alike or not equal_values.holds(pair, answer[0])):
                return GlobalRace(pair, *answer, across=apart, scattered=True)
    return None


PHASES = 4
"""Barriers, at most, that may be the last one before a write."""


def _in_phase(phase: Pair, plain: Side, told: Side, images: dict[Symbol, Term], memo: dict[Term, Term]) -> Pair:
    """Two threads that write as ``told`` says, between the barriers of one ``phase``."""
    known_ = set(plain.guards)
    sides = (
        replace(told, guards=(*told.guards, *(substitute(g, images, memo) for g in at.guards if g not in known_)))
        for at in (phase.a, phase.b)
    )
    a, b = sides
    return Pair(phase.first, phase.second, a, b, phase.tied)


def _scattered(access: Access) -> bool:
    return placed(access, lambda guard: _on_loads(guard, Uniformity.GRID))


def _on_loads(term: Term, above: Uniformity = Uniformity.WARP) -> bool:
    """Whether a condition rests on memory that varies: that it may hold is part of what is taken for granted."""
    return any(s.kind is SymbolKind.LOAD and s.uniformity > above for s in symbols(term))


scatters = KernelAnalysis("scatters", _scatters, needs=(trace, scenarios, assumed, launches))
"""The plain writes of one kernel variant to elements picked by index arrays (in shared memory, only updates)."""
