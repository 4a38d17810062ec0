"""Plain writes of elements that data pick: two threads with equal indices collide."""

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
from kernlint.analysis.excuses.views import slice_of_rows
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.search.collisions import asker_of
from kernlint.analysis.search.supposed import truncated
from kernlint.analysis.sharing.finder import Finder, GlobalRace
from kernlint.analysis.sharing.global_races import handshakes, places
from kernlint.analysis.sharing.races import followed
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Trace
from kernlint.record import dataclass, field, replace
from kernlint.symbolic.terms import (
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    const,
    plain,
    substitute,
    symbols,
)
from kernlint.tree.types import IntType, Space


@dataclass(frozen=True, slots=True)
class Scatter:
    """A plain write of an element that an index array picks, or (``counted``) a counter in shared memory.

    ``updates``: the element's old value goes into the new one, so that equal indices lose updates.  ``race``: two
    threads with equal indices.  ``fixed``: no data pick the element, only whether a thread updates it.
    """

    access: Access
    race: GlobalRace
    updates: bool
    counted: bool = False
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class Picked:
    """What data pick in an address, each with one value for all threads in its place: loads, and whole ``terms`` that
    are numbers made from loads in floating point.  ``alike``: all threads of a block load the same."""

    loads: dict[Symbol, Term]
    terms: dict[Term, Term] = field(default_factory=dict)
    alike: bool = False


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
    return Picked(loads, terms) if loads else None


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
    own = [s for s in loads if s not in old and s not in picked and _by_thread(s.origin[1], picked)]
    counts = all(symbol in old for symbol in symbols(access.value))
    return (bool(old) and (bool(own) or counts)) or (bool(own) and any(_beats(g.term, access) for g in access.guards))


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


def _by_thread(offset: Term, picked: Collection[Symbol], depth: int = 3) -> bool:
    """Whether a place is that of the thread itself: its index is used, and no memory but what lies at such places
    (``depth`` steps) and is not what was ``picked``."""
    found = symbols(offset)
    loads = [symbol for symbol in found if symbol.kind is SymbolKind.LOAD]
    if not loads:
        return any(symbol.kind is SymbolKind.THREAD for symbol in found)
    return depth > 0 and any(s not in picked and _by_thread(s.origin[1], picked, depth - 1) for s in loads)


def _counted(access: Access, of: Trace) -> Picked | None:
    """The results of atomic operations on shared memory in the address of ``access``, each as 0: every block counts
    from the start, so two blocks may well get the same."""
    shared = {id(a.node) for a in of.accesses if a.kind is AccessKind.ATOMIC and a.root.space is Space.SHARED}
    found: dict[Symbol, Term] = {
        symbol: const(0, symbol.type)
        for symbol in symbols(access.offset)
        if symbol.kind is SymbolKind.UNKNOWN and id(symbol.origin) in shared and isinstance(symbol.type, IntType)
    }
    return Picked(found) if found else None


def _scatters(facts: Facts) -> tuple[Scatter, ...]:
    of = facts[trace]
    if not followed(of) or handshakes(of):
        return ()
    asker = asker_of(facts, of)
    finder = Finder(asker, facts[scenarios])
    atomics = {id(access.root) for access in of.accesses if access.kind is AccessKind.ATOMIC}
    promised = tuple(one for one in facts.options.unlike if applies(one, facts))
    out: list[Scatter] = []
    shared = [a for a in of.accesses if a.root.space is Space.SHARED and a.kind is AccessKind.WRITE and _scattered(a)]
    for group in (*places(of.accesses, _scattered).values(), shared):
        for access in group:
            if access.kind is not AccessKind.WRITE or id(access.root) in atomics:
                continue
            if slice_of_rows.holds(access, None) or said_to_differ.holds(access, promised):
                continue
            if access.root.space is Space.SHARED and not updates(access):
                continue
            updated = updates(access)
            images, counted = _chosen(access), _counted(access, of)
            ways = (False,) if access.root.space is Space.SHARED else (True,) if counted else (False, True)
            fixed = False
            if images is None and counted is None and updated:
                images, ways = _alike(access), (False,)
                fixed = images is None and any(_on_loads(guard.term) for guard in access.guards)
                if fixed:
                    images = Picked({})
                    ways = (False,) if access.root.space is Space.SHARED else (False, True)
            picked = images or counted
            race = _equal_indices(finder, access, picked, ways) if picked is not None else None
            if race is not None:
                out.append(Scatter(access, race, updated, bool(counted), fixed))
    return tuple(out)


def _equal_indices(finder: Finder, access: Access, picked: Picked, ways: tuple[bool, ...]) -> GlobalRace | None:
    """Two threads (of one block, of two: ``ways``) that write one element when their indices are equal."""
    plain, images = side(access), picked.loads
    memo = dict(picked.terms)
    above = Uniformity.GRID if picked.alike else Uniformity.WARP
    loops = []
    for loop in plain.counters:
        condition = None if loop.condition is None else substitute(loop.condition, images, memo)
        loops.append(replace(loop, condition=None if condition is None or _on_loads(condition, above) else condition))
    guards = (substitute(guard, images, memo) for guard in plain.guards)
    told = replace(
        plain,
        offset=substitute(plain.offset, images, memo),
        guards=tuple(guard for guard in guards if not _on_loads(guard, above)),
        counters=tuple(loops),
    )
    if same_value(access, access):
        return None
    # Threads of one block are in one round of a loop that they wait in.
    same = next((pair for pair in concurrent(access, access) if pair.carried is None), None)
    for apart in ways:
        pair = Pair(access, access, told, told, () if apart or same is None else same.tied)
        answer = finder.meet(pair, "blocks" if apart else "block")
        if answer is not None:
            return GlobalRace(pair, *answer, across=apart, scattered=True)
    return None


def _scattered(access: Access) -> bool:
    return placed(access, lambda guard: _on_loads(guard, Uniformity.GRID))


def _on_loads(term: Term, above: Uniformity = Uniformity.WARP) -> bool:
    """Whether a condition rests on memory that varies: that it may hold is part of what is taken for granted."""
    return any(s.kind is SymbolKind.LOAD and s.uniformity > above for s in symbols(term))


scatters = KernelAnalysis("scatters", _scatters, needs=(trace, scenarios, assumed))
"""The plain writes of one kernel variant to elements picked by index arrays (in shared memory, only updates)."""
