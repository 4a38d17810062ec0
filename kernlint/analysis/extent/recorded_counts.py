"""Lists that one kernel fills as far as there is room, beside a count that goes on, and another reads as far as that.

``if (found < 64) list[i * 64 + found] = j; ++found; ... counts[i] = found;`` says that there may be more than 64; a
kernel of the file that goes through ``list[i * 64 + k]`` with ``k < counts[i]`` is in the next row then, or behind the
last.  So it is with slots: ``s = atomicAdd(&counts[i], 1); if (s < 64) list[i * 64 + s] = j;``, whose counter goes on
where a store is refused.  That count may come by way of the host, which copies it and passes it on as it is.  Silent
where anything else is asked of the number, where another kernel writes to the counts
(other than 0), and where the host asks for a counter that it has copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.counted_stores import drawn_stores
from kernlint.analysis.extent.counter_clamps import called, held_in
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.pushed import counted, counters, last_of_run, limits, most
from kernlint.analysis.extent.sizes import last_part
from kernlint.analysis.extent.told import Told
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.extent.uncapped import goes_on
from kernlint.analysis.launching.launch_context import launch_context
from kernlint.analysis.launching.launches import host
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, AccessKind, Guard, GuardKind, Root, RootKind, Trace
from kernlint.analysis.trace.kernels import kernel_traces
from kernlint.analysis.trace.values import PointerValue
from kernlint.analysis.wording import element, verb
from kernlint.apis import Moves, api_of
from kernlint.finding import Related
from kernlint.record import dataclass
from kernlint.symbolic.polynomial import Polynomial, number, polynomial, term_of
from kernlint.symbolic.show import words
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, subterms, symbols


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """``kernel`` stores to ``listed`` at a count that ``cap`` keeps below ``room``, and leaves all of the count in
    memory by ``record``; ``drawn``: which hands the count out."""

    kernel: str
    listed: str
    room: Polynomial
    cap: Guard
    record: Access
    drawn: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Overread:
    """An access as far as a recorded count says."""

    access: Access
    of: Recorded

    @property
    def told(self) -> Told:
        """What is wrong, in words."""
        return Told(
            f"{element(self.access)} is {verb(self.access)} as far as a count says that {self.of.kernel} leaves in "
            f"memory: it stores {words_of(self.of.room)} elements at most, and counts on",
            [
                Related(self.of.cap.span, "the elements are stored as far as there is room"),
                Related(self.of.record.span, f"the count {'goes up all the same' if self.of.drawn else _AS_IT_IS}"),
            ],
            "there are more to count than there is room for",
            f"go no further than {words_of(self.of.room)}, or record the count of what was stored",
        )


_AS_IT_IS = "is recorded as it is"


def words_of(room: Polynomial) -> str:
    """A number of elements, in words."""
    return words(term_of(room))


def _rows_of(form: Polynomial, own: tuple[Term, ...], room: Polynomial) -> bool:
    """Whether all of a place but ``own`` is a multiple of a number of elements."""
    rest = [(mono, times) for mono, times in form.coefficients.items() if mono and mono != own]
    if room.constant is not None:
        return bool(rest) and all(times % room.constant == 0 for _, times in rest)
    (name,) = {symbol.name for atom in room.atoms for symbol in symbols(atom)}
    return bool(rest) and all(any(a.symbol is not None and a.symbol.name == name for a in mono) for mono, _ in rest)


def _is_room(room: Polynomial) -> bool:
    if room.constant is not None:
        return room.constant > 1
    (mono, *more) = room.coefficients
    symbol = mono[0].symbol if len(mono) == 1 else None
    return not more and room.coefficients[mono] == 1 and symbol is not None and symbol.kind is SymbolKind.PARAM


def _pushes(of: Trace) -> Iterator[tuple[Access, Symbol, Guard, Polynomial]]:
    """(store, count, test, room) of stores in rows at a count that is tested against their length."""
    for access in of.accesses:
        found = elements(access) if access.kind is AccessKind.WRITE and access.root.kind is RootKind.PARAM else None
        for mono in found[0].coefficients if found is not None and not found[1] else ():
            count = mono[0].symbol if len(mono) == 1 else None
            if found is None or count is None or count.kind is not SymbolKind.PHI or found[0].coefficients[mono] != 1:
                continue
            for guard in access.guards:
                for part in conjuncts(guard.term) if guard.loop is None else ():
                    slack = slack_of(part)
                    if slack is None or slack[0].coefficients.get(mono) != -1:
                        continue
                    room = slack[0] + polynomial(count.term) - number(slack[1] - 1)
                    if _is_room(room) and _rows_of(found[0], mono, room):
                        yield access, count, guard, room


def _recorded(kernel: str, of: Trace) -> Iterator[tuple[str, Recorded]]:
    for access, count, guard, room in _pushes(of):
        made_of = counters(count)
        if not made_of or not goes_on(access, made_of):
            continue
        known = dict.fromkeys(made_of, access)
        for other in of.accesses:
            stored = other.kind is AccessKind.WRITE and other.value is not None and other.root.kind is RootKind.PARAM
            last = counted(polynomial(other.value), known) if stored and other.value is not None else None
            if last is not None and last[1] == 0 and other.root is not access.root:
                yield called(other.root), Recorded(kernel, called(access.root), room, guard, other)


def _handed_out(kernel: str, of: Trace) -> Iterator[tuple[str, Recorded]]:
    """The counters whose slots are tested against the room, and that nothing but handing out and clearing changes."""
    for one in drawn_stores(of, {}) if any(access.kind is AccessKind.ATOMIC for access in of.accesses) else ():
        counter, size = one.counter, one.access.root.element.size
        if counter is None or one.cap is None or one.times != size or one.in_columns:
            continue
        room = one.cap + number(1)
        found = elements(one.access)
        rows = found[0].coefficients if found is not None and not found[1] else {}
        own = next((mono for mono in rows if len(mono) == 1 and mono[0].symbol in one.made_of), None)
        if own is None or found is None or not _is_room(room) or not _whole_list(found[0], own, room, counter.offset):
            continue
        guards = [*one.access.guards, *counter.guards]
        tests = [guard for guard in one.access.guards if one.made_of & set(symbols(guard.term))]
        held = any(held_in(part) is counter.root for guard in guards for part in subterms(guard.term))
        changed = (w for w in of.accesses if w.root is counter.root and w.writes and w is not counter)
        if tests and not held and counter.root.kind is RootKind.PARAM and all(map(_clears, changed)):
            yield called(counter.root), Recorded(kernel, called(one.access.root), room, tests[0], counter, True)


def _whole_list(form: Polynomial, own: tuple[Term, ...], room: Polynomial, counter: Term) -> bool:
    """Whether a list has rows of ``room`` elements with a counter each, or is one list with one counter."""
    alone = all(not mono or mono == own for mono in form.coefficients)
    return (alone and counter.value is not None) or (not alone and _rows_of(form, own, room))


def _clears(access: Access) -> bool:
    return access.kind is AccessKind.WRITE and access.value is not None and access.value.value == 0


def _compute(facts: ModuleFacts) -> dict[str, Recorded]:
    found: dict[str, Recorded] = {}
    writers: dict[str, set[str]] = {}
    for kernel, of in facts[kernel_traces].compared():
        for access in of.accesses:
            if access.writes and not _clears(access):
                writers.setdefault(called(access.root), set()).add(kernel.function.name)
        for name, one in _recorded(kernel.function.name, of) if not of.calls else ():
            found.setdefault(name, one)
        for name, one in _handed_out(kernel.function.name, of) if not of.calls else ():
            found.setdefault(name, one)
    return {name: one for name, one in found.items() if writers.get(name) == {one.kernel}}


recorded_counts = ModuleAnalysis("recorded_counts", _compute, needs=(kernel_traces,))
"""By the arrays that counts are left in, what kernels of a file store of what they count: a :class:`Recorded` each."""


Passed = dict[Symbol, Recorded]
"""Arguments for which the host passes what it has copied from a counter."""


def _end(access: Access) -> tuple[Symbol, Polynomial] | None:
    """(the number from memory that a loop over an array goes as far as, all of the last place) of an access."""
    found = elements(access)
    if found is None or found[1] or not access.loops:
        return None
    inner = access.loops[-1]
    if found[0].coefficients.get((inner.counter.term,)) != 1:
        return None
    last = last_of_run(access, found[0])
    for mono in last.coefficients if last is not None else ():
        symbol = mono[0].symbol if len(mono) == 1 else None
        if last is None or symbol is None or held_in(symbol.term) is None or last.coefficients[mono] != 1:
            continue
        others = (g for g in access.guards if g.loop is not inner and g.kind is not GuardKind.AFTER_LOOP)
        if last.coefficients.get((), 0) == -1 and not any(symbol in symbols(guard.term) for guard in others):
            return symbol, last
    return None


def _end_of_any(access: Access, passed: Passed) -> tuple[Symbol, Polynomial] | None:
    """The same of any test that keeps a place below a number from memory, or one that is ``passed`` from there, of
    loops of many threads too."""
    found = elements(access)
    ends: list[tuple[Symbol, Polynomial, frozenset[Term]]] = []
    tests = list(limits(access)) if found is not None and not found[1] else []
    for left, _ in tests:
        last = most(found[0] + left, access.loops) if found is not None else None
        held = [mono[0].symbol for mono in last.coefficients if len(mono) == 1] if last is not None else []
        counts = (one for one in held if one is not None and (one in passed or held_in(one.term) is not None))
        count = next(counts, None)
        if last is not None and count is not None and last.coefficients.get((), 0) == -1:
            ends.append((count, last, frozenset(left.atoms)))
    if len(ends) != 1 or ends[0][1].coefficients[(ends[0][0].term,)] != 1:
        return None
    count, last, atoms = ends[0]
    own = {symbol for atom in atoms for symbol in symbols(atom) if symbol.kind in _MOVING} | {count}
    others = [left for left, _ in tests if own & {s for atom in left.atoms for s in symbols(atom)}]
    left_by = [term for loop in access.loops for term, _ in (*loop.exits, *loop.leaves)]
    asked = any(own & set(symbols(term)) for term in left_by)
    asks = [g for g in access.guards if any(_same(part, count) for part in subterms(g.term))]
    return (count, last) if len(others) == 1 and len(asks) == 1 and not asked else None


def _same(part: Term, count: Symbol) -> bool:
    root = held_in(count.term)
    return part.symbol is count if root is None else held_in(part) is root


_MOVING = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.COUNTER, SymbolKind.PHI})


def _passed_on(facts: Facts, known: dict[str, Recorded]) -> Passed:
    """The arguments for which launches in sight pass what the host has copied from a counter of another kernel and
    compared with nothing but 0."""
    found: Passed = {}
    for view in facts[launch_context].launches:
        walk = view.fact.walk
        mine = {plain(image).symbol: symbol for symbol, image in view.images if symbol.kind is SymbolKind.PARAM}
        mine = {got: symbol for got, symbol in mine.items() if got is not None and got.kind is SymbolKind.UNKNOWN}
        for api in walk.apis if walk is not None and mine else ():
            got = {symbol for term in api.after if isinstance(term, Term) for symbol in symbols(term)} & mine.keys()
            roots = [arg.root for arg in api.args if isinstance(arg, PointerValue)] if got else []
            for fact in facts[host].launches if roots else ():
                names = [name for name, to in fact.arguments if isinstance(to, PointerValue) and to.root in roots]
                one = next((known[called_so] for called_so in map(last_part, names) if called_so in known), None)
                if walk is not None and fact.walk is walk and one is not None and one.drawn and one.kernel == fact.name:
                    tests = [part for test in walk.conditions for part in conjuncts(test.term)]
                    found.update((mine[s], one) for s in got if s is not None and not _asked(s, tests))
    return found


def _asked(count: Symbol, tests: Iterable[Term]) -> bool:
    """Whether tests compare a count with anything but 0."""
    return any(
        count in symbols(test) and not any(isinstance(arg, Term) and arg.value in (0, 1) for arg in test.args)
        for test in tests
    )


def _of(facts: Facts) -> tuple[Overread, ...]:
    known: dict[str, Recorded] = facts[recorded_counts]
    lists = {one.listed for one in known.values()}
    found: dict[Root, Overread] = {}
    passed = _passed_on(facts, known) if known else {}
    for access in facts[trace].accesses if known else ():
        mine = access.root.kind is RootKind.PARAM and access.root not in found and called(access.root) in lists
        end = (_end(access) or _end_of_any(access, passed)) if mine else None
        root = held_in(end[0].term) if end is not None else None
        if end is None or (root is None and end[0] not in passed):
            continue
        one = known.get(called(root)) if root is not None else passed[end[0]]
        if one is None or one.listed != called(access.root) or one.kernel == facts.kernel.function.name:
            continue
        own = (end[0].term,)
        whole = _rows_of(end[1], own, one.room) or (one.drawn and all(m in ((), own) for m in end[1].coefficients))
        if whole and not (one.drawn and root is not None and _asked_by_host(facts, root.name)):
            found[access.root] = Overread(access, one)
    return tuple(found.values())


def _asked_by_host(facts: Facts, counter: str) -> bool:
    """Whether host code before a launch asks for numbers that it has copied from a counter, or copies others there."""
    for view in facts[launch_context].launches:
        passed, walk = view.fact.argument(counter), view.fact.walk
        if walk is None or not isinstance(passed, PointerValue):
            continue
        for api in walk.apis:
            moves, at = api_of(api.name), [isinstance(a, PointerValue) and a.root is passed.root for a in api.args]
            to = moves.target if isinstance(moves, Moves) else None
            if to is not None and to < len(at) and at[to]:
                return True
            if any(at):
                got = {s for term in api.after if isinstance(term, Term) for s in symbols(term)}
                got = {symbol for symbol in got if symbol.kind is SymbolKind.UNKNOWN}
                if any(got & set(symbols(test.term)) for test in walk.conditions):
                    return True
    return False


overread = KernelAnalysis("overread", _of, needs=(trace, launch_context, recorded_counts, host))
"""An :class:`Overread` for each list of a kernel variant that has one."""
