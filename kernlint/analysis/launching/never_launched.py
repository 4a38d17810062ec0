"""Instances of a template that the host names in launches alone which cannot be.

A ``switch`` over a remainder names an instance for each case, for all divisors that a template of the host is made for:
``switch (n % PARTS) { case 3: rows<PARTS, 3><<<...>>>(); }`` with two parts has a third case that nothing comes to.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.base import AnalysisFailed, Facts
from kernlint.analysis.launching.launches import LaunchFact, launches
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.narrowing import narrowed
from kernlint.symbolic.terms import Term


def launched(variants: Sequence[Facts]) -> list[Facts]:
    """The variants of a kernel but for those that nothing launches; all, where none would be left."""
    if len(variants) < 2:
        return list(variants)
    try:
        return [facts for facts in variants if not _never(facts)] or list(variants)
    except AnalysisFailed:  # told where a rule asks for it
        return list(variants)


def _never(facts: Facts) -> bool:
    own = [launch for launch in facts[launches] if launch.kernel is facts.function]
    return bool(facts.function.template_args) and bool(own) and not any(map(_may_be, own))


def _may_be(launch: LaunchFact) -> bool:
    """Whether what the host has checked before a launch can hold."""
    facts = [guard.term for guard in launch.guards]
    return narrowed(facts, {}) is not None and not any(map(_apart, facts))


def _apart(fact: Term) -> bool:
    """Whether two values that a fact takes to be equal have no number in common."""
    if fact.op != "eq":
        return False
    (low, high), (least, most) = map(interval, fact.args)
    return (high is not None and least is not None and high < least) or (
        low is not None and most is not None and most < low
    )
