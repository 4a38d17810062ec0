"""What other functions of the file check of the members that a launch is made of.

A batch is filled while ``batch.count < kMost``, and launched by a function that asks about nothing: what one function
of a struct's makes sure of, by a way out or as a test that it returns, holds for the members wherever they are used.
So does what a function checks of a parameter that it stores in a member, where nothing else but zero is stored there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.launching.launches import host
from kernlint.analysis.launching.members import Members, constant, member_of, members, number_of, struct_of
from kernlint.analysis.trace.events import GuardKind, Trace, each_guard
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, binary, const, substitute, symbols
from kernlint.tree.nodes import Binary, Cast, Expr, FunctionDecl, Member, ParamDecl, Ref, Return
from kernlint.tree.types import BOOL, IntType

Key = tuple[str, str]

MOST = 64
"""Checks of members that are kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Limit:
    """A truth over members, by the symbols that stand for them in it, and where it is checked."""

    term: Term
    of: tuple[tuple[Symbol, Key], ...]
    span: Span


def _compute(facts: ModuleFacts) -> tuple[Limit, ...]:
    found: dict[tuple[Span, Term], Limit] = {}
    filled = _filled(facts[members])
    for function, trace in facts[host].traces:
        for limit in (*_guards(trace), *_of_parameters(trace, filled.get(function, {}))):
            if len(found) < MOST:
                found.setdefault((limit.span, limit.term), limit)
    for function in facts.module.functions:
        one = _returned(function)
        if one is not None and len(found) < MOST:
            found.setdefault((one.span, one.term), one)
    return tuple(found.values())


def _guards(trace: Trace) -> Iterator[Limit]:
    """The ways out that a function takes for values of members, before it does something on the device."""
    for guard in each_guard((*trace.apis, *trace.launches)):
        if guard.kind in (GuardKind.EXIT, GuardKind.ASSERT):
            for part in conjuncts(guard.term):
                mentioned = [(one, member_of(one)) for one in symbols(part)]
                keys = tuple((one, (of[0].name, of[1])) for one, of in mentioned if of is not None)
                if keys and len(keys) == len(mentioned) and part.op in ("lt", "le", "ne"):
                    yield Limit(part, keys, guard.span)


def _filled(known: Members) -> dict[FunctionDecl, dict[str, Key]]:
    """The members that only one function puts something into, by the parameter of it that it stores as it came."""
    found: dict[FunctionDecl, dict[str, Key]] = {}
    for key, stores in known.stores.items():
        worth = [one for one in stores if one.value is None or constant(one.value) != 0]
        value = _bare(worth[0].value) if len(worth) == 1 and worth[0].value is not None else None
        if isinstance(value, Ref) and isinstance(value.decl, ParamDecl) and isinstance(value.type, IntType):
            found.setdefault(worth[0].by, {}).setdefault(value.decl.name, key)
    return found


def _of_parameters(trace: Trace, stored: Mapping[str, Key]) -> Iterator[Limit]:
    """The ways out that a function takes for values of parameters which it stores in members."""
    for guard in each_guard((*trace.apis, *trace.launches, *trace.accesses)) if stored else ():
        if guard.kind in (GuardKind.EXIT, GuardKind.ASSERT):
            for part in conjuncts(guard.term):
                mentioned = symbols(part)
                mine = all(one.kind is SymbolKind.PARAM and one.name in stored for one in mentioned)
                if mentioned and mine and part.op in ("lt", "le"):
                    yield Limit(part, tuple((one, stored[one.name]) for one in mentioned), guard.span)


def _returned(function: FunctionDecl) -> Limit | None:
    """``return batch.count < kMost;``"""
    body = function.body.body if function.body is not None else ()
    value = body[0].value if len(body) == 1 and isinstance(body[0], Return) else None
    if not isinstance(value, Binary) or value.op not in ("<", "<="):
        return None
    member, most = _bare(value.lhs), number_of(value.rhs)
    if not isinstance(member, Member) or not isinstance(most, int) or not isinstance(member.type, IntType):
        return None
    of = struct_of(member.base.type)
    if of is None:
        return None
    symbol = Symbol(SymbolKind.PARAM, member.field, member.type)
    test = binary("lt" if value.op == "<" else "le", symbol.term, const(most, member.type), BOOL)
    return Limit(test, ((symbol, (of.name, member.field)),), value.span)


def _bare(expr: Expr) -> Expr:
    while isinstance(expr, Cast):
        expr = expr.operand
    return expr


member_limits = ModuleAnalysis("member_limits", _compute, needs=(host, members))
"""Each :class:`Limit` that host code of the file has for members of structs."""


def checked_elsewhere(limits: Iterable[Limit], used: Iterable[Symbol]) -> Iterator[tuple[Term, Span]]:
    """What is checked of the members ``used``, as truths of their symbols."""
    here: dict[Key, Symbol] = {}
    for symbol in used:
        of = member_of(symbol)
        if of is not None:
            here.setdefault((of[0].name, of[1]), symbol)
    for limit in limits if here else ():
        images = {one: here[key].term for one, key in limit.of if key in here}
        if images:
            yield substitute(limit.term, images), limit.span
