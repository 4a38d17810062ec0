"""What the guards of an access settle of a choice that its place is made of.

A helper that answers -1 outside, or a flag that says so, leaves ``outside ? -1 : at`` as the place, and the test of the
answer before the access says that it is ``at``.
"""

from __future__ import annotations

from functools import lru_cache

from kernlint.analysis.coverage import conjuncts
from kernlint.analysis.trace.events import Guard, GuardKind
from kernlint.symbolic.terms import Term, negate, subterms, truth, with_parts


def under(term: Term, guards: tuple[Guard, ...]) -> Term:
    """A term with the outcomes of those of its choices that guards decide."""
    return _under(term, guards) if guards and _chooses(term) else term


@lru_cache(maxsize=8192)
def _chooses(term: Term) -> bool:
    return any(part.op == "select" for part in subterms(term))


@lru_cache(maxsize=4096)
def _under(term: Term, guards: tuple[Guard, ...]) -> Term:
    known = frozenset(
        part for guard in guards if guard.kind is not GuardKind.AFTER_LOOP for part in conjuncts(guard.term)
    )
    return _settled(term, known) if known else term


def _settled(term: Term, known: frozenset[Term]) -> Term:
    if term.op == "select":
        cond = truth(term.args[0])
        for outcome, holds in ((term.args[1], cond), (term.args[2], negate(cond))):
            if _holds(holds, known):
                return _settled(outcome, known)
    return with_parts(term, [_settled(part, known) for part in term.terms])


def _holds(cond: Term, known: frozenset[Term]) -> bool:
    """Whether known truths say that a condition holds."""
    if cond.op == "lor":
        return any(_holds(part, known) for part in cond.terms) or cond in known
    return all(part in known for part in conjuncts(cond))
