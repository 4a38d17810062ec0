"""Elements of private arrays that are read although no store of the thread has set them.

Loops of a constant number of rounds are walked.  A loop that fills as many elements as a number says, an argument or a
datum, leaves the others unset; what reads up to the array's end reads them wherever the number may be smaller, unless
it asks about the number as well.  Who reads one element by its number knows that there are so many.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.accesses.pairs import known, side
from kernlint.analysis.accesses.touches import Toucher
from kernlint.analysis.content.initialised import updates
from kernlint.analysis.scenarios.scenario import Scenarios
from kernlint.analysis.trace.events import Access, AccessKind, ConditionEvent, RootKind
from kernlint.prove.query import Launch
from kernlint.record import dataclass, replace
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, const, substitute, symbols
from kernlint.tree.types import IntType, StructType

ONE = Launch((1, 1, 1), (1, 1, 1), 1)
"""Each thread has private memory of its own: one is enough."""

COUNTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64)
"""Numbers of elements that are set, which are tried."""

PLAIN = frozenset(
    {
        SymbolKind.THREAD,
        SymbolKind.BLOCK,
        SymbolKind.BLOCK_DIM,
        SymbolKind.GRID_DIM,
        SymbolKind.WARP_SIZE,
        SymbolKind.COUNTER,
        SymbolKind.PARAM,
    }
)
"""What a launch, and the rounds of loops, say."""


@dataclass(frozen=True, slots=True, eq=False)
class Element:
    """A ``read`` of the element ``cell`` that nothing sets; ``updated``: it is only ever updated.  ``filled``: (name,
    value) of what says how many elements are set."""

    read: Access
    cell: int
    updated: bool = False
    filled: tuple[str, int] | None = None


def unset_element(group: Sequence[Access], believed: Scenarios, conditions: Sequence[ConditionEvent]) -> Element | None:
    """The first read of an element that no store of the thread sets, of the accesses to one array; ``conditions``:
    those of the kernel."""
    writes = [access for access in group if access.writes]
    setting = [write for write in writes if not _only_updates(write)]
    used = [access for access in group if access.kind is AccessKind.READ]
    # (Where structures are only updated, each as a whole, what was read of them is in what they become.)
    reads = used if writes and not setting else [read for read in used if not _copies(read)]
    if not reads:
        return None
    size = group[0].root.element.size or 1
    if not setting:
        read = reads[0]
        return Element(read, (read.offset.value or 0) // size, updated=bool(writes)) if known(read) else None
    toucher, covered = Toucher(), set[int]()
    for write in setting:
        if not _settled(write):
            return _partly_filled(setting, reads, believed, conditions)
        touched = toucher.of(side(write), ONE)
        if touched is None:
            return None
        for start, _, _ in touched.found:
            covered.update(range(start, start + touched.size))
    for read in reads:
        if not _settled(read) or not _surely(read):
            continue
        touched = toucher.of(side(read), ONE)
        for start, _, _ in touched.found if touched is not None else ():
            if start not in covered and 0 <= start < (group[0].root.extent or 0):
                return Element(read, start // size, updated=len(setting) < len(writes))
    return None


def _copies(read: Access) -> bool:
    """Whether a structure is read as a whole: its fields are copied together, whoever looks at which."""
    kind = read.root.element
    return isinstance(kind, StructType) and len(kind.fields) > 1 and read.size == kind.size


def _only_updates(write: Access) -> bool:
    """Whether a store makes its value from what was there, whichever way it is chosen."""
    return updates(write) and (write.value is None or _takes_up(write.value, write))


def _takes_up(value: Term, write: Access) -> bool:
    if value.op == "select":
        return all(_takes_up(arg, write) for arg in value.args[1:])
    origins = (symbol.origin for symbol in symbols(value) if symbol.kind is SymbolKind.LOAD)
    return (write.root, write.offset) in origins


def _settled(access: Access) -> bool:
    """Whether the place of an access rests on nothing but the counters of loops that go a known number of rounds."""
    if access.root.kind is RootKind.UNKNOWN or not access.size or access.asynchronous:
        return False
    used = [loop for loop in access.loops if loop.counter in symbols(access.offset)]
    if any(symbol.kind is not SymbolKind.COUNTER for symbol in symbols(access.offset)):
        return False
    conditions = [loop.condition for loop in used]
    return all(it is not None and all(s.kind is SymbolKind.COUNTER for s in symbols(it)) for it in conditions)


def _surely(read: Access, known_: dict[Symbol, Term] | None = None) -> bool:
    """Whether some thread makes a read in each of its iterations: nothing but its loops and tests of the thread's own
    index stand before it."""
    for guard in read.guards:
        term = substitute(guard.term, known_) if known_ else guard.term
        if term.value == 0:
            return False
        kinds = {symbol.kind for symbol in symbols(term)}
        mixed = SymbolKind.COUNTER in kinds and kinds != {SymbolKind.COUNTER}
        if guard.loop is None and (mixed or not kinds <= PLAIN):
            return False
    return not any(loop.exits or loop.leaves for loop in read.loops if loop.counter in symbols(read.offset))


def _partly_filled(
    setting: Sequence[Access], reads: Sequence[Access], believed: Scenarios, conditions: Sequence[ConditionEvent]
) -> Element | None:
    """A read of an element that stores set only where the number that their loops go up to is large enough."""
    ends = {end for write in setting for end in _ends(write)}
    if len(ends) != 1 or not all(_counted(write) for write in setting):
        return None
    (count,) = ends
    later = [read for read in reads if _by_rounds(read) and _settled(read) and not _asks(read, count, conditions)]
    for value in COUNTS if later else ():
        if not believed.admission.permits((None, None, None), values=((count, value),)):
            continue
        launch, toucher, covered = replace(ONE, values=((count, value),)), Toucher(), set[int]()
        for write in setting:
            touched = toucher.of(side(write), launch)
            if touched is None:
                return None
            for start, _, _ in touched.found:
                covered.update(range(start, start + touched.size))
        for read in later:
            if not _surely(read, {count: const(value, count.type)}):
                continue
            touched = toucher.of(side(read), launch)
            size, room = read.root.element.size or 1, read.root.extent or 0
            for start, _, _ in touched.found if touched is not None else ():
                if start not in covered and 0 <= start < room:
                    return Element(read, start // size, filled=(count.name or "the number", value))
    return None


def _ends(write: Access) -> set[Symbol]:
    """The numbers that the loops around a store go up to, as far as they make its place."""
    used = [loop for loop in write.loops if loop.counter in symbols(write.offset)]
    found = {s for loop in used if loop.condition is not None for s in symbols(loop.condition)}
    return {symbol for symbol in found if symbol.kind is not SymbolKind.COUNTER}


def _by_rounds(read: Access) -> bool:
    """Whether a read is one of a loop that goes on to some end: one of a place that is a number takes for granted that
    there are more elements than that, as a message has a field there."""
    return any(loop.counter in symbols(read.offset) for loop in read.loops)


def _counted(write: Access) -> bool:
    """Whether the place of a store rests on the counters of loops alone, which go up to numbers."""
    if write.root.kind is RootKind.UNKNOWN or not write.size or write.asynchronous:
        return False
    used = [loop for loop in write.loops if loop.counter in symbols(write.offset)]
    plain = all(symbol.kind is SymbolKind.COUNTER for symbol in symbols(write.offset))
    ends = _ends(write)
    data = (SymbolKind.PARAM, SymbolKind.LOAD)
    counted = all(end.kind in data and isinstance(end.type, IntType) for end in ends)
    return plain and counted and all(loop.condition is not None for loop in used)


def _asks(read: Access, count: Symbol, conditions: Sequence[ConditionEvent]) -> bool:
    """Whether anything asks about the number in the loops that make the place of a read: of what lies beyond no use
    may be made."""
    counters = {loop.counter for loop in read.loops} & set(symbols(read.offset))
    terms = [condition.term for condition in conditions] + [guard.term for guard in read.guards]
    return any(count in symbols(term) and counters & set(symbols(term)) for term in terms)
