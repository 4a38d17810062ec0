"""The walks of a file's kernels for those that compare one kernel with another: each kernel is walked once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import ModuleAnalysis, ModuleFacts
from kernlint.analysis.trace.events import Trace
from kernlint.analysis.trace.run import trace_function
from kernlint.tree.nodes import FunctionDecl, Kernel

KERNELS = 12
"""Kernels of a file that are compared with one another; of more each would have to be walked for all others."""


class KernelTraces:
    """Traces of the kernels of a module, made when they are asked for; nobody may change them."""

    def __init__(self, kernels: Sequence[Kernel], language: str) -> None:
        self._kernels = kernels
        self._language = language
        self._known: dict[FunctionDecl, Trace] = {}

    def of(self, function: FunctionDecl) -> Trace:
        """All that one variant of a kernel does."""
        known = self._known.get(function)
        if known is None:
            known = self._known[function] = trace_function(function, self._language)
        return known

    def compared(self) -> Iterator[tuple[Kernel, Trace]]:
        """The kernels with what their first variants do, where there are several and no more than :data:`KERNELS`."""
        if 1 < len(self._kernels) <= KERNELS:
            for kernel in self._kernels:
                yield kernel, self.of(kernel.variants[0])


def _compute(facts: ModuleFacts) -> KernelTraces:
    return KernelTraces(facts.module.kernels, facts.module.language)


kernel_traces = ModuleAnalysis("kernel_traces", _compute)
"""The :class:`KernelTraces` of a module."""
