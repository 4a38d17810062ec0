"""Shared memory that is read before anybody has put something there.

What shared memory holds when a block begins is left over from another one.  Three degrees of certainty: an object that
nothing writes at all; one that is only ever updated (each new value is made from the old one); cells that, under a
small launch, a thread reads and none writes.  For the last one writes are given every benefit of the doubt (conditions
that cannot be computed hold, all phases count) and reads none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product

from kernlint.analysis.accesses.pairs import known, side
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.content.any_block import whatever_the_block
from kernlint.analysis.content.callers import of_callers
from kernlint.analysis.content.cells import Unset, bare, covered_by, of_any_value
from kernlint.analysis.content.factors import of_products
from kernlint.analysis.content.other_blocks import first_alone
from kernlint.analysis.content.own_rows import begin_of_row, within_own_rows
from kernlint.analysis.content.shared_conditions import as_whole, without_shared
from kernlint.analysis.content.size_trials import below_all, beyond_the_block, full_round, last_round
from kernlint.analysis.content.work_sizes import decided, idle, turning
from kernlint.analysis.extent.extents import numbers_made_up
from kernlint.analysis.scenarios.numbers import scalar
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.scenarios.scenario import Scenario, Scenarios
from kernlint.analysis.sharing.races import unbroken
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, GuardKind, Root, RootKind, Trace
from kernlint.prove.admission import ANY, Admission
from kernlint.record import replace
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, Uniformity, symbols
from kernlint.symbolic.uniformity import variation
from kernlint.tree.nodes import Assign, DeclStmt, ParamDecl, Ref, Scope
from kernlint.tree.types import ArrayType, OpaqueType, PointerType, Space, Type
from kernlint.tree.walk import walk

FEW = (50, 45)
"""Values for scalars that bound the work, of :data:`ROW` threads: less than a block has threads, as in the last block
of a grid."""

FEWER = (6, 3)
"""Values for what data say, less than a tile has rows."""

ROW = 64
"""Threads along the shortest axis of a block for which :data:`FEW` is meant; shorter axes get their share of it."""

LARGEST = 4096
"""Parts no larger than this are what a scalar is taken for a multiple of."""

READS = 4
"""Reads by threads whose results go nowhere that are passed over, before an object is given up."""

LITTLE = 8
"""The value of sizes that serve: some rows of a tile."""

MANY = 1 << 20
"""The value of such scalars when there is work for all."""

GROUNDS = ("the strides of the kernel", "the extents of its arrays")
"""Reasons of a guessed block that are good enough to miss a write."""

_SETTING = frozenset({"store", "exchange", "cas", "flag_set"})
"""Atomic operations that put a value somewhere, whatever was there."""


def closed(of: Trace) -> bool:
    """Whether everything that may write shared memory is in sight."""
    if (
        not unbroken(of)
        or of.asyncs
        or any((call.writes and call.objects is None) or call.may_sync for call in of.calls)
    ):
        return False
    if any(gap.kind == "write" for gap in of.gaps):
        return False
    odd = (RootKind.UNKNOWN, RootKind.LOADED)
    return not any(access.writes and access.root.kind in odd for access in of.accesses)


def _objects(of: Trace) -> Iterator[tuple[Root, list[Access]]]:
    """Objects in shared memory with their accesses, but for those that something out of sight may write; of dynamic
    shared memory only an array that is alone."""
    groups: dict[int, list[Access]] = {}
    written = of.overwritten | {id(root) for call in of.calls if call.writes for root in call.objects or ()}
    for access in of.accesses:
        if access.root.space is Space.SHARED and id(access.root) not in written:
            groups.setdefault(id(access.root), []).append(access)
    unsized = [group for group in groups.values() if group[0].root.extent is None]
    for group in groups.values():
        root = group[0].root
        if (
            root.kind is RootKind.VARIABLE and (root.extent is not None or len(unsized) == 1)
        ) or root.kind is RootKind.PARAM:
            yield root, group


def _aliased(facts: Facts) -> set[int]:
    """Objects that a reference or pointer to a type that was not found is bound to: what is done through it (members,
    operators of the type) is out of sight.  By the identity of their declarations."""
    body = facts.function.body
    out: set[int] = set()
    for node in walk(body) if body is not None else ():
        if not isinstance(node, DeclStmt):
            continue
        for decl in node.decls:
            if decl.init is not None and isinstance(decl.type, PointerType) and _unknown(decl.type.pointee):
                out.update(id(part.decl) for part in walk(decl.init) if isinstance(part, Ref))
    return out


def _unknown(pointee: Type) -> bool:
    while isinstance(pointee, ArrayType | PointerType):
        pointee = pointee.element if isinstance(pointee, ArrayType) else pointee.pointee
    return isinstance(pointee, OpaqueType)


def updates(access: Access) -> bool:
    """Whether a write makes its value from what was there."""
    if access.kind is AccessKind.ATOMIC:
        return access.atomic_op not in _SETTING

    def rests(term: Term) -> bool:
        if term.op == "select":
            return all(map(rests, term.args[1:]))  # the first of several rounds may do without
        if term.op == "sym":
            return term.args[0].kind is SymbolKind.LOAD and bool(term.args[0].origin == (access.root, access.offset))
        return any(map(rests, term.terms))

    return access.value is not None and rests(access.value)


def _compared(write: Access) -> bool:
    """Whether a write is made only where a comparison with what was there says so: ``if (x < s[t]) s[t] = x``."""

    def asks(term: Term) -> bool:
        if term.op in ("lor", "land"):
            return (all if term.op == "lor" else any)(map(asks, term.terms))
        held = (symbol.origin for symbol in symbols(term) if symbol.kind is SymbolKind.LOAD)
        return any(isinstance(origin, tuple) and origin[0] is write.root for origin in held)

    return any(guard.kind is GuardKind.BRANCH and asks(guard.term) for guard in write.guards)


def _compute(facts: Facts) -> tuple[Unset, ...]:
    of = facts[trace]
    if not closed(of) or any(loss.kind == "statement" for loss in facts.losses):
        return ()  # what was not understood may be the write, or the declaration that it names
    out: list[Unset] = []
    portioned, aliased = _portioned(of), _aliased(facts)
    for root, group in _objects(of):
        if id(root.decl) in aliased or (facts.module.entries and of_callers(root, facts)):
            continue
        found = _seen(facts, group, portioned)
        if found is not None and found.degree == "never" and numbers_made_up(facts):
            continue  # the branch that writes it may be one that these numbers leave out
        if found is not None and found.degree == "never" and _in_branch_not_taken(facts, root):
            continue
        if found is None and (early := _early(of, group)):
            found = _seen(facts, early, portioned)
            found = found if found is not None and found.degree == "uncovered" else None
        if found is not None:
            out.append(replace(found, left=_left(of, found.write)) if found.write is not None else found)
    return tuple(out)


def _in_branch_not_taken(facts: Facts, root: Root) -> bool:
    """Whether the kernel's text stores to an object that no walk has seen it write: a constant of a sketch or a setting
    keeps the branch out."""
    return any(
        isinstance(node, Assign) and any(isinstance(at, Ref) and at.decl is root.decl for at in walk(node.target))
        for node in (walk(facts.function.body) if facts.function.body is not None else ())
    )


def _seen(facts: Facts, group: Sequence[Access], portioned: dict[Symbol, int]) -> Unset | None:
    """What is to be said of an object, but for reads by threads whose results go nowhere."""
    writes = [access for access in group if access.writes]
    results = [access for access in facts[trace].accesses if access.writes and access.root.space is Space.GLOBAL]
    most = facts.function.bounds.max_threads or 1024
    for _ in range(READS):
        bared = without_shared(group, facts[scenarios].admission)
        found = as_whole(_judge(facts[scenarios], bared, results, portioned, most), bared, group)
        if found is None or found.shape is None or not within_own_rows(facts[trace], found.access, writes, found.shape):
            return found
        group = [access for access in group if access is not found.access]
        if len(group) == len(writes):
            break
    return None


def _early(of: Trace, group: Sequence[Access]) -> list[Access]:
    """The reads that come before a write for good, with a barrier of the block between and no loop around both, and the
    writes that do not; empty where there are none."""
    reads = [access for access in group if access.kind is AccessKind.READ]
    barriers = [b.order for b in of.barriers if b.scope is Scope.BLOCK and b.certain]
    for last in sorted((access for access in group if access.kind is AccessKind.WRITE), key=lambda one: one.order):
        before = [
            read
            for read in reads
            if any(read.order < barrier < last.order for barrier in barriers) and not set(read.loops) & set(last.loops)
        ]
        if before:
            end = max(read.order for read in before)
            kept = [one for one in group if one.writes and (one.order < end or _with_any(one, before))]
            return [*kept, *before] if kept else []
    return []


def _with_any(write: Access, reads: Sequence[Access]) -> bool:
    """Whether a loop is around a write and one of the reads."""
    return any(set(write.loops) & set(read.loops) for read in reads)


def _left(of: Trace, write: Access) -> Term | None:
    """The condition under which threads had not returned when they came to ``write``, if a barrier follows it.  Where
    all threads of a block agree on it, none of those that go on is missing."""
    gone = {guard.term for guard in write.guards if guard.kind is GuardKind.EXIT}
    gone = {term for term in gone if variation(term) > Uniformity.BLOCK}
    for barrier in of.barriers:
        if barrier.order > write.order and barrier.scope is Scope.BLOCK:
            for guard in barrier.guards:
                if guard.kind is GuardKind.EXIT and guard.term in gone:
                    return guard.term
    return None


def _portioned(of: Trace) -> dict[Symbol, int]:
    """Scalars that the kernel divides, by what number (1: by none that is known): they are meant to be multiples."""
    out: dict[Symbol, int] = {}
    done: set[Term] = set()
    todo = [term for access in of.accesses for term in (access.offset, *(guard.term for guard in access.guards))]
    while todo:
        term = todo.pop()
        if term in done:
            continue
        done.add(term)
        if term.op in ("div", "mod", "shr", "and"):
            by = term.args[1].value if term.op == "div" else None
            for symbol in filter(scalar, symbols(term.args[0])):
                out[symbol] = max(out.get(symbol, 1), by if by is not None and 0 < by <= LARGEST else 1)
        todo.extend(term.terms)
    return out


def _judge(
    found: Scenarios, group: Sequence[Access], results: Sequence[Access], portioned: dict[Symbol, int], most: int
) -> Unset | None:
    """What is to be said of an object.  ``most``: threads that a block may have."""
    writes = [access for access in group if access.writes]
    # An atomic update reads what was there.
    reads = [access for access in group if access.kind is AccessKind.READ or (access.writes and _adds(access))]
    if not writes:
        return Unset(reads[0], "never") if reads else None
    if all(updates(write) or _compared(write) for write in writes):
        return Unset(writes[0], "updated")
    if any(access.kind is AccessKind.ATOMIC and not _adds(access) for access in group):
        return None
    if not all(known(access) for access in group):
        return None
    result: Unset | None = None
    setting = [write for write in writes if not updates(write)]
    beyond = [beyond_the_block(s, setting, reads, found.admission.under(s.block)) for s in found.plausible]
    if beyond and all(beyond):
        return beyond[0]
    alone = [
        first_alone(s, setting, reads, results, found.admission.under(s.block)) for s in found.plausible if setting
    ]
    if alone and all(alone):
        return alone[0]
    for shape in found.plausible:
        sized_by_launch = group[0].root.extent is None  # as large as the block, whatever that is
        if not shape.seen and shape.reason not in GROUNDS and not sized_by_launch:
            held = [read for read in reads if _of_block(read) or (_left_before(read) and of_any_value(read))]
            if not held:
                ask = partial(_under, found.admission, writes, reads, portioned, most)
                return whatever_the_block(shape, (*writes, *reads), ask, 0 if any(found.threads[1:]) else most)
            reads = held
        known_of = found.admission.under(shape.block)
        uncovered = _uncovered(shape, writes, reads, portioned, known_of, most)
        uncovered = uncovered or last_round(shape, setting, reads, known_of)
        uncovered = uncovered or full_round(shape, setting, reads, known_of)
        if uncovered is None:
            return None
        result = result or uncovered
    return result


def _of_block(read: Access) -> bool:
    """Whether the size of the block, whatever that is, says which cells are read, and nothing else does."""
    found = {symbol.kind for symbol in side(read).symbols}
    return SymbolKind.BLOCK_DIM in found and found <= _OF_BLOCK


def _left_before(read: Access) -> bool:
    """Whether threads may have returned before a read: those that would have set a cell, whatever block they are in."""
    return any(guard.kind is GuardKind.EXIT for guard in read.guards)


_OF_BLOCK = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK_DIM, SymbolKind.COUNTER, SymbolKind.EXIT})


def _adds(access: Access) -> bool:
    """Whether an access is an atomic update."""
    return access.kind is AccessKind.ATOMIC and access.writes and updates(access)


def _under(
    admission: Admission,
    writes: Sequence[Access],
    reads: Sequence[Access],
    portioned: dict[Symbol, int],
    most: int,
    shape: Scenario,
) -> Unset | None:
    return _uncovered(shape, writes, reads, portioned, admission.under(shape.block), most)


def _uncovered(
    shape: Scenario,
    writes: Sequence[Access],
    reads: Sequence[Access],
    portioned: dict[Symbol, int],
    known: Admission,
    most: int,
) -> Unset | None:
    """A cell that one of ``reads`` reads under ``shape`` and none of ``writes`` sets."""
    setting = [write for write in writes if not updates(write)]
    sides = [side(write) for write in setting]
    rounding = turning(sides)
    placing = {s for access in (*writes, *reads) for s in symbols(access.offset)}
    rounds = [symbol for symbol in rounding if symbol not in placing and rounding[symbol] and scalar(symbol)]
    free = {
        s for write in writes for guard in write.guards if guard.kind is GuardKind.EXIT for s in symbols(guard.term)
    }
    free |= idle(sides)
    given = dict(known.numbers)
    scalars = dict.fromkeys(s for at in sides for s in at.symbols if decided(s))
    bounding = [s for s in scalars if s not in rounds and s not in given]
    fixed = placing | {symbol for symbol in (*rounding, *portioned) if symbol not in free and scalar(symbol)}
    # Sizes of the block or its arrays, for all that is known, are not free: they serve where it is threads that have
    # left who would have set a cell.
    kept = [symbol for symbol in bounding if symbol in fixed]
    bounding = [symbol for symbol in bounding if symbol not in fixed]
    ones = of_products(bounding, [*sides, *map(side, reads)])
    bounding = [symbol for symbol in bounding if symbol not in ones]
    if len(bounding) > len(FEW) or any(symbol in placing for symbol in kept):
        return None
    if kept and (not bounding or any(symbol not in free for symbol in bounding)):
        return None
    told = [s for s in bounding if s.kind is SymbolKind.LOAD and not scalar(s)]
    begins = begin_of_row(bounding) if len(told) == 2 else None
    if begins is not None:
        told = bounding = [symbol for symbol in bounding if symbol is not begins]
    if told and len(bounding) > 1:
        return None  # how data go together with other sizes is not known
    row = min((size for size in shape.block if size > 1), default=1)
    certain = (*bounding, *ones, *rounds, *kept, *given, *((begins,) if begins is not None else ()))
    for much, usual in product((LITTLE, shape.threads) if kept else (ROW,), (FEW, FEWER) if told else (FEW,)):
        few = [max(size * min(row, ROW) // ROW, 1) for size in usual]
        sizes = tuple(zip(bounding, few, strict=False))
        whole_rounds = tuple((symbol, max(ROW, portioned.get(symbol, 1))) for symbol in rounds)
        whole_rounds = known.near(shape.block, ANY, sizes, whole_rounds)
        worked = (*whole_rounds, *((symbol, much) for symbol in kept), *((symbol, 1) for symbol in ones))
        worked += ((begins, 0),) if begins is not None else ()
        worked = (*((symbol, value) for symbol, value in worked if symbol not in given), *known.numbers)
        values = (*sizes, *worked)
        if not known.permits(shape.block, values=values):
            continue
        covered = covered_by(sides, shape, values)
        plenty = (*((symbol, shape.threads if symbol in rounding else MANY) for symbol in bounding), *worked)
        usually = covered_by(sides, shape, plenty) if bounding else covered
        if covered is None or usually is None:
            continue
        asked = _asked(shape, reads, set(certain), placing, known, worked)
        unsized = not shape.seen and not bounding
        whole = None if unsized or (shape.seen and not kept) else usually
        told_of = (*certain, *(symbol for symbol, _ in asked))
        apart = {symbol for symbol, _ in asked if not any(_related(symbol, other, known) for other in bounding)}
        sure = [read for read in reads if not (bounding and _kept_by(read, apart))]
        found = bare(shape, sure, (*values, *asked), told_of, covered, whole, writes[0])
        if unsized and found is not None:
            widest = replace(shape, block=(most, 1, 1)) if shape.block[1:] == (1, 1) else shape
            covered = covered_by(sides, widest, values)
            found = bare(widest, sure, values, told_of, covered, None, writes[0]) if covered is not None else None
            found = below_all(found, setting, most)
        if found is not None:
            return found
    return None


def _related(one: Symbol, other: Symbol, known: Admission) -> bool:
    """Whether a launch in sight makes two arguments of the same sizes."""
    for way in known.ways:
        images = dict(way.images)
        if one in images and other in images and set(symbols(images[one])) & set(symbols(images[other])):
            return True
    return False


def _kept_by(read: Access, sizes: set[Symbol]) -> bool:
    """Whether a read is kept to the threads within one of ``sizes``: where the writes are within another, of which
    nothing says how it goes with that, callers know."""
    for guard in read.guards:
        found = set(symbols(guard.term))
        if found & sizes and any(symbol.kind is SymbolKind.THREAD for symbol in found):
            return True
    return False


def _asked(
    shape: Scenario,
    reads: Sequence[Access],
    known: set[Symbol],
    placing: set[Symbol],
    launched: Admission,
    worked: tuple[tuple[Symbol, int], ...],
) -> tuple[tuple[Symbol, int], ...]:
    """Scalars that stand in the conditions of reads alone, large enough that there is something to read."""
    sides = [side(read) for read in reads]
    counting = turning(sides)
    found = dict.fromkeys(
        s
        for at in sides
        for s in at.symbols
        if scalar(s) and s not in known and s not in placing and not _extent_of_array(s)
    )
    wanted = tuple((symbol, ROW if symbol in counting else MANY) for symbol in found)
    return launched.near(shape.block, (None, None, None), worked, wanted)


def _extent_of_array(symbol: Symbol) -> bool:
    """Whether a scalar is an extent that an array brings along: how it goes with those of others is not known."""
    return isinstance(symbol.origin, ParamDecl) and symbol.origin.implicit


unset = KernelAnalysis("unset", _compute, needs=(trace, scenarios))
"""Reads of shared memory that was never set, at most one for each object of a kernel variant."""
