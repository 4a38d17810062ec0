"""Questions whether something was found, of a variable that holds nothing where it was not.

``int hit; for (...) if (d[i] < r) hit = i; if (hit < 0) return;`` asks what each value that is stored answers alike: no
``i`` is negative.  The question is about the value before the loop, which was meant to be there and is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernlint.analysis.accesses.no_rounds import in_first_round
from kernlint.analysis.content.ways import unset_variable
from kernlint.analysis.trace.events import ConditionEvent, LoopContext
from kernlint.record import dataclass
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, binary, const, symbols
from kernlint.tree.types import BOOL, IntType

LEAVES = 16
"""Values of one variable that are looked at."""

ROUNDS = 1 << 24
"""More rounds than most loops go."""

_QUESTIONS = frozenset({"lt", "le", "eq", "ne"})
_ANY = frozenset({SymbolKind.LOAD, SymbolKind.UNKNOWN})


@dataclass(frozen=True, slots=True)
class Asked:
    """An ``unset`` value that a condition asks about, and the ``loop`` that sets others (None: a branch does)."""

    unset: Symbol
    loop: LoopContext | None


def asked(event: ConditionEvent, loops: Mapping[str, LoopContext]) -> Iterator[Asked]:
    """The variables of which a condition asks whether they were set in a loop, and which are not set else."""
    for question, term, other in _questions(event.term):
        loop = _ended(term, loops)
        if loop is None and other.value is not None and _flag(event, question, term):
            yield from _of_branches(question, term, loops)
        if loop is None or other.value is None or _told(event, loop):
            continue
        leaves = list(_leaves(term, loops, loop))
        unset = [leaf.symbol for leaf in leaves if leaf.symbol is not None and unset_variable(leaf.symbol) is not None]
        stored = [leaf for leaf in leaves if leaf.symbol not in unset]
        if len(unset) == 1 and unset[0] is not None and stored and len(leaves) < LEAVES:
            answers = {_answer(question, leaf, term) for leaf in stored}
            if len(answers) == 1 and None not in answers:
                yield Asked(unset[0], loop)


def _of_branches(question: Term, term: Term, loops: Mapping[str, LoopContext]) -> Iterator[Asked]:
    """A flag that branches set, each to what the question answers alike."""
    leaves = [leaf for leaf in _leaves(term, loops, None) if leaf.op in ("const", "sym")]
    unset = {leaf.symbol for leaf in leaves if leaf.symbol is not None and unset_variable(leaf.symbol) is not None}
    stored = [leaf for leaf in leaves if leaf.symbol not in unset]
    answers = {_answer(question, leaf, term) for leaf in stored}
    if len(unset) == len(answers) == 1 and None not in answers and all(leaf.value is not None for leaf in stored):
        (one,) = unset
        assert one is not None
        yield Asked(one, None)


def _flag(event: ConditionEvent, question: Term, term: Term) -> bool:
    """Whether a value is chosen by conditions of which nothing that guards the question, or is asked beside it, speaks:
    they may say that the value is set."""
    if term.op != "select":
        return False
    chosen = set[Symbol]()
    stack = [term]
    while stack:
        at = stack.pop()
        if at.op == "select":
            chosen |= set(symbols(at.args[0]))
            stack += at.args[1:]
        elif at.op not in ("const", "sym"):
            return False
    roots = {symbol.origin[0] for symbol in chosen if isinstance(symbol.origin, tuple)}
    beside = [guard.term for guard in event.guards] + list(_others(event.term, question, term))
    return not any(
        symbol in chosen or (isinstance(symbol.origin, tuple) and symbol.origin[0] in roots)
        for part in beside
        for symbol in symbols(part)
    )


def _others(whole: Term, question: Term, term: Term) -> Iterator[Term]:
    """What a condition asks beside one question."""
    if whole.op in ("land", "lor", "lnot"):
        for part in whole.terms:
            yield from _others(part, question, term)
    elif whole != question and whole != term:
        yield whole


def _questions(term: Term) -> Iterator[tuple[Term, Term, Term]]:
    """(comparison, value that is asked about, number) of each comparison with a number that a condition is made of."""
    if term.op in ("land", "lor", "lnot"):
        for part in term.terms:
            yield from _questions(part)
    elif term.op in _QUESTIONS:
        for side, other in (term.args, term.args[::-1]):
            yield term, side, other
    elif term.op in ("call", "select") and isinstance(term.type, IntType):
        yield binary("ne", term, const(0, term.type), BOOL), term, const(0, term.type)  # a flag


def _ended(term: Term, loops: Mapping[str, LoopContext]) -> LoopContext | None:
    """The loop whose outcome a value is."""
    while term.op == "cast":
        term = term.args[0]
    if term.op != "call" or not term.args[0].startswith("after"):
        return None
    return loops.get(term.args[0].removeprefix("after").removesuffix(".exits"))


def _leaves(term: Term, loops: Mapping[str, LoopContext], loop: LoopContext | None) -> Iterator[Term]:
    """The values that may be the outcome of a loop, with the one before it."""
    stack, seen, left = [term], set[Symbol](), LEAVES
    while stack and left > 0:
        at = stack.pop()
        left -= 1
        symbol = at.symbol
        if at.op == "cast":
            stack.append(at.args[0])
        elif at.op == "call" and at.args[0].startswith("after"):
            ended = _ended(at, loops)
            reasons = len(ended.exits) + (ended.condition is not None) if ended is not None else 0
            values = at.args[1 : len(at.args) - reasons] if at.args[0].endswith(".exits") else at.args[1:2]
            stack += values if ended is not None else ()
            if ended is None:
                yield at
        elif at.op == "select":
            stack += at.args[1:]
        elif symbol is not None and symbol.kind is SymbolKind.PHI and isinstance(symbol.origin, LoopContext):
            if symbol not in seen:
                seen.add(symbol)
                step = in_first_round(symbol.step, symbol.origin) if symbol.step is not None else None
                kept = symbol.init is None or step is None or set(symbols(symbol.init)) & set(symbols(step))
                # (what the first round sets in any case is set, where there is one)
                stack += [one for one in (symbol.init if kept else None, symbol.step) if one is not None]
        else:
            yield at


def _answer(question: Term, leaf: Term, asked_: Term) -> bool | None:
    """What a comparison answers for one of the values, where it is the same whatever data and arguments are."""
    if not isinstance(leaf.type, IntType) or any(symbol.kind in _ANY for symbol in symbols(leaf)):
        return None
    sides = [leaf if side == asked_ else side for side in question.args]
    truth = binary(question.op, sides[0], sides[1], BOOL)
    if truth.value is not None:
        return bool(truth.value)
    (low, high), (least, most) = (interval(side, _counters) for side in sides)
    if low is None or high is None or least is None or most is None:
        return None
    if high < least or (question.op == "le" and high <= least):
        return {"lt": True, "le": True, "eq": False, "ne": True}[question.op]
    if low > most or (question.op == "lt" and low >= most):
        return {"lt": False, "le": False, "eq": False, "ne": True}[question.op]
    return None


def _counters(symbol: Symbol) -> tuple[int | None, int | None]:
    """The bounds of a symbol: loops go fewer rounds than would make their counters wrap."""
    if symbol.kind is SymbolKind.COUNTER:
        return 0, ROUNDS
    return symbol.low, symbol.high


def _told(event: ConditionEvent, loop: LoopContext) -> bool:
    """Whether something that was asked after the loop has a say."""
    return any(
        symbol.kind in _ANY or symbol.kind is SymbolKind.PHI
        for guard in event.guards[loop.depth :]
        for symbol in symbols(guard.term)
        if guard.loop is not loop
    )
