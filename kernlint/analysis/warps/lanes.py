"""Which lanes of one warp reach an event, and what its terms are worth in each of them.

The question of :mod:`kernlint.analysis.launching.agreement`, asked of a warp instead of a block.  A :class:`Warp` is
one warp of one block under one *sample*: values for everything that the lanes have in common (parameters, loop
counters, what is not understood).  What memory holds is a function of the address, the same wherever it is read;
functions that are not modelled, and floating-point arithmetic, are functions of their arguments.  The results of votes
and shuffles are computed from what the lanes pass in, so the ballot of a condition is the mask of just the lanes that
satisfy it.

A sample is evidence for a fault, never for its absence: a few dozen of them are tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.launching.launch_context import LaunchContext, launch_context
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.scenarios.scenario import Scenarios
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Event, Guard, GuardKind, LoopContext, Trace, WarpEvent
from kernlint.analysis.warps.comparisons import compared, solved
from kernlint.analysis.warps.samples import (
    Common,
    Number,
    Sample,
    asked_for,
    common_to_grid,
    of_rounds,
    scramble,
    spoken_of,
    warps_spoken_of,
)
from kernlint.record import replace
from kernlint.symbolic.evaluate import CALLS, evaluate
from kernlint.symbolic.terms import (
    BLOCK,
    BLOCK_DIM,
    GRID_DIM,
    OFFSET,
    THREAD,
    WARP_SIZE,
    Symbol,
    SymbolKind,
    Term,
    Uniformity,
    apply,
    plain,
    symbols,
)
from kernlint.symbolic.uniformity import variation
from kernlint.tree.types import IntType

Block = tuple[int, int, int]
SAMPLES = 20
"""Samples tried for one block."""

WARPS = 3
"""Warps of a block that are looked at: the first ones and the last."""

SPOKEN = 4
"""Further ones, in which a condition parts the lanes by a constant."""

TORN = 2
"""Comparisons, and samples for each, in which a parameter is chosen to part the lanes of a warp."""

FITTING = (1, 3, 8, 32, 64, 100, 128, 256, 512, 1024, 4096, 0)
"""Values that variables of the host are given where its checks leave nothing of what is tried otherwise."""

GRID = 4
"""Blocks of the grid along each axis in a sample."""

STAYS = (GuardKind.BRANCH, GuardKind.LOOP, GuardKind.SKIP, GuardKind.SHORT)
"""Guards whose losers live on in the kernel."""


class Undecided(Exception):
    """A value rests on something of which nothing can be said."""


class Warp:
    """The lanes of warp ``number`` of the block at ``place`` in the grid, under a sample."""

    def __init__(self, number: int, size: int, block: Block, place: Block, sample: Sample) -> None:
        self.number = number
        self.size = size
        self.block = block
        self.sample = sample
        self.place = place
        self._before: dict[Symbol, Warp] = {}
        self._masking = False
        threads = block[0] * block[1] * block[2]
        self.lanes = tuple(lane for lane in range(size) if number * size + lane < threads)
        shared: dict[Symbol, int] = {WARP_SIZE: size}
        for axis in range(3):
            shared[BLOCK_DIM[axis]] = block[axis]
            shared[BLOCK[axis]] = place[axis]
            shared[GRID_DIM[axis]] = GRID
            shared[OFFSET[axis]] = 0
        self.values: list[dict[Symbol, int]] = []
        self._memo: list[dict[Term, Number]] = []
        for lane in range(size):
            at = number * size + lane
            x, y, z = at % block[0], at // block[0] % block[1], at // (block[0] * block[1])
            self.values.append({**shared, THREAD[0]: x, THREAD[1]: y, THREAD[2]: z})
            self._memo.append({})
        self._results: dict[int, dict[int, Number]] = {}

    # ------------------------------------------------------------------------------------------------- lanes

    def thread(self, lane: int) -> Block:
        """Index (x, y, z) of the thread that is ``lane``."""
        values = self.values[lane]
        return values[THREAD[0]], values[THREAD[1]], values[THREAD[2]]

    def holds(self, guards: Iterable[Guard], lane: int) -> bool:
        """Whether every guard holds in ``lane``.  Raises :class:`Undecided`."""
        return all(self.value(guard.term, lane) for guard in guards)

    def alive(self, event: Event) -> tuple[int, ...]:
        """Lanes that have not left the kernel before ``event``."""
        exits = [guard for guard in event.guards if guard.kind is GuardKind.EXIT]
        return tuple(lane for lane in self.lanes if self.holds(exits, lane))

    def arriving(self, event: Event) -> tuple[int, ...]:
        """Lanes that reach ``event``, in the iteration that the sample's loop counters say."""
        return tuple(lane for lane in self.lanes if self.holds(_paths(event), lane))

    # ------------------------------------------------------------------------------------------------ values

    def value(self, term: Term, lane: int) -> Number:
        """Value of ``term`` in ``lane``.  Raises :class:`Undecided`."""
        memo = self._memo[lane]
        known = memo.get(term)
        if known is None:
            known = memo[term] = self._compute(term, lane)
        return known

    def _compute(self, term: Term, lane: int) -> Number:
        op, kind = term.op, term.type
        if op == "const":
            constant: Number = term.args[0]
            return constant
        if op == "sym":
            return self._symbol(term.args[0], lane)
        if op in ("land", "lor"):
            first = bool(self.value(term.args[0], lane))
            return int(first) if first is (op == "lor") else int(bool(self.value(term.args[1], lane)))
        if op == "select":
            return self._typed(self.value(term.args[1 if self.value(term.args[0], lane) else 2], lane), term)
        if op == "call":
            return self._called(term, lane)
        args = [self.value(arg, lane) for arg in term.args]
        if op == "lnot":
            return int(not args[0])
        if op == "cast":
            return self._typed(args[0], term)
        if op in ("lt", "le", "eq", "ne"):
            a, b = args
            return int({"lt": a < b, "le": a <= b, "eq": a == b, "ne": a != b}[op])
        if op in ("min", "max"):
            return min(args) if op == "min" else max(args)
        if isinstance(kind, IntType) and all(isinstance(arg, int) for arg in args):
            if op in ("neg", "not"):
                return kind.wrap(-int(args[0]) if op == "neg" else ~int(args[0]))
            result = apply(op, int(args[0]), int(args[1]), kind)
            if result is None and self._masking and op == "shl" and int(args[1]) >= kind.bits:
                result = apply(op, int(args[0]), int(args[1]) % kind.bits, kind)
            if result is None:
                raise Undecided
            return result
        return scramble(op, *args)

    def _typed(self, value: Number, term: Term) -> Number:
        return term.type.wrap(int(value)) if isinstance(term.type, IntType) else value

    def _called(self, term: Term, lane: int) -> Number:
        args = [self.value(arg, lane) for arg in term.args[1:]]
        function = CALLS.get(term.args[0])
        if function is not None and len(args) == 1 and isinstance(args[0], int):
            inner = term.args[1].type
            if isinstance(inner, IntType) and isinstance(term.type, IntType):
                return term.type.wrap(function(args[0], inner.bits))
        return self._typed(scramble(term.args[0], *args), term)

    def _symbol(self, symbol: Symbol, lane: int) -> Number:
        given = self.values[lane].get(symbol)
        if given is not None:
            return given
        if isinstance(symbol.origin, WarpEvent):
            return self._collective(symbol, symbol.origin, lane)
        if symbol.kind is SymbolKind.LOAD and symbol.surely is not Uniformity.GRID:
            root, offset = symbol.origin
            raw = scramble(self.sample.seed, root.name, self.value(offset, lane))
            if self.sample.sparse and raw % 2:
                return 0
            signed = not isinstance(symbol.type, IntType) or symbol.type.signed
            return self._typed(raw - 30 if signed else raw, symbol.term)
        if symbol.kind is SymbolKind.PHI and isinstance(symbol.origin, LoopContext):
            return self._carried(symbol, symbol.origin, lane)
        if symbol.surely is Uniformity.VARYING and symbol.kind is not SymbolKind.UNKNOWN:
            raise Undecided
        return self.sample.common(symbol)

    def _carried(self, symbol: Symbol, loop: LoopContext, lane: int) -> Number:
        """A variable at the head of a loop: what it had at entry, or what the round before made of it."""
        if symbol.init is None or symbol.step is None:
            raise Undecided
        if not self.sample.common(loop.counter):
            return self._typed(self.value(symbol.init, lane), symbol.term)
        return self._typed(self._round_before(loop).value(symbol.step, lane), symbol.term)

    def _round_before(self, loop: LoopContext) -> Warp:
        before = self._before.get(loop.counter)
        if before is None:
            count = int(self.sample.common(loop.counter)) - 1
            sample = replace(self.sample, fixed={**self.sample.fixed, loop.counter: count})
            before = Warp(self.number, self.size, self.block, self.place, sample)
            self._before[loop.counter] = before
        return before

    # ------------------------------------------------------------------------------------------- collectives

    def mask(self, term: Term, lane: int) -> int:
        """The lane mask ``term`` of ``lane``, as an unsigned number.  Raises :class:`Undecided` also when it rests on
        something that is merely made up.  A bit that is moved past the end of its type comes in again below, as shifts
        of processors have it: it may go, but it names no lane that is meant."""
        for symbol in symbols(term):
            if symbol.kind is SymbolKind.UNKNOWN and not isinstance(symbol.origin, WarpEvent):
                raise Undecided
            if symbol.kind in (SymbolKind.PHI, SymbolKind.EXIT, SymbolKind.TRIPS, SymbolKind.LOAD):
                raise Undecided
        self._masking = True
        try:
            return int(self.value(term, lane)) & ((1 << self.size) - 1)
        finally:
            self._masking = False

    def _collective(self, symbol: Symbol, event: WarpEvent, lane: int) -> Number:
        results = self._results.get(id(event))
        if results is None:
            results = self._results[id(event)] = {}
            results.update(self._collected(event))
        if lane in results:
            return results[lane]
        if event.node.kind in ("ballot", "activemask", "match"):
            raise Undecided
        return self.sample.common(symbol)

    def _collected(self, event: WarpEvent) -> dict[int, Number]:
        """What the collective gives each lane that takes part; empty where it is not modelled."""
        kind = event.node.kind
        if kind == "shuffle" and len(event.operands) > 1 and event.operands[1].op == "const":
            source = int(event.operands[1].args[0]) % self.size
            return dict.fromkeys(self.lanes, self.value(event.operands[0], source)) if event.width is None else {}
        if kind not in ("ballot", "activemask", "match", "any", "all"):
            return {}
        arriving = self.arriving(event)
        if kind == "activemask":
            return dict.fromkeys(arriving, _bits(arriving))
        if not event.operands:
            return {}
        passed = {lane: self.value(event.operands[0], lane) for lane in arriving}
        if kind == "match":
            if "all" in event.node.name:
                return {}
            return {lane: _bits(other for other in arriving if passed[other] == passed[lane]) for lane in arriving}
        if kind == "ballot":
            return dict.fromkeys(arriving, _bits(lane for lane in arriving if passed[lane]))
        return dict.fromkeys(arriving, int(any(passed.values()) if kind == "any" else all(passed.values())))


def _paths(event: Event) -> tuple[Guard, ...]:
    return tuple(g for g in event.guards if g.kind is not GuardKind.AFTER_LOOP)


def _bits(lanes: Iterable[int]) -> int:
    return sum(1 << lane for lane in lanes)


class Lanes:
    """Makes the warps of a kernel variant on which questions about lanes are tried out.

    ``size``: lanes of a warp; for OpenCL the fewest that sub-groups usually have.  ``blocks``: those a fault has to
    show under; under any one of them when ``seen``.
    """

    def __init__(self, of: Trace, context: LaunchContext, known: Scenarios, language: str) -> None:
        self.size = {"hip": 64, "opencl": 8}.get(language, 32)
        self.seen = known.seen
        self._context = context
        self._memo: dict[Term, Uniformity] = {}
        several = known.threads[1] or known.threads[2]
        if known.seen:
            self.blocks: tuple[Block, ...] = tuple(dict.fromkeys(shape.block for shape in known.plausible))
        elif several:
            depth = 2 if known.threads[2] else 1
            self.blocks = ((64, 2, depth), (64, 4, depth)) if self.size == 64 else ((32, 4, depth), (64, 2, depth))
        else:
            largest = max((shape.block[0] for shape in known.plausible), default=128)
            self.blocks = ((max(largest, self.size), 1, 1),)
        self._spoken = () if several else tuple(islice(warps_spoken_of(of, self.size), SPOKEN))
        self._made: dict[Block, list[Warp]] = {}
        self._numbers: dict[Symbol, int] = {}
        self._modes: dict[tuple[Warp, tuple[tuple[Symbol, int], ...]], Warp] = {}
        self._let: list[tuple[int, dict[Symbol, int]]] | None = None

    def varies(self, term: Term) -> bool:
        """Whether lanes of a warp may be expected to disagree on ``term``: worth trying out."""
        return variation(term, self._memo) is Uniformity.VARYING

    def warps(self, block: Block) -> Iterator[Warp]:
        """Warps of ``block`` under one sample after the other.  Reproducible."""
        made = self._made.get(block)
        if made is None:
            made = self._made[block] = list(self._make(block))
        yield from made

    def _make(self, block: Block) -> Iterator[Warp]:
        count = max(1, -(-block[0] * block[1] * block[2] // self.size))
        spoken = (number for number in self._spoken if number < count)
        numbers = sorted({*range(min(count, WARPS - 1)), *spoken, count - 1})
        for seed, hosts in self._seeds():
            given = self._images(seed, hosts=hosts)
            if given is None:
                continue
            sample = Sample(seed, given, self._numbers)
            place = (seed % GRID, seed // 2 % 2, 0)
            for number in numbers:
                yield Warp(number, self.size, block, place, sample)

    def torn(self, block: Block, terms: Iterable[Term]) -> Iterator[Warp]:
        """Warps of ``block`` under samples made for conditions on which lanes have not disagreed by chance: the one
        parameter that an index is compared with lies between two lanes' indices, or much of what memory holds is zero.
        Few, and none where a condition compares nothing of that kind."""
        terms = tuple(terms)
        sides = [side for term in terms for side in compared(term)]
        for index, free in sides[:TORN] if sides else ():
            for seed, hosts in self._seeds()[:TORN]:
                for number in sorted({0, 1, -(-block[0] * block[1] * block[2] // self.size) - 1}):
                    made = self._torn(number, block, seed, index, free, hosts)
                    if made is not None:
                        yield made
        if any(symbol.kind is SymbolKind.LOAD for term in terms for symbol in symbols(term)):
            for seed, hosts in self._seeds()[:TORN]:
                given = self._images(seed, hosts=hosts)
                if given is not None:
                    yield Warp(0, self.size, block, (0, 0, 0), Sample(seed, given, self._numbers, sparse=True))

    def in_mode(self, warp: Warp, event: Event) -> Warp:
        """The same warp where arguments, and what memory holds for the whole grid, are as those conditions of an event
        ask that speak of nothing else: some caller asks for the mode."""
        guards = [guard for guard in _paths(event) if all(map(common_to_grid, symbols(guard.term)))]
        wanted: dict[Symbol, int] = {}
        for guard in guards:
            if not warp.value(guard.term, warp.lanes[0]):
                wanted.update(asked_for(guard.term))
        key = warp, tuple(wanted.items())
        if wanted and key not in self._modes:
            given = self._images(warp.sample.seed, wanted)
            met = given is not None and all(given.get(symbol) == value for symbol, value in wanted.items())
            sample = replace(warp.sample, fixed={**(given or {}), **warp.sample.fixed, **wanted})
            self._modes[key] = Warp(warp.number, warp.size, warp.block, warp.place, sample) if met else warp
        return self._modes[key] if wanted else warp

    def _seeds(self) -> list[tuple[int, dict[Symbol, int]]]:
        """The samples that what the host checks lets through, with the host variables that had to be moved for it."""
        if self._let is None:
            made = [(seed, dict[Symbol, int]()) for seed in range(SAMPLES) if self._images(seed) is not None]
            self._let = made or [(seed, moved) for seed in range(SAMPLES) if (moved := self._moved(seed))]
        return self._let

    def _torn(
        self, number: int, block: Block, seed: int, index: Term, free: Term, hosts: Mapping[Symbol, int]
    ) -> Warp | None:
        given = self._images(seed, hosts=hosts)
        (param,) = symbols(free)
        if given is None or number < 0 or number * self.size >= block[0] * block[1] * block[2]:
            return None
        place = (seed % GRID, 0, 0)
        warp = Warp(number, self.size, block, place, Sample(seed, given, self._numbers))
        try:
            found = sorted({int(warp.value(index, lane)) for lane in warp.lanes})
        except Undecided:
            return None
        if len(found) < 2:
            return None
        wanted = solved(free, param, found[0] + 1, found[-1])
        chosen = None if wanted is None else self._images(seed, {param: wanted}, hosts)
        if chosen is None or chosen.get(param) != wanted:
            return None
        return Warp(number, self.size, block, place, Sample(seed, chosen, self._numbers))

    def _moved(self, seed: int) -> dict[Symbol, int] | None:
        """Host variables that are moved one by one to where the checks of the host hold that say so; None where that
        does not make all of them hold."""
        views = self._context.launches
        checks = [check for check in views[seed % len(views)].checks if not of_rounds(check)] if views else []
        hosts: dict[Symbol, int] = {}
        for number, check in enumerate(checks):
            met = checks[: number + 1]
            if self._holding(met, seed, hosts):
                continue
            free = [s for s in symbols(check) if s.kind is SymbolKind.PARAM and isinstance(s.type, IntType)]
            fitting = (*FITTING, *spoken_of(met))
            tries = ({**hosts, s: fitting[(seed + n) % len(fitting)]} for s in free for n in range(len(fitting)))
            moved = next((one for one in tries if self._holding(met, seed, one)), None)
            if moved is None:
                return None
            hosts = moved
        return hosts if hosts and self._images(seed, hosts=hosts) is not None else None

    def _holding(self, checks: Iterable[Term], seed: int, hosts: Mapping[Symbol, int]) -> bool:
        env = Common(Sample(seed, hosts, self._numbers))
        return all(evaluate(check, env) != 0 for check in checks)

    def _images(
        self, seed: int, wanted: Mapping[Symbol, int] | None = None, hosts: Mapping[Symbol, int] | None = None
    ) -> dict[Symbol, int] | None:
        """Parameters as a launch in sight passes them, its host variables made up; None where the host has checked
        that it is not so.  ``wanted``: what parameters are to be, as far as the host passes on what it was given.
        ``hosts``: values of host variables."""
        out: dict[Symbol, int] = dict(wanted or {})
        views = self._context.launches
        if views:
            view = views[seed % len(views)]
            own = {plain(image).symbol: out[param] for param, image in view.images if param in out}
            given = {**(hosts or {}), **{host: value for host, value in own.items() if host is not None}}
            env = Common(Sample(seed, given, self._numbers))
            if any(evaluate(check, env) == 0 for check in view.checks if not of_rounds(check)):
                return None
            for symbol, image in view.images:
                value = evaluate(image, env) if symbol.kind is SymbolKind.PARAM else None
                if value is not None:
                    out[symbol] = value
        return out


def _compute(facts: Facts) -> Lanes:
    return Lanes(facts[trace], facts[launch_context], facts[scenarios], facts.module.language)


lanes = KernelAnalysis("lanes", _compute, needs=(trace, launch_context, scenarios))
"""The :class:`Lanes` of a kernel variant."""
