"""What a trace predicts for the threads of one small launch, and what the block emulator sees them do."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from kernlint.analysis.trace.events import Access, AccessKind, LoopContext, Root, RootKind, Trace
from kernlint.prove.emulate import scheduler
from kernlint.prove.emulate.memory import Memory
from kernlint.prove.emulate.report import Argument, Budget, Buffer, FaultKind, LaunchSpec, Outcome
from kernlint.prove.emulate.running import run
from kernlint.prove.emulate.shadow import TrackedMemory
from kernlint.source import SourceFile
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, symbols
from kernlint.tree.nodes import FunctionDecl
from kernlint.tree.types import ArrayType, IntType, PointerType, Space, StructType, Type

MOST_TRIPS = 9
"""Iterations tried for a loop whose number of iterations cannot be told."""

Place = tuple[tuple[int, int, int], tuple[int, int, int]]
"""Block and thread."""


@dataclass(frozen=True)
class Seen:
    """One access that the emulator made.  ``barrier``: line of the last block barrier passed (0: none)."""

    place: Place
    line: int
    kind: str
    name: str
    space: Space
    offset: int
    size: int
    barrier: int


@contextmanager
def watched(log: list[Seen], source: SourceFile) -> Iterator[None]:
    """Notes every access that the emulator makes while the context lasts."""
    depth = 0
    last: dict[Any, int] = {}

    def wrap(cls: type, name: str, kind: str) -> Any:
        inner = cls.__dict__[name]

        def method(memory: Any, off: int, *rest: Any) -> Any:
            nonlocal depth
            at = 1 if kind == "write" else 0
            fmt, thread, site = rest[at], rest[at + 1], rest[at + 2]
            initialiser = site == 0 and memory.space is Space.PRIVATE  # these have no place of their own
            if depth == 0 and memory.name and not initialiser:
                span = memory.machine.sites[site].span
                place = (thread.block.index, thread.index)
                where = (memory.name, memory.space, off, int(fmt[1:]))
                log.append(Seen(place, source.line_of(span.start), kind, *where, last.get(thread, 0)))
            depth += 1
            try:
                return inner(memory, off, *rest)
            finally:
                depth -= 1

        return method

    kinds = {"load": "read", "store": "write", "atomic": "atomic"}
    saved = [(cls, name, cls.__dict__[name]) for cls in (Memory, TrackedMemory) for name in kinds]
    passing, releasing = scheduler._pass_barrier, scheduler.release_grid

    def passed(block: Any, meeting: Any, group: Any) -> None:
        line = source.line_of(block.k.sites[meeting.site].span.start)
        last.update(dict.fromkeys(group, line))
        passing(block, meeting, group)

    def all_blocks(blocks: Any) -> None:
        blocks = list(blocks)
        for block in blocks:
            for thread in block.live:
                last[thread] = source.line_of(block.k.sites[thread.request.meeting.site].span.start)
        releasing(blocks)

    for cls, name, _ in saved:
        setattr(cls, name, wrap(cls, name, kinds[name]))
    scheduler._pass_barrier, scheduler.release_grid = passed, all_blocks
    try:
        yield
    finally:
        scheduler._pass_barrier, scheduler.release_grid = passing, releasing
        for cls, name, method in saved:
            setattr(cls, name, method)


def contents(index: int) -> int:
    """What every buffer holds before the launch, by index of its elements."""
    return index * 7 % 5


@dataclass
class Launched:
    """A variant under a launch with arguments: ``numbers`` by name of scalar parameter or field."""

    variant: FunctionDecl
    spec: LaunchSpec
    number: int
    numbers: dict[str, int] = field(default_factory=dict)

    def arguments(self) -> dict[str, Argument]:
        """Small numbers for scalars, buffers of unknown extent for pointers."""
        out: dict[str, Argument] = {}
        for param in self.variant.params:
            made = self._argument(param.type, param.name)
            if made is not None:
                out[param.name] = made
        return out

    def _argument(self, kind: Type, name: str) -> Any:
        if isinstance(kind, PointerType):
            return Buffer(fill=contents)
        if isinstance(kind, IntType):
            self.numbers[name] = self.number
            return self.number
        if isinstance(kind, StructType):
            made = {f.name: self._argument(f.type, f"{name}.{f.name}") for f in kind.fields}
            for f in kind.fields:  # the emulator fills nested ones with zeros
                if isinstance(f.type, StructType):
                    made.pop(f.name)
                    self.numbers |= {key: 0 for key in self.numbers if key.startswith(f"{name}.{f.name}.")}
            return {key: value for key, value in made.items() if value is not None}
        return 1.0 if kind.size is not None and not hasattr(kind, "element") else None

    def watch(self, language: str, source: SourceFile) -> tuple[Outcome, list[Seen]]:
        """Run it."""
        log: list[Seen] = []
        with watched(log, source):
            outcome = run(self.variant, self.spec, self.arguments(), Budget(steps=60_000), language)
        return outcome, log


class Predictions:
    """What a trace says about the threads of a launch."""

    def __init__(self, trace: Trace, launched: Launched, source: SourceFile) -> None:
        self.trace, self.launched, self.source = trace, launched, source
        self.written = {id(a.root) for a in trace.accesses if a.kind is not AccessKind.READ}

    def environment(self, place: Place, launch: LaunchSpec) -> dict[Symbol, int]:
        (block, thread) = place
        env: dict[Symbol, int] = {}
        for symbol in self._symbols():
            if symbol.kind is SymbolKind.PARAM and symbol.name in self.launched.numbers:
                env[symbol] = self.launched.numbers[symbol.name]
            elif symbol.kind is SymbolKind.WARP_SIZE:
                env[symbol] = 32
            else:
                values = {
                    SymbolKind.THREAD: thread,
                    SymbolKind.BLOCK: block,
                    SymbolKind.BLOCK_DIM: launch.block,
                    SymbolKind.GRID_DIM: launch.grid,
                    SymbolKind.OFFSET: (0, 0, 0),
                }.get(symbol.kind)
                if values is not None:
                    env[symbol] = values[symbol.axis]
        return env

    def _symbols(self) -> set[Symbol]:
        out: set[Symbol] = set()
        todo: list[Term] = []
        for access in self.trace.accesses:
            todo += [access.offset, *(g.term for g in access.guards), *(x.condition for x in access.labels)]
        for loop in self.trace.loops:
            todo += [loop.condition] if loop.condition is not None else []
        while todo:
            for symbol in symbols(todo.pop()):
                if symbol not in out:
                    out.add(symbol)
                    if symbol.kind is SymbolKind.LOAD:
                        todo.append(symbol.origin[1])
        return out

    def value(self, term: Term, env: dict[Symbol, int]) -> int | None:
        """Value of a term for a thread at loop counters; loads of memory that nobody writes are known."""
        more: dict[Symbol, int] = {}
        for symbol in symbols(term):
            if symbol.kind is SymbolKind.LOAD:
                root, offset = symbol.origin
                at = self.value(offset, env)
                size = symbol.type.size
                known = (
                    root.kind is RootKind.PARAM
                    and root.space is not Space.SHARED
                    and id(root) not in self.written
                    and symbol.type == root.element
                )
                if at is not None and size and known and isinstance(symbol.type, IntType) and at >= 0:
                    more[symbol] = contents(at // size)
            elif symbol.kind is SymbolKind.TRIPS and symbol not in env:
                trips = self.trips(symbol.origin, env)
                if trips is not None:
                    more[symbol] = trips
        return evaluate(term, {**env, **more} if more else env)

    def trips(self, loop: LoopContext, env: dict[Symbol, int]) -> int | None:
        """Iterations of a loop that only its condition ends; None when that cannot be told."""
        if loop.condition is None or loop.exits or loop.leaves:
            return None
        for k in range(1000):
            test = self.value(loop.condition, {**env, loop.counter: k})
            if test is None:
                return None
            if not test:
                return k + 1 if loop.post_tested else k
        return None

    def most(self, loop: LoopContext, env: dict[Symbol, int]) -> int:
        """Iterations to try of a loop that threads may leave in other ways than by its condition."""
        if loop.condition is None or loop.post_tested:
            return MOST_TRIPS
        tests = (self.value(loop.condition, {**env, loop.counter: k}) for k in range(64))
        count = next((k for k, test in enumerate(tests) if not test), 64)
        return count if self.value(loop.condition, {**env, loop.counter: count}) == 0 else max(count, MOST_TRIPS)

    def instances(self, access: Access, env: dict[Symbol, int]) -> Iterator[tuple[dict[Symbol, int], bool]]:
        """Assignments of the counters around an access, each with whether that iteration surely takes place."""

        def loops(at: int, env: dict[Symbol, int], sure: bool) -> Iterator[tuple[dict[Symbol, int], bool]]:
            if at == len(access.loops):
                yield env, sure
                return
            loop = access.loops[at]
            trips = self.trips(loop, env)
            count = trips if trips is not None else self.most(loop, env)
            if loop.condition is not None and not loop.post_tested and all(g.loop is not loop for g in access.guards):
                count += 1  # the access belongs to the condition, which is tested once more than it holds
            for k in range(count):
                yield from loops(at + 1, {**env, loop.counter: k}, sure and trips is not None)

        yield from loops(0, env, True)


def home(root: Root) -> tuple[str, int] | None:
    """Name of the emulator's object for a root and where the root begins in it; None for an unknown object."""
    if root.kind in (RootKind.UNKNOWN, RootKind.LOADED):
        return None
    if root.kind is RootKind.PARAM or not root.path or root.decl is None:
        return root.name, 0
    kind, shift = root.decl.type, 0
    for step in root.path.split("."):
        found = kind.field(step) if isinstance(kind, StructType) else None
        if found is None or found.offset is None:
            return None
        kind, shift = found.type, shift + found.offset
    return root.decl.name, shift


def disagreements(trace: Trace, launched: Launched, outcome: Outcome, log: list[Seen], source: SourceFile) -> list[str]:
    """Where emulator and trace contradict each other.

    Every access that happened must be predicted; what is predicted without any doubt must have happened (when the
    run came to its end and the trace is whole).
    """
    predictions = Predictions(trace, launched, source)
    out: list[str] = []
    seen: dict[tuple[Place, int, str], list[Seen]] = {}
    objects = {
        root.name: source.line_of(root.decl.span.start)
        for root in trace.arrays
        if root.decl is not None and isinstance(root.decl.type, ArrayType)
    }
    for one in log:
        if one.space is Space.PRIVATE and objects.get(one.name, one.line) == one.line:
            continue  # a variable that the trace keeps as a value, or an initialiser
        seen.setdefault((one.place, one.line, one.kind), []).append(one)
    places = list(itertools.product(outcome.blocks, itertools.product(*(range(size) for size in launched.spec.block))))
    lines: dict[tuple[int, str], list[Access]] = {}
    for access in trace.accesses:
        decl = access.root.decl
        by_value = access.root.kind is RootKind.VARIABLE and (access.root.space is Space.PRIVATE or access.root.path)
        if by_value and decl is not None and not isinstance(decl.type, ArrayType):
            continue
        lines.setdefault((source.line_of(access.span.start), access.kind.value), []).append(access)
    for place in places:
        env = predictions.environment(place, launched.spec)
        keys = {key[1:] for key in seen if key[0] == place} | set(lines)
        for line, kind in sorted(keys):
            happened = seen.get((place, line, kind), [])
            out += _check(predictions, lines.get((line, kind), []), happened, env, (place, line, kind), trace, outcome)
        if len(out) > 5:
            break
    return out


def _check(
    p: Predictions,
    accesses: list[Access],
    happened: list[Seen],
    env: Mapping[Symbol, int],
    where: Any,
    trace: Trace,
    outcome: Outcome,
) -> Iterator[str]:
    covered: dict[tuple[str, int], set[int | None]] = {}  # lines of last barriers; None: any
    anything: set[Space] = set()
    sure_places: list[tuple[str, int]] = []
    for access in accesses:
        at_home = home(access.root)
        for inner, sure in p.instances(access, dict(env)):
            guards = [p.value(guard.term, inner) for guard in access.guards]
            if any(value == 0 for value in guards):
                continue
            offset = p.value(access.offset, inner)
            barriers = frozenset(
                0 if label.barrier is None else p.source.line_of(label.barrier.span.start)
                for label in access.labels
                if p.value(label.condition, inner) != 0
            )
            vague = access.asynchronous or any(not label.exact for label in access.labels)
            if at_home is None or offset is None or access.size is None:
                anything.add(access.root.space)
                continue
            name, shift = at_home
            for byte in range(offset + shift, offset + shift + access.size):
                slot = covered.setdefault((name, byte), set())
                slot |= barriers | ({None} if vague else set())
            told = access.root.space is not Space.PRIVATE  # not all accesses to variables of a thread are logged
            if sure and told and None not in guards and not access.asynchronous:
                sure_places.append((name, offset + shift))
    touched: set[tuple[str, int]] = set()
    for one in happened:
        touched |= {(one.name, byte) for byte in range(one.offset, one.offset + one.size)}
        if anything:
            continue
        slot = covered.get((one.name, one.offset))
        if slot is None:
            yield f"{where}: {one.kind} of {one.name}[{one.offset}] happened and is not predicted"
        elif one.barrier not in slot and None not in slot and not outcome.of(FaultKind.BARRIER_DIVERGENCE):
            yield f"{where}: {one.name}[{one.offset}] came after line {one.barrier}'s barrier; the trace has {slot}"
    whole = outcome.finished and trace.complete and not any(loop.leaves or loop.exits for loop in trace.loops)
    if whole and not any(fault.kind.value in ("trap", "assertion") for fault in outcome.faults):
        for name, offset in sure_places:
            if (name, offset) not in touched:
                yield f"{where}: {name}[{offset}] is predicted and did not happen"
