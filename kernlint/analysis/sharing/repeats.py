"""What says that an index array names one element for several threads.

``x[index[i]] += by[i]`` loses updates where an index occurs twice, and is right where none does: permutations, lists
of distinct elements that another kernel has made, places of a sparse matrix.  The statement alone does not tell the two
apart.  It is taken for the first only where something in sight goes against distinct entries; else whoever has filled
the array is believed, as he is believed that its entries are in range.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.launching.launches import LaunchFact
from kernlint.analysis.sharing.lists import one_by_one
from kernlint.analysis.sharing.records import is_entry, of_record, packed, parts
from kernlint.analysis.sharing.starts import begins_where_another_ends, ends_beyond, rows_begun
from kernlint.analysis.trace.events import Access, AccessKind, ApiEvent, LaunchEvent, Trace
from kernlint.analysis.trace.values import PointerValue, as_term
from kernlint.apis import FILLS, base_name
from kernlint.prove.query import Refuted
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    GRID_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    negate,
    plain,
)
from kernlint.tree.nodes import Assign, Atomic, Cast, DoWhile, Expr, For, IntLit, Ref, Subscript, VarDecl, While
from kernlint.tree.types import IntType
from kernlint.tree.walk import walk

_MANY_TO_ONE = frozenset({"div", "mod", "shr", "and", "min", "max", "select"})
"""Operations that make one element of several entries: cells, hashes, masks, clamps, wrapped ends."""


def named_twice(access: Access, witness: Refuted, of: Trace, seen: Iterable[LaunchFact]) -> bool:
    """Whether something in sight says that the entries that pick the place of an update are not distinct.

    It counts or compares what comes to an element; the place is made of an entry by an operation that makes one of
    several; the entry is tested against a size, so that nobody is believed about what it holds; an item has several
    entries, as the corners of a mesh; the entry is one of a pair of which the other is read from, as the ends of an
    edge; a row that begins there reaches into the next; elsewhere it is counted how often an entry comes, or its
    element is updated atomically; the two threads of the ``witness`` read the same entry; or the host fills the object
    with zeros just before it launches the kernel (one of the launches ``seen``): a sum is made there, where else a
    store would do.

    Who stores, in other fields of the record that an entry picks, what data say, works on that record alone: a field
    that is counted up beside them counts the rounds of its own.

    Another kernel that the host launches with the same two arrays, and that stores in each such element what it has for
    the entry, says the opposite: with equal entries all but one of them would be lost.  So does a host that launches
    the kernel for one list after the other (:mod:`kernlint.analysis.sharing.lists`).

    So does an argument that decides whether the very element is updated atomically: who passes it knows of equal
    entries (the elements of one colour, where a mesh is gone through colour by colour).

    One list that picks rows and columns alike takes a part of a matrix out of the whole, and a row whose items are
    linked with one another (their numbers pick elements of the same array) has its elements to itself.

    Entries of a table of starts, and what else is said of the row that begins there (its length, its strides), are
    believed to keep rows apart: only what picks an element within the row may do so twice.
    """
    entries = [s for s in access.offset.symbols if is_entry(s)]
    if access.value is None or not entries:
        return True  # no array of indices picks the place
    value = access.value
    if _atomic_otherwise(access, of) or any(_stored_plainly(access, entries, launch) for launch in seen):
        return False
    old = {s for s in value.symbols if s.kind is SymbolKind.LOAD and s.origin == (access.root, access.offset)}
    if old and counts_up(value, old):
        return not _record_stored(access, of)
    if any(one_by_one(access, entries, of, launch) for launch in seen):
        return False
    if not old:
        return True
    if any(ends_beyond(access, entry) for entry in entries):
        return True
    if _of_one_list(entries) or any(_linked_within_row(access, entry) for entry in entries):
        return False
    if begins_where_another_ends(access, entries):
        return False
    rows = rows_begun(access, entries)
    if rows and any(zeroed(access, launch) for launch in seen):
        return True
    if rows and all(entry in rows for entry in entries):
        return len(entries) == 1 and _one_entry(entries[0], witness)
    entries = [entry for entry in entries if entry not in rows]
    return (
        may_repeat(access, entries, of)
        or _counted_beside(access, entries, of)
        or _other_end(value, entries)
        or _written_by_several(access, entries, of)
        or any(_one_entry(entry, witness) for entry in entries)
        or any(zeroed(access, launch) for launch in seen)
    )


def _atomic_otherwise(access: Access, of: Trace) -> bool:
    """Whether an element is updated atomically where an argument says the opposite of what it says here."""
    chosen = {part for guard in access.guards for part in conjuncts(guard.term) if _of_arguments(part)}
    return bool(chosen) and any(
        other.kind is AccessKind.ATOMIC
        and other.root is access.root
        and other.offset == access.offset
        and any(negate(part) in chosen for guard in other.guards for part in conjuncts(guard.term))
        for other in of.accesses
    )


def _of_arguments(term: Term) -> bool:
    return bool(term.symbols) and all(symbol.kind is SymbolKind.PARAM for symbol in term.symbols)


def may_repeat(access: Access, entries: Collection[Symbol], of: Trace) -> bool:
    """Whether the place of an access is made in a way that may give it to several threads: of an entry by an operation
    that makes one of several, of an entry that is tested against a size, or of one of several that an item has."""
    merging = [entry for entry in entries if not packed(entry, access)]
    return (
        any(_merged(term, merging) for term in parts(access.offset))
        or any(_ranged(guard.term, entries) for guard in access.guards)
        or any(_several(entry) and not of_record(entry, access, of) for entry in entries)
    )


def in_row(entry: Symbol) -> bool:
    """Whether an entry lies in a row that a thread goes through, and other data say where it begins."""
    found = entry.origin[1].symbols
    return any(s.kind in (SymbolKind.COUNTER, SymbolKind.PHI) for s in found) and any(map(is_entry, found))


def _of_one_list(entries: Collection[Symbol]) -> bool:
    """Whether one list picks the coordinates along two axes of the grid: ``a[list[row] * n + list[column]]``."""
    axes = [
        {s for s in entry.origin[1].symbols if s.kind in (SymbolKind.THREAD, SymbolKind.BLOCK)} for entry in entries
    ]
    if len(axes) != 2 or len({id(entry.origin[0]) for entry in entries}) != 1:
        return False
    one, other = ({s.axis for s in found} for found in axes)
    return bool(one) and bool(other) and one.isdisjoint(other)


def _linked_within_row(access: Access, entry: Symbol) -> bool:
    """Whether an item of a thread's own row names another element of the array that has one for the item itself, which
    goes into what is stored: ``for (i of my row) x[parent[i]] -= x[i] * u[i]``."""
    size = entry.origin[0].element.size
    if not in_row(entry) or not size or not access.size or access.value is None:
        return False
    own = polynomial(entry.origin[1]).scaled(access.size)
    return any(
        symbol.kind is SymbolKind.LOAD
        and symbol.origin[0] is access.root
        and polynomial(symbol.origin[1]).scaled(size) == own
        for symbol in access.value.symbols
    )


def _mentions(term: Term, entries: Collection[Symbol]) -> bool:
    return any(symbol in entries for symbol in term.symbols)


def _merged(term: Term, entries: Collection[Symbol]) -> bool:
    """Whether an operation makes one place of several entries, or a conversion of a number that was rounded."""
    if term.op == "cast" and isinstance(term.type, IntType) and not isinstance(term.args[0].type, IntType):
        return _mentions(term, entries) and plain(term.args[0]).op != "sym"
    return term.op in _MANY_TO_ONE and _mentions(term, entries)


def _ranged(term: Term, entries: Collection[Symbol]) -> bool:
    """Whether an entry has to be less than a size; that it must not be negative only tells marks from places."""
    if term.op in ("land", "lor", "lnot"):
        return any(_ranged(arg, entries) for arg in term.args)
    if term.op not in ("lt", "le"):
        return False
    form = polynomial(term.args[0]) - polynomial(term.args[1])
    sized = any(s.kind is SymbolKind.PARAM for s in term.symbols) or abs(form.coefficients.get((), 0)) > 1
    return sized and any(
        value > 0 and any(_mentions(atom, entries) for atom in mono) for mono, value in form.coefficients.items()
    )


def _several(entry: Symbol) -> bool:
    """Whether each item has several entries side by side: ``corner[4 * item + k]``."""
    root, offset = entry.origin
    whole: int | None = root.element.size or entry.type.size
    steps = [
        abs(value)
        for mono, value in polynomial(offset).coefficients.items()
        if any(s.kind in (SymbolKind.THREAD, SymbolKind.BLOCK) for atom in mono for s in atom.symbols)
    ]
    return bool(steps) and whole is not None and min(steps) > whole


def _counted_beside(access: Access, entries: Collection[Symbol], of: Trace) -> bool:
    """Whether an entry picks what is updated atomically, or in another object is counted."""
    for other in of.accesses:
        if not other.writes or not _mentions(other.offset, entries):
            continue
        if other.kind is AccessKind.ATOMIC or (other.root is not access.root and _counts(other)):
            return True
    return False


def _counts(access: Access) -> bool:
    found = access.value.symbols if access.value is not None else ()
    old = [s for s in found if s.kind is SymbolKind.LOAD and s.origin == (access.root, access.offset)]
    return access.value is not None and counts_up(access.value, old)


def counts_up(value: Term, old: Collection[Symbol]) -> bool:
    """Whether a number that is the same for all is added to, or taken from, what an element held: threads are counted
    there, though it be no further than to a limit.  What is made of the old value alone in another way (a root, a
    multiple) is made once of each element."""
    summed = False
    while value.op in ("cast", "add", "sub", "min", "max", "select"):
        args = value.terms[1:] if value.op == "select" else value.terms
        rest = [arg for arg in args if any(symbol in old for symbol in arg.symbols)]
        if len(rest) != 1 or any(not _for_all(arg) for arg in args if arg is not rest[0]):
            return False
        summed = summed or value.op in ("add", "sub")
        value = rest[0]
        if value.symbol is not None:
            return summed and value.symbol in old
    return False


def _record_stored(access: Access, of: Trace) -> bool:
    """Whether other fields of the record in which an element is counted up get values from data, and not from what they
    held: with equal entries all but one would be lost.  That threads leave their own numbers says nothing: any will do.
    """
    here = polynomial(access.offset)
    for other in of.accesses:
        if other.root is not access.root or other.kind is not AccessKind.WRITE or other.value is None:
            continue
        apart = (polynomial(other.offset) - here).constant
        if not apart or any(s.kind is SymbolKind.LOAD and s.origin[0] is access.root for s in other.value.symbols):
            continue
        if any(s.kind in (SymbolKind.LOAD, SymbolKind.PHI) for s in other.value.symbols):
            return True
    return False


def _for_all(term: Term) -> bool:
    """Whether a number is a constant, or an integer that is passed, as it stands."""
    passed = plain(term).symbol
    whole = isinstance(term.type, IntType) and passed is not None and isinstance(passed.type, IntType)
    return not term.symbols or (whole and passed is not None and passed.kind is SymbolKind.PARAM)


def _other_end(value: Term, entries: Collection[Symbol]) -> bool:
    """Whether what is added was read at a place that the entry of another array of the same item picks."""
    mine = {(_array(entry), polynomial(entry.origin[1])) for entry in entries}
    for symbol in value.symbols:
        if symbol.kind is not SymbolKind.LOAD or symbol in entries:
            continue
        for other in symbol.origin[1].symbols:
            if not is_entry(other) or other in entries:
                continue
            at = polynomial(other.origin[1])
            if any(root != _array(other) and at == place for root, place in mine):
                return True
    return False


def _array(entry: Symbol) -> int:
    return id(entry.origin[0])


def _written_by_several(access: Access, entries: Collection[Symbol], of: Trace) -> bool:
    """Whether one thread updates several elements of the object, each picked by an entry of its own."""
    for other in of.accesses:
        if other.root is not access.root or not other.writes or other.offset == access.offset:
            continue
        theirs = [s for s in other.offset.symbols if is_entry(s)]
        if theirs and all(entry not in entries for entry in theirs):
            return True
    return False


def _one_entry(entry: Symbol, witness: Refuted) -> bool:
    """Whether both threads of a witness take the same entry."""
    assert witness.second is not None
    env = {**dict(zip((*BLOCK_DIM, *GRID_DIM), (*witness.block, *witness.grid), strict=True)), **dict(witness.values)}
    places = [
        evaluate(
            entry.origin[1],
            {**env, **dict(actor.counters), **dict(zip((*BLOCK, *THREAD), (*actor.block, *actor.thread), strict=True))},
        )
        for actor in (witness.first, witness.second)
    ]
    return places[0] is not None and places[0] == places[1]


_FILLS = frozenset(name for name, fills in FILLS.items() if fills.target == 0 and fills.size == 2)


def zeroed(access: Access, launch: LaunchFact) -> bool:
    """Whether the host has filled the object of ``access`` with zeros, and no other kernel got it before ``launch`` but
    such as add to it atomically: then the sum is one that several threads make."""
    passed = launch.argument(access.root.name)
    if not isinstance(passed, PointerValue) or launch.walk is None or launch.event is None:
        return False
    filled = [
        api.order
        for api in launch.walk.apis
        if api.order < launch.event.order and base_name(api.name) in _FILLS and _with_zeros(api, passed)
    ]
    if not filled:
        return False
    between = (one for one in launch.walk.launches if max(filled) < one.order < launch.event.order)
    return all(
        _adds_alone(one, index)
        for one in between
        for index, arg in enumerate(one.args)
        if isinstance(arg, PointerValue) and arg.root is passed.root
    )


def _adds_alone(launch: LaunchEvent, index: int) -> bool:
    """Whether a kernel, as its own text says, does nothing with an argument but add to elements of it atomically."""
    kernel = launch.node.kernel
    if kernel is None or kernel.body is None or index >= len(kernel.params):
        return False
    param = kernel.params[index]
    uses = sum(isinstance(node, Ref) and node.decl is param for node in walk(kernel.body))
    added = [node for node in walk(kernel.body) if isinstance(node, Atomic) and node.op == "add"]
    return 0 < uses == sum(isinstance(part, Ref) and part.decl is param for at in added for part in walk(at.pointer))


def _stored_plainly(access: Access, entries: Collection[Symbol], launch: LaunchFact) -> bool:
    """Whether another kernel stores once for each entry in the elements that the same index array picks, of the same
    object: the array is a permutation."""
    target = launch.argument(access.root.name)
    if not isinstance(target, PointerValue) or launch.walk is None or launch.event is None:
        return False
    picking = {
        id(found.root) for entry in entries if isinstance(found := launch.argument(entry.origin[0].name), PointerValue)
    }
    for one in launch.walk.launches:
        kernel = one.node.kernel
        if one is launch.event or kernel is None or kernel.body is None:
            continue
        given = [
            (param, arg.root)
            for param, arg in zip(kernel.params, one.args, strict=False)
            if isinstance(arg, PointerValue)
        ]
        stored = {param for param, root in given if root is target.root}
        index = {param for param, root in given if id(root) in picking}
        if (
            not stored
            or not index
            or any(isinstance(node, (Atomic, For, While, DoWhile)) for node in walk(kernel.body))
        ):
            continue
        for node in walk(kernel.body):
            if isinstance(node, Assign) and not node.op and isinstance(node.target, Subscript):
                base, by_thread = node.target.base, _read_in(node.target.index, index)
                if isinstance(base, Ref) and base.decl in stored and by_thread and not isinstance(node.value, IntLit):
                    return True
    return False


def _read_in(index: Expr, arrays: Collection[VarDecl], depth: int = 3) -> bool:
    """Whether a subscript is an element of one of ``arrays``, through variables that are set once."""
    while isinstance(index, Cast):
        index = index.operand
    if isinstance(index, Subscript):
        return isinstance(index.base, Ref) and index.base.decl in arrays
    init = index.decl.init if isinstance(index, Ref) else None
    return init is not None and depth > 0 and _read_in(init, arrays, depth - 1)


def _with_zeros(api: ApiEvent, target: PointerValue) -> bool:
    if len(api.args) < 3 or not isinstance(api.args[0], PointerValue) or api.args[0].root is not target.root:
        return False
    return as_term(api.args[1]).value == 0


def one_of_each_block(access: Access, of: Trace) -> bool:
    """Whether one thread of each block updates atomically what the block's number from memory picks elsewhere: several
    blocks have one number, or it would not have to.

    Still silent: ``atomicAdd(&sums[row], mine)`` by all threads of a block, which are several by themselves.
    """
    chosen = {s for s in access.offset.symbols if s.kind is SymbolKind.LOAD and s.uniformity is Uniformity.BLOCK}
    for other in of.accesses if chosen else ():
        picks = {s for s in other.offset.symbols if s.kind is not SymbolKind.PARAM}
        if other.kind is AccessKind.ATOMIC and other.root is not access.root and picks and picks <= chosen:
            asked = (guard.term for guard in other.guards if guard.term.op == "eq")
            if any(plain(term.args[0]).symbol in THREAD and term.args[1].value is not None for term in asked):
                return True
    return False
