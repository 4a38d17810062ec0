"""The block that a kernel's strides and arrays speak for.

Arrays of constant extent are indexed in bounds, and a kernel fills them: the largest usual block that keeps every such
access in bounds is taken.  Where nothing is said at all, it is one of
:data:`~kernlint.analysis.scenarios.tables.DEFAULTS`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from kernlint.analysis.scenarios.scenario import Provenance, Scenario
from kernlint.analysis.scenarios.strides import block_total, room_along
from kernlint.analysis.scenarios.tables import CUBES, DEFAULTS, PLANES, USUAL, Block
from kernlint.analysis.trace.events import Access, LoopContext, Trace
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.intervals import Bound, interval
from kernlint.symbolic.terms import BLOCK_DIM, THREAD, Symbol, SymbolKind, Term, symbols
from kernlint.tree.types import Space

STRIDES = "the strides of the kernel"
"""The reason to believe in a block of which loops and indices name the size."""


def _in_bounds(access: Access, block: Block, lengths: dict[tuple[Symbol, Block], int | None]) -> bool:
    """Whether the corner threads of ``block`` stay in the array, in the first iterations of all loops; an access
    that cannot be computed does not count.  ``lengths`` remembers what :func:`_last` found."""
    extent = access.root.extent
    assert extent is not None
    used = {symbol for term in (access.offset, *(g.term for g in access.guards)) for symbol in symbols(term)}
    base: dict[Symbol, int] = {BLOCK_DIM[axis]: block[axis] for axis in range(3)}
    for symbol in used:
        if symbol.kind in (SymbolKind.COUNTER, SymbolKind.BLOCK):
            base[symbol] = 0
        elif symbol.kind is SymbolKind.PARAM:
            base[symbol] = 1 << 14
    lasts = {loop.counter: last for loop in access.loops if (last := _last(loop, base, lengths))}
    most = extent - (access.size or 1)

    def bounds(symbol: Symbol) -> Bound:
        if symbol.kind is SymbolKind.THREAD:
            return 0, block[symbol.axis] - 1
        value = base.get(symbol)
        return (symbol.low, symbol.high) if value is None else (value, max(value, lasts.get(symbol, value)))

    low, high = interval(access.offset, bounds)
    if low is not None and high is not None and low >= 0 and high <= most:
        return True
    corners = [sorted({0, size // 2, size - 1}) for size in block]
    for place in product(*corners):
        for counters in ({}, lasts) if lasts else ({},):
            env = base | counters | dict(zip(THREAD, place, strict=True))
            if any(evaluate(guard.term, env) == 0 for guard in access.guards):
                continue
            at = evaluate(access.offset, env)
            if at is not None and not 0 <= at <= most:
                return False
    return True


def _last(loop: LoopContext, env: dict[Symbol, int], lengths: dict[tuple[Symbol, Block], int | None]) -> int | None:
    """The number of the last iteration of a loop whose end the block alone decides, if it is found soon."""
    x, y, z = (
        env[symbol] if loop.condition is not None and symbol in loop.condition.symbols else 0 for symbol in BLOCK_DIM
    )
    key = loop.counter, (x, y, z)
    if key not in lengths:
        lengths[key] = _counted(loop, env)
    return lengths[key]


def _counted(loop: LoopContext, env: dict[Symbol, int]) -> int | None:
    condition = loop.condition
    if condition is None or loop.post_tested or loop.exits:
        return None
    if any(s is not loop.counter and s.kind is not SymbolKind.BLOCK_DIM for s in symbols(condition)):
        return None
    for turn in range(ROUNDS):
        if not evaluate(condition, {**env, loop.counter: turn}):
            return turn - 1 if turn else None
    return None


ROUNDS = 300
"""Iterations over which the end of a loop is looked for."""


def _candidates(axes: tuple[int, ...]) -> Iterator[Block]:
    if len(axes) == 1:
        for size in USUAL:
            block = [1, 1, 1]
            block[axes[0]] = size
            yield (block[0], block[1], block[2])
    elif len(axes) == 2:
        for plane in PLANES:
            block = [1, 1, 1]
            block[axes[0]], block[axes[1]] = plane
            yield (block[0], block[1], block[2])
    else:
        yield from CUBES


def _held(of: Trace) -> list[Access]:
    """Accesses of shared arrays of constant extent whose place depends on the thread, each place once, under the fewest
    conditions; without those that leave their array under the least of blocks, which say nothing of the block."""
    found: dict[tuple[Term, int], Access] = {}
    for access in of.accesses:
        root = access.root
        if root.extent is None or root.space is not Space.SHARED:
            continue
        if any(s.kind is SymbolKind.THREAD for s in symbols(access.offset)):
            key = access.offset, root.extent
            if key not in found or len(access.guards) < len(found[key].guards):
                found[key] = access
    return [access for access in found.values() if _in_bounds(access, (1, 1, 1), {})][:40]


def _fits(of: Trace, axes: tuple[int, ...], fixed: dict[int, int]) -> tuple[Block, bool] | None:
    """The largest usual block that keeps accesses of shared arrays in bounds (None: none does), and whether a larger
    one does not."""
    said = False
    held, limits = _held(of), room_along(of)
    lengths: dict[tuple[Symbol, Block], int | None] = {}
    total = block_total(of) if len(axes) == 2 else None
    own = _own_places(held, axes)
    shared: Block | None = None
    for block in _candidates(axes):
        if any(block[axis] != size for axis, size in fixed.items()):
            continue
        if total is not None and block[0] * block[1] * block[2] != total:
            said = True
            continue
        if all(block[axis] <= size for axis, size in limits.items()) and all(
            _in_bounds(a, block, lengths) for a in held
        ):
            if all(_apart(place, axes, block) for place in own):
                return block, said
            shared = shared or block
        said = True
    return None if shared is None else (shared, said)


def _own_places(held: list[Access], axes: tuple[int, ...]) -> list[Term]:
    """Places that threads write by their index along all ``axes`` and the size of the block: each has its own in a
    block that the kernel is made for (``tile[threadIdx.x * blockDim.x + threadIdx.y]`` in square ones)."""
    if len(axes) < 2:
        return []
    found = dict.fromkeys(access.offset for access in held if access.writes)
    return [
        term
        for term in found
        if {THREAD[axis] for axis in axes} < set(term.symbols)
        and all(symbol.kind in (SymbolKind.THREAD, SymbolKind.BLOCK_DIM) for symbol in term.symbols)
    ]


def _apart(place: Term, axes: tuple[int, ...], block: Block) -> bool:
    """Whether each thread of ``block`` has a value of its own of ``place``."""
    env = {BLOCK_DIM[axis]: block[axis] for axis in range(3)}
    places = product(*(range(block[axis]) for axis in axes))
    values = {evaluate(place, env | {THREAD[a]: at for a, at in zip(axes, where, strict=True)}) for where in places}
    return len(values) == block[0] * block[1] * block[2]


def fitted(of: Trace, axes: tuple[int, ...], fixed: dict[int, int], limit: int) -> Scenario:
    held = _held(of)
    if len(fixed) == len(axes):
        block = _block(axes, fixed)
        if 1 < block[0] * block[1] * block[2] <= limit and all(_in_bounds(access, block, {}) for access in held):
            return Scenario(_alive(of, held, axes, block), reason=STRIDES, provenance=Provenance.INFERRED)
    fits = _fits(of, axes, fixed) or _fits(of, axes, {})
    usual = DEFAULTS[len(axes)]
    default = _block(axes, dict(zip(axes, usual, strict=False)) | fixed)
    if fits is None:
        if fixed:
            return Scenario(_shrunk(default, limit), reason=STRIDES, provenance=Provenance.INFERRED)
        return Scenario(_shrunk(default, limit), reason="a usual block")
    block, said = fits
    if not said and not fixed:
        return Scenario(_shrunk(default, limit), reason="a usual block")
    return Scenario(_shrunk(block, limit), reason="the extents of its arrays", provenance=Provenance.INFERRED)


def _alive(of: Trace, held: list[Access], axes: tuple[int, ...], block: Block) -> Block:
    """``block``, or the least larger one along its only axis under which every access is made by some thread: a stride
    of 32 may be that of one of several warps with roles of their own."""
    if len(axes) != 1:
        return block
    plain = (SymbolKind.THREAD, SymbolKind.BLOCK_DIM)
    roles: set[tuple[Term, ...]] = set()
    for access in of.accesses:
        terms = (guard.term for guard in access.guards)
        roles.add(tuple(term for term in terms if all(symbol.kind in plain for symbol in symbols(term))))
    roles.discard(())

    def played(size: int) -> bool:
        env = {BLOCK_DIM[axis]: size if axis == axes[0] else 1 for axis in range(3)}
        env.update(dict.fromkeys(THREAD, 0))
        return all(
            any(
                all(evaluate(term, {**env, THREAD[axes[0]]: thread}) != 0 for term in role)
                for thread in (*range(0, size, 32), size - 1, *range(min(size, 32)))
            )
            for role in roles
        )

    size = block[axes[0]]
    if len(roles) > 40 or played(size):
        return block
    for larger in reversed(USUAL):
        wider = _block(axes, {axes[0]: larger})
        if larger > size and played(larger) and all(_in_bounds(access, wider, {}) for access in held):
            return wider
    return block


def _shrunk(block: Block, limit: int) -> Block:
    """``block`` with its longest sides halved until it has at most ``limit`` threads."""
    sizes = list(block)
    while sizes[0] * sizes[1] * sizes[2] > limit and max(sizes) > 1:
        longest = max(range(3), key=lambda axis: sizes[axis])
        sizes[longest] //= 2
    return sizes[0], sizes[1], sizes[2]


def _block(axes: tuple[int, ...], sizes: dict[int, int]) -> Block:
    """The block with ``sizes`` along ``axes`` (1 where none is given)."""
    x, y, z = (sizes.get(axis, 1) if axis in axes else 1 for axis in range(3))
    return x, y, z
