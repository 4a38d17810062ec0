"""Index arithmetic of a kernel: every distinct sum that reaches a subscript or a condition, with where it stands."""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.trace import trace
from kernlint.analysis.trace.events import Event
from kernlint.record import dataclass
from kernlint.source import Span
from kernlint.symbolic.polynomial import Polynomial, polynomial
from kernlint.symbolic.terms import BLOCK, BLOCK_DIM, GRID_DIM, THREAD, Symbol, Term, symbols
from kernlint.tree.types import IntType


@dataclass(frozen=True, slots=True)
class IndexSum:
    """One integer sum: its ``term``, the same as a polynomial, and the first place where it is used."""

    term: Term
    form: Polynomial
    span: Span
    event: Event


def _sums(term: Term, seen: set[Term]) -> Iterator[Term]:
    """The outermost sums in ``term`` and in the arguments of whatever is no sum."""
    stack = [term]
    while stack:
        at = stack.pop()
        if at in seen or at.op in ("const", "sym"):
            continue
        seen.add(at)
        if at.op in ("add", "sub", "mul") and isinstance(at.type, IntType):
            yield at
            stack.extend(_leaves(at))
        else:
            stack.extend(at.terms)


def _leaves(term: Term) -> list[Term]:
    """What a sum of products is made of, conversions between integers looked through."""
    out: list[Term] = []
    stack = [term]
    while stack:
        at = stack.pop()
        if at.op in ("add", "sub", "mul", "neg"):
            stack.extend(at.args)
        elif at.op == "cast" and isinstance(at.args[0].type, IntType):
            stack.append(at.args[0])
        else:
            out.append(at)
    return out


def _compute(facts: Facts) -> tuple[IndexSum, ...]:
    seen: set[Term] = set()
    out: list[IndexSum] = []
    walked = facts[trace]
    places: list[tuple[Term, Event]] = []
    for access in walked.accesses:
        if access.index is not None:
            places.append((access.index, access))
        places.append((access.offset, access))
    places.extend((condition.term, condition) for condition in walked.conditions)
    for term, event in sorted(places, key=lambda item: item[1].order):
        for found in _sums(term, seen):
            out.append(IndexSum(found, polynomial(found), event.span, event))
    return tuple(out)


index_sums = KernelAnalysis("index_sums", _compute, needs=(trace,))
"""The sums that make up a kernel's indices and conditions, each once, in order of use."""

LAUNCH_SYMBOLS = frozenset(id(symbol) for group in (THREAD, BLOCK, BLOCK_DIM, GRID_DIM) for symbol in group)


def launch_symbols(terms: Iterator[Term] | tuple[Term, ...]) -> set[Symbol]:
    """The thread, block and size symbols that occur in ``terms``."""
    return {symbol for term in terms for symbol in symbols(term) if id(symbol) in LAUNCH_SYMBOLS}
