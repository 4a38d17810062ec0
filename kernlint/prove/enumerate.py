"""Refutation by trying small launches: a hash of the bytes that one access touches, probed by the other.

Everything is evaluated in machine integers, so a witness is a fact about the terms.  Scalars are given plausible
values only (positive sizes); which ones is said in the witness.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kernlint.prove import choices
from kernlint.prove.collect import Collector, Point, collector, constants_of
from kernlint.prove.hints import launch_bounds
from kernlint.prove.meet import WARP, meeting, warp
from kernlint.prove.query import SETTLED, Actor, Bounds, Budget, Overlap, Query, Refuted, Side, Triple, is_shared
from kernlint.symbolic.evaluate import compiled, evaluate, source_of
from kernlint.symbolic.intervals import Ranges
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, Symbol, SymbolKind, Term, symbols

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
    asked = _Search(query, budget)
    before = asked.points
    found = asked.run()
    return found, (before - asked.points) * asked.weight // TYPICAL


_collectors: dict[tuple[object, ...], Collector | None] = {}
"""Collectors made of late: an access is asked about with many others."""

COLLECTORS = 128


def _collector(side: Side, query: Query, shared: Sequence[Symbol], ranges: Ranges) -> Collector | None:
    """The collector of ``side``, which takes the values of those ``shared`` symbols that it speaks of."""
    mentioned = set(side.symbols)
    ours = tuple(symbol for symbol in shared if symbol in mentioned)
    within = query.within if isinstance(query, Overlap) else None
    key = (side, ours, within, query.private & mentioned, query.launch)
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
        ranges = Ranges(launch_bounds(query.launch))
        collected = [_collector(side, query, self.shared, ranges) for side in dict.fromkeys(sides)]
        self.sides: list[Collector] = [c for c in collected if c is not None]
        self.computable = len(self.sides) == len(collected) and not self._excluded()
        if len(self.sides) < len(sides):
            self.sides *= 2
        constants = constants_of(terms)
        for side in self.sides:
            constants |= side.constants
        self.values = choices.Values(self.shared, self.known, constants, query.premises)
        self.check = self._premises(terms, ranges)
        self.best: Refuted | None = None

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
            used = {symbol.kind for symbol in self._mentioned()}
            if not used & {SymbolKind.BLOCK, SymbolKind.GRID_DIM}:
                grids = grids[-1:]
        shapes: list[tuple[Triple, Triple, Triple]] = []
        for block in choices.blocks(launch):
            for grid in grids:
                shapes.append((block, grid, (0, 0, 0)))
                if single and max(grid) > 1 and len(grids) > 1:
                    shapes.append((block, grid, (min(1, grid[0] - 1), min(1, grid[1] - 1), min(1, grid[2] - 1))))
        again = 6 if any(side.data for side in self.sides) else 1
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
        env = {**choices.dims_of(block, grid), **values, **self.known}
        for symbol, dim in zip(BLOCK, where, strict=True):
            env.setdefault(symbol, dim)
        for symbol, term in self.values.definitions.items():
            value = evaluate(term, env)
            if value is None:
                self.points -= TRIAL
                return
            env[symbol] = value
        block = (env[BLOCK_DIM[0]], env[BLOCK_DIM[1]], env[BLOCK_DIM[2]])
        grid = (env[GRID_DIM[0]], env[GRID_DIM[1]], env[GRID_DIM[2]])
        where = (env[BLOCK[0]], env[BLOCK[1]], env[BLOCK[2]])
        self.points -= TRIAL
        size = block[0] * block[1] * block[2]
        if (
            min(*block, *grid) < 1
            or size > self.query.launch.max_threads
            or any(w >= g for w, g in zip(where, grid, strict=True))
        ):
            return
        shared = [env[symbol] for symbol in self.shared]
        checked = self.check(shared)
        premises = len(self.query.premises)
        if not all(checked[:premises]):
            return
        single = isinstance(self.query, Overlap) and self.query.within == "block"
        places = [where] if single else choices.some_blocks(grid)
        plain = single and not any(side.counters for side in self.sides)  # cheap enough to walk every thread
        if len(places) > 1 and isinstance(self.query, Overlap):  # a few threads of each block show where blocks meet
            walked = choices.threads(block, 3 * WARP, WARP)
        else:
            walked = choices.threads(block, 1024 if plain else choices.MAX_WALKED)
        setting = _Setting(self, block, grid, shared, trial)
        if isinstance(self.query, Bounds):
            setting.leave(self.query, places, walked, checked[premises])
        else:
            setting.meet(self.query, places, walked)


class _Setting:
    """One launch with values for everything shared."""

    def __init__(self, search: _Search, block: Triple, grid: Triple, shared: list[int], trial: int) -> None:
        self.search = search
        self.block = block
        self.grid = grid
        self.shared = shared
        self.values = dict(zip(search.shared, shared, strict=True))
        self.trial = trial

    def points(
        self, side: Collector, places: Sequence[Triple], walked: Sequence[Triple], data: Sequence[int]
    ) -> list[Point]:
        """What ``side`` touches, as far as the budget goes."""
        lanes = max(1, len(walked) * len(places))
        count = len(side.counters)
        room = max(2, int((ENOUGH / lanes) ** (1 / count))) if count else 1
        limits = []
        for most, conditional in zip(side.limits, side.conditional, strict=True):
            limit = min(room, FAR) if conditional else 2
            limits.append(limit if most is None else min(limit, most))
        values = [self.values[symbol] for symbol in side.shared]
        enough = ENOUGH
        if room < FAR and any(side.conditional):
            # Loops that double or halve end soon: a few threads show whether all of them can be followed to the end.
            few = walked[:: max(1, len(walked) // 4)]
            far = [FAR if conditional else limit for limit, conditional in zip(limits, side.conditional, strict=True)]
            most = 4 * ENOUGH // max(1, lanes // len(few))
            tried, steps = side.walk(values, places[:1], few, far, most, data)
            self.search.points -= steps
            if len(tried) < most and steps * lanes // len(few) <= self.search.points:
                limits, enough = far, 4 * ENOUGH
        found, steps = side.walk(values, places, walked, limits, enough, data)
        self.search.points -= steps
        while any(side.conditional) and len(found) * 8 <= ENOUGH and steps * 8 <= self.search.points:
            # Few threads get there: follow their loops further.
            wider = [
                limit * 4 if conditional and limit < (most or ENOUGH) else limit
                for limit, most, conditional in zip(limits, side.limits, side.conditional, strict=True)
            ]
            before, limits = limits, wider
            more, steps = side.walk(values, places, walked, limits, ENOUGH, data)
            self.search.points -= steps
            if len(more) == len(found) or before == limits:
                break
            found = more
        return found

    def data(self, side: Collector, second: bool) -> list[int]:
        """Values for what a thread's data decides: the same in both threads every other time."""
        out = []
        for index, symbol in enumerate(side.data):
            pool = self.search.values.pool(symbol, self.block, self.grid)
            apart = self.trial // 2 + 1 if second and self.trial % 2 else 0
            out.append(pool[(self.trial // 2 + index + apart) % len(pool)])
        return out

    def leave(self, query: Bounds, places: Sequence[Triple], walked: Sequence[Triple], extent: int) -> None:
        """Look for an access outside ``[0, extent)``."""
        side = self.search.sides[0]
        data = self.data(side, False)
        last = extent - query.access.size
        for point in self.points(side, places, walked, data):
            if point[0] < 0 or point[0] > last:
                self.search.best = self.refuted(side, point, data, None, None, (), True, extent)
                return

    def meet(self, query: Overlap, places: Sequence[Triple], walked: Sequence[Triple]) -> None:
        """Look for two threads that touch one byte."""
        first, second = self.search.sides
        ours_data = self.data(first, False)
        ours = self.points(first, places, walked, ours_data)
        if not ours:
            return
        theirs_data = self.data(second, True)
        same = first is second and ours_data == theirs_data
        theirs = ours if same else self.points(second, places, walked, theirs_data)
        if not theirs:
            return
        pair = meeting(query, self.block, ours, theirs, first.counters, second.counters)
        if pair is None:
            return
        one, other = pair
        same_warp = warp(one, self.block) == warp(other, self.block)
        if self.search.best is None or not same_warp:
            self.search.best = self.refuted(first, one, ours_data, second, other, theirs_data, same_warp, None)

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
        mentioned = self.search._mentioned()
        dims = (SymbolKind.BLOCK_DIM, SymbolKind.GRID_DIM, SymbolKind.BLOCK)
        values = []
        for symbol, value in zip(self.search.shared, self.shared, strict=True):
            if symbol.kind not in dims:
                values.append((symbol, value))
                doubtful = doubtful or (
                    symbol.kind not in SETTLED and symbol in mentioned and symbol not in self.search.known
                )
        return Refuted(
            self.block,
            self.grid,
            tuple(values),
            actors[0],
            actors[1] if len(actors) > 1 else None,
            doubtful,
            any(side.data_in_address for side, _, _ in parts),
            same_warp,
            extent,
        )
