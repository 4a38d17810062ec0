"""Values of arguments that nobody states: such as respect what a kernel uses them for.

A pitch is larger than what it separates, a divisor is a power of two, a size that bounds a loop is small; a loop that
the launch alone decides has run as often as it does.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

from kernlint.analysis.accesses.pairs import (
    Pair,
)
from kernlint.analysis.scenarios.scenario import Scenario
from kernlint.analysis.trace.events import LoopContext, Root, RootKind
from kernlint.prove.admission import Admission
from kernlint.prove.meet import WARP
from kernlint.prove.query import Launch, Overlap, Side, is_shared
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import Monomial, polynomial
from kernlint.symbolic.terms import (
    BLOCK_DIM,
    GRID_DIM,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    const,
    plain,
    subterms,
    symbols,
)
from kernlint.tree.types import BOOL, IntType

PITCHES = (20_800, 6_246_272, 1_873_026_368, 1_155_209_644_416, 1_180_341_000_000_000)
"""Values for scalars that stand in an address and bound nothing: each far larger than the one before, so that a pitch
is larger than what it separates, and no multiples of theirs by numbers below 1800 (threads of a small launch) make up
for each other; whole numbers of 64 bytes."""

PORTION = 64
"""The value of scalars by which an address is divided and nothing is multiplied: what several threads share."""

ADDED = (200_000_096, 230_000_000, 260_000_000, 290_000_000, 320_000_000, 350_000_000, 380_000_000, 410_000_000)
"""Values for scalars that are only added to an address: far from it, and from each other."""

Numbers = tuple[tuple[Symbol, int], ...]
"""Values of symbols."""


@functools.lru_cache(maxsize=1 << 12)
def monomials(term: Term, divisors: bool = True) -> tuple[Monomial, ...]:
    """The monomials of an integer term, and those of the operands of what is no polynomial in it (``divisors``: of what
    is divided by as well)."""
    if not isinstance(term.type, IntType):
        return ()
    found: dict[Monomial, None] = {}
    for mono in polynomial(term).coefficients:
        found[mono] = None
        for atom in mono:
            for arg in atom.terms if divisors or atom.op not in ("div", "mod") else atom.terms[:1]:
                found.update(dict.fromkeys(monomials(arg, divisors)))
    return tuple(found)


def pitches(scalars: Iterable[Symbol], query: Overlap) -> list[tuple[Symbol, int]] | None:
    """Values for ``scalars`` of addresses (see :data:`PITCHES`); None when there are too many."""
    scalars = tuple(scalars)
    if not scalars:
        return []
    lengths = _lengths(query, frozenset(scalars))
    inside = frozenset([s for length in lengths.values() for s in length.symbols])
    (factors, divisors), (others, more) = _parts(query.a, inside), _parts(query.b, inside)
    factors, divisors = factors | others, divisors | more
    out: list[tuple[Symbol, int]] = []
    left, added = list(PITCHES), list(ADDED)
    for symbol in scalars:
        if symbol in lengths:
            continue
        if symbol in divisors and symbol not in factors:
            out.append((symbol, PORTION))
            continue
        if symbol not in factors and added and isinstance(symbol.type, IntType) and symbol.type.high >= added[0]:
            out.append((symbol, added.pop(0)))
            continue
        if not left or not isinstance(symbol.type, IntType) or left[0] > symbol.type.high:
            return None
        out.append((symbol, left.pop(0)))
    chosen = dict(out)
    for symbol, length in lengths.items():
        value = evaluate(length, {**chosen, symbol: 0})
        if value is None:
            return None
        out.append((symbol, PORTION - value))
    return out


def fitting(scalars: Iterable[Symbol], query: Overlap, extent: int | None) -> list[Numbers]:
    """Two choices of values for ``scalars`` that are only added to a place, or that rests are taken of, in an array of
    ``extent`` bytes.

    Those that a place is held against are some elements more than a warp has threads: all that they bound is soon seen.
    A base behind which a second part of the array begins is held against nothing, and as far behind the first as the
    array has elements.  Empty where one of them is a pitch or a divisor, or the array has few elements.
    """
    size = max(query.a.size, query.b.size)
    most = 0 if extent is None or size <= 0 else extent // size
    apart = _products(query.a) | _products(query.b) | _parts(query.a, _NONE)[1] | _parts(query.b, _NONE)[1]
    if (extent is not None and most < LEAST_ROOM) or not apart.isdisjoint(scalars):
        return []
    ends, bounds = (_held(query.a, at) | _held(query.b, at) for at in (True, False))
    held = sorted((s for s in scalars if s in ends | bounds), key=lambda s: (s not in ends, s.serial), reverse=True)
    bases = [symbol for symbol in scalars if symbol not in ends and symbol not in bounds]
    if len(bases) > len(ADDED) or len(held) > len(SOME):
        return []
    last = (most - 1) | 1
    several = [
        (
            *((symbol, value + more) for symbol, value in zip(held, SOME, strict=False)),
            *((s, ADDED[at] if extent is None else last - more // 8 - 4 * at) for at, s in enumerate(bases)),
        )
        for more in (0, 16)
    ]
    return [_with_room(values, query) for values in several]


def _with_room(values: Numbers, query: Overlap) -> Numbers:
    """``values``, each made as small as the premises of a question want it."""
    block = {symbol: size for symbol, size in zip(BLOCK_DIM, query.launch.block, strict=True) if size is not None}
    env = {**dict(query.launch.values), **block, **dict(values)}

    def kept(symbol: Symbol, value: int) -> bool:
        return all(evaluate(one, {**env, symbol: value}) != 0 for one in query.premises if symbol in one.symbols)

    for symbol, value in values:
        if not kept(symbol, value) and kept(symbol, 0):
            low, high = 0, value
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if kept(symbol, middle) else (low, middle)
            env[symbol] = low
    return tuple((symbol, env[symbol]) for symbol, _ in values)


LEAST_ROOM = 32
"""Elements of an array that has room for values without coincidences."""

SOME = (37, 101, 229, 485)
"""Values for scalars that places are held against: more than a warp, and no whole number of anything."""

_NONE: frozenset[Symbol] = frozenset()


@functools.lru_cache(maxsize=1 << 10)
def _products(side: Side) -> frozenset[Symbol]:
    """The symbols by which something is multiplied in an access and its conditions."""
    terms = (mono for term in (side.offset, *side.facts) for mono in monomials(term) if len(mono) > 1)
    return frozenset(symbol for mono in terms for atom in mono for symbol in atom.symbols)


@functools.lru_cache(maxsize=1 << 10)
def _held(side: Side, loops: bool) -> frozenset[Symbol]:
    """The symbols that what moves with a thread, or in a loop, is compared with, in conditions of loops or others."""
    ends = (loop.condition for loop in side.counters if loop.condition is not None)
    found: set[Symbol] = set()
    for fact in ends if loops else (*side.guards, side.offset):
        for part in subterms(fact):
            if part.op in ("lt", "le") and any(s.kind in _MOVING for s in part.symbols):
                found.update(part.symbols)
    return frozenset(found)


_MOVING = frozenset({SymbolKind.THREAD, SymbolKind.COUNTER})


@functools.lru_cache(maxsize=1 << 10)
def _parts(side: Side, inside: frozenset[Symbol]) -> tuple[frozenset[Symbol], frozenset[Symbol]]:
    """The symbols by which something is multiplied, or a remainder taken, and those by which something is divided, in
    an access and its conditions; those of the lengths that are ``inside`` apart."""
    factors: set[Symbol] = set()
    divisors: set[Symbol] = set()
    for term in (side.offset, *side.facts):
        for mono in monomials(term, False):
            if len(mono) > 1 and not inside.issuperset(atom.symbol for atom in mono):
                factors.update(atom.args[0] for atom in mono if atom.op == "sym")
        for mono in monomials(term):
            for atom in mono:
                if atom.op in ("div", "mod"):
                    found = inside.symmetric_difference(symbols(atom.args[1])) - inside
                    (divisors if atom.op == "div" else factors).update(found)
    return frozenset(factors), frozenset(divisors)


def _lengths(query: Overlap, scalars: frozenset[Symbol]) -> dict[Symbol, Term]:
    """The lengths by which places are divided that are a difference of ends, each by the end that is added to it:
    ``i / ((high.x - low.x + 1) * (high.y - low.y + 1))`` has two of them."""
    found: dict[Symbol, Term] = {}
    for at in (query.a, query.b):
        for high, ends, length in _differences(at):
            if scalars.issuperset(ends) and not any(high in one.symbols for one in found.values()):
                found[high] = length
    return found


@functools.lru_cache(maxsize=1 << 10)
def _differences(side: Side) -> tuple[tuple[Symbol, frozenset[Symbol], Term], ...]:
    """What is divided by in an access and its conditions that is a difference of two symbols and a number: the symbol
    that is added, both, and the whole."""
    found: list[tuple[Symbol, frozenset[Symbol], Term]] = []
    for term in (side.offset, *side.facts):
        for length in _divided_by(term):
            form = polynomial(length).coefficients
            ends = {m[0].args[0]: by for m, by in form.items() if len(m) == 1 and m[0].op == "sym"}
            if len(form) - (() in form) == len(ends) and sorted(ends.values()) == [-1, 1]:
                found.append((next(s for s, value in ends.items() if value == 1), frozenset(ends), length))
    return tuple(found)


@functools.lru_cache(maxsize=1 << 12)
def _divided_by(term: Term) -> tuple[Term, ...]:
    """The factors of what places are divided by in ``term``."""
    found: dict[Term, None] = {}
    if term.op in ("div", "mod"):
        left = [term.args[1]]
        while left:
            part = plain(left.pop())
            if part.op == "mul":
                left += part.args
            else:
                found[part] = None
    for arg in term.terms:
        found.update(dict.fromkeys(_divided_by(arg)))
    return tuple(found)


def equalities(query: Overlap) -> Iterator[Term]:
    """Conditions of both threads that say what an argument is: they are solved for it, not tried out."""
    for at in (query.a, query.b):
        for guard in at.guards:
            if guard.op == "eq" and all(is_shared(symbol, query) for symbol in guard.symbols):
                yield guard


ROUNDS = 5000
"""Iterations over which a loop's end is looked for."""


def went_round(pair: Pair, launch: Launch) -> list[Term]:
    """That loops ran at least once whose number of rounds is not known: no work, no fault."""
    known_ = {symbol for symbol, _ in launch.values}
    free = dict.fromkeys(
        symbol
        for at in (pair.a, pair.b)
        for symbol in _counts(at)
        if symbol not in known_ and symbol.uniformity <= Uniformity.BLOCK
    )
    return [binary("le", const(1, symbol.type), symbol.term, BOOL) for symbol in free]


def shared_out(pair: Pair, admission: Admission) -> list[Term]:
    """That a quotient of sizes is at least 1 where it says how much work a block has: ``block * (warps / parts)``
    is a number of the block's own only then.  What the launches in sight pass for the parts is another matter."""
    return [binary("le", const(1, share.type), share, BOOL) for share in _shares(pair, admission)]


def parts_of_blocks(pair: Pair, shape: Scenario, known_: Iterable[tuple[Symbol, int]], admission: Admission) -> Numbers:
    """Values for the scalars that sizes are divided by in such quotients, with which they are at least 1."""
    env = {**dict(known_), **dict(zip(BLOCK_DIM, shape.block, strict=True))}
    found: dict[Symbol, int] = {}
    for share in _shares(pair, admission):
        given = {**env, **found}
        free = [s for s in dict.fromkeys(symbols(share.args[1])) if scalar(s) and s not in given]
        for value in (WARP, 2, 1) if share.op == "div" else ():
            tried = {**dict.fromkeys(symbols(share), PORTION), **given, **dict.fromkeys(free, value)}
            if (evaluate(share, tried) or 0) >= 1:
                found.update(dict.fromkeys(free, value))
                break
    return tuple(found.items())


def _shares(pair: Pair, admission: Admission) -> tuple[Term, ...]:
    """The quotients of sizes by which numbers of blocks are multiplied in the addresses of a pair, but for those by
    what every launch in sight passes the same number for."""
    found = dict.fromkeys((*_work_parts(pair.a.offset), *_work_parts(pair.b.offset)))
    numbers = dict(admission.numbers) if found else {}
    return tuple([share for share in found if numbers.keys().isdisjoint(share.symbols)])


@functools.lru_cache(maxsize=1 << 12)
def _work_parts(term: Term) -> tuple[Term, ...]:
    """The quotients of sizes by which numbers of blocks are multiplied in ``term``."""
    found: dict[Term, None] = {}
    for mono in monomials(term):
        if any(s.kind is SymbolKind.BLOCK for atom in mono for s in atom.symbols):
            for atom in mono:
                sizes = bool(atom.symbols) and all(s.uniformity is Uniformity.GRID for s in atom.symbols)
                if atom.op in ("div", "shr") and sizes:
                    found[atom] = None
    return tuple(found)


def trips(pair: Pair, shape: Scenario) -> tuple[tuple[Symbol, int], ...]:
    """How often the loops that a pair speaks of ran, where the launch alone decides it."""
    return trips_of((*_counts(pair.a), *_counts(pair.b)), shape)


@functools.lru_cache(maxsize=1 << 10)
def _counts(side: Side) -> tuple[Symbol, ...]:
    """The counts of rounds that an access speaks of."""
    return tuple([symbol for symbol in side.symbols if symbol.kind is SymbolKind.TRIPS])


def trips_of(mentioned: Iterable[Symbol], shape: Scenario) -> tuple[tuple[Symbol, int], ...]:
    """How often the loops ran whose counts are ``mentioned``, where the launch alone decides it."""
    found: dict[Symbol, int] = {}
    env = dict(zip(BLOCK_DIM, shape.block, strict=True))
    for symbol in dict.fromkeys(mentioned):
        if symbol.kind is SymbolKind.TRIPS and symbol.uniformity <= Uniformity.BLOCK:
            count = _count(symbol.origin, env)
            if count is not None:
                found[symbol] = count
    return tuple(found.items())


def _count(loop: LoopContext, env: dict[Symbol, int]) -> int | None:
    condition = loop.condition
    if condition is None or loop.exits or loop.leaves:
        return None
    if not all(symbol is loop.counter or symbol in env for symbol in symbols(condition)):
        return None
    for turn in range(ROUNDS):
        holds = evaluate(condition, {**env, loop.counter: turn})
        if holds is None:
            return None
        if not holds:
            return turn + 1 if loop.post_tested else turn
    return None


def addresses(pair: Pair) -> tuple[tuple[Symbol, int], ...]:
    """Addresses for the objects whose own address a pair speaks of: aligned ones, as allocators give them."""
    found = dict.fromkeys((*_objects(pair.a), *_objects(pair.b)))
    known_ = (symbol for symbol in found if symbol.origin.kind is not RootKind.UNKNOWN)
    return tuple((symbol, (at + 1) << 28) for at, symbol in enumerate(known_))


@functools.lru_cache(maxsize=1 << 10)
def _objects(side: Side) -> tuple[Symbol, ...]:
    """The addresses of objects that an access speaks of."""
    return tuple([s for s in side.symbols if s.kind is SymbolKind.UNKNOWN and isinstance(s.origin, Root)])


def stated(pair: Pair, known_: Iterable[tuple[Symbol, int]]) -> tuple[tuple[Symbol, int], ...]:
    """Values that conditions of the accesses give to scalars: ``mode == 0``, where 0 is no size, and ``(x & 1) ==
    colour``, where few numbers will do."""
    settled = {symbol for symbol, _ in known_}
    found: dict[Symbol, int] = {}
    for at in (pair.a, pair.b):
        for guard in at.guards:
            if guard.op != "eq":
                continue
            for one, other in (guard.args, guard.args[::-1]):
                symbol = plain(one).symbol
                if symbol is None or not scalar(symbol) or symbol in settled:
                    continue
                value = other.value if other.value is not None else _one_of_few(other)
                if value is not None:
                    found.setdefault(symbol, value)
    return tuple(found.items())


def _one_of_few(term: Term) -> int | None:
    """The largest of the few numbers that a remainder of what is not the same for all threads may be."""
    term = plain(term)
    if term.op not in ("and", "mod") or all(map(scalar, symbols(term))):
        return None
    most = interval(term)[1]
    return most if most is not None and 0 < most < FEW else None


FEW = 16
"""Numbers, at most, that colours or phases of a kernel have."""


def scalar(symbol: Symbol) -> bool:
    """Whether a symbol is an integer fixed before the launch: an argument, memory that is the same for the grid, a
    constant of a missing header, or the size of a type that is not known (the pitch of an array whose bounds come from
    there)."""
    if not isinstance(symbol.type, IntType):
        return False
    if symbol.kind in (SymbolKind.LOAD, SymbolKind.UNKNOWN):
        return symbol.uniformity is Uniformity.GRID
    return symbol.kind in (SymbolKind.PARAM, SymbolKind.TEMPLATE, SymbolKind.SIZEOF)


def as_launched(premises: Iterable[Term]) -> Iterator[Symbol]:
    """The scalars that a premise says are sizes of the launch, or such that a size of the launch is a multiple of."""
    for premise in premises:
        parts = premise.args if premise.op == "eq" else ()
        if parts and parts[0].op == "mod" and parts[1].value == 0:
            parts = parts[0].args
        sides = [plain(side).symbol for side in parts]
        if any(side in (*BLOCK_DIM, *GRID_DIM) for side in sides):
            yield from (side for side in sides if side is not None and scalar(side))
