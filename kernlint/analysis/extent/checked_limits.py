"""Arrays that are too small for sizes which host code lets pass.

``if (k > 32) return false;`` before a launch says that 32 is meant to work; where the kernel then goes through ``float
best[16]`` up to k, it does not.  Each argument that decides how far an index gets is taken at the number that the
host's checks leave it, or that the launch passes, all of them together; loops are run to their end.  An argument that
nothing bounds by a number is not speculated on, nor is anything that data, or a way out of a loop, have a say in; a
search downwards that data end (``while (s > 0 && v[s - 1] > x) { v[s] = v[s - 1]; --s; }``) begins where it does,
whatever they are.  A count that goes on through the rounds of two loops, one in the other, gets to their product.
An argument for which the host puts in the whole of another one (``if (group == -1) group = width;``) is as large as
that, and what the launch itself holds down, ``min(512, total - start)``, as large as this.  A place that a thread's
number makes is asked for with threads of a block that the launch has (``if (tid < n) flux[tid]``).  What is passed in
floating point (``(float)n / m``) goes up to what checks of it say.  Checks that keep an argument at both ends, above by
another one that no number limits (``k < 1 || k > n``), let it be as large as any array.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.reached_limits import FEW, MOST, NEAR, Env, Reach, Sum
from kernlint.analysis.extent.reals import real_limits
from kernlint.analysis.extent.solved import mended
from kernlint.analysis.extent.truths import slack_of
from kernlint.analysis.launching.launch_context import LaunchView, with_lengths
from kernlint.analysis.trace.events import Access, LoopContext, Trace
from kernlint.prove.query import Refuted
from kernlint.record import replace
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import Polynomial, polynomial, term_of
from kernlint.symbolic.terms import (
    BLOCK_DIM,
    THREAD,
    Symbol,
    SymbolKind,
    Term,
    negate,
    plain,
    subterms,
    symbols,
    with_parts,
)
from kernlint.tree.types import FloatType, IntType

HIGHEST = 1 << 16
"""Arguments beyond are not looked at."""

CHOICES = 3
"""Choices of the host, one in the other, that are told apart."""

_COUNTS = frozenset({SymbolKind.COUNTER, SymbolKind.TRIPS, SymbolKind.PARAM, SymbolKind.PHI})

_OWN = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK_DIM})


def at_limits(kernel: Trace, access: Access, views: tuple[LaunchView, ...], place: Term, extent: int) -> Refuted | None:
    """A launch in sight with its arguments as large as the host lets them be, where ``place`` leaves ``extent``."""
    found = symbols(place)
    if not views or not found or not {symbol.kind for symbol in found} <= _COUNTS | _OWN:
        return None
    loops: dict[Symbol, LoopContext] = {}
    sums: dict[Symbol, Sum] = {}
    down = _downwards(kernel, access, place)
    wanted = _deciding(kernel, access, place, loops, sums, down)
    if not wanted:
        return None
    wanted |= _around(access, wanted, loops)
    told = {s for loop in loops.values() if loop.condition is not None for s in symbols(loop.condition)}
    by_thread = any(symbol.kind in _OWN for symbol in {*found, *told})
    room = max(extent // (access.size or 1), 1)
    for view in (way for one in views for way in _ways(with_lengths(one), wanted, CHOICES)):
        reals = _reals(view, wanted)
        whole = {symbol for symbol in wanted if isinstance(symbol.type, IntType)}
        values = _at_most(view, whole, room) if len(reals) + len(whole) == len(wanted) else None
        open_ = _unlimited(access, view, wanted)
        for own in (_threads(view, values, loops.values()) if by_thread else ({},)) if values is not None else ():
            at = {**(values or {}), **own, **down}
            refuted = Reach(access, place, extent, loops, sums, reals, open_).last(at)
            if refuted is not None:
                return refuted
    return None


def _unlimited(access: Access, view: LaunchView, wanted: set[Symbol]) -> Env:
    """Large values of the arguments besides that guards speak of, where the host passes a variable of its own which
    nothing holds down, and which has no part in what it passes for those that are ``wanted``."""
    images = dict(view.images)
    tests = [part for check in view.checks for part in conjuncts(check)]
    mine = {symbol for one in wanted if one in images for symbol in symbols(images[one])}
    found: Env = {}
    for symbol in {s for guard in access.guards for s in symbols(guard.term)} - wanted:
        passed = plain(images[symbol]).symbol if symbol in images else None
        if passed is not None and passed not in mine and not any(True for _ in limits_of(passed, tests)):
            found[symbol] = HIGHEST
    return found


def _ways(view: LaunchView, wanted: set[Symbol], deep: int) -> Iterator[LaunchView]:
    """A launch, and that launch on each side of the conditions by which the host chooses what it passes for ``wanted``:
    ``n = best ? 32 : 4``."""
    yield view
    parts = (part for symbol, image in view.images if symbol in wanted for part in subterms(image))
    choice = next((part.args[0] for part in parts if part.op == "select"), None)
    if choice is None or deep <= 0:
        return
    for holds in (True, False):
        images = tuple([(symbol, _decided(image, choice, holds)) for symbol, image in view.images])
        checks = tuple([_decided(check, choice, holds) for check in view.checks])
        found = choice if holds else negate(choice)
        if any(part.value == 0 or part == negate(found) for check in checks for part in conjuncts(check)):
            continue
        yield from _ways(replace(view, images=images, checks=(*checks, found)), wanted, deep - 1)


def _decided(term: Term, choice: Term, holds: bool) -> Term:
    """``term`` where a condition of choices in it holds, or does not."""
    if term.op == "select" and term.args[0] == choice:
        return _decided(term.args[1 if holds else 2], choice, holds)
    return with_parts(term, [_decided(arg, choice, holds) for arg in term.terms])


def _reals(view: LaunchView, wanted: set[Symbol]) -> dict[Symbol, float]:
    """The largest numbers that a launch leaves the arguments in floating point, by its checks of what is passed."""
    tests = [part for check in view.checks for part in conjuncts(check)]
    found = {}
    for symbol in wanted:
        passed = view.fact.argument(symbol.name) if isinstance(symbol.type, FloatType) else None
        most = min(real_limits(passed, tests), default=None) if isinstance(passed, Term) else None
        if most is not None and most > 0:
            found[symbol] = most
    return found


def _around(access: Access, wanted: set[Symbol], loops: Mapping[Symbol, LoopContext]) -> set[Symbol]:
    """The arguments besides that say whether loops around have a first round."""
    found: set[Symbol] = set()
    for loop in access.loops:
        mine = set(symbols(loop.condition)) if loop.condition is not None and loop not in loops.values() else set()
        if mine & wanted and all(s.kind is SymbolKind.PARAM or s is loop.counter for s in mine):
            found |= mine - {loop.counter}
    return found


def _threads(view: LaunchView, values: Env, loops: Iterable[LoopContext]) -> Iterator[Env]:
    """Threads of a block of a known shape that are at the end of something along each axis: of a loop that all of them
    go through together, of the block, or of as many items as an argument says."""
    if view.block[0] is None or (any(side is None for side in view.block) and view.block[1:] != (None, None)):
        return
    sides = [side or 1 for side in view.block]
    ends: list[dict[int, None]] = [{} for _ in sides]
    for axis, side in enumerate(sides):
        lasts = (_stop(loop, THREAD[axis].term, values) for loop in loops)
        own = (*(last for last in lasts if last is not None), side - 1, *(value - 1 for value in values.values()), 0)
        ends[axis] = dict.fromkeys(one % side for one in own)
    for place in islice(product(*ends), FEW):
        yield {**dict(zip(BLOCK_DIM, sides, strict=True)), **dict(zip(THREAD, place, strict=True))}


def _stop(loop: LoopContext, thread: Term, values: Env) -> int | None:
    """The last of the numbers that threads go through in a loop: ``i < n`` with ``i`` from the number of the thread on
    in steps."""
    slack = slack_of(loop.condition) if loop.condition is not None else None
    if slack is None or slack[0].coefficients.get((thread,)) != -1:
        return None
    end = {mono: by for mono, by in slack[0].coefficients.items() if mono not in ((thread,), (loop.counter.term,))}
    last = evaluate(term_of(Polynomial(end)), values)
    return None if last is None else last - slack[1]


def _sum_of(symbol: Symbol, loops: Sequence[LoopContext]) -> Sum | None:
    """What a variable of a loop is at the access in it, if it goes up by as much in each round."""
    loop = next((one for one in loops if symbol in one.phis), None)
    if loop is None or symbol.init is None or symbol.step is None:
        return None
    step = polynomial(symbol.step) - polynomial(symbol.term)
    steady = all(s.kind in (SymbolKind.TRIPS, SymbolKind.PARAM) for atom in step.atoms for s in symbols(atom))
    up = steady and all(times > 0 for times in step.coefficients.values())
    return Sum(symbol.init, term_of(step), loop.counter) if up else None


def _downwards(kernel: Trace, access: Access, place: Term) -> Env:
    """The rounds of loops that data end, and that a place gets smaller with: none, where it is largest."""
    form = polynomial(place).coefficients
    found: Env = {}
    for loop in kernel.loops:
        data = loop.condition is not None and any(s.kind is SymbolKind.LOAD for s in symbols(loop.condition))
        for symbol in (loop.counter, loop.trips) if data and not (loop.exits or loop.leaves or loop.returns) else ():
            mine = [mono for mono in form if any(symbol in symbols(atom) for atom in mono)]
            if mine == [(symbol.term,)] and form[mine[0]] < 0:
                found[symbol] = 0
    return found


def _deciding(
    kernel: Trace,
    access: Access,
    place: Term,
    loops: dict[Symbol, LoopContext],
    sums: dict[Symbol, Sum],
    known: Mapping[Symbol, int],
) -> set[Symbol]:
    """The arguments that a place rests on, directly, by loops, which are noted in ``loops``, by variables that these
    add to (``sums``), or by tests of the threads that get there; none where anything but what is ``known`` has a say
    too."""
    out: set[Symbol] = set()
    todo = list(symbols(place))
    if any(symbol.kind is SymbolKind.THREAD for symbol in todo):
        tests = (part for guard in access.guards for part in conjuncts(guard.term))
        about = [set(symbols(part)) for part in tests]
        own = [found for found in about if any(symbol.kind is SymbolKind.THREAD for symbol in found)]
        out |= {symbol for found in own for symbol in found if symbol.kind is SymbolKind.PARAM}
    while todo:
        symbol = todo.pop()
        if symbol.kind is SymbolKind.PARAM:
            out.add(symbol)
        elif symbol.kind in _OWN or symbol in known or symbol in sums:
            continue
        elif symbol.kind is SymbolKind.PHI:
            found = _sum_of(symbol, access.loops)
            if found is None:
                return set()
            sums[symbol] = found
            todo += [found.rounds, *symbols(found.first), *symbols(found.step)]
        elif symbol.kind not in _COUNTS:
            return set()
        elif symbol not in loops:
            among = access.loops if symbol.kind is SymbolKind.COUNTER else kernel.loops
            loop = next((loop for loop in among if symbol in (loop.counter, loop.trips)), None)
            if loop is None or loop.condition is None or loop.post_tested:
                return set()
            if loop.exits or loop.leaves or loop.returns or loop.doubtful:
                return set()
            loops[symbol] = loop
            todo += [other for other in symbols(loop.condition) if other is not loop.counter]
    return out


def _at_most(view: LaunchView, wanted: set[Symbol], room: int) -> Env | None:
    """The largest numbers that a launch leaves the arguments, if its checks hold with all of them; ``room``: elements
    of the array."""
    highest = max(HIGHEST, NEAR * room)
    images = dict(view.images)
    tests = [part for check in view.checks for part in conjuncts(check)]
    host: Env = {}
    out: Env = {}
    for symbol, given in images.items():
        whole = _stands_for_all(given) if symbol in wanted else None
        if whole is None:
            continue
        host[whole[0]] = whole[1]
        for one in symbols(whole[2]):
            most = min(limits_of(one, tests), default=None)
            if most is None:
                return None
            host[one] = min(most, max(MOST, NEAR * room))
    for symbol in wanted:
        image = images.get(symbol)
        if image is None:
            return None
        part = _part_of_many(image, tests)
        if part is not None and 0 < part <= highest:
            out[symbol] = part
            continue
        for one in symbols(image):
            if one in host:
                continue
            most = min(limits_of(one, tests), default=NEAR * room if _up_to_another(one, tests) else None)
            if most is None:
                return None
            host[one] = most
        value = evaluate(image, host)
        if value is None or not 0 < value <= highest:
            return None
        out[symbol] = value
    return out if _allowed(tests, host) else None


def _stands_for_all(image: Term) -> tuple[Symbol, int, Term] | None:
    """(variable, mark, what it stands for) where the host puts the whole of something in for a number that is none:
    ``if (group == -1) group = width;``."""
    image = plain(image)
    if image.op != "select":
        return None
    test, chosen, other = image.args
    if test.op == "ne":
        chosen, other = other, chosen
    symbol = plain(other).symbol
    number = test.args[1].value if test.op in ("eq", "ne", "lt", "le") and len(test.args) == 2 else None
    if symbol is None or number is None or plain(test.args[0]).symbol is not symbol or symbol in symbols(chosen):
        return None
    mark = number - int(test.op == "lt")
    return (symbol, mark, chosen) if mark <= 0 and chosen.value is None else None


def _up_to_another(symbol: Symbol, tests: Sequence[Term]) -> bool:
    """Whether checks keep a variable of the host at both ends, but the upper one is another variable that no number
    limits: all that it may be is meant to work."""
    low = high = False
    for test in tests:
        one, two = (plain(arg) for arg in test.args) if test.op in ("lt", "le") else (None, None)
        if one is None or two is None:
            continue
        low = low or (two.symbol is symbol and one.value in (0, 1))
        if one.symbol is symbol and two.symbol is not None and two.symbol.kind is SymbolKind.PARAM:
            high = high or not any(True for _ in limits_of(two.symbol, tests))
    return low and high


def _part_of_many(image: Term, tests: Sequence[Term]) -> int | None:
    """How much at most a launch works on at once, of as much as there is: ``min(512, total - start)`` with a total that
    nothing bounds by a number."""
    image = plain(image)
    if image.op != "min":
        return None
    for most, rest in (image.args, image.args[::-1]):
        about = symbols(rest)
        bounded = any(True for one in about for _ in limits_of(one, tests))
        number: int | None = most.value
        if number is not None and about and not bounded:
            return number
    return None


def _allowed(tests: list[Term], host: Env) -> bool:
    """Whether the tests that speak of variables of the host hold with their values, or can be made to hold with values
    of the others that they speak of."""
    about = [test for test in tests if any(symbol in host for symbol in symbols(test))]
    others = {symbol for test in about for symbol in symbols(test) if symbol not in host}
    if any(symbol.kind is not SymbolKind.PARAM for symbol in others):
        return False
    tried = {**dict.fromkeys(others, max(host.values(), default=1)), **host}
    if any(evaluate(test, tried) is None for test in about):
        return False
    return any(True for _ in mended([*about, *_apart(tests, others)], [tried], 1, host, raising=True))


def _apart(tests: list[Term], others: set[Symbol]) -> list[Term]:
    """The tests that speak of nothing but these variables."""
    return [test for test in tests if others and set(symbols(test)) <= others]


def limits_of(symbol: Symbol, tests: Sequence[Term]) -> Iterator[int]:
    """The numbers that ``tests`` keep a variable of the host at or below, by itself or in a sum: ``2 * r + 1 < 32``;
    of one that is checked to be one of several numbers (``r == 1 || r == 2``), the largest."""
    for test in tests:
        if test.op == "lor":
            sides = [min(limits_of(symbol, conjuncts(side)), default=None) for side in test.terms]
            known = [side for side in sides if side is not None]
            if len(known) == len(sides):
                yield max(known)
            continue
        most = test.args[1].value if test.op in ("lt", "le", "eq") else None
        if most is not None and plain(test.args[0]).symbol is symbol:
            yield most - int(test.op == "lt")
            continue
        slack = slack_of(test)
        times = slack[0].coefficients.get((symbol.term,), 0) if slack is not None else 0
        if slack is not None and times < -1 and len(slack[0].coefficients) <= 2:
            rest = slack[0] + Polynomial({(symbol.term,): -times})
            if rest.constant is not None:
                yield (rest.constant - slack[1]) // -times
