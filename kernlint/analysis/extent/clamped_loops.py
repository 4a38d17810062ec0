"""Arrays filled or read by loops that go on as long as clamped data say: ``for (i < min(length, 80)) word[i]``.

How far such loops go together, one after the other or one in the other, is what the clamps and masks leave of the data:
each may be at its largest, as long as no test speaks of them.  A mask of whole bytes
takes a field out of a word and is no clamp.
"""

from __future__ import annotations

from kernlint.analysis.trace.events import Access, GuardKind, LoopContext, Trace
from kernlint.prove.query import Actor, Refuted
from kernlint.symbolic.evaluate import evaluate
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.polynomial import polynomial
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, plain, symbols

_COUNTS = frozenset({SymbolKind.COUNTER, SymbolKind.TRIPS})

LAST = 8
"""Iterations at the end of a loop that are looked at: places may be turned around within a word (``i ^ 3``)."""

FAR = 1 << 31
"""Offsets beyond are those of places that have wrapped."""

_BYTES = (0xFF, 0xFFFF, 0xFFFFFF)


def beyond(kernel: Trace, access: Access, place: Term, size: int, extent: int) -> Refuted | None:
    """The last iterations of such loops, where ``size`` units at ``place`` leave an object of ``extent`` units."""
    counts = set(symbols(place))
    if not counts or {symbol.kind for symbol in counts} - _COUNTS:
        return None
    loops = {symbol: _loop_of(kernel, access, symbol) for symbol in counts}
    largest: dict[Symbol, int] = {}
    data: list[Term] = []
    for symbol, loop in loops.items():
        most = None if loop is None else _most(loop)
        if most is None:
            return None
        largest[symbol] = most[0] - (1 if symbol.kind is SymbolKind.COUNTER else 0)
        data += [] if most[1] is None else [most[1]]
        if largest[symbol] < 0:
            return None
    if not data or _tested(access, loops, data):
        return None
    inner = max((s for s in counts if s.kind is SymbolKind.COUNTER), key=lambda s: s.serial, default=None)
    for back in range(min(LAST, largest[inner] + 1) if inner is not None else 1):
        at = largest if inner is None else largest | {inner: largest[inner] - back}
        last = evaluate(place, at)
        if last is not None and extent < last + size < FAR:
            return _refuted(at, last, extent)
    return None


def _refuted(at: dict[Symbol, int], last: int, extent: int) -> Refuted:
    counters = tuple((symbol, value) for symbol, value in at.items() if symbol.kind is SymbolKind.COUNTER)
    trips = tuple((symbol, value) for symbol, value in at.items() if symbol.kind is SymbolKind.TRIPS)
    first = Actor((0, 0, 0), (0, 0, 0), last, counters, trips)
    return Refuted((1, 1, 1), (1, 1, 1), (), first, depends_on_data=True, data_in_address=True, extent=extent)


def _loop_of(kernel: Trace, access: Access, symbol: Symbol) -> LoopContext | None:
    among = access.loops if symbol.kind is SymbolKind.COUNTER else kernel.loops
    return next((loop for loop in among if symbol in (loop.counter, loop.trips)), None)


def _most(loop: LoopContext) -> tuple[int, Term | None] | None:
    """How often a loop is run at most, and the data that decide it (None: a number)."""
    condition = loop.condition
    if condition is None or loop.post_tested or loop.exits or loop.leaves or loop.returns or loop.doubtful:
        return None
    if condition.op not in ("lt", "le") or plain(condition.args[0]).symbol is not loop.counter:
        return None
    bound, further = condition.args[1], int(condition.op == "le")
    if bound.value is not None:
        return bound.value + further, None
    form = polynomial(bound).coefficients
    moving = [mono for mono in form if mono]
    if len(moving) != 1 or len(moving[0]) != 1 or form[moving[0]] != 1:
        return None
    inside, top = _clamp(plain(moving[0][0]))
    return None if inside is None else (top + form.get((), 0) + further, inside)


def _clamp(atom: Term) -> tuple[Term | None, int]:
    """What a clamp or mask keeps at or below a number, and that number."""
    if atom.op not in ("min", "and", "mod"):
        return None, 0
    for inside, limit in (atom.args, atom.args[::-1]) if atom.op != "mod" else (atom.args,):
        value = limit.value
        if value is None or value < 8 or (atom.op == "and" and value in _BYTES) or inside.value is not None:
            continue
        top = value - 1 if atom.op == "mod" else value
        high = interval(inside)[1]
        while inside.op in ("cast", "shr"):
            inside = inside.args[0]
        return inside, top if high is None else min(top, high)
    return None, 0


def _tested(access: Access, loops: dict[Symbol, LoopContext | None], data: list[Term]) -> bool:
    """Whether a test that is not a loop's own speaks of the counts or of the data."""
    about = {s for term in data for s in symbols(term)} | set(loops)
    own = {loop.condition for loop in loops.values() if loop is not None}
    for guard in access.guards:
        if guard.kind is GuardKind.AFTER_LOOP or guard.term in own:
            continue
        if about & set(symbols(guard.term)):
            return True
    return False
