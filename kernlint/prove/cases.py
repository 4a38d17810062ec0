"""Case splits: a query without ``?:``, ``min``, ``max`` and ``||`` in it is easier.

``c ? x : y`` holds its first value where ``c`` and its second where not, so the query is proved if it is proved for
both; likewise ``min(x, y)`` by ``x <= y``, and a guard ``p || q`` by either part.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.prove.query import LoopRange, Query, Side, is_shared
from kernlint.record import dataclass, replace
from kernlint.symbolic.terms import (
    Symbol,
    SymbolKind,
    Term,
    binary,
    disjunction,
    negate,
    plain,
    retype,
    symbols,
    truth,
    with_parts,
)
from kernlint.tree.types import BOOL, IntType

MOST = 12
"""More cases than this are not tried."""


@dataclass(frozen=True, slots=True)
class Case:
    """One case of a query."""

    sides: tuple[Side, ...]
    premises: tuple[Term, ...]
    extent: Term | None = None


def conjuncts(guard: Term) -> list[Term]:
    """The parts that hold where ``guard`` holds; negations are pushed inwards."""
    if guard.op == "land":
        return [*conjuncts(guard.args[0]), *conjuncts(guard.args[1])]
    if guard.op == "lnot":
        inner = guard.args[0]
        if inner.op == "lor":
            return [*conjuncts(negate(inner.args[0])), *conjuncts(negate(inner.args[1]))]
        if inner.op == "land":
            return [disjunction(negate(inner.args[0]), negate(inner.args[1]))]
    if guard.op == "select":
        cond, then, other = guard.args
        if then.value == 0:
            return [*conjuncts(negate(cond)), *conjuncts(truth(other))]
        if other.value == 0:
            return [*conjuncts(cond), *conjuncts(truth(then))]
    if guard.op == "cast" and guard.args[0].type == BOOL:
        return conjuncts(guard.args[0])
    if guard.op == "ne" and guard.args[1].value == 0:
        inner = plain(guard.args[0])
        if inner.type == BOOL:
            return conjuncts(inner)
        if inner.op == "and" and all(plain(arg).type == BOOL for arg in inner.args):  # a & b of truths
            return [part for arg in inner.args for part in conjuncts(plain(arg))]
    holds = guard.op != "lnot"
    flag = guard.symbol if holds else guard.args[0].symbol
    if flag is not None and flag.kind is SymbolKind.PHI and flag.type == BOOL and flag.init is not None:
        first = plain(flag.init)
        if flag.step is not None and first.type == BOOL and _one_way(flag.step, flag, not holds):
            return [guard, *conjuncts(first if holds else negate(first))]
    return [guard]


def _one_way(step: Term, flag: Symbol, end: bool) -> bool:
    """Whether a round leaves a truth that a loop carries along as it is, or makes it what it ends as (``inside &=
    test``, ``if (...) valid = false``): who finds it otherwise found it so at the start."""
    step = plain(step)
    if step.symbol is flag or step.value is not None:
        return step.symbol is flag or bool(step.value) == end
    if step.op == "ne" and step.args[1].value == 0:
        return _one_way(step.args[0], flag, end)
    if step.op == "select":
        return all(_one_way(arg, flag, end) for arg in step.args[1:])
    either = ("or", "lor") if end else ("and", "land")
    return (
        step.op in either
        and all(plain(x).type == BOOL for x in step.args)
        and any(_one_way(arg, flag, end) for arg in step.args)
    )


def ways(term: Term) -> Iterator[Term]:
    """The terms of which one holds where ``term`` does."""
    if term.op != "lor":
        yield term
        return
    for arg in term.args:
        yield from ways(arg)


def cases(query: Query, sides: tuple[Side, ...], extent: Term | None, deep: bool = True) -> list[Case]:
    """All cases of ``query``; the query itself where it has none, or too many.

    Only ``deep`` splits make cases of what the guards and premises choose between.
    """
    start = Case(
        tuple(replace(side, guards=tuple(g for guard in side.guards for g in conjuncts(guard))) for side in sides),
        tuple(p for premise in query.premises for p in conjuncts(premise)),
        extent,
    )
    done: list[Case] = []
    todo = [start]
    while todo:
        case = todo.pop()
        parts = _split(case, query, deep)
        if parts is None:
            done.append(case)
        else:
            todo.extend(parts)
        if len(done) + len(todo) > MOST:
            return [start]
    return done


def _split(case: Case, query: Query, deep: bool) -> list[Case] | None:
    for at, side in enumerate(case.sides):
        for term in (side.offset, *(side.guards if deep else ())):
            found = _choice(term)
            if found is not None:
                everywhere = all(is_shared(symbol, query) for symbol in symbols(found))
                return _decided(case, at, found, everywhere)
        for index, guard in enumerate(side.guards if deep else ()):
            if guard.op == "lor":
                halves = []
                for part in guard.args:
                    guards = (*side.guards[:index], *conjuncts(part), *side.guards[index + 1 :])
                    halves.append(_with(case, at, replace(side, guards=guards)))
                return halves
    for term in (*(case.premises if deep else ()), *(() if case.extent is None else (case.extent,))):
        found = _choice(term)
        if found is not None:
            return _decided(case, 0, found, True)
    return None


def _with(case: Case, at: int, side: Side) -> Case:
    return replace(case, sides=(*case.sides[:at], side, *case.sides[at + 1 :]))


def _choice(term: Term) -> Term | None:
    """An innermost choice in ``term`` whose outcome is an integer."""
    if term.op in ("const", "sym") or term.size < 4:
        return None
    for arg in term.terms:
        found = _choice(arg)
        if found is not None:
            return found
    if term.op in ("select", "min", "max") and isinstance(term.type, IntType):
        return term
    return None


def _decided(case: Case, at: int, choice: Term, everywhere: bool) -> list[Case]:
    if choice.op == "select":
        condition, first, second = choice.args
    else:
        first, second = choice.args
        lesser, greater = (second, first) if choice.op == "max" else (first, second)
        condition = binary("le", lesser, greater, BOOL)
    out = []
    for chosen, holds in ((first, condition), (second, negate(condition))):
        image = retype(chosen, choice.type)
        sides = []
        for index, side in enumerate(case.sides):
            if index == at or everywhere:
                side = _replaced(side, choice, image)
                side = replace(side, guards=(*conjuncts(holds), *side.guards))
            sides.append(side)
        if everywhere:
            memo: dict[Term, Term] = {choice: image}
            premises = tuple(_term(premise, memo) for premise in case.premises)
            extent = None if case.extent is None else _term(case.extent, memo)
            out.append(Case(tuple(sides), premises, extent))
        else:
            out.append(replace(case, sides=tuple(sides)))
    return out


def _replaced(side: Side, old: Term, new: Term) -> Side:
    memo: dict[Term, Term] = {old: new}
    return Side(
        _term(side.offset, memo),
        side.size,
        tuple(_term(guard, memo) for guard in side.guards),
        tuple(
            LoopRange(loop.counter, None if loop.condition is None else _term(loop.condition, memo), loop.most)
            for loop in side.counters
        ),
    )


def _term(term: Term, memo: dict[Term, Term]) -> Term:
    done = memo.get(term)
    if done is None:
        if term.op in ("const", "sym"):
            return term
        done = memo[term] = with_parts(term, [_term(arg, memo) for arg in term.terms])
    return done


def contradictory(case: Case, query: Query) -> bool:
    """Whether two guards over shared symbols exclude each other (also ones that are not understood)."""
    shared: set[Term] = set(case.premises)
    for side in case.sides:
        for guard in side.guards:
            if guard.value == 0:
                return True
            if guard in shared or negate(guard) in shared:
                if negate(guard) in shared:
                    return True
            elif all(is_shared(symbol, query) for symbol in symbols(guard)):
                shared.add(guard)
    return False
