"""What may be taken for granted of a kernel's launches, from the launches in sight, its attributes and the user.

:data:`launch_context` gives for one kernel variant

* ``blocks``: block sizes worth trying, each with where it comes from (the user, a required size, a launch, launch
  bounds; none of these: sizes that kernels are usually written for),
* ``max_threads``: the most threads a block may have,
* ``launches``: for each launch in sight its block as numbers, how its grid covers the work on each axis, and
  ``premises``: truths that tie the kernel's parameters, ``BLOCK_DIM`` and ``GRID_DIM`` to the host's values.

Host values are terms over the host's own symbols: shared by all threads, otherwise free.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.analysis.assumptions import assumed
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import AxisCover, Cover, conjuncts, cover
from kernlint.analysis.launches import LaunchFact, launches
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Trace
from kernlint.analysis.trace.values import PointerValue, StructValue, Value
from kernlint.record import dataclass
from kernlint.symbolic.terms import BLOCK_DIM, GRID_DIM, Symbol, SymbolKind, Term, binary, cast, const
from kernlint.tree.types import BOOL, I64, IntType

Block = tuple[int, int, int]

USUAL: tuple[Block, ...] = ((256, 1, 1), (128, 1, 1), (64, 1, 1), (512, 1, 1), (1024, 1, 1))
"""Blocks that kernels are usually written for, when nothing is known and only x is used."""

USUAL_2D: tuple[Block, ...] = ((16, 16, 1), (32, 8, 1), (32, 32, 1), (8, 8, 1))
USUAL_3D: tuple[Block, ...] = ((8, 8, 8), (8, 8, 4), (16, 4, 4))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A block worth trying.  ``source``: ``user``, ``required``, ``launch``, ``bounds`` (the most threads that launch
    bounds allow, along x) or ``usual`` (a guess)."""

    block: Block
    source: str

    @property
    def known(self) -> bool:
        """Whether it is more than a guess."""
        return self.source in ("user", "required", "launch")


@dataclass(frozen=True, slots=True, eq=False)
class LaunchView:
    """One launch in sight, seen from the kernel.

    ``block``: its sizes where they are constants (None: not).  ``covers``: how the grid relates to the work, for
    each axis.  ``checks``: truths the host established before.  ``premises``: the kernel's symbols in host terms.
    """

    fact: LaunchFact
    block: tuple[int | None, int | None, int | None]
    covers: tuple[AxisCover, AxisCover, AxisCover]
    checks: tuple[Term, ...]
    premises: tuple[Term, ...]
    images: tuple[tuple[Symbol, Term], ...]

    @property
    def exact(self) -> bool:
        """Whether the launch provably has no thread more than there is work for, on any axis."""
        return all(c.kind in (Cover.EXACT, Cover.CONSTANT) for c in self.covers) and any(
            c.kind is Cover.EXACT for c in self.covers
        )


@dataclass(frozen=True, slots=True, eq=False)
class LaunchContext:
    """See the module's account.  ``grid``: given by the user.  ``stated``: truths that the user vouches for."""

    blocks: tuple[Candidate, ...]
    max_threads: int
    launches: tuple[LaunchView, ...]
    grid: Block | None = None
    stated: tuple[Term, ...] = ()

    @property
    def all_exact(self) -> bool:
        """Whether there are launches in sight and every one of them is exact."""
        return bool(self.launches) and all(view.exact for view in self.launches)

    @property
    def known_blocks(self) -> tuple[Block, ...]:
        """Blocks that are more than guesses."""
        return tuple(candidate.block for candidate in self.blocks if candidate.known)

    @property
    def premises(self) -> tuple[Term, ...]:
        """What holds in every launch: the premises of the only launch in sight, or of a required block size."""
        if len(self.launches) == 1:
            return (*self.launches[0].premises, *self.stated)
        required = [c.block for c in self.blocks if c.source in ("required", "user")]
        if not required:
            return self.stated
        return self.stated + tuple(_equal(BLOCK_DIM[axis], const(required[0][axis], I64)) for axis in range(3))


def parameters(kernel: Trace) -> dict[str, Symbol]:
    """The scalar parameters (and scalar fields of them, ``p.field``) that occur in a kernel's trace, by name."""
    return _parameters(symbols_of(kernel))


def _parameters(found: Iterable[Symbol]) -> dict[str, Symbol]:
    return {symbol.name: symbol for symbol in found if symbol.kind is SymbolKind.PARAM}


def symbols_of(kernel: Trace) -> Iterator[Symbol]:
    """Every symbol in offsets, values, guards and conditions of a trace, each once."""
    seen: set[int] = set()
    stack: list[Term] = []
    for access in kernel.accesses:
        stack.append(access.offset)
        if access.value is not None:
            stack.append(access.value)
        stack.extend(guard.term for guard in access.guards)
    stack.extend(test.term for test in kernel.conditions)
    stack.extend(loop.condition for loop in kernel.loops if loop.condition is not None)
    while stack:
        term = stack.pop()
        if id(term) in seen:
            continue
        seen.add(id(term))
        if term.op == "sym":
            if id(term.args[0]) not in seen:
                seen.add(id(term.args[0]))
                yield term.args[0]
        elif term.op != "const":
            stack.extend(term.terms)


def _equal(symbol: Symbol, value: Term) -> Term:
    kind = symbol.type if isinstance(symbol.type, IntType) else I64
    return binary("eq", symbol.term, cast(value, kind), BOOL)


def _bindings(name: str, value: Value) -> Iterator[tuple[str, Term]]:
    """Scalar parts of an argument, by the name of the kernel's symbol."""
    if isinstance(value, StructValue):
        for field, inner in value.fields:
            yield from _bindings(f"{name}.{field}", inner)
    elif isinstance(value, Term) and not isinstance(value, PointerValue):
        yield name, value


def view_of(fact: LaunchFact, known: dict[str, Symbol]) -> LaunchView:
    """The launch ``fact`` as seen from a kernel whose scalar parameters are ``known``."""
    checks = tuple(part for guard in fact.guards for part in conjuncts(guard.term))
    images: list[tuple[Symbol, Term]] = []
    block: tuple[int | None, int | None, int | None] = (None, None, None)
    covers: tuple[AxisCover, ...] = (AxisCover(Cover.UNKNOWN),) * 3
    if fact.block is not None:
        block = (fact.block[0].value, fact.block[1].value, fact.block[2].value)
        images.extend(zip(BLOCK_DIM, fact.block, strict=True))
    if fact.grid is not None:
        covers = tuple(cover(term, checks) for term in fact.grid)
        images.extend(zip(GRID_DIM, fact.grid, strict=True))
    for name, value in fact.arguments:
        for path, term in _bindings(name, value):
            symbol = known.get(path)
            if symbol is not None and isinstance(symbol.type, IntType) and isinstance(term.type, IntType):
                images.append((symbol, term))
    premises = (*(_equal(symbol, term) for symbol, term in images), *checks)
    return LaunchView(fact, block, (covers[0], covers[1], covers[2]), checks, premises, tuple(images))


def _compute(facts: Facts) -> LaunchContext:
    used = list(symbols_of(facts[trace]))
    known = _parameters(used)
    views = tuple(view_of(fact, known) for fact in facts[launches])
    bounds = facts.function.bounds
    found: list[Candidate] = []

    def add(block: Block, source: str) -> None:
        if all(candidate.block != block for candidate in found):
            found.append(Candidate(block, source))

    said = facts[assumed]
    given = said.block or facts.options.block
    if given is not None:
        add(given, "user")
    if bounds.required is not None:
        add(bounds.required, "required")
    if not found:
        for view in views:
            x, y, z = view.block
            if x is not None and y is not None and z is not None:
                add((x, y, z), "launch")
    if not found and bounds.max_threads is not None:
        add((bounds.max_threads, 1, 1), "bounds")
    if not found:
        axes = {s.axis for s in used if s.kind is SymbolKind.THREAD}
        for usual in USUAL_3D if 2 in axes else USUAL_2D if 1 in axes else USUAL:
            add(usual, "usual")
    most = 1024
    if bounds.required is not None:
        most = bounds.required[0] * bounds.required[1] * bounds.required[2]
    elif given is not None:
        most = given[0] * given[1] * given[2]
    elif bounds.max_threads is not None:
        most = bounds.max_threads
    return LaunchContext(tuple(found), most, views, said.grid or facts.options.grid, said.premises)


launch_context = KernelAnalysis("launch_context", _compute, needs=(trace, launches, assumed))
"""The :class:`LaunchContext` of a kernel variant."""
