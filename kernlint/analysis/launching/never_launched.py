"""Instances of a template that the host names in launches alone which cannot be.

A ``switch`` over a remainder names an instance for each case, for all divisors that a template of the host is made for:
``switch (n % PARTS) { case 3: rows<PARTS, 3><<<...>>>(); }`` with two parts has a third case that nothing comes to.
So has a condition of the host's own template arguments: ``if (DIMS > 1) planes<DIMS, 2><<<...>>>();`` made for one
dimension names an instance that no walk of the host meets.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.analysis.base import AnalysisFailed, Facts, ModuleAnalysis, ModuleFacts
from kernlint.analysis.launching.launches import LaunchFact, host, launches
from kernlint.analysis.trace.events import Trace
from kernlint.symbolic.intervals import interval
from kernlint.symbolic.narrowing import narrowed
from kernlint.symbolic.terms import Term
from kernlint.tree.nodes import FunctionDecl, FunctionRef, Launch
from kernlint.tree.walk import walk


def launched(variants: Sequence[Facts]) -> list[Facts]:
    """The variants of a kernel but for those that nothing launches; all, where none would be left."""
    if len(variants) < 2:
        return list(variants)
    try:
        return [facts for facts in variants if not _never(facts)] or list(variants)
    except AnalysisFailed:  # told where a rule asks for it
        return list(variants)


def _never(facts: Facts) -> bool:
    if not facts.function.template_args:
        return False
    own = [launch for launch in facts[launches] if launch.kernel is facts.function]
    return not any(map(_may_be, own)) if own else _dead(facts)


def _dead(facts: Facts) -> bool:
    """Whether an instance is named in launches alone that walks of the functions around them, gone through to the end,
    have not met."""
    return not facts.function.forced and facts.function in facts[left_by_walks]


def _not_met(facts: ModuleFacts) -> frozenset[FunctionDecl]:
    if not facts[host].whole:
        return frozenset()
    through = {function for function, walk_of in facts[host].traces if not _cut(walk_of)}
    named: set[FunctionDecl] = {launch.kernel for launch in facts[host].launches if launch.kernel is not None}
    apart: set[FunctionDecl] = set()
    for function in facts.module.functions:
        for node in walk(function.body) if function.body is not None else ():
            if isinstance(node, FunctionRef) and node.function is not None:
                named.add(node.function)
            elif isinstance(node, Launch) and node.kernel is not None:
                (apart if function in through else named).add(node.kernel)
    return frozenset(apart - named)


left_by_walks = ModuleAnalysis("left_by_walks", _not_met, needs=(host,))
"""Kernels that a file names in launches alone which no walk of its host functions meets."""


def _cut(of: Trace) -> bool:
    return any(gap.kind in ("goto", "budget", "lost") for gap in of.gaps)


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
