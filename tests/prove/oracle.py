"""Random queries in 8-bit machine integers, and their exhaustive truth.  Not a test.

Launches are limited by the queries' hints (few threads, up to two blocks), values of the scalar run over all of
its type, so that wrapping is the rule and not the exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product
from random import Random

from kernlint.prove.query import Axes, Bounds, Launch, LoopRange, Overlap, Proved, Query, Side
from kernlint.symbolic.evaluate import compile_terms, evaluate
from kernlint.symbolic.show import show
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    GRID_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    binary,
    cast,
    complement,
    const,
    negate,
    negative,
    select,
    symbols,
)
from kernlint.tree.types import BOOL, I8, I64, U8, IntType

ROUNDS = 3
"""Iterations of a loop that the oracle runs; loops of random queries are bounded by it."""


class Sample:
    """A random query and its symbols."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.scalar = Symbol(SymbolKind.PARAM, "p", rng.choice((I8, U8)), uniformity=Uniformity.GRID)
        self.counter = Symbol(SymbolKind.COUNTER, "k", I64, low=0, uniformity=Uniformity.GRID, origin=object())
        self.load = Symbol(SymbolKind.LOAD, "v", I8, low=0, high=2)
        plane = rng.random() < 0.3
        self.block: Axes = rng.choice(
            [(2, 3, 1), (None, None, 1)] if plane else [(None, 1, 1), (None, 1, 1), (4, 1, 1)]
        )
        self.grid: Axes = (2, 1, 1)
        self.leaves: list[Term] = [THREAD[0].term] * 4 + [self.scalar.term] * 2 + [BLOCK_DIM[0].term]
        self.leaves += [THREAD[1].term] * 3 if plane else []
        self.query = self._query()

    def _query(self) -> Query:
        rng = self.rng
        bounded = rng.random() < 0.25
        looped = rng.random() < 0.35
        scope = rng.choice(("block", "block", "grid", "blocks"))
        leaves = list(self.leaves)
        if bounded or scope != "block":
            self.leaves += [BLOCK[0].term] * 3
        if looped:
            self.leaves += [self.counter.term] * 3
        if rng.random() < 0.1:
            self.leaves += [self.load.term]
        first = self._side(looped)
        second = first if rng.random() < 0.5 else self._side(looped)
        self.leaves = leaves
        premises: tuple[Term, ...] = ()
        if rng.random() < 0.3:
            self.leaves = [self.scalar.term, self.scalar.term, BLOCK_DIM[0].term]
            premises = (self._guard(),)
        launch = Launch(self.block, self.grid, 5 if self.block[1] == 1 else 6)
        if bounded:
            self.leaves = [self.scalar.term, BLOCK_DIM[0].term]
            return Bounds(first, self._term(2, rng.choice((I8, U8))), premises, launch=launch)
        tied = ((self.counter, self.counter, rng.choice((0, 0, 1))),) if looped and rng.random() < 0.6 else ()
        return Overlap(first, second, scope, tied, premises=premises, launch=launch)

    def _side(self, looped: bool) -> Side:
        rng = self.rng
        kind = rng.choice((I8, U8))
        offset = self._term(3, kind)
        size = rng.choice((1, 1, 1, 2, 4))
        if rng.random() < 0.5:
            offset = binary("mul", cast(offset, I64), const(size, I64), I64)
        guards = tuple(self._guard() for _ in range(rng.choice((0, 0, 1, 1, 2))))
        loops: tuple[LoopRange, ...] = ()
        if looped:
            condition = binary("lt", self.counter.term, const(rng.randint(1, ROUNDS), I64), BOOL)
            loops = (LoopRange(self.counter, condition, ROUNDS),)
        return Side(offset, size, guards, loops)

    def _guard(self) -> Term:
        rng = self.rng
        kind = rng.choice((I8, U8))
        left, right = self._term(rng.choice((0, 1, 2)), kind), self._term(rng.choice((0, 0, 1)), kind)
        guard = binary(rng.choice(("lt", "lt", "le", "eq", "ne")), left, right, BOOL)
        return negate(guard) if rng.random() < 0.3 else guard

    def _term(self, depth: int, kind: IntType) -> Term:
        rng = self.rng
        if depth == 0 or rng.random() < 0.15:
            if rng.random() < 0.3:
                return const(rng.choice((1, 1, 2, 3, 4, 5, 7, 8, 16, 100, -1, -2)), kind)
            return cast(rng.choice(self.leaves), kind)
        op = rng.choice(
            ("add", "add", "add", "sub", "sub", "mul", "mul", "mul", "div", "mod", "and", "or", "xor", "shr", "shl")
        )
        if op in ("shr", "shl"):
            return binary(op, self._term(depth - 1, kind), const(rng.randint(0, 3), kind), kind)
        if op in ("div", "mod", "and") and rng.random() < 0.7:
            return binary(op, self._term(depth - 1, kind), const(rng.choice((1, 2, 3, 4, 7, 8, 15, -2)), kind), kind)
        if rng.random() < 0.08:
            return select(self._guard(), self._term(depth - 1, kind), self._term(depth - 1, kind), kind)
        if rng.random() < 0.06:
            op = rng.choice(("min", "max"))
        if rng.random() < 0.04:
            return rng.choice((negative, complement))(self._term(depth - 1, kind), kind)
        if rng.random() < 0.08:
            return cast(self._term(depth - 1, U8 if kind == I8 else I8), kind)
        return binary(op, self._term(depth - 1, kind), self._term(depth - 1, kind), kind)


Place = tuple[tuple[int, ...], tuple[int, ...], int]
"""(thread, block, counter)."""


def counterexample(sample: Sample, verdict: Proved) -> tuple[dict[str, int], object] | None:
    """Values and threads for which the fault happens although ``verdict`` says that it cannot; None: there are none."""
    query = sample.query
    tainted = _tainted(query, verdict)
    positive = f"{sample.scalar.name} > 0" in verdict.assumptions
    kind = sample.scalar.type
    assert isinstance(kind, IntType)
    for dims in _blocks(query.launch):
        values = range(1 if positive else kind.low, kind.high + 1)
        for value in [v for v in values if not tainted or -4 <= v <= 24 or v % 32 in (31, 0, 1)]:
            env = {sample.scalar: value, **dict(zip(BLOCK_DIM, dims, strict=True))}
            env.update(zip(GRID_DIM, (2, 1, 1), strict=True))
            if not all(_holds(p, env, tainted) for p in query.premises):
                continue
            found = _fault(sample, query, env, dims, tainted)
            if found is not None:
                return {symbol.name: number for symbol, number in env.items()}, found
    return None


def _blocks(launch: Launch) -> Iterator[tuple[int, int, int]]:
    axes = [range(1, launch.max_threads + 1) if dim is None else (dim,) for dim in launch.block]
    for x, y, z in product(*axes):
        if x * y * z <= launch.max_threads:
            yield x, y, z


def _fault(
    sample: Sample, query: Query, env: dict[Symbol, int], dims: tuple[int, int, int], tainted: set[Term]
) -> object:
    if isinstance(query, Bounds):
        extent = _value(query.extent, env, tainted)
        if extent is None:
            return None
        for offset, place in _points(sample, query.access, env, dims, tainted, False):
            if offset < 0 or offset + query.access.size > extent:
                return offset, place
        return None
    single = query.within == "block"
    ours = list(_points(sample, query.a, env, dims, tainted, single))
    theirs = list(_points(sample, query.b, env, dims, tainted, single))
    for offset, (thread, block, k) in ours:
        for other, (thread2, block2, k2) in theirs:
            if (thread, block) == (thread2, block2) or (single and block != block2):
                continue
            if query.within == "blocks" and block == block2:
                continue
            if query.tied and k != k2 + query.tied[0][2]:
                continue
            if offset < other + query.b.size and other < offset + query.a.size:
                return (offset, thread, block, k), (other, thread2, block2, k2)
    return None


def _points(
    sample: Sample, side: Side, env: dict[Symbol, int], dims: tuple[int, int, int], tainted: set[Term], single: bool
) -> Iterator[tuple[int, Place]]:
    rounds = range(ROUNDS + 1) if side.counters else (0,)
    data = range(3) if sample.load in set(side.symbols) else (0,)
    for bx in range(2):
        for z, y, x in product(range(dims[2]), range(dims[1]), range(dims[0])):
            for k, v in product(rounds, data):
                here = {
                    **env,
                    THREAD[0]: x,
                    THREAD[1]: y,
                    THREAD[2]: z,
                    BLOCK[0]: bx,
                    sample.counter: k,
                    sample.load: v,
                }
                if all(_holds(fact, here, tainted) for fact in side.facts):
                    offset = _value(side.offset, here, tainted)
                    if offset is not None:
                        yield offset, ((x, y, z), (bx,), k)


@lru_cache(maxsize=64)
def _compiled(term: Term) -> tuple[list[Symbol], Callable[..., tuple[int, ...] | None]] | None:
    parameters = list(symbols(term))
    function = compile_terms([term], parameters)
    return None if function is None else (parameters, function)


def _holds(term: Term, env: dict[Symbol, int], tainted: set[Term]) -> bool:
    return bool(_value(term, env, tainted))


def _value(term: Term, env: dict[Symbol, int], tainted: set[Term]) -> int | None:
    """The value, or None where it is undefined or where something wraps that the verdict assumes not to."""
    if not tainted:
        function = _compiled(term)
        if function is not None:
            parameters, code = function
            result = code(*[env[symbol] for symbol in parameters])
            return None if result is None else int(result[0])
    if tainted and any(_wraps(part, env) for part in _parts(term) if part in tainted):
        return None
    return evaluate(term, env)


def _tainted(query: Query, verdict: Proved) -> set[Term]:
    """Every operation that the verdict assumes not to wrap."""
    texts = {text.split(" overflow in ", 1)[1] for text in verdict.assumptions if " overflow in " in text}
    terms: list[Term] = list(query.premises)
    for side in (query.a, query.b) if isinstance(query, Overlap) else (query.access,):
        terms += (side.offset, *side.facts)
    if isinstance(query, Bounds):
        terms.append(query.extent)
    out: set[Term] = set()
    found: set[str] = set()
    for term in terms:
        for part in _parts(term):
            if show(part) in texts:
                found.add(show(part))
                out.update(_parts(part))
    if found != texts:  # an operation as it is in one case of a `?:`
        out.update(part for term in terms for part in _parts(term))
    return out


def _parts(term: Term) -> Iterator[Term]:
    yield term
    for arg in term.terms:
        yield from _parts(arg)


def _wraps(term: Term, env: dict[Symbol, int]) -> bool:
    kind = term.type
    if term.op not in ("add", "sub", "mul", "neg", "shl", "cast") or not isinstance(kind, IntType):
        return False
    values = [evaluate(arg, env) for arg in term.terms]
    if None in values:
        return False
    a, *rest = [value for value in values if value is not None]
    if term.op == "neg":
        exact = -a
    elif term.op == "cast":
        exact = a
    else:
        b = rest[0]
        if term.op == "add" and term.args[1].op == "const" and not kind.signed and b >> (kind.bits - 1):
            b -= 1 << kind.bits  # `x - 1` is kept as a sum
        exact = a << max(0, min(b, 64)) if term.op == "shl" else {"add": a + b, "sub": a - b, "mul": a * b}[term.op]
    return not kind.low <= exact <= kind.high
