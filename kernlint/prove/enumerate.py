"""Refutation by trying small launches: a hash of the bytes that one access touches, probed by the other.

Everything is evaluated in machine integers, so a witness is a fact about the terms.  Scalars are given plausible
values only (positive sizes); which ones is said in the witness.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from kernlint.prove import choices, effort, walks
from kernlint.prove.choices import Chosen
from kernlint.prove.collect import Collector, Point, Points, collector, constants_of
from kernlint.prove.hints import Coarse, coarse, launch_bounds
from kernlint.prove.meet import WARP, meeting, warp
from kernlint.prove.query import (
    SETTLED,
    Actor,
    Bounds,
    Budget,
    Launch,
    Overlap,
    Query,
    Refuted,
    Side,
    Triple,
    is_shared,
)
from kernlint.record import dataclass, replace
from kernlint.symbolic.evaluate import compiled, evaluate, source_of
from kernlint.symbolic.intervals import Ranges
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, Symbol, SymbolKind, Term, symbols
from kernlint.tree.types import IntType

_SIZES = frozenset((*BLOCK_DIM, *GRID_DIM, *BLOCK))

TYPICAL = 120
"""Nodes of the terms of a typical query."""

TRIAL = 16
"""What trying a launch costs in points, besides the points."""

ENOUGH = 4096
"""Points kept of one access in one launch."""

FAR = 40
"""Iterations of one loop that are followed."""

PATIENCE = 4000
"""Points spent on a better witness once one within a warp is found."""


def refute(query: Query, budget: Budget) -> Refuted | None:
    """A launch, values and threads for which the fault happens, or None when none was found."""
    return search(query, budget)[0]


def search(query: Query, budget: Budget) -> tuple[Refuted | None, int]:
    """What :func:`refute` finds, and how many of the budget's points it took."""
    if effort.spent():
        return None, 0
    asked = _Search(query, budget)
    before = asked.points
    found = asked.run()
    cost = (before - asked.points) * asked.weight // TYPICAL
    effort.spend(cost + effort.QUESTION)
    return found, cost


_collectors: dict[tuple[object, ...], Collector | None] = {}
"""Collectors made of late: an access is asked about with many others."""

COLLECTORS = 128


RANGES = 8

_ranges: dict[Coarse, Ranges] = {}
"""Ranges of terms under the launches of late."""


def _ranges_of(launch: Launch, key: Coarse) -> Ranges:
    """The ranges of terms under ``launch``, whose coarse form is ``key``."""
    ranges = _ranges.get(key)
    if ranges is None:
        if len(_ranges) >= RANGES:
            _ranges.clear()
        ranges = _ranges[key] = Ranges(launch_bounds(launch, exact=False))
    return ranges


def _collector(side: Side, query: Query, shared: Sequence[Symbol], launch: Coarse, ranges: Ranges) -> Collector | None:
    """The collector of ``side``, which takes the values of those ``shared`` symbols that it speaks of."""
    mentioned = set(side.symbols)
    ours = tuple(symbol for symbol in shared if symbol in mentioned)
    within = query.within if isinstance(query, Overlap) else None
    key = (side, ours, within, query.private & mentioned, launch)
    if key not in _collectors:
        if len(_collectors) >= COLLECTORS:
            _collectors.clear()
        _collectors[key] = collector(side, query, ours, ranges)
    return _collectors[key]


def _sides(query: Query) -> tuple[Side, ...]:
    return (query.a, query.b) if isinstance(query, Overlap) else (query.access,)


class _Search:
    def __init__(self, query: Query, budget: Budget) -> None:
        self.query = query
        # a point costs what its terms cost, so large queries get fewer
        size = sum(term.size for side in _sides(query) for term in (side.offset, *side.facts))
        self.weight = max(TYPICAL, size)
        self.points = budget.points * TYPICAL // self.weight
        self.known = query.launch.known()
        terms: list[Term] = list(query.premises)
        sides = _sides(query)
        if isinstance(query, Bounds):
            terms.append(query.extent)
        found: dict[Symbol, None] = dict.fromkeys((*BLOCK_DIM, *GRID_DIM))
        if isinstance(query, Overlap) and query.within == "block":
            found.update(dict.fromkeys(BLOCK))
        found.update((s, None) for term in terms for s in symbols(term))
        found.update((s, None) for side in sides for s in side.symbols if is_shared(s, query))
        self.shared = list(found)
        launch = coarse(query.launch)
        ranges = _ranges_of(query.launch, launch)
        collected = [_collector(side, query, self.shared, launch, ranges) for side in dict.fromkeys(sides)]
        self.sides: list[Collector] = [c for c in collected if c is not None]
        self.computable = len(self.sides) == len(collected) and not self._excluded()
        if len(self.sides) < len(sides):
            self.sides *= 2
        constants = constants_of(terms)
        for side in self.sides:
            constants |= side.constants
        self.values = choices.Values(self.shared, self.known, constants, query.premises, query.launch.admission)
        self.check = self._premises(terms, ranges)
        self.best: Refuted | None = None
        self.plain = not any(side.counters for side in self.sides)
        self.shapes: dict[tuple[Triple, Triple, Triple], dict[Symbol, int]] = {}
        self.mentioned = self._mentioned()
        self.drawn = any(side.data for side in self.sides)
        self.barren: dict[object, int] = {}
        """Launches and values with which nobody met, with the points that showed it."""
        self.wary = False  # once a witness was turned down, settings are asked about before they are walked

    def admitted(self, block: Triple, grid: Triple, env: dict[Symbol, int], places: Sequence[Triple]) -> Triple | None:
        """The grid of a launch in sight that is as ``env`` says and has the blocks ``places``; None: there is none."""
        admission = self.query.launch.admission
        if not admission.ways:
            return grid
        x, y, z = (size if GRID_DIM[axis] in self.mentioned else None for axis, size in enumerate(grid))
        least_x, least_y, least_z = (max(place[axis] for place in places) + 1 for axis in range(3))
        values = [(symbol, env[symbol]) for symbol in self.shared if symbol not in _SIZES]
        return admission.fit(block, (x, y, z), values, (least_x, least_y, least_z))

    def _excluded(self) -> bool:
        """Whether guards that are not computable exclude each other."""
        from kernlint.symbolic.terms import negate

        skipped = {guard for side in self.sides for guard in side.skipped}
        return any(
            negate(guard) in skipped for guard in skipped if all(is_shared(s, self.query) for s in symbols(guard))
        )

    def _premises(self, terms: Sequence[Term], ranges: Ranges) -> Any:
        """Code that gives the premises' truth (and the extent) from the shared symbols' values."""
        names = [f"p[{i}]" for i in range(len(self.shared))]
        texts = source_of(terms, self.shared, names=names, fits=ranges.fits)
        if texts is None:
            return None
        try:
            return compiled(f"lambda p: ({''.join(text + ', ' for text in texts)})")
        except (SyntaxError, RecursionError, MemoryError):  # nested too deeply for Python
            return None

    # -- the search --------------------------------------------------------------------------------------------------

    def run(self) -> Refuted | None:
        if not self.computable or self.check is None:
            return None
        for trial, (block, grid, where, values) in enumerate(self._settings()):
            if self.points <= 0:
                break
            try:
                self._try(block, grid, where, values, trial)
            except ArithmeticError:  # undefined behaviour under these values: no witness
                continue
            if self.best is not None:
                if not self.best.same_warp or self._only_one_warp():
                    break
                self.points = min(self.points, PATIENCE)
        return self.best

    def _only_one_warp(self) -> bool:
        return isinstance(self.query, Bounds) or self.query.require_same_warp

    def _settings(self) -> Iterator[tuple[Triple, Triple, Triple, dict[Symbol, int]]]:
        """(block, grid, index of the block in question, values), the first launch's first trials first."""
        launch = self.query.launch
        single = isinstance(self.query, Overlap) and self.query.within == "block"
        grids = choices.grids(launch, self.query)
        if single:  # the grid and the block's place matter only where they are mentioned
            used = {symbol.kind for symbol in self.mentioned}
            if not used & {SymbolKind.BLOCK, SymbolKind.GRID_DIM}:
                grids = grids[-1:]
        shapes: list[tuple[Triple, Triple, Triple]] = []
        for block in choices.blocks(launch):
            for grid in grids:
                shapes.append((block, grid, (0, 0, 0)))
                if single and max(grid) > 1 and len(grids) > 1:
                    shapes.append((block, grid, (min(1, grid[0] - 1), min(1, grid[1] - 1), min(1, grid[2] - 1))))
        again = 6 if self.drawn else 1
        streams = [
            (values for values in self.values.trials(block, grid) for _ in range(again)) for block, grid, _ in shapes
        ]
        started = 0
        while streams:
            # every eight trials one more launch joins in
            for index in range(min(started // 8 + 1, len(streams))):
                values = next(streams[index], None)
                if values is not None:
                    yield (*shapes[index], values)
                elif index == 0:
                    started += 8
            started += 1
            if started > 8 * len(streams) + 160:
                return

    def _mentioned(self) -> set[Symbol]:
        query = self.query
        return {s for side in _sides(query) for s in side.symbols} | {s for p in query.premises for s in symbols(p)}

    def _try(self, block: Triple, grid: Triple, where: Triple, values: dict[Symbol, int], trial: int) -> None:
        self.points -= TRIAL
        shape = block, grid, where
        start = self.shapes.get(shape)
        if start is None:
            start = {**choices.dims_of(block, grid), **self.known}
            for symbol, dim in zip(BLOCK, where, strict=True):
                start.setdefault(symbol, dim)
            self.shapes[shape] = start
        env = {**start, **values}
        for symbol, term in self.values.definitions.items():
            value = evaluate(term, env)
            if value is None:
                return
            env[symbol] = symbol.type.wrap(value) if isinstance(symbol.type, IntType) else value
        launched = _launched(env, self.query, self.plain)
        if launched is None:
            return
        checked = self.check([env[symbol] for symbol in self.shared])
        premises = len(self.query.premises)
        if not all(checked[:premises]):
            return
        if self.wary and self.admitted(launched.block, launched.grid, env, (where,)) is None:
            return
        setting = _Setting(self, launched, env, trial)
        if isinstance(self.query, Bounds):
            setting.leave(self.query, checked[premises])
            return
        # What was varied since may be in the premises alone, or have come round again.
        first, second = self.sides
        drawn = (setting.data(first, False), setting.data(second, True)) if self.drawn else ()
        key = (launched, drawn, *(tuple([env[symbol] for symbol in side.shared]) for side in self.sides))
        spent = self.barren.get(key)
        if spent is not None:
            self.points -= spent
            return
        left = self.points
        if not setting.meet(self.query):
            self.barren[key] = left - self.points


@dataclass(frozen=True, slots=True, eq=False)
class _Launched:
    """A launch that is tried: which blocks and threads of it are walked."""

    block: Triple
    grid: Triple
    places: tuple[Triple, ...]
    walked: Chosen


def _launched(env: dict[Symbol, int], query: Query, plain: bool) -> _Launched | None:
    """The launch that ``env`` gives; None when there is no such launch.  ``plain``: the accesses stand in no loops."""
    block = (env[BLOCK_DIM[0]], env[BLOCK_DIM[1]], env[BLOCK_DIM[2]])
    grid = (env[GRID_DIM[0]], env[GRID_DIM[1]], env[GRID_DIM[2]])
    where = (env[BLOCK[0]], env[BLOCK[1]], env[BLOCK[2]])
    one = isinstance(query, Overlap) and query.within == "block"
    return _launch(block, grid, where, query.launch.max_threads, isinstance(query, Overlap), one, plain)


@lru_cache(maxsize=256)
def _launch(
    block: Triple, grid: Triple, where: Triple, most: int, pair: bool, one: bool, plain: bool
) -> _Launched | None:
    size = block[0] * block[1] * block[2]
    if min(*block, *grid) < 1 or size > most or any(w >= g for w, g in zip(where, grid, strict=True)):
        return None
    places = (where,) if one else tuple(choices.some_blocks(grid))
    if len(places) > 1 and pair:  # a few threads of each block show where blocks meet
        return _Launched(block, grid, places, (block, 3 * WARP, WARP, 1))
    # without loops it is cheap enough to walk every thread
    return _Launched(block, grid, places, (block, 1024 if one and plain else choices.MAX_WALKED, choices.PART, 1))


@dataclass(frozen=True, slots=True)
class _Reach:
    """How far loops are followed: ``limits`` of their counters; ``few`` threads are tried with the ``far`` limits and
    ``most`` points first (None: they are not), which are ``tried`` threads out of ``lanes``."""

    limits: tuple[int, ...]
    far: tuple[int, ...] | None
    few: Chosen
    most: int
    tried: int
    lanes: int


@lru_cache(maxsize=256)
def _reach(mosts: tuple[int | None, ...], conditional: tuple[bool, ...], places: int, walked: Chosen) -> _Reach:
    threads = len(choices.threads(walked))
    lanes = max(1, threads * places)
    count = len(mosts)
    room = max(2, int((ENOUGH / lanes) ** (1 / count))) if count else 1
    limits = []
    for most, known in zip(mosts, conditional, strict=True):
        limit = min(room, FAR) if known else 2
        limits.append(limit if most is None else min(limit, most))
    few = (*walked[:-1], max(1, threads // 4))
    tried = len(choices.threads(few))
    far = tuple(FAR if known else limit for limit, known in zip(limits, conditional, strict=True))
    short = room < FAR and any(conditional)
    return _Reach(tuple(limits), far if short else None, few, 4 * ENOUGH // max(1, lanes // tried), tried, lanes)


class _Setting:
    """One launch with values for everything shared."""

    def __init__(self, search: _Search, launched: _Launched, values: dict[Symbol, int], trial: int) -> None:
        self.search = search
        self.launched = launched
        self.block = launched.block
        self.values = values
        self.trial = trial

    def points(self, side: Collector, data: tuple[int, ...]) -> Points:
        """What ``side`` touches, as far as the budget goes."""
        search = self.search
        places, walked = self.launched.places, self.launched.walked
        reach = _reach(side.limits, side.conditional, len(places), walked)
        values = tuple([self.values[symbol] for symbol in side.shared])
        limits, enough = reach.limits, ENOUGH
        if reach.far is not None:
            # Loops that double or halve end soon: a few threads show whether all of them can be followed to the end.
            tried, steps = walks.walk(side, values, places[:1], reach.few, reach.far, reach.most, data)
            if not steps and len(places) == 1:
                return tried  # the values alone keep every thread out
            search.points -= steps
            if len(tried) < reach.most and steps * reach.lanes // reach.tried <= search.points:
                limits, enough = reach.far, 4 * ENOUGH
        found, steps = walks.walk(side, values, places, walked, limits, enough, data)
        if not steps:
            return found
        search.points -= steps
        while any(side.conditional) and len(found) * 8 <= ENOUGH and steps * 8 <= search.points:
            # Few threads get there: follow their loops further.
            wider = tuple(
                limit * 4 if conditional and limit < (most or ENOUGH) else limit
                for limit, most, conditional in zip(limits, side.limits, side.conditional, strict=True)
            )
            before, limits = limits, wider
            more, steps = walks.walk(side, values, places, walked, limits, ENOUGH, data)
            search.points -= steps
            if len(more) == len(found) or before == limits:
                break
            found = more
        return found

    def data(self, side: Collector, second: bool) -> tuple[int, ...]:
        """Values for what a thread's data decides: the same in both threads every other time."""
        if not side.data:
            return ()
        out = []
        for index, symbol in enumerate(side.data):
            pool = self.search.values.pool(symbol, self.block, self.launched.grid)
            apart = self.trial // 2 + 1 if second and self.trial % 2 else 0
            out.append(pool[(self.trial // 2 + index + apart) % len(pool)])
        return tuple(out)

    def leave(self, query: Bounds, extent: int) -> None:
        """Look for an access outside ``[0, extent)``."""
        side = self.search.sides[0]
        data = self.data(side, False)
        last = extent - query.access.size
        for point in self.points(side, data):
            if point[0] < 0 or point[0] > last:
                self._keep(self.refuted(side, point, data, None, None, (), True, extent))
                return

    def meet(self, query: Overlap) -> bool:
        """Look for two threads that touch one byte; whether there are such."""
        first, second = self.search.sides
        ours_data = self.data(first, False)
        ours = self.points(first, ours_data)
        if not ours:
            return False
        theirs_data = self.data(second, True)
        same = first is second and ours_data == theirs_data
        theirs = ours if same else self.points(second, theirs_data)
        if not theirs:
            return False
        pair = meeting(query, self.block, ours, theirs, first.counters, second.counters)
        if pair is None:
            return False
        one, other = pair
        same_warp = warp(one, self.block) == warp(other, self.block)
        if self.search.best is None or not same_warp:
            self._keep(self.refuted(first, one, ours_data, second, other, theirs_data, same_warp, None))
        return True

    def _keep(self, witness: Refuted) -> None:
        """Take ``witness`` for the best one if a launch in sight is like it."""
        places = [actor.block for actor in (witness.first, witness.second) if actor is not None]
        grid = self.search.admitted(witness.block, witness.grid, self.values, places)
        if grid is None:
            self.search.wary = True
        else:
            self.search.best = witness if grid == witness.grid else replace(witness, grid=grid)

    def refuted(
        self,
        first: Collector,
        x: Point,
        ours: Sequence[int],
        second: Collector | None,
        y: Point | None,
        theirs: Sequence[int],
        same_warp: bool,
        extent: int | None,
    ) -> Refuted:
        """The answer for a pair of points, or for one."""
        parts = [(first, x, ours)] + ([(second, y, theirs)] if second is not None and y is not None else [])
        actors = []
        doubtful = False
        for side, point, data in parts:
            counters = tuple(zip(side.counters, point[3], strict=True))
            beyond = any(k > 0 and not c for k, c in zip(point[3], side.conditional, strict=True))
            doubtful = doubtful or side.doubtful or bool(side.data) or beyond
            actors.append(Actor(point[1], point[2], point[0], counters, tuple(zip(side.data, data, strict=True))))
        mentioned = self.search.mentioned
        dims = (SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM, SymbolKind.BLOCK)
        values = []
        for symbol in self.search.shared:
            if symbol.kind not in dims:
                values.append((symbol, self.values[symbol]))
                doubtful = doubtful or (
                    symbol.kind not in SETTLED and symbol in mentioned and symbol not in self.search.known
                )
        return Refuted(
            self.block,
            self.launched.grid,
            tuple(values),
            actors[0],
            actors[1] if len(actors) > 1 else None,
            doubtful,
            any(side.data_in_address for side, _, _ in parts),
            same_warp,
            extent,
        )
