"""Words in memory by which threads tell each other how far they are.

A word has *observers* and *signals*.  An observer is an atomic operation or a load whose value decides what the thread
does next: it goes round a loop until the value is right (a flag, a turn, a lock), or takes a branch by it (a ticket
that says that all others have come).  A signal is whatever changes the word.  What stands before a signal and what
stands behind an observer of the same word is in order, provided that both sides have the fence that this takes:
:mod:`.hand_overs` looks for those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kernlint.analysis.trace.events import Access, AccessKind, GuardKind, LoopContext, Root, Trace, WarpEvent
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import GRID_DIM, Symbol, SymbolKind, Term, Uniformity, symbols
from kernlint.tree.nodes import Atomic, Barrier, IntLit, Scope
from kernlint.tree.types import ArrayType, FloatType, IntType, Space, StructType
from kernlint.tree.walk import strip_casts

WIDE = frozenset({Scope.GRID, Scope.SYSTEM})
"""Scopes that reach the threads of other blocks."""

NEAR = WIDE | {Scope.BLOCK, Scope.CLUSTER}
"""Scopes that reach all threads of a block."""

ACQUIRES = frozenset({"acquire", "acq_rel", "seq_cst"})
RELEASES = frozenset({"release", "acq_rel", "seq_cst"})

EXCHANGES = frozenset({"cas", "exchange", "flag_set"})
"""Operations by which locks are taken."""


@dataclass(frozen=True, slots=True, eq=False)
class Observer:
    """``access`` finds out what the word holds.  ``waits``: the loops that go on until it is right; ``told``: symbols
    whose value says what was found, also by way of shared memory."""

    access: Access
    waits: tuple[LoopContext, ...]
    told: frozenset[Symbol]

    @property
    def takes(self) -> bool:
        """Whether it changes the word as it looks (a lock is taken, a ticket drawn)."""
        return self.access.writes and not reads_only(self.access)

    def hears(self, signal: Access) -> bool:
        """Whether ``signal`` may be what ends the wait: a number that it stores does not send the loop round again."""
        if signal.value is None or (signal.kind is AccessKind.ATOMIC and signal.atomic_op not in ("store", "exchange")):
            return True
        for loop in self.waits:
            found = [s for s in symbols(loop.condition) if tells(s, self.access)] if loop.condition is not None else []
            value = signal.value.value
            if loop.condition is not None and len(found) == 1 and value is not None:
                again = evaluate(loop.condition, {found[0]: value})
                if again:
                    return False
        return True

    @property
    def locks(self) -> bool:
        """Whether it takes a lock: waits until it has put its own mark there."""
        return self.access.atomic_op in EXCHANGES


@dataclass(frozen=True, slots=True, eq=False)
class Word:
    """One object in memory with what looks at it and what changes it (in order of the walk)."""

    root: Root
    observers: tuple[Observer, ...]
    signals: tuple[Access, ...]

    def holds(self, access: Access) -> bool:
        """Whether ``access`` is of the word itself: it changes it, looks at it, or reads it anew each time as those do
        who wait."""
        if access in self.signals or any(access is observer.access for observer in self.observers):
            return True
        return (
            access.volatile
            and access.root is self.root
            and any(access.offset == o.access.offset for o in self.observers)
        )

    @property
    def lock(self) -> bool:
        """Whether threads keep each other out by it: it says who is in, not what has been done."""
        return any(observer.locks and observer.waits for observer in self.observers)

    @property
    def awaited(self) -> bool:
        """Whether threads go round a loop until the word is right."""
        return any(observer.waits for observer in self.observers)

    def begins(self, signal: Access) -> bool:
        """Whether whoever gives ``signal`` has not had to take the word before: it is a baton, and theirs from the
        start."""
        own = {guard.term for guard in signal.guards}
        return not any(
            o.locks
            and o.access.order < signal.order
            and all(g.term in own for g in o.access.guards if g.loop not in o.waits or g.loop is None)
            for o in self.observers
        )


def order_of(access: Access) -> str:
    """The memory order of an atomic operation; of anything else ``relaxed``."""
    return access.node.order if isinstance(access.node, Atomic) else "relaxed"


def acquires(access: Access, reach: frozenset[Scope] = WIDE) -> bool:
    """Whether what comes after is seen no earlier than what ``access`` found, as far as the threads in ``reach``."""
    return access.kind is AccessKind.ATOMIC and order_of(access) in ACQUIRES and access.scope in reach


def releases(access: Access, reach: frozenset[Scope] = WIDE) -> bool:
    """Whether whoever in ``reach`` sees what ``access`` wrote sees all that came before."""
    return access.kind is AccessKind.ATOMIC and order_of(access) in RELEASES and access.scope in reach


def reaches(access: Access, reach: frozenset[Scope]) -> bool:
    """Whether the threads in ``reach`` see an access to a word at all."""
    return access.kind is not AccessKind.ATOMIC or access.scope in reach


def reads_only(access: Access) -> bool:
    """Whether an atomic operation leaves the word as it was: a load, or ``atomicAdd(word, 0)``."""
    if access.atomic_op == "load":
        return True
    neutral = {"add": 0, "sub": 0, "or": 0, "xor": 0}.get(access.atomic_op)
    if access.atomic_op == "max" and isinstance(access.type, IntType) and not access.type.signed:
        neutral = 0
    return neutral is not None and access.value is not None and access.value.value == neutral


def tells(symbol: Symbol, access: Access) -> bool:
    """Whether a symbol is what ``access`` found."""
    if symbol.kind is SymbolKind.LOAD:
        return bool(symbol.origin == (access.root, access.offset))
    return symbol.kind is SymbolKind.UNKNOWN and symbol.origin is access.node


def made_of_old(access: Access) -> bool:
    """Whether what an atomic operation puts in its place is made of what was there."""
    found = sources([access.value]) if access.value is not None else ()
    return any(tells(s, access) or (s.kind is SymbolKind.LOAD and s.origin[0] is access.root) for s in found)


def slots(of: Trace) -> frozenset[Symbol]:
    """What atomic operations have returned, maybe by way of shared memory or a shuffle, for places to be taken by
    whoever drew them: it stands in an address, and nobody asks whether it equals anything.  Such a number says nothing
    of what others have done."""
    placed = {s for access in of.accesses for s in _handed_on(access.offset) if _drawn(s)}
    if not placed:
        return frozenset()
    guards = {guard.term for event in (*of.accesses, *of.barriers, *of.exits) for guard in event.guards}
    asked = {s for equality in equalities(*guards) for side in _told_apart(equality) for s in _handed_on(side)}
    cells, others = _cells(placed), _cells(asked)
    again = {s for term in guards for s in symbols(term) if _cells([s]) & cells}
    return frozenset(s for s in placed | again if s not in asked and not _cells([s]) & others)


def _cells(found: Iterable[Symbol]) -> set[tuple[Root, Term]]:
    """The places in shared memory that symbols were read from: what is drawn for a block is put there."""
    return {s.origin for s in found if s.kind is SymbolKind.LOAD and s.origin[0].space is Space.SHARED}


def _told_apart(equality: Term) -> Iterator[Term]:
    """The sides of a comparison, without numbers that both are made of: that a number drawn is what a formula makes of
    it tells how it is, and not how many have been drawn."""
    sides = [set(symbols(side)) for side in equality.terms]
    both = set.intersection(*sides)
    yield from (symbol.term for side in sides for symbol in side - both)


def _handed_on(term: Term) -> Iterator[Symbol]:
    """The symbols of ``term`` and those that lanes have put into collectives for them, each once."""
    return _reached([term], _put_in)


def _put_in(symbol: Symbol) -> Iterable[Term]:
    """What lanes have put into the collective that gives a symbol."""
    return symbol.origin.operands if isinstance(symbol.origin, WarpEvent) else ()


def _reached(terms: Iterable[Term], made_of: Callable[[Symbol], Iterable[Term]]) -> Iterator[Symbol]:
    """The symbols of ``terms`` and of what they are made of, each once."""
    seen: set[Symbol] = set()
    left = list(terms)
    while left:
        for symbol in symbols(left.pop()):
            if symbol not in seen:
                seen.add(symbol)
                yield symbol
                left.extend(made_of(symbol))


def equalities(*terms: Term) -> Iterator[Term]:
    """The comparisons for equality in ``terms``, each once."""
    seen: set[Term] = set()
    left = [*reversed(terms)]
    while left:
        term = left.pop()
        if term in seen:
            continue
        seen.add(term)
        if term.op in ("eq", "ne"):
            yield term
        left.extend(reversed(term.terms))


def _drawn(symbol: Symbol) -> bool:
    if symbol.kind is SymbolKind.LOAD:
        return bool(symbol.origin[0].space is Space.SHARED)
    return symbol.kind is SymbolKind.UNKNOWN and isinstance(symbol.origin, Atomic)


def sources(terms: Iterable[Term]) -> Iterator[Symbol]:
    """The symbols of ``terms`` and what they were made of: loop variables by what they begin with and become, what a
    collective gives by what its lanes put in."""
    return _reached(terms, lambda s: [*(term for term in (s.init, s.step) if term is not None), *_put_in(s)])


def ways_out(loop: LoopContext) -> list[Term]:
    """The conditions that decide whether a loop goes on."""
    found = loop.left_by
    return found if loop.condition is None else [loop.condition, *found]


def words(of: Trace) -> tuple[Word, ...]:
    """The words of a kernel, in order of their first access."""
    cells: dict[tuple[int, int], list[Access]] = {}
    for access in of.accesses:
        if access.root.space in (Space.GLOBAL, Space.SHARED) and not access.asynchronous:
            cells.setdefault((id(access.root), field_of(access)), []).append(access)
    finder = _Finder(of)
    found: list[Word] = []
    for group in cells.values():
        observers = tuple(observer for access in group if (observer := finder.observer(access)) is not None)
        if not observers:
            continue
        waiting = {id(o.access) for o in observers if o.waits and o.locks}
        signals = tuple(
            a
            for a in group
            if a.writes
            and not reads_only(a)
            and id(a) not in waiting
            and not all(_apart(a, o.access) for o in observers)
        )
        if signals or any(observer.waits and _strong(observer.access) for observer in observers):
            found.append(Word(group[0].root, observers, signals))
    return tuple(found)


def _apart(one: Access, other: Access) -> bool:
    """Whether two accesses of one object touch other bytes of it, whoever makes them: what lies beside a flag in the
    same buffer is handed over by it, and no part of it."""
    places = [polynomial(access.offset).coefficients for access in (one, other)]
    if one.size is None or other.size is None or any(mono for place in places for mono in place):
        return False
    first, second = (place.get((), 0) for place in places)
    return first + one.size <= second or second + other.size <= first


def of_own_block(one: Access, other: Access, axis: Symbol) -> bool:
    """Whether two accesses of blocks that are told apart along ``axis`` never meet: both are at the place that each
    block has for itself."""
    form = polynomial(one.offset).coefficients
    step = form.get((axis.term,), 0)
    alike = (s.uniformity is Uniformity.GRID for mono in form if mono != (axis.term,) for f in mono for s in symbols(f))
    return one.offset == other.offset and one.size is not None and abs(step) >= one.size and all(alike)


def only_axis(of: Trace) -> Symbol | None:
    """The number of a block along the one axis that a kernel asks for; None where it asks for several, or none."""
    terms = [term for at in of.accesses for term in (at.offset, at.value, *(g.term for g in at.guards))]
    found = {s for term in terms if isinstance(term, Term) for s in symbols(term) if s.kind is SymbolKind.BLOCK}
    return found.pop() if len(found) == 1 else None


def field_of(access: Access) -> int:
    """Where in an element of an array of structures an access lies, in bytes: where an array begins that is a member,
    whichever of its cells that is; 0 where that is not one place."""
    element = access.root.element
    if not isinstance(element, StructType) or not element.size:
        return 0
    form = polynomial(access.offset).coefficients
    at = form.get((), 0) % element.size
    if all(value % element.size == 0 for mono, value in form.items() if mono):
        return at
    arrays = ((f.offset, f.type.size) for f in element.fields if isinstance(f.type, ArrayType) and not element.union)
    return next((o for o, size in arrays if o is not None and size is not None and o <= at < o + size), 0)


def _strong(access: Access) -> bool:
    return access.volatile or access.kind is AccessKind.ATOMIC


class _Finder:
    """Looks for observers among the accesses of one kernel."""

    def __init__(self, of: Trace) -> None:
        self.of = of
        self.outs = {id(loop): frozenset(sources(ways_out(loop))) for loop in of.loops}
        self.branched = frozenset(
            s for event in (*of.accesses, *of.barriers, *of.exits) for g in event.guards for s in symbols(g.term)
        )
        self.valued = [(access, symbols(access.value)) for access in of.accesses if access.value is not None]
        self.slots = slots(of)
        self.used = self.branched | {symbol for _, found in self.valued for symbol in found}

    def observer(self, access: Access) -> Observer | None:
        """What ``access`` is for, when what it finds is used to decide."""
        if access.kind is AccessKind.WRITE:
            return None
        waits = tuple(loop for loop in access.loops if self._decides(access, loop) and not _search(access, loop))
        if access.atomic_op in COUNTS and not reads_only(access):
            waits = ()  # who counts each time he looks draws numbers until one will do: he waits for nobody
        if access.kind is AccessKind.READ:
            # A plain load that decides where a thread goes is mostly data; one that is repeated is a wait.
            still = tuple(loop for loop in waits if self._repeated(access, loop))
            if not still:
                return None
            return Observer(access, still, self._told(access))
        if access.atomic_op in COUNTS and _sums(access) and not reads_only(access):
            return None  # a sum of numbers that are no integers counts nobody
        if access.atomic_op == "exchange" and isinstance(access.type, FloatType) and not waits:
            return None  # an amount is taken away, to be dealt with
        if access.atomic_op in ("max", "min") and not waits:
            return None  # that its own value was the greater tells a thread nothing of what others have done
        if access.atomic_op == "cas" and made_of_old(access):
            return None  # a sum that is tried again until nobody was quicker
        told = self._told(access)
        if access.atomic_op in COUNTS and not reads_only(access) and any(tells(s, access) for s in self.slots):
            return None  # a place is drawn, as long as there are any: nobody is waited for
        return Observer(access, waits, told) if waits or (told - self.slots) & self.branched else None

    def _decides(self, access: Access, loop: LoopContext) -> bool:
        outs = self.outs[id(loop)]
        if any(tells(symbol, access) for symbol in outs):
            # Where the block meets in each round nobody waits by himself: threads that see different values part.
            return not (loop.has_barrier and access.root.space is Space.SHARED)
        # `while (!__syncthreads_and(ready))`: what the threads bring to the vote is not kept.
        voted = any(isinstance(symbol.origin, Barrier) for symbol in outs)
        return voted and (access.volatile or access.kind is AccessKind.ATOMIC)

    def _repeated(self, access: Access, loop: LoopContext) -> bool:
        """Whether a load in ``loop`` is made until its value is right: the compiler must read it again, or the loop
        does nothing else and looks at one place; not one further on in every round.  What the loop itself stores there
        it does not wait for."""
        inside = [other for other in self.of.accesses if loop in other.loops]
        if any(other.writes and other.root is access.root for other in inside):
            return False
        if access.volatile:
            return True
        if any(other.root is not access.root for other in inside):
            return False
        return all(symbol.serial < loop.serial and symbol is not loop.counter for symbol in symbols(access.offset))

    def _told(self, access: Access) -> frozenset[Symbol]:
        """Symbols that tell what ``access`` found: its own, and loads of shared memory that it was put into."""
        own = {symbol for symbol in self.used if tells(symbol, access)}
        if not own:
            return frozenset()
        passed = [
            event
            for event, found in self.valued
            if event.writes and event.root.space is Space.SHARED and any(symbol in own for symbol in found)
        ]
        own.update(s for s in self.branched if s.kind is SymbolKind.LOAD and any(_holds(one, s) for one in passed))
        return frozenset(own)


def _sums(access: Access) -> bool:
    """Whether numbers in floating point are summed, or such of a type out of sight, and not counted one by one."""
    if isinstance(access.type, (FloatType, IntType)):
        return isinstance(access.type, FloatType)
    added = access.node.operands[0] if isinstance(access.node, Atomic) and access.node.operands else None
    return added is not None and not isinstance(strip_casts(added), IntLit)


def _holds(stored: Access, symbol: Symbol) -> bool:
    """Whether what was stored may be what a symbol was read from."""
    root, offset = symbol.origin
    if root is not stored.root:
        return False
    places = (stored.offset.value, offset.value)
    return None in places or places[0] == places[1]


def _search(access: Access, loop: LoopContext) -> bool:
    """Whether every round of a loop looks at another place: it ends, whatever is there."""
    return loop.counter is not None and loop.counter in symbols(access.offset)


def waits_for_all(of: Trace, known: tuple[Word, ...]) -> Observer | None:
    """The wait of a barrier for the whole grid that a kernel has made itself: every block says that it has come, then
    waits until as many have as there are blocks."""
    for word in known:
        for observer in word.observers:
            if not observer.waits or word.root.space is not Space.GLOBAL or _of_some_blocks(observer):
                continue
            counted = any(s in GRID_DIM for loop in observer.waits for s in sources(ways_out(loop)))
            arrivals = [s for w in known for s in w.signals if s.atomic_op in COUNTS and _every_block(s, observer)]
            if arrivals and (counted or any(_told_by_count(signal) for signal in word.signals)):
                return observer
    return None


def waits_for_others(known: Iterable[Word]) -> Iterator[Observer]:
    """The waits for a counter that whoever waits has raised before: nobody is past one as long as another of those who
    are counted has not come to it."""
    for word in known:
        arrivals = [s for s in word.signals if s.atomic_op in COUNTS]
        for observer in word.observers:
            waits = observer.waits and word.root.space is Space.GLOBAL
            if waits and any(_every_block(signal, observer) for signal in arrivals):
                yield observer


COUNTS = frozenset({"add", "inc", "sub", "dec"})
"""Operations by which threads are counted."""


def _of_some_blocks(observer: Observer) -> bool:
    """Whether only blocks that their index picks wait."""
    return _picks_blocks(observer.access)


def _picks_blocks(event: Access) -> bool:
    neutral = (GuardKind.AFTER_LOOP, GuardKind.LOOP, GuardKind.ASSERT)
    guards = (guard for guard in event.guards if guard.kind not in neutral)
    return any(s.kind is SymbolKind.BLOCK for guard in guards for s in symbols(guard.term))


def _every_block(signal: Access, observer: Observer) -> bool:
    """Whether a block that waits has given ``signal`` before."""
    if signal.order >= observer.access.order or signal.scope not in WIDE:
        return False
    return not _picks_blocks(signal)


def _told_by_count(signal: Access) -> bool:
    """Whether a signal is given by the block that has found that all are there."""
    return any(s in GRID_DIM for guard in signal.guards for s in symbols(guard.term))
