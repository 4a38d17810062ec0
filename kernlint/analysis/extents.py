"""Accesses that leave their array: below its start, or beyond an extent that is known.

Arrays of constant extent (private, shared, constant) are asked about as they are; memory behind a pointer parameter
only whether an access can lie *before* it.  What an index or a guard takes from memory, from parameters or from calls
that are not modelled is not speculated on: such an access is passed over, but for data under a mask or a remainder,
whose largest value is taken.  The blocks tried are those of :mod:`kernlint.analysis.launch_context`; without a known
one, a shared array may still speak for itself (:attr:`Outside.reason`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.launch_context import Block, LaunchContext, launch_context
from kernlint.analysis.pairs import side
from kernlint.analysis.replay import Replayed, Replayer
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, LoopContext, Root, RootKind, Trace
from kernlint.analysis.trace.values import PointerValue
from kernlint.analysis.wording import element_size
from kernlint.finding import Severity
from kernlint.prove.hints import launch_bounds
from kernlint.prove.meet import WARP
from kernlint.prove.query import Bounds, Budget, Launch, Refuted, Side
from kernlint.prove.solve import solve
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.intervals import Bound, interval, refine
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import (
    BLOCK_DIM,
    THREAD,
    WARP_SIZE,
    Symbol,
    SymbolKind,
    Term,
    cast,
    const,
    rebuild,
    symbols,
)
from kernlint.tree.nodes import Assign, Cast, IncDec, IntLit, Member, Subscript
from kernlint.tree.types import I64, ArrayType, IntType, Space

BUDGET = Budget(steps=150, points=6_000, rlimit=0)

FEW = Budget(steps=60, points=1_500, rlimit=0)
"""For what shows within the first threads or not at all."""

UNLIMITED = (1 << 32) - 4096
"""Bytes of memory whose extent is not known: its start can be missed, or passed by an unsigned index that wraps."""


@dataclass(frozen=True, slots=True)
class Outside:
    """An access that lies outside its object for one thread of a believable launch.

    ``witness``: the thread and launch.  ``extent``: bytes (None: not known).  ``below``: before the start, or by an
    unsigned index that has wrapped.  ``reason``: why the block is believed in; empty when any will do.  ``data``: it
    takes a value from memory with all bits of a mask set.  ``inner``: it is about an array within an object (a field,
    a row); then ``extent`` and the witness's offset count elements of that.  ``sure``: the block is known or permitted,
    or any will do.
    """

    access: Access
    witness: Refuted
    extent: int | None
    below: bool
    reason: str
    data: bool
    inner: bool = False
    sure: bool = False

    @property
    def unit(self) -> int:
        """Bytes of an element as the witness and the extent count: 1 where they count elements of an inner array."""
        return 1 if self.inner else element_size(self.access)


_OWN = frozenset({SymbolKind.THREAD, SymbolKind.COUNTER, SymbolKind.BLOCK_DIM, SymbolKind.WARP_SIZE})
_PLACE = _OWN | {SymbolKind.BLOCK}


def _kinds(term: Term) -> set[SymbolKind]:
    return {symbol.kind for symbol in symbols(term)}


def _masked(offset: Term) -> tuple[Term, bool]:
    """``offset`` with data under masks and remainders at its largest, and whether there was any."""
    images: dict[Term, Term] = {}
    atoms = polynomial(offset)
    for mono, factor in atoms.coefficients.items():
        for atom in mono:
            if atom.op not in ("and", "mod") or not _kinds(atom) - _PLACE or _kinds(atom) & _PLACE:
                continue
            top = _largest(atom)
            if top is None or factor < 0 or len(mono) != 1:
                return offset, False
            images[atom] = const(top, atom.type)
    if not images:
        return offset, False
    return _replace(offset, images), True


PACKED = 8
"""Below this a mask takes a small number out of a packed word, which may not have all the values of its bits: three
corners are packed into two bits."""


def _largest(atom: Term) -> int | None:
    """The largest value of ``x & c`` or ``x % c`` for an ``x`` that may be anything its type can."""
    for value, limit in (atom.args, atom.args[::-1]) if atom.op == "and" else (atom.args,):
        if atom.op == "and" and limit.value is not None and limit.value < PACKED:
            continue
        if limit.value is not None and limit.value > 0:
            top: int = limit.value if atom.op == "and" else limit.value - 1
            high = interval(value)[1]
            return top if high is None else min(top, high)
    return None


def _replace(term: Term, images: dict[Term, Term]) -> Term:
    """``term`` with whole sub-terms replaced."""
    found = images.get(term)
    if found is not None:
        return found
    if term.op in ("const", "sym"):
        return term
    args = tuple(_replace(arg, images) for arg in term.terms)
    return term if all(a is b for a, b in zip(args, term.terms, strict=True)) else rebuild(term, args)


def _decidable(access: Access, offset: Term) -> Side | None:
    """The access as a question about its thread alone; None when something out of sight may keep it in bounds.

    A guard on symbols of the index that also rests on parameters or data is such a thing, but where it tests a
    global id: then some block passes it whole.
    """
    moving = {s for s in symbols(offset) if s.kind in (SymbolKind.THREAD, SymbolKind.COUNTER)}
    kept: list[Term] = []
    asked = side(access)
    for guard in asked.guards:
        found = set(symbols(guard))
        if {s.kind for s in found} <= _OWN:
            kept.append(guard)
            continue
        hidden = not any(s.kind is SymbolKind.BLOCK for s in found)
        if hidden if found & moving else any(_unruly(s) for s in found):
            return None
    for loop in access.loops:
        if loop.counter in moving and not _plain(loop):
            return None
    counters = tuple(one for one in asked.counters if one.counter in moving or _uses(kept, one.counter))
    for one in counters:
        if one.condition is None or not _kinds(one.condition) <= _OWN | {SymbolKind.PARAM}:
            return None
        if one.counter in moving and not _kinds(one.condition) <= _OWN:
            return None
    return Side(offset, asked.size, tuple(kept), counters)


def _uses(terms: Sequence[Term], symbol: Symbol) -> bool:
    return any(found is symbol for term in terms for found in symbols(term))


def _unruly(symbol: Symbol) -> bool:
    """Whether a condition on the symbol may be false for good, or tell about the thread in a way not seen."""
    return symbol.kind in (SymbolKind.UNKNOWN, SymbolKind.PHI, SymbolKind.EXIT, SymbolKind.TRIPS)


def _plain(loop: LoopContext) -> bool:
    """Whether a loop is left through its condition alone."""
    return not (loop.exits or loop.leaves or loop.returns)


def _refuted(
    asked: Side,
    extent: int,
    block: Block,
    context: LaunchContext,
    values: tuple[tuple[Symbol, int], ...] = (),
    grid: Block = (1, 1, 1),
    budget: Budget = BUDGET,
) -> Refuted | None:
    """A thread of ``block`` that leaves ``[0, extent)``, for every warp size."""
    sizes = (32, 64) if any(s is WARP_SIZE for s in asked.symbols) else (None,)
    found: Refuted | None = None
    for size in sizes:
        fixed = values if size is None else (*values, (WARP_SIZE, size))
        launch = Launch.of(context.admission, block, grid, block[0] * block[1] * block[2], fixed)
        if _within(interval(asked.offset, launch_bounds(launch)), extent - asked.size):
            return None
        answer = solve(Bounds(asked, const(extent, I64), context.stated, launch=launch), budget)
        if not isinstance(answer, Refuted) or answer.depends_on_data:
            return None
        found = answer
    return found


def _blocks(kernel: Trace, context: LaunchContext, access: Access, asked: Side) -> Iterator[tuple[Block, str]]:
    """Blocks under which an access must stay inside, each with the reason to believe in it."""
    axes = {s.axis for s in asked.symbols if s.kind is SymbolKind.THREAD}
    if not axes and not any(s.kind is SymbolKind.BLOCK_DIM for s in asked.symbols):
        yield next((c.block for c in context.blocks if c.known), (32, 1, 1)), ""
        return
    words = {"user": "the block given", "required": "the required block", "launch": "the block of a launch in sight"}
    known = False
    for candidate in context.blocks:
        if candidate.known:
            known = True
            x, y, z = candidate.block
            yield candidate.block, f"{words[candidate.source]} is {x} x {y} x {z}"
        elif candidate.source == "bounds" and axes == {0}:
            known = True
            yield candidate.block, f"the launch bounds allow {candidate.block[0]} threads"
    if known or axes != {0}:
        return
    implied = _implied(asked)
    if implied is not None:
        yield (implied, 1, 1), f"the access is made by threads up to {implied - 1}"
        return
    if access.root.space is Space.PRIVATE:
        # An array of each thread's own says nothing of the block; a whole warp is the least anybody launches.
        yield (32, 1, 1), "a block of one warp"
        return
    made_for = _made_for(kernel, access)
    if made_for is not None and _close(asked, access) and asked.size == access.size:
        yield (made_for, 1, 1), f"{access.root.name} is made for blocks of {made_for} threads"


def _implied(asked: Side) -> int | None:
    """The number of threads along x that a guard ``tid < c`` of the access speaks of."""
    for guard in asked.guards:
        if guard.op in ("lt", "le") and guard.args[1].value is not None:
            form = polynomial(guard.args[0]).coefficients
            if form == {(THREAD[0].term,): 1}:
                count: int = guard.args[1].value + (1 if guard.op == "le" else 0)
                return count if 1 < count <= 1024 else None
    return None


def _made_for(kernel: Trace, access: Access) -> int | None:
    """The block that fills a shared array with one element for each thread."""
    root = access.root
    if root.extent is None or root.space is not Space.SHARED:
        return None
    for other in kernel.accesses:
        if other.root is not root or not other.writes or other.size is None or other.size <= 0:
            continue
        if polynomial(other.offset).coefficients == {(THREAD[0].term,): other.size}:
            if any(THREAD[0] in symbols(guard.term) for guard in other.guards):
                continue
            count = root.extent // other.size
            return count if count % 32 == 0 and count <= 1024 else None
    return None


NEAR = 8
"""Elements by which an access may miss an array that speaks for its block: more is another use of the array."""


def _close(asked: Side, access: Access) -> bool:
    form = polynomial(asked.offset).coefficients
    size = access.size or 1
    rest = {mono: value for mono, value in form.items() if mono}
    return rest == {(THREAD[0].term,): size} and abs(form.get((), 0)) <= NEAR * size


def _of_array(kernel: Trace, context: LaunchContext, access: Access) -> Outside | None:
    """An access to an array of known extent."""
    extent = access.root.extent
    assert extent is not None
    return _asked(kernel, context, access, access.offset, access.size or 1, extent, inner=False)


def inner_array(access: Access) -> int | None:
    """Elements of the array within an object (a field, a row) that an access subscripts; 1: nobody can tell, larger
    ones are meant by it, as at the end of a struct.

    Rows of which the first is used to get at all of them (``tile[0][i]``) do not count.
    """
    node = access.node
    while isinstance(node, Assign | IncDec | Cast):
        node = node.operand if isinstance(node, Cast) else node.target
    if not isinstance(node, Subscript) or access.index is None or not isinstance(node.base.type, ArrayType):
        return None
    base = node.base
    if isinstance(base, Subscript):
        first = base.index.operand if isinstance(base.index, Cast) else base.index
        if isinstance(first, IntLit) and first.value == 0:
            return None
    elif not isinstance(base, Member):
        return None  # the object itself
    return node.base.type.extent or None


def _of_inner(kernel: Trace, context: LaunchContext, access: Access) -> Outside | None:
    """An access to an array within an object."""
    count = inner_array(access)
    if count is None or count == 1 or access.index is None:
        return None
    return _asked(kernel, context, access, cast(access.index, I64), 1, count, inner=True)


ANY: tuple[Block, ...] = ((1, 1, 1), (32, 1, 1), (8, 8, 1), (256, 1, 1))
"""Blocks that stand for all: what happens in each of these does not depend on the block."""


SIZED: tuple[Block, ...] = ((32, 1, 1), (256, 1, 1), (1024, 1, 1))
"""Blocks from the least to the most that anybody launches."""


def _in_any_block(asked: Side, extent: int, grid: Block, context: LaunchContext) -> Refuted | None:
    """A thread that leaves ``[0, extent)`` in a block of one warp, where in each other block some thread does too."""
    found: dict[Block, Refuted] = {}
    for block in ANY:
        if block[0] * block[1] > context.max_threads or not context.admission.permits(block):
            continue
        answer = _refuted(asked, extent, block, context, grid=grid, budget=FEW)
        if answer is None or answer.first.offset < extent - asked.size:
            return None
        found[block] = answer
    return found.get((32, 1, 1)) or next(iter(found.values()), None)


def _within(found: Bound, last: int) -> bool:
    low, high = found
    return low is not None and high is not None and low >= 0 and high <= last


def _asked(
    kernel: Trace, context: LaunchContext, access: Access, place: Term, size: int, extent: int, *, inner: bool
) -> Outside | None:
    """Whether ``size`` units at ``place`` can leave an object of ``extent`` units."""
    if place.value is not None and 0 <= place.value <= extent - size:
        return None
    place, data = _masked(place)
    grid = context.grid
    private = access.root.space is Space.PRIVATE
    if not _kinds(place) <= (_PLACE if grid is not None or private else _OWN):
        return None
    if _within(interval(place), extent - size):
        return None
    if _within(interval(place, refine([guard.term for guard in access.guards])), extent - size):
        return None
    asked = _decidable(access, place)
    if asked is None:
        return None
    asked = Side(asked.offset, size, asked.guards, asked.counters)
    for block, reason in _blocks(kernel, context, access, asked):
        found = _refuted(asked, extent, block, context, grid=grid or (1, 1, 1))
        if found is not None:
            below = found.first.offset < 0 or found.first.offset >= 1 << 31
            sure = not reason or any(c.block == block and c.source != "usual" for c in context.blocks)
            return Outside(access, found, extent, below, reason, data, inner, sure)
    if not any(candidate.known for candidate in context.blocks):
        found = _in_any_block(asked, extent, grid or (1, 1, 1), context)
        if found is not None and 0 <= found.first.offset < UNLIMITED:
            return Outside(access, found, extent, False, "", data, inner, True)
    if _falls(place):
        return None  # the last threads get below the start, if there are so many: the array says that there are not
    # Where the block's size is in the place, it is before the start in small blocks perhaps, and made for large ones.
    sized = any(s.kind is SymbolKind.BLOCK_DIM for s in asked.symbols)
    sizes = [block for block in SIZED if context.admission.permits(block)] or context.known_blocks or SIZED
    low = [_refuted(asked, UNLIMITED, block, context) for block in (sizes if sized else sizes[:1])]
    wrong = [one for one in low if one is not None and (one.first.offset < 0 or one.first.offset >= UNLIMITED)]
    return Outside(access, wrong[0], extent, True, "", data, inner, True) if len(wrong) == len(low) else None


def _falls(place: Term) -> bool:
    """Whether a place gets smaller from thread to thread (``S[15 - threadIdx.x]``)."""
    found = []
    for thread in (0, WARP - 1):
        values = {s: thread if s in THREAD else WARP if s in BLOCK_DIM else 0 for s in symbols(place)}
        value = evaluate(place, values)
        if value is None:
            return False
        found.append(-1 if value >= 1 << 31 else value)  # wrapped: below the start
    return found[1] < found[0]


# ------------------------------------------------------------------------------------------- memory of parameters


def _shifted(context: LaunchContext, access: Access) -> bool:
    """Whether a launch passes a pointer into the middle of something."""
    for view in context.launches:
        value = view.fact.argument(access.root.name)
        if isinstance(value, PointerValue) and value.offset.value != 0:
            return True
    return False


def _before_start(access: Access, context: LaunchContext) -> Outside | None:
    """An access to a parameter's memory that lies before it for the first threads."""
    kinds = _kinds(access.offset)
    if not kinds <= _PLACE | {SymbolKind.PARAM} or not kinds & {SymbolKind.THREAD, SymbolKind.BLOCK}:
        return None
    form = polynomial(access.offset).coefficients
    if not _may_be_negative(form) or (not access.writes and _in_view(form, access)):
        return None
    scalars = [s for s in symbols(access.offset) if s.kind is SymbolKind.PARAM]
    asked = side(access)
    for guard in asked.guards:
        scalars += [s for s in symbols(guard) if s.kind is SymbolKind.PARAM and s not in scalars]
        if not _kinds(guard) <= _PLACE | {SymbolKind.PARAM, SymbolKind.GRID_DIM}:
            return None
    for loop in access.loops:
        if not _plain(loop) or loop.condition is None or not _kinds(loop.condition) <= _PLACE | {SymbolKind.PARAM}:
            return None
    values = tuple((s, 211 + 16 * at) for at, s in enumerate(scalars) if isinstance(s.type, IntType))
    if context.stated or context.admission.ways:  # they choose the values
        values = ()
    block = (4, 4, 1) if context.admission.permits((4, 4, 1)) else next(iter(context.known_blocks), (32, 1, 1))
    found = _refuted(asked, UNLIMITED, block, context, values, budget=FEW)
    if found is None or found.data_in_address:
        return None
    wrapped = found.first.offset >= UNLIMITED
    if found.first.offset >= 0 and not wrapped:
        return None
    return Outside(access, found, None, True, "", False)


def _in_view(form: dict[tuple[Term, ...], int], access: Access) -> bool:
    """Whether the tests keep a thread to rows shorter than their pitch, for all that is known: that is how a part of
    a larger image is passed, which has pixels on all sides."""
    moving = (SymbolKind.THREAD, SymbolKind.BLOCK)
    pitches = {
        atom
        for mono in form
        if any(atom.op == "sym" and atom.args[0].kind in moving for atom in mono)
        for atom in mono
        if atom.op == "sym" and atom.args[0].kind is SymbolKind.PARAM
    }
    tested = {symbol for guard in access.guards for symbol in symbols(guard.term)}
    sizes = {symbol for symbol in tested if symbol.kind is SymbolKind.PARAM}
    return bool(pitches and sizes) and not any(atom.args[0] in sizes for atom in pitches)


def _may_be_negative(form: dict[tuple[Term, ...], int]) -> bool:
    """Whether an offset has a negative part that no parameter is responsible for: a number, a loop's counter, or a
    row back (a parameter that the index multiplies too)."""
    strides = {
        atom
        for mono in form
        for atom in mono
        if len(mono) > 1 and any(a.op == "sym" and a.args[0].kind is not SymbolKind.PARAM for a in mono)
    }
    negative = False
    for mono, value in form.items():
        if value < 0:
            if not all(
                atom in strides or (atom.op == "sym" and atom.args[0].kind is SymbolKind.COUNTER) for atom in mono
            ):
                return False
            negative = True
    return negative


def _reshaped(root: Root) -> bool:
    """Whether an object is no array by its own type: what is in it depends on the type it is viewed as."""
    return root.decl is None or not isinstance(root.decl.type, ArrayType)


def numbers_made_up(facts: Facts) -> bool:
    """Whether sizes and indices may rest on template arguments that nobody would use together: no code in sight asks
    for the instance, and some of its arguments are numbers."""
    return facts.function.forced and any(text.lstrip("-").isdigit() for _, text in facts.function.template_args)


def _compute(facts: Facts) -> tuple[Outside, ...]:
    kernel = facts[trace]
    made_up = facts.function.forced
    if numbers_made_up(facts):
        return ()
    found: list[Outside] = []
    done: set[tuple[int, Term, tuple[Term, ...]]] = set()
    for access in kernel.accesses:
        root = access.root
        if not access.size or (access.asynchronous and access.size != access.type.size):
            continue  # of a copy the last element is looked at
        # What a dispatch by type makes of a template goes further than what the host lets pass.
        by_type = _reshaped(root) and (made_up or len(facts.kernel.variants) > 1)
        array = root.kind is RootKind.VARIABLE and root.extent is not None and not by_type
        if not array and root.kind is not RootKind.PARAM:
            continue
        key = (id(root), access.offset, tuple(guard.term for guard in access.guards))
        if key in done:
            continue
        done.add(key)
        outside: Outside | None = None
        if not by_type:
            outside = _of_inner(kernel, facts[launch_context], access)
        if outside is not None:
            pass
        elif array:
            outside = _of_array(kernel, facts[launch_context], access)
        elif root.space in (Space.GLOBAL, Space.CONSTANT) and not _shifted(facts[launch_context], access):
            outside = _before_start(access, facts[launch_context])
        if outside is not None:
            found.append(outside)
    return tuple(found)


def replayed(one: Outside, again: Replayer) -> tuple[Replayed | None, Severity]:
    """The access as the emulator saw it, and the level that this supports: an error where the extent is known, the
    block is not a guess, and no data is part of it.  Leaving a row but not the whole array is no error: it works."""
    seen = again.beyond(one.witness, one.access.span)
    certain = seen is not None and seen.certain and one.sure and one.extent is not None and not (one.data or one.inner)
    return seen, Severity.ERROR if certain else Severity.WARNING


outside = KernelAnalysis("outside", _compute, needs=(trace, launch_context))
"""Each :class:`Outside` of a kernel, in order of the walk."""
