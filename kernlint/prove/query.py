"""What the prover is asked and what it answers.

A question is about *every* launch that the hints and premises allow.  ``Proved`` means: in none of them does the
fault happen, provided its ``assumptions``.  ``Refuted`` carries one launch and the threads for which the machine
arithmetic of the terms gives the fault (it was computed, not replayed).  ``Unknown`` is everything else.

Who shares a symbol with whom
-----------------------------
Private to each thread of a pair: ``THREAD``; ``BLOCK`` unless both threads are of one block; a ``COUNTER`` that
is not tied; every symbol that varies over the set of threads in question (``Symbol.uniformity``); whatever the
asker lists in ``private``.  A uniform ``PHI`` is shared only where its loop's counters are tied without a shift,
or where neither access stands in that loop: two iterations see different values.  All else is shared.
"""

from __future__ import annotations

from typing import Literal

from kernlint.prove.admission import FREE_LAUNCH, Admission
from kernlint.record import dataclass, field
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, Symbol, SymbolKind, Term, Uniformity

Triple = tuple[int, int, int]
Axes = tuple[int | None, int | None, int | None]

Scope = Literal["block", "grid", "blocks"]
"""``block``: two threads of one block; ``grid``: any two threads; ``blocks``: threads of two different blocks."""

FREE: Axes = (None, None, None)


@dataclass(frozen=True, slots=True)
class LoopRange:
    """A loop around an access.

    ``counter``: its iteration number, from 0.  ``condition``: the truth-valued term under which iteration
    ``counter`` runs, provided the earlier ones ran; None when it is not known.  ``most``: an upper bound on the
    number of iterations, None when there is none.
    """

    counter: Symbol
    condition: Term | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """One access by one thread.

    ``offset`` and ``size`` are in bytes from the start of the array; ``guards`` are the truth-valued terms that
    hold for a thread that makes the access (in the order in which they are decided); ``counters`` are the loops
    around it, outermost first.
    """

    offset: Term
    size: int
    guards: tuple[Term, ...] = ()
    counters: tuple[LoopRange, ...] = ()
    _facts: tuple[Term, ...] | None = field(init=False, repr=False, compare=False)
    _symbols: tuple[Symbol, ...] | None = field(init=False, repr=False, compare=False)
    _hash: int | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("_facts", "_symbols", "_hash"):  # worked out when first asked for
            object.__setattr__(self, name, None)

    @property
    def facts(self) -> tuple[Term, ...]:
        """The guards and the conditions of the loops around the access."""
        found = self._facts
        if found is None:
            ends = tuple([loop.condition for loop in self.counters if loop.condition is not None])
            found = (*self.guards, *ends) if ends else self.guards
            object.__setattr__(self, "_facts", found)
        return found

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """Every symbol of the offset, guards and loops, each once, in order of appearance."""
        found = self._symbols
        if found is None:
            named = dict.fromkeys(self.offset.symbols)
            for fact in self.facts:
                named.update(dict.fromkeys(fact.symbols))
            named.update((loop.counter, None) for loop in self.counters)
            found = tuple(named)
            object.__setattr__(self, "_symbols", found)
        return found

    def __hash__(self) -> int:
        found = self._hash
        if found is None:
            found = hash((self.offset, self.size, self.guards, self.counters))
            object.__setattr__(self, "_hash", found)
        return found


@dataclass(frozen=True, slots=True)
class Launch:
    """What is known of the launch: ``block`` in threads and ``grid`` in blocks per axis (None: free), the most
    threads a block may have, and exact values of other shared symbols.  ``admission``: the launches in sight, of which
    a witness has to be one."""

    block: Axes = FREE
    grid: Axes = FREE
    max_threads: int = 1024
    values: tuple[tuple[Symbol, int], ...] = ()
    admission: Admission = FREE_LAUNCH

    @staticmethod
    def of(
        admission: Admission,
        block: Axes,
        grid: Axes = FREE,
        max_threads: int = 1024,
        values: tuple[tuple[Symbol, int], ...] = (),
    ) -> Launch:
        """A launch as those that ``admission`` knows: scalar arguments that are numbers there, or the size of the
        block, are so here, whatever ``values`` say."""
        if not admission.ways:
            return Launch(block, grid, max_threads, values)
        within = admission.under(block, grid)
        known = {**dict(values), **dict(within.numbers), **dict(within.sized(block))}
        return Launch(block, grid, max_threads, tuple(known.items()), within)

    def told(self, wanted: tuple[tuple[Symbol, int], ...]) -> Launch:
        """This launch with values for more scalars: those ``wanted``, or near them as a launch in sight has them."""
        if self.admission.ways:
            wanted = self.admission.near(self.block, self.grid, self.values, wanted)
        return Launch(self.block, self.grid, self.max_threads, (*self.values, *wanted), self.admission)

    def known(self) -> dict[Symbol, int]:
        """Symbols with an exact value."""
        out = dict(self.values)
        for dims, symbols_ in ((self.block, BLOCK_DIM), (self.grid, GRID_DIM)):
            for dim, symbol in zip(dims, symbols_, strict=True):
                if dim is not None:
                    out[symbol] = dim
        for dim, symbol in zip(self.grid, BLOCK, strict=True):
            if dim == 1:
                out[symbol] = 0
        return out


@dataclass(frozen=True, slots=True)
class Overlap:
    """Can two *different* threads of the ``within`` set touch a common byte, one as ``a``, the other as ``b``?

    ``tied``: (a's counter, b's counter, shift) of loops for which both threads are in related iterations:
    a's counter = b's counter + shift.  ``premises`` hold over shared symbols.  The warp options narrow the pairs
    to those of two different warps, or of one.
    """

    a: Side
    b: Side
    within: Scope = "block"
    tied: tuple[tuple[Symbol, Symbol, int], ...] = ()
    exclude_same_warp: bool = False
    require_same_warp: bool = False
    premises: tuple[Term, ...] = ()
    private: frozenset[Symbol] = frozenset()
    launch: Launch = field(default_factory=Launch)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Can the access leave ``[0, extent)``?  ``extent`` is in bytes, over shared symbols."""

    access: Side
    extent: Term
    premises: tuple[Term, ...] = ()
    private: frozenset[Symbol] = frozenset()
    launch: Launch = field(default_factory=Launch)


Query = Overlap | Bounds


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits in counts, so that verdicts are the same on every machine.

    ``steps``: tries of the algebra to show one sign; ``points``: addresses evaluated by enumeration; ``rlimit``:
    z3's resource units, 0: do not ask it.
    """

    steps: int = 600
    points: int = 20_000
    rlimit: int = 400_000


@dataclass(frozen=True, slots=True)
class Proved:
    """The fault is impossible; ``assumptions`` in words; ``by``: filter, algebra, exhaustion or smt."""

    assumptions: tuple[str, ...] = ()
    by: str = "algebra"


@dataclass(frozen=True, slots=True)
class Actor:
    """One thread of a witness: where it is, in which iterations of the loops around its access, the values of
    symbols that are private to it beyond those, and the byte ``offset`` that it touches."""

    block: Triple
    thread: Triple
    offset: int
    counters: tuple[tuple[Symbol, int], ...] = ()
    data: tuple[tuple[Symbol, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Refuted:
    """A launch and threads for which the fault happens.

    ``values``: the shared symbols other than launch dimensions; ``second`` is None for a bounds fault, whose
    ``extent`` is in bytes.  ``depends_on_data``: some guard or the address rests on a value that the kernel's
    scalar arguments do not settle (memory that varies, something not modelled, an iteration whose condition is
    not known); ``data_in_address``: the address itself does.
    """

    block: Triple
    grid: Triple
    values: tuple[tuple[Symbol, int], ...]
    first: Actor
    second: Actor | None = None
    depends_on_data: bool = False
    data_in_address: bool = False
    same_warp: bool = False
    extent: int | None = None
    by: str = "enumeration"


@dataclass(frozen=True, slots=True)
class Unknown:
    """No verdict; ``reason`` in words."""

    reason: str


Answer = Proved | Refuted | Unknown

SETTLED = frozenset(
    {
        SymbolKind.PARAM,
        SymbolKind.TEMPLATE,
        SymbolKind.SIZEOF,
        SymbolKind.LOAD,
        SymbolKind.OFFSET,
        SymbolKind.WARP_SIZE,
        SymbolKind.BLOCK,
        SymbolKind.BLOCK_DIM,
        SymbolKind.GRID_DIM,
    }
)
"""Kinds of shared symbols whose value the launch and its arguments choose freely."""

PLACED = frozenset(
    {
        SymbolKind.THREAD,
        SymbolKind.BLOCK,
        SymbolKind.BLOCK_DIM,
        SymbolKind.GRID_DIM,
        SymbolKind.PARAM,
        SymbolKind.TEMPLATE,
        SymbolKind.COUNTER,
    }
)
"""Kinds of symbols that a launch, its arguments and the iteration give a number, whatever memory holds."""


def is_shared(symbol: Symbol, query: Query) -> bool:
    """Whether both threads of the query see the same value of ``symbol`` (see the module's account)."""
    kind = symbol.kind
    if symbol in query.private or kind is SymbolKind.THREAD or kind is SymbolKind.COUNTER:
        return False
    if isinstance(query, Bounds):
        return symbol.uniformity <= Uniformity.BLOCK and kind is not SymbolKind.BLOCK
    if kind is SymbolKind.BLOCK:
        return query.within == "block"
    if symbol.uniformity > (Uniformity.BLOCK if query.within == "block" else Uniformity.GRID):
        return False
    if kind is SymbolKind.PHI:
        for ours, theirs, shift in query.tied:
            if shift == 0 and symbol.origin is not None and ours.origin is symbol.origin is theirs.origin:
                return True
        loops = (*query.a.counters, *query.b.counters)
        return not any(symbol.origin is None or loop.counter.origin is symbol.origin for loop in loops)
    return True
