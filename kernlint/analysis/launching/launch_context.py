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

from collections.abc import Iterable, Set

from kernlint.analysis.assumptions import assumed
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import AxisCover, Cover, conjuncts, cover, cover_of_threads
from kernlint.analysis.launching.admitted import admitted, computed_blocks, parameters_among, symbols_of, way_of
from kernlint.analysis.launching.launches import LaunchFact, launches
from kernlint.analysis.scenarios.tables import usual
from kernlint.analysis.trace import trace
from kernlint.prove.admission import FREE_LAUNCH, Admission, equal
from kernlint.record import dataclass, replace
from kernlint.symbolic.terms import (
    BLOCK_DIM,
    GRID_DIM,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    const,
    plain,
    replaced,
    substitute,
    subterms,
    symbols,
)
from kernlint.tree.types import I64

Block = tuple[int, int, int]

LENGTHS = frozenset({"size", "numel"})
"""Methods of containers and tensors that give a length."""


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

    @property
    def tells(self) -> bool:
        """Whether anything in sight says what the number of blocks comes from: it is more than what the caller passes,
        or a function that nobody sees answers, and has to do with an argument otherwise."""
        passed = {s for _, value in self.fact.arguments if isinstance(value, Term) for s in symbols(value)}
        sizes = [plain(size) for size in self.fact.grid or () if size.value is None]
        return not sizes or not all(_anything(size, passed) for size in sizes)


@dataclass(frozen=True, slots=True, eq=False)
class LaunchContext:
    """See the module's account.  ``grid``: given by the user.  ``stated``: truths that the user vouches for.
    ``admission``: the launches in sight, of which witnesses have to be."""

    blocks: tuple[Candidate, ...]
    max_threads: int
    launches: tuple[LaunchView, ...]
    grid: Block | None = None
    stated: tuple[Term, ...] = ()
    admission: Admission = FREE_LAUNCH

    @property
    def all_exact(self) -> bool:
        """Whether there are launches in sight and every one of them is exact."""
        return bool(self.launches) and all(view.exact for view in self.launches)

    @property
    def telling(self) -> tuple[LaunchView, ...]:
        """The launches in sight of which something says what their grids come from."""
        return tuple(view for view in self.launches if view.tells)

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
        return self.stated + tuple(equal(BLOCK_DIM[axis], const(required[0][axis], I64)) for axis in range(3))


def _anything(size: Term, passed: Set[Symbol]) -> bool:
    """Whether a number of blocks is no argument, and may be any for all that is in sight."""
    if size.op == "call":
        return cover(size).kind is Cover.UNKNOWN and not is_length(size)
    return size.symbol is not None and size.symbol not in passed


def view_of(fact: LaunchFact, known: dict[str, Symbol]) -> LaunchView:
    """The launch ``fact`` as seen from a kernel whose scalar parameters are ``known``."""
    way = way_of(fact, known)
    block: tuple[int | None, int | None, int | None] = (None, None, None)
    covers: tuple[AxisCover, ...] = (AxisCover(Cover.UNKNOWN),) * 3
    if fact.block is not None:
        block = (fact.block[0].value, fact.block[1].value, fact.block[2].value)
    if fact.grid is not None:
        counted = dict(way.images)  # sizes of a template of the host are one number for the grid and the kernel
        covers = tuple(cover(counted[axis], way.checks) for axis in GRID_DIM)
    if fact.threads is not None:
        rounded = (cover_of_threads(size, way.checks) for size in fact.threads)
        covers = tuple(
            found if found is not None and not _made_for(size, fact) else plain
            for size, found, plain in zip(fact.threads, rounded, covers, strict=True)
        )
    images = settled(way.images, way.checks)
    return LaunchView(fact, block, (covers[0], covers[1], covers[2]), way.checks, way.relations, images)


def settled(images: tuple[tuple[Symbol, Term], ...], checks: Iterable[Term]) -> tuple[tuple[Symbol, Term], ...]:
    """``images`` with the numbers that the host has checked its values to be (``if (n != 1080) return;``)."""
    numbers: dict[Symbol, Term] = {}
    for part in (part for check in checks for part in conjuncts(check) if part.op == "eq"):
        for one, other in (part.args, part.args[::-1]):
            symbol = plain(one).symbol
            if symbol is not None and other.value is not None:
                numbers[symbol] = const(other.value, symbol.type)
    return tuple((symbol, substitute(image, numbers)) for symbol, image in images) if numbers else images


def with_lengths(view: LaunchView) -> LaunchView:
    """A launch in which what a tensor says of its lengths is a variable of the host, one for each length."""
    terms = (*view.checks, *(image for _, image in view.images))
    calls = dict.fromkeys(part for term in terms for part in subterms(term) if is_length(part))
    if not calls:
        return view
    named: dict[Term, Term] = {
        call: Symbol(SymbolKind.UNKNOWN, f"{call.args[0]}()", call.type, uniformity=Uniformity.GRID, low=0).term
        for call in calls
    }
    images = tuple((symbol, replaced(image, named)) for symbol, image in view.images)
    return replace(view, images=images, checks=tuple(replaced(check, named) for check in view.checks))


def is_length(term: Term) -> bool:
    """Whether a term is the length of a container or tensor that the host has asked for."""
    return term.op == "call" and str(term.args[0]).partition("@")[0] in LENGTHS


def _made_for(threads: Term, fact: LaunchFact) -> bool:
    """Whether memory or an argument is made for so many threads: then they all have work."""
    values = [value for _, value in fact.arguments if isinstance(value, Term)]
    return any(threads in subterms(value) for value in (*values, *(size for _, size in fact.extents)))


def _compute(facts: Facts) -> LaunchContext:
    used = list(symbols_of(facts[trace]))
    known = parameters_among(used)
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
    axes = {s.axis for s in used if s.kind is SymbolKind.THREAD}
    launched = facts[admitted]
    if not found:
        for block in computed_blocks(launched, (0 in axes, 1 in axes, 2 in axes)):
            add(block, "launch")
    if not found and bounds.max_threads is not None and launched.permits((bounds.max_threads, 1, 1)):
        add((bounds.max_threads, 1, 1), "bounds")
    if not found:
        for block in [block for block in usual(axes) if launched.permits(block)] or usual(axes):
            add(block, "usual")
    most = 1024
    if bounds.required is not None:
        most = bounds.required[0] * bounds.required[1] * bounds.required[2]
    elif given is not None:
        most = given[0] * given[1] * given[2]
    elif bounds.max_threads is not None:
        most = bounds.max_threads
    return LaunchContext(tuple(found), most, views, said.grid or facts.options.grid, said.premises, launched)


launch_context = KernelAnalysis("launch_context", _compute, needs=(trace, launches, assumed, admitted))
"""The :class:`LaunchContext` of a kernel variant."""
