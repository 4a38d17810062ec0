"""Sizes of memory that wrap on the host, where what they are made of is as large as its checks admit.

``int bytes = voxels * (int)sizeof(double2)`` is asked for whatever the type of the parameter: what checks before it say
of the sides of the volume says how large it gets in mathematical integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.hostmodel.operations import HostWalk
from kernlint.analysis.launching.admitted_sizes import bounded, upper
from kernlint.analysis.trace.events import AllocationEvent
from kernlint.analysis.values.exactly import Range, exact
from kernlint.analysis.values.products import bits
from kernlint.analysis.values.reach import BEYOND
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.clamps import as_they_are
from kernlint.symbolic.narrowing import narrowed
from kernlint.symbolic.terms import Term, subterms, symbols
from kernlint.tree.nodes import Binary, Expr, Ref
from kernlint.tree.types import IntType
from kernlint.tree.walk import strip_casts


@dataclass(frozen=True, slots=True)
class WrappedSize:
    """A ``part`` of the size of memory that ``call`` asks for comes to ``value``; ``span``: where it is made."""

    part: Term
    value: int
    call: Span
    span: Span


def wrapped_sizes(walks: Iterable[HostWalk]) -> Iterator[WrappedSize]:
    """The sizes in 32 bits that leave their type by the checks before an allocation, each once."""
    said: set[Span] = set()
    for walk in walks:
        for event in walk.allocations.values():
            made = [part for part in subterms(event.size) if part.op == "mul" and 0 < bits(part) < 64]
            if not made or event.span in said:
                continue
            found = _too_large(event, made)
            if found is not None:
                said.add(event.span)
                yield WrappedSize(*found, event.span, _made_at(walk, event))


def _too_large(event: AllocationEvent, made: list[Term]) -> tuple[Term, int] | None:
    """The innermost of the products that leaves its type, and what it comes to."""
    facts = [part for guard in event.guards for part in conjuncts(guard.term)]
    tested: dict[Term, Range] = {}
    for fact in facts:
        for low, high in upper(fact):
            if high.value is None:
                continue
            for at in as_they_are(low):
                most = high.value - (fact.op == "lt")
                tested[at] = 0, min(tested.get(at, (0, most))[1], most)
    ranges = narrowed(facts, {}) if tested else None
    if ranges is None:
        return None

    def known(term: Term) -> bool:
        if term in tested or term.value is not None:
            return True
        if term.symbol is not None:
            return bounded(term.symbol, facts)
        return bool(term.terms) and all(map(known, term.terms))

    for part in sorted(made, key=lambda one: len(list(subterms(one)))):
        kind = part.type
        if not isinstance(kind, IntType) or not symbols(part) or not known(part):
            continue
        value = exact(part, ranges, tested)[1]
        if kind.high < value < BEYOND:
            return part, value
    return None


def _made_at(walk: HostWalk, event: AllocationEvent) -> Span:
    """Where the text multiplies what becomes the size: the call, or what a variable in it begins with."""
    calls = (api.node for api in walk.trace.apis if api.span == event.span)
    todo: list[Expr] = [arg for call in calls for arg in call.args]
    for _ in range(DEPTH):
        found: list[Expr] = []
        for arg in map(strip_casts, todo):
            if isinstance(arg, Binary) and arg.op == "*" and isinstance(arg.type, IntType) and arg.type.bits < 64:
                return arg.span
            if isinstance(arg, Binary):
                found += (arg.lhs, arg.rhs)
            elif isinstance(arg, Ref) and arg.decl.init is not None:
                found.append(arg.decl.init)
        todo = found
    return event.span


DEPTH = 4
"""Variables and operations, one in the other, in which the product is looked for."""
