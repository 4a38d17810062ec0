"""Arrays of constant size that a run leaves: places that loops, counters and helpers make, and no formula says.

Asked is only what the questions of :mod:`kernlint.analysis.extent.extents` pass over.  Launches in sight are run with
the host's variables as large as its checks let them be, and as small as can be where nothing bounds them; without a
launch in sight, a small one of the block that is believed in, with small numbers for all but the sizes that the number
of a thread is tested against.  Nobody argues from an argument that nothing bounds, nor from what data hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from math import prod

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.extent.checked_limits import limits_of
from kernlint.analysis.extent.extents import numbers_made_up, outside
from kernlint.analysis.extent.farthest import farthest
from kernlint.analysis.extent.leaving import PLACE, Outside, decidable, limited, masked, within
from kernlint.analysis.extent.rehearsed import Run, run_of, runs
from kernlint.analysis.extent.solved import mended
from kernlint.analysis.extent.tried import chosen_symbols, host_symbols, is_open
from kernlint.analysis.launching.launch_context import LaunchView, launch_context
from kernlint.analysis.scenarios.policy import scenarios
from kernlint.analysis.scenarios.scenario import Provenance, Scenario
from kernlint.analysis.scenarios.strides import coefficients, indices
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Access, LoopContext, RootKind, Trace
from kernlint.prove.admission import Axes
from kernlint.prove.emulate import Fault, FaultKind
from kernlint.prove.hints import launch_bounds
from kernlint.prove.query import Launch
from kernlint.symbolic.intervals import interval, refine
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import BLOCK_DIM, THREAD, Symbol, SymbolKind, Term, plain, subterms, symbols
from kernlint.tree.types import ArrayType, IntType, Space, VectorType

BEYOND = frozenset({FaultKind.OUT_OF_BOUNDS})

VIEWS = 2
"""Launches in sight that are run."""

SMALL = (2, 1)
"""What is taken for host variables and arguments that nothing bounds."""

FEW = 8
"""Blocks along each axis of a grid that nothing says more of: some of them lie in the middle."""

LARGE = 1024
"""Bounds above it are those of the data, not of an array."""

ALL = 4096
"""The value of sizes that the number of a thread is tested against: all have something to do."""

PART = 4
"""The threads of a part of the block."""

_UNSEEN = frozenset({SymbolKind.LOAD, SymbolKind.UNKNOWN, SymbolKind.EXIT})

MOST = 64
"""Symbols, at most, that a place is traced to."""

FAR = 1 << 20
"""Bytes behind the end of an array beyond which a place has wrapped."""


def _asked(kernel: Trace, block: Axes, every: bool = False) -> list[Access]:
    """The accesses to arrays of constant size of which no formula says where they are; ``every``: those of which one
    does, too, if the block is known."""
    bounds = launch_bounds(Launch(block, max_threads=1024))
    found = []
    for access in kernel.accesses:
        root = access.root
        array = root.kind is RootKind.VARIABLE and root.extent is not None and root.decl is not None
        if not array or root.space not in (Space.PRIVATE, Space.SHARED) or not access.size:
            continue
        assert root.extent is not None and root.decl is not None
        if not isinstance(root.decl.type, ArrayType) or access.offset.value is not None:
            continue
        place, _ = masked(access.offset)
        last = root.extent - access.size
        if _by_data(kernel, access) or within(interval(place, bounds), last):
            continue
        if within(interval(place, refine([guard.term for guard in access.guards])), last):
            continue
        free = limited(access)
        plain = all(symbol.kind in PLACE or symbol in free for symbol in symbols(place))
        if every or not plain or decidable(access, place) is None:
            found.append(access)
    return found


def _by_data(kernel: Trace, access: Access) -> bool:
    """Whether what memory holds has a say in where an access is, or in how often it is made: directly, by the loops
    around it, or by variables that loops change."""
    todo = [access.offset, *(guard.term for guard in access.guards)]
    todo += [term for loop in access.loops for term in loop.ends]
    seen: set[Symbol] = set()
    while todo:
        for symbol in symbols(todo.pop()):
            if symbol in seen:
                continue
            seen.add(symbol)
            if symbol.kind in _UNSEEN or len(seen) > MOST:
                return True
            if symbol.kind is SymbolKind.PHI:
                if symbol.init is None or symbol.step is None:
                    return True
                todo += [symbol.init, symbol.step]
            elif symbol.kind in (SymbolKind.TRIPS, SymbolKind.COUNTER) and isinstance(symbol.origin, LoopContext):
                todo += symbol.origin.ends
    return False


def _at_limits(view: LaunchView) -> Iterator[dict[Symbol, int]]:
    """Values for the host's variables: as large as its checks let them be, and small where these say nothing."""
    chosen = chosen_symbols(view)
    if not all(map(is_open, chosen)) or len(chosen) < len(host_symbols(view)):
        return
    tests = [part for check in view.checks for part in conjuncts(check)]
    values = {symbol: _limit(symbol, tests) or SMALL[0] for symbol in chosen}
    yield from islice(mended(view.checks, [values], 1, {}, raising=True), 1)


def _limit(symbol: Symbol, tests: Sequence[Term]) -> int | None:
    most = min(limits_of(symbol, tests), default=None)
    return most if most is not None and 0 < most <= LARGE else None


def _of_launches(facts: Facts) -> Iterator[Outside]:
    kernel = facts[trace]
    for view in islice(facts[launch_context].launches, VIEWS):
        asked = _asked(kernel, view.block)
        done = runs(facts, view, BEYOND, _at_limits(view)) if asked else []
        tests = [part for check in view.checks for part in conjuncts(check)]
        for run in done:
            bounded = any(_limit(symbol, tests) is not None for _, image in view.images for symbol in symbols(image))
            yield from _told(run, asked, "the launch in sight", bounded)
        if done:
            return


def _of_scenario(facts: Facts) -> Iterator[Outside]:
    kernel, known = facts[trace], facts[scenarios]
    shape: Scenario | None = next(iter(known.plausible), None)
    if shape is None:
        return
    spoken_of = _of_strides(kernel, known.threads) if shape.provenance < Provenance.COMPILED else None
    if spoken_of is not None and prod(spoken_of) > facts[launch_context].max_threads:
        spoken_of = None  # more than its bounds allow
    block, reason = shape.block, shape.reason or "a small launch"
    if spoken_of is not None:
        block, reason = spoken_of, "the strides of the kernel"
    asked = _asked(kernel, block, every=spoken_of is not None)
    if spoken_of is None and shape.provenance < Provenance.COMPILED:  # memory of the block says what block it is for
        asked = [access for access in asked if access.root.space is Space.PRIVATE]
    if not asked:
        return
    corners = spoken_of is not None and not facts[launch_context].stated  # what is stated may exclude them
    far = ((one, farthest(one, block)) for one in asked if corners)
    beyond = [
        (one, found) for one, found in far if found is not None and found.first.offset < (found.extent or 0) + FAR
    ]
    if beyond:
        yield from (Outside(one, found, one.root.extent, False, reason, False) for one, found in beyond)
        return
    x, y, z = (FEW if used and axis not in known.single else 1 for axis, used in enumerate(known.blocks))
    parts = _parts(kernel)
    sizes = tuple((symbol, PART if symbol in parts else ALL) for symbol in _tested(kernel) | parts)
    launch = Launch(block, (x, y, z), block[0] * block[1] * block[2], sizes)
    run = run_of(facts, launch, None, {}, BEYOND, SMALL)
    if run is not None:
        yield from _told(run, asked, reason, False)


def _of_strides(kernel: Trace, threads: tuple[bool, bool, bool]) -> tuple[int, int, int] | None:
    """The block that the distances of blocks and rounds speak of, all alike, along each axis that is used, where a loop
    goes on by as many; None where one says nothing, or the kernel asks for the size of the block."""
    if not any(threads) or any(symbol in BLOCK_DIM for term in indices(kernel) for symbol in symbols(term)):
        return None
    sizes = [set(coefficients(kernel, axis)) if used else {1} for axis, used in enumerate(threads)]
    if any(len(found) != 1 for found in sizes):
        return None
    x, y, z = (found.pop() for found in sizes)
    return (x, y, z) if x * y * z <= 1024 and _goes_on_by(kernel, x * y * z) else None


def _goes_on_by(kernel: Trace, threads: int) -> bool:
    """Whether a loop over places goes on by so many in each round as there are ``threads``: a block's share may be
    larger than the block."""
    for term in indices(kernel):
        form = polynomial(term).coefficients
        unit = form.get((THREAD[0].term,), 0)
        rounds = (value for mono, value in form.items() if len(mono) == 1 and _counts(mono[0]))
        if unit and any(value == threads * unit for value in rounds):
            return True
    return False


def _counts(atom: Term) -> bool:
    return atom.symbol is not None and atom.symbol.kind is SymbolKind.COUNTER


def _tested(kernel: Trace) -> dict[Symbol, None]:
    """The arguments that the number of a thread in the grid is compared with."""
    found: dict[Symbol, None] = {}
    for test in kernel.conditions:
        for part in conjuncts(test.term):
            mentioned = set(symbols(part))
            if any(symbol.kind is SymbolKind.BLOCK for symbol in mentioned):
                sizes = (s for s in mentioned if s.kind is SymbolKind.PARAM and isinstance(s.type, IntType))
                found.update(dict.fromkeys(sizes))
    return found


def _parts(kernel: Trace) -> dict[Symbol, None]:
    """The arguments that the remainders of threads' numbers are of, or masks one less than which take these: the
    threads of a part, which is never larger than the block."""
    found: dict[Symbol, None] = {}
    for term in (*indices(kernel), *(test.term for test in kernel.conditions)):
        for part in subterms(term) if term.symbols else ():
            by = part.args[1] if part.op == "mod" else None
            if part.op == "and":
                by = next((one for arg in part.args for one in polynomial(arg).atoms if _less(arg, one)), None)
            symbol = plain(by).symbol if by is not None else None
            if symbol is None or symbol.kind is not SymbolKind.PARAM or not isinstance(symbol.type, IntType):
                continue
            if any(own.kind is SymbolKind.THREAD for own in symbols(part)):
                found[symbol] = None
    return found


def _less(term: Term, one: Term) -> bool:
    return (polynomial(term) - polynomial(one)).constant == -1


def _told(run: Run, asked: Sequence[Access], reason: str, given: bool) -> Iterator[Outside]:
    for fault in run.faults:
        access = next((one for one in asked if _same(one, fault)), None)
        if access is not None and not fault.inner and _behind(access, fault.offset):
            refuted = run.refuted(fault)
            yield Outside(access, refuted, access.root.extent, False, "" if given else reason, False, given=given)


def _behind(access: Access, offset: int | None) -> bool:
    extent = access.root.extent or 0
    return offset is not None and extent <= offset < extent + FAR


def _same(access: Access, fault: Fault) -> bool:
    at = fault.first.span
    if at is None or fault.decl is not access.root.decl:
        return False
    return access.span.file == at.file and access.span.start < at.end and at.start < access.span.end


def _compute(facts: Facts) -> tuple[Outside, ...]:
    kernel = facts[trace]
    if any(isinstance(param.type, VectorType) for param in facts.function.params):
        return ()  # of which nothing is passed
    if numbers_made_up(facts) or not kernel.complete or not kernel.accesses:
        return ()
    known = {one.access.root for one in facts[outside]}
    found = _of_launches(facts) if facts[launch_context].launches else _of_scenario(facts)
    return tuple(one for one in found if one.access.root not in known)


run_arrays = KernelAnalysis("run_arrays", _compute, needs=(trace, launch_context, outside, scenarios))
"""Each :class:`Outside` that running a kernel shows, one for each place."""
