"""An access that leaves its object for one thread: what is asked, and what is passed over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cached_property

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.raised import tests_above
from kernlint.analysis.launching.launch_context import Block, LaunchContext
from kernlint.analysis.trace.events import Access, LoopContext, Trace
from kernlint.analysis.wording import element_size
from kernlint.prove.hints import launch_bounds
from kernlint.prove.query import Bounds, Budget, Launch, LoopRange, Refuted, Side
from kernlint.prove.solve import solve
from kernlint.record import dataclass, replace
from kernlint.symbolic.intervals import Bound, interval
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import (
    WARP_SIZE,
    Symbol,
    SymbolKind,
    Term,
    binary,
    cast,
    const,
    plain,
    replaced,
    substitute,
    subterms,
    symbols,
)
from kernlint.tree.types import BOOL, I64, IntType

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
    or any will do.  ``given``: it takes arguments that are as large as the host lets them be.  ``told``: numbers
    that it takes as large as comments or clamps say that they get, in words, and which of these it is.
    """

    access: Access
    witness: Refuted
    extent: int | None
    below: bool
    reason: str
    data: bool
    inner: bool = False
    sure: bool = False
    given: bool = False
    told: str = ""

    @property
    def unit(self) -> int:
        """Bytes of an element as the witness and the extent count: 1 where they count elements of an inner array."""
        return 1 if self.inner else element_size(self.access)


OWN = frozenset({SymbolKind.THREAD, SymbolKind.COUNTER, SymbolKind.BLOCK_DIM, SymbolKind.WARP_SIZE})


PLACE = OWN | {SymbolKind.BLOCK}


def kinds_of(term: Term) -> set[SymbolKind]:
    return {symbol.kind for symbol in symbols(term)}


def masked(offset: Term) -> tuple[Term, bool]:
    """``offset`` with data under masks and remainders at its largest, and whether there was any."""
    images: dict[Term, Term] = {}
    atoms = polynomial(offset)
    for mono, factor in atoms.coefficients.items():
        for atom in mono:
            if atom.op not in ("and", "mod") or not kinds_of(atom) - PLACE or kinds_of(atom) & PLACE:
                continue
            top = _largest(atom)
            if top is None or factor < 0 or len(mono) != 1:
                return offset, False
            images[atom] = const(top, atom.type)
    if not images:
        return offset, False
    return replaced(offset, images), True


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


class Fields:
    """The fields that a kernel takes out of words (``w & 127``, ``w >> 8``), collected once somebody asks."""

    def __init__(self, kernel: Trace) -> None:
        self._kernel = kernel

    @cached_property
    def _by_word(self) -> dict[Term, set[tuple[int, int | None]]]:
        """Lowest bit and mask of each field, by the word that it is taken out of."""
        found: dict[Term, set[tuple[int, int | None]]] = {}
        seen: set[Term] = set()
        left = list(_said_by(self._kernel))
        while left:
            part = left.pop()
            if part not in seen:
                seen.add(part)
                left.extend(part.terms)
                for word, low, mask in _fields(part) if part.op in ("and", "shr") else ():
                    found.setdefault(word, set()).add((low, mask))
        return found

    def take_apart(self, offset: Term) -> bool:
        """Whether a mask in ``offset`` takes one of several fields of different widths out of a word (``w & 127``
        beside ``w >> 8``): how wide a field is does not say what values are in it.  Fields of one width may hold
        anything."""
        own = {(word, mask) for part in subterms(offset) for word, _, mask in _fields(part) if mask is not None}
        for word, mask in own:
            others = self._by_word.get(word, set())
            masked_at = {low for low, wide in others if wide is not None}
            if any(wide != mask for low, wide in others if wide is not None or low not in masked_at):
                return True
        return False


def _fields(part: Term) -> Iterator[tuple[Term, int, int | None]]:
    """(word, lowest bit, mask of its width) of a field that ``part`` takes out of a word; no mask: all above."""
    if part.op == "and":
        for value, limit in (part.args, part.args[::-1]):
            mask = limit.value
            if mask is not None and mask > 0:
                low = (mask & -mask).bit_length() - 1
                inner = _number(value)
                if inner.op == "shr" and inner.args[1].value is not None:
                    yield _number(inner.args[0]), low + inner.args[1].value, mask >> low
                else:
                    yield inner, low, mask >> low
                return
    elif part.op == "shr" and part.args[1].value is not None:
        yield _number(part.args[0]), part.args[1].value, None


def _number(term: Term) -> Term:
    while term.op == "cast" and isinstance(term.type, IntType) and isinstance(term.args[0].type, IntType):
        term = term.args[0]
    return term


def _said_by(kernel: Trace) -> Iterator[Term]:
    """What the kernel computes, as far as places, values and conditions show it."""
    for access in kernel.accesses:
        yield access.offset
        if access.value is not None:
            yield access.value
    yield from (condition.term for condition in kernel.conditions)


def decidable(access: Access, offset: Term, given: Mapping[Term, Term] | None = None) -> Side | None:
    """The access as a question about its thread alone; None when something out of sight may keep it in bounds.

    A guard on symbols of the index that also rests on parameters or data is such a thing, but where it tests a
    global id: then some block passes it whole.  Parameters that a guard holds below a number are inputs up to that;
    clamps of parameters stand for what is ``given`` of them.
    """
    free = limited(access)
    own = PLACE if SymbolKind.BLOCK in kinds_of(offset) else OWN
    moving = {s for s in symbols(offset) if s.kind in (SymbolKind.THREAD, SymbolKind.COUNTER)}
    reaching = _reaching(moving, access)
    kept: list[Term] = []
    asked = _to_numbers(_in_first_round(_at(side(access), given or {}), moving), moving)
    tests = {one.counter: _test_of(one.counter, asked) for one in asked.counters if one.counter in moving}
    loops = [one.condition for one in asked.counters if tests.get(one.counter) is not None]
    for guard in asked.guards:
        if any(guard is condition for condition in loops):
            continue  # a test in the loop says how far its counter gets
        found = set(symbols(guard))
        if all(s.kind in own or s in free for s in found):
            kept.append(guard)
            continue
        lesser = [part for part in _lesser(guard) if all(s.kind in own or s in free for s in symbols(part))]
        kept += (p for p in lesser if all(s in moving or s.kind is not SymbolKind.COUNTER for s in symbols(p)))
        hidden = not _tests_global_id(guard)
        if hidden if found & reaching else any(_unruly(s) for s in found) and not _holds_at_first(guard, moving):
            return None
    for loop in access.loops:
        if loop.counter in moving and not plainly_left(loop):
            return None
    counters = tuple(one for one in asked.counters if one.counter in moving or _uses(kept, one.counter))
    ranged: list[LoopRange] = []
    for one in counters:
        if one.condition is None or not kinds_of(one.condition) <= OWN | {SymbolKind.PARAM}:
            return None
        if one.counter in moving and not all(s.kind in OWN or s in free for s in symbols(one.condition)):
            test = tests[one.counter]
            if test is None:
                return None
            one = replace(one, condition=test)
        ranged.append(one)
    return Side(offset, asked.size, tuple(kept), tuple(ranged))


def _at(asked: Side, given: Mapping[Term, Term]) -> Side:
    """The access with what is ``given`` of parts of its tests."""
    if not given:
        return asked
    guards = tuple(replaced(guard, given) for guard in asked.guards)
    counters = tuple(
        one if one.condition is None else replace(one, condition=replaced(one.condition, given))
        for one in asked.counters
    )
    return Side(asked.offset, asked.size, guards, counters)


def _reaching(moving: Set[Symbol], access: Access) -> Set[Symbol]:
    """The symbols of an index, and the counters of outer loops that say how far those of inner ones go (``j < i``)."""
    found = set(moving)
    for loop in reversed(access.loops):
        if loop.counter in found and loop.condition is not None:
            found |= {s for s in symbols(loop.condition) if s.kind is SymbolKind.COUNTER}
    return found


def _in_first_round(asked: Side, moving: Set[Symbol]) -> Side:
    """The access in the first round of loops that go on as long as data let them, too, and not up to a number from
    there: before it the data are a test as any other."""
    guards, counters = list(asked.guards), list(asked.counters)
    for at, one in enumerate(counters):
        if one.counter not in moving or one.condition is None:
            continue
        parts = list(conjuncts(one.condition))
        data = [part for part in parts if not kinds_of(part) <= OWN | {SymbolKind.PARAM}]
        if not data or any(one.counter in symbols(part) or any(map(_unruly, symbols(part))) for part in data):
            continue
        counters[at] = replace(one, condition=binary("eq", one.counter.term, const(0, I64), BOOL))
        guards = [guard for guard in guards if guard not in (*data, one.condition)]
        guards += [part for part in parts if part not in data and part not in guards]
    same = counters == list(asked.counters)
    return asked if same else Side(asked.offset, asked.size, tuple(guards), tuple(counters))


def _to_numbers(asked: Side, moving: Set[Symbol]) -> Side:
    """The access with loops that go on to the lesser of a number and what the grid leaves (``k <= min(64, n - first)``)
    going on to the number: a block in the middle does."""
    images: dict[Term, Term] = {}
    for one in asked.counters:
        if one.counter in moving and one.condition is not None and SymbolKind.BLOCK in kinds_of(one.condition):
            ends = [part for part in _lesser(one.condition) if kinds_of(part) <= OWN]
            if len(ends) == 1 and len(list(conjuncts(one.condition))) == 1:
                images[one.condition] = ends[0]
    counters = tuple(
        one if one.condition is None else replace(one, condition=images.get(one.condition, one.condition))
        for one in asked.counters
    )
    guards = tuple(images.get(guard, guard) for guard in asked.guards)
    return Side(asked.offset, asked.size, guards, counters) if images else asked


def _lesser(guard: Term) -> Iterator[Term]:
    """What follows from comparisons with the lesser of two: being below each of them."""
    for part in conjuncts(guard):
        limit = plain(part.args[1]) if part.op in ("lt", "le") else part
        if limit.op == "min":
            yield from (binary(part.op, cast(part.args[0], I64), cast(one, I64), BOOL) for one in limit.terms)


def _tests_global_id(guard: Term) -> bool:
    """Whether a guard compares sums in which the block's number counts as it is: the blocks in the middle pass it whole
    then.  One that chooses the limit (``last block ? what is left : all``) says what each block may do."""
    about = [part for part in conjuncts(guard) if SymbolKind.BLOCK in kinds_of(part)]
    for part in about:
        sides = (polynomial(arg) for arg in part.terms) if part.op in ("lt", "le", "eq", "ne") else ()
        atoms = [atom for side_ in sides for atom in side_.atoms if SymbolKind.BLOCK in kinds_of(atom)]
        if not atoms or any(atom.op == "select" for atom in atoms):
            return False
    return bool(about)


def _test_of(counter: Symbol, asked: Side) -> Term | None:
    """A test of a loop's counter against a number on the way, where the loop itself goes on to something else."""
    parts = (part for guard in asked.guards for part in conjuncts(guard))
    own = {one.condition for one in asked.counters}
    return next((part for part in parts if tests_above(part, counter.term) and part not in own), None)


def limited(access: Access) -> frozenset[Symbol]:
    """The parameters that a guard of an access keeps below a number: the author knows how large they get."""
    found: set[Symbol] = set()
    for guard in access.guards:
        for part in conjuncts(guard.term):
            if part.op in ("lt", "le") and part.args[1].value is not None:
                symbol = plain(part.args[0]).symbol
                if symbol is not None and symbol.kind is SymbolKind.PARAM and isinstance(symbol.type, IntType):
                    found.add(symbol)
    return frozenset(found)


def _uses(terms: Sequence[Term], symbol: Symbol) -> bool:
    return any(found is symbol for term in terms for found in symbols(term))


def _unruly(symbol: Symbol) -> bool:
    """Whether a condition on the symbol may be false for good, or tell about the thread in a way not seen."""
    return symbol.kind in (SymbolKind.UNKNOWN, SymbolKind.PHI, SymbolKind.EXIT, SymbolKind.TRIPS)


def _holds_at_first(guard: Term, moving: set[Symbol]) -> bool:
    """Whether nothing but sizes and data can keep a condition from holding in the first rounds of the loops that its
    variables are of: not those that the place moves with.

    Silent: ``while (found < 0) for (k = 0; k <= 8; ++k) a[k] = 0;`` with ``found`` from 0.  Still told: from -1.
    """
    images: dict[Symbol, Term] = {}
    for symbol in symbols(guard):
        loop = symbol.origin
        if symbol.kind is SymbolKind.PHI and isinstance(loop, LoopContext) and symbol.init is not None:
            if loop.counter in moving:
                return False
            images[symbol] = symbol.init
            images[loop.counter] = const(0, loop.counter.type)
    first = substitute(guard, images)
    return bool(images) and first.value != 0 and not any(_unruly(symbol) for symbol in symbols(first))


def plainly_left(loop: LoopContext) -> bool:
    """Whether a loop is left through its condition alone."""
    return not (loop.exits or loop.leaves or loop.returns)


def leaves(
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
        if within(interval(asked.offset, launch_bounds(launch)), extent - asked.size):
            return None
        answer = solve(Bounds(asked, const(extent, I64), context.stated, launch=launch), budget)
        if not isinstance(answer, Refuted) or answer.depends_on_data:
            return None
        found = answer
    return found


def within(found: Bound, last: int) -> bool:
    low, high = found
    return low is not None and high is not None and low >= 0 and high <= last
