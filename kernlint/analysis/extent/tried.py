"""Launches in sight with numbers: what the host leaves open gets odd values under which its checks hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import lcm
from types import MappingProxyType

from kernlint.analysis.coverage import Cover, multiple
from kernlint.analysis.extent.solved import mended
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.launching.launches import Sizes
from kernlint.analysis.launching.objects import OF_CALLERS
from kernlint.analysis.launching.typed_in import TYPED
from kernlint.analysis.trace.events import LoopContext, RootKind
from kernlint.prove.query import Launch
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, binary, cast, subterms, symbols
from kernlint.tree.nodes import Cast, IntLit
from kernlint.tree.types import BOOL, I64, U32, U64, IntType

THREADS = 4096
"""Threads of a launch that is tried with all of them."""

MOST = (1 << 31) - 1
"""Blocks along one axis, at most (CUDA C++ Programming Guide, technical specifications)."""

ROUNDS = 64
"""Rounds of a loop of the host, at most, that are made."""

VALUES = (
    (333, 45, 27, 21, 13, 9, 39, 51),
    (77, 201, 35, 15, 11, 7, 55, 25),
    (45, 33, 301, 19, 5, 3, 41, 29),
    (11, 9, 7, 5, 13, 3, 15, 17),
)
"""Values of the host's variables, in order of appearance."""

PLAIN, FEW = 2, 32
"""How many sizes a user has to give as a rule, and the least that anybody types in."""

POWERS = ((128, 64, 128, 64, 128, 64, 128, 64), (64, 128, 64, 128, 64, 128, 64, 128))
"""Values where the host checks that there is but one bit in a size."""


def extents_of(view: LaunchView) -> list[tuple[str, Term]]:
    """What is allocated behind the parameters, as far as it is made of sizes."""
    return [(name, size) for name, size in view.fact.extents if all(map(is_open, symbols(size)))]


def is_open(symbol: Symbol) -> bool:
    """Whether a host variable may have any value: a parameter, a member of what one leads to, the length of a
    container; or a variable of the file, whose value at the start stands there."""
    if symbol.kind is SymbolKind.LOAD:
        root = symbol.origin[0]
        return root.kind in (RootKind.PARAM, RootKind.LOADED) or _at_start(symbol) is not None
    return symbol.kind is SymbolKind.PARAM or symbol.name == "size()"


def _at_start(symbol: Symbol) -> int | None:
    """The number that a variable of the file is made with."""
    decl = symbol.origin[0].decl if symbol.kind is SymbolKind.LOAD else None
    init = decl.init if decl is not None and decl.is_global else None
    while isinstance(init, Cast):
        init = init.operand
    return init.value if isinstance(init, IntLit) and init.value > 0 else None


def rests_on(found: set[Symbol]) -> set[Symbol]:
    """Variables, and those that say how many rounds the host's loops make where these are among them."""
    counted = [(symbol, ends) for symbol in found if (ends := _ends(symbol)) is not None]
    return found.union(*({one for one in symbols(end) if one is not at} for _, (end, at) in counted)) - {
        symbol for symbol, _ in counted
    }


def host_symbols(view: LaunchView) -> list[Symbol]:
    """The host variables that the sizes, arguments and allocations of a launch rest on."""
    terms = [*(_grid(view) or ()), *(view.fact.block or ()), *(term for _, term in view.images)]
    terms += [size for _, size in extents_of(view)]
    if view.fact.shared is not None:
        terms.append(view.fact.shared)
    found: dict[Symbol, None] = {}
    for term in terms:
        for symbol in symbols(term):
            ends = _ends(symbol)
            if ends is not None:
                found.update((one, None) for one in symbols(ends[0]) if one is not ends[1])
            found[symbol] = None
    return list(found)


def chosen_symbols(view: LaunchView) -> list[Symbol]:
    """The host variables that get values: those that neither the source nor a loop of the host gives one."""
    left = _left_to_runtime(view)
    return [one for one in host_symbols(view) if _at_start(one) is None and _ends(one) is None and one not in left]


def _left_to_runtime(view: LaunchView) -> set[Symbol]:
    """Sizes of work-groups that nothing but the groups rests on, where work-items are counted: groups of one work-item
    are as good a choice as others (OpenCL API specification, clEnqueueNDRangeKernel)."""
    if view.fact.threads is None:
        return set()
    passed = (term for symbol, term in view.images if symbol.kind is SymbolKind.PARAM)
    terms = [*view.fact.threads, *passed, *(size for _, size in view.fact.extents)]
    terms += view.checks if view.fact.shared is None else (*view.checks, view.fact.shared)
    used = {symbol for term in terms for symbol in symbols(term)}
    sizes = {symbol for size in view.fact.block or () for symbol in symbols(size)}
    return {size for size in sizes if size.kind is SymbolKind.PARAM and size not in used}


def _ends(symbol: Symbol) -> tuple[Term, Symbol] | None:
    """(condition, counter) of the host's loop whose rounds a symbol counts, where nothing else ends it."""
    loop = symbol.origin
    if symbol.kind is not SymbolKind.TRIPS or not isinstance(loop, LoopContext) or loop.condition is None:
        return None
    return None if loop.post_tested or loop.exits or loop.leaves else (loop.condition, loop.counter)


def _rounds(symbol: Symbol, env: dict[Symbol, int]) -> int | None:
    """How many rounds the host's loop makes: ``while (size < n) size *= 2``."""
    ends = _ends(symbol)
    if ends is None:
        return None
    condition, counter = ends
    return next((count for count in range(ROUNDS) if evaluate(condition, {**env, counter: count}) == 0), None)


def settings_of(
    view: LaunchView,
    unit: int = 1,
    tried: Sequence[tuple[int, ...]] = VALUES,
    apart: bool = False,
    given: Mapping[Symbol, int] = MappingProxyType({}),
) -> Iterator[dict[Symbol, int]]:
    """Values of the host's variables, multiples of ``unit``, under which its checks hold.  ``apart``: numbers of which
    only callers know how they go with the size of an object get values of their own too.  ``given``: some values."""
    found = host_symbols(view)
    fixed = {symbol: value for symbol in found if (value := _at_start(symbol)) is not None} | dict(given)
    fixed |= {symbol: 1 for symbol in found if symbol in _left_to_runtime(view)}
    counted = [symbol for symbol in found if _ends(symbol) is not None]
    found = chosen_symbols(view)
    if len(found) > len(tried[0]) or not all(is_open(s) or (apart and s.reason == OF_CALLERS) for s in found):
        return
    if not found and not counted:
        yield fixed
        return
    if any(symbol.reason == TYPED for symbol in found):
        tried = [values for values in tried if min(values[:PLAIN]) >= FEW] or tried
    failing: list[dict[Symbol, int]] = []
    checks = (*view.checks, *_differences(view))
    known = False
    whole = list(_whole_blocks(view))
    unit = lcm(unit, *(size for _, by in whole if (size := by.value) is not None and 0 < size <= 1024))
    for factor in dict.fromkeys((unit, lcm(unit, _checked(view)))):
        for values in tried:
            chosen = {symbol: _within(symbol, value * factor) for symbol, value in zip(found, values, strict=False)}
            chosen |= fixed
            rounds = {symbol: count for symbol in counted if (count := _rounds(symbol, chosen)) is not None}
            if len(rounds) < len(counted):
                continue
            chosen |= rounds
            if any((evaluate(of, chosen) or 0) % (evaluate(by, chosen) or 1) for of, by in whole):
                continue  # a part of a block is left over, which the host does not mean to be there
            if all(evaluate(check, chosen) != 0 for check in checks):
                known = True
                yield chosen
            else:
                failing.append(chosen)
        if known:
            return
    if any(map(of_one_bit, view.checks)):
        for values in POWERS:
            chosen = {**dict(zip(found, values, strict=False)), **fixed}
            chosen |= {symbol: count for symbol in counted if (count := _rounds(symbol, chosen)) is not None}
            if all(evaluate(check, chosen) != 0 for check in checks):
                known = True
                yield chosen
    if not counted and not known:  # what is mended may be what they are counted by
        yield from mended(checks, failing, unit, fixed)


def _differences(view: LaunchView) -> list[Term]:
    """That unsigned differences which the host passes do not get below zero: no size that it has in mind does."""
    found = (part for symbol, image in view.images if symbol.kind is SymbolKind.PARAM for part in subterms(image))
    wraps = {p: None for p in found if p.op == "sub" and p.args[1].symbols and p.type in (U32, U64)}
    return [binary("lt", cast(part.args[1], I64), cast(part.args[0], I64), BOOL) for part in wraps]


def of_one_bit(check: Term) -> bool:
    """Whether a check asks for a power of two: ``(n & (n - 1)) == 0``."""
    pairs = (map(polynomial, part.args) for part in subterms(check) if part.op == "and")
    return any((one - other).coefficients in ({(): 1}, {(): -1}) for one, other in pairs)


def _within(symbol: Symbol, value: int) -> int:
    """The value, or the nearest that a symbol can have."""
    value = value if symbol.high is None else min(value, symbol.high)
    return value if symbol.low is None else max(value, symbol.low)


def _whole_blocks(view: LaunchView) -> Iterator[tuple[Term, Term]]:
    """What the grid divides, and by what, where nothing rounds up."""
    for size, cover in zip(view.fact.grid or (), view.covers, strict=False):
        for part in subterms(size) if cover.kind is not Cover.ROUNDED_UP else ():
            whole = part.op == "div" and isinstance(part.type, IntType)
            if not whole or polynomial(part.args[0]).coefficients.get((), 0):
                continue
            if not multiple(part.args[0], polynomial(part.args[1])):  # what is one anyway says nothing of its parts
                yield part.args[0], part.args[1]


def _checked(view: LaunchView) -> int:
    """What the host's variables have to be multiples of by its checks, as far as they say so with a remainder, or with
    the bits that it is in: ``(n & 3) == 0``."""
    unit = 1
    for check in view.checks:
        for part in subterms(check):
            divisor = part.args[1].value if part.op in ("mod", "and") else None
            if divisor is not None and part.op == "and":
                divisor = divisor + 1 if divisor & (divisor + 1) == 0 else None
            if divisor is not None and 0 < divisor <= 1024:
                unit = lcm(unit, divisor)
    return min(unit, 1 << 12)


def _sizes(terms: tuple[Term, ...] | None, env: dict[Symbol, int]) -> tuple[int, int, int] | None:
    if terms is None:
        return None
    values = [evaluate(term, env) for term in terms]
    if any(value is None or not 1 <= value <= MOST for value in values):
        return None
    x, y, z = (value or 1 for value in values)
    return x, y, z


def _grid(view: LaunchView) -> Sizes | None:
    """The blocks of a launch."""
    return view.fact.threads if view.fact.block is None and view.fact.threads is not None else view.fact.grid


def launch_with(view: LaunchView, env: dict[Symbol, int]) -> Launch | None:
    """The launch with numbers for all its sizes; None where they are not known."""
    chosen = view.fact.block is None and view.fact.threads is not None
    block, grid = (1, 1, 1) if chosen else _sizes(view.fact.block, env), _sizes(_grid(view), env)
    if block is None or grid is None:
        return None
    values: list[tuple[Symbol, int]] = []
    for symbol, term in view.images:
        value = evaluate(term, env)
        if symbol.kind is SymbolKind.PARAM and value is not None and isinstance(symbol.type, IntType):
            values.append((symbol, symbol.type.wrap(value)))
    return Launch(block, grid, values=tuple(values), max_threads=block[0] * block[1] * block[2])


def is_small(launch: Launch) -> bool:
    """Whether a launch has few enough threads to be tried with all of them."""
    (bx, by, bz), (gx, gy, gz) = launch.block, launch.grid
    threads = (bx or 1) * (by or 1) * (bz or 1)
    return threads <= 1024 and threads * (gx or 1) * (gy or 1) * (gz or 1) <= THREADS
