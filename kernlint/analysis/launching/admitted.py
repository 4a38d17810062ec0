"""The launches of a kernel that are in sight, as the prover takes them: see :mod:`kernlint.prove.admission`.

What host code states before a launch (arguments, clamps, checks, how the grid follows from a size) is here turned into
truths over the kernel's symbols, once for all rules.  Where the user gives a launch, that is the one to judge by, and
launches in sight are left aside; where the instance analysed was made up, a launch of another one says nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kernlint.analysis.assumptions import assumed
from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.coverage import conjuncts, in_whole_blocks
from kernlint.analysis.launching.launches import LaunchFact, launches, speaks_of
from kernlint.analysis.launching.members import Members, member_of, members
from kernlint.analysis.launching.template_numbers import in_numbers
from kernlint.analysis.scenarios.tables import COMPUTED
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import LoopContext, Trace
from kernlint.analysis.trace.values import PointerValue, StructValue, Value
from kernlint.apis import known_name
from kernlint.prove.admission import FREE_LAUNCH, Admission, Way
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.narrowing import narrowed
from kernlint.symbolic.terms import (
    BLOCK_DIM,
    GRID_DIM,
    Symbol,
    SymbolKind,
    Term,
    binary,
    cast,
    const,
    plain,
    symbols,
)
from kernlint.tree.nodes import FunctionDecl, VarDecl
from kernlint.tree.types import BOOL, I64, IntType, OpaqueType

LARGEST_UNIT = 1 << 20
"""From here on a number is a size by itself, and no unit that sizes are rounded to."""


def symbols_of(kernel: Trace) -> Iterator[Symbol]:
    """Every symbol in offsets, values, guards and conditions of a trace, each once."""
    seen: set[int] = set()
    stack: list[Term] = []
    for access in (*kernel.accesses, *kernel.addresses):
        stack.append(access.offset)
        if access.value is not None:
            stack.append(access.value)
        stack.extend(guard.term for guard in access.guards)
    stack.extend(test.term for test in kernel.conditions)
    stack.extend(loop.condition for loop in kernel.loops if loop.condition is not None)
    while stack:
        term = stack.pop()
        if id(term) in seen:
            continue
        seen.add(id(term))
        if term.op == "sym":
            if id(term.args[0]) not in seen:
                seen.add(id(term.args[0]))
                yield term.args[0]
        elif term.op != "const":
            stack.extend(term.terms)


def parameters_among(found: Iterable[Symbol]) -> dict[str, Symbol]:
    """The scalar parameters (and scalar fields of them, ``p.field``) among the symbols ``found``, by name."""
    return {symbol.name: symbol for symbol in found if symbol.kind is SymbolKind.PARAM}


def _bindings(name: str, value: Value) -> Iterator[tuple[str, Term]]:
    """Scalar parts of an argument, by the name of the kernel's symbol."""
    if isinstance(value, StructValue):
        for field, inner in value.fields:
            yield from _bindings(f"{name}.{field}", inner)
    elif isinstance(value, Term) and not isinstance(value, PointerValue):
        yield name, value


def way_of(fact: LaunchFact, known: dict[str, Symbol]) -> Way:
    """The launch ``fact`` as seen from a kernel whose scalar parameters are ``known``."""
    images: list[tuple[Symbol, Term]] = []
    open_: list[tuple[Symbol, Term]] = []  # of a template's types
    if fact.block is not None:
        images.extend(zip(BLOCK_DIM, fact.block, strict=True))
    if fact.grid is not None:
        images.extend(zip(GRID_DIM, fact.grid, strict=True))
    checks = [part for guard in fact.guards for part in conjuncts(guard.term) if not _of_status(part)]
    if fact.threads is not None and fact.grid is None:
        checks += [_all_threads(axis, size) for axis, size in enumerate(fact.threads)]
    for name, value in fact.arguments:
        for path, term in _bindings(name, value):
            symbol = known.get(path)
            if symbol is not None and isinstance(symbol.type, IntType) and isinstance(term.type, IntType):
                images.append((symbol, term))
            elif symbol is not None and isinstance(term.type, OpaqueType):
                open_.append((symbol, term))
    images = in_numbers(images, open_)
    passed = {symbol for symbol, _ in images}
    images += [(one, one.term) for one in known.values() if one not in passed and _in_constant_memory(one)]
    checks += [_is_power(symbol) for symbol, term in images if term.value is None and _one_bit(term)]
    checks += _rounds([term for _, term in images], checks)
    checks += _whole_blocks(images, checks)
    return Way(tuple(images), tuple(checks))


def _in_constant_memory(symbol: Symbol) -> bool:
    """Whether a number is one that the host has put into constant memory before: what it was is a variable of its
    own."""
    return isinstance(symbol.origin, VarDecl) and symbol.origin.is_global


def _of_status(check: Term) -> bool:
    """Whether a truth is that a function of a runtime has gone well: that says nothing of its arguments' sizes, and no
    value of theirs decides it."""
    check = plain(check)
    if check.op == "lnot":
        return _of_status(check.args[0])
    if check.op in ("eq", "ne") and check.args[1].value is not None:
        return _of_status(check.args[0])
    return check.op == "call" and known_name(str(check.args[0]).partition("@")[0]) is not None


def _whole_blocks(images: Sequence[tuple[Symbol, Term]], checks: Sequence[Term]) -> Iterator[Term]:
    """That a scalar is a multiple of the threads of a block along x, where the host launches only whole blocks."""
    size = next((image for symbol, image in images if symbol is BLOCK_DIM[0]), None)
    for symbol, image in images if size is not None and size.value != 1 else ():
        if symbol.kind is SymbolKind.PARAM and image.value is None and size and in_whole_blocks(image, size, checks):
            rest = binary("mod", cast(symbol.term, I64), cast(BLOCK_DIM[0].term, I64), I64)
            yield binary("eq", rest, const(0, I64), BOOL)


def _rounds(terms: Sequence[Term], checks: Sequence[Term]) -> Iterator[Term]:
    """How many rounds a loop of the host makes at most that doubles a size as long as it is below another one, where
    checks say how large that gets: ``while (size < n) size *= 2`` goes past no power of two that n does not need."""
    for symbol in {symbol: None for term in terms for symbol in symbols(term) if symbol.kind is SymbolKind.TRIPS}:
        loop = symbol.origin
        if not isinstance(loop, LoopContext) or loop.condition is None or loop.condition.op not in ("lt", "le"):
            continue
        grows, end = loop.condition.args
        limit = plain(end).symbol
        if loop.post_tested or set(symbols(grows)) != {loop.counter} or limit is None or limit is loop.counter:
            continue
        ranges = narrowed(checks, {})
        most = ranges.of(limit.term)[1] if ranges is not None else None
        if most is None or most >= LARGEST_UNIT:
            continue
        rounds = (
            at
            for at in range(LARGEST_UNIT.bit_length())
            if evaluate(loop.condition, {loop.counter: at, limit: most}) == 0
        )
        last = next(rounds, None)
        if last is not None:
            yield binary("le", symbol.term, const(last, I64), BOOL)


def _one_bit(term: Term) -> bool:
    """Whether a host term is a power of two, whatever its variables are: ``max(min(1 << n, 1024), 1)``."""
    if term.value is not None:
        return isinstance(term.value, int) and term.value > 0 and term.value & (term.value - 1) == 0
    if term.op == "shl":
        return _one_bit(term.args[0])
    if term.op in ("min", "max"):
        return all(map(_one_bit, term.args))
    if term.op == "select":
        return all(map(_one_bit, term.args[1:]))
    return term.op == "cast" and isinstance(term.type, IntType) and _one_bit(term.args[0])


def _is_power(symbol: Symbol) -> Term:
    less = binary("sub", cast(symbol.term, I64), const(1), I64)
    return binary("eq", binary("and", cast(symbol.term, I64), less, I64), const(0), BOOL)


def _all_threads(axis: int, size: Term) -> Term:
    """That the blocks have ``size`` threads along an axis together."""
    block, grid = cast(BLOCK_DIM[axis].term, I64), cast(GRID_DIM[axis].term, I64)
    return binary("eq", binary("mul", grid, block, I64), cast(size, I64), BOOL)


def _compute(facts: Facts) -> Admission:
    said, options = facts[assumed], facts.options
    if said.block or said.grid or options.block or options.grid:
        return FREE_LAUNCH
    known = parameters_among(symbols_of(facts[trace]))
    seen = [one for one in facts[launches] if speaks_of(one, facts.function)]
    ways = (_even(way_of(fact, known), facts[members], facts.function) for fact in seen)
    return Admission(tuple(ways)) if seen else FREE_LAUNCH


def _even(way: Way, stored: Members, kernel: FunctionDecl) -> Way:
    """A way with what is known of members that are always stored as multiples of a number: pitches."""
    told: dict[Symbol, int] = {}
    for symbol, image in way.images:
        for one in (symbol, *symbols(image)):
            of = member_of(one, kernel if one is symbol else None) if one not in told else None
            if of is not None:
                told[one] = stored.multiple(*of)
    more = tuple(_is_multiple(symbol, number) for symbol, number in told.items() if 1 < number < LARGEST_UNIT)
    return Way(way.images, (*way.checks, *more)) if more else way


def _is_multiple(symbol: Symbol, number: int) -> Term:
    rest = binary("mod", cast(symbol.term, I64), const(number, I64), I64)
    return binary("eq", rest, const(0, I64), BOOL)


admitted = KernelAnalysis("admitted", _compute, needs=(trace, launches, assumed, members))
"""The :class:`~kernlint.prove.admission.Admission` of a kernel variant."""


SIDES = (64, 32, 16, 8, 4, 2)
"""Threads along one of two axes of a block that a launch computes."""

USUAL_THREADS = 256
"""Threads of such a block, where it may have as many: a search through it is not long."""


def computed_blocks(known: Admission, axes: tuple[bool, bool, bool]) -> list[tuple[int, int, int]]:
    """Blocks along one axis or two that launches in sight may have which compute the size of their block: the largest,
    and the smallest of whole warps.  Empty where the launches leave all sizes open (a check that lets pass as many
    threads as a block may have does not), or none is of this form."""
    if axes[2]:
        return []
    if axes[1]:
        planes = [(x, y, 1) for x in SIDES for y in SIDES if 32 <= x * y <= max(COMPUTED)]
        fit = [block for block in planes if known.permits(block)]
        if not fit or len(fit) == len(planes):
            return []
        fit.sort(key=lambda block: (block[0] * block[1] > USUAL_THREADS, -block[0] * block[1]))
        return [fit[0]]
    fits = [size for size in COMPUTED if known.permits((size, 1, 1))]
    most = known.checked_block(max(COMPUTED))
    if most is not None and most not in fits and known.permits((most, 1, 1)):
        fits.insert(0, most)
    if not fits or (len(fits) == len(COMPUTED) and most is None):
        return []
    whole = [size for size in fits if size % 32 == 0]
    return [(size, 1, 1) for size in dict.fromkeys((fits[0], *whole[-1:]))]
