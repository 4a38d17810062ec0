"""Kernels of Python that one thread may well run: they ask for no index, and no launch says how many threads it has."""

from __future__ import annotations

from kernlint.analysis.base import Facts, KernelAnalysis
from kernlint.analysis.launching.launches import launches
from kernlint.tree.nodes import Barrier, LaunchValue, WarpOp
from kernlint.tree.walk import functions_of, walk


def _compute(facts: Facts) -> bool:
    if facts.module.written_in != "python" or facts[launches]:
        return False
    nodes = (node for function in functions_of(facts.kernel) for node in walk(function))
    return not any(isinstance(node, (LaunchValue, Barrier, WarpOp)) for node in nodes)


alone = KernelAnalysis("alone", _compute, needs=(launches,))
"""Whether nothing says that a kernel is run by more than one thread."""
