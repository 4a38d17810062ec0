"""Byte-addressed memory objects of scalar cells.

An object maps the byte offset of a cell to its value.  As long as all accesses have one format, a cell is found by
one dict look-up; an object seen in several formats remembers the format of each cell, and cells that are seen in two
sizes fall apart into bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kernlint.prove.emulate.formats import (
    POINTER,
    Leaf,
    Value,
    cell_size,
    from_number,
    pack,
    reinterpret,
    unpack,
    zero,
)
from kernlint.prove.emulate.report import FaultKind, Filler
from kernlint.tree.nodes import VarDecl
from kernlint.tree.types import Space

if TYPE_CHECKING:
    from kernlint.prove.emulate.machine import Machine
    from kernlint.prove.emulate.threads import Thread

MIXED = "mixed"
MAX_CELL = 16
"""Bytes of the largest scalar cell."""


class Memory:
    """One object: an array, a struct, a boxed local variable, the memory behind a pointer argument.

    ``extent`` in bytes (None: not known).  ``filler``: contents of cells that nobody wrote, by index of cells of
    ``element`` bytes; None: they are uninitialised.  This class keeps no record of who accessed what: it serves for
    private memory and for memory that nobody writes.
    """

    __slots__ = (
        "base",
        "decl",
        "element",
        "extent",
        "filler",
        "fmt",
        "fmts",
        "machine",
        "name",
        "quiet",
        "space",
        "vals",
    )

    def __init__(
        self,
        machine: Machine,
        name: str,
        space: Space,
        extent: int | None,
        fmt: str | None,
        element: int,
        filler: Filler | None = None,
        decl: VarDecl | None = None,
    ) -> None:
        self.machine = machine
        self.name = name
        self.space = space
        self.extent = extent
        self.fmt = fmt
        self.element = element
        self.filler = filler
        self.decl = decl
        self.vals: dict[int, Value] = {}
        self.fmts: dict[int, str] = {}
        self.base = 0
        self.quiet = False  # no fault for an uninitialised read

    # ------------------------------------------------------------------------------------------------ access

    def load(self, off: int, fmt: str, t: Thread, site: int) -> Value:
        """The scalar at byte ``off``."""
        if fmt is self.fmt:
            try:
                return self.vals[off]
            except KeyError:
                return self.absent(off, fmt, t, site)
        return self.load_other(off, fmt, t, site)

    def store(self, off: int, value: Value, fmt: str, t: Thread, site: int) -> Value:
        """Write the scalar at byte ``off``; returns ``value``."""
        if off in self.vals and (fmt is self.fmt or self.fmts.get(off) is fmt):
            self.vals[off] = value
        elif self.place(off, fmt, t, site):
            self.put(off, value, fmt)
        return value

    def load_volatile(self, off: int, fmt: str, t: Thread, site: int) -> Value:
        """A volatile :meth:`load`."""
        return self.load(off, fmt, t, site)

    def store_volatile(self, off: int, value: Value, fmt: str, t: Thread, site: int) -> Value:
        """A volatile :meth:`store`."""
        return self.store(off, value, fmt, t, site)

    def loadv(self, off: int, lanes: int, fmt: str, align: int, t: Thread, site: int) -> Value:
        """A vector: a tuple of ``lanes`` scalars."""
        if off % align:
            self.fault(FaultKind.MISALIGNED, off, "read", t, site)
        size = cell_size(fmt)
        return tuple([self.load(off + lane * size, fmt, t, site) for lane in range(lanes)])

    def storev(self, off: int, value: Value, fmt: str, align: int, t: Thread, site: int) -> Value:
        """Write a vector; returns it."""
        if off % align:
            self.fault(FaultKind.MISALIGNED, off, "write", t, site)
        size = cell_size(fmt)
        for lane, item in enumerate(value):
            self.store(off + lane * size, item, fmt, t, site)
        return value

    def copy_out(self, off: int, cells: Sequence[Leaf], t: Thread, site: int) -> Memory:
        """A snapshot of a struct at byte ``off`` as a private object of its own."""
        copy = Memory(self.machine, "", Space.PRIVATE, None, MIXED, 1)
        copy.quiet = True
        self.machine.left -= len(cells)
        silent = self.space is Space.PRIVATE
        for leaf in cells:
            at = off + leaf.offset
            if silent and self.filler is None and at not in self.vals:
                continue
            copy.vals[leaf.offset] = self.load(at, leaf.format, t, site)
            copy.fmts[leaf.offset] = leaf.format
        return copy

    def copy_in(self, off: int, value: Memory, cells: Sequence[Leaf], t: Thread, site: int) -> Memory:
        """Write the struct that ``value`` holds and return it.

        Cells never set are left alone in private memory, where copying them is harmless, and written as 0 elsewhere.
        """
        private = self.space is Space.PRIVATE
        self.machine.left -= len(cells)
        for leaf in cells:
            at, fmt = leaf.offset, leaf.format
            if at in value.vals or value.filler is not None:
                self.store(off + at, value.load(at, fmt, t, site), fmt, t, site)
            elif not private:
                self.store(off + at, self.nothing(fmt), fmt, t, site)
        return value

    def atomic(self, off: int, fmt: str, t: Thread, site: int, new: Value, device: bool) -> Value:
        """Replace the scalar at ``off`` by ``new(old)`` (no change when that is None) and return the old one."""
        old = self.load(off, fmt, t, site)
        value = new(old)
        if value is not None:
            self.store(off, value, fmt, t, site)
        return old

    def peek(self, off: int, fmt: str) -> Value:
        """The scalar at ``off`` without any check or record; 0 when there is none."""
        if fmt is self.fmt:
            found = self.vals.get(off)
            if found is not None:
                return found
        if self.holds(off, int(fmt[1:])) and self.filler is not None:
            return from_number(self.filler(off // self.element), fmt)
        if all(at in self.vals for at in self.cells(off, fmt)):
            return self.get(off, fmt)
        return zero(fmt)

    # ------------------------------------------------------------------------------------- the slower ways in

    def load_other(self, off: int, fmt: str, t: Thread, site: int) -> Value:
        """:meth:`load` in a format that is not, or not yet, the object's only one."""
        self.adopt(fmt)
        if fmt is not self.fmt:
            have = self.fmts.get(off)
            if have is fmt:
                return self.vals[off]
            if self.split(off, fmt):
                return self.get(off, fmt)
        elif off in self.vals:
            return self.vals[off]
        return self.absent(off, fmt, t, site)

    def absent(self, off: int, fmt: str, t: Thread, site: int) -> Value:
        """Load a cell that is not there: outside, never written, or not yet filled."""
        size = cell_size(fmt)
        if not self.inside(off, size, "read", t, site):
            return self.nothing(fmt)
        if off % size:
            self.fault(FaultKind.MISALIGNED, off, "read", t, site)
            if self.fmt is not MIXED:
                self.mix()
                if self.split(off, fmt):
                    return self.get(off, fmt)
        if self.filler is None:
            if not self.quiet:
                self.fault(FaultKind.UNINITIALISED, off, "read", t, site)
            return self.machine.leftover(fmt) if self.space is Space.SHARED else self.nothing(fmt)
        if self.fmt is MIXED:
            return self.fill_around(off, fmt)
        value = self.contents(off, fmt)
        self.vals[off] = value
        return value

    def contents(self, off: int, fmt: str) -> Value:
        """What a cell held before the launch."""
        assert self.filler is not None
        if fmt is POINTER:
            return self.machine.pointee(self, off)
        return from_number(self.filler(off // self.element), fmt)

    def fill_around(self, off: int, fmt: str) -> Value:
        """Fill the cells that ``[off, off + size)`` touches and read them; cells set in part stay as they are."""
        size = cell_size(fmt)
        found = self.covering(off, size)
        if not found and off % size == 0:
            value = self.contents(off, fmt)
            self.vals[off] = value
            self.fmts[off] = fmt
            return value
        for at in range(off, off + size):
            if not any(have <= at < have + cell_size(self.fmts[have]) for have in found):
                self.vals[at] = from_number(self.machine.noise(at), "u1")
                self.fmts[at] = "u1"
        self.split(off, fmt)
        return self.get(off, fmt)

    def place(self, off: int, fmt: str, t: Thread, site: int) -> bool:
        """Make room for a cell of ``fmt`` at ``off``; False when it cannot be written there."""
        size = cell_size(fmt)
        if not self.inside(off, size, "write", t, site):
            return False
        self.adopt(fmt)
        if off % size:
            self.fault(FaultKind.MISALIGNED, off, "write", t, site)
            if self.fmt is not MIXED:
                self.mix()
        if self.fmt is MIXED and self.fmts.get(off) is not fmt:
            self.split(off, fmt)
        return True

    def put(self, off: int, value: Value, fmt: str) -> None:
        """Set the cells at ``off``, which :meth:`place` has made room for."""
        if self.fmt is not MIXED:
            self.vals[off] = value
            return
        cells = self.cells(off, fmt)
        if len(cells) == 1:
            self.vals[off] = value
            self.fmts[off] = fmt
            return
        for at, byte in zip(cells, pack(value, fmt, self.machine), strict=True):
            self.vals[at] = byte
            self.fmts[at] = "u1"

    def get(self, off: int, fmt: str) -> Value:
        """The value of ``fmt`` at ``off``, all of whose cells are set."""
        if self.fmt is not MIXED:
            return self.vals[off]
        cells = self.cells(off, fmt)
        if len(cells) == 1:
            return reinterpret(self.vals[off], self.fmts[off], fmt, self.machine)
        data = b"".join(pack(self.vals[at], self.fmts[at], self.machine) for at in cells)
        return unpack(data, fmt, self.machine)

    # -------------------------------------------------------------------------------------------- formats

    def adopt(self, fmt: str) -> None:
        """Take ``fmt`` as the only format while there is none; go over to mixed cells when there is another."""
        if self.fmt is None:
            self.fmt = fmt
        elif self.fmt is not fmt and self.fmt is not MIXED:
            self.mix()

    def mix(self) -> None:
        """From now on remember the format of each cell."""
        assert self.fmt is not None
        self.fmts = dict.fromkeys(self.vals, self.fmt)
        self.fmt = MIXED

    def cells(self, off: int, fmt: str) -> Sequence[int]:
        """Offsets of the cells that an access touches: one, or its single bytes."""
        size = cell_size(fmt)
        if self.fmt is not MIXED or size == 1:
            return (off,)
        have = self.fmts.get(off)
        if have is None:
            return (off,) if self.fmts.keys().isdisjoint(range(off, off + size)) else range(off, off + size)
        return (off,) if cell_size(have) == size else range(off, off + size)

    def covering(self, off: int, size: int) -> list[int]:
        """Offsets of all cells that overlap ``[off, off + size)`` (mixed objects only); they do not overlap each
        other."""
        fmts = self.fmts
        found = [at for at in range(off, off + size) if at in fmts]
        if off in fmts:
            return found
        for at in range(off - 1, off - MAX_CELL, -1):
            if at in fmts:
                return [at, *found] if at + cell_size(fmts[at]) > off else found
        return found

    def split(self, off: int, fmt: str) -> bool:
        """Make the cells under ``[off, off + size)`` either one cell of that size or bytes.

        True when all of them are set.
        """
        size, fmts = cell_size(fmt), self.fmts
        have = fmts.get(off)
        if have is not None and cell_size(have) in (1, size):  # no cell before it reaches into its place
            if cell_size(have) == size:
                return True
            rest = [fmts.get(at) for at in range(off, off + size)]
            if None not in rest and all(cell_size(one) == 1 for one in rest if one is not None):
                return True
        found = self.covering(off, size)
        for at in found:
            self.shatter(at)
        return bool(found) and all(at in fmts for at in range(off, off + size))

    def shatter(self, at: int) -> None:
        """Replace the cell at ``at`` by its bytes."""
        fmt = self.fmts[at]
        if cell_size(fmt) == 1:
            return
        for index, byte in enumerate(pack(self.vals[at], fmt, self.machine)):
            self.vals[at + index] = byte
            self.fmts[at + index] = "u1"

    # ---------------------------------------------------------------------------------------------- faults

    def nothing(self, fmt: str) -> Value:
        """What a failed read gives."""
        return self.machine.null if fmt is POINTER else zero(fmt)

    def holds(self, off: int, size: int) -> bool:
        """Whether ``[off, off + size)`` lies within the object."""
        return off >= 0 and (self.extent is None or off + size <= self.extent)

    def inside(self, off: int, size: int, action: str, t: Thread, site: int) -> bool:
        """:meth:`holds`, and a fault when not."""
        if self.holds(off, size):
            return True
        self.fault(FaultKind.OUT_OF_BOUNDS, off, action, t, site)
        return False

    def fault(self, kind: FaultKind, off: int, action: str, t: Thread, site: int) -> None:
        """Record a fault of one thread."""
        self.machine.memory_fault(self, kind, off, action, t, site)


class Null(Memory):
    """What the null pointer points to: nothing."""

    __slots__ = ()

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine, "null", Space.GENERIC, 0, None, 1)

    def inside(self, off: int, size: int, action: str, t: Thread, site: int) -> bool:
        self.fault(FaultKind.NULL, off, action, t, site)
        return False
