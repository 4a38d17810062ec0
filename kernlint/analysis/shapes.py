"""Block shapes worth believing in: those in sight, else those that a kernel's constants speak for.

Most kernels are right only under some launches, so a race must be shown for a block that somebody would use.
What the user says, ``reqd_work_group_size`` and launches of the same file settle the matter.  Without them:

* a dimension whose thread index the kernel never reads is 1;
* ``block * 256 + thread`` and ``thread + 256 * k`` say that 256 threads stand along that axis;
* an axis that stands only in global indices (``block * size + thread``) is 1, beside one that stands by itself: shared
  memory is then indexed by the other one alone, and a kernel may run with a block of one row;
* an axis whose index is tested against a size and used for nothing else is 1: threads along it would all do the same;
* ``s[thread]`` and ``s[thread + 64]``, both written by all threads, are two parts of 64 elements, for as many threads;
* an axis that most places in shared memory leave out, where each thread writes its own, is 1;
* arrays of constant extent are indexed in bounds, and a kernel fills them: the largest usual block that keeps
  every such access in bounds is taken;
* a kernel that works by warp collectives alone, with no word on blocks of several warps, may be one of one warp;
* where nothing is said at all, 128 threads along one axis, 16 x 16 along two, 8 x 8 x 2 along three.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from kernlint.analysis.admitted import admitted, computed_blocks
from kernlint.analysis.assumptions import Assumed, assumed
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.launches import flat_axes, launches
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, LoopContext, Trace
from kernlint.analysis.trace.launch import linear
from kernlint.prove.admission import FREE_LAUNCH, Admission
from kernlint.record import dataclass, replace
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.intervals import Bound, interval
from kernlint.symbolic.polynomial import Monomial, Polynomial, polynomial
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    GRID_DIM,
    THREAD,
    WARP_SIZE,
    Symbol,
    SymbolKind,
    Term,
    binary,
    cast,
    symbols,
)
from kernlint.tree.nodes import LaunchValue, Quantity, Scope, WarpOp
from kernlint.tree.types import I32, I64, U32, U64, ArrayType, IntType, Space
from kernlint.tree.walk import functions_of, walk

Block = tuple[int, int, int]
Sizes = tuple[int | None, int | None, int | None]


@dataclass(frozen=True, slots=True)
class Shape:
    """A block (threads along x, y, z) and a grid (blocks; None: not known), with the reason to believe in them.

    ``seen``: it was given by the user, an attribute or a launch, not guessed.
    """

    block: Block
    grid: Sizes = (None, None, None)
    reason: str = ""
    seen: bool = False

    @property
    def threads(self) -> int:
        """Threads of the block."""
        return self.block[0] * self.block[1] * self.block[2]


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shapes of one kernel variant: a fault has to show under each of ``plausible`` (seen ones: under any).

    ``threads``/``blocks``: which axes of the thread and block index the kernel reads, or the size of.  ``single``:
    axes along which there must be one block, since all would do the same: the index of the block stands in tests
    against a size alone (empty where the shapes were seen).  ``admission``: the launches in sight, of which witnesses
    have to be.
    """

    plausible: tuple[Shape, ...]
    seen: bool
    threads: tuple[bool, bool, bool]
    blocks: tuple[bool, bool, bool]
    single: frozenset[int] = frozenset()
    admission: Admission = FREE_LAUNCH


STRIDES = "the strides of the kernel"
"""The reason to believe in a block of which loops and indices name the size."""

USUAL = (1024, 768, 512, 384, 256, 192, 128, 96, 64, 48, 32, 16, 8, 4, 2)
"""Sizes along the only axis of a block, largest first."""

PLANES = (
    (32, 32),
    (32, 16),
    (16, 32),
    (64, 8),
    (8, 64),
    (16, 16),
    (32, 8),
    (8, 32),
    (64, 4),
    (32, 4),
    (16, 8),
    (8, 16),
    (8, 8),
    (16, 4),
    (4, 16),
    (4, 4),
    (32, 2),
    (32, 1),
    (2, 2),
)
"""Sizes along two axes, largest first."""

CUBES = ((8, 8, 8), (16, 8, 4), (8, 8, 4), (8, 8, 2), (4, 4, 4), (32, 4, 2), (2, 2, 2))

DEFAULTS: dict[int, Block] = {0: (1, 1, 1), 1: (128, 1, 1), 2: (16, 16, 1), 3: (8, 8, 2)}


def _terms(of: Trace) -> Iterator[Term]:
    for access in (*of.accesses, *of.images):
        yield access.offset
        if access.value is not None:
            yield access.value
        for guard in access.guards:
            yield guard.term
    for condition in of.conditions:
        yield condition.term
    for loop in of.loops:
        if loop.condition is not None:
            yield loop.condition


def _mentioned(of: Trace) -> set[Symbol]:
    seen: set[Term] = set(_LINEAR)
    out: set[Symbol] = set()
    todo = list(_terms(of))
    while todo:
        term = todo.pop()
        if term in seen:
            if term in _LINEAR:
                out.add(_LINEAR[term])
            continue
        seen.add(term)
        if term.op == "sym":
            out.add(term.args[0])
        else:
            todo.extend(term.terms)
    return out


def _flat(ids: tuple[Symbol, ...], sizes: tuple[Symbol, ...], kind: IntType) -> Iterator[Term]:
    """The linear index as the prelude has it, and in two axes as kernels write it by hand, either axis first."""
    yield linear(ids, sizes, kind)
    for major, minor in ((0, 1), (1, 0)):
        first, size, second = (cast(s.term, kind) for s in (ids[major], sizes[minor], ids[minor]))
        yield binary("add", binary("mul", first, size, kind), second, kind)


_LINEAR: dict[Term, Symbol] = {
    form: ids[0]
    for kind in (U32, I32, I64, U64)
    for ids, sizes in ((THREAD, BLOCK_DIM), (BLOCK, GRID_DIM))
    for form in _flat(ids, sizes, kind)
}
"""The linear index of a thread in its block, and of a block in the grid: no word on how many axes there are."""


def _coefficients(of: Trace, axis: int) -> list[int]:
    """Numbers of threads along ``axis`` that strides of blocks or iterations stand for."""
    found: list[int] = []
    done: set[Term] = set()
    thread = THREAD[axis].term
    for term in _indices(of):
        if term in done:
            continue
        done.add(term)
        form = polynomial(term).coefficients
        unit = form.get((thread,))
        if not unit:
            continue
        alone = sum(any(s.kind is SymbolKind.THREAD for a in mono for s in symbols(a)) for mono in form) == 1
        counts = []
        for mono, value in form.items():
            if len(mono) == 1 and mono[0].op == "sym" and value % unit == 0:
                symbol = mono[0].args[0]
                of_block = symbol.kind is SymbolKind.BLOCK and symbol.axis == axis
                if of_block or (alone and symbol.kind in (SymbolKind.COUNTER, SymbolKind.BLOCK)):
                    counts.append(value // unit)
        found += [min(count for count in counts if count > 1)] if any(1 < c <= 1024 for c in counts) else []
    return found


def _indices(of: Trace) -> Iterator[Term]:
    for access in of.accesses:
        yield access.offset
        for guard in access.guards:
            yield from _compared(guard.term)


def _compared(term: Term) -> Iterator[Term]:
    if term.op in ("lt", "le"):
        yield from term.args
    elif term.op in ("land", "lor", "lnot"):
        for arg in term.args:
            yield from _compared(arg)


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


def _limits(of: Trace) -> dict[int, int]:
    """How many threads fit along each axis when places in shared arrays, and those written in global memory, are told
    apart by mixed radix: with ``tile[y][x]`` of 16 columns, or ``tile[16 * y + x]``, there are at most 16 along x; a
    dimension of the array that an axis indexes bounds it too."""
    out: dict[int, int] = {}
    done: set[Term] = set()
    for access in of.accesses:
        told = access.root.space is Space.SHARED or (access.root.space is Space.GLOBAL and access.writes)
        if not told or access.offset in done:
            continue
        done.add(access.offset)
        form = polynomial(access.offset).coefficients
        steps = sorted({abs(value) for mono, value in form.items() if len(mono) == 1 and mono[0].op == "sym"})
        steps += _strides(access)
        for axis in range(3):
            unit = abs(form.get((THREAD[axis].term,), 0))
            above = [step for step in steps if step > unit]
            guarded = any(THREAD[axis] in symbols(guard.term) for guard in access.guards)
            if unit and above and not guarded:
                out[axis] = min(out.get(axis, 1024), max(min(above) // unit, 1))
    for axis, size in _parts(of).items():
        out[axis] = min(out.get(axis, 1024), size)
    return out


PART = 16
"""Elements of a part of an array that is taken for one of several, which as many threads fill."""


def _parts(of: Trace) -> dict[int, int]:
    """How many threads fit along each axis when each of them writes an element of several parts of one object, which
    are a constant number of elements apart: ``s[t]``, ``s[t + 64]``, ``s[t + 128]``."""
    starts: dict[tuple[int, Polynomial], set[int]] = {}
    for access in of.accesses:
        if not access.writes or access.root.space not in (Space.SHARED, Space.GLOBAL):
            continue
        if not any(symbol.kind is SymbolKind.THREAD for guard in access.guards for symbol in symbols(guard.term)):
            form = polynomial(access.offset).coefficients
            rest = Polynomial({mono: value for mono, value in form.items() if mono})
            starts.setdefault((id(access.root), rest), set()).add(form.get((), 0))
    out: dict[int, int] = {}
    for (_, shape), places in starts.items():
        first = min(places)
        step = min((place - first for place in places if place > first), default=0)
        for axis in range(3):
            unit = abs(shape.coefficients.get((THREAD[axis].term,), 0))
            if unit and step >= PART * unit and all((place - first) % step == 0 for place in places):
                out[axis] = min(out.get(axis, 1024), step // unit)
    return out


def _strides(access: Access) -> list[int]:
    """Bytes from one element to the next in each dimension of the array that is accessed, and its whole size."""
    decl, out = access.root.decl, []
    kind = decl.type if decl is not None and not access.root.path else None
    while isinstance(kind, ArrayType):
        if kind.size is not None:
            out.append(kind.size)
        kind = kind.element
    return out


def _total(of: Trace) -> int | None:
    """Threads of a block for which a constant stride stands that is added to the linear index of a thread."""
    for index in _indices(of):
        form = polynomial(index).coefficients
        unit = form.get((THREAD[0].term,), 0)
        row = next((v for m, v in form.items() if set(m) == {THREAD[1].term, BLOCK_DIM[0].term}), 0)
        if unit <= 0 or row != unit:
            continue
        for mono, value in form.items():
            kind = mono[0].args[0].kind if len(mono) == 1 and mono[0].op == "sym" else None
            steps = kind in (SymbolKind.COUNTER, SymbolKind.BLOCK) and value % unit == 0
            if steps and 1 < value // unit <= 1024:
                return value // unit
    return None


def _fits(of: Trace, axes: tuple[int, ...], fixed: dict[int, int]) -> tuple[Block, bool] | None:
    """The largest usual block that keeps accesses of shared arrays in bounds (None: none does), and whether a larger
    one does not."""
    said = False
    held, limits = _held(of), _limits(of)
    lengths: dict[tuple[Symbol, Block], int | None] = {}
    total = _total(of) if len(axes) == 2 else None
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


def _one_warp(of: Trace) -> bool:
    """Whether the kernel works by warp collectives, or by lanes alone, and nothing in it is for more than a warp: no
    barrier, and no place in shared memory for each warp."""
    if not (of.warp_ops or _by_lanes(of)) or any(b.certain and b.scope is not Scope.WARP for b in of.barriers):
        return False
    return not any(a.root.space is Space.SHARED and _by_warp(a.offset) for a in of.accesses)


def _by_lanes(of: Trace) -> bool:
    """Whether the kernel asks of a thread along x nothing but its lane."""
    found = False
    done: set[Term] = set()
    todo = list(_terms(of))
    while todo:
        term = todo.pop()
        if term in done:
            continue
        done.add(term)
        if term.op == "mod" and term.args[1].symbol is WARP_SIZE:
            found = True
        elif term.op == "sym" and term.args[0] is THREAD[0]:
            return False
        else:
            todo.extend(term.terms)
    return found


def _by_warp(term: Term) -> bool:
    """Whether the number of the thread's warp stands in ``term``."""
    if term.op in ("div", "shr") and term.args[1].value in ((32, 64) if term.op == "div" else (5, 6)):
        return any(symbol.kind is SymbolKind.THREAD for symbol in symbols(term.args[0]))
    return any(_by_warp(arg) for arg in term.terms)


def _compute(facts: Facts) -> Shapes:
    of = facts[trace]
    mentioned = _mentioned(of)
    x, y, z = (symbol in mentioned for symbol in THREAD)
    threads = (x, y, z) if x or y or z else _read(facts)
    # A size alone (the number of all blocks, to wait for the last) is no word on how many axes the grid has.
    x, y, z = (BLOCK[axis] in mentioned or (axis == 0 and GRID_DIM[0] in mentioned) for axis in range(3))
    seen = tuple(_seen(facts)) or tuple(
        Shape(block, reason="a launch in sight", seen=True) for block in computed_blocks(facts[admitted], threads)
    )
    if seen:
        return Shapes(seen, True, threads, (x, y, z), admission=facts[admitted])
    tested, working = _used(of)
    if idle := _idle(of, tested, working):
        threads = (threads[0] and 0 not in idle, threads[1] and 1 not in idle, threads[2] and 2 not in idle)
        x, y, z = x and 0 not in idle, y and 1 not in idle, z and 2 not in idle
    flat = flat_axes(facts[launches])
    threads = (threads[0] and 0 not in flat, threads[1] and 1 not in flat, threads[2] and 2 not in flat)
    sized = frozenset(axis for axis in tested if BLOCK_DIM[axis] not in working)
    guessed = (_as_said(shape, facts[assumed]) for shape in _guessed(facts, of, mentioned, threads, sized))
    single = frozenset(axis for axis in tested if BLOCK[axis] not in working)
    launched = facts[admitted]
    possible = [shape for shape in dict.fromkeys(guessed) if launched.permits(shape.block)]
    return Shapes(tuple(possible), False, threads, (x, y, z), single, launched)


def _idle(of: Trace, tested: set[int], working: set[Symbol]) -> set[int]:
    """Axes whose index in the grid is tested against sizes and used for nothing else, beside others that tell places
    in global memory apart; none where the kernel updates what it finds there, which each thread does once more."""
    written = [access for access in of.accesses if access.writes and access.root.space is Space.GLOBAL]
    if any(not access.writes and any(access.root is one.root for one in written) for access in of.accesses):
        return set()
    idle = {axis for axis in tested if THREAD[axis] not in working and BLOCK[axis] not in working}
    return idle if any(symbol in _IDS for one in written for symbol in symbols(one.offset)) else set()


_IDS = frozenset((*THREAD, *BLOCK))


def _used(of: Trace) -> tuple[set[int], set[Symbol]]:
    """Axes whose index in the grid is tested against a size, and the symbols that stand anywhere else."""
    tested: set[int] = set()
    working: set[Symbol] = set()
    done: set[Term] = set()
    todo = list(_terms(of))
    todo += [term for loop in of.loops for phi in loop.phis for term in (phi.init, phi.step) if term is not None]
    while todo:
        term = todo.pop()
        if term in done:
            continue
        done.add(term)
        found = size_test(term)
        if found is not None:
            tested.add(found[0])
        elif term.op == "sym":
            working.add(term.args[0])
        else:
            todo.extend(term.terms)
    return tested, working


def size_test(term: Term) -> tuple[int, bool] | None:
    """The axis whose index in the grid a comparison holds against arguments, and whether it is true of small indices;
    None where it compares anything else."""
    if term.op not in ("lt", "le"):
        return None
    form = (polynomial(term.args[1]) - polynomial(term.args[0])).coefficients
    for axis in range(3):
        unit = form.get((THREAD[axis].term,))
        if unit is None or not _in_global((THREAD[axis].term,), unit, THREAD[axis], form):
            continue
        rest = [s for mono in form for atom in mono for s in symbols(atom) if s not in (THREAD[axis], BLOCK[axis])]
        sizes = {s for s in rest if s is not BLOCK_DIM[axis]}
        if sizes and all(s.kind is SymbolKind.PARAM for s in sizes):
            return axis, unit < 0
    return None


def _read(facts: Facts) -> tuple[bool, bool, bool]:
    """The axes of the thread index that the kernel reads, though what it does with them is not understood."""
    axes: set[int] = set()
    for function in functions_of(facts.kernel):
        for node in walk(function):
            if isinstance(node, WarpOp) or (isinstance(node, LaunchValue) and node.quantity in _OF_THREAD):
                axes.add((node.axis or 0) if isinstance(node, LaunchValue) else 0)
    return 0 in axes, 1 in axes, 2 in axes


_OF_THREAD = frozenset(
    {
        Quantity.THREAD_ID,
        Quantity.GLOBAL_ID,
        Quantity.LINEAR_THREAD_ID,
        Quantity.LINEAR_GLOBAL_ID,
        Quantity.LANE_ID,
        Quantity.WARP_ID,
        Quantity.TILE_RANK,
        Quantity.TILE_ID,
    }
)


def _as_said(shape: Shape, said: Assumed) -> Shape:
    """A guess that does not go against what the user says of the block alone."""
    about = [one for one in said.premises if all(symbol in BLOCK_DIM for symbol in symbols(one))]

    def fits(block: Block) -> bool:
        env = dict(zip(BLOCK_DIM, block, strict=True))
        return all(evaluate(one, env) != 0 for one in about)

    if fits(shape.block):
        return shape
    given = dict(said.values)
    x, y, z = (given.get(symbol, size) for symbol, size in zip(BLOCK_DIM, shape.block, strict=True))
    for block in ((x, y, z), *((size, y, z) for size in USUAL), *((*plane, z) for plane in PLANES), *CUBES):
        if block[0] * block[1] * block[2] <= 1024 and fits(block):
            return replace(shape, block=block, reason="a block as assumed")
    return shape


def _seen(facts: Facts) -> Iterator[Shape]:
    options, bounds, said = facts.options, facts.function.bounds, facts[assumed]
    grid: Sizes = said.grid or options.grid or (None, None, None)
    block = said.block or options.block
    if block is not None:
        yield Shape(block, grid, "the block given by the user", True)
        return
    if bounds.required is not None:
        yield Shape(bounds.required, grid, "the required work-group size", True)
        return
    found: dict[Shape, None] = {}
    for launch in facts[launches]:
        if facts.function.forced and launch.node.kernel is not facts.function:
            continue  # a launch of another instance says nothing of one that was made up
        block = launch.constant_block()
        if block is None or min(block) < 1 or block[0] * block[1] * block[2] > 1024:
            return  # one launch is not understood: what it does is not known
        if launch.grid is not None:
            x, y, z = (term.value for term in launch.grid)
            grid = (x, y, z)
        found[Shape(block, grid, "a launch in sight", True)] = None
    yield from found


def _block(axes: tuple[int, ...], sizes: dict[int, int]) -> Block:
    """The block with ``sizes`` along ``axes`` (1 where none is given)."""
    x, y, z = (sizes.get(axis, 1) if axis in axes else 1 for axis in range(3))
    return x, y, z


def _guessed(
    facts: Facts, of: Trace, mentioned: set[Symbol], threads: tuple[bool, ...], sized: frozenset[int]
) -> Iterator[Shape]:
    """The shapes that the kernel's own numbers speak for.  ``sized``: axes along which the size of the block stands in
    tests against a size alone, and says no more of it."""
    axes = tuple(axis for axis in range(3) if threads[axis])
    if not axes:
        if any(access.root.space is Space.SHARED and access.writes for access in of.accesses):
            yield Shape(DEFAULTS[1], reason="a usual block")  # memory shared by one thread would be no use
        else:
            yield Shape(DEFAULTS[0], reason="no thread index is used")
        return
    local = _local(of)
    axes = tuple(axis for axis in axes if axis in local) or axes[:1]
    axes = tuple(axis for axis in axes if not _left_out(of, axis)) or axes
    limit = facts.function.bounds.max_threads or 1024
    fixed: dict[int, int] = {}
    parts = _parts(of)
    for axis in axes:
        if BLOCK_DIM[axis] not in mentioned or axis in sized:
            counts = _coefficients(of, axis)
            if counts:
                fixed[axis] = min(max(sorted(set(counts)), key=counts.count), parts.get(axis, 1024))
    chosen = _chosen(of, axes, fixed, limit)
    yield chosen
    if chosen.threads > 32 and _one_warp(of):
        yield Shape((32, 1, 1), reason="one warp")


FEW = 2
"""Writes that forget an axis by mistake; where more do, and most, the block has one thread along it."""


def _left_out(of: Trace, axis: int) -> bool:
    """Whether most places in shared memory where threads of a block write, each its own, leave out an axis: threads
    along it would undo each other's work."""
    places: dict[tuple[str, int], bool] = {}
    for access in of.accesses:
        if access.root.space is not Space.SHARED or access.kind is not AccessKind.WRITE:
            continue
        told = {s for term in (access.offset, *(g.term for g in access.guards)) for s in symbols(term)}
        if not any(s.kind is SymbolKind.THREAD for s in symbols(access.offset)):
            continue
        key = access.span.file, access.span.start
        places[key] = places.get(key, False) or THREAD[axis] in told
    without = sum(not named for named in places.values())
    return without > FEW and 2 * without > len(places)


def _local(of: Trace) -> set[int]:
    """Axes whose thread index stands by itself somewhere, not only in an index of the whole grid."""
    out: set[int] = set()
    done: set[Term] = set(_LINEAR)
    todo = list(_terms(of))
    while todo:
        term = todo.pop()
        if term in done:
            if term in _LINEAR:
                out.add(0)
            continue
        done.add(term)
        if term.op in ("const", "sym", "add", "sub", "mul", "neg", "cast", "shl"):
            form = polynomial(term).coefficients
            for mono, value in form.items():
                for atom in mono:
                    if atom.op != "sym":
                        todo.extend(atom.terms)
                        continue
                    symbol = atom.args[0]
                    if symbol.kind is SymbolKind.THREAD and not _in_global(mono, value, symbol, form):
                        out.add(symbol.axis)
        else:
            todo.extend(term.terms)
    return out


def _in_global(mono: Monomial, value: int, thread: Symbol, form: Mapping[Monomial, int]) -> bool:
    """Whether a monomial with a thread index has beside it the same one with block index times block size."""
    rest = list(mono)
    rest.remove(thread.term)
    key = sorted(repr(atom) for atom in (*rest, BLOCK[thread.axis].term, BLOCK_DIM[thread.axis].term))
    return any(other == value and sorted(repr(atom) for atom in m) == key for m, other in form.items())


def _chosen(of: Trace, axes: tuple[int, ...], fixed: dict[int, int], limit: int) -> Shape:
    held = _held(of)
    if len(fixed) == len(axes):
        block = _block(axes, fixed)
        if 1 < block[0] * block[1] * block[2] <= limit and all(_in_bounds(access, block, {}) for access in held):
            return Shape(_alive(of, held, axes, block), reason=STRIDES)
    fits = _fits(of, axes, fixed) or _fits(of, axes, {})
    usual = DEFAULTS[len(axes)]
    default = _block(axes, dict(zip(axes, usual, strict=False)) | fixed)
    if fits is None:
        return Shape(_shrunk(default, limit), reason=STRIDES if fixed else "a usual block")
    block, said = fits
    if not said and not fixed:
        return Shape(_shrunk(default, limit), reason="a usual block")
    return Shape(_shrunk(block, limit), reason="the extents of its arrays")


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


shapes = KernelAnalysis("shapes", _compute, needs=(trace, launches, assumed, admitted))
"""The :class:`Shapes` of a kernel variant."""
