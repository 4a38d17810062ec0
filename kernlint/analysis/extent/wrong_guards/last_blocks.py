"""Rows of as many parts as round a number of items up, of which each block stores all that its items could make.

``bits[step * ((n + 31) / 32) + blockIdx.x * 4 + threadIdx.x]`` for ``threadIdx.x < 4``: a block of 128 items has four
words of 32, and the last block, which has fewer items, as the kernel's own test of them says, has fewer words in the
row too: past its end begins the next one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import gcd

from kernlint.analysis.coverage import Cover, conjuncts, cover
from kernlint.analysis.extent.limits import elements
from kernlint.analysis.extent.no_surplus import without_surplus
from kernlint.analysis.extent.places import Places, chosen
from kernlint.analysis.extent.wrong_guards.faults import Fault, Overreach
from kernlint.analysis.launching.launch_context import Block, LaunchContext
from kernlint.analysis.trace.events import Access, Guard
from kernlint.record import dataclass
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.polynomial import Polynomial, polynomial, term_of
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, THREAD, Symbol, SymbolKind, Term, symbols

BEFORE = 2
"""Blocks that are full."""

ITEMS = "the items of a block are tested here"

MOST = 1024
"""Threads of a block that are asked."""

_LAUNCH = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK, SymbolKind.BLOCK_DIM})
_OWN = frozenset({SymbolKind.THREAD, SymbolKind.BLOCK})


@dataclass(frozen=True, slots=True, eq=False)
class _Items:
    """Items that blocks along ``axis`` take, by a test of an ``access``: ``item < count``."""

    access: Access
    guard: Guard
    part: Term
    axis: int


def last_blocks(found: Places, context: LaunchContext, multiples: Mapping[str, int]) -> Iterator[Overreach]:
    """Accesses that the last block makes past the end of a row.

    Excused: a test that speaks of the number of items or of the parts, launches whose items fill their blocks, and
    comments that say as much.  Still bad: a test of the thread's place in its block alone.
    """
    items: dict[Term, _Items] | None = None
    for access, places in found.items():
        split = _row_of(access)
        if split is None or any(place.limits for place in places[-1:]):
            continue
        row, count, index = split
        if any(symbol.name.rpartition(".")[2] in multiples for symbol in symbols(count)):
            continue
        mine = set(symbols(row))
        if any(mine & set(symbols(guard.term)) for guard in access.guards):
            continue
        items = _items(found) if items is None else items
        one = items.get(count)
        if one is None or without_surplus(one.access, one.part, context.launches, one.axis):
            continue
        if _passed(access, index, row, one, context.known_blocks or [c.block for c in context.blocks[:1]]):
            guard, part = _last_test(access, one)
            yield Overreach(access, Fault.BLOCKS, guard, part, polynomial(count), 0, ITEMS, one.access)


def _row_of(access: Access) -> tuple[Term, Term, Term] | None:
    """(length of the rows, the argument that it rounds up in parts, place in the row) of an access to such rows."""
    whole = elements(access)
    if whole is None or whole[1]:
        return None
    for atom in whole[0].atoms:
        of = cover(atom)
        count = of.count.symbol if of.kind is Cover.ROUNDED_UP and of.count is not None else None
        if count is None or not chosen(atom) or len(symbols(atom)) != 1:
            continue
        place = {mono: times for mono, times in whole[0].coefficients.items() if atom not in mono}
        moving = {symbol.kind for mono in place for one in mono for symbol in symbols(one)}
        if SymbolKind.BLOCK in moving and moving <= _LAUNCH:
            rows = gcd(*(times for mono, times in whole[0].coefficients.items() if atom in mono))
            return term_of(Polynomial({(atom,): rows})), count.term, term_of(Polynomial(place))
    return None


def _items(found: Places) -> dict[Term, _Items]:
    """The numbers of items that are tested before accesses, by what says how many there are."""
    out: dict[Term, _Items] = {}
    for access in found:
        for guard in access.guards:
            for part in conjuncts(guard.term) if guard.loop is None else ():
                kinds = {symbol.kind for symbol in symbols(part.args[0])} if part.op == "lt" else set()
                axes = {s.axis for s in symbols(part.args[0]) if s.kind is SymbolKind.BLOCK} if kinds <= _LAUNCH else ()
                if len(axes) == 1 and SymbolKind.THREAD in kinds:
                    out.setdefault(part.args[1], _Items(access, guard, part, next(iter(axes)) or 0))
    return out


def _passed(access: Access, index: Term, row: Term, items: _Items, blocks: Sequence[Block]) -> bool:
    """Whether the last block, with a single item, makes the access past the end of the row."""
    (number,) = symbols(row)
    for block in blocks:
        last = {symbol: BEFORE if axis == items.axis else 0 for axis, symbol in enumerate(BLOCK)}
        env: dict[Symbol, int] = {**dict(zip(BLOCK_DIM, block, strict=True)), **last}
        first = evaluate(items.part.args[0], {**env, **dict.fromkeys(THREAD, 0)})
        if first is None or first <= 0:
            continue
        env[number] = first + 1
        length = evaluate(row, env)
        for at in range(min(block[items.axis], MOST)) if length is not None else ():
            thread = {symbol: at if axis == items.axis else 0 for axis, symbol in enumerate(THREAD)}
            reached = evaluate(index, {**env, **thread})
            if reached is not None and length is not None and reached >= length and _made(access, env, thread):
                return True
    return False


def _made(access: Access, env: Mapping[Symbol, int], thread: Mapping[Symbol, int]) -> bool:
    """Whether a thread makes an access, as far as its place says: what arguments say is the same for all."""
    for guard in access.guards:
        for part in conjuncts(guard.term):
            value = evaluate(part, {**env, **thread})
            if value == 0 or (value is None and {symbol.kind for symbol in symbols(part)} & _OWN):
                return False
    return True


def _last_test(access: Access, items: _Items) -> tuple[Guard, Term]:
    """The test of an access that is about the thread's place, or that of the items where it has none."""
    for guard in reversed(access.guards):
        for part in conjuncts(guard.term):
            if any(symbol.kind in _OWN for symbol in symbols(part)):
                return guard, part
    return items.guard, items.part
