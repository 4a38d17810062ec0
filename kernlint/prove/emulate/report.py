"""What goes into a run of the block emulator and what comes out of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum

from kernlint.record import dataclass, field, replace
from kernlint.source import Span
from kernlint.tree.nodes import VarDecl
from kernlint.tree.types import Space

Index = tuple[int, int, int]
"""An (x, y, z) index of a thread in its block or of a block in its grid."""

Filler = Callable[[int], "int | float"]
"""Contents of memory that was there before the launch: a function of the scalar cell's index."""


@dataclass(frozen=True, slots=True)
class LaunchSpec:
    """A concrete launch.

    ``block`` in threads and ``grid`` in blocks, each (x, y, z).  ``blocks_to_run``: which blocks are run (None: all,
    up to :attr:`Budget.blocks`, first and last ones kept).  ``dynamic_shared``: bytes behind every
    ``extern __shared__`` array; None: not known, so that no access to it is out of bounds.
    ``global_offset``: OpenCL's offset of global ids, in threads.
    """

    block: Index
    grid: Index = (1, 1, 1)
    blocks_to_run: tuple[Index, ...] | None = None
    dynamic_shared: int | None = None
    global_offset: Index = (0, 0, 0)


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """Memory behind a pointer argument; compared by identity, so one buffer passed twice is aliased memory.

    ``extent`` in bytes, None when it is not known: then only negative offsets are out of bounds.  ``fill`` gives
    the contents before the launch per scalar cell (None: small pseudo-random numbers from the run's seed, the same
    in every run with that seed).  A buffer for an OpenCL ``local`` pointer is made anew, and uninitialised, in
    each block.  ``initialised`` false: reading a cell nobody wrote is a fault.
    """

    extent: int | None = None
    fill: Filler | None = None
    initialised: bool = True


Item = int | float | Buffer | Sequence[int | float]
"""What a field of a struct can be given: a number, the memory behind a pointer, or the elements of an array."""

Argument = int | float | Buffer | Mapping[str, Item]
"""A scalar, a buffer for a pointer, or field values of a struct (missing fields are 0)."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a run, all in counts so that a verdict does not depend on the machine's speed.

    ``steps``: statements, memory accesses and calls of all threads together, about (a million take less than a
    second).  ``faults``: different faults kept.  ``blocks``: blocks run when a launch does not say which.
    ``threads``: threads of one block.
    """

    steps: int = 1_000_000
    faults: int = 64
    blocks: int = 4
    threads: int = 1024


class FaultKind(Enum):
    """What went wrong."""

    RACE = "race"
    UNINITIALISED = "uninitialised"
    OUT_OF_BOUNDS = "out_of_bounds"
    MISALIGNED = "misaligned"
    BARRIER_DIVERGENCE = "barrier_divergence"
    WARP_MASK = "warp_mask"
    WARP_SOURCE = "warp_source"  # a shuffle reads a lane that takes no part
    TRAP = "trap"
    ASSERTION = "assertion"
    DIVISION_BY_ZERO = "division_by_zero"
    OVERFLOW = "overflow"  # of a signed integer operation
    SHIFT = "shift"  # by a negative count or by the operand's width or more
    NULL = "null"


@dataclass(frozen=True, slots=True)
class Participant:
    """One thread's part in a fault.

    ``action``: ``read``, ``write``, ``atomic``, ``copy`` (an asynchronous copy), ``wait`` (at a barrier), ``exit``,
    ``evaluate``.  ``phase``: block barriers that the thread's block had passed.  ``value``: what is read or written.
    """

    block: Index
    thread: Index
    action: str
    span: Span | None
    phase: int
    value: int | float | None = None
    volatile: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault, with the first threads that showed it.

    ``name``/``decl``: the memory object's name and declaration; ``offset`` in bytes from its start, ``element`` the
    same in scalar elements (rows flattened).  ``first`` came earlier in the emulation than ``second``; a fault of one
    thread has no ``second``.  ``benign``: a race of two writes of the same value.  ``exited``: threads that left the
    kernel are what is missing at the barrier or warp operation.  ``inner``: only an inner dimension's extent is
    exceeded, the whole array is not.  ``unfenced``: a barrier lies between the accesses, but its fence leaves the
    space out.  ``count``: how often it was seen.  ``data_independent``: seen with every contents of memory tried (see
    :func:`kernlint.prove.emulate.replay`); None when only one was tried.
    """

    kind: FaultKind
    first: Participant
    second: Participant | None = None
    space: Space | None = None
    name: str = ""
    decl: VarDecl | None = None
    offset: int | None = None
    element: int | None = None
    same_warp: bool = False
    same_block: bool = True
    benign: bool = False
    exited: bool = False
    inner: bool = False
    unfenced: bool = False
    detail: str = ""
    count: int = 1
    data_independent: bool | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two faults of different runs the same one: kind, object and places."""
        second = self.second
        return (
            self.kind,
            self.name,
            self.space,
            self.first.span,
            self.first.action,
            None if second is None else (second.span, second.action),
            self.same_warp,
            self.same_block,
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run showed.

    ``phases``: the most block barriers that a block passed, plus one.  ``finished``: every thread of every block that
    was to run came to its end; otherwise ``unsupported`` or ``exhausted`` says why not.  ``approximations``: things
    emulated only roughly (a mathematical function not known exactly, for instance).  ``blocks``: blocks that ran.
    ``latest``: steps that it had taken when it came by the last fault that was new.
    """

    faults: tuple[Fault, ...] = ()
    phases: int = 0
    finished: bool = False
    unsupported: str | None = None
    exhausted: bool = False
    steps: int = 0
    blocks: tuple[Index, ...] = ()
    approximations: tuple[str, ...] = ()
    latest: int = 0

    def of(self, *kinds: FaultKind) -> tuple[Fault, ...]:
        """The faults of the given kinds."""
        return tuple(fault for fault in self.faults if fault.kind in kinds)

    @property
    def clean(self) -> bool:
        """It ran to the end and nothing went wrong."""
        return self.finished and not self.faults


@dataclass(slots=True)
class FaultLog:
    """Collects faults of one run: one of each kind, pair of places and closeness of threads.  ``left``: the steps that
    the run had left when it came by the last one that was new."""

    limit: int
    left: int | None = None
    faults: dict[tuple[object, ...], Fault] = field(default_factory=dict)
    counts: dict[tuple[object, ...], int] = field(default_factory=dict)

    def seen(self, key: tuple[object, ...], left: int) -> bool:
        """Count one more fault of ``key``, with so many steps ``left``; True when it is known already or no more are
        kept."""
        known = self.counts.get(key)
        if known is not None:
            self.counts[key] = known + 1
            return True
        if len(self.counts) >= self.limit:
            return True
        self.counts[key] = 1
        self.left = left
        return False

    def add(self, key: tuple[object, ...], fault: Fault) -> None:
        """Keep ``fault`` for ``key``, which :meth:`seen` has let pass."""
        self.faults[key] = fault

    def result(self) -> tuple[Fault, ...]:
        """All faults with their counts, in the order of discovery."""
        return tuple(replace(fault, count=self.counts[key]) for key, fault in self.faults.items())
