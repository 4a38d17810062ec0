"""Lists of a constant length that a thread fills one by one as far as data say, and of which nobody asks how full.

``int list[48]; for (f = 0; f < fragments; ++f) if (near(f)) list[n++] = f;`` holds as many as there happen to be.  How
often the count goes up is left to something that has no end of its own:

* a loop over as many items as threads of a kernel of the file are tested against: a number of the data;
* a loop that goes as far as memory says: a range of a row, a chain of links;
* a loop that goes on while each of several numbers is above 0, of which data lower one or another in each round (the
  way back through a table of two texts): it has as many rounds as they come to together, by the tests that cap them;
* a loop that goes on in steps of a number in floating point as far as data or arguments say: a march along a ray.

Silent where anything asks how large the count gets, where launches in sight bound the items, where the count goes
down again (a stack is as high as a tree is deep), and where the loop goes through rows of memory that are no longer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernlint.analysis.base import Facts, ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.bounds import mentions
from kernlint.analysis.extent.checked_limits import limits_of
from kernlint.analysis.extent.counts import Count, cap_of, count_of, left_before, moved, ways
from kernlint.analysis.extent.extents import numbers_made_up
from kernlint.analysis.extent.full_counts import pushed_at, reaches
from kernlint.analysis.extent.pending import asks
from kernlint.analysis.extent.uncapped import element_of
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, GuardKind, LoopContext, RootKind, Trace
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, symbols
from kernlint.tree.types import FloatType, IntType, Space


def _items(facts: ModuleFacts) -> frozenset[str]:
    """Names of integer arguments that kernels of a file test the number of a thread in the grid against."""
    found: set[str] = set()
    traces = [of for _, of in facts[kernel_traces].compared()]
    alone = [facts[kernel_traces].of(kernel.variants[0]) for kernel in facts.module.kernels[: 0 if traces else 1]]
    for of in (*traces, *alone):
        for test in of.conditions:
            for part in conjuncts(test.term):
                if part.op not in ("lt", "le") or not any(s.kind is SymbolKind.BLOCK for s in symbols(part)):
                    continue
                sizes = (plain(arg).symbol for arg in part.args)
                found |= {s.name for s in sizes if s is not None and s.kind is SymbolKind.PARAM}
    return frozenset(found)


numbers_of_items = ModuleAnalysis("numbers_of_items", _items, needs=(kernel_traces,))
"""Names of the arguments of a file's kernels that count what its threads have one each of."""


class _Kernel:
    """The loops of a kernel that have no end of their own."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.of: Trace = facts[trace]

    def run(self) -> Iterator[tuple[Access, int]]:
        """(store, elements of the list) of each fill that nothing ends."""
        done: set[object] = set()
        for access in self.of.accesses:
            root = access.root
            if (
                access.kind is not AccessKind.WRITE
                or not access.loops
                or root in done
                or access.offset.value is not None
            ):
                continue
            if root.space is not (Space.PRIVATE if root.kind is RootKind.VARIABLE else Space.GLOBAL):
                continue
            room = self._counted(access) or self._in_rounds(access)
            if room is not None:
                done.add(root)
                yield access, room

    def _counted(self, access: Access) -> int | None:
        """The room of a list that is filled at a count, if data say how large that gets."""
        push = pushed_at(access)
        if push is None or push.beyond < 0:
            return None
        for value, under in ways(push.counted):
            base, step = moved(value) or (None, 0)
            count = count_of(base, self.of) if base is not None and base.kind is SymbolKind.PHI else None
            if base is None or count is None or not count.endless or count.most is not None or not _only_up(count):
                continue
            if reaches(push, count, step, under)[0] is not None or left_before(access, count, push.room):
                continue
            loops = [loop for loop in access.loops if count.made_of & set(loop.phis)]
            if any(self._open(loop, access, push.room) for loop in loops) and not asks(
                self.of, count.made_of, (access,)
            ):
                return push.room
        return None

    def _in_rounds(self, access: Access) -> int | None:
        """The room of a list that each round of a loop stores one more element to."""
        loop = access.loops[0] if access.loops else None
        place = element_of(access)
        if loop is None or place is None or place.coefficients.get((loop.counter.term,)) != 1:
            return None
        rest = {mono: times for mono, times in place.coefficients.items() if mono and mono != (loop.counter.term,)}
        if access.root.kind is RootKind.VARIABLE:
            room = (access.root.extent or 0) // (access.root.element.size or 1) if not rest else 0
        else:
            lengths = {abs(times) for times in rest.values()}
            room = lengths.pop() if len(lengths) == 1 and _by_thread(rest) else 0
        if room < 2 or any(loop.counter in symbols(term) for term in loop.ends):
            return None
        if any(loop.counter in symbols(guard.term) for guard in access.guards):
            return None
        return room if self._marches(loop) or _lowered(loop, access) > room else None

    # ---------------------------------------------------------------------------------------------- loops without end

    def _open(self, loop: LoopContext, access: Access, room: int) -> bool:
        """Whether a loop goes on as often as the number of items, or what memory holds, says."""
        if self._marches(loop) or _lowered(loop, access) > room:
            return True
        if not _by_data(access) or loop.condition is None or loop.post_tested:
            return False
        parts = list(conjuncts(loop.condition))
        return all(self._long(part, loop, access) or _of_data(part) for part in parts) and any(
            self._long(part, loop, access) for part in parts
        )

    def _long(self, part: Term, loop: LoopContext, access: Access) -> bool:
        """Whether a truth ends a loop at a number of items, or at the end of a range that memory gives."""
        end = cap_of(part, loop.counter.term)
        if end is None or end.constant is not None:
            return False
        items, held = False, False
        for mono, times in end.coefficients.items():
            symbol = mono[0].symbol if len(mono) == 1 else None
            if symbol is None:
                if mono:
                    return False
            elif symbol.kind is SymbolKind.PARAM:
                items = items or (times == 1 and self._counts_items(symbol))
            elif symbol.kind is SymbolKind.LOAD:
                held = held or times == 1
        return items or (held and self._in_range(loop))

    def _in_range(self, loop: LoopContext) -> bool:
        """Whether a loop goes through a range of memory that begins where memory says."""
        counter = (loop.counter.term,)
        for one in self.of.accesses:
            if loop in one.loops and one.root.kind is RootKind.PARAM:
                form = polynomial(one.offset).coefficients
                atoms = {mono[0].symbol for mono in form if len(mono) == 1}
                if counter in form and any(s is not None and s.kind is SymbolKind.LOAD for s in atoms):
                    return True
        return False

    def _counts_items(self, size: Symbol) -> bool:
        """Whether an argument counts items of the data, and no launch in sight says how many at the most."""
        if size.name not in self.facts[numbers_of_items]:
            return False
        for view in self.facts[launch_context].launches:
            image = dict(view.images).get(size)
            tests = [part for check in view.checks for part in conjuncts(check)]
            if image is None or not symbols(image) or any(any(limits_of(s, tests)) for s in symbols(image)):
                return False
        return True

    def _marches(self, loop: LoopContext) -> bool:
        """Whether a loop goes on in steps of a number in floating point as far as data or arguments say, or along a
        chain of links, and ends early by what data say alone."""
        if loop.post_tested or loop.doubtful or loop.condition is None:
            return False
        parts = list(conjuncts(loop.condition))
        ends = loop.left_by
        marching = [part for part in parts if _steps(part, loop) or _links(part, loop)]
        return bool(marching) and all(part in marching or _of_data(part) for part in parts) and all(map(_of_data, ends))


def _lowered(loop: LoopContext, access: Access) -> int:
    """The most rounds of a loop that goes on while several numbers are above 0, each of them lowered by one where data
    have it so, as tests before it cap what they begin at; 0 for any other loop, or without caps."""
    parts = list(conjuncts(loop.condition)) if loop.condition is not None and not loop.post_tested else []
    if len(parts) < SEVERAL or _leaves(loop):
        return 0
    tests = [part for guard in access.guards for part in conjuncts(guard.term) if guard.kind is not GuardKind.LOOP]
    rounds = 1 - len(parts)
    for part in parts:
        symbol = plain(part.args[1]).symbol if part.op in ("lt", "le") else None
        least = part.args[0].value if symbol is not None else None
        if symbol is None or symbol not in loop.phis or symbol.init is None or symbol.step is None or least is None:
            return 0
        moves = [(moved(value), under) for value, under in ways(symbol.step)]
        if {move for move, _ in moves} != {(symbol, 0), (symbol, -1)}:
            return 0
        if not all(any(map(_of_data, under)) for _, under in moves):
            return 0
        starts = {symbol.init, plain(symbol.init)}
        caps = [cap.constant for test in tests for at in starts for cap in (cap_of(test, at),) if cap is not None]
        known = [cap for cap in caps if cap is not None]
        if not known:
            return 0
        rounds += min(known) - least + int(part.op == "le")
    return rounds


SEVERAL = 2
"""Numbers that a loop lowers one or another of, at the least."""


def _leaves(loop: LoopContext) -> bool:
    return bool(loop.exits or loop.leaves or loop.returns or loop.doubtful)


def _only_up(count: Count) -> bool:
    """Whether no round makes a count smaller."""
    moves = [
        moved(value) for s in count.made_of for end in (s.init, s.step) if end is not None for value, _ in ways(end)
    ]
    return all(move is not None and move[1] >= 0 for move in moves)


def _by_thread(rest: Mapping[tuple[Term, ...], int]) -> bool:
    kinds = {s.kind for mono in rest for atom in mono for s in symbols(atom)}
    return bool(kinds & {SymbolKind.THREAD, SymbolKind.BLOCK}) and SymbolKind.PHI not in kinds


def _of_data(term: Term) -> bool:
    """Whether what memory holds decides a truth."""
    return mentions(term, SymbolKind.LOAD)


def _by_data(access: Access) -> bool:
    """Whether data decide if a store is made."""
    kinds = (GuardKind.LOOP, GuardKind.AFTER_LOOP)
    return any(guard.kind not in kinds and _of_data(guard.term) for guard in access.guards)


def _steps(part: Term, loop: LoopContext) -> bool:
    """Whether a truth compares a number in floating point that each round adds to with what data or arguments say."""
    if part.op not in ("lt", "le"):
        return False
    for at, other in (part.args, part.args[::-1]):
        mine = plain(at).symbol
        if mine is None or mine not in loop.phis or not isinstance(mine.type, FloatType) or mine.step is None:
            continue
        step = plain(mine.step)
        adds = step.op in ("add", "fadd") and sum(mine in symbols(arg) for arg in step.terms) == 1
        far = {s.kind for s in symbols(other)}
        return adds and any(arg is mine.term for arg in step.terms) and bool(far & {SymbolKind.LOAD, SymbolKind.PARAM})
    return False


def _links(part: Term, loop: LoopContext) -> bool:
    """Whether a truth asks a number that each round reads from memory at itself for the end of a chain."""
    for symbol in symbols(part) if part.op in ("ne", "lt", "le") and len(set(symbols(part))) == 1 else ():
        step = plain(symbol.step).symbol if symbol in loop.phis and symbol.step is not None else None
        if step is not None and step.kind is SymbolKind.LOAD and isinstance(step.origin, tuple):
            return isinstance(symbol.type, IntType) and symbol in symbols(step.origin[1])
    return False


def open_fills(facts: Facts) -> Iterator[tuple[Access, int]]:
    """(store, elements of the list or row) of each list of a kernel that is filled without an end."""
    if not facts[trace].calls and not numbers_made_up(facts):
        yield from _Kernel(facts).run()
