"""The walks of a file's kernels: each is walked once, for itself and for those that compare it with another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint.analysis.base import Facts, KernelAnalysis, ModuleAnalysis, ModuleFacts
from kernlint.analysis.trace.events import Trace
from kernlint.analysis.trace.run import trace_function
from kernlint.timing import Timings
from kernlint.tree.nodes import FunctionDecl, Kernel

KERNELS = 12
"""Kernels of a file that are compared with one another; of more each would have to be walked for all others."""


class KernelTraces:
    """Traces of the kernels of a module, made when they are asked for; nobody may change them.

    Kept are those of first variants in files of at most :data:`KERNELS` kernels, so that memory has a limit.
    """

    def __init__(self, kernels: Sequence[Kernel], language: str, timings: Timings) -> None:
        few = len(kernels) <= KERNELS
        self._kernels = kernels if few else ()
        self._kept = frozenset(kernel.variants[0] for kernel in self._kernels)
        self._language = language
        self._timings = timings
        self._known: dict[FunctionDecl, Trace] = {}

    def of(self, function: FunctionDecl) -> Trace:
        """All that one variant of a kernel does.  A walk is booked on ``trace``, whoever asks first."""
        known = self._known.get(function)
        if known is None:
            with self._timings.measure(f"analysis {trace.name}"):
                known = trace_function(function, self._language)
            if function in self._kept:
                self._known[function] = known
        return known

    def compared(self) -> Iterator[tuple[Kernel, Trace]]:
        """The kernels with what their first variants do, where there are several and no more than :data:`KERNELS`."""
        if len(self._kernels) > 1:
            for kernel in self._kernels:
                yield kernel, self.of(kernel.variants[0])


def _compute(facts: ModuleFacts) -> KernelTraces:
    return KernelTraces(facts.module.kernels, facts.module.language, facts.timings)


kernel_traces = ModuleAnalysis("kernel_traces", _compute)
"""The :class:`KernelTraces` of a module."""


def _own(facts: Facts) -> Trace:
    return facts[kernel_traces].of(facts.function)


trace = KernelAnalysis("trace", _own, needs=(kernel_traces,))
"""The :class:`Trace` of a kernel variant."""
