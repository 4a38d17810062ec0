"""Counters that the code itself caps: ``if (held < most) { ...; held++; }`` lets ``held`` grow to ``most`` at most.

How often such a loop counts is for data to say, but however often that is, the counter stays between what it began
with and its cap.  A walk through as many elements as were counted is then no walk of any length.
"""

from __future__ import annotations

from collections.abc import Mapping

from kernlint.prove.cases import conjuncts
from kernlint.symbolic.terms import Symbol, Term, binary, cast, negate
from kernlint.tree.types import BOOL, IntType

PARTS = 64
"""Ways through a loop's body that are looked at for one variable."""


def cap(phi: Symbol, step: Term, serial: int, known: Mapping[Symbol, Term]) -> Term | None:
    """What a loop variable is not counted beyond, or None: it is never more than the greater one of that and of what
    it began with, and never less than the latter.

    ``step``: what an iteration makes of it; symbols with a serial greater than ``serial`` belong to the loop;
    ``known``: the caps of the variables of loops within it.
    """
    if not isinstance(phi.type, IntType) or phi.init is None:
        return None
    caps: set[Term] = set()
    ways: list[tuple[Term, tuple[Term, ...]]] = [(step, ())]
    for _ in range(PARTS):
        if not ways:
            break
        term, conditions = ways.pop()
        term = _same(term, phi.type)
        if term == phi.term:
            continue
        if term.op == "select":
            cond, then, other = term.args
            ways += [(then, (*conditions, *conjuncts(cond))), (other, (*conditions, *conjuncts(negate(cond))))]
            continue
        found = _counted_within(phi, term, known) if term.op == "call" else _counted(phi, term, conditions)
        if found is None:
            return None
        caps.add(found)
    if ways or len(caps) != 1:
        return None
    (one,) = caps
    return one if all(symbol.serial <= serial for symbol in one.symbols) else None


def narrow(phi: Symbol, most: Term) -> None:
    """Give a capped variable its bounds where both of its ends are numbers."""
    first, last = phi.init.value if phi.init is not None else None, most.value
    if first is not None and last is not None:
        phi.low, phi.high = first, max(first, last)


def greatest(phi: Symbol, most: Term) -> Term:
    """The greater one of what a counter began with and its cap."""
    assert phi.init is not None
    return binary("max", cast(phi.init, most.type), most, most.type)


def below_cap(condition: Term, ends: Mapping[Term, Term]) -> Term | None:
    """What follows from something being below what a capped counter came to (``ends``): it is below the cap."""
    if condition.op not in ("lt", "le"):
        return None
    value = condition.args[1]
    kind = value.type
    while value.op == "cast" and isinstance(value.type, IntType) and isinstance(value.args[0].type, IntType):
        if value.type.bits < value.args[0].type.bits:
            return None
        value = value.args[0]
    most = ends.get(value)
    return binary(condition.op, condition.args[0], cast(most, kind), BOOL) if most is not None else None


def _counted(phi: Symbol, term: Term, conditions: tuple[Term, ...]) -> Term | None:
    """The cap of a way through the body that adds one."""
    if term.op != "add" or _same(term.args[0], phi.type) != phi.term or term.args[1].value != 1:
        return None
    for condition in conditions:
        if condition.op == "lt" and _same(condition.args[0], phi.type) == phi.term:
            most: Term = condition.args[1]
            if isinstance(most.type, IntType):
                return most
    return None


def _counted_within(phi: Symbol, after: Term, known: Mapping[Symbol, Term]) -> Term | None:
    """The cap of what a loop within has made of the variable."""
    if not after.args[0].startswith("after"):
        return None
    values = [term.symbol for term in after.terms if term.type == phi.type]
    found = {known.get(value) if value is not None and value.init == phi.term else None for value in values}
    return found.pop() if len(found) == 1 else None


def _same(term: Term, kind: object) -> Term:
    """``term`` without conversions of integers that lose nothing of a value of ``kind``."""
    assert isinstance(kind, IntType)
    while term.op == "cast" and isinstance(term.type, IntType) and isinstance(term.args[0].type, IntType):
        if min(term.type.bits, term.args[0].type.bits) < kind.bits:
            break
        term = term.args[0]
    return term
