"""One question for all of bounds: which thread of which launch makes an access although its index is past the size?

The launches are those in sight, what the user states, else a small launch of the block that is believed in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import lcm

from kernlint.analysis.accesses.pairs import side
from kernlint.analysis.base import Facts
from kernlint.analysis.launching.launch_context import LaunchView, launch_context
from kernlint.analysis.trace.events import Access
from kernlint.analysis.wording import element_size, witness_of
from kernlint.finding import Witness
from kernlint.prove.admission import Axes
from kernlint.prove.query import Answer, Bounds, Budget, Launch, Proved, Refuted, Side, Unknown
from kernlint.prove.solve import solve
from kernlint.record import dataclass, replace
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    COMPARISONS,
    GRID_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    const,
    plain,
    replaced,
    subterms,
    symbols,
)
from kernlint.tree.types import BOOL, I64, IntType

BUDGET = Budget(steps=80, points=8_000, rlimit=0)

PATIENT = Budget(steps=80, points=60_000, rlimit=0)
"""For what is seldom asked."""

EXAMPLE = 101
"""Size for which a fault is shown where nothing says another: no multiple of anything."""


FEW = 3
"""Launches in sight that are looked at."""

SIDES = (3, 5, 7)
"""Extents of which a volume is made that few blocks go through: about as many places as :data:`EXAMPLE` says."""


@dataclass(frozen=True, slots=True)
class Past:
    """``index`` of the access must stay below ``size``; both count the same things.  ``view``: the launch that the size
    is about (None: any)."""

    access: Access
    index: Term
    size: Term
    view: LaunchView | None = None


def _launches(past: Past, facts: Facts) -> list[tuple[Launch, tuple[Term, ...]]]:
    """Launches under which to look for a thread, each with what holds under it."""
    context = facts[launch_context]
    stated = context.stated
    if past.view is not None or (context.launches and not stated):
        known = context.known_blocks
        views = context.launches[:FEW] if past.view is None else (past.view,)
        sole = known[0] if len(known) == 1 and past.view is None else None
        grid = context.grid if context.grid is not None and past.view is None else (None, None, None)
        return [
            (
                Launch.of(context.admission, sole or _block(view), grid, context.max_threads),
                _supposed((*view.premises, *stated)),
            )
            for view in views
        ]
    if stated:
        known = context.known_blocks
        block = known[0] if len(known) == 1 else (None, None, None)
        grid = context.grid or (None, None, None)
        return [(Launch.of(context.admission, block, grid, context.max_threads), _supposed(context.premises))]
    x, y, z = context.blocks[0].block
    used = {s.kind for s in (*symbols(past.index), *side(past.access).symbols)}
    scalars = {
        s
        for term in (past.size, past.index, past.access.offset, *side(past.access).facts)
        for s in symbols(term)
        if s.kind is SymbolKind.PARAM and isinstance(s.type, IntType) and s.type.bits > 8
    }
    ordered = sorted(scalars, key=lambda s: s.serial)
    size = EXAMPLE if (y, z) == (1, 1) else x + 5
    axes = {s.axis for s in symbols(past.index) if s.kind is SymbolKind.BLOCK} if SymbolKind.BLOCK in used else set()
    spread = tuple(-(-(size + 1) // side_) if axis in axes else 1 for axis, side_ in enumerate((x, y, z)))
    grid = (spread[0], spread[1], spread[2])
    alike = tuple((s, size) for s in ordered)
    apart = tuple((s, size - 4 * at) for at, s in enumerate(ordered))
    back = tuple((s, size - 4 * at) for at, s in enumerate(ordered[::-1]))
    whole = _whole(past, ordered, size)
    every = [alike, apart, back, whole]
    if len(axes) == 1 and any(
        sum(atom.symbol in scalars for atom in mono) > 1 for mono in polynomial(past.size).coefficients
    ):
        every.append(tuple((s, SIDES[at % len(SIDES)]) for at, s in enumerate(ordered)))  # a volume in a row
    moved = {s for s in ordered if (s.term,) in polynomial(past.index).coefficients} - set(symbols(past.size))
    if moved:
        every.append(tuple((s, 0 if s in moved else size) for s in ordered))  # from the start on
    steps = {
        s
        for mono in polynomial(past.index).coefficients
        for s in ordered
        if s.term in mono and any(a.symbol is not None and a.symbol.kind is SymbolKind.COUNTER for a in mono)
    } - set(symbols(past.size))
    if steps:
        every.append(tuple((s, 1 if s in steps else size) for s in ordered))  # many rounds
    launches = [Launch((x, y, z), grid, x * y * z, values) for values in dict.fromkeys(every)]
    if len(axes) == 1 and _numbered(past.index):
        tall = tuple(size if axis in axes else 1 for axis in range(3))
        launches.append(Launch((x, y, z), (tall[0], tall[1], tall[2]), x * y * z, alike))
    return [(launch, ()) for launch in (*launches, Launch((x, y, z), max_threads=x * y * z))]


def _block(view: LaunchView) -> Axes:
    """The block of a launch, where it is a number, or a value that the host has checked to be one."""
    sizes = dict(view.images)
    told = (plain(sizes[at]).value if at in sizes else None for at in BLOCK_DIM)
    x, y, z = (size if size is not None else number for size, number in zip(view.block, told, strict=True))
    return x, y, z


def _supposed(premises: tuple[Term, ...]) -> tuple[Term, ...]:
    """Premises in which what the host gets of a call (the length of a list, what a loop has counted) is a number of its
    own: it may be any, as nothing else is said of what goes into the call."""
    calls: dict[Term, None] = {}
    said: dict[Symbol, set[Term | None]] = {}
    for premise in premises:
        for term in _outermost(premise):
            call = term if term.op == "call" else None
            if call is not None and isinstance(call.type, IntType) and call.type.bits > 1:
                calls[call] = None
            for symbol in symbols(term):
                said.setdefault(symbol, set()).add(call)
    inside = {part for call in calls for part in subterms(call)}
    named: dict[Term, Term] = {}
    for call in calls:
        apart = {call, *(part for part in subterms(call) if part.type == BOOL)}
        if all(said[symbol] <= apart for symbol in symbols(call)):
            named[call] = Symbol(
                SymbolKind.UNKNOWN, f"{call.args[0]}()", call.type, uniformity=Uniformity.GRID, low=0
            ).term
    kept_ = (replaced(one, named) if named else one for one in premises if _bare(one) not in inside)
    return tuple(one for one in kept_ if not _of_grid(one))


def _of_grid(premise: Term) -> bool:
    """Whether a truth gives a grid by what a function answers of which nobody sees the body: it may be any."""
    sized = premise.op == "eq" and premise.args[0].symbol in GRID_DIM
    return sized and any(part.op == "call" for part in subterms(premise.args[1]))


def _outermost(term: Term) -> Iterator[Term]:
    """The calls in a term that stand in no other one, and the symbols outside them."""
    if term.op in ("call", "sym"):
        yield term
    else:
        for one in term.terms:
            yield from _outermost(one)


def _bare(term: Term) -> Term:
    """What a truth says of something by itself: that it holds, or does not."""
    return _bare(term.args[0]) if term.op in ("lnot", "cast") else term


def _numbered(index: Term) -> bool:
    """Whether blocks are numbered through rows of blocks: ``block % across``, which is not small in the first ones."""
    return any(
        part.op == "mod" and {symbol.kind for symbol in symbols(part.args[0])} == {SymbolKind.BLOCK}
        for part in subterms(index)
    )


def _whole(past: Past, scalars: Sequence[Symbol], size: int) -> tuple[tuple[Symbol, int], ...]:
    """Sizes that leave nothing over where the tests divide them by a number, and 0 for what only chooses between two
    numbers."""
    terms = (past.index, past.size, *side(past.access).facts)
    by = {
        part.args[1].value
        for term in terms
        for part in subterms(term)
        if part.op == "div" and part.args[1].value is not None and 1 < part.args[1].value <= size
    }
    step = lcm(*by)
    even = -(-size // step) * step if step < size else size
    given = {s for term in terms for s in symbols(term) if s.kind is SymbolKind.PARAM and isinstance(s.type, IntType)}
    flags = [s for s in sorted(given, key=lambda s: s.serial) if all(only_chooses(s, term) for term in terms)]
    return (*((s, even) for s in scalars if s not in flags), *((s, 0) for s in flags))


def only_chooses(symbol: Symbol, term: Term) -> bool:
    """Whether a symbol stands in a term, if at all, as what chooses between two numbers."""
    if term.op == "select" and term.args[1].value is not None and term.args[2].value is not None:
        return True
    return term.symbol is not symbol and all(only_chooses(symbol, one) for one in term.terms)


def _about(past: Past, premises: tuple[Term, ...]) -> tuple[Term, ...]:
    """The premises that speak of the index and the size alone, and of what the host makes these of."""
    known = {*symbols(past.index), *symbols(past.size)}
    for places, sizes in ((BLOCK, GRID_DIM), (THREAD, BLOCK_DIM)):
        known |= {sizes[places.index(s)] for s in known if s in places}
    images = [(p.args[0].symbol, set(symbols(p.args[1]))) for p in premises if p.op == "eq"]
    while any(symbol in known and not made <= known for symbol, made in images):
        known = known.union(*(made for symbol, made in images if symbol in known))
    return tuple(p for p in premises if p.op in COMPARISONS and set(symbols(p)) <= known)


def _connected(question: Side, size: Term, premises: tuple[Term, ...]) -> tuple[Term, ...]:
    """The premises that have to do with a question: what they share a symbol with, or with another one that does.  The
    rest holds or does not, whatever the answer is; the host gets to the launch."""
    known = {*symbols(size), *question.symbols, *BLOCK_DIM, *GRID_DIM}
    left = [(one, set(symbols(one))) for one in premises]
    while True:
        more = [found for _, found in left if found & known and not found <= known]
        if not more:
            return tuple(one for one, found in left if found & known or not found)
        known = known.union(*more)


def asked(past: Past, facts: Facts, data: bool = False, patient: bool = False) -> Answer:
    """Whether a thread makes the access with an index at or past the size; a proof rests on what the user states.
    ``data``: contents of memory may be chosen for it.  ``patient``: longer, and as far as the host says something of
    the index and the size alone."""
    # Before the array there is nothing, whatever data say: that is another question.
    access = side(past.access, (binary("le", const(0, I64), past.index, BOOL),) if data else ())
    question = Side(past.index, 1, access.guards, access.counters)
    answer: Answer = Unknown("nothing was asked")
    for launch, premises in _launches(past, facts):
        said = _about(past, premises) if patient else _connected(question, past.size, premises)
        answer = solve(Bounds(question, past.size, said, launch=launch), PATIENT if patient else BUDGET)
        found = isinstance(answer, Refuted) and (data or not answer.data_in_address)
        if isinstance(answer, Refuted) and found and answer.first.offset >= (answer.extent or 0):
            return answer
    if isinstance(answer, Refuted):
        return Unknown("the thread depends on data")
    if isinstance(answer, Proved) and not facts[launch_context].stated:
        return Unknown("nothing is stated")
    return answer


def kept(past: Past, facts: Facts) -> bool:
    """Whether the index is proved to stay below the size in the launch in sight; where there is none, in launches with
    sizes of their own: what goes past the size only where that is one or two elements is not worth a word."""
    context = facts[launch_context]
    under = _launches(past, facts)
    if not (context.stated or context.launches or past.view):
        under = [(launch, premises) for launch, premises in under if launch.values]
    access = side(past.access)
    question = Side(past.index, 1, access.guards, access.counters)
    answers = (solve(Bounds(question, past.size, premises, launch=launch), BUDGET) for launch, premises in under)
    return bool(under) and all(isinstance(answer, Proved) for answer in answers)


def asked_with(past: Past, values: tuple[tuple[Symbol, int], ...], facts: Facts) -> Answer:
    """The same under a launch in sight, with values of host variables."""
    assert past.view is not None
    context = facts[launch_context]
    access = side(past.access)
    launch = Launch.of(context.admission, past.view.block, max_threads=context.max_threads, values=values)
    question = Side(past.index, 1, access.guards, access.counters)
    answer = solve(Bounds(question, past.size, (*past.view.premises, *context.stated), launch=launch), BUDGET)
    if isinstance(answer, Refuted) and (answer.data_in_address or answer.first.offset < (answer.extent or 0)):
        return Unknown("the thread depends on data")
    return answer


def example(past: Past | None, facts: Facts) -> Witness | None:
    """A launch and a thread that gets past the size; None where none is found at once."""
    answer = None if past is None else asked(past, facts)
    return shown(past, answer) if past is not None and isinstance(answer, Refuted) else None


def shown(past: Past, answer: Refuted) -> Witness | None:
    """The thread of an answer with the element that it touches; None where that depends on more."""
    env: dict[Symbol, int] = {**dict(answer.values), **dict(answer.first.data), **dict(answer.first.counters)}
    first = answer.first
    for places, sizes in ((BLOCK_DIM, answer.block), (GRID_DIM, answer.grid)):
        env.update(zip(places, sizes, strict=True))
    for places, sizes in ((THREAD, first.thread), (BLOCK, first.block)):
        env.update(zip(places, sizes, strict=True))
    offset = evaluate(past.access.offset, env)
    if offset is None:
        return None
    return witness_of(past.access, replace(answer, first=replace(first, offset=offset)), element_size(past.access))
