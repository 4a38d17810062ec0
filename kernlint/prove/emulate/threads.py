"""Threads of an emulated block, and what they say when they stop to wait for each other."""

from __future__ import annotations

from collections.abc import Generator
from enum import Enum
from typing import TYPE_CHECKING, Any

from kernlint.prove.emulate.formats import Value
from kernlint.prove.emulate.report import Index
from kernlint.record import dataclass
from kernlint.tree.types import Space

if TYPE_CHECKING:
    from kernlint.prove.emulate.machine import Machine
    from kernlint.prove.emulate.shadow import TrackedMemory


class MeetingKind(Enum):
    """Who has to come to a meeting."""

    BLOCK = "block"  # all threads of the block
    GRID = "grid"  # all threads of all blocks
    WARP = "warp"  # lanes of a warp: barrier, shuffle, vote
    NAMED = "named"  # a number of threads at a named barrier
    ARRIVE = "arrive"  # first half of a split or named barrier: nobody waits
    WAIT = "wait"  # second half
    COPY = "copy"  # a collective asynchronous copy
    AWAIT = "await"  # a collective wait for copies


@dataclass(frozen=True, slots=True, eq=False)
class Meeting:
    """A place in the code where threads meet; a thread that yields it brings no value along.

    ``op``: what is exchanged (``sync``, ``shuffle_down``, ``ballot``, ``or``...).  ``fences``: spaces that it orders.
    ``convergent``: no mask is given and the threads there together are who is meant.  ``extent``: lanes of a tile.
    """

    kind: MeetingKind
    site: int
    name: str
    op: str = "sync"
    fences: frozenset[Space] = frozenset()
    convergent: bool = False
    extent: int | None = None

    @property
    def meeting(self) -> Meeting:
        return self


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """A thread at a meeting with values: ``mask`` of lanes, ``operands`` to exchange, shuffle ``width``, a named
    barrier's ``ident`` and thread ``count``."""

    meeting: Meeting
    operands: tuple[Value, ...] = ()
    mask: int | None = None
    width: int | None = None
    ident: object = None
    count: int | None = None


class ThreadEnd(Exception):
    """The thread ends abnormally: a trap, a failed assertion, an assumption that does not hold."""


class Epoch:
    """A thread between two of its meetings: what all its accesses there have in common."""

    __slots__ = ("phase", "thread", "tick")
    flight = False

    def __init__(self, thread: Thread, tick: int, phase: int) -> None:
        self.thread = thread
        self.tick = tick
        self.phase = phase


class FlightEpoch(Epoch):
    """An asynchronous copy that a thread issued, between its issue and the wait for it: ordered with nothing else."""

    __slots__ = ()
    flight = True


@dataclass(slots=True, eq=False)
class Flight:
    """An asynchronous copy that was issued and not yet awaited; ``group`` None: not committed yet."""

    mechanism: str
    destination: Value
    source: Value
    size: int
    fmt: str
    site: int
    group: int | None = None
    event: int | None = None


class Thread:
    """One thread: its place, and its generator while it runs."""

    __slots__ = (
        "block", "dead", "epoch", "flights", "generator", "groups", "halves", "index", "k", "lane", "lin",
        "reply", "request", "tx", "ty", "tz", "warp",
    )  # fmt: skip

    def __init__(self, machine: Machine, block: BlockRun, index: Index, lin: int) -> None:
        self.k = machine
        self.block = block
        self.index = index
        self.tx, self.ty, self.tz = index
        self.lin = lin
        self.warp, self.lane = divmod(lin, machine.warp_size)
        self.generator: Generator[Meeting | Request, Any, None] | None = None
        self.request: Meeting | Request | None = None
        self.reply: Value = None
        self.dead = False  # ended abnormally
        self.flights: list[Flight] = []
        self.groups = 0  # groups of copies committed
        self.halves: dict[object, int] = {}  # split barriers: arrivals of this thread
        self.epoch = Epoch(self, machine.tick, 0)


class BlockRun:
    """One block: its threads, its shared memory and how far it has come."""

    __slots__ = (
        "acquired", "arrivals", "bx", "by", "bz", "events", "fenced", "flights", "index", "k", "linear", "live",
        "phase", "runnable", "shared", "syncs", "threads",
    )  # fmt: skip

    def __init__(self, machine: Machine, index: Index) -> None:
        self.k = machine
        self.index = index
        self.bx, self.by, self.bz = index
        gx, gy, _ = machine.launch.grid
        self.linear = (self.bz * gy + self.by) * gx + self.bx
        self.phase = 0
        self.fenced: int | None = None
        self.acquired: list[tuple[BlockRun, int, int]] = []
        self.syncs: list[tuple[int, int]] = []
        self.arrivals: dict[object, int] = {}
        self.flights: list[Flight] = []
        self.events = 0
        self.shared: list[TrackedMemory] = []
        dx, dy, dz = machine.launch.block
        self.threads = [
            Thread(machine, self, (x, y, z), (z * dy + y) * dx + x)
            for z in range(dz)
            for y in range(dy)
            for x in range(dx)
        ]
        self.live = list(self.threads)
        self.runnable = list(self.threads)

    def sees(self, access: Epoch, tick: int) -> bool:
        """Whether what this block does at ``tick`` comes after another block's ``access`` by way of a flag."""
        return any(
            block is access.thread.block and access.tick <= published and tick >= got
            for block, published, got in self.acquired
        )
