"""The ways on which a value that nobody has set gets to a use: through selections and the first rounds of loops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernlint.analysis.accesses.no_rounds import without_a_round
from kernlint.analysis.content.branches import consuming
from kernlint.analysis.content.searched import never_found
from kernlint.analysis.trace.events import Event, GuardKind, LoopContext, WarpEvent
from kernlint.record import dataclass
from kernlint.symbolic.terms import (
    COMPARISONS,
    Symbol,
    SymbolKind,
    Term,
    binary,
    cast,
    const,
    negate,
    plain,
    substitute,
    subterms,
    symbols,
)
from kernlint.tree.nodes import VarDecl
from kernlint.tree.types import BOOL, I64, FloatType, IntType, StructType, VectorType

WAYS = 48
"""Ways from a use to unset values that are looked at."""


def unset_variable(symbol: Symbol) -> VarDecl | None:
    """The variable whose missing value a symbol stands for."""
    origin = symbol.origin
    if symbol.kind is not SymbolKind.UNKNOWN or not isinstance(origin, VarDecl):
        return None
    return origin if isinstance(origin.type, (IntType, FloatType, VectorType, StructType)) else None


Loops = tuple[LoopContext, ...]


@dataclass(frozen=True, slots=True)
class Missed:
    """A ``loop`` that sets a value in none of its rounds; ``empty``: there is none."""

    loop: LoopContext
    empty: bool


Way = tuple[Symbol, tuple[Term, ...], Loops, Missed | None]
"""An unset value, the conditions under which a term takes it up, the loops that data may leave that have to end by
their conditions first, and the loop that does not set it."""


class Ways:
    """Finds the ways from terms to unset values."""

    def __init__(self, event: Event, loops: Mapping[str, LoopContext]) -> None:
        self.event = event
        self.loops = loops
        self.inside = {loop.counter.origin for loop in event.loops}
        self.left = WAYS
        self.chosen: set[Term] = set()
        """Conditions that hold as they are written: a branch that is there, and not one that is missing."""
        self.missed: Missed | None = None
        self._may: dict[Symbol, bool] = {}

    def of(self, term: Term, conds: tuple[Term, ...] = (), depth: int = 0, past: Loops = ()) -> Iterator[Way]:
        if self.left <= 0 or depth > 40 or not any(map(self._leads, term.symbols)):
            return
        op = term.op
        if op == "sym":
            yield from self._symbol(term.args[0], conds, depth, past)
        elif op in ("select", "land", "lor"):
            first, *rest = term.args
            yield from self.of(first, conds, depth + 1, past)
            if op == "select":
                self.chosen.add(first)
            ends = (first, negate(first)) if op == "select" else (first if op == "land" else negate(first),)
            for arg, cond in zip(rest, ends, strict=False):
                yield from self.of(arg, (*conds, cond), depth + 1, past)
        elif op == "call" and term.args[0].startswith("after"):
            # the others say how the loop ended
            loop = self.loops.get(term.args[0].removeprefix("after").removesuffix(".exits"))
            if loop is not None and any(_data(end) for end in term.terms[1:]):
                past = (*past, loop)
            if loop is None or not _left_at_last(loop):
                yield from self.of(term.args[1], conds, depth + 1, past)
        else:
            # (a lane or field that nobody sets beside others that are is most often one that nobody looks at)
            apart = op == "call" and term.args[0] == "struct" and not all(worth_it(arg) for arg in term.terms)
            for arg in term.terms:
                if not apart or arg.op not in ("select", "sym"):
                    yield from self.of(arg, conds, depth + 1, past)

    def _leads(self, symbol: Symbol) -> bool:
        """Whether a symbol is an unset value, or a variable of a loop that may begin with one."""
        if symbol not in self._may:
            begin = symbol.init if symbol.kind is SymbolKind.PHI else None
            self._may[symbol] = False
            unset = unset_variable(symbol) is not None
            self._may[symbol] = unset or (begin is not None and any(map(self._leads, begin.symbols)))
            if begin is not None and not self._may[symbol]:
                self._may[symbol] = any(map(self._leads, _used_beside(symbol)))
        return self._may[symbol]

    def _symbol(self, symbol: Symbol, conds: tuple[Term, ...], depth: int, past: Loops) -> Iterator[Way]:
        self.left -= 1
        if unset_variable(symbol) is not None:
            yield symbol, conds, past, self.missed
        elif symbol.kind is SymbolKind.PHI and symbol.init is not None:
            loop = symbol.origin
            first = binary("eq", loop.counter.term, const(0, I64), BOOL)
            for other in _used_beside(symbol):
                assert other.init is not None
                yield from self.of(other.init, (*conds, first), depth + 1, past)
            if symbol.step is not None and symbol.step.symbol is symbol:
                yield from self.of(symbol.init, conds, depth + 1, past)  # no round that goes on to the next one sets it
            elif loop in self.inside or (symbol.step is not None and _consumed(symbol.step, symbol)):
                yield from self.of(symbol.init, (*conds, first), depth + 1, past)
            elif symbol.step is not None:
                for branch in consuming(symbol.step, symbol):
                    self.chosen.update(branch)
                    yield from self.of(symbol.init, (*conds, *branch, first), depth + 1, past)
                missed = never_found(symbol, self.event)
                if missed is not None and self.missed is None:
                    self.missed = Missed(missed, empty=False)
                    yield from self.of(symbol.init, conds, depth + 1, (*past, loop))
                    self.missed = None
                if symbol.init.symbol is None and _counts_on(symbol.step, symbol):
                    # (what is only updated is told where that is done)
                    yield from self.of(symbol.init, conds, depth + 1, past)
            if (
                loop not in self.inside
                and worth_it(symbol.init)
                and symbol.step is not None
                and symbol.step.symbol is not symbol
            ):
                yield from self._around(symbol, conds, depth, past)

    def _around(self, symbol: Symbol, conds: tuple[Term, ...], depth: int, past: Loops) -> Iterator[Way]:
        """The ways past a loop: without a round, or with the others of a warp asked for something better."""
        loop, init = symbol.origin, symbol.init
        assert init is not None
        if kept_among_lanes(symbol):
            yield from self.of(init, conds, depth + 1, past)
        none = without_a_round(loop, self.event) if self.missed is None else None
        if none is not None:
            self.missed = Missed(loop, empty=True)
            yield from self.of(init, (*conds, *none), depth + 1, past)
            self.missed = None


def _data(term: Term) -> set[Symbol]:
    """What memory holds, or was not followed, that a term rests on."""
    return {symbol for symbol in symbols(term) if symbol.kind in (SymbolKind.LOAD, SymbolKind.UNKNOWN)}


def _left_at_last(loop: LoopContext) -> bool:
    """Whether a loop is left in its last round at the latest: ``if (found || k == n - 1) break;``."""
    test = loop.condition
    if test is None or test.op != "lt" or plain(test.args[0]).symbol is not loop.counter or loop.post_tested:
        return False
    limit = test.args[1]
    last = cast(binary("sub", limit, const(1, limit.type), limit.type), I64)
    return any(substitute(term, {loop.counter: last}).value == 1 for term, _ in loop.exits)


def told_apart(event: Event, past: Loops) -> bool:
    """Whether a guard of a use rests on data that may say what the loops before found: on other data than those that
    say how far they go; or on how many rounds they went."""
    trips = {loop.trips for loop in past}
    if any(
        not trips.isdisjoint(guard.term.symbols) for guard in event.guards if guard.kind is not GuardKind.AFTER_LOOP
    ):
        return True
    ranges = {symbol for loop in past if loop.condition is not None for symbol in _data(loop.condition)}
    return bool(past) and any(_data(guard.term) - ranges for guard in event.guards)


def kept_among_lanes(phi: Symbol) -> bool:
    """Whether a loop takes another value in place of the one that a variable holds only where what other lanes of the
    warp hold says so: the better of the two."""
    step = phi.step
    if step is None or step.op != "select":
        return False
    cond, *values = step.args
    others = [symbol for symbol in symbols(cond) if symbol.kind is not SymbolKind.PHI]
    own = [value for value in values if value.symbol is phi]
    return len(own) == 1 and bool(others) and all(isinstance(other.origin, WarpEvent) for other in others)


def _consumed(step: Term, phi: Symbol) -> bool:
    """Whether each iteration makes the next value of a loop's variable out of the last one (``s += x``)."""
    if step.op in ("select", "sym", "const", "land", "lor") or (step.op == "call" and step.args[0].startswith("after")):
        return False
    return phi in step.symbols


def _used_beside(phi: Symbol) -> Iterator[Symbol]:
    """The other variables of a loop that each round makes the next value of one out of, whatever it finds: in the first
    round these are what they were before."""
    if phi.step is None or not _consumed(phi.step, phi):
        return
    todo = [*phi.step.terms]
    while todo:
        at = todo.pop()
        one = at.symbol
        if one is not None:
            if one.kind is SymbolKind.PHI and one.origin is phi.origin and one is not phi and one.init is not None:
                yield one
        elif at.op not in ("select", "land", "lor", "call") and not _switches(at):
            todo.extend(at.terms)


def _switches(term: Term) -> bool:
    """Whether a value is multiplied by a truth: it may be nothing in the first round."""
    return term.op == "mul" and any(part.op in COMPARISONS for part in subterms(term))


def _counts_on(step: Term, phi: Symbol) -> bool:
    """Whether each iteration leaves a loop's variable as it is, or makes it out of the last one, as the conditions say:
    ``if (found) ++n;``."""
    if step.op == "select":
        return all(one.symbol is phi or _counts_on(one, phi) or _consumed(one, phi) for one in step.args[1:])
    return False


def worth_it(term: Term) -> bool:
    """Whether unset values or loops that may begin with one are in a term at all."""
    return any(symbol.kind is SymbolKind.PHI or unset_variable(symbol) is not None for symbol in symbols(term))
