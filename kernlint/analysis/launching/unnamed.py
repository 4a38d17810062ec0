"""Launches by an unknown handle that can only be of this kernel, and whose arguments do not all fit it.

That is enough to compare the arguments, and for nothing else.  Those that fit are launches like others.
"""

from __future__ import annotations

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.launching.launches import LaunchFact, host, launches
from kernlint.analysis.launching.only_kernel import of_only


def _compute(facts: Facts) -> tuple[LaunchFact, ...]:
    return () if facts[launches] else tuple(of_only(facts, lambda other: other[host].launches))


unnamed = KernelAnalysis("unnamed", _compute, needs=(host, launches))
"""The launches by unknown handles that can only be of this kernel, as far as its file goes."""
