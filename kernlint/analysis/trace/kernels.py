"""The walks of a file's kernels for those that compare one kernel with another: each kernel is walked once."""

from __future__ import annotations

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.analysis.trace.events import Trace
from kernlint.analysis.trace.run import trace_function
from kernlint.tree.nodes import FunctionDecl


class KernelTraces:
    """Traces of the functions of a module, made when they are asked for; nobody may change them."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._known: dict[FunctionDecl, Trace] = {}

    def of(self, function: FunctionDecl) -> Trace:
        """All that one variant of a kernel does."""
        known = self._known.get(function)
        if known is None:
            known = self._known[function] = trace_function(function, self._language)
        return known


def _compute(facts: ModuleFacts) -> KernelTraces:
    return KernelTraces(facts.module.language)


kernel_traces = ModuleAnalysis("kernel_traces", _compute)
"""The :class:`KernelTraces` of a module."""
