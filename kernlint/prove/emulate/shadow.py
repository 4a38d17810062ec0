"""Memory that several threads share, with a record of who touched which cell since when.

The record (shadow) of a cell holds the last plain write, the reads since, and the atomics.  It is dropped at a
barrier that orders the object's space, so whatever is found in it is concurrent, unless a warp-level barrier or a
partial (named) barrier lies in between, which the machine is asked.  Accesses of different blocks are compared when a
block passes a barrier or ends: each object keeps one access of each kind per cell from the blocks before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernlint.prove.emulate.formats import Value
from kernlint.prove.emulate.memory import MIXED, Memory
from kernlint.tree.types import Space

if TYPE_CHECKING:
    from kernlint.prove.emulate.threads import BlockRun, Epoch, Thread

Write = tuple[Any, int, Value]
"""(epoch, site, value)."""
Read = tuple[Any, int, Any]
"""(epoch, site, the read before it by another thread, or None)."""
Atom = tuple[Any, int, Value, bool, Any]
"""(epoch, site, new value, of device scope, the atomic before it by another thread, or None)."""


class TrackedMemory(Memory):
    """Shared or global memory.  See the module's text for the rules."""

    __slots__ = (
        "acquired",
        "atoms",
        "flights",
        "past_atoms",
        "past_reads",
        "past_writes",
        "published",
        "reads",
        "writes",
    )

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.writes: dict[int, Write] = {}
        self.reads: dict[int, Read] = {}
        self.atoms: dict[int, Atom] = {}
        self.flights: dict[int, Write] = {}
        self.past_writes: dict[int, Write] = {}
        self.past_reads: dict[int, Read] = {}
        self.past_atoms: dict[int, Atom] = {}
        self.published: dict[int, dict[BlockRun, int]] = {}

    # ---------------------------------------------------------------------------------------------- access

    def load(self, off: int, fmt: str, t: Thread, site: int) -> Value:
        if fmt is self.fmt and off in self.vals:
            value = self.vals[off]
            e = t.epoch
            if off in self.writes:
                w = self.writes[off]
                if w[0] is not e:
                    self.check(w, "write", w[2], e, site, "read", value, off)
            if self.atoms:
                self.check_atoms(off, e, site, "read", value)
            reads = self.reads
            if off in reads:
                r = reads[off]
                if r[0] is not e:
                    reads[off] = (e, site, r)
            else:
                reads[off] = (e, site, None)
            return value
        value = super().load(off, fmt, t, site)
        if self.holds(off, int(fmt[1:])):
            for at in self.cells(off, fmt):
                self.note_read(at, t.epoch, site, value)
        return value

    def store(self, off: int, value: Value, fmt: str, t: Thread, site: int) -> Value:
        if fmt is self.fmt and off in self.vals:
            e = t.epoch
            if off in self.writes:
                w = self.writes[off]
                if w[0] is not e:
                    self.check(w, "write", w[2], e, site, "write", value, off)
            if off in self.reads:
                r = self.reads[off]
                if r[0] is not e or r[2] is not None:
                    self.check_reads(r, e, site, "write", value, off)
            if self.atoms:
                self.check_atoms(off, e, site, "write", value)
            self.writes[off] = (e, site, value)
            self.vals[off] = value
        elif self.place(off, fmt, t, site):
            for at in self.cells(off, fmt):
                self.note_write(at, t.epoch, site, value)
            self.put(off, value, fmt)
        return value

    def atomic(self, off: int, fmt: str, t: Thread, site: int, new: Any, device: bool) -> Value:
        """The cell's plain accesses by other threads are races; other atomics are not."""
        size = int(fmt[1:])
        old = self.vals[off] if fmt is self.fmt and off in self.vals else Memory.load(self, off, fmt, t, site)
        if not self.holds(off, size):
            return old
        if self.published:
            self.acquire(off, t)
        value = new(old)
        e = t.epoch
        for at in self.cells(off, fmt):
            w = self.writes.get(at)
            if w is not None and w[0] is not e:
                self.check(w, "write", w[2], e, site, "atomic", value, at)
            r = self.reads.get(at)
            # an atomic load does not disturb plain reads
            if value is not None and r is not None and (r[0] is not e or r[2] is not None):
                self.check_reads(r, e, site, "atomic", value, at)
            if value is not None:
                a = self.atoms.get(at)
                before = a if a is None or a[0] is not e else a[4]
                self.atoms[at] = (e, site, value, device, None if before is None else (*before[:4], None))
        if value is not None and self.place(off, fmt, t, site):
            self.put(off, value, fmt)
            if t.block.fenced is not None:
                self.publish(off, t)
        return old

    # ------------------------------------------------------------------------------------- hand-made ordering

    def load_volatile(self, off: int, fmt: str, t: Thread, site: int) -> Value:
        """A volatile load: it may be the consumer's half of a flag."""
        if self.published:
            self.acquire(off, t)
        return self.load(off, fmt, t, site)

    def store_volatile(self, off: int, value: Value, fmt: str, t: Thread, site: int) -> Value:
        """A volatile store: after a fence it may be the producer's half of a flag."""
        self.store(off, value, fmt, t, site)
        if t.block.fenced is not None:
            self.publish(off, t)
        return value

    def publish(self, off: int, t: Thread) -> None:
        """The block wrote a flag after a device-wide fence: who sees the flag sees what came before the fence."""
        if self.space is not Space.SHARED and t.block.fenced is not None:
            self.published.setdefault(off, {})[t.block] = t.block.fenced

    def acquire(self, off: int, t: Thread) -> None:
        """The block saw a flag."""
        for block, tick in self.published.get(off, {}).items():
            if block is not t.block:
                t.block.acquired.append((block, tick, t.epoch.tick))

    # ------------------------------------------------------------------------------------------- the record

    def note_read(self, off: int, e: Epoch, site: int, value: Value) -> None:
        """Record a plain read of a cell, checking it against what is there."""
        w = self.writes.get(off)
        if w is not None and w[0] is not e:
            self.check(w, "write", w[2], e, site, "read", value, off)
        if self.atoms:
            self.check_atoms(off, e, site, "read", value)
        r = self.reads.get(off)
        if r is None or r[0] is not e:
            self.reads[off] = (e, site, r)

    def note_write(self, off: int, e: Epoch, site: int, value: Value) -> None:
        """Record a plain write of a cell, checking it against what is there."""
        w = self.writes.get(off)
        if w is not None and w[0] is not e:
            self.check(w, "write", w[2], e, site, "write", value, off)
        r = self.reads.get(off)
        if r is not None:
            self.check_reads(r, e, site, "write", value, off)
        if self.atoms:
            self.check_atoms(off, e, site, "write", value)
        self.writes[off] = (e, site, value)

    def check(
        self, prior: tuple[Any, ...], did: str, had: Value, e: Epoch, site: int, action: str, value: Value, off: int
    ) -> None:
        """Report the access as a race with ``prior`` unless something orders them."""
        if not self.machine.ordered(prior[0], e):
            self.machine.race(self, off, (prior[0], prior[1], did, had), (e, site, action, value))

    def check_reads(self, chain: Read | None, e: Epoch, site: int, action: str, value: Value, off: int) -> None:
        """A write against all reads of the cell; one of another warp is looked for before one of the same warp."""
        near: Read | None = None
        while chain is not None:
            prior = chain[0]
            if prior is not e and not self.machine.ordered(prior, e):
                if prior.thread.warp != e.thread.warp:
                    self.machine.race(self, off, (prior, chain[1], "read", None), (e, site, action, value))
                    return
                near = near or chain
            chain = chain[2]
        if near is not None:
            self.machine.race(self, off, (near[0], near[1], "read", None), (e, site, action, value))

    def check_atoms(self, off: int, e: Epoch, site: int, action: str, value: Value) -> None:
        """A plain access against the atomics of the cell."""
        a: Atom | None = self.atoms.get(off)
        while a is not None:
            if a[0] is not e and not self.machine.ordered(a[0], e):
                self.machine.race(self, off, (a[0], a[1], "atomic", a[2]), (e, site, action, value))
                return
            a = a[4]

    def shatter(self, at: int) -> None:
        size = int(self.fmts[at][1:])
        super().shatter(at)
        records: list[dict[int, Any]] = [
            self.writes, self.reads, self.atoms, self.flights, self.past_writes, self.past_reads, self.past_atoms
        ]  # fmt: skip
        for record in records:
            if at in record:
                for byte in range(1, size):
                    record[at + byte] = record[at]

    # ----------------------------------------------------------------------------------- copies under way

    def take_off(self, off: int, size: int, e: Epoch, site: int) -> None:
        """An asynchronous copy into ``[off, off + size)`` is under way: until :meth:`land` any access is a race."""
        for at in self._cells_within(off, size):
            self.note_write(at, e, site, None)
            self.flights[at] = self.writes[at]

    def give(self, off: int, size: int, e: Epoch, site: int) -> None:
        """An asynchronous copy from ``[off, off + size)`` is under way: a write there is a race."""
        for at in self._cells_within(off, size):
            self.note_read(at, e, site, None)

    def _cells_within(self, off: int, size: int) -> list[int]:
        if self.fmt is None or not self.holds(off, size):
            return []
        if self.fmt is MIXED:
            return [at for at in range(off, off + size) if at in self.fmts]
        return list(range(off, off + size, int(self.fmt[1:])))

    def land(self, off: int, size: int) -> None:
        """The copy into ``[off, off + size)`` is complete and awaited."""
        for at in [at for at in self.flights if off <= at < off + size]:
            entry = self.flights.pop(at)
            if self.writes.get(at) is entry:
                del self.writes[at]

    def close(self, off: int, size: int) -> None:
        """All of the block waited: what was done to ``[off, off + size)`` comes before what any of its threads does."""
        within = range(off, off + size)
        writes, reads, atoms = self.writes, self.reads, self.atoms
        self.writes = {at: entry for at, entry in writes.items() if at in within}
        self.reads = {at: entry for at, entry in reads.items() if at in within}
        self.atoms = {}
        if self.machine.across and self.space is not Space.SHARED:
            self.merge()
        self.writes = {at: entry for at, entry in writes.items() if at not in within or at in self.flights}
        self.reads = {at: entry for at, entry in reads.items() if at not in within}
        self.atoms = atoms

    # -------------------------------------------------------------------------------------------- barriers

    def settle(self, across: bool) -> None:
        """Everything recorded is ordered before what follows in the block.

        ``across``: other blocks run too, so compare with what they did and keep what this one did.
        """
        if across:
            self.merge()
        if self.writes:
            self.writes = dict(self.flights)
        if self.reads:
            self.reads = {}
        if self.atoms:
            self.atoms = {}

    def merge(self) -> None:
        """Compare the block's accesses with those of earlier blocks, then keep them for later ones."""
        writes, reads, atoms = self.writes, self.reads, self.atoms
        old_writes, old_reads, old_atoms = self.past_writes, self.past_reads, self.past_atoms
        if old_writes:
            for off in writes.keys() & old_writes.keys():
                self.across(old_writes[off], "write", old_writes[off][2], writes[off], "write", writes[off][2], off)
            for off in reads.keys() & old_writes.keys():
                self.across(old_writes[off], "write", old_writes[off][2], reads[off], "read", None, off)
            for off in atoms.keys() & old_writes.keys():
                self.across(old_writes[off], "write", old_writes[off][2], atoms[off], "atomic", atoms[off][2], off)
        if old_reads:
            for off in writes.keys() & old_reads.keys():
                self.across(old_reads[off], "read", None, writes[off], "write", writes[off][2], off)
            for off in atoms.keys() & old_reads.keys():
                self.across(old_reads[off], "read", None, atoms[off], "atomic", atoms[off][2], off)
        if old_atoms:
            for off in writes.keys() & old_atoms.keys():
                self.across(old_atoms[off], "atomic", old_atoms[off][2], writes[off], "write", writes[off][2], off)
            for off in reads.keys() & old_atoms.keys():
                self.across(old_atoms[off], "atomic", old_atoms[off][2], reads[off], "read", None, off)
            for off in atoms.keys() & old_atoms.keys():
                if not (atoms[off][3] and old_atoms[off][3]):  # an atomic of block scope is none across blocks
                    self.across(old_atoms[off], "atomic", old_atoms[off][2], atoms[off], "atomic", atoms[off][2], off)
        old_writes.update(writes)
        old_reads.update(reads)
        old_atoms.update(atoms)

    def across(
        self, prior: tuple[Any, ...], did: str, had: Value, now: tuple[Any, ...], action: str, value: Value, off: int
    ) -> None:
        """Report two accesses of different blocks unless a flag orders them."""
        a, b = prior[0], now[0]
        if a.thread.block is b.thread.block or b.thread.block.sees(a, b.tick):
            return
        if off in self.published and self._strong(prior[1], did) and self._strong(now[1], action):
            return  # the flag itself
        self.machine.race(self, off, (a, prior[1], did, had), (b, now[1], action, value))

    def _strong(self, site: int, action: str) -> bool:
        return action == "atomic" or self.machine.sites[site].volatile

    def forget(self) -> None:
        """A grid-wide barrier orders everything."""
        self.past_writes, self.past_reads, self.past_atoms = {}, {}, {}
