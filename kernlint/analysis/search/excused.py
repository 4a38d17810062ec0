"""What makes a collision of two accesses harmless, or no more than a guess.

Where data decide whether a thread comes by, a single winner is the rule; where two threads put the same value there,
nobody sees a difference; a place that is reached only as an index wraps around is another rule's business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from kernlint.analysis.accesses.pairs import (
    Pair,
    opaque,
)
from kernlint.analysis.scenarios.numbers import scalar
from kernlint.analysis.search.inputs import PLAIN
from kernlint.analysis.trace.events import Access, AccessKind, Root
from kernlint.prove.query import Overlap, Refuted, Side, is_shared
from kernlint.record import replace
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
    const,
    negate,
    substitute,
    symbols,
)
from kernlint.symbolic.uniformity import uniformity
from kernlint.tree.types import IntType, StructType

_CHECKED = frozenset({"cas", "max", "min", "and", "or"})
"""Atomic operations to which an old value does no harm: they compare with what is there, or let the extreme win."""


def guessed(read: Access, update: Access) -> bool:
    """Whether ``read`` only gives a thread a first guess of what its own atomic ``update`` of the same cell will find:
    the old value that a compare-and-swap loop begins with, or a look whether a maximum would change at all.

    No barrier helps there, and none is needed: where another thread was quicker the update sees to it.
    """
    if read.kind is not AccessKind.READ or update.kind is not AccessKind.ATOMIC or update.atomic_op not in _CHECKED:
        return False
    if read.root is not update.root or read.offset != update.offset or read.order > update.order:
        return False
    terms = [guard.term for guard in update.guards]
    if update.atomic_op == "cas" and update.value is not None:
        terms.append(update.value)
    return any(
        symbol.kind is SymbolKind.LOAD and symbol.origin == (read.root, read.offset) for symbol in _sources(terms)
    )


def _sources(terms: Iterable[Term]) -> Iterator[Symbol]:
    """The symbols of ``terms``, and of what the loop variables among them begin with."""
    seen: set[Symbol] = set()
    left = list(terms)
    while left:
        for symbol in symbols(left.pop()):
            if symbol not in seen:
                seen.add(symbol)
                yield symbol
                if symbol.init is not None:
                    left.append(symbol.init)


def keep(pair: Pair, witness: Refuted) -> bool:
    """Whether a witness is worth a word.

    One write met by itself in another thread under a condition on data that differs between threads is mostly the
    mark of a single winner, which nothing here can tell; so is a read of its place under the same condition.  A place
    reached only as an index wraps around is another rule's business.  An argument that holds a table of bits (the
    colours of a sensor's pixels) is none that could be made up.
    """
    if _copied_whole(pair) or any(_tabled(guard) for at in (pair.a, pair.b) for guard in at.guards):
        return False
    if witness.depends_on_data:
        if (pair.first is pair.second and chosen_by_data(pair.a)) or _of_winner(pair) or _of_two_winners(pair):
            return False
        if pair.first.volatile and pair.second.volatile and not _atomic(pair):
            return False
        made = (pair.first.node, pair.second.node)
        if _atomic(pair) and any(s.origin in made for at in (pair.a, pair.b) for s in at.symbols if s.origin):
            return False  # what an atomic operation has returned may well keep the two apart
    if not witness.data_in_address and _wrapped(pair, witness):
        return False
    return not equal_values(pair, witness)


def _of_winner(pair: Pair) -> bool:
    """Whether a read and a write are under one condition on data that differs between threads, and what is written is
    not made from what was read."""
    ours, theirs = set(pair.a.guards), set(pair.b.guards)
    if not any(uniformity(fact) > Uniformity.BLOCK and on_data(fact) for fact in ours & theirs):
        return False
    for read, write in ((pair.first, pair.second), (pair.second, pair.first)):
        if read.kind is AccessKind.READ and write.kind is AccessKind.WRITE and write.value is not None:
            made = (symbol.origin for symbol in symbols(write.value) if symbol.kind is SymbolKind.LOAD)
            return (read.root, read.offset) not in made
    return False


def _of_two_winners(pair: Pair) -> bool:
    """Whether two writes of one place are each under a condition on data that differs between threads, and the one is
    not the other's opposite: the mark of a single winner, which threads at an edge find in another way."""
    first, second = pair.first, pair.second
    if first.kind is not AccessKind.WRITE or second.kind is not AccessKind.WRITE or first.offset != second.offset:
        return False
    ours, theirs = set(pair.a.facts), set(pair.b.facts)
    apart = not any(on_data(fact) and negate(fact) in theirs for fact in ours)
    return apart and chosen_by_data(pair.a) and chosen_by_data(pair.b)


def without_data(query: Overlap, root: Root) -> tuple[Side, Side]:
    """Both sides without the conditions on data that can hold whatever the other thread does.

    Those are conditions on data of the thread's own, and conditions on data that both see when the other thread is
    under the very same ones: of a condition and its opposite only one holds.  What ``root`` itself holds, which both
    are about, may keep them apart, but not where two values are compared, as one that is less takes another's place.
    """

    data = _data

    def common(side: Side) -> dict[Symbol, set[Term]]:
        found: dict[Symbol, set[Term]] = {}
        for fact in side.facts:
            for symbol in data(fact):
                if is_shared(symbol, query):
                    found.setdefault(symbol, set()).add(fact)
        return found

    ours, theirs = common(query.a), common(query.b)
    inside = {loop.counter for side in (query.a, query.b) for loop in side.counters}

    def free(term: Term) -> bool:
        found = data(term)
        if _holds(found, root) and not _orders(term):
            return False
        if any(symbol.kind is SymbolKind.TRIPS and symbol.origin.counter in inside for symbol in found):
            return False  # one of the two is in a loop that the other says has not run
        return bool(found) and all(
            not is_shared(symbol, query) or ours.get(symbol, set()) == theirs.get(symbol, set()) for symbol in found
        )

    def freed(side: Side) -> Side:
        loops = tuple(
            replace(loop, condition=None) if loop.condition is not None and free(loop.condition) else loop
            for loop in side.counters
        )
        return replace(side, guards=tuple(guard for guard in side.guards if not free(guard)), counters=loops)

    return freed(query.a), freed(query.b)


def unordered(pair: Pair) -> Pair:
    """The pair without conditions that compare values of the object that it is about (see :func:`without_data`)."""

    def freed(side: Side) -> Side:
        guards = tuple(g for g in side.guards if not (_orders(g) and _holds(_data(g), pair.first.root)))
        return side if len(guards) == len(side.guards) else replace(side, guards=guards)

    a, b = freed(pair.a), freed(pair.b)
    return pair if a is pair.a and b is pair.b else replace(pair, a=a, b=b)


def _data(term: Term) -> set[Symbol]:
    return {symbol for symbol in symbols(term) if symbol.kind not in PLAIN}


def _holds(found: Iterable[Symbol], root: Root) -> bool:
    """Whether one of the symbols is what ``root`` holds."""
    return any(symbol.kind is SymbolKind.LOAD and symbol.origin[0] is root for symbol in found)


def _orders(term: Term) -> bool:
    """Whether two values from memory are compared: which is the greater is anybody's guess."""
    return term.op in ("lt", "le") and all(map(_data, term.terms))


def _copied_whole(pair: Pair) -> bool:
    """Whether a structure is copied as a whole while a field of it is updated: the field may well go unused."""
    return any(
        one.kind is AccessKind.READ and isinstance(one.type, StructType) and other.kind is AccessKind.ATOMIC
        for one, other in ((pair.first, pair.second), (pair.second, pair.first))
    )


def _tabled(term: Term) -> bool:
    """Whether each thread looks up bits of its own in an argument: ``colours >> 2 * (x & 3) & 3``."""
    if term.op == "shr" and any(symbol.uniformity > Uniformity.GRID for symbol in symbols(term.args[1])):
        return any(map(scalar, symbols(term.args[0])))
    return any(map(_tabled, term.terms))


def _atomic(pair: Pair) -> bool:
    return AccessKind.ATOMIC in (pair.first.kind, pair.second.kind)


def chosen_by_data(side: Side) -> bool:
    """Whether a condition of the access rests on data that is not the same for all threads of a block."""
    return any(uniformity(fact) > Uniformity.BLOCK and on_data(fact) for fact in side.facts)


def on_data(term: Term) -> bool:
    if term.op == "sym":
        return term.args[0].kind not in PLAIN
    return term.op == "call" or any(on_data(arg) for arg in term.terms)


def truncated(term: Term, made: Callable[[Term], Term], found: dict[Term, Term]) -> None:
    """What ``made`` makes of each integer in ``term`` that comes from a number in floating point: the cell that a
    position is in."""
    if term.op == "cast" and isinstance(term.type, IntType) and not isinstance(term.args[0].type, IntType):
        found[term] = made(term)
        return
    for arg in term.terms:
        truncated(arg, made, found)


Env = Mapping[Symbol, int]


def _environments(witness: Refuted) -> tuple[Env, Env]:
    """The values of all symbols for the two threads of a witness."""
    env: dict[Symbol, int] = dict(zip(BLOCK_DIM, witness.block, strict=True))
    env.update(zip(GRID_DIM, witness.grid, strict=True))
    env.update(witness.values)
    assert witness.second is not None
    first, second = (
        {
            **env,
            **dict(zip(THREAD, actor.thread, strict=True)),
            **dict(zip(BLOCK, actor.block, strict=True)),
            **dict(actor.counters),
            **dict(actor.data),
        }
        for actor in (witness.first, witness.second)
    )
    return first, second


def equal_values(pair: Pair, witness: Refuted) -> bool:
    """Whether the two threads of a witness write the same value, made in the same way from the same places.

    What one and the same write puts into an object may come from other places of it: where those change in the same
    phase, that is a race of its own.
    """
    if not pair.first.kind is pair.second.kind is AccessKind.WRITE:
        return False
    if pair.first.value is None or pair.second.value is None:
        return False
    ours, theirs = _environments(witness)
    first, second = (
        None if pair.first is not pair.second else range(actor.offset, actor.offset + side.size)
        for actor, side in ((witness.first, pair.a), (witness.second or witness.first, pair.b))
    )
    value = pinned(pair.first.value, ours, pair.first.root, first)
    return value is not None and value == pinned(pair.second.value, theirs, pair.first.root, second)


def pinned(term: Term, env: Env, written: Root, place: range | None = None) -> object:
    """What ``term`` is for one thread: a number, or how it is made from memory and arguments; None: not known.

    It is not known where it comes from the object that is ``written``, but for bytes of it outside ``place``.
    """
    if term.op == "const":
        return term.args[0]
    if term.op == "sym":
        symbol = term.args[0]
        if symbol in env:
            return env[symbol]
        if symbol.kind is SymbolKind.LOAD:
            return _loaded(symbol, env, written, place)
        return ("same", id(symbol)) if symbol.uniformity is Uniformity.GRID else None
    if term.op == "call" and opaque(term):
        return None
    parts = [pinned(arg, env, written, place) for arg in term.terms]
    if any(part is None for part in parts):
        return None
    return evaluate(term, env) if all(isinstance(part, int) for part in parts) else (term.op, *parts)


def _loaded(symbol: Symbol, env: Env, written: Root, place: range | None) -> object:
    """Which bytes of which object a load is of, as :func:`pinned` has it."""
    root, offset = symbol.origin
    at: object = evaluate(offset, env)
    if root is written:
        size = symbol.type.size
        if place is None or not isinstance(at, int) or size is None:
            return None
        return ("load", id(root), at) if at + size <= place.start or place.stop <= at else None
    if at is None:
        rest = substitute(offset, {s: const(env[s], s.type) for s in symbols(offset) if s in env})
        if any(s.uniformity is not Uniformity.GRID for s in symbols(rest)):
            return None
        at = polynomial(rest)
    return "load", id(root), at


def _wrapped(pair: Pair, witness: Refuted) -> bool:
    """Whether the two offsets of a witness differ when no operation wraps."""
    ours, theirs = _environments(witness)
    first, second = ideal(pair.a.offset, ours), ideal(pair.b.offset, theirs)
    return first is not None and second is not None and not -pair.a.size < first - second < pair.b.size


def ideal(term: Term, env: Mapping[Symbol, int]) -> int | None:
    """Value of an integer term over mathematical integers, as far as sums, products and conversions go."""
    op, args = term.op, term.args
    if op in ("const", "sym"):
        return evaluate(term, env)
    if op == "cast" and isinstance(args[0].type, IntType):
        return ideal(args[0], env)
    if op in ("add", "sub", "mul"):
        a, b = ideal(args[0], env), ideal(args[1], env)
        if op == "add" and args[1].op == "const" and isinstance(term.type, IntType) and not term.type.signed and b:
            b = b - (1 << term.type.bits) if b >> (term.type.bits - 1) else b  # `x - 1` is kept as a sum
        if a is None or b is None:
            return None
        return a + b if op == "add" else a - b if op == "sub" else a * b
    return evaluate(term, env)
