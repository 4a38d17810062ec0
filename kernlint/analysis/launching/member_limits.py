"""What other functions of the file check of the members that a launch is made of.

A batch is filled while ``batch.count < kMost``, and launched by a function that asks about nothing: what one function
of a struct's makes sure of, by a way out or as a test that it returns, holds for the members wherever they are used.
So does what a function checks of a parameter that it stores in a member, where nothing else but zero is stored there;
and the largest number that a member has which it makes of the parameter, ``job.words = (length + 3) / 4``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.launching.launch_context import LaunchView
from kernlint.analysis.launching.launches import host
from kernlint.analysis.launching.members import (
    Members,
    Stored,
    constant,
    largest_of,
    member_of,
    members,
    number_of,
    struct_of,
)
from kernlint.analysis.trace.events import GuardKind, Trace, each_guard
from kernlint.record import dataclass, replace
from kernlint.source import Span
from kernlint.symbolic.terms import Symbol, SymbolKind, Term, binary, const, substitute, symbols
from kernlint.tree.nodes import Binary, Block, Cast, Expr, FunctionDecl, If, Member, ParamDecl, Ref, Return, Trap
from kernlint.tree.types import BOOL, IntType

Key = tuple[str, str]

I32 = IntType(32, True)

MOST = 64
"""Checks of members that are kept."""

HIGHEST = 1 << 12
"""Numbers beyond that a parameter is checked against are not looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Limit:
    """A truth over members, by the symbols that stand for them in it, and where it is checked."""

    term: Term
    of: tuple[tuple[Symbol, Key], ...]
    span: Span


def _compute(facts: ModuleFacts) -> tuple[Limit, ...]:
    found: dict[tuple[Span, Term], Limit] = {}
    filled, made = _filled(facts[members])
    for function, trace in facts[host].traces:
        for limit in (*_guards(trace), *_of_parameters(trace, filled.get(function, {}))):
            if len(found) < MOST:
                found.setdefault((limit.span, limit.term), limit)
    for limit in _of_made(made):
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


def _filled(
    known: Members,
) -> tuple[dict[FunctionDecl, dict[str, Key]], dict[FunctionDecl, list[tuple[Key, Stored]]]]:
    """The members that only one function puts something into: by the parameter of it that it stores as it came, and
    with what it stores."""
    found: dict[FunctionDecl, dict[str, Key]] = {}
    made: dict[FunctionDecl, list[tuple[Key, Stored]]] = {}
    for key, stores in known.stores.items():
        worth = [one for one in stores if one.value is None or constant(one.value) != 0]
        value = _bare(worth[0].value) if len(worth) == 1 and worth[0].value is not None else None
        if value is None or not isinstance(value.type, IntType):
            continue
        if isinstance(value, Ref) and isinstance(value.decl, ParamDecl):
            found.setdefault(worth[0].by, {}).setdefault(value.decl.name, key)
        made.setdefault(worth[0].by, []).append((key, worth[0]))
    return found, made


def _of_made(made: Mapping[FunctionDecl, Iterable[tuple[Key, Stored]]]) -> Iterator[Limit]:
    """The largest numbers of members that functions make of a parameter which they check from above."""
    for function, stores in made.items():
        tops: dict[str, tuple[int, Span]] = {}
        for name, top, span in _tops(function):
            if name not in tops or top < tops[name][0]:
                tops[name] = (top, span)
        for key, one in stores if tops else ():
            found = largest_of(one, {name: top for name, (top, _) in tops.items()})
            if found is not None:
                name, most = found
                symbol = Symbol(SymbolKind.PARAM, key[1], I32)
                yield Limit(binary("le", symbol.term, const(most, I32), BOOL), ((symbol, key),), tops[name][1])


def _tops(function: FunctionDecl) -> Iterator[tuple[str, int, Span]]:
    """The parameters that a function leaves for where they are above a number, with the number: ``if (n > 64) throw``.
    What it does on the device is none of its business: one that only stores is not walked."""
    for stmt in function.body.body if function.body is not None else ():
        inner = stmt.then.body if isinstance(stmt, If) and isinstance(stmt.then, Block) else ()
        last = inner[-1] if inner else stmt.then if isinstance(stmt, If) else None
        if not isinstance(stmt, If) or stmt.other is not None or not isinstance(last, (Return, Trap)):
            continue
        for part in _parts(stmt.cond):
            low, high = (part.rhs, part.lhs) if part.op in (">", ">=") else (part.lhs, part.rhs)
            number, param = number_of(low), _bare(high)
            if isinstance(number, int) and isinstance(param, Ref) and isinstance(param.decl, ParamDecl):
                top = number - int(part.op in ("<=", ">="))
                if 0 < top <= HIGHEST:
                    yield param.decl.name, top, stmt.cond.span


def _parts(cond: Expr) -> Iterator[Binary]:
    """The comparisons of which one is enough for a condition."""
    cond = _bare(cond)
    if isinstance(cond, Binary) and cond.op == "||":
        yield from _parts(cond.lhs)
        yield from _parts(cond.rhs)
    elif isinstance(cond, Binary) and cond.op in ("<", "<=", ">", ">="):
        yield cond


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


def with_limits(view: LaunchView, limits: tuple[Limit, ...]) -> LaunchView:
    """A launch with what other functions check of the members that it passes, beside its own checks."""
    used = {symbol for _, image in view.images for symbol in symbols(image)} if limits else ()
    further = tuple(check for check, _ in checked_elsewhere(limits, used))
    return replace(view, checks=(*view.checks, *further)) if further else view
