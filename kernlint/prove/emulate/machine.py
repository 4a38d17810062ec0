"""The state of one run: the launch, memory outside of blocks, the budget, and the faults found."""

from __future__ import annotations

from kernlint.prove.emulate.formats import POINTER, Unsupported, Value, from_number, zero
from kernlint.prove.emulate.frame import Program, Site
from kernlint.prove.emulate.memory import Memory, Null
from kernlint.prove.emulate.report import Budget, Fault, FaultKind, FaultLog, Filler, LaunchSpec, Participant
from kernlint.prove.emulate.runtime import OutOfSteps
from kernlint.prove.emulate.shadow import TrackedMemory
from kernlint.prove.emulate.threads import Epoch, Thread
from kernlint.tree.types import Space

_SHIFT = 40
"""Objects get numeric addresses 2^40 bytes apart, so that no offset runs from one into the next."""


class Machine:
    """Everything that generated code, memory and the scheduler share."""

    def __init__(self, program: Program, launch: LaunchSpec, budget: Budget, warp_size: int, seed: int) -> None:
        self.program = program
        self.sites: list[Site] = program.sites
        self.launch = launch
        self.seed = seed
        self.left = budget.steps
        self.log = FaultLog(budget.faults)
        self.tick = 0
        self.warp_size = warp_size
        self.dx, self.dy, self.dz = launch.block
        self.gx, self.gy, self.gz = launch.grid
        self.ox, self.oy, self.oz = launch.global_offset
        self.block_threads = self.dx * self.dy * self.dz
        self.grid_blocks = self.gx * self.gy * self.gz
        self.warps = -(-self.block_threads // warp_size)
        sizes = [self.dx * self.gx, self.dy * self.gy, self.dz * self.gz]
        self.dimensions = max((axis + 1 for axis, size in enumerate(sizes) if size > 1), default=1)
        self.across = False
        self.module: list[Memory] = []
        self.tracked: list[TrackedMemory] = []
        self.constants: dict[str, int] = {}
        self.approximations: set[str] = set()
        self._objects: list[Memory] = []
        self._pointees: dict[tuple[int, int], Memory] = {}
        self.left_over = 0
        """What shared memory holds that nobody has set."""
        self.null: Value = (Null(self), 0)

    # ------------------------------------------------------------------------------------------------ values

    def spend(self, steps: int) -> None:
        """Charge work that is not made of statements."""
        self.left -= steps
        if self.left < 0:
            raise OutOfSteps

    def constant(self, name: str) -> int:
        """The value of a template parameter that the tree leaves open."""
        if name not in self.constants:
            raise Unsupported(f"the value of the template parameter {name}")
        return self.constants[name]

    def linear_global(self, t: Thread) -> int:
        """OpenCL's global linear id."""
        x = t.block.bx * self.dx + t.tx
        y = t.block.by * self.dy + t.ty
        z = t.block.bz * self.dz + t.tz
        return (z * self.gy * self.dy + y) * self.gx * self.dx + x

    def noise(self, at: int) -> int:
        """A small number that looks random and depends on the seed and ``at`` alone."""
        mixed = (at + 1) * 0x9E3779B1 ^ (self.seed + 1) * 0x85EBCA6B
        mixed = (mixed ^ mixed >> 15) * 0xC2B2AE35
        return (mixed >> 13 & 0xFFFF) % 13

    def leftover(self, fmt: str) -> Value:
        """What a cell of shared memory holds that nobody has set."""
        if fmt is POINTER:
            return self.null
        return from_number(self.left_over, fmt) if self.left_over else zero(fmt)

    def filler(self, salt: int) -> Filler:
        """Contents of a buffer that the caller does not give."""
        base = salt * 0x1000193
        return lambda index: self.noise(index + base)

    # --------------------------------------------------------------------------------------------- addresses

    def number(self, pointer: Value) -> int:
        """The numeric address of a pointer."""
        memory, off = pointer
        if memory is self.null[0]:
            return int(off)
        if not memory.base:
            self._objects.append(memory)
            memory.base = len(self._objects)
        return int((memory.base << _SHIFT) + off)

    def pointer(self, number: int) -> Value:
        """The pointer of a numeric address; one that belongs to no object is null with an offset."""
        index = number + (1 << (_SHIFT - 1)) >> _SHIFT  # a small negative offset still belongs to its object
        if 0 < index <= len(self._objects):
            return self._objects[index - 1], number - (index << _SHIFT)
        return self.null[0], number

    def pointee(self, memory: Memory, off: int) -> Value:
        """What a pointer that lies in memory of the caller's points to: an object of unknown extent."""
        key = (id(memory), off)
        found = self._pointees.get(key)
        if found is None:
            name = f"{memory.name}[{off // 8}]"
            found = TrackedMemory(self, name, Space.GLOBAL, None, None, 4, self.filler(len(self._pointees) + 77))
            self._pointees[key] = found
            self.tracked.append(found)
        return found, 0

    # ----------------------------------------------------------------------------------------------- order

    def ordered(self, a: Epoch, b: Epoch) -> bool:
        """Whether accesses in ``a`` come before those in ``b``, both of one block with no full barrier in between."""
        if a.flight:
            return False
        if a.thread is b.thread:
            return True
        if a.thread.block is not b.thread.block:
            return True  # compared elsewhere
        reached = 1 << a.thread.lin
        for tick, group in a.thread.block.syncs:
            if a.tick <= tick < b.tick and group & reached:
                reached |= group
        return bool(reached >> b.thread.lin & 1)

    # ----------------------------------------------------------------------------------------------- faults

    def race(
        self,
        memory: Memory,
        off: int,
        prior: tuple[Epoch, int, str, Value],
        now: tuple[Epoch, int, str, Value],
    ) -> None:
        """Two accesses that nothing orders."""
        self.left -= 3  # telling them costs more than an access does
        a, b = prior[0], now[0]
        same_block = a.thread.block is b.thread.block
        same_warp = same_block and a.thread.warp == b.thread.warp
        benign = prior[2] == now[2] == "write" and not a.flight and prior[3] is not None and _equal(prior[3], now[3])
        key = (FaultKind.RACE, memory.name, memory.space, prior[1:3], now[1:3], same_warp, same_block, benign)
        if self.log.seen(key, self.left):
            return
        self.log.add(
            key,
            Fault(
                FaultKind.RACE,
                self._participant(a, prior[1], "copy" if a.flight else prior[2], prior[3]),
                self._participant(b, now[1], "copy" if b.flight else now[2], now[3]),
                memory.space,
                memory.name,
                memory.decl,
                off,
                off // memory.element,
                same_warp,
                same_block,
                benign,
                unfenced=same_block and a.phase != b.phase and not a.flight,
            ),
        )

    def _participant(self, e: Epoch, site: int, action: str, value: Value) -> Participant:
        place = self.sites[site]
        shown = value if isinstance(value, (int, float)) else None
        return Participant(e.thread.block.index, e.thread.index, action, place.span, e.phase, shown, place.volatile)

    def memory_fault(self, memory: Memory, kind: FaultKind, off: int, action: str, t: Thread, site: int) -> None:
        """A fault of one access."""
        key = (kind, memory.name, memory.space, site, action)
        if self.log.seen(key, self.left):
            return
        first = self._participant(t.epoch, site, action, None)
        element = off // memory.element
        self.log.add(
            key,
            Fault(kind, first, None, memory.space, memory.name, memory.decl, off, element, same_warp=True),
        )

    def thread_fault(self, kind: FaultKind, t: Thread, site: int, action: str, value: Value) -> None:
        """A fault of one thread that concerns no memory."""
        key = (kind, site)
        if not self.log.seen(key, self.left):
            self.log.add(key, Fault(kind, self._participant(t.epoch, site, action, value), same_warp=True))

    def inner_fault(self, t: Thread, name: str, index: int, extent: int, site: int) -> None:
        """An index beyond an inner dimension."""
        key = (FaultKind.OUT_OF_BOUNDS, name, site, "inner")
        if not self.log.seen(key, self.left):
            self.log.add(
                key,
                Fault(
                    FaultKind.OUT_OF_BOUNDS,
                    self._participant(t.epoch, site, "evaluate", index),
                    name=name,
                    element=index,
                    same_warp=True,
                    inner=True,
                    detail=f"index {index} of {extent}",
                ),
            )


def _equal(a: Value, b: Value) -> bool:
    return type(a) is type(b) and bool(a == b)
