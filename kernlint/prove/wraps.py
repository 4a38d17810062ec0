"""Operations that must not wrap for a proof to hold: show them innocent, or say so in words."""

from __future__ import annotations

from collections.abc import Iterable

from kernlint.prove.cases import Case
from kernlint.prove.query import Query
from kernlint.prove.system import GivenUp, add, constant
from kernlint.prove.translate import Suspect, Suspects, Translator
from kernlint.symbolic.show import show
from kernlint.symbolic.terms import Term
from kernlint.tree.types import IntType


def innocent(
    query: Query,
    case: Case,
    suspects: Iterable[Suspect],
    facts: dict[tuple[Term, int], Suspects],
    steps: int,
) -> set[Suspect]:
    """Those of ``suspects`` that could not be shown never to wrap.

    Only differences and conversions to unsigned types are tried: they stay in range when they are not negative.
    ``facts`` are the guards that the proof knows, with the suspects in each; a guard counts here only when none of
    its own suspects is left, lest an operation vouch for itself.
    """
    guilty = set(suspects)
    pending = [suspect for suspect in sorted(guilty, key=lambda s: (s.term.size, s.side)) if _falls_short_only(suspect)]
    while pending:
        translator = Translator(query, case.sides, case.premises, steps)
        cleared: list[Suspect] = []
        try:
            for (fact, side), inside in facts.items():
                if not inside & guilty:
                    _learn(translator, fact, side)
            translator.system.tighten()
            for suspect in pending:
                poly, inside = translator.poly(suspect.term, suspect.side)
                if (inside & guilty) <= {suspect} and translator.system.nonneg(poly):
                    cleared.append(suspect)
        except GivenUp:
            pass
        if not cleared:
            break
        guilty.difference_update(cleared)
        pending = [suspect for suspect in pending if suspect not in guilty.intersection(cleared) and suspect in guilty]
    return guilty


def _learn(translator: Translator, fact: Term, side: int) -> None:
    left, _ = translator.poly(fact.args[0], side)
    right, _ = translator.poly(fact.args[1], side)
    gap = add(right, translator.system.apply(left), -1)
    if fact.op == "lt":
        translator.system.fact(add(gap, constant(-1)))
    elif fact.op == "le":
        translator.system.fact(gap)
    elif fact.op == "eq":
        translator.system.fact(gap)
        translator.system.fact({mono: -value for mono, value in gap.items()})


def _falls_short_only(suspect: Suspect) -> bool:
    """Whether the operation can leave its type only downwards."""
    return _falls_short(suspect.term)


def falls_short(term: Term) -> bool:
    """Whether an operation leaves its type downwards, or gives a value that has done so the sign it lacks."""
    if term.op == "cast" and _falls_short(term.args[0]):
        source, kind = term.args[0].type, term.type
        return isinstance(source, IntType) and isinstance(kind, IntType) and source.bits == kind.bits
    return _falls_short(term)


def _falls_short(term: Term) -> bool:
    kind = term.type
    if not isinstance(kind, IntType) or kind.signed:
        return False
    if term.op == "sub":
        return True
    if term.op == "add":  # `x - 1` of an unsigned x is kept as a sum with a great constant
        return term.args[1].op == "const" and bool(term.args[1].args[0] >> (kind.bits - 1))
    if term.op == "cast":
        source = term.args[0].type
        return isinstance(source, IntType) and source.signed and source.bits <= kind.bits
    return False


def words(suspects: Iterable[Suspect]) -> list[str]:
    """Assumptions that say that none of ``suspects`` wraps; a part of another is covered by it."""
    bits: dict[Term, int] = {}
    for suspect in sorted(suspects, key=lambda s: -s.term.size):
        kind = suspect.term.type
        width = kind.bits if isinstance(kind, IntType) else 0
        outer = next((term for term in bits if _holds(term, suspect.term)), None)
        if outer is None:
            bits[suspect.term] = width
        else:
            bits[outer] = min(bits[outer], width)
    return sorted({f"no {width}-bit overflow in {show(term)}" for term, width in bits.items()})


def _holds(term: Term, part: Term) -> bool:
    return term == part or any(_holds(arg, part) for arg in term.terms)
