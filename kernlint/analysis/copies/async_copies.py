"""Asynchronous copies whose data is used, or whose kernel ends, before anybody has waited for them.

Only what is certain is told: a copy for which no wait follows at all, one whose first possible wait comes after the
first use on a straight path, one that stays in flight because the wait leaves that many groups pending, and data that
other threads read after a wait that speaks for the own copies alone.  Pipelines of ``cp.async`` that run around a loop
with buffers chosen by the iteration are counted through (:mod:`kernlint.analysis.copies.pipelines`), others left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.copies.pipelines import made, outstanding
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.scenarios.scenario import Scenarios
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, AsyncEvent, Event, GuardKind, RootKind, Trace
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, THREAD, Symbol, SymbolKind, negate, symbols
from kernlint.tree.nodes import STAGE, AsyncCopy, AsyncWait, IntLit

STRAIGHT = ("event", "cp_async", "group")
"""Mechanisms whose waits are statements of their own; barrier and pipeline objects wait in many ways."""

OBJECTS = ("barrier", "pipeline", "bulk")
"""Mechanisms whose copies are awaited at an object.  Told only where nothing at all that may wait stands between."""

THREADS = 1024
"""Most threads of a block."""


@dataclass(frozen=True, slots=True)
class Unawaited:
    """A copy and what comes too early.

    ``use``: the read, None when the kernel ends.  ``why``: ``never`` awaited; ``late``: the wait comes after the use;
    ``path``: the wait is missing on some path; ``pending``: the wait leaves its group outstanding; ``uncommitted``:
    it belongs to no group yet; ``others``: its own thread has waited, the reading one not.  ``wait``: that wait.
    """

    copy: AsyncEvent
    use: Access | None
    why: str
    wait: AsyncEvent | None = None


class _Finder:
    def __init__(self, of: Trace, known: Scenarios) -> None:
        self.of = of
        self.shapes = known
        self.copies: list[tuple[AsyncEvent, AsyncCopy]] = []
        self.waits: list[tuple[AsyncEvent, AsyncWait]] = []
        for event in of.asyncs:
            if isinstance(event.node, AsyncCopy):
                self.copies.append((event, event.node))
            else:
                self.waits.append((event, event.node))
        self.writes = {made(a): a for a in of.accesses if a.asynchronous and a.kind is AccessKind.WRITE}

    def find(self) -> Iterator[Unawaited]:
        """One for each destination."""
        told: set[int] = set()
        for event, node in self.copies:
            if event.destination is None or id(event.destination) in told:
                continue
            found = self._of(event, node) if node.mechanism in STRAIGHT else self._at_object(event, node)
            if found is not None:
                told.add(id(event.destination))
                yield found
        for late in outstanding(self.of, self.shapes):
            if id(late.read.root) not in told:
                why = "never" if late.wait is None else "pending" if late.committed else "uncommitted"
                why = "others" if late.others else why
                yield Unawaited(late.copy, late.read, why, late.wait)

    def _of(self, copy: AsyncEvent, node: AsyncCopy) -> Unawaited | None:
        waits = [(e, w) for e, w in self.waits if w.mechanism == node.mechanism and not w.commit]
        after = [(e, w) for e, w in waits if e.order > copy.order or set(map(id, e.loops)) & set(map(id, copy.loops))]
        use = self._first_use(copy, node)
        if not after:
            return Unawaited(copy, use, "never")
        if use is None or self._rotates(copy, use):
            return None
        before_use = [(e, w) for e, w in after if copy.order < e.order < use.order]
        if not before_use:
            looped = any(set(map(id, e.loops)) & set(map(id, use.loops)) for e, _ in after)
            return None if looped else Unawaited(copy, use, "late", after[0][0])
        sure = [(e, w) for e, w in before_use if _on_every_path(e, copy, use)]
        if not sure:
            return Unawaited(copy, use, "path", before_use[0][0])
        if node.mechanism == "cp_async":
            return self._group(copy, sure, use) or self._of_others(copy, sure, node)
        if node.mechanism == "event":
            return self._counted(copy, sure, use)
        return None

    def _at_object(self, copy: AsyncEvent, node: AsyncCopy) -> Unawaited | None:
        """A read with nothing before it that may be the wait at the copy's object."""
        if node.mechanism not in OBJECTS:
            return None
        use = self._first_use(copy, node)
        if use is None or self._rotates(copy, use):
            return None
        waits: list[Event] = [b for b in self.of.barriers if b.named or not b.certain]
        waits += [e for e, w in self.waits if not w.commit]
        waits += self.of.calls
        if any(e.order < use.order and (copy.order < e.order or set(e.loops) & set(use.loops)) for e in waits):
            return None
        return Unawaited(copy, use, "late" if any(e.order > use.order for e in waits) else "never")

    def _first_use(self, copy: AsyncEvent, node: AsyncCopy) -> Access | None:
        """The first plain read of what the copy writes, when it is sure to be of that."""
        written = self.writes.get(made(copy))
        if written is None or written.root.decl is None or written.root.decl.unsized:
            return None
        others = [w for e, _ in self.copies if e is not copy and (w := self.writes.get(made(e))) is not None]
        if any(other.root is written.root and other.offset != written.offset for other in others):
            return None  # several parts are in flight: which one is read is not known
        for access in self.of.accesses:
            if access.root is written.root and access.order > copy.order and access.kind is AccessKind.READ:
                if access.asynchronous or _excluded(access, copy):
                    continue
                return access
        return None

    def _rotates(self, copy: AsyncEvent, use: Access) -> bool:
        """Whether the copy fills a buffer of a later round: its place depends on the loop that both stand in."""
        written = self.writes.get(made(copy))
        if written is None or not copy.loops:
            return False
        moving = (SymbolKind.COUNTER, SymbolKind.PHI, SymbolKind.UNKNOWN, SymbolKind.TRIPS, SymbolKind.EXIT)
        return bool(set(map(id, copy.loops)) & set(map(id, use.loops))) and any(
            symbol.kind in moving for symbol in (*symbols(written.offset), *symbols(use.offset))
        )

    # ---------------------------------------------------------------------------------------------- cp.async

    def _group(self, copy: AsyncEvent, waits: list[tuple[AsyncEvent, AsyncWait]], use: Access) -> Unawaited | None:
        """Whether the copy's group is among those that every wait before the use leaves pending."""
        commits = [e for e, w in self.waits if w.mechanism == "cp_async" and w.commit]
        if any(event.loops for event in (copy, *(e for e, _ in waits), *commits)):
            return None
        last: AsyncEvent | None = None
        why = "pending"
        for event, node in waits:
            closed = sum(copy.order < commit.order < event.order for commit in commits)
            if event.pending is None or event.pending.value is None or "all" in node.name:
                return None
            if closed > event.pending.value:
                return None
            last, why = event, "pending" if closed else "uncommitted"
        return Unawaited(copy, use, why, last)

    def _of_others(
        self, copy: AsyncEvent, waits: list[tuple[AsyncEvent, AsyncWait]], node: AsyncCopy
    ) -> Unawaited | None:
        """A read of what another thread's copy brings, with no barrier after the wait."""
        written = self.writes.get(made(copy))
        if written is None or written.size is None or written.size <= 0 or copy.loops:
            return None
        wait = waits[-1][0]
        for access in self.of.accesses:
            if access.root is not written.root or access.order < wait.order or access.kind is not AccessKind.READ:
                continue
            barriers = [b for b in self.of.barriers if wait.order < b.order < access.order]
            collectives = [w for w in self.of.warp_ops if wait.order < w.order < access.order]
            if barriers or collectives or access.asynchronous:
                return None
            return Unawaited(copy, access, "others", wait) if self._reads_others(written, access) else None
        return None

    def _reads_others(self, written: Access, read: Access) -> bool:
        block = self.shapes.plausible[0].block if self.shapes.plausible else (THREADS, 1, 1)
        places: list[tuple[int, int]] = []
        for number in range(min(THREADS, block[0] * block[1] * block[2])):
            env = _Thread(number, block)
            there, here = evaluate(written.offset, env), evaluate(read.offset, env)
            if there is None or here is None:
                return False
            places.append((there, here))
        size = written.size or 0
        for own, here in places:
            if not own <= here < own + size and any(there <= here < there + size for there, _ in places):
                return True
        return False

    # ----------------------------------------------------------------------------------------------- OpenCL

    def _counted(self, copy: AsyncEvent, waits: list[tuple[AsyncEvent, AsyncWait]], use: Access) -> Unawaited | None:
        """Whether more events were begun before the first wait than all waits before the use ask for."""
        begun = [(e, n) for e, n in self.copies if n.mechanism == "event" and e.order < use.order]
        if any(e.loops or e.guards != copy.guards for e, _ in begun) or any(e.loops for e, _ in waits):
            return None
        fresh = [e for e, n in begun if n.event is None or (isinstance(n.event, IntLit) and n.event.value == 0)]
        if len(fresh) != len(begun):
            return None
        asked = 0
        for _, wait in waits:
            number = wait.args[0] if wait.args else None
            if not isinstance(number, IntLit):
                return None
            asked += number.value
        return Unawaited(copy, use, "pending", waits[-1][0]) if asked < len(fresh) and copy is fresh[-1] else None


def _on_every_path(wait: AsyncEvent, copy: AsyncEvent, use: Event) -> bool:
    """Whether the wait happens whenever both the copy and the use do, as far as conditions look alike."""
    known = {guard.term for guard in (*copy.guards, *use.guards)}
    neutral = (GuardKind.ASSERT, GuardKind.AFTER_LOOP, GuardKind.EXIT)
    return not any(guard.term not in known and guard.kind not in neutral for guard in wait.guards)


def _excluded(access: Access, copy: AsyncEvent) -> bool:
    """Whether the access stands on another branch than the copy."""
    terms = {guard.term for guard in access.guards}
    return any(negate(guard.term) in terms for guard in copy.guards)


class _Thread(Mapping[Symbol, int]):
    """One thread of block 0; nothing else is known."""

    def __init__(self, number: int, block: tuple[int, int, int]) -> None:
        self.known = {
            THREAD[0]: number % block[0],
            THREAD[1]: number // block[0] % block[1],
            THREAD[2]: number // (block[0] * block[1]),
            **{BLOCK[axis]: 0 for axis in range(3)},
            **{BLOCK_DIM[axis]: block[axis] for axis in range(3)},
        }

    def __getitem__(self, symbol: Symbol) -> int:
        if symbol.kind is SymbolKind.COUNTER:
            return 0
        return self.known[symbol]

    def __iter__(self) -> Iterator[Symbol]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)


def _never(of: Trace) -> Iterator[Unawaited]:
    """Reads of what nothing but such copies fills, in a kernel that has no wait at all: whatever the stages of the
    pipeline are, their own waits are for room."""
    waits: list[Event] = [b for b in of.barriers if (b.named or not b.certain) and b.name != STAGE]
    waits += [event for event in of.asyncs if isinstance(event.node, AsyncWait) and not event.node.commit]
    if waits or of.calls or any(gap.reason != STAGE for gap in of.gaps):
        return
    copies = [e for e in of.asyncs if isinstance(e.node, AsyncCopy) and e.node.mechanism in OBJECTS]
    told: set[int] = set()
    for copy in copies:
        root = copy.destination
        if root is None or id(root) in told or root.kind is RootKind.UNKNOWN:
            continue
        touching = [access for access in of.accesses if access.root is root]
        if any(access.writes and not access.asynchronous for access in touching):
            continue
        for use in touching:
            later = use.order > copy.order or any(loop in use.loops for loop in copy.loops)
            if use.kind is AccessKind.READ and not use.asynchronous and later and not _excluded(use, copy):
                told.add(id(root))
                yield Unawaited(copy, use, "never")
                break


def _compute(facts: Facts) -> tuple[Unawaited, ...]:
    of = facts[trace]
    if not of.asyncs:
        return ()
    if not of.complete or any(call.may_sync for call in of.calls):
        return tuple(_never(of))
    found = tuple(_Finder(of, facts[scenarios]).find())
    return found or tuple(_never(of))


unawaited = KernelAnalysis("unawaited", _compute, needs=(trace, scenarios))
"""Every :class:`Unawaited` copy of a kernel variant."""
